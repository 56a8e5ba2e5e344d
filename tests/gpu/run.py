#!/usr/bin/env python3
"""The GPU suite of gprof-x: runs programs bare and recorded on a machine with a GPU, and checks what was recorded.

  run.py --gprofx BUNDLE/bin/gprof-x [--python PYTHON] [CASE...]

Prints a line for each case and 'N passed, N failed' at the end; details of failures go to details.txt and results.json in --out.
CASE may be a part of a name, or a group: kernels, torch, memory, programs, ends. Without one all cases run. Needs nothing but Python's
standard library; cases that need a GPU, PyTorch, Triton, ncu and the like skip where these are missing. `cmake --build BUILD
--target gpu-suite` collects everything that the suite needs in one folder. Statuses: 0 = all passed, 1 = something failed or did not run, 77 = nothing could run.
"""
import argparse
import os
import resource
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

import suite  # noqa: E402
# The order is that of importance: what comes last is lost when time runs out.
import cases_kernels  # noqa: E402, F401
import cases_torch  # noqa: E402, F401
import cases_counters  # noqa: E402, F401
import cases_memory  # noqa: E402, F401
import cases_programs  # noqa: E402, F401
import cases_ends  # noqa: E402, F401


def first_folder(*candidates):
    return next((os.path.abspath(c) for c in candidates if os.path.isdir(c)), os.path.abspath(candidates[0]))


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases", nargs="*", metavar="CASE")
    p.add_argument("--gprofx", default=os.environ.get("GPROFX", "gprof-x"), help="the program to test")
    p.add_argument("--python", default=sys.executable, help="Python with PyTorch and Triton")
    p.add_argument("--programs", default=first_folder(os.path.join(HERE, "workloads")), help="folder of the CUDA programs")
    p.add_argument("--scripts", default=first_folder(os.path.join(HERE, "workloads"), os.path.join(HERE, "../workloads/gpu")))
    p.add_argument("--out", default=os.environ.get("OUT", "."), help="folder for details.txt and results.json")
    p.add_argument("--except", dest="without", action="append", default=[], metavar="CASE", help="leave this out")
    p.add_argument("--loops", type=int, default=20, help="repetitions of the case 'loops' (100 is the promise)")
    p.add_argument("--jobs", type=int, default=4, help="how many of them at a time")
    p.add_argument("--seconds", type=float, default=540, help="time for everything")
    p.add_argument("--patience", type=float, default=1.0, help="factor on the time limit of each case")
    p.add_argument("--keep", type=int, default=3, help="profiles of failed cases to keep in --out (12 MB at most each)")
    p.add_argument("--verbose", action="store_true", help="details of all cases")
    p.add_argument("--list", action="store_true", help="print the cases and what they need")
    p.add_argument("--self-check", action="store_true", help="check the suite itself; needs no GPU and no gprof-x")
    return p.parse_args()


def group_of(c):
    return c.function.__module__.partition("_")[2]


def chosen_cases(o):
    names = {c.name for c in suite.CASES}
    groups = {group_of(c) for c in suite.CASES}

    def fits(c, words):
        return any(w in (c.name, group_of(c)) or (w not in names | groups and w in c.name) for w in words)
    return [c for c in suite.CASES if (not o.cases or fits(c, o.cases)) and not fits(c, o.without)]


def main():
    o = parse()
    if o.list:
        for c in suite.CASES:
            print("%-24s %4d s  %-28s %s" % (c.name, c.limit, " ".join(c.needs), c.about))
        return 0
    if o.self_check:
        import self_check
        return self_check.main(o)
    chosen = chosen_cases(o)
    if not chosen:
        print("no such case; --list names them", file=sys.stderr)
        return 2
    if not shutil.which(o.gprofx):
        print("there is no program %s; give --gprofx" % o.gprofx, file=sys.stderr)
        return 2
    o.gprofx = os.path.abspath(shutil.which(o.gprofx))
    o.python = os.path.abspath(shutil.which(o.python) or o.python)
    o.programs, o.scripts = os.path.abspath(o.programs), os.path.abspath(o.scripts)
    o.out = os.path.abspath(o.out)
    os.makedirs(o.out, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    o.modules = {}
    with tempfile.TemporaryDirectory(prefix="gprof-x-gpu-", ignore_cleanup_errors=True) as o.folder:
        o.no_gpu = suite.missing_gpu(o.python)
        if o.no_gpu:
            print(o.no_gpu)
        good, passed = suite.run_all(o, chosen)
    return 1 if not good else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
