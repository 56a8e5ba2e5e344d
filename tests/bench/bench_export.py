#!/usr/bin/env python3
"""What each export of a large recording costs: seconds, memory, size. Run by hand.

usage: bench_export.py --gprofx BIN --large BENCH_LARGE [--samples N] [--kernels N] [--rounds N] [--folder DIR] [--perf]

The recording is made by bench_large (tests/bench). The formats take turns; the median and the range of the rounds
are printed. --perf: beside it `perf script` on a recording of its own, in microseconds a sample. Where torch is installed,
export_chrome_trace for as many events, too (--torch N).
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

FORMATS = ["firefox", "perfetto", "kineto", "pprof", "speedscope", "collapsed", "callgrind", "sqlite-flat", "csv"]


def run(command):
    """Seconds and peak megabytes."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("%s: status %d" % (" ".join(command), status))
    return time.monotonic() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def perf_script(folder):
    data = os.path.join(folder, "perf.data")
    spin = "import time\nend = time.time() + 10\nwhile time.time() < end: sum(i * i for i in range(1000))"
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4000", "-g", "-o", data, sys.executable, "-c", spin],
                   check=True, stderr=subprocess.DEVNULL)
    start = time.monotonic()
    lines = subprocess.run(["perf", "script", "-F", "comm,tid,time,event,ip,sym", "-i", data], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout
    seconds, samples = time.monotonic() - start, lines.count("\n\n")
    print("perf script: %d samples in %.2f s, %.1f us each: %.0f s for 10 million" % (samples, seconds, seconds / samples * 1e6,
                                                                                   seconds / samples * 1e7))


def torch_trace(folder, events):
    code = ("import time, torch\nfrom torch.profiler import profile, ProfilerActivity\nx = torch.ones(4)\n"
            "with profile(activities=[ProfilerActivity.CPU]) as p:\n    for _ in range(%d): x.add_(1)\n"
            "s = time.monotonic(); p.export_chrome_trace(%r); print(time.monotonic() - s, len(p.events()))" %
            (events, os.path.join(folder, "torch.json")))
    answer = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if answer.returncode != 0:
        print("torch.profiler: no torch here")
        return
    seconds, count = answer.stdout.split()
    print("torch.profiler export_chrome_trace: %s events in %s s, %.1f us each" % (count, seconds, float(seconds) / int(count) * 1e6))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--large", required=True, help="the program bench_large")
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--perf", action="store_true")
    parser.add_argument("--torch", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        profile = os.path.join(folder, "large.gprofx")
        subprocess.run([options.large, profile, str(options.samples), str(options.kernels)], check=True)
        print("%d samples, %d kernels: %.1f MB" % (options.samples, options.kernels, os.path.getsize(profile) / 1e6))
        results = {}
        for _ in range(options.rounds):
            for name in options.formats.split(","):
                path = os.path.join(folder, "out")
                measured = run([options.gprofx, "export", "-q", "--to", name, "--force", "-o", path, profile])
                results.setdefault(name, []).append((*measured, os.path.getsize(path) / 1e6))
                os.unlink(path)
        print("%-12s %8s %15s %8s %9s %9s" % ("format", "seconds", "range", "CPU s", "peak MB", "size MB"))
        for name, rounds in results.items():
            seconds = [r[0] for r in rounds]
            print("%-12s %8.2f %6.2f - %6.2f %8.2f %9.0f %9.1f" % (name, statistics.median(seconds), min(seconds), max(seconds),
                                                                 statistics.median(r[2] for r in rounds), max(r[1] for r in rounds),
                                                                 rounds[0][3]))
        if options.perf:
            perf_script(folder)
        if options.torch:
            torch_trace(folder, options.torch)


main()
