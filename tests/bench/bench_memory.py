#!/usr/bin/env python3
"""What an event of GPU memory costs the program: a pretended allocator of PyTorch (tests/workloads/fake_torch) gives out a block and
takes it back, from one place and from a Python function, bare, recorded, and recorded with --memory yes; in turns.

  bench_memory.py --gprofx build/release/bin/gprof-x --workloads build/release/workloads [--rounds N]
"""
import argparse
import os
import statistics
import subprocess
import sys

PROGRAM = """
import ctypes, sys, time
torch = ctypes.CDLL(sys.argv[1] + "/libc10_cuda.so")
torch.c10_allocate.restype = ctypes.c_uint64
size, device = ctypes.c_uint64(512), ctypes.c_int(0)
def native(n):
    torch.c10_churn(ctypes.c_uint64(n), 0)
def python(n):
    for i in range(n):
        torch.c10_free(ctypes.c_uint64(torch.c10_allocate(size, device, 0)), device, 0)
for work, n in ((native, 20_000), (python, 5_000)):
    work(1000)
    times = []
    for i in range(15):
        begin = time.perf_counter_ns()
        work(n)
        times.append((time.perf_counter_ns() - begin) / (2 * n))
        time.sleep(0.05)
    print(sorted(times)[len(times) // 2])
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gprofx", required=True)
    p.add_argument("--workloads", required=True)
    p.add_argument("--rounds", type=int, default=7)
    o = p.parse_args()
    command = [sys.executable, "-c", PROGRAM, os.path.join(os.path.abspath(o.workloads), "fake_torch")]
    record = [o.gprofx, "record", "-q", "--force", "-o", "/tmp/bench_memory.gprofx"]
    ways = {"bare": command, "recorded": [*record, "--", *command], "with memory": [*record, "--memory", "yes", "--", *command]}
    found = {way: [] for way in ways}
    for _ in range(o.rounds):
        for way, line in ways.items():
            found[way].append([float(x) for x in subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout.split()])
    print("%-12s %24s %24s" % ("ns an event", "native (least to most)", "python (least to most)"))
    for way, rows in found.items():
        cells = []
        for column in zip(*rows):
            cells.append("%.0f (%.0f to %.0f)" % (statistics.median(column), min(column), max(column)))
        print("%-12s %24s %24s" % (way, *cells))


if __name__ == "__main__":
    main()
