#!/usr/bin/env python3
"""Measures gprof-x against its bars, with perf and py-spy beside it where they can do the same work, and prints a table.

  tests/bench/bench.py --gprofx PATH --workloads BUILD/workloads [--python PATH] [--torch-python PATH] [--pairs N] [NAME...]

Ratios, not seconds: every comparison is interleaved in one run, and the median of the pairs is printed. Names: accuracy, stacks,
handler, slowdown, threads, end, top, size. Peers that are not installed are said to be missing.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e", "support")]

from intervals import bootstrap  # noqa: E402

RATE = 997
rows = []


def say(what, figure, bar, peer=""):
    rows.append((what, figure, bar, peer))
    print("%-58s %-26s %-12s %s" % (what, figure, bar, peer), flush=True)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **more)


def seconds_of(command):
    """What a work_* program says about its own time (the first number on a line of its own); None if it failed."""
    for line in run(command).stdout.split("\n"):
        try:
            return float(line)
        except ValueError:
            pass
    return None


def peak_megabytes(command, sample_name):
    """Runs a command; (its peak memory without its children's, seconds)."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_maxrss / 1024, time.monotonic() - begin


def share_table(recording, names):
    total = {}
    for name, value in recording.functions()[0].items():
        name = name.split("(")[0]
        total[name] = total.get(name, 0) + value
    wanted = sum(names.values())
    found = sum(total.get(n, 0) for n in names) or 1
    return {n: (100.0 * total.get(n, 0) / found, 100.0 * v / wanted) for n, v in names.items()}


def accuracy(o):
    from profile_support import Recording, source, workload
    with Recording([workload("shares"), "3", "4"]) as r:
        truth = json.loads(r.out)
        worst = max(abs(a - b) for a, b in share_table(r, truth).values())
        say("accuracy: C++, 4 threads, %d samples, worst share off by" % r.counters()["samples"], "%.2f points" % worst, "<= 2")
    with Recording([o.python, source("shares.py"), "8"]) as r:
        truth = json.loads(r.out)
        worst = max(abs(a - b) for a, b in share_table(r, truth["functions"]).values())
        say("accuracy: Python and zlib, %d samples, worst share off by" % r.counters()["samples"], "%.2f points" % worst, "<= 2")
        with open(source("shares.py")) as file:
            text = file.read().split("\n")
        lines = {i + 1: line.split("# ")[1] for i, line in enumerate(text) if "# lines_" in line}
        found = {name: 0 for name in truth["lines"]}
        for row in r.report("--lines", "--limit", "100000")["rows"]:
            if row["file"].endswith("shares.py") and row["line"] in lines:
                found[lines[row["line"]]] += row["total"]
        worst = max(abs(100.0 * found[n] / sum(found.values()) - 100.0 * v / sum(truth["lines"].values()))
                    for n, v in truth["lines"].items())
        say("accuracy: lines of one Python function, worst off by", "%.2f points" % worst, "<= 3")


def stacks(o):
    from profile_support import Recording, pythons, source, workload

    def complete(what, command):
        with Recording(command) as r:
            c = r.counters()
            share = 100.0 - 100.0 * c["truncated_stacks"] / max(1, c["samples"])
            say("complete native stacks: %s, %d samples" % (what, c["samples"]), "%.3f %%" % share, ">= 99.9 %")
            if c["python_expected"]:
                say("Python frames inside the interpreter: %s" % what,
                    "%.3f %%" % (100.0 - 100.0 * c["python_missing"] / c["python_expected"]), "100 %")
    complete("C++ -fomit-frame-pointer", [workload("shares"), "2", "4"])
    complete("C++ with realigned stacks", [workload("realigned"), "3"])
    for version, python in pythons():
        complete("CPython " + version + (" (system)" if python.startswith("/usr/bin") else ""), [python, source("shapes.py"), "6"])
    if o.torch_python:
        complete("PyTorch on the CPU", [o.torch_python, source("work_torch.py"), "600"])


def handler(o):
    from profile_support import Recording, pythons, source
    for version, python in pythons():
        with Recording([python, source("deep_calls.py"), "5"]) as r:
            c = r.counters()
            say("handler: CPython %s, %.0f native + %.0f Python frames, median" %
                (version, c["native_frames"] / c["samples"], c["python_frames"] / c["samples"]),
                "%.2f us (p99 %.0f us)" % (c["handler_median_ns"] / 1e3, c["handler_p99_ns"] / 1e3), "<= 2.5 us")


def profilers(o, folder):
    """By its name the words that record a command; gprof-x as it is, and at the rate of the others whatever that costs."""
    own = [o.gprofx, "record", "-q", "-o", os.path.join(folder, "p.gprofx")]
    tools = {"gprof-x": lambda c: [*own, "--", *c], "gprof-x -F %d" % RATE: lambda c: [*own, "-F", str(RATE), "--", *c]}
    if shutil.which("perf"):
        tools["perf dwarf"] = lambda c: ["perf", "record", "-q", "--call-graph", "dwarf", "-F", str(RATE), "-o",
                                         os.path.join(folder, "perf.data"), "--"] + c
    if shutil.which("py-spy"):
        tools["py-spy --native"] = lambda c: ["py-spy", "record", "--native", "-r", str(RATE), "-f", "raw", "-o",
                                              os.path.join(folder, "spy.txt"), "--"] + c
    return tools


def interleaved(command, tools, pairs):
    """(median ratio to the bare run before it, its 95 % interval, pairs) of each tool."""
    ratios = {name: [] for name in tools}
    for turn in range(pairs):
        for name, wrap in tools.items():
            if name.startswith("py-spy") and turn >= 5:
                continue  # it takes minutes
            bare = seconds_of(command)
            under = seconds_of(wrap(command))
            if bare and under:
                ratios[name].append(under / bare)
    return {name: (statistics.median(r), *bootstrap(r), len(r)) if r else None for name, r in ratios.items()}


def compare(what, bar, command, tools, pairs):
    result = interleaved(command, tools, pairs)
    others = ", ".join("%s %s" % (n, "%.3f (%.3f to %.3f)" % r[:3] if r else "failed") for n, r in result.items() if n != "gprof-x")
    mine = result["gprof-x"]
    say(what, "%.3f (%.3f to %.3f, %d pairs)" % mine if mine else "failed", bar, others)


def slowdown(o):
    from profile_support import source, workload
    with tempfile.TemporaryDirectory() as folder:
        tools = profilers(o, folder)
        native = {n: t for n, t in tools.items() if n != "py-spy --native"}
        compare("slowdown: C++, 4 threads", "<= 1.02", [workload("work_threads"), "4", "600000"], native, 2 * o.pairs)
        compare("slowdown: pure Python", "<= 1.03", [o.python, source("work_python.py"), "250"], tools, 2 * o.pairs)
        if o.torch_python:
            compare("slowdown: PyTorch on the CPU", "<= 1.03", [o.torch_python, source("work_torch.py"), "400"], tools, o.pairs)


def threads(o):
    from profile_support import source, workload
    with tempfile.TemporaryDirectory() as folder:
        tools = profilers(o, folder)
        tools.pop("perf dwarf", None)
        compare("500 threads at 997 Hz: time of the target", "<= 1.05", [workload("work_threads"), "500", "1200"],
                {"gprof-x": tools["gprof-x"]}, o.pairs)
        compare("500 Python threads at 997 Hz: time of the target", "<= 1.05", [o.python, source("work_many_threads.py"), "500"],
                tools, max(3, o.pairs // 3))


def end(o):
    from profile_support import source
    command = [o.torch_python or o.python, source("work_torch.py" if o.torch_python else "work_python.py"), "1500"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.gprofx")
        marker = os.path.join(folder, "ended")
        script = ["sh", "-c", '"$@"; date +%s.%N >' + marker, "sh"] + command
        peak, _ = peak_megabytes([o.gprofx, "record", "-q", "-o", path, "--"] + script, "gprof-x")
        after = time.time() - float(open(marker).read())
        peer = ""
        if shutil.which("perf"):
            data = os.path.join(folder, "perf.data")
            run(["perf", "record", "-q", "--call-graph", "dwarf", "-F", str(RATE), "-o", data, "--"] + command)
            begin = time.monotonic()
            try:
                run(["perf", "report", "-i", data, "--stdio", "--no-children"], timeout=600)
                peer = "perf report: %.1f s (%.0f MB of data)" % (time.monotonic() - begin, os.path.getsize(data) / 1e6)
            except subprocess.TimeoutExpired:
                peer = "perf report: over 600 s"
        say("after the end of a PyTorch run: file written in", "%.2f s" % after, "<= 2 s", peer)
        # ru_maxrss of the tree: the largest of gprof-x, its symbolizer child and the target, so look at gprof-x alone.
        say("memory of gprof-x (largest of it and its children)", "%.0f MB" % own_peak(o, command), "<= 300 MB")


def own_peak(o, command):
    """Peak of gprof-x itself and of its symbolizing children: polls their VmHWM."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([o.gprofx, "record", "-q", "-o", os.path.join(folder, "p"), "--"] + command,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peak = {}
        while child.poll() is None:
            for entry in os.listdir("/proc"):
                if not entry.isdigit():
                    continue
                try:
                    if os.readlink("/proc/%s/exe" % entry) != os.path.realpath(o.gprofx):
                        continue
                    with open("/proc/%s/smaps_rollup" % entry) as file:
                        text = file.read()
                    kilobytes = sum(int(line.split()[1]) for line in text.split("\n") if line.startswith("Pss:"))
                    peak[entry] = max(peak.get(entry, 0), kilobytes)
                except (OSError, IndexError, ValueError):
                    pass
            time.sleep(0.02)
        return sum(sorted(peak.values())[-2:]) / 1024


def top(o):
    if not o.big_profile:
        say("report --top on 10 million samples", "not run", "<= 100 ms", "give --big-profile (made by bench_large)")
        return
    times = []
    for _ in range(11):
        peak, took = peak_megabytes([o.gprofx, "report", "--top", o.big_profile], "")
        times.append(took)
    say("report --top on 10 million samples", "%.0f ms, %.0f MB" % (1e3 * statistics.median(times), peak), "<= 100 ms, <= 60 MB")


def size(o):
    from profile_support import Recording, source
    with Recording([o.python, source("shapes.py"), "60"], timeout=200) as r:
        c = r.counters()
        megabytes = os.path.getsize(r.file) / 1e6
        import sqlite3
        db = sqlite3.connect("file:%s?mode=ro" % r.file, uri=True)
        data, count = db.execute("SELECT sum(length(chunk.data)), sum(chunk.rows) FROM chunk JOIN stream ON stream.id = chunk.stream "
                                 "WHERE stream.name = 'cpu samples'").fetchone()
        say("file of one minute of one busy Python thread, %d samples" % c["samples"], "%.2f MB" % megabytes, "<= 2 MB")
        say("timeline", "%.2f bytes/sample" % (data / count), "<= 6")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--gprofx", required=True)
    p.add_argument("--workloads", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--torch-python", default="")
    p.add_argument("--big-profile", default="")
    p.add_argument("--pairs", type=int, default=15)
    p.add_argument("names", nargs="*")
    o = p.parse_args()
    o.gprofx = os.path.abspath(o.gprofx)
    os.environ["GPROFX"], os.environ["GPROFX_WORKLOADS"] = o.gprofx, os.path.abspath(o.workloads)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("%-58s %-26s %-12s %s" % ("what", "gprof-x", "bar", "beside it, same run"))
    for name in o.names or ["accuracy", "stacks", "handler", "slowdown", "threads", "end", "top", "size"]:
        globals()[name](o)


main()
