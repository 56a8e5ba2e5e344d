#!/usr/bin/env python3
"""The breakdowns of `gprof-x analyze` against those of HolisticTraceAnalysis on the same PyTorch traces, figure by figure, and the
time that both take.

usage: bench_hta.py [--gprof-x PROGRAM] [--bar 0.1] [--megabytes N] [TRACE.json.gz...]
Run it with a Python that has HolisticTraceAnalysis (pip install HolisticTraceAnalysis). --megabytes: times both on a trace of that size,
made by make_kineto.py. Status 1 where a figure differs by more than the bar, in percent.

Definitions, matched: HTA counts whatever has a stream as GPU work; here its tables get kernels, copies and memsets only (as its own
idle-time breakdown does), so waits of the host on events and annotations of a GPU are left out of both. Its launch statistics know the
calls cudaLaunchKernel, cudaLaunchKernelExC, cudaMemcpyAsync and cudaMemsetAsync; those rows of ours are compared. Its queue length
knows these, too, and not graphs: it is given all calls that have work, and of equal times launches come first. It gets all times in
nanoseconds, exactly, because it rounds microseconds, so its 30 ns are given as they are. It is kept from leaving out the last step of
the profiler and what was launched outside of the steps. Operations of a stream that overlap are negative idle time there (of the
kind kernel wait) and none here: it is added again. With pandas 3 it cannot read every trace: pip install 'pandas<3'.
"""
import argparse
import decimal
import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
GPU = ["kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy"]
LAUNCHES = ["cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"]
BREAKDOWNS = ["temporal_breakdown", "kernel_breakdown", "idle_breakdown", "launch_statistics", "queue_length", "A10"]


