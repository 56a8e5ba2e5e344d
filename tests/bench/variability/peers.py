#!/usr/bin/env python3
"""`gprof-x variability` beside its peers on real traces: time, memory, in pairs. HolisticTraceAnalysis and pandas read those of PyTorch's
profiler, nsys-ai exports of Nsight Systems.

usage: peers.py --gprofx PROGRAM [--pairs 5] [TRACE.json.gz|EXPORT.sqlite...]     (by default the ones of GPROFX_SHARED)

Each pair runs gprof-x and one peer, one after the other, the first of them in turns; each is a process of its own, from its start to its
end. HTA reads the trace and makes its breakdowns by kind, kernel and cause of idle time; pandas reads the same JSON and makes quantiles of
each kernel by name, grid and block, and of the time between kernels; nsys-ai finds iterations, collectives that take long and gaps, by
SQLite alone. gprof-x does all that it does. Ratios are of the two of a pair: median
(least to most). Peers' imports are in their time, and told beside it. What starts them all takes 14 MB, and no peak can be told below that.
Needs a Python that has them.
"""
import argparse
import glob
import gzip
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time


def with_rank(source, target):
    """HTA wants to know the rank; some traces do not say it."""
    with gzip.open(source, "rt") as file:
        trace = json.load(file)
    trace.setdefault("distributedInfo", {})["rank"] = 0
    with gzip.open(target, "wt") as file:
        json.dump(trace, file)


def hta(path):
    begin = time.monotonic()
    from hta.trace_analysis import TraceAnalysis
    imported = time.monotonic() - begin
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path))
    analysis.get_temporal_breakdown(visualize=False)
    analysis.get_gpu_kernel_breakdown(visualize=False)
    analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
    return imported


def pandas(path):
    begin = time.monotonic()
    import pandas as frames
    imported = time.monotonic() - begin
    with gzip.open(path, "rt") as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X" and event.get("cat") == "kernel"]
    rows = frames.DataFrame({"name": [event["name"] for event in events], "start": [event["ts"] for event in events],
                             "duration": [event["dur"] for event in events], "grid": [str(event["args"].get("grid")) for event in events],
                             "block": [str(event["args"].get("block")) for event in events]})
    rows.groupby(["name", "grid", "block"])["duration"].quantile([0.25, 0.5, 0.75, 0.95, 0.99])
    rows = rows.sort_values("start")
    end = (rows["start"] + rows["duration"]).cummax().shift()
    (rows["start"] - end).clip(lower=0).quantile([0.25, 0.5, 0.75, 0.95, 0.99])
    return imported


def nsys_ai(path):
    begin = time.monotonic()
    from nsys_ai.skills.registry import get_skill
    imported = time.monotonic() - begin
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as export:
        export.row_factory = sqlite3.Row
        for skill in ("iteration_timing", "nccl_anomaly", "nccl_breakdown", "gpu_idle_gaps"):
            get_skill(skill).execute(export)
    return imported


PEERS = {"hta": hta, "pandas": pandas, "nsys_ai": nsys_ai}


def run(command):
    """Wall seconds, peak MB and the last line of what it printed; None where it failed."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        lines = out.read().splitlines()
    return None if process.returncode else (wall, usage.ru_maxrss / 1024, lines[-1] if lines else "")


def digits(value):
    return "%.0f" % value if value >= 100 else "%.3g" % value


def in_words(values, unit):
    return "%s%s (%s to %s)" % (digits(statistics.median(values)), unit, digits(min(values)), digits(max(values)))


def compare(gprofx, trace, peer, pairs):
    """A line of the table."""
    name = os.path.basename(trace)[:28]
    with tempfile.TemporaryDirectory() as folder:
        theirs_of = trace
        if trace.endswith(".zst"):
            theirs_of = os.path.join(folder, "export.sqlite")
            subprocess.run(["zstd", "-dq", trace, "-o", theirs_of], check=True)
            trace = theirs_of
        if peer != "nsys_ai":
            theirs_of = os.path.join(folder, "rank0.json.gz")
            subprocess.run([sys.executable, os.path.abspath(__file__), "--only", "with_rank", trace, theirs_of], check=True)
        commands = {"ours": [gprofx, "variability", "--json", trace],
                    "theirs": [sys.executable, os.path.abspath(__file__), "--only", peer, theirs_of]}
        found = {"ours": [], "theirs": []}
        for i in range(pairs):
            for who in (("ours", "theirs") if i % 2 == 0 else ("theirs", "ours")):
                found[who].append(run(commands[who]))
    for who, what in (("ours", "gprof-x"), ("theirs", peer)):
        if None in found[who]:
            return "| %s | %s | %s cannot read it | | | |" % (name, peer, what)
    ours, theirs = found["ours"], found["theirs"]
    return "| %s | %s | %s | %s | %s | %s |" % (
        name, peer, in_words([one[0] * 1000 for one in ours], " ms"),
        in_words([one[0] * 1000 for one in theirs], " ms") + ", imports %s ms" % digits(statistics.median(float(one[2]) * 1000 for one in theirs)),
        in_words([b[0] / a[0] for a, b in zip(ours, theirs)], "x"),
        "%s / %s MB, %s" % (digits(statistics.median(one[1] for one in ours)), digits(statistics.median(one[1] for one in theirs)),
                            in_words([b[1] / a[1] for a, b in zip(ours, theirs)], "x")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", default=shutil.which("gprof-x"))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", choices=[*PEERS, "with_rank"], help=argparse.SUPPRESS)
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    if options.only == "with_rank":
        return with_rank(*options.traces)
    if options.only:
        return print(PEERS[options.only](options.traces[0]))
    shared = os.environ.get("GPROFX_SHARED", "")
    traces = options.traces or [trace for form in ("kineto_*/*.json.gz", "nsys/*.sqlite.zst")
                                for trace in (sorted(glob.glob(os.path.join(shared, "traces", form))) if shared else [])]
    if not traces:
        return print("skipped: no traces are named, and GPROFX_SHARED has none")
    print("| trace | peer | gprof-x | the peer | time, peer by gprof-x | memory, gprof-x / peer, ratio |\n| --- | --- | --- | --- | --- | --- |")
    for trace in traces:
        for peer in ("nsys_ai",) if ".sqlite" in trace else ("hta", "pandas"):
            print(compare(options.gprofx, trace, peer, options.pairs), flush=True)
    return None


if __name__ == "__main__":
    main()
