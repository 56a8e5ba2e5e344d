#!/usr/bin/env python3
"""What recording costs, by a stopwatch that knows nothing of it: separate processes of one program, bare and recorded, of which one at a
time is not parked.

  bench_outside.py --gprofx BUNDLE/bin/gprof-x --python PYTHON [--programs a,b] [--ways bare:2,live:2,records:1] [--turns long|short] [--json FILE]

Nothing is switched inside of a process: what stays on cannot cancel out. Each round has a turn of each process in random order, and a turn
counts as a ratio to the median of the bare ones in its round. Bare against bare comes first: nothing smaller than its interval is known; two
processes of one program differ by 2 to 3 %. Long turns show the steady state, short ones bursts. Ways:
  bare                 as it is
  live, live-none      record, with the default budget and with everything on
  live-trace, live-cpu record --gpu trace, --gpu off
  counted              record --overhead 0.1 -F 1: launches with their paths, and next to nothing else
  ended, ended-trace, ended-cpu   the same with --duration, which is over when the first turn begins
  off                  record, told to be off once the program is warm
  loaded, subscribed, callbacks, records, both   no gprof-x, but raw_cupti.cpp injected into CUDA: a library that does nothing, CUPTI subscribed,
                       launch callbacks that only count, records of kernels, copies and sets, the last two
  past-records, past-cupti   the same with records for six seconds: what stays behind, and what once CUPTI has left the process
  profiler             torch.profiler, all the time
  perf, py-spy         perf record -g, py-spy record
  any other name       record with the options that --way NAME=OPTIONS gives it
What a recording says of its own cost is shown beside what was measured, and whether it holds that. One process at a time samples a GPU's
instructions; the others say that another one does.
"""
import argparse
import contextlib
import glob
import json
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu")]

import intervals  # noqa: E402
from job import Control, Failed, Skipped, TimeIsOver, steps  # noqa: E402
from outside_programs import PROGRAMS  # noqa: E402
from lab import Lab  # noqa: E402

BARE, OFF, PROFILER = "bare", "off", "profiler"
OPTIONS = {"live": [], "live-none": ["--overhead", "none"], "live-trace": ["--gpu", "trace"], "live-cpu": ["--gpu", "off"],
           "counted": ["--overhead", "0.1", "-F", "1"], "ended": [], "ended-trace": ["--gpu", "trace"], "ended-cpu": ["--gpu", "off"]}
RAW = ("loaded", "subscribed", "callbacks", "records", "both", "past-records", "past-cupti")
PEERS = {"perf": ["perf", "record", "-q", "-g", "-o", "perf.data", "--"], "py-spy": ["py-spy", "record", "-o", "py-spy.svg", "--"]}
TURNS = {"long": (5.0, 1.0), "short": (0.7, 0.06)}  # seconds of a turn, and before it
BARS = {"live": 1.05, "live-cpu": 1.02, "ended": (0.99, 1.01), "live-none": 1.18}


def build_raw(folder):
    """raw_cupti.cpp as a library, with the newest CUPTI that is found; None without one."""
    for home in sorted(glob.glob("/usr/local/cuda*"), reverse=True):
        headers = glob.glob(os.path.join(home, "**", "cupti.h"), recursive=True)
        libraries = glob.glob(os.path.join(home, "**", "libcupti.so"), recursive=True)
        if not headers or not libraries:
            continue
        out, where = os.path.join(folder, "libraw_cupti.so"), os.path.dirname(libraries[0])
        built = subprocess.run(["c++", "-O2", "-shared", "-fPIC", os.path.join(HERE, "raw_cupti.cpp"), "-o", out, "-I", os.path.dirname(headers[0]),
                                "-I", os.path.join(home, "include"), "-L", where, "-lcupti", "-Wl,-rpath," + where], capture_output=True, text=True)
        if built.returncode == 0:
            return out
    return None


def told_to_be_off(lab, stack):
    controls = []

    def before(folder):
        controls.append(Control(folder))
        stack.callback(controls[0].close)
        return lab.record(folder, *controls[0].option())
    return before, controls


def words_before(o, lab, way, stack):
    """What makes the words before a program in a way, None where nothing does; and the controls of a recorder that takes commands."""
    if way in (BARE, PROFILER):
        return None, []
    if way == OFF:
        return told_to_be_off(lab, stack)
    if way in RAW:
        return lambda folder: ["env", "CUDA_INJECTION64_PATH=" + o.raw, "RAW_CUPTI=" + way], []
    if way in PEERS:
        return lambda folder: PEERS[way], []
    ends = ["--duration", str(o.duration)] if way.startswith("ended") else []
    return lambda folder: lab.record(folder, *o.options[way], *ends), []


