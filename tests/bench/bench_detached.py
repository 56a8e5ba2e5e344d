#!/usr/bin/env python3
"""Is a program as fast after we have left it as it would be had we never come?

Two copies of each program of bench_attach.py run in turns of a fraction of a second, the other one stopped meanwhile, in the order A B B A:
what the machine does else in that time is the same for both. First neither was attached to; then one was, and was left; then the other,
too. The cost that remains is the ratio of their speeds (steps per second of CPU time) in the second part against the mean of the first and
the third, with a 95 % interval of Student's t over the turns, the outermost of which are pulled in; 1 is none. --control, with which nobody
attaches, shows what this way of measuring says of itself. On a virtual machine of two cores 60 turns tell 5 %: it wants a quiet machine.

    bench_detached.py --gprofx build/release/bin/gprof-x [--turns 100] [--window 0.15] [--kinds cpython,threads,http,django,numba,torch]
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


class Twin:
    def __init__(self, kind, python):
        self.folder = tempfile.mkdtemp(prefix="bench-detached-")
        self.process, self.load, self.path = bench_attach.start(kind, self.folder, python)
        self.offset = 0

    def turn(self, window):
        """Log of the speed in a turn; None where it showed too little of itself."""
        self.process.send_signal(signal.SIGCONT)
        begin = time.monotonic() + 0.02  # a step was cut in two by the stop
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
    found = []
    while len(found) < options.turns:
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


def measure(kind, python, name, options):
    twins = [Twin(kind, python), Twin(kind, python)]
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
    print(json.dumps({"program": name, "after": round(math.exp(cost), 4), "low": round(math.exp(cost - half), 4),
                      "high": round(math.exp(cost + half), 4), "copies_differ": round(math.exp(before), 4), "turns": options.turns,
                      "targets": [twin.finish() or "unchanged" for twin in twins]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--control", action="store_true", help="nobody attaches")
    parser.add_argument("--turns", type=int, default=100, help="A B B A, in each of three parts")
    parser.add_argument("--window", type=float, default=0.15, help="seconds of a turn")
    parser.add_argument("--kinds", default="cpython,threads,http,django,numba,torch")
    parser.add_argument("--packages-python", default=sys.executable)
    options = parser.parse_args()
    for kind in options.kinds.split(","):
        python = options.packages_python if kind in ("django", "numba", "torch") else sys.executable
        if kind in ("django", "numba", "torch") and subprocess.run([python, "-c", "import " + kind], capture_output=True).returncode != 0:
            print("skipped: no %s for %s" % (kind, python))
            continue
        measure(kind, python, kind, options)


if __name__ == "__main__":
    main()
