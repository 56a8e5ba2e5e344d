"""What the programs of this folder share: the loop of steps, measured without synchronising inside.

A program has make(mode), which returns the function of one step; mode is "bad" or "repaired". Run by itself it makes its steps
and prints one JSON line at the end. FINDINGS_LOCK names a file: only one program at a time is behind its imports.
"""
import argparse
import fcntl
import gc
import json
import os
import time

import torch

WARMUP = 8
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


def measure(make, mode, steps):
    """Milliseconds of a step."""
    set_flags()
    step = make(mode)
    loop(step, WARMUP)
    synchronize()
    begin = time.perf_counter()
    loop(step, steps)
    synchronize()
    ms = (time.perf_counter() - begin) / steps * 1e3
    if hasattr(step, "close"):
        step.close()
    del step
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return ms


def take_lock():
    name = os.environ.get("FINDINGS_LOCK")
    if not name:
        return None
    lock = open(name, "w")  # noqa: SIM115: held until the process ends
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def pairs(make, steps, rounds):
    """Alternating runs: {"bad": [ms, ...], "repaired": [ms, ...]}."""
    found = {"bad": [], "repaired": []}
    for turn in range(rounds):
        for mode in ("bad", "repaired") if turn % 2 == 0 else ("repaired", "bad"):
            found[mode].append(measure(make, mode, steps))
    return found


def main(make, steps=60):
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="bad", choices=["bad", "repaired"])
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--variants", type=lambda text: text.split(","), help="of %s: a line for each" % ",".join(VARIANTS))
    args = parser.parse_args()
    lock = take_lock()  # until the process has ended: two that sample instructions disturb each other
    for name in args.variants or []:
        variant.clear()
        variant.update(VARIANTS[name])
        print(json.dumps({"variant": name, "step_ms": measure(make, args.mode, args.steps)}), flush=True)
    if args.variants:
        return
    ms = measure(make, args.mode, args.steps)
    print(json.dumps({"mode": args.mode, "steps": args.steps, "step_ms": ms, "device": device(), "alone": lock is not None}), flush=True)
