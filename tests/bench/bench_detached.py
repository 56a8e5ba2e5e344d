#!/usr/bin/env python3
"""Is a program as fast after we have left it as it would be had we never come?

Two copies of each program of bench_attach.py share one CPU and run in turns of some milliseconds, the other one stopped meanwhile, in the
order A B B A: what the machine does else in that time is the same for both. First neither was attached to; then one was, and was left;
then the other, too. The cost that remains is the ratio of their speeds (steps per second of CPU time) in the second part against the mean
of the first and the third, with a 95 % interval of Student's t over the turns, the outermost of which are pulled in; 1 is none.
--control, with which nobody attaches, shows what this way of measuring says of itself. The shorter the turns, the better they tell:
speeds of virtual machines wander by a fifth within 50 ms, and 10 minutes of turns of 14 ms tell 0.4 %, of 150 ms 1.5 %.

    bench_detached.py --gprofx build/release/bin/gprof-x [--seconds 200] [--window 0.014] [--cpu 1] [--kinds cpython,http,django,numba,torch]
"""
import argparse
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import bench_attach


SETTLE = 0.003  # of a turn: a step was cut in two by the stop, and caches are the other copy's


class Twin:
    def __init__(self, kind, options):
        self.folder = tempfile.mkdtemp(prefix="bench-detached-")
        mine = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {options.cpu})  # what is started has it
        self.process, self.load, self.path = bench_attach.start(kind, self.folder, options.packages_python)
        os.sched_setaffinity(0, mine)
        self.offset = 0

    def turn(self, window):
        """Log of the speed in a turn; None where it showed too little of itself."""
        self.process.send_signal(signal.SIGCONT)
        begin = time.monotonic() + SETTLE
        time.sleep(window)
        self.process.send_signal(signal.SIGSTOP)
        with open(self.path) as file:
            file.seek(self.offset)
            text = file.read()
        self.offset += len(text)
        rows = [tuple(map(float, line.split())) for line in text.split("\n")[:-1]]
        speed = bench_attach.rate(rows, begin, math.inf)
        return math.log(speed) if speed else None

    def attached_and_left(self, options):
        self.process.send_signal(signal.SIGCONT)
        options = argparse.Namespace(gprofx=options.gprofx, control=options.control, window=2)
        done = bench_attach.attach(options, self.process.pid, os.path.join(self.folder, "p.gprofx"))
        self.process.send_signal(signal.SIGSTOP)
        if done.returncode != 0:
            sys.exit(done.stderr)

    def finish(self):
        self.process.send_signal(signal.SIGCONT)
        wrong = bench_attach.finish(self.process, self.load)
        shutil.rmtree(self.folder, ignore_errors=True)
        return wrong


def part(first, second, options):
    """Logs of the ratio of the speed of `first` to that of `second`, one for each A B B A."""
    found, end = [], time.monotonic() + options.seconds
    while time.monotonic() < end:
        speeds = [twin.turn(options.window) for twin in (first, second, second, first)]
        if None not in speeds:
            found.append((speeds[0] - speeds[1] - speeds[2] + speeds[3]) / 2)
    return found


def pulled_in(values):
    """A tenth at each end no further out than the rest: turns in which the machine did something else."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    return [min(max(value, low), high) for value in values]


def error(values):
    """Of their mean, which pulling in makes 1.25 times too small."""
    return 1.25 * statistics.stdev(values) / math.sqrt(len(values))


def measure(kind, options):
    twins = [Twin(kind, options), Twin(kind, options)]
    for twin in twins:
        twin.process.send_signal(signal.SIGSTOP)
    parts = [part(*twins, options)]
    for twin in (twins[1], twins[0]):
        twin.attached_and_left(options)
        parts.append(part(*twins, options))
    parts = [pulled_in(values) for values in parts]
    before, one, both = map(statistics.mean, parts)
    cost = one - (before + both) / 2
    half = 1.98 * math.sqrt(error(parts[1]) ** 2 + (error(parts[0]) ** 2 + error(parts[2]) ** 2) / 4)
    print(json.dumps({"program": kind, "after": round(math.exp(cost), 4), "low": round(math.exp(cost - half), 4),
                      "high": round(math.exp(cost + half), 4), "copies_differ": round(math.exp(before), 4), "turns": [len(values) for values in parts],
                      "targets": [twin.finish() or "unchanged" for twin in twins]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--control", action="store_true", help="nobody attaches")
    parser.add_argument("--seconds", type=float, default=200, help="of each of three parts")
    parser.add_argument("--window", type=float, default=0.014, help="seconds of a turn")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="that the copies share; leave it alone")
    parser.add_argument("--kinds", default="cpython,http,django,numba,torch")
    parser.add_argument("--packages-python", default=sys.executable)
    options = parser.parse_args()
    os.environ["OMP_WAIT_POLICY"] = "passive"  # two threads on one CPU
    for kind in options.kinds.split(","):
        if kind in ("django", "numba", "torch"):
            there = subprocess.run([options.packages_python, "-c", "import " + kind], capture_output=True).returncode == 0
            if not there:
                print("skipped: no %s for %s" % (kind, options.packages_python))
                continue
        measure(kind, options)


if __name__ == "__main__":
    main()
