"""One model of the zoo: steps of training or inference, then a line of JSON: what it was, and how long a step took.

  program.py MODEL train|infer [--steps N]

Steps are marked by NVTX ranges. ZOO_LOCK names a file: one program at a time uses the GPU, the others import. ZOO_TINY=1: small
sizes, for a machine without a GPU. Status 77: the package has no such model.
"""
import argparse
import contextlib
import fcntl
import json
import os
import sys
import time

from models import MODELS

WARM_UP = 5
NOT_THERE = 77


def make(name, mode):
    import torch
    device, tiny = "cuda" if torch.cuda.is_available() else "cpu", bool(os.environ.get("ZOO_TINY"))
    torch.manual_seed(0)
    family, build = MODELS[name]
    try:
        module, arguments, keywords, loss = build(torch, device, tiny)
    except (ImportError, AttributeError, TypeError) as error:
        print("%s: %s" % (name, " ".join(str(error).split())[:200]), file=sys.stderr)
        sys.exit(NOT_THERE)
    module.to(device)
    facts = {"model": name, "family": family, "mode": mode, "parameters": sum(p.numel() for p in module.parameters())}
    if mode == "infer":
        module.eval()
        if MODELS[name][0] == "torchvision" and len(arguments) == 2:
            arguments = arguments[:1]  # detection without targets

        def step():
            with torch.inference_mode():
                module(*arguments, **keywords)
        return torch, step, facts
    module.train()
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-5, foreach=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(module(*arguments, **keywords)).backward()
        optimizer.step()
    return torch, step, facts


def run(torch, step, steps):
    on_gpu = torch.cuda.is_available()
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    mark = torch.cuda.nvtx.range if on_gpu else lambda name: contextlib.nullcontext()
    for _ in range(WARM_UP):
        step()
    wait()
    begin = time.perf_counter()
    for i in range(steps):
        with mark("step %d" % i):
            step()
    wait()
    return (time.perf_counter() - begin) / steps * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("mode", choices=("train", "infer"))
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()
    torch, step, facts = make(args.model, args.mode)
    with open(os.environ.get("ZOO_LOCK", os.devnull), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        facts["step_ms"] = run(torch, step, args.steps)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
