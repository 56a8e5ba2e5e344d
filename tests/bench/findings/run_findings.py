#!/usr/bin/env python3
"""Runs the seeded programs on a GPU and records them; check_findings.py judges what analyze finds in the recordings.

  run_findings.py --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON] [--seconds 290] [PROGRAM...]

Of each program the bad and the repaired one without a profiler and their recordings take turns of a fraction of a second (turns.py), so
that what the machine does else is the same for all; some programs import at a time, and nothing runs beside the turns. FOLDER gets
results.json and profiles-N.tar of less than 12 MB each. What did not fit into the time is told in results.json.
"""
import argparse
import concurrent.futures
import json
import os
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.dirname(HERE)]

from seeded import CLEAN, SEEDED, recordings  # noqa: E402
from turns import Failed, Player, attempt, play  # noqa: E402

PART = 12_000_000  # bytes of a tar file


class Runner:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

    def left(self):
        return self.end - time.monotonic()

    def player(self, name, program, mode, record=()):
        command = [self.args.python, os.path.join(HERE, "programs", program + ".py"), "--mode", mode, "--turns", str(self.args.turn)]
        return Player(list(record) + command, os.path.join(self.args.out, name + ".txt"), self.environment)

    def players(self, program):
        """{name: player}: recordings by the names of their files, and bare ones."""
        made = {}
        for name, mode, options in recordings(program):
            path = os.path.join(self.args.out, name + ".gprofx")
            record = [self.args.gprofx, "record", "-q", "-o", path] + options + ["--"]
            made[name] = self.player(name, program, mode, record)
        for mode in ("bad", "repaired") if program in SEEDED else ():
            name = "%s-bare-%s" % (program, mode)
            made[name] = self.player(name, program, mode)
        return made

    def in_time(self):
        if self.left() < 15:
            raise Failed("no time left")

    def wait_ready(self, players):
        def wait():
            self.in_time()
            for player in players.values():
                player.wait_ready()
            return {}
        return attempt(players.values(), wait)

    def play(self, players):
        """{"turns": {name: [ms]}}, or what went wrong."""
        def turns():
            self.in_time()
            play(list(players.values()), self.args.rounds)
            return {"turns": {name: player.turns for name, player in players.items()}}
        return attempt(players.values(), turns)


def finish(players, result):
    """Recordings are written when their programs end."""
    for name, player in players.items():
        status = player.finish()
        if status != 0:
            result["error"] = "%s: status %d" % (name, status)


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
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--turn", type=float, default=0.2, help="seconds")
    parser.add_argument("--batch", type=int, default=4, help="programs that import together")
    parser.add_argument("--seconds", type=float, default=290)
    parser.add_argument("--no-tar", action="store_true")
    args = parser.parse_args()
    args.gprofx, args.out = os.path.abspath(args.gprofx), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    runner = Runner(args)
    programs = [name for name in list(SEEDED) + CLEAN if not args.programs or name in args.programs]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for i in range(0, len(programs), args.batch):
            batch = {name: runner.players(name) for name in programs[i:i + args.batch]}
            results.update((name, runner.wait_ready(players)) for name, players in batch.items())
            for name, players in batch.items():
                if "error" not in results[name]:
                    results[name] = runner.play(players)
                print("%-16s %4.0f s left %s" % (name, runner.left(), results[name].get("error", "")), flush=True)
            ending = [pool.submit(finish, batch[name], results[name]) for name in batch if "error" not in results[name]]
            for future in ending:
                future.result()
    with open(os.path.join(args.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    if not args.no_tar:
        names = [row[0] for name in programs for row in recordings(name)]
        pack(args.out, sorted(names, key=lambda name: name.endswith(("-repaired", "-all"))))
    bad = [name for name, row in results.items() if "error" in row]
    print("%d programs, %.0f s left%s" % (len(programs), runner.left(), "; failed: " + " ".join(bad) if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
