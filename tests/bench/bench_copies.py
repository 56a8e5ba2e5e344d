#!/usr/bin/env python3
"""What recording costs against programs that know nothing of it: several processes of each way at once, of which one at a time is not parked.

  bench_copies.py --gprofx BUNDLE/bin/gprof-x --python PYTHON [--programs a,b] [--ways bare:3,live:2,ended:2] [--rounds N]

What bench_real.py switches in one process cannot show what stays when all is off. Here nothing is switched: each round has a window of
each process in random order, and a window counts as a ratio to the median of the bare ones in its round. Two processes of one program
differ by a few percent by themselves, which the bare ones show. Ways:
  bare                 as it is
  live, live-none      record, with the default budget and with everything on
  live-trace, live-cpu record --gpu trace, --gpu off
  ended, ended-trace, ended-cpu   the same with --duration, which is over when the first window begins
  off                  record, told to be off once the program is warm
  any other name       record with the options that --way NAME=OPTIONS gives it
One process at a time samples a GPU's instructions; the others say that another one does.
"""
import argparse
import contextlib
import os
import random
import shlex
import shutil
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu")]

import paired  # noqa: E402
from job import Failed, Skipped, TimeIsOver, steps  # noqa: E402
from real_programs import BY_NAME  # noqa: E402
from ways import Lab  # noqa: E402

BARE = "bare"
OPTIONS = {"live": [], "live-none": ["--overhead", "none"], "live-trace": ["--gpu", "trace"], "live-cpu": ["--gpu", "off"],
           "ended": [], "ended-trace": ["--gpu", "trace"], "ended-cpu": ["--gpu", "off"]}


def words_before(o, lab, way, stack):
    """What makes the words that record a program in a way, None where nothing does; and the controls of a recorder that takes commands."""
    if way in (BARE, paired.OFF):
        return lab.recorder_of(way, stack)
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
            control.level(paired.OFF, job)
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
    """What each profile says of its own cost, as text; profiles stay in --profiles."""
    texts = []
    for number, (way, _, folder) in enumerate(jobs):
        profile = os.path.join(folder, "p.gprofx")
        if not os.path.exists(profile):
            continue
        found = lab.claim(folder)
        texts.append("%s %s" % (way, "%.3f (%.3f to %.3f)" % (found["ratio"], found["low"], found["high"]) if found else "nothing"))
        if o.profiles:
            shutil.copy(profile, os.path.join(o.profiles, "%s-%s-%d.gprofx" % (program, way, number)))
    return texts


def show(program, ways, ns, said):
    print("%s, %d rounds, %.3f ms a step bare" % (
        program, len({n for n, _ in ns}), statistics.median(v for (_, i), v in ns.items() if ways[i] == BARE) / 1e6))
    for way, processes in ratios(ways, ns).items():
        every = [ratio for each in processes for ratio in each]
        print("  %-12s %.3f (%.3f to %.3f)   of each process: %s" % (
            way, statistics.median(every), *paired.bootstrap(every), " ".join("%.3f" % statistics.median(each) for each in processes)))
    if said:
        print("  of itself said: " + "; ".join(said), flush=True)


def bench(o, program):
    deadline = time.monotonic() + o.budget
    with contextlib.ExitStack() as stack:
        lab = Lab(o, deadline)
        jobs = start_all(o, lab, program, stack)
        marks = measure(o, jobs, deadline)
        logs = [paired.read_log(job.read_log())[0] for _, job, _ in jobs]
        for _, job, _ in jobs:
            job.stop(o.end)
        said = claims(o, lab, program, jobs)
    if not marks:
        raise TimeIsOver()
    show(program, [way for way, _, _ in jobs], {key: paired.time_per_step(logs[key[1]], *pair) for key, pair in marks.items()}, said)


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
    p.add_argument("--programs", default="eager_transformer", help="comma-separated, of " + ", ".join(BY_NAME))
    p.add_argument("--scripts", default=os.path.join(HERE, "programs"), help="folder of the programs")
    p.add_argument("--ways", type=ways_of, default="bare:3,live:2,ended:2", help="comma-separated WAY:PROCESSES")
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--window", type=float, default=0.2, help="seconds")
    p.add_argument("--first", type=float, default=0.06, help="seconds before a window, in which a process gets its caches back")
    p.add_argument("--duration", type=float, default=12, help="seconds of the ways that end")
    p.add_argument("--apart", type=float, default=1.5, help="seconds between two starts")
    p.add_argument("--setup", type=float, default=120, help="most seconds from the start of a program to its first steps")
    p.add_argument("--end", type=float, default=20, help="most seconds for its end")
    p.add_argument("--budget", type=float, default=220, help="seconds for each program")
    p.add_argument("--profiles", metavar="FOLDER", help="where profiles stay")
    p.add_argument("--record", type=shlex.split, default=[], help="more options for gprof-x record, in one word")
    p.add_argument("--way", type=named_options, action="append", default=[], metavar="NAME=OPTIONS", help="one more way to record")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    p.add_argument("--tiny", action="store_true", help="small sizes: tests the bench, measures nothing of use")
    o = p.parse_args()
    o.options = {**OPTIONS, **dict(o.way)}
    unknown = [way for way in o.ways if way not in (BARE, paired.OFF, *o.options)]
    if unknown:
        p.error("--ways: %s is none of %s" % (unknown[0], ", ".join([BARE, paired.OFF, *o.options])))
    failed = False
    for program in o.programs.split(","):
        try:
            if program not in BY_NAME or not BY_NAME[program].parks:
                raise Skipped("it cannot stand still" if program in BY_NAME else "there is no such program")
            bench(o, program)
        except (Failed, Skipped, TimeIsOver) as error:
            print("%s: not measured: %s" % (program, str(error) or "the time was over"))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
