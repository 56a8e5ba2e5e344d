#!/usr/bin/env python3
"""Records a zoo of models on a GPU and writes one table of what gprof-x says about each.

  zoo.py --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON] [--only train,infer] [--seconds 400] [--each 60] [MODEL...]

Each model of models.py that the installed packages have, in training and inference: recorded with everything on, then analysed.
FOLDER gets zoo.json with all analyses in short, zoo.md with the table, and the profiles that are smaller than --keep bytes.
Called again with the same FOLDER it goes on: what is there is not recorded again (--again does), what failed for want of time is.
Models that there was no time for, and those that failed, are listed with the reason. Status 77: nothing could run.
--only takes modes, families (torchvision, transformers, torchaudio, torch_geometric) and models: 'train,transformers'.
--device cpu runs small ones where there is no GPU, to see that the code does.
"""
import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

from models import MODELS  # noqa: E402
from table import row_of, table_text  # noqa: E402

NOT_THERE = 77
NO_TIME, LATE = "no time left", "took longer than --each seconds"
MODES = ["train", "infer"]
AT_A_TIME = 4  # imports; one uses the GPU


def is_unfinished(row):
    return row.get("error") == NO_TIME


class Zoo:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds
        self.known = {(row["model"], row["mode"]): row for row in self.before() if not is_unfinished(row)}
        self.environment = dict(os.environ, ZOO_LOCK=os.path.join(args.out, "lock"), PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1",
                                TOKENIZERS_PARALLELISM="false")
        if args.device == "cpu":
            self.environment.update(ZOO_TINY="1", CUDA_VISIBLE_DEVICES="")
        self.writing = threading.Lock()

    def before(self):
        try:
            with open(os.path.join(self.args.out, "zoo.json")) as file:
                return [] if self.args.again else json.load(file)
        except FileNotFoundError:
            return []

    def save(self, name, mode, row):
        """After each model, so that who is stopped loses one. Rows in the order of the models."""
        with self.writing:
            self.known[name, mode] = row
            order = list(MODELS)
            rows = [self.known[key] for key in sorted(self.known, key=lambda key: (key[1] != "train", order.index(key[0])))]
            text = table_text(rows)
            for end, content in (("json", json.dumps(rows, indent=1)), ("md", text)):
                path = os.path.join(self.args.out, "zoo." + end)
                with open(path + ".new", "w") as file:
                    file.write(content)
                os.replace(path + ".new", path)
        return text

    def left(self):
        return self.end - time.monotonic()

    def run(self, command):
        """Limits are of all of it: at its end what the command has started goes, too."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, start_new_session=True)
        try:
            out, err = process.communicate(timeout=max(min(self.left(), self.args.each), 1))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def entry(self, name, mode):
        """The row of a model, or why there is none."""
        if (name, mode) in self.known:
            return self.known[name, mode]
        row = self.make(name, mode)
        self.save(name, mode, row)
        return row

    def make(self, name, mode):
        if self.left() < 15:
            return {"model": name, "mode": mode, "error": NO_TIME}
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
            return {"model": name, "mode": mode, "error": LATE if self.left() > 1 else NO_TIME}
        finally:
            if os.path.exists(path) and os.path.getsize(path) > self.args.keep:
                os.remove(path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="", metavar="WORD,...", help="modes, families and models")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--again", action="store_true", help="record what is there, too")
    parser.add_argument("--each", type=float, default=60, metavar="SECONDS", help="the most that a model may take")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--keep", type=int, default=0, help="bytes of the largest profile that is kept")
    return parser.parse_args()


def choose(models, only):
    """(model, mode) by the words of --only: of each kind of word one has to hold."""
    families = {family for family, _ in MODELS.values()}
    unknown = [word for word in [*models, *only] if word not in families and word not in MODELS and word not in MODES]
    if unknown:
        sys.exit("zoo.py: no model, family or mode is called %s" % unknown[0])
    modes = [word for word in only if word in MODES] or MODES
    some_families = {word for word in only if word in families} or families
    names = [*models, *(word for word in only if word in MODELS)] or list(MODELS)
    return [(name, mode) for mode in modes for name in names if MODELS[name][0] in some_families]


def main():
    args = parse()
    args.gprofx, args.out = os.path.abspath(args.gprofx), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    wanted = choose(args.models, [word for word in args.only.split(",") if word])
    zoo = Zoo(args)
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        rows = list(pool.map(lambda item: zoo.entry(*item), wanted))
    with open(os.path.join(args.out, "zoo.md")) as file:
        print(file.read())
    if any("error" not in row for row in rows):
        sys.exit(0)
    sys.exit(NOT_THERE)


if __name__ == "__main__":
    main()
