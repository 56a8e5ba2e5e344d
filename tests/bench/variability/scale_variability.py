#!/usr/bin/env python3
"""How `gprof-x variability` grows: with rows, with MPI ranks, beside pandas and HolisticTraceAnalysis, and what that says of more.

usage: scale_variability.py --gprofx PROGRAM --writer write_kernels [--rows 1e6,1e7] [--ranks 1,2,4,8,16] [--files 16] [--folder DIR]
                            [--nsight MEGABYTES] [--pandas ROWS] [--hta TRACE.json.gz...] [--serial] [--host] [--repeat 3]

Rows are written by write_kernels (CMake target of that name) into profiles, as many for each file. Each figure is the least of --repeat
runs; the spread is printed. The model of time is t = start + files * open / P + rows / (P * rate) + log2(P) * latency + lanes * summary / link, its
first three terms fitted to the runs with one thread; more ranks than cores share these, which is why the processor time of all ranks together is fitted and not the
wall time. --pandas and --hta need a Python that has them.
"""
import argparse
import glob
import gzip
import json
import math
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time


def timed(command, env=None):
    """Wall seconds, processor seconds of all children, peak memory in MB of the largest, standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s: status %d" % (" ".join(command[:6]), process.returncode))
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


def best(repeat, command):
    runs = [timed(command) for _ in range(repeat)]
    if len({run[3] for run in runs}) != 1:
        sys.exit("two runs differ in their output")
    wall, cpu, memory, out = min(runs)
    return wall, min(run[1] for run in runs), memory, out, max(run[0] for run in runs) / wall


def write(options, folder, rows, files):
    paths = []
    for rank in range(files):
        path = os.path.join(folder, "rank%d_%d.gprofx" % (rank, rows))
        subprocess.run([options.writer, path, str(rows // files), str(rank)] + ["host"] * options.host, check=True)
        paths.append(path)
    return paths


def scale(options, folder):
    print("%12s %6s %6s %9s %9s %8s %7s" % ("rows", "files", "ranks", "wall s", "cpu s", "MB/rank", "spread"))
    points, expected = [], {}
    for rows in options.rows:
        for files in sorted({1, options.files}):
            paths = write(options, folder, rows, files)
            for ranks in options.ranks:
                program = [options.gprofx, "variability", "--by", "time", "--threads", "1", "--json", *paths]
                if ranks > 1:
                    program = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), *program]
                wall, cpu, memory, out, spread = best(options.repeat, program)
                if expected.setdefault((rows, files), out) != out:
                    sys.exit("%d ranks print something else than one" % ranks)
                print("%12d %6d %6d %9.2f %9.2f %8.0f %6.2fx" % (rows, files, ranks, wall, cpu, memory, spread), flush=True)
                if ranks == 1:
                    points.append((rows, files, cpu, len(out)))
            for path in paths:
                os.unlink(path)
    return points


PASSES = re.compile(r"rank (\d+): survey ([\d.]+) ms, exchange ([\d.]+) ms, tally ([\d.]+) ms, reduce ([\d.]+) ms, plan ([\d.]+) ms, model ([\d.]+) ms, print ([\d.]+) ms")


def serial(options, folder):
    """What rank 0 does alone (merging, plan, tests, output) against what all ranks do beside each other (survey, putting groups together,
    tally), as each rank tells it (--times). Processor time: the ranks share the cores. Rank 0's merging of all levels counts, as the longest
    way that a summary goes. Beside the mean of the ranks stands the most loaded one of each pass: the others wait for it."""
    ranks = max(options.ranks)
    print("\nserial part at %d ranks (processor time; the median of %d runs)" % (ranks, options.repeat))
    print("%12s %6s %14s %13s %13s %13s %10s %8s %9s %9s %8s %9s" % ("rows", "files", "a rank's work", "most survey", "most exchange",
                                                                    "most tally", "reduce", "plan", "model", "print", "serial", "spread"))
    for rows in options.rows:
        for files in sorted({1, options.files}):
            paths = write(options, folder, rows, files)
            program = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), options.gprofx, "variability", "--by", "time",
                       "--threads", "1", "--times", *paths]
            runs = []
            for _ in range(options.repeat):
                done = subprocess.run(program, capture_output=True, text=True)
                passes = {int(one[0]): [float(x) for x in one[1:]] for one in PASSES.findall(done.stderr)}
                if len(passes) != ranks:
                    sys.exit("%d of %d ranks told their times: %s" % (len(passes), ranks, done.stderr[-500:]))
                work = sum(sum(one[:3]) for one in passes.values()) / ranks
                reduce, plan, model, printing = passes[0][3:]
                alone = reduce + plan + model + printing
                most = [max(one[i] for one in passes.values()) for i in range(3)]
                runs.append((alone / (alone + work), work, *most, reduce, plan, model, printing))
            runs.sort()
            share, *passes = runs[len(runs) // 2]
            print("%12d %6d %11.1f ms %10.1f ms %10.1f ms %10.1f ms %7.1f ms %5.1f ms %6.1f ms %6.1f ms %7.1f%% %3.1f-%3.1f%%"
                  % (rows, files, *passes, 100 * share, 100 * runs[0][0], 100 * runs[-1][0]), flush=True)
            for path in paths:
                os.unlink(path)


def solve(matrix, right):
    """Least squares of three unknowns by the normal equations."""
    n = len(matrix[0])
    a = [[sum(row[i] * row[k] for row in matrix) for k in range(n)] + [sum(row[i] * y for row, y in zip(matrix, right))] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        if a[i][i] == 0:
            return None
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def fit(points):
    # Relative errors count, so that small runs tell the start.
    answer = solve([[1 / cpu, files / cpu, rows / cpu] for rows, files, cpu, _ in points], [1] * len(points))
    if not answer:
        return print("too few runs for a model: give several --rows, and --files")
    start, per_file, per_row = (max(x, 0) for x in answer)
    worst = max(abs(start + files * per_file + rows * per_row - cpu) / cpu for rows, files, cpu, _ in points)
    print("\nmodel: %.3f s + %.4f s a file + %.0f ns a row (largest error %.0f%%)" % (start, per_file, per_row * 1e9, 100 * worst))
    for rows, files, ranks in ((1e8, 1, 16), (1e10, 256, 256), (1e12, 1000, 1000)):
        scan = rows * per_row / ranks + files * per_file / ranks
        # What all lanes have together comes to rank 0 once, in halves, quarters, ...: 60 groups in 160 bins are some 0.3 MB a lane,
        # taken in at 200 MB/s. An assumption: on one machine it cannot be told from the rest.
        reduction = math.ceil(math.log2(ranks)) * 1e-3 + 0.3e6 * files / 2e8
        serial = start + reduction
        print("%.0e rows, %d files, %d ranks: %.1f s of reading and comparing, %.2f s serial (%.1f%%)"
              % (rows, files, ranks, scan, serial, 100 * serial / (scan + serial)))


def nsight(options, folder):
    """An export of so many megabytes, with the columns that an nsys of 2025 writes."""
    path = os.path.join(folder, "large.sqlite")
    data = sqlite3.connect(path)
    data.execute("PRAGMA journal_mode=OFF")
    data.execute("PRAGMA synchronous=OFF")
    names = ["start", "end", "deviceId", "contextId", "greenContextId", "streamId", "correlationId", "globalPid", "demangledName",
             "shortName", "mangledName", "launchType", "cacheConfig", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY",
             "blockZ", "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "localMemoryTotal", "gridId",
             "sharedMemoryExecuted", "graphNodeId", "sharedMemoryLimitConfig"]
    data.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")
    data.executemany("INSERT INTO StringIds VALUES(?,?)", [(i, "kernel_number_%d" % i) for i in range(100)])
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"):
        columns = names if table.endswith("KERNEL") else ["start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"]
        data.execute("CREATE TABLE %s(%s)" % (table, ",".join('"%s" INTEGER' % name for name in columns)))
    rows = options.nsight * 1_000_000 // 150
    pid = 4711 << 24

    def kernel(i):
        start = 10**15 + i * 50_000
        return (start, start + 30_000 + i * 7919 % 3_000, 0, 1, None, 7, i, pid, i % 100, i % 100, i % 100, 1, 0, 64, 128 + i % 100, 1, 1, 256, 1,
                1, 1024, 0, 0, 10**8, i, 32768, None, 0)

    def call(i):
        return (10**15 + i * 50_000 - 9_000, 10**15 + i * 50_000 - 4_000, 0, pid + 4711, i, 3, 0)
    for at in range(0, rows, 100_000):
        more = range(at, min(rows, at + 100_000))
        data.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(%s)" % ",".join("?" * len(names)), map(kernel, more))
        data.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?,?,?,?,?,?,?)", map(call, more))
    data.commit()
    data.close()
    size = os.path.getsize(path) / 1e6
    wall, cpu, memory, _, spread = best(options.repeat, [options.gprofx, "variability", "--by", "time", "--threads", "1", "--json", path])
    print("\nNsight export of %.0f MB, %d kernels: %.2f s wall, %.2f s of one core = %.0f MB/s a core, %.0f MB of memory (%.2fx)"
          % (size, rows, wall, cpu, size / cpu, memory, spread))
    os.unlink(path)


def pandas(options):
    import numpy
    import pandas as frames
    rows = int(options.pandas)
    dice = numpy.random.default_rng(1)
    group = (numpy.arange(rows) % 61).astype("int32")
    duration = ((20_000 + group * 1_000) * dice.normal(1, 0.03, rows)).astype("int64")
    frame = frames.DataFrame({"group": group, "shard": numpy.arange(rows) * 10 // rows, "duration": duration})
    begin = time.process_time()
    spread = frame.groupby("group")["duration"].quantile([0.25, 0.5, 0.75, 0.95, 0.99])
    frame["r"] = numpy.log(frame["duration"] / frame["group"].map(spread.xs(0.5, level=1)))
    frame.groupby("shard")["r"].quantile([0.25, 0.5, 0.75])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("\npandas, %d rows that are in memory already, quantiles of groups and shards alone: %.1f s of one core, %.0f MB"
          % (rows, time.process_time() - begin, peak))


def hta(options):
    from hta.trace_analysis import TraceAnalysis
    for path in options.hta:
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "rank0.json.gz")
            with gzip.open(path, "rt") as source:
                trace = json.load(source)
            trace.setdefault("distributedInfo", {})["rank"] = 0
            with gzip.open(copy, "wt") as target:
                json.dump(trace, target)
            begin = time.process_time()
            analysis = TraceAnalysis(trace_files={0: copy}, trace_dir=folder)
            analysis.get_gpu_kernel_breakdown(visualize=False)
            theirs = time.process_time() - begin
        cpu = best(options.repeat, [options.gprofx, "variability", "--by", "time", "--threads", "1", "--json", path])[1]
        # A child's peak counts what this program had when it started it: only HTA's memory can be told here.
        print("%s: HTA (reading, kernel breakdown) %.2f s, %.0f MB; gprof-x variability %.2f s"
              % (os.path.basename(path)[:40], theirs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, cpu))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--writer", default="")
    parser.add_argument("--rows", type=lambda text: [int(float(part)) for part in text.split(",")], default=[10**6, 10**7])
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 4, 8, 16])
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--nsight", type=int, default=0, metavar="MEGABYTES")
    parser.add_argument("--pandas", type=float, default=0, metavar="ROWS")
    parser.add_argument("--hta", nargs="*", default=[])
    parser.add_argument("--serial", action="store_true", help="measure the serial part alone")
    parser.add_argument("--host", action="store_true", help="the profiles have steps, and calls and samples of the host in them")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if options.writer and not options.serial:
            fit(scale(options, folder))
        if options.writer:
            serial(options, folder)
        if options.nsight:
            nsight(options, folder)
    if options.pandas:
        pandas(options)
    options.hta = [path for pattern in options.hta for path in sorted(glob.glob(pattern))]
    if options.hta:
        hta(options)


if __name__ == "__main__":
    main()