def start_all(o, lab, program, stack):
    """[(way, job, folder)], all of them warm and parked, in turns of the ways."""
    begun, left = [], dict(o.ways)
    while any(left.values()):
        for way in [w for w in left if left[w]]:
            left[way] -= 1
            before, controls = words_before(o, lab, way, stack)
            begun.append((way, *stack.enter_context(lab.begun(program, before)), controls))
            time.sleep(o.apart)
    jobs, started = [], time.monotonic()
    for way, job, folder, controls in begun:
        job.wait_warm(10, 1.0)
        for control in controls:
            control.level("off", job)
        if way == PROFILER:
            job.ask(steps.PROFILER_ON, 120)
        job.ask(steps.PARK)
        jobs.append((way, job, folder))
    time.sleep(max(0, started + o.duration + 1 - time.monotonic()))
    return jobs


def measure(o, jobs, deadline):
    """{(round, index of the job): (mark, mark)} of whole rounds."""
    marks = {}
    for number in range(o.rounds):
        if time.monotonic() > deadline - o.end:
            break
        order = list(range(len(jobs)))
        random.shuffle(order)
        for index in order:
            job = jobs[index][1]
            job.window(o.first, 1)
            marks[number, index] = job.window(o.window, 2)
            job.ask(steps.PARK)
    return marks


def ratios(ways, ns):
    """{way: [[ratio of each round] of each process]} of {(round, index): ns a step}; `ways` by index."""
    found = {way: [] for way in ways}
    rounds = sorted({number for number, _ in ns})
    bare = {n: statistics.median(ns[n, i] for i, way in enumerate(ways) if way == BARE) for n in rounds}
    for index, way in enumerate(ways):
        found[way].append([ns[n, index] / bare[n] for n in rounds])
    return found


def claims(o, lab, program, jobs):
    """{index: what its profile says of its own cost}; profiles stay in --profiles."""
    found = {}
    for number, (way, _, folder) in enumerate(jobs):
        profile = os.path.join(folder, "p.gprofx")
        if not os.path.exists(profile):
            continue
        found[number] = lab.claim(folder)
        if o.profiles:
            shutil.copy(profile, os.path.join(o.profiles, "%s-%s-%d.gprofx" % (program, way, number)))
    return found


def bare_against_bare(ways, ns):
    """Ratios of the first bare process to the second, of each round."""
    bare = [i for i, way in enumerate(ways) if way == BARE]
    return [ns[n, bare[0]] / ns[n, bare[1]] for n in sorted({n for n, _ in ns})] if len(bare) > 1 else []


def table_of(program, ways, ns, said):
    """What is printed and kept of one program."""
    rounds = len({n for n, _ in ns})
    table = {"program": program, "rounds": rounds, "rows": [], "statements": [],
             "step_ms": statistics.median(v for (_, i), v in ns.items() if ways[i] == BARE) / 1e6}
    own = {}
    for way, processes in ratios(ways, ns).items():
        every = bare_against_bare(ways, ns) if way == BARE else [ratio for each in processes for ratio in each]
        if every:
            found = intervals.summary(every)
            table["rows"].append({"way": way, **{k: found[k] for k in ("ratio", "low", "high")},
                                  "processes": [statistics.median(each) for each in processes],
                                  "verdict": intervals.verdict(found, BARS.get(way), 6)})
        own.update(zip([i for i, w in enumerate(ways) if w == way], processes))
    for index, claim in said.items():
        measured = intervals.summary(own[index])
        table["statements"].append({"way": ways[index], "said": claim, "measured": measured["ratio"], "holds": intervals.holds_claim(claim, measured)})
    return table


def show(table):
    print("%s, %d rounds, %.3f ms a step bare" % (table["program"], table["rounds"], table["step_ms"]))
    for row in table["rows"]:
        name = "bare : bare" if row["way"] == BARE else row["way"]
        interval = "" if row["low"] is None else "(%.3f to %.3f)" % (row["low"], row["high"])
        print("  %-12s %.3f %-18s %-7s of each process: %s" % (
            name, row["ratio"], interval, row["verdict"], " ".join("%.3f" % each for each in row["processes"])))
    for one in table["statements"]:
        said = one["said"]
        text = "nothing" if not said else "%s%.3f to %.3f" % ("" if said.get("ratio") else "a bound, ", said["low"], said["high"])
        print("  %-12s said of itself %s; measured %.3f%s" % (
            one["way"], text, one["measured"], {True: ": holds", False: ": misses", None: ""}[one["holds"]]), flush=True)


