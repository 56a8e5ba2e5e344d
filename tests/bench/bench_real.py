#!/usr/bin/env python3
"""Measures what `gprof-x record` costs on everyday GPU programs, with torch.profiler beside it, and prints one table.

  bench_real.py --gprofx BUNDLE/bin/gprof-x --python PYTHON [--programs a,b] [--budget SECONDS]

Programs run at full speed, unpadded (programs/*.py). Two ways to measure, all as ratios of the time per step:
- paired: one process, whose recorder is told to change its level (`record --control`), off and on
  in alternating windows of half a second; median of the pairs with its 95 % interval. What no level
  switches (samples of instructions) is in `off`, too, and does not show here. torch.profiler is
  switched in the same way by the program itself; what CUPTI keeps after its first stop is in its
  `off` windows too, so its ratio is rather too good. bench_copies.py measures against processes that know nothing of us.
- whole runs, interleaved: bare, default, --overhead none, told to be off, torch.profiler. A check
  only: single runs differ by 30 %.
First all programs are measured in pairs, then in whole runs, until the budget is over; what was left out is said. The log of the
steps of each program, and the table as JSON (--json), go to --out. Status 77: there is no GPU.
"""
import argparse
import os
import shlex
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu")]

import paired  # noqa: E402
import processes  # noqa: E402
from bench_table import Table  # noqa: E402
from job import Failed, Skipped, TimeIsOver  # noqa: E402
from real_programs import BY_NAME, PROGRAMS  # noqa: E402
from suite import missing_gpu  # noqa: E402
from ways import PEER, WHOLE, Lab  # noqa: E402

LEVELS = ("auto", "0", "1")
# The row to which a way of whole runs belongs. `none` is level 1 and samples of instructions, which no level switches.
ROW_OF = {"default": "auto", "none": "none", "off": "off", PEER: PEER}


def measure_pairs(lab, table, program):
    if lab.o.pairs and lab.o.levels:
        found, step_ns, claim, early = lab.levels(program.name)
        table.paired(program, found, step_ns, claim)
        if early:
            table.leave_out("%s: %s pairs (%s)" % (program.name, counts(found, lab.o.pairs), early))
    if lab.o.peer_pairs and program.peer:
        found, step_ns, _, early = lab.peer(program.name)
        table.paired(program, found, step_ns, None)
        if early:
            table.leave_out("%s: %s pairs (%s)" % (program.name, counts(found, lab.o.peer_pairs), early))


def counts(found, wanted):
    return ", ".join("%s %d of %d" % (level, f["pairs"] if f else 0, wanted) for level, f in found.items())


def measure_whole(lab, table, program):
    ways = [w for w in WHOLE if w in lab.o.ways and (w != PEER or program.peer)]
    found, claims = {w: [] for w in ways}, []
    try:
        for number in range(lab.o.runs):
            turn = number % len(ways)
            for way in ways[turn:] + ways[:turn]:
                ns, claim = lab.whole(program.name, way, number)
                found[way].append(ns)
                claims += [claim] if claim else []
    finally:
        for way in ways:
            pairs = [w / b for w, b in zip(found[way], found.get("bare", [])) if w and b]
            if way != "bare" and pairs:
                table.whole(program, ROW_OF[way], paired.summary(pairs))
        table.claims(program, claims)


def attempt(table, program, measure, what):
    """Whether to go on with this program."""
    try:
        measure()
        return True
    except Skipped as skip:
        table.leave_out("%s: skipped, %s" % (program.name, skip))
    except Failed as failure:
        table.leave_out("%s: %s failed, %s" % (program.name, what, failure))
        return True
    except TimeIsOver:
        table.leave_out("%s: %s, the time was over" % (program.name, what))
    return False


