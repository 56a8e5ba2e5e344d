#!/usr/bin/env python3
"""How long `gprof-x diff` takes for repetitions of a large recording. The bar: 10 + 10 profiles of 1 million samples in 2 seconds.

bench_diff.py --gprofx build/release/bin/gprof-x --large build/release/bin/bench_large

bench_large (tests/bench) writes the recording, each file is a copy of it. Prints wall and CPU time, median and range of the rounds.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

BAR = 2.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--large", required=True, help="the program bench_large")
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--kernels", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=10, help="of each side")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sides = [os.path.join(folder, side) for side in ("base", "head")]
        first = os.path.join(folder, "first.gprofx")
        subprocess.run([options.large, first, str(options.samples), str(options.kernels)], check=True, stdout=subprocess.DEVNULL)
        for side in sides:
            os.mkdir(side)
            for i in range(options.files):
                shutil.copy(first, os.path.join(side, f"{i:02}.gprofx"))
        walls, cpus = [], []
        for _ in range(options.runs):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            run = subprocess.run([options.gprofx, "diff", *sides], stdout=subprocess.DEVNULL)
            walls.append(time.monotonic() - start)
            assert run.returncode in (0, 1, 3), run.returncode
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    wall = statistics.median(walls)
    print(f"diff of {options.files} + {options.files} profiles of {options.samples:,} samples and {options.kernels:,} kernels: "
          f"{wall:.2f} s wall ({min(walls):.2f} to {max(walls):.2f}), {statistics.median(cpus):.2f} s of CPU on {os.cpu_count()} cores; "
          f"bar {BAR:.0f} s: {'reached' if wall <= BAR else 'missed'}")


if __name__ == "__main__":
    main()
