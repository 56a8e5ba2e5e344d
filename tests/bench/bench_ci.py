#!/usr/bin/env python3
"""How often is `gprof-x ci run` wrong on real jobs whose truth is known? False alarms, detection and blame.

  tests/bench/bench_ci.py --gprofx PATH --workloads BUILD/workloads [--same N] [--changed N] [--pairs N] [--parallel N] [--json FILE]

Jobs that compare a program with itself alternate over the short workloads; every regression they report is a false alarm.
Then one function of programs/versions.py gets slower by twice the smallest change that the unchanged jobs said they would
have shown. On the same recordings stand: a two-proportion z-test on samples, a fixed threshold of 5 %, and the function whose
share grew most, which `perf diff` lists first. About 35 minutes.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = os.path.join(HERE, "programs", "versions.py")
ROUNDS, LONGER = 8, 14  # of programs/versions.py; the longer, the smaller the change that can be seen
REFERENCE_JOBS = 6      # unchanged ones that say what that is
LEAST_SHARE = 0.005
FUNCTIONS = ("encode_json", "match_words", "sort_words", "wrap_text", "add_decimals", "write_rows", "compare_lines", "parse_dates",
             "hash_blocks", "count_letters")


def versions(change="", rounds=LONGER):
    return f"exec {sys.executable} {VERSIONS} {rounds} {change}"


def workloads(folder):
    """Name -> command line of half a second or so."""
    at = os.path.dirname(HERE)
    return {"versions.py": versions(rounds=ROUNDS), "work_python.py": f"exec {sys.executable} {at}/workloads/python/work_python.py 40",
            "shares.cpp": f"exec {folder}/shares 0.2 2", "work_threads": f"exec {folder}/work_threads 2 80000"}


class Job:
    """One run of `gprof-x ci run`, its verdict and the samples of each function by side, of the runs of the first look."""

    def __init__(self, options, base, head):
        folder = tempfile.mkdtemp(prefix="ci-", dir=options.scratch)
        run = subprocess.run([options.gprofx, "ci", "run", "--pairs", str(options.pairs), "--base", base, "--head", head, "-o",
                              os.path.join(folder, "job")], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if run.returncode not in (0, 1, 3):
            raise SystemExit(f"ci run ended with {run.returncode}: {run.stderr}")
        with open(os.path.join(folder, "job", "verdict.json")) as file:
            self.verdict = json.load(file)
        self.status = run.returncode
        self.samples = [self.samples_of(options, self.verdict[side][:options.pairs]) for side in ("base", "head")]
        if base == head and self.is_alarm:
            print(f"false alarm: {base}: {self.regressions or 'the total'}; its runs: {folder}", flush=True)
            options.kept.append(folder)
        else:
            shutil.rmtree(folder)

    @staticmethod
    def samples_of(options, files):
        counts = collections.Counter()
        for file in files:
            report = subprocess.run([options.gprofx, "report", "--json", "--view", "python", "--limit", "1000", file],
                                    capture_output=True, text=True, check=True)
            for row in json.loads(report.stdout)["rows"]:
                counts[row["name"]] += row["self_samples"]
        return counts

    @property
    def regressions(self):
        rows = [row for row in self.verdict["functions"] + self.verdict["kernels"]
                if row["verdict"] == "regression" and not row["moved"]]
        return [row["name"] for row in rows]

    @property
    def is_alarm(self):
        return self.status == 1

    @property
    def was_asked_again(self):
        return self.verdict["ci"]["confirmation"] != "not needed"

    def z_test(self):
        """Functions whose share of the samples grew at p < 0.05, the largest z first."""
        found = []
        for name, k, n, j, m in self.shares():
            together = (k + j) / (n + m)
            error = math.sqrt(together * (1 - together) * (1 / n + 1 / m))
            z = (j / m - k / n) / error if error > 0 else 0
            if z > 1.645:
                found.append((z, name))
        return [name for z, name in sorted(found, reverse=True)]

    def threshold(self):
        """Functions that take 5 % more samples, the largest growth first."""
        found = [(j / max(k, 1), name) for name, k, n, j, m in self.shares() if j > 1.05 * k]
        return [name for growth, name in sorted(found, reverse=True)]

    def share_order(self):
        """As `perf diff` orders: by the growth of the share."""
        return [name for growth, name in sorted(((j / m - k / n, name) for name, k, n, j, m in self.shares()), reverse=True)]

    def shares(self):
        n, m = (max(sum(side.values()), 1) for side in self.samples)
        for name in sorted(set(self.samples[0]) | set(self.samples[1])):
            k, j = self.samples[0][name], self.samples[1][name]
            if max(k / n, j / m) >= LEAST_SHARE:
                yield name, k, n, j, m


def percent(count, of):
    return f"{100 * count / of:5.1f} % ({count} of {of})" if of else "-"


def print_table(same, changed):
    print(f"\n{'':44} {'false alarms':>22} {'found':>22} {'blamed right, of found':>24}")
    rows = [("gprof-x ci run", lambda job: job.regressions if job.is_alarm else [], lambda job: job.is_alarm),
            ("z-test on samples, p < 0.05, any function", Job.z_test, None),
            ("any function 5 % more samples", Job.threshold, None),
            ("first row by growth of share (perf diff)", Job.share_order, None)]
    for name, names, alarm in rows:
        is_alarm = alarm or (lambda job, names=names: bool(names(job)))
        found = [(job, names(job)) for job, function in changed if function in names(job)]
        alarms = [job for job, function in changed if is_alarm(job)]
        right = [job for job, function in changed if is_alarm(job) and names(job)[:1] == [function]]
        print(f"{name:44} {percent(sum(map(is_alarm, same)), len(same)):>22} {percent(len(found), len(changed)):>22} "
              f"{percent(len(right), len(alarms)):>24}")


def detectable(jobs):
    """Function -> the median of what unchanged jobs would have shown, as a part of its time."""
    values = collections.defaultdict(list)
    for job in jobs:
        for row in job.verdict["functions"]:
            if row["tested"] and row["detectable_percent"] is not None and row["name"] in FUNCTIONS:
                values[row["name"]].append(row["detectable_percent"] / 100)
    return {name: statistics.median(list_) for name, list_ in values.items()}


def run_all(options, pairs, label):
    """Jobs of (base, head), in order, a few at once; prints where it is."""
    begin, jobs = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        for job in pool.map(lambda pair: Job(options, *pair), pairs):
            jobs.append(job)
            if len(jobs) % 20 == 0:
                alarms = sum(one.is_alarm for one in jobs)
                print(f"{label}: {len(jobs)} of {len(pairs)} jobs, {alarms} alarms, {time.monotonic() - begin:.0f} s", flush=True)
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--same", type=int, default=200)
    parser.add_argument("--changed", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    options.scratch, options.kept = tempfile.mkdtemp(), []
    try:
        commands = workloads(os.path.abspath(options.workloads))
        names = [list(commands)[i % len(commands)] for i in range(options.same)]
        same = run_all(options, [(commands[name], commands[name]) for name in names], "unchanged")
        for name in commands:
            mine = [job for job, other in zip(same, names) if other == name]
            alarms = [job.regressions or ["the total"] for job in mine if job.is_alarm]
            print(f"{name:20} false alarms {percent(len(alarms), len(mine))}, fresh pairs asked "
                  f"{percent(sum(job.was_asked_again for job in mine), len(mine))} {alarms or ''}")
        reference = run_all(options, [(versions(), versions())] * REFERENCE_JOBS, "reference")
        smallest = detectable(reference)
        print("smallest change that would have been shown: " +
              ", ".join(f"{name} {100 * value:.0f} %" for name, value in smallest.items()))
        names_of = list(smallest)  # those with time enough of their own to be tested
        slower = [names_of[i % len(names_of)] for i in range(options.changed)] if names_of else []
        changed = run_all(options, [(versions(), versions(f"{name}={1 + 2 * smallest[name]:.4f}")) for name in slower], "changed")
    finally:
        if not options.kept:
            shutil.rmtree(options.scratch)
    print_table(same, list(zip(changed, slower)))
    for job, name in zip(changed, slower):
        if name not in job.regressions or not job.is_alarm:
            print(f"missed: {name} +{200 * smallest[name]:.0f} %, verdict {job.verdict['verdict']}, said {job.regressions}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"same": [job.verdict for job in same], "changed": [[name, job.verdict] for job, name in zip(changed, slower)]},
                      file)


if __name__ == "__main__":
    main()
