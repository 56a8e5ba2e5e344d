#!/usr/bin/env python3
"""Measures the pairs of programs.py bare and records the programs that are to be repaired, in turns of a quarter of a second (turns.py).

usage: run_what_if.py [--gprof-x PROGRAM] [--python PYTHON] [--rounds 12] [--seconds 250] [--pairs NAME...] -- OUT
Writes OUT/results.json and, of each pair, OUT/NAME.gprofx (--overhead none) and OUT/NAME-default.gprofx (the usual budget). check.py OUT
then holds what `gprof-x analyze --what-if` says against what was measured. For a machine with a GPU.
"""
import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))

import programs  # noqa: E402
from turns import Failed, Player, attempt, play  # noqa: E402


def facts(python):
    text = ("import json,torch;p=torch.cuda.get_device_properties(0);"
            "print(json.dumps({'gpu':p.name,'torch':torch.__version__,'cuda':torch.version.cuda}))")
    run = subprocess.run([python, "-c", text], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else {}


def start(name, options):
    """{"before", "repaired", "recorded", "default": player}"""
    def player(turn, variant, record=()):
        command = list(record) + [options.python, os.path.join(HERE, "programs.py"), variant, name]
        return Player(command, os.path.join(options.out, "%s-%s.txt" % (name, turn)))

    def record(suffix, more):
        return [options.gprof_x, "record", "-q", "-o", os.path.join(options.out, name + suffix + ".gprofx")] + more + ["--"]

    return {"before": player("before", "before"), "repaired": player("repaired", "repaired"),
            "recorded": player("recorded", "before", record("", ["--overhead", "none"])),
            "default": player("default", "before", record("-default", []))}


def measure(players, rounds):
    def turns():
        for player in players.values():
            player.wait_ready()
        play(list(players.values()), rounds)
        status = [player.finish() for player in players.values()]
        if any(status):
            raise Failed("statuses %s" % status)
        return {"turns": {turn: player.turns for turn, player in players.items()}}
    return attempt(players.values(), turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--gprof-x", default=os.environ.get("GPROF_X", "gprof-x"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=250)
    parser.add_argument("--pairs", nargs="*", default=list(programs.PAIRS))
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    begin = time.monotonic()
    results = {"facts": facts(options.python), "pairs": {}}
    for name in options.pairs:
        if time.monotonic() - begin > options.seconds - 25:
            results["pairs"][name] = {"error": "no time left"}
            continue
        results["pairs"][name] = measure(start(name, options), options.rounds)
        print("[%5.1f s] %s %s" % (time.monotonic() - begin, name, results["pairs"][name].get("error", "")), flush=True)
    with open(os.path.join(options.out, "results.json"), "w") as out:
        json.dump(results, out, indent=1)
    return 1 if any("error" in row for row in results["pairs"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
