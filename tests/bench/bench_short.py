#!/usr/bin/env python3
"""Measures gprof-x on processes of 0.5 to 5 ms: is all of their CPU time in the profile, and what does recording cost them?

  tests/bench/bench_short.py --gprofx PATH --workloads BUILD/workloads [--count N] [--pairs N]

The kernel's own account (wait4's rusage) is the measure. Bare and recorded runs alternate; the median of the pairs and their
spread are printed, with `strace -f -c` and `perf record` in the same turn where they are installed.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e", "support"))


def run(command):
    """(pid -> CPU ns, wall ns of the loop) as short_commands says."""
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True).stdout
    used, wall = {}, None
    for a, b in (line.split() for line in out.splitlines() if len(line.split()) == 2):
        if a.isdigit():
            used[int(a)] = int(b)
        elif a == "wall":
            wall = int(b)
    return used, wall


def accounted(options, command):
    """Accounted of rusage in percent: of all commands, and the worst of any hundred in turn."""
    import profile_support
    profile_support.GPROFX = options.gprofx
    with profile_support.Recording(command) as r:
        used = {int(a): int(b) for a, b in (line.split() for line in r.out.splitlines()) if a.isdigit()}
        rows = {row["pid"]: row["self"] for row in r.report("--by", "process", "--limit", "1000000")["rows"]}
    pids = list(used)
    share = lambda some: 100 * sum(rows.get(p, 0) for p in some) / sum(used[p] for p in some)
    hundreds = [share(pids[i:i + 100]) for i in range(0, len(pids), 100)]
    return share(pids), max(hundreds, key=lambda s: abs(s - 100))


def compare(names, commands, pairs):
    """Alternates; prints the wall time and the CPU time of a command for each, as ratios of the first."""
    walls, cpus = {n: [] for n in names}, {n: [] for n in names}
    for _ in range(pairs):
        for name in names:
            used, wall = run(commands[name])
            if wall and used:
                walls[name].append(wall)
                cpus[name].append(sum(used.values()))
    for name in names:
        pair = [w / b for w, b in zip(walls[name], walls[names[0]])]
        extra = [(c - b) / 1e3 for c, b in zip(cpus[name], cpus[names[0]])]
        if pair:
            print("  %-14s wall %.3f of bare (%.3f to %.3f)   CPU %+.0f ms in all" %
                  (name, statistics.median(pair), min(pair), max(pair), statistics.median(extra) / 1e3))
        else:
            print("  %-14s did not run" % name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    program = os.path.join(options.workloads, "short_commands")
    with tempfile.TemporaryDirectory() as folder:
        for how in ("spawn", "fork", "exit"):
            command = [program, str(options.count), "500", "5000", how]
            whole, worst = accounted(options, command)
            print("%d commands of 0.5 to 5 ms, %s: accounted %.2f %% of rusage, worst hundred %.2f %%  (bar: 98 to 102)" %
                  (options.count, how, whole, worst), flush=True)
            commands = {"bare": command,
                        "gprof-x": [options.gprofx, "record", "-q", "-o", os.path.join(folder, "p.gprofx"), "--", *command]}
            if shutil.which("strace"):
                commands["strace -f -c"] = ["strace", "-f", "-c", "-o", os.path.join(folder, "s"), *command]
            if shutil.which("perf"):
                commands["perf record"] = ["perf", "record", "-q", "-F", "997", "-g", "-o", os.path.join(folder, "perf"), *command]
            compare(list(commands), commands, options.pairs)


main()
