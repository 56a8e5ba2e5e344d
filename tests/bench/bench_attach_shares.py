#!/usr/bin/env python3
"""Are the shares of a recording that attached those of one that started the program?

The program measures by its thread's own clock what each of its functions takes, since on a busy machine no two runs have the same
shares. Both kinds of recording are held against that of their own run: the largest difference in points.

    bench_attach_shares.py --gprofx build/release/bin/gprof-x [--seconds 30] [--times 3]
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import hashlib, json, signal, sys, time
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
text = json.dumps([[i, str(i)] for i in range(300)]); blob = b'x' * 150000; table = {}
def loops(): return sum([i * i % 7 for i in range(6000)])
def hashes(): return hashlib.sha256(blob).digest()
def parses(): return json.loads(text)
def stores():
    for i in range(1500): table[i % 97] = table.get(i % 89, 0) + 1
clock = time.thread_time
took = dict.fromkeys(('loops', 'hashes', 'parses', 'stores'), 0.0)
beat = open(sys.argv[1], 'w', buffering=1); last = time.monotonic()
while not stop:
    for function in (loops, hashes, parses, stores):
        begin = clock(); function(); took[function.__name__] += clock() - begin
    now = time.monotonic()
    if now - last > 0.05:
        beat.write(json.dumps([now, took]) + chr(10)); last = now
"""
WARM = 2


def truth(path, begin, end):
    rows = [json.loads(line) for line in open(path).read().split("\n")[:-1]]
    inside = [took for now, took in rows if begin <= now <= end]
    return percent({name: inside[-1][name] - inside[0][name] for name in inside[0]})


def percent(values):
    return {name: 100 * value / sum(values.values()) for name, value in values.items()}


def recorded(options, path, names):
    run = subprocess.run([options.gprofx, "report", path, "--json", "--top", "400"], capture_output=True, text=True, check=True)
    totals = {row["name"]: row["total"] for row in json.loads(run.stdout)["rows"]}
    return percent({name: totals[name] for name in names})


def difference(options, folder, way):
    beat, path = os.path.join(folder, "beat"), os.path.join(folder, way + ".gprofx")
    program = [sys.executable, "-c", PROGRAM, beat]
    record = [options.gprofx, "record", "-q", "-o", path, "--timeline", "no", "--duration", str(options.seconds)]
    if way == "started":
        begin = time.monotonic() + WARM
        recorder = subprocess.Popen([*record, "--delay", str(WARM), "--", *program])
        time.sleep(WARM + options.seconds + 0.5)
        for pid in subprocess.run(["pgrep", "-P", str(recorder.pid)], capture_output=True, text=True).stdout.split():
            os.kill(int(pid), signal.SIGUSR1)
        recorder.wait(60)
    else:
        target = subprocess.Popen(program)
        time.sleep(WARM)
        begin = time.monotonic()
        subprocess.run([*record, "--pid", str(target.pid)], check=True)
        target.send_signal(signal.SIGUSR1)
        target.wait(60)
    real = truth(beat, begin, begin + options.seconds)
    seen = recorded(options, path, real)
    return {name: round(seen[name] - real[name], 2) for name in real}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    most = {"started": 0.0, "attached": 0.0}
    for _ in range(options.times):
        for way in most:
            with tempfile.TemporaryDirectory() as folder:
                points = difference(options, folder, way)
            print(json.dumps({"way": way, "points": points}), flush=True)
            most[way] = max(most[way], *map(abs, points.values()))
    print(json.dumps({"most": most}))
    return 0 if most["attached"] <= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
