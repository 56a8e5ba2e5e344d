#!/usr/bin/env python3
"""A recorder for the tests of bench_outside.py: takes levels as `gprof-x record --control` does and costs what COSTS says.

The program reads the factor of the level in force from the file FAKE_LEVEL; FAKE_RECORDED names it in recorded programs only. FAKE_TROUBLE: mute (never answers),
refuses (knows no --control).
"""
import json
import os
import subprocess
import sys
import threading

COSTS = {"off": 1.0, "0": 1.0, "1": 1.3, "auto": 1.1}
TROUBLE = os.environ.get("FAKE_TROUBLE", "")


def take(level):
    path = os.environ["FAKE_LEVEL"]
    with open(path + ".new", "w") as file:
        file.write(str(COSTS[level]))
    os.replace(path + ".new", path)


def obey(control):
    commands, answers = control.partition(":")[2].split(",")
    with open(commands) as lines, open(answers, "w") as back:
        for line in iter(lines.readline, ""):
            word, level = line.split()
            if word == "level" and TROUBLE != "mute":
                take(level)
                back.write("ack\n")
                back.flush()


def value(options, name):
    return options[options.index(name) + 1] if name in options else None


def record(words):
    options, command = words[:words.index("--")], words[words.index("--") + 1:]
    control = value(options, "--control")
    if control and TROUBLE == "refuses":
        print("gprof-x: record: unknown option '--control'", file=sys.stderr)
        return 2
    take("1" if value(options, "--overhead") == "none" else "auto")
    child = subprocess.Popen(command, env={**os.environ, "FAKE_RECORDED": os.environ["FAKE_LEVEL"]})
    if control:
        threading.Thread(target=obey, args=(control,), daemon=True).start()
    status = child.wait()
    with open(value(options, "-o"), "w") as file:
        json.dump({"quality": {"own_cost": {"ratio": 1.1, "low": 1.0, "high": 1.2}}}, file)
    print("gprof-x: a line of the recorder's own", file=sys.stderr)
    return status


def main():
    if sys.argv[1] == "record":
        return record(sys.argv[2:])
    if sys.argv[1] == "report":
        with open(sys.argv[-1]) as file:
            print(file.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
