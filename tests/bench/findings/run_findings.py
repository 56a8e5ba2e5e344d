#!/usr/bin/env python3
"""Runs the seeded programs on a GPU and records them; check_findings.py judges what analyze finds in the recordings.

  run_findings.py --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON] [--seconds 290] [PROGRAM...]

First each program without a profiler, bad and repaired in turn, three times each; then a recording of each bad and of each clean one, and
of the repaired ones as far as there is time; three import at a time and one runs. FOLDER gets results.json and profiles-N.tar of less
than 12 MB each. What did not fit into the time is told in results.json.
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

from seeded import CLEAN, SEEDED, recordings  # noqa: E402

PART = 12_000_000  # bytes of a tar file


def last_json(text):
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return None


class Runner:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds
        self.environment = dict(os.environ, FINDINGS_LOCK=os.path.join(args.out, "lock"), PYTHONDONTWRITEBYTECODE="1",
                                HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

    def left(self):
        return self.end - time.monotonic()

    def bare(self, names, share):
        """{program: {"bad": [ms], "repaired": [ms], "bad_ms": median, "repaired_ms": median}}"""
        command = [self.args.python, os.path.join(HERE, "bare.py"), "--rounds", str(self.args.rounds)] + names
        with open(os.path.join(self.args.out, "bare.txt"), "w+") as out, \
                open(os.path.join(self.args.out, "bare-errors.txt"), "w") as errors:
            child = subprocess.Popen(command, stdout=out, stderr=errors, env=self.environment)
            try:
                child.wait(self.left() * share)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            out.seek(0)
            rows = [json.loads(line) for line in out if line.startswith("{")]
        for row in rows:
            for mode in ("bad", "repaired"):
                if row.get(mode):
                    row[mode + "_ms"] = statistics.median(row[mode])
        return {row["program"]: row for row in rows}

    def record(self, name, program, mode, options):
        if self.left() < 20:
            return {"error": "no time left"}
        path = os.path.join(self.args.out, name + ".gprofx")
        command = [self.args.gprofx, "record", "-q", "-o", path, "--overhead", "none"] + options
        command += ["--", self.args.python, os.path.join(HERE, "programs", program + ".py"), "--mode", mode]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=self.left())
        except subprocess.TimeoutExpired:
            return {"error": "took longer than there was time"}
        row = last_json(done.stdout) or {"error": "no result"}
        row.update(status=done.returncode, seconds=round(time.monotonic() - begin, 1))
        if done.returncode != 0 or "error" in row:
            row["stderr"] = done.stderr[-2000:]
        if os.path.exists(path):
            row["bytes"] = os.path.getsize(path)
        return row


def pack(out, names):
    """Profiles in tar files of less than PART bytes."""
    parts, size = [], PART
    for name in names:
        path = os.path.join(out, name + ".gprofx")
        if not os.path.exists(path):
            continue
        length = os.path.getsize(path) + 2048
        if size + length > PART:
            parts.append([])
            size = 0
        parts[-1].append(path)
        size += length
    for i, paths in enumerate(parts):
        with tarfile.open(os.path.join(out, "profiles-%d.tar" % (i + 1)), "w") as tar:
            for path in paths:
                tar.add(path, os.path.basename(path))
        for path in paths:
            os.remove(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=290)
    parser.add_argument("--no-tar", action="store_true")
    args = parser.parse_args()
    args.gprofx, args.out = os.path.abspath(args.gprofx), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    runner = Runner(args)
    wanted = [row for row in recordings() if not args.programs or row[1] in args.programs]
    seeded = [name for name in SEEDED if not args.programs or name in args.programs]
    results = {"bare": runner.bare(seeded, 0.6) if seeded else {}, "recorded": {}, "clean": CLEAN}
    print("bare: %.0f s left" % runner.left(), file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        futures = {pool.submit(runner.record, *row): row[0] for row in wanted}
        for future in concurrent.futures.as_completed(futures):
            results["recorded"][futures[future]] = future.result()
    with open(os.path.join(args.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    if not args.no_tar:
        pack(args.out, [row[0] for row in wanted])
    bad = [name for name, row in results["recorded"].items() if row.get("error", row.get("status")) != 0]
    bad += [name for name, row in results["bare"].items() if "error" in row]
    print("%d recordings, %.0f s left%s" % (len(wanted), runner.left(), "; failed: " + " ".join(bad) if bad else ""), file=sys.stderr)


if __name__ == "__main__":
    main()
