"""What the programs share: a small network, steps that say where they begin, and bursts in which the cause is there.

A program is started as PROGRAM.py --cause on|off --seed N [--seconds S]. Bursts are a third of the time; where they lie is told by the
seed. The last line of the output is JSON: the true cause, how many steps it was in, and what they took.
"""
import argparse
import fcntl
import json
import os
import random
import statistics
import time

WARM_UP = 1.5  # seconds without the cause


def options(more=lambda parser: None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cause", choices=("on", "off"), default="on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=7)
    parser.add_argument("--device", default="cuda")
    more(parser)
    return parser.parse_args()


LOCKS = []  # files, held to the end


def alone():
    """Waits until nobody else measures on our GPUs (files in CAUSES_LOCK, with colons); to be called once all is imported."""
    for path in filter(None, os.environ.get("CAUSES_LOCK", "").split(":")):
        LOCKS.append(open(path, "w"))
        fcntl.lockf(LOCKS[-1], fcntl.LOCK_EX)  # children do not inherit it


class Bursts:
    """Seconds in which the cause is there: pieces of about a second, a third of all, by the seed."""

    def __init__(self, seed, seconds, on):
        dice = random.Random(seed)
        pieces = max(int((seconds - WARM_UP) / 0.8), 3)
        chosen = set(dice.sample(range(pieces), max(pieces // 3, 1)) if on else [])
        self.piece, self.chosen = (seconds - WARM_UP) / pieces, chosen

    def now(self, since):
        return since >= WARM_UP and int((since - WARM_UP) / self.piece) in self.chosen


def network(torch, device, width=2048, layers=6, batch=2048):
    """A step of training whose kernels take from 20 us to some 100 us."""
    small = device == "cpu"
    width, batch = (64, 32) if small else (width, batch)
    parts = []
    for _ in range(layers):
        parts += [torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.LayerNorm(width)]
    model = torch.nn.Sequential(*parts).to(device)
    return model, width, batch


class Marks:
    """Ranges that name the steps; without CUDA there are none."""

    def __init__(self, torch, device):
        self.nvtx = torch.cuda.nvtx if device != "cpu" else None

    def begin(self, number):
        if self.nvtx:
            self.nvtx.range_push("step %d" % number)

    def end(self):
        if self.nvtx:
            self.nvtx.range_pop()


def loop(torch, args, step, in_burst, marks):
    """Runs `step(number, is_affected)` until the time is over; prints nothing."""
    begin, times = time.monotonic(), {False: [], True: []}
    number = 0
    while True:
        since = time.monotonic() - begin
        if since >= args.seconds:
            break
        affected = in_burst(since)
        before = time.monotonic()
        marks.begin(number)
        step(number, affected)
        marks.end()
        times[affected].append(time.monotonic() - before)
        number += 1
    return times


def tell(cause, args, times):
    def middle(values):
        return round(1000 * statistics.median(values), 3) if values else None
    print(json.dumps({"cause": cause if args.cause == "on" else None, "seed": args.seed, "steps": len(times[False]) + len(times[True]),
                      "affected": len(times[True]), "ms": middle(times[False]), "affected_ms": middle(times[True])}), flush=True)
