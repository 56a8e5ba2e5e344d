#!/usr/bin/env python3
"""Measures programs without a profiler, bad and repaired in turn, and prints a JSON line for each. They are forked from one process
that has imported everything and used no GPU, so that imports are paid for once."""
import argparse
import importlib
import inspect
import json
import os
import signal
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "programs"))

import common  # noqa: E402

LIMIT = 60  # seconds for one program


def default_steps(module):
    """As main(make, N) in the program says."""
    source = inspect.getsource(module)
    argument = source.rpartition("main(make")[2].strip(",) \n")
    return int(argument) if argument else 60


def run(name, rounds):
    signal.alarm(LIMIT)
    try:
        module = importlib.import_module(name)
        result = common.pairs(module.make, default_steps(module), rounds)
        result.update(program=name, device=common.device())
    except Exception as error:  # noqa: BLE001: the others go on
        traceback.print_exc()
        result = {"program": name, "error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(result), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for name in ("numpy", "torchvision", "transformers.models.gpt2.modeling_gpt2"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    for name in args.programs:
        child = os.fork()
        if child == 0:
            run(name, args.rounds)
            sys.stderr.flush()
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
