#!/usr/bin/env python3
"""Measures the pairs of programs.py bare and in turns, records the programs that are to be repaired, and writes down both.

usage: run_what_if.py [--gprof-x PROGRAM] [--python PYTHON] [--runs 3] [--seconds 170] [--pairs NAME...] [--no-record] -- OUT
Writes OUT/results.json and OUT/NAME.gprofx (--overhead none) and, as long as --seconds last, OUT/NAME-default.gprofx (the usual
budget). check.py OUT then holds what `gprof-x analyze --what-if` says against what was measured. For a machine with a GPU.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import programs

HERE = os.path.dirname(os.path.abspath(__file__))


def say(text):
    print("[%5.1f s] %s" % (time.monotonic() - START, text), flush=True)


def run_programs(command, names, problems):
    """What each program printed; the others still count where one fails."""
    run = subprocess.run(command + names, capture_output=True, text=True, timeout=300)
    if run.returncode == programs.NOT_THERE:
        sys.exit("run_what_if.py: PyTorch or a GPU is not there: " + run.stderr.strip()[-200:])
    if run.returncode != 0:
        problems.append("%s: status %d: %s" % (" ".join(command[-2:] + names), run.returncode, run.stderr.strip()[-600:]))
        say(problems[-1])
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    if run.returncode != 0 and len(names) > 1 and len(rows) < len(names):
        for name in names[len(rows) + 1:]:
            rows += run_programs(command, [name], problems)
    return rows


def facts(python):
    text = ("import json,torch;p=torch.cuda.get_device_properties(0);"
            "print(json.dumps({'gpu':p.name,'torch':torch.__version__,'cuda':torch.version.cuda}))")
    run = subprocess.run([python, "-c", text], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--gprof-x", default=os.environ.get("GPROF_X", "gprof-x"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=170)
    parser.add_argument("--pairs", nargs="*", default=list(programs.PAIRS))
    parser.add_argument("--no-record", action="store_true", help="only the bare runs")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    names, problems, rows, profiles = options.pairs, [], [], {}
    program = [options.python, os.path.join(HERE, "programs.py")]

    def write():
        path = os.path.join(options.out, "results.json")
        with open(path, "w") as out:
            json.dump({"facts": machine, "runs": rows, "profiles": profiles, "problems": problems}, out, indent=1)

    machine = facts(options.python)
    say("machine: %s" % machine)

    def record(name, overhead, suffix):
        path = os.path.join(options.out, name + suffix + ".gprofx")
        command = [options.gprof_x, "record", "-o", path] + overhead + ["--"] + program + ["before"]
        out = run_programs(command, [name], problems)
        if out:
            profiles[os.path.basename(path)] = out[0]
            say("%s: %.3f ms a step while recorded" % (os.path.basename(path), out[0]["step_ms"]))

    for name in [] if options.no_record else names:
        record(name, ["--overhead", "none"], "")
        write()
    for i in range(options.runs):
        for variant in (("before", "repaired") if i % 2 == 0 else ("repaired", "before")):
            rows += run_programs(program + [variant], names, problems)
            say("bare, %s, run %d" % (variant, i + 1))
            write()
    for name in [] if options.no_record else names:
        if time.monotonic() - START > options.seconds - 12:
            say("no time left for %s-default" % name)
            continue
        record(name, [], "-default")
        write()
    write()
    say("written: " + os.path.join(options.out, "results.json"))
    return 1 if problems else 0


START = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