def measure(o, table):
    lab = Lab(o, time.monotonic() + o.budget)
    chosen = [BY_NAME[name] for name in o.programs]
    parts = [("pairs", measure_pairs)] + ([("whole runs", measure_whole)] if o.runs else [])
    for what, function in parts:
        for program in list(chosen):
            if lab.deadline - time.monotonic() < 5:
                table.leave_out("%s: %s, the time was over" % (program.name, what))
            elif not attempt(table, program, lambda: function(lab, table, program), what):
                chosen.remove(program)
            table.save(o.json)


def words_of(known):
    def split(text):
        words = [w for w in text.split(",") if w]
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError("%r is none of %s" % (word, ", ".join(known)))
        return words
    return split


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [program.name for program in PROGRAMS]
    p.add_argument("--gprofx", default=os.environ.get("GPROFX", "gprof-x"))
    p.add_argument("--python", default=sys.executable, help="Python with PyTorch and the others")
    p.add_argument("--programs", type=words_of(names), default=names, help="comma-separated: " + ", ".join(names))
    p.add_argument("--scripts", default=os.path.join(HERE, "programs"), help="folder of the programs")
    p.add_argument("--levels", type=words_of(LEVELS), default=["auto", "1"], help="compared with off; of %s" % ",".join(LEVELS))
    p.add_argument("--pairs", type=int, default=20, help="pairs of windows for each level; 0 = without")
    p.add_argument("--peer-pairs", type=int, default=20, help="the same for torch.profiler")
    p.add_argument("--window", type=float, default=0.5, help="seconds of a window")
    p.add_argument("--auto-window", type=float, default=1.0, help="the same for the level auto, which changes levels within")
    p.add_argument("--least-steps", type=int, default=4, help="in a window, however long that takes")
    p.add_argument("--runs", type=int, default=9, help="whole runs of each way; 0 = without")
    p.add_argument("--ways", type=words_of(WHOLE), default=list(WHOLE), help="of whole runs: " + ",".join(WHOLE))
    p.add_argument("--seconds", type=float, default=5, help="measured seconds of a whole run")
    p.add_argument("--warm", type=float, default=2.0, help="seconds from the first step to the first that counts")
    p.add_argument("--warm-steps", type=int, default=10)
    p.add_argument("--setup", type=float, default=180, help="most seconds from the start of a program to there")
    p.add_argument("--end", type=float, default=40, help="most seconds for its end, beyond the budget too")
    p.add_argument("--record", type=shlex.split, default=[], help="more options for gprof-x record, in one word")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    p.add_argument("--tiny", action="store_true", help="small sizes: tests the programs, measures nothing of use")
    p.add_argument("--budget", type=float, default=540, help="seconds for everything")
    p.add_argument("--profiles", action="store_true", help="keep the profiles of the pairs in --out, too")
    p.add_argument("--out", default=os.environ.get("OUT", "."))
    p.add_argument("--json", help="file for the table; default: bench_real.json in --out")
    return p.parse_args()


def main():
    o = parse()
    if not shutil.which(o.gprofx):
        print("there is no program %s; give --gprofx" % o.gprofx, file=sys.stderr)
        return 2
    o.gprofx, o.out = os.path.abspath(shutil.which(o.gprofx)), os.path.abspath(o.out)
    o.python, o.scripts = os.path.abspath(shutil.which(o.python) or o.python), os.path.abspath(o.scripts)
    o.json = o.json or os.path.join(o.out, "bench_real.json")
    os.makedirs(o.out, exist_ok=True)
    missing = missing_gpu(o.python) if o.device == "cuda" else ""
    if missing:
        print(missing)
        return 77
    begin = time.monotonic()
    version = processes.run([o.gprofx, "--version"], 10).out.strip()
    gpus = processes.run(["nvidia-smi", "-L"], 20).out.split("\n") if o.device == "cuda" else []
    table = Table({"gprof-x": version, "gpus": [g for g in gpus if g], "options": vars(o)})
    try:
        measure(o, table)
    finally:
        table.save(o.json)
        table.print()
    print("%.0f s" % (time.monotonic() - begin))
    return 0


if __name__ == "__main__":
    sys.exit(main())
