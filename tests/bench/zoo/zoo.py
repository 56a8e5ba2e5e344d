#!/usr/bin/env python3
"""Records a zoo of models on a GPU and writes one table of what gprof-x says about each.

  zoo.py --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON] [--modes train,infer] [--seconds 400] [MODEL...]

Each model of models.py that the installed packages have, in training and inference: recorded with everything on, then analysed.
FOLDER gets zoo.json with all analyses in short, zoo.md with the table, and the profiles that are smaller than --keep bytes.
Models that there was no time for, and those that failed, are listed with the reason. Status 77: nothing could run.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

from models import MODELS  # noqa: E402
from table import row_of, table_text  # noqa: E402

NOT_THERE = 77
AT_A_TIME = 4  # imports; one uses the GPU


class Zoo:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds
        self.environment = dict(os.environ, ZOO_LOCK=os.path.join(args.out, "lock"), PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1",
                                TOKENIZERS_PARALLELISM="false")

    def left(self):
        return self.end - time.monotonic()

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=max(self.left(), 1))

    def entry(self, name, mode):
        """The row of a model, or why there is none."""
        if self.left() < 15:
            return {"model": name, "mode": mode, "error": "no time left"}
        path = os.path.join(self.args.out, "%s-%s.gprofx" % (name, mode))
        program = [self.args.python, os.path.join(HERE, "program.py"), name, mode, "--steps", str(self.args.steps)]
        try:
            done = self.run([self.args.gprofx, "record", "-q", "--overhead", "none", "-o", path, "--"] + program)
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines() or ["no word"]
                what = "not in the installed packages" if done.returncode == NOT_THERE else "status %d" % done.returncode
                return {"model": name, "mode": mode, "error": "%s: %s" % (what, lines[-1][:200])}
            facts = json.loads(done.stdout.strip().splitlines()[-1])
            analysed = self.run([self.args.gprofx, "analyze", "--all", "--json", path])
            if analysed.returncode != 0:
                return {"model": name, "mode": mode, "error": "analyze: " + analysed.stderr.strip()[:200]}
            return row_of(facts, json.loads(analysed.stdout), os.path.getsize(path))
        except subprocess.TimeoutExpired:
            return {"model": name, "mode": mode, "error": "took longer than there was time"}
        finally:
            if os.path.exists(path) and os.path.getsize(path) > self.args.keep:
                os.remove(path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--modes", default="train,infer")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--keep", type=int, default=0, help="bytes of the largest profile that is kept")
    return parser.parse_args()


def main():
    args = parse()
    args.gprofx, args.out = os.path.abspath(args.gprofx), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    zoo = Zoo(args)
    wanted = [(name, mode) for mode in args.modes.split(",") for name in (args.models or MODELS)]
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        rows = list(pool.map(lambda item: zoo.entry(*item), wanted))
    with open(os.path.join(args.out, "zoo.json"), "w") as file:
        json.dump(rows, file, indent=1)
    text = table_text(rows)
    with open(os.path.join(args.out, "zoo.md"), "w") as file:
        file.write(text)
    print(text)
    sys.exit(0 if any("error" not in row for row in rows) else NOT_THERE)


if __name__ == "__main__":
    main()
