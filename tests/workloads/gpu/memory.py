#!/usr/bin/env python3
"""What PyTorch itself says of its GPU memory: a training with tensors that live long, short and for ever, and as facts the
statistics of the allocator. --seconds S: instead, how long an allocation with its free takes.

No peak is reset, so the statistics are those of the whole process, as a recording of it has them."""
import argparse
import os
import sys
import time

import facts

torch = facts.require_gpu()


def leak(kept):
    kept.append(torch.empty(300_000, device="cuda"))


def burst():
    return [torch.empty(n * 1111, device="cuda") for n in range(1, 200)]


def train():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    kept = []
    for step in range(20):
        x = torch.randn(64, 512, device="cuda")
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        leak(kept)
        if step == 10:
            burst()
        if step == 15:
            torch.cuda.empty_cache()
    torch.cuda.synchronize()
    return model, optimizer, kept


def cost(seconds):
    x = torch.empty(1024, device="cuda")
    del x
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter_ns()
        for _ in range(1000):
            x = torch.empty(1024, device="cuda")
            del x
        times.append((time.perf_counter_ns() - began) / 1000)
    times.sort()
    return times[len(times) // 2]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=0)
    o = p.parse_args()
    if o.seconds:
        return facts.say(pair_ns=cost(o.seconds))
    alive = train()
    stats = torch.cuda.memory_stats()
    blocks = [b for s in torch.cuda.memory_snapshot() for b in s["blocks"] if b["state"] == "active_allocated"]
    facts.say(peak=torch.cuda.max_memory_allocated(), live=torch.cuda.memory_allocated(),
              most_reserved=torch.cuda.max_memory_reserved(),
              allocations=stats["allocation.all.allocated"], freed=stats["allocation.all.freed"],
              allocated_bytes=stats["allocated_bytes.all.allocated"], freed_bytes=stats["allocated_bytes.all.freed"],
              snapshot=sum(b["size"] for b in blocks), torch=torch.__version__)
    sys.stdout.flush()
    os._exit(0 if alive else 1)  # with all that is alive: what Python frees at its end comes behind the statistics


if __name__ == "__main__":
    main()
