#!/usr/bin/env python3
"""How long gprof-x analyze takes on a large recording: 10 million CPU samples and 1 million kernels (bench_large.cpp).

usage: bench_analyze.py --gprofx build/release/bin/gprof-x --bench-large build/release/bin/bench_large [--runs 5]
Prints the median and the spread of each command; the bar is 2 s for all fifteen analyses.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

COMMANDS = (("analyze --all", ("analyze", "--all", "--json")), ("analyze", ("analyze", "--no-pager")),
            ("analyze --what-if scale", ("analyze", "--json", "--what-if", "scale gemm 0.5")),
            ("report --by layer", ("report", "--by", "layer", "--json")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--bench-large", required=True)
    parser.add_argument("--file", help="a recording to read instead")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = options.file or os.path.join(folder, "large.gprofx")
        if not options.file:
            subprocess.run([options.bench_large, file], check=True, stdout=subprocess.DEVNULL)
        took = {name: [] for name, _ in COMMANDS}
        for _ in range(options.runs):
            for name, args in COMMANDS:
                start = time.monotonic()
                subprocess.run([options.gprofx, *args, file], check=True, stdout=subprocess.DEVNULL)
                took[name].append(time.monotonic() - start)
        for name, seconds in took.items():
            print(f"{name:20} {statistics.median(seconds):6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main()
