#!/usr/bin/env python3
"""What reports of the steady part of a large recording cost. Run by hand.

usage: bench_steps.py --gprofx BIN --large BENCH_LARGE [--samples N] [--kernels N] [--runs N] [--folder DIR]

The recording is made by bench_large (tests/bench). The commands take turns; prints for each the median time, the spread, and the
most memory of one run.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

COMMANDS = [["--top"], ["--tree"], ["--top", "--phase", "all"], ["--steps", "100..200"], ["--range", "..1h"], ["--timeline"]]


def measure(command):
    """Milliseconds and peak megabytes."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit("%s: status %d" % (" ".join(command), status))
    return 1e3 * (time.monotonic() - start), usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--large", required=True, help="the program bench_large")
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        profile = os.path.join(folder, "large.gprofx")
        print(subprocess.run([options.large, profile, str(options.samples), str(options.kernels)], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.strip())
        report = json.loads(subprocess.run([options.gprofx, "report", "--json", "--top", "1", profile], check=True,
                                           stdout=subprocess.PIPE).stdout)
        print("steps found: %d" % (report.get("steps") or {}).get("count", 0))
        times, memory = {}, {}
        for _ in range(options.runs):
            for words in COMMANDS:
                took, megabytes = measure([options.gprofx, "report", *words, profile])
                times.setdefault(" ".join(words), []).append(took)
                memory[" ".join(words)] = max(memory.get(" ".join(words), 0), megabytes)
        for name, each in times.items():
            print("report %-22s %7.1f ms (%.1f to %.1f), %.1f MB" % (name, statistics.median(each), min(each), max(each), memory[name]))


if __name__ == "__main__":
    main()
