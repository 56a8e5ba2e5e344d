#!/usr/bin/env python3
"""What `gprof-x analyze --what-if` says of the programs of run_what_if.py, against what their repaired twins really take.

usage: check.py [--gprof-x PROGRAM] FOLDER        FOLDER: results.json and profiles of run_what_if.py
The bar: the step that is told is within 5 % of the repaired program's. Status 1 where one is not. --step-time gets what the program
says of its own steps without recording, because a recording with --overhead none does not know what it cost; "as recorded" is without.
"repaired" is the median of that program's turns; "spread" half of its 95 % interval: what of an error may be the machine's.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BAR = 0.05
CHANGES = {"loss_item": "no-sync programs.py:%d", "pageable": "pin_memory", "small_ops": "fuse chain",
           "small_ops_memory": "fuse chain", "graphs": "graphs",
           "print_value": "no-sync programs.py:%d", "metrics_cpu": "no-sync programs.py:%d"}


def sync_line(name):
    with open(os.path.join(HERE, "programs.py")) as source:
        return next((i for i, text in enumerate(source, 1) if text.rstrip().endswith("# sync of " + name)), 0)


def ask(program, profile, change, step_ms):
    told = ["--step-time", "%.6fms" % step_ms] if step_ms else []
    run = subprocess.run([program, "analyze", "--json", "--what-if", change] + told + [profile], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit("check.py: " + run.stderr.strip())
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--gprof-x", default=os.environ.get("GPROF_X", "gprof-x"))
    options = parser.parse_args()
    with open(os.path.join(options.folder, "results.json")) as results:
        results = json.load(results)
    print("machine: %s" % results["facts"])
    print("%-24s %-26s %9s %9s %9s %9s %8s %7s  %s" % (
        "pair", "what if", "bare ms", "recorded", "then", "repaired", "spread", "error", "limit"))
    missed = measured = 0
    for name, change in CHANGES.items():
        change = change % sync_line(name) if "%d" in change else change
        turns = results["pairs"].get(name, {}).get("turns")
        if not turns:
            print("%-24s not measured: %s" % (name, results["pairs"].get(name, {}).get("error", "")))
            continue
        measured += 1
        before = statistics.median(turns["before"])
        repaired = statistics.median(turns["repaired"])
        spread = 1.96 * 1.25 * statistics.stdev(turns["repaired"]) / math.sqrt(len(turns["repaired"])) / repaired
        for suffix, told in (("", before), (" as recorded", 0), ("-default", 0)):
            path = os.path.join(options.folder, name + suffix.removesuffix(" as recorded") + ".gprofx")
            if not os.path.exists(path):
                continue
            answer = ask(options.gprof_x, path, change, told)
            if answer["reason"]:
                print("%-24s %-26s no answer: %s" % (name + suffix, change, answer["reason"]))
                missed += suffix == ""
                continue
            recorded, then = answer["recorded_step_ns"] / 1e6, answer["then"]["step_ns"] / 1e6
            error = then / repaired - 1
            good = abs(error) <= BAR and not answer["changed"][0].startswith("nothing")
            missed += suffix == "" and not good
            print("%-24s %-26s %9.3f %9.3f %9.3f %9.3f %7.1f%% %+6.1f%%  %s%s" % (
                name + suffix, change, before, recorded, then, repaired, 100 * spread, 100 * error, answer["then"]["limit"],
                "" if good else "  MISSED"))
    print("bar: %.0f %%; missed: %d of %d" % (100 * BAR, missed, measured))
    return 1 if missed or not measured else 0


if __name__ == "__main__":
    sys.exit(main())