def from_zero(path, out):
    """The trace with times that a double of microseconds keeps to the nanosecond: dates of today it keeps to 0.25 us only."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as source:
        trace = json.load(source, parse_float=decimal.Decimal)
    first = min(event["ts"] for event in trace["traceEvents"] if event.get("ph") == "X")
    for event in trace["traceEvents"]:
        if "ts" in event:
            event["ts"] -= first
    with open(out, "w") as target:
        json.dump(trace, target, default=float)


class Hta:
    def __init__(self, path):
        os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
        from hta.common.trace import Trace
        from hta.common.trace_symbol_table import TraceSymbolTable
        from hta.trace_analysis import TraceAnalysis
        Trace._filter_irrelevant_gpu_kernels = lambda *_: None
        TraceSymbolTable.get_runtime_launch_events_query = lambda _: "(stream == -1) and (index_correlation > 0)"
        self.analysis = TraceAnalysis(trace_files={0: path}, trace_dir="")
        trace = self.analysis.t
        ids = trace.symbol_table.get_sym_id_map()
        keep = [ids[name] for name in GPU if name in ids]
        self.names = trace.symbol_table.get_sym_table()
        frame = trace.get_trace(0)
        frame = frame[frame["stream"].eq(-1) | frame["cat"].isin(keep)].copy()
        work = frame[frame["stream"].ne(-1)]["correlation"]
        frame.loc[frame["stream"].eq(-1) & ~frame["correlation"].isin(work), "index_correlation"] = 0
        # It takes work without a launch for launched by the first event.
        frame.loc[frame["stream"].ne(-1) & (frame["index_correlation"] <= 0), "index_correlation"] = -2
        for column in ("ts", "dur", "end"):
            if column in frame:
                frame[column] = (frame[column].astype("float64") * 1000).round().astype("int64")
        trace.traces[0] = frame
        self.trace = trace

    def figures(self):
        """(table, what) -> number; times in nanoseconds."""
        out = {}
        row = self.analysis.get_temporal_breakdown(visualize=False).iloc[0]
        for key in ("kernel_time", "idle_time", "compute_time", "non_compute_time"):
            out["temporal", key] = row[key + "(us)"]
        types, _ = self.analysis.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True, num_kernels=10**6)
        for _, row in types.iterrows():
            if row["sum"] > 0:
                out["kernels", row["kernel_type"].lower()] = row["sum"]
        frame = self.trace.get_trace(0)
        gpu = frame[frame["stream"].ne(-1)]
        for name, group in gpu.groupby("name"):
            if not self.names[name].startswith(("Memcpy", "Memset")):
                out["kernel", self.names[name]] = group["dur"].sum()
        idle = self.analysis.get_idle_time_breakdown(ranks=[0], visualize=False, consecutive_kernel_delay=30)[0]
        for _, row in idle.iterrows():
            out["idle", "stream %d %s" % (row["stream"], row["idle_category"])] = row["idle_time"]
        for stream, group in gpu.sort_values(by="ts", kind="stable").groupby("stream"):
            gaps = group["ts"] - (group["ts"] + group["dur"]).shift(1)
            if (gaps < 0).any():
                out["idle", "stream %d kernel_wait" % stream] -= gaps[gaps < 0].sum()
        launches = self.analysis.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
        out["launches", "count"] = len(launches)
        out["launches", "call ns"] = launches["cpu_duration"].sum()
        out["launches", "gpu ns"] = launches["gpu_duration"].sum()
        out["launches", "delay ns"] = launches["launch_delay"].sum()
        out["launches", "short"] = int((launches["gpu_duration"] < launches["cpu_duration"]).sum())
        out["launches", "call > 50 us"] = int((launches["cpu_duration"] > 50_000).sum())
        out["launches", "delay > 100 us"] = int((launches["launch_delay"] > 100_000).sum())
        import pandas
        unstable = pandas.DataFrame.sort_values
        pandas.DataFrame.sort_values = lambda frame, *a, **k: unstable(frame, *a, **{"kind": "stable", **k})
        queue = self.analysis.get_queue_length_summary(ranks=[0])
        pandas.DataFrame.sort_values = unstable
        if queue is not None:
            for (_, stream), row in queue.iterrows():
                for key, ours in (("count", "count"), ("mean", "mean"), ("std", "std"), ("50%", "median"), ("max", "max")):
                    out["queue", "stream %d %s" % (stream, ours)] = row["queue_length"][key]
        return out


def ours(program, trace, folder):
    """The same of gprof-x, and the seconds of both of its commands."""
    profile = os.path.join(folder, "trace.gprofx")
    begin = time.monotonic()
    subprocess.run([program, "import", "-o", profile, trace], check=True, capture_output=True)
    imported = time.monotonic()
    run = subprocess.run([program, "analyze", "--json", "--phase", "all", profile] + BREAKDOWNS, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit("bench_hta.py: " + run.stderr.strip())
    seconds = (imported - begin, time.monotonic() - imported)
    os.remove(profile)
    tables = {a["name"]: a["rows"] for a in json.loads(run.stdout)["analyses"]}
    out = {}
    for row in tables["temporal_breakdown"]:
        for key, name in (("kernel_time_ns", "kernel_time"), ("idle_ns", "idle_time"), ("compute_ns", "compute_time"),
                          ("non_compute_ns", "non_compute_time")):
            out["temporal", name] = out.get(("temporal", name), 0) + row[key]
    for row in tables["kernel_breakdown"]:
        out["kernels", row["type"]] = row["ns"]
    for row in tables["A10"]:
        out["kernel", row["kernel"]] = row["gpu_ns"]
    for row in tables["idle_breakdown"]:
        for key in ("host_wait", "kernel_wait", "other"):
            out["idle", "stream %d %s" % (row["stream"], key)] = row[key + "_ns"]
    known = [row for row in tables["launch_statistics"] if row["call"] in LAUNCHES]
    out["launches", "count"] = sum(row["count"] for row in known)
    for key, name in (("call_mean_ns", "call ns"), ("gpu_mean_ns", "gpu ns"), ("delay_mean_ns", "delay ns")):
        out["launches", name] = sum(row[key] * row["count"] for row in known)
    for key, name in (("short", "short"), ("long_calls", "call > 50 us"), ("long_delays", "delay > 100 us")):
        out["launches", name] = sum(row[key] for row in known)
    for row in tables["queue_length"]:
        for key in ("count", "mean", "std", "median", "max"):
            out["queue", "stream %d %s" % (row["stream"], key)] = row[key]
    return out, seconds


def difference(theirs, own):
    """In percent; what is nothing on both sides is equal."""
    theirs, own = float(theirs), float(own)
    if theirs != theirs:  # nothing to add up
        theirs = 0.0
    if theirs == own:
        return 0.0
    return 100 * abs(theirs - own) / max(abs(theirs), abs(own))


def compare(theirs, own, bar):
    """Prints the figures, those of single kernels as one line; returns how many there are, and how many differ."""
    kernels, worst, wrong, count = 0, 0.0, 0, 0
    for key in sorted(set(theirs) | set(own)):
        a, b = theirs.get(key, 0), own.get(key, 0)
        off = difference(a, b)
        if a != a and b == 0:
            continue
        count += 1
        wrong += off > bar
        if key[0] == "kernel":
            kernels, worst = kernels + 1, max(worst, off)
            if off <= bar:
                continue
        print("  %-9s %-34s %18.3f %18.3f %9.4f%%%s" % (key[0], key[1][:34], a, b, off, "" if off <= bar else "  DIFFERENT"))
    print("  %d kernels by name: largest difference %.4f %%" % (kernels, worst))
    return count, wrong


def time_both(program, megabytes, folder):
    trace = os.path.join(folder, "large.json")
    with open(trace, "w") as out:
        subprocess.run([sys.executable, os.path.join(HERE, "make_kineto.py"), str(megabytes)], stdout=out, check=True)
    begin = time.monotonic()
    hta = Hta(trace)
    loaded = time.monotonic()
    hta.figures()
    print("%d MB: HTA loads %.1f s, analyses %.1f s" % (megabytes, loaded - begin, time.monotonic() - loaded))
    _, (imported, analysed) = ours(program, trace, folder)
    print("%d MB: gprof-x imports %.1f s, analyses %.1f s" % (megabytes, imported, analysed))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", nargs="*")
    parser.add_argument("--gprof-x", default=os.environ.get("GPROF_X", "gprof-x"))
    parser.add_argument("--bar", type=float, default=0.1)
    parser.add_argument("--megabytes", type=int, default=0)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for trace in options.traces:
            print("%s\n  %-9s %-34s %18s %18s" % (os.path.basename(trace), "table", "figure", "HTA", "gprof-x"))
            plain = os.path.join(folder, "trace.json")
            from_zero(trace, plain)
            begin = time.monotonic()
            try:
                theirs = Hta(plain).figures()
            except Exception as error:
                print("  HTA cannot read it: %s\n" % " ".join(str(error).split())[:100])
                continue
            seconds = time.monotonic() - begin
            own, (imported, analysed) = ours(options.gprof_x, trace, folder)
            count, different = compare(theirs, own, options.bar)
            wrong += different
            print("  %d figures, %d differ by more than %g %%; HTA %.2f s, gprof-x %.2f s (import %.2f, analyze %.2f)\n" % (
                count, different, options.bar, seconds, imported + analysed, imported, analysed))
        if options.megabytes:
            time_both(options.gprof_x, options.megabytes, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
