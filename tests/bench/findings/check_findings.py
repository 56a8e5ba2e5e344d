#!/usr/bin/env python3
"""Judges what `gprof-x analyze` finds in the recordings of run_findings.py and prints a table.

  check_findings.py --gprofx BUNDLE/bin/gprof-x FOLDER

For each seeded program: is the rule found, does the first row name the seeded line, what is claimed and what was measured (bad -
repaired, without a profiler, round by round: mean without the outer fifths), and the ratio of both. "of step" is the ratio of the shares,
claimed of the recorded step and measured of the bare one: the same where the machine was as fast for both. Names with "-all" are recordings
with --overhead none; no bar hangs on them. Clean and repaired programs: their findings above 1 % of a step. Exit status 1 where a bar is missed.
"""
import argparse
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

from seeded import CLEAN, SEEDED, WALL  # noqa: E402

WITHIN = 0.20


def seeded_lines(program):
    with open(os.path.join(HERE, "programs", program + ".py")) as file:
        return [number for number, line in enumerate(file, 1) if line.rstrip().endswith("# seeded")]


def analyze(gprofx, path):
    done = subprocess.run([gprofx, "analyze", "--findings", "--json", path], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["findings"][0]


def place(row):
    return "%s:%s" % (os.path.basename(row["file"] or "-"), row["line"])


def is_right(row, program):
    return os.path.basename(row["file"] or "") == program + ".py" and row["line"] in seeded_lines(program)


def trimmed(values):
    cut = len(values) // 5
    return statistics.mean(sorted(values)[cut:len(values) - cut])


def trimmed_error(values):
    """Of the mean without the outer fifths: by what is left when these are pulled in (Tukey and McLaughlin)."""
    cut, ordered = len(values) // 5, sorted(values)
    pulled = [min(max(value, ordered[cut]), ordered[-1 - cut]) for value in values]
    return statistics.stdev(pulled) / (1 - 2 * cut / len(values)) / math.sqrt(len(values)) if len(values) > 1 else 0


def measured_of(results, program):
    """(bad ms, repaired ms, what is saved, its standard error), means over the rounds without the outer fifths."""
    turns = results.get(program, {}).get("turns")
    if not turns:
        return None
    bad, repaired = turns[program + "-bare-bad"], turns[program + "-bare-repaired"]
    saved = [one - other for one, other in zip(bad, repaired)]
    return trimmed(bad), trimmed(repaired), trimmed(saved), trimmed_error(saved)


def judge(gprofx, folder, name, program, results):
    bare = measured_of(results, program)
    path = os.path.join(folder, name + ".gprofx")
    found = analyze(gprofx, path) if os.path.exists(path) else None
    if found is None or bare is None:
        return "%-22s no recording or no measurement: %s" % (name, results.get(program, {}).get("error", "")[:300]), None
    if found["reason"]:
        return "%-22s %s" % (name, found["reason"]), None
    bad_ms, repaired_ms, measured, error = bare
    rows = found["rows"]
    mine = next((row for row in rows if row["rule"] in SEEDED[program][0]), None)
    claimed = mine["saving_ns"] / 1e6 if mine else 0
    ratio = claimed / measured if measured else 0
    shares = claimed / found["step_ns"] * 1e6 * bad_ms / measured if measured and found["step_ns"] else 0
    right = bool(rows) and is_right(rows[0], program)
    good = mine is not None and right and abs(ratio - 1) <= WITHIN
    line = "%-22s %-6s %-5s %8.3f %8.3f %8.3f +-%6.3f %8.3f %6.2f %8.2f  %-4s %s" % (
        name, mine["id"] if mine else "-", "yes" if right else "no", bad_ms, repaired_ms, measured, 1.96 * error, claimed, ratio, shares,
        "ok" if good else "MISS", "; ".join("%s %s %.2f ms" % (row["rule"], place(row), row["saving_ns"] / 1e6) for row in rows[:4]))
    line += " (recorded: %.2f ms a step)" % trimmed(results[program]["turns"][name])
    return line, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("folder")
    args = parser.parse_args()
    for part in glob.glob(os.path.join(args.folder, "*.tar")):
        with tarfile.open(part) as tar:
            tar.extractall(args.folder)
    with open(os.path.join(args.folder, "results.json")) as file:
        results = json.load(file)
    bars = [0, 0]
    print("%-22s %-6s %-5s %8s %8s %8s %8s %8s %6s %8s" %
          ("program", "found", "line", "bad ms", "good ms", "measured", "+- 95 %", "claimed", "ratio", "of step"))
    for name, program in [(p, p) for p in SEEDED] + [(p + "-wall", p) for p in WALL] + [(p + "-all", p) for p in SEEDED]:
        line, good = judge(args.gprofx, args.folder, name, program, results)
        if not name.endswith("-all"):
            bars[0] += good is True
            bars[1] += good is not None
        print(line)
    print("%d of %d seeded programs within the bars; %d cannot be judged" % (*bars, len(SEEDED) + len(WALL) - bars[1]))
    alarms = 0
    for name in CLEAN + [p + "-all" for p in CLEAN] + [p + "-repaired" for p in SEEDED]:
        path = os.path.join(args.folder, name + ".gprofx")
        if not os.path.exists(path):
            print("%-26s no recording" % name)
            continue
        found = analyze(args.gprofx, path)
        rows = found["rows"] if found else []
        alarms += len(rows) if name in CLEAN else 0
        print("%-26s %d findings%s" % (name, len(rows), "".join("; %s %s %.1f%%" % (row["rule"], place(row), 100 * row["share"]) for row in rows)))
    print("%d findings in clean programs" % alarms)
    return 0 if bars[0] == bars[1] and alarms == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
