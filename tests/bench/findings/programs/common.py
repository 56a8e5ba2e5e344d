"""What the programs of this folder share: the loop of steps, measured without synchronising inside.

A program has make(mode), which returns the function of one step; mode is "bad" or "repaired". Run by itself it makes its steps
and prints one JSON line at the end; with --turns SECONDS it makes steps for about that long whenever it gets a line (turns.py).
"""
import argparse
import gc
import json
import os
import sys
import time

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from turns import serve  # noqa: E402

WARMUP = 8
SETTLE = 2  # steps of a turn that are not measured: others ran before it
SMALL = bool(os.environ.get("FINDINGS_SMALL"))  # shapes for a machine without a GPU
VARIANTS = {"base": {}, "half": {"batch": 0.5}, "double": {"batch": 2}, "f32": {"type": torch.float32}}
variant = {}  # what the clean programs are made as


def device():
    return "cuda" if torch.cuda.is_available() else "cpu"


def scaled(large, small):
    return small if SMALL else large


def batch(large, small):
    return max(1, round(scaled(large, small) * variant.get("batch", 1)))


def number_type():
    return variant.get("type", torch.bfloat16)


def synchronize():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def set_flags():
    """As a careful program sets them; what a program wants otherwise it says itself."""
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = "type" not in variant
    torch.backends.cudnn.allow_tf32 = "type" not in variant
    torch.backends.cudnn.benchmark = False


def loop(step, steps):
    marked = torch.cuda.is_available()
    for i in range(steps):
        if marked:
            torch.cuda.nvtx.range_push("step %d" % i)
        step(i)
        if marked:
            torch.cuda.nvtx.range_pop()


def timed(step, steps, before):
    """Milliseconds of a step, after some that do not count."""
    loop(step, before)
    synchronize()
    begin = time.perf_counter()
    loop(step, steps)
    synchronize()
    return (time.perf_counter() - begin) / steps * 1e3


def close(step):
    if hasattr(step, "close"):
        step.close()


def measure(make, mode, steps):
    set_flags()
    step = make(mode)
    ms = timed(step, steps, WARMUP)
    close(step)
    del step
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return ms


def take_turns(make, mode, seconds):
    set_flags()
    step = make(mode)
    ms = timed(step, WARMUP, WARMUP)
    steps = min(max(round(seconds * 1e3 / ms), 10), 300)
    serve(lambda: timed(step, steps, SETTLE))
    close(step)


def main(make, steps=60):
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="bad", choices=["bad", "repaired"])
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--turns", type=float, metavar="SECONDS")
    parser.add_argument("--variants", type=lambda text: text.split(","), help="of %s: a line for each" % ",".join(VARIANTS))
    args = parser.parse_args()
    if args.turns:
        return take_turns(make, args.mode, args.turns)
    for name in args.variants or []:
        variant.clear()
        variant.update(VARIANTS[name])
        print(json.dumps({"variant": name, "step_ms": measure(make, args.mode, args.steps)}), flush=True)
    if not args.variants:
        ms = measure(make, args.mode, args.steps)
        print(json.dumps({"mode": args.mode, "steps": args.steps, "step_ms": ms, "device": device()}), flush=True)