def bench(o, program):
    deadline = time.monotonic() + o.budget
    with contextlib.ExitStack() as stack:
        lab = Lab(o, deadline)
        jobs = start_all(o, lab, program, stack)
        marks = measure(o, jobs, deadline)
        logs = [intervals.read_log(job.read_log())[0] for _, job, _ in jobs]
        for _, job, _ in jobs:
            job.stop(o.end)
        said = claims(o, lab, program, jobs)
    if not marks:
        raise TimeIsOver()
    table = table_of(program, [way for way, _, _ in jobs],
                     {key: intervals.time_per_step(logs[key[1]], *pair) for key, pair in marks.items()}, said)
    show(table)
    return table


def show_all(tables):
    """Over all programs: the mean of what the default costs, and how often statements hold."""
    live = [row["ratio"] for table in tables for row in table["rows"] if row["way"] == "live"]
    held = [one["holds"] for table in tables for one in table["statements"] if one["holds"] is not None]
    if len(live) > 1:
        print("default, mean of %d programs: %.3f (bar: <= 1.03)" % (len(live), statistics.mean(live)))
    if held:
        print("statements that hold what was measured: %d of %d (bar: 9 of 10)" % (sum(held), len(held)))


def ways_of(text):
    pairs = [word.partition(":") for word in text.split(",")]
    ways = {way: int(count or 1) for way, _, count in pairs}
    if not ways.get(BARE):
        raise argparse.ArgumentTypeError("nothing to compare with: bare is missing")
    return ways


def named_options(text):
    name, _, options = text.partition("=")
    return name, shlex.split(options)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gprofx", default=os.environ.get("GPROFX", "gprof-x"))
    p.add_argument("--python", default=sys.executable, help="Python with PyTorch and the others")
    p.add_argument("--programs", default="eager_transformer", help="comma-separated, of " + ", ".join(PROGRAMS))
    p.add_argument("--scripts", default=os.path.join(HERE, "programs"), help="folder of the programs")
    p.add_argument("--ways", type=ways_of, default="bare:2,live:2", help="comma-separated WAY:PROCESSES")
    p.add_argument("--rounds", type=int, default=12)
    p.add_argument("--turns", choices=sorted(TURNS), default="long", help="long: 5 s each, the second before not counted; short: 0.7 s")
    p.add_argument("--window", type=float, help="seconds of a turn, instead")
    p.add_argument("--first", type=float, help="seconds before it, in which a process gets its caches back, instead")
    p.add_argument("--duration", type=float, default=12, help="seconds of the ways that end")
    p.add_argument("--apart", type=float, default=1.5, help="seconds between two starts")
    p.add_argument("--setup", type=float, default=120, help="most seconds from the start of a program to its first steps")
    p.add_argument("--end", type=float, default=20, help="most seconds for its end")
    p.add_argument("--budget", type=float, default=540, help="seconds for each program")
    p.add_argument("--json", metavar="FILE", help="the same for programs")
    p.add_argument("--profiles", metavar="FOLDER", help="where profiles stay")
    p.add_argument("--record", type=shlex.split, default=[], help="more options for gprof-x record, in one word")
    p.add_argument("--way", type=named_options, action="append", default=[], metavar="NAME=OPTIONS", help="one more way to record")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    p.add_argument("--tiny", action="store_true", help="small sizes: tests the bench, measures nothing of use")
    o = p.parse_args()
    o.options = {**OPTIONS, **dict(o.way)}
    window, first = TURNS[o.turns]
    o.window, o.first = o.window or window, first if o.first is None else o.first
    unknown = [way for way in o.ways if way not in (BARE, OFF, PROFILER, *RAW, *PEERS, *o.options)]
    if unknown:
        p.error("--ways: %s is none of %s" % (unknown[0], ", ".join([BARE, OFF, PROFILER, *RAW, *PEERS, *o.options])))
    tables, failed = [], False
    with tempfile.TemporaryDirectory(prefix="gprof-x-raw-") as folder:
        o.raw = build_raw(folder) if any(way in RAW for way in o.ways) else ""
        if o.raw is None:
            p.error("--ways: raw_cupti.cpp cannot be built: no CUDA toolkit with CUPTI, or no c++")
        for program in o.programs.split(","):
            try:
                if program not in PROGRAMS:
                    raise Skipped("there is no such program")
                tables.append(bench(o, program))
            except (Failed, Skipped, TimeIsOver) as error:
                print("%s: not measured: %s" % (program, str(error) or "the time was over"))
                failed = True
    show_all(tables)
    if o.json:
        with open(o.json, "w") as file:
            json.dump(tables, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
