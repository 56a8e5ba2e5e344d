"""Training steps of a small transformer on one GPU: the work that people profile.

  train.py --steps 200                            launch-bound: tiny tensors, the host is the limit
  train.py --steps 200 --layers 4 --dim 2048 --batch 8 --length 512      GPU-bound
  train.py --calibrate 16 ...                     prints the batch size that makes a step take 16 ms
  train.py --profiler torch|torch_stack           the same under torch.profiler, from before the first CUDA call

Facts: steps, seconds and ms per step (without the warm-up), launches and lines with a profiler.
"""
import argparse
import json
import time

import facts


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--seconds", type=float, default=0, help="stop after this time instead of --steps")
    p.add_argument("--warmup", type=int, default=5)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--dim", type=int, default=256)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--length", type=int, default=64)
    p.add_argument("--python-rounds", type=int, default=0, help="Python work of each step beside the model: fewer launches a second")
    p.add_argument("--calibrate", type=float, default=0, metavar="MS")
    p.add_argument("--device", default="cuda")
    p.add_argument("--profiler", choices=("none", "torch", "torch_stack"), default="none")
    p.add_argument("--key-averages", action="store_true", help="with a profiler: time its table")
    p.add_argument("--lines-out", help="with torch_stack: the innermost Python line of each launch, as JSON")
    return p.parse_args()


def build(torch, o):
    class Block(torch.nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.heads = max(1, dim // 64)
            self.norm1 = torch.nn.LayerNorm(dim)
            self.mix = torch.nn.Linear(dim, 3 * dim)
            self.out = torch.nn.Linear(dim, dim)
            self.norm2 = torch.nn.LayerNorm(dim)
            self.up = torch.nn.Linear(dim, 4 * dim)
            self.down = torch.nn.Linear(4 * dim, dim)

        def attend(self, x):
            batch, length, dim = x.shape
            q, k, v = self.mix(x).reshape(batch, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
            scores = torch.matmul(q, k.transpose(-1, -2))
            weights = torch.softmax(scores * (dim // self.heads) ** -0.5, -1)
            mixed = torch.matmul(weights, v)
            return self.out(mixed.transpose(1, 2).reshape(batch, length, dim))

        def forward(self, x):
            x = x + self.attend(self.norm1(x))
            hidden = torch.nn.functional.gelu(self.up(self.norm2(x)))
            return x + self.down(hidden)

    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(o.dim) for _ in range(o.layers)]).to(o.device)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4)


def data(torch, o, batch):
    generator = torch.Generator().manual_seed(1)
    return torch.randn(batch, o.length, o.dim, generator=generator).to(o.device)


def step(torch, o, model, optimizer, x):
    optimizer.zero_grad()
    with torch.autocast(o.device, dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), x)
    loss.backward()
    optimizer.step()


def work_in_python(rounds):
    """A fixed amount of what preparing data costs in many programs; 1,000 rounds are some 30 ms."""
    words = {}
    for _ in range(rounds):
        for i in range(200):
            words[i % 50] = words.get(i % 50, 0) + len(str(i))


def wait(torch, o):
    if o.device == "cuda":
        torch.cuda.synchronize()


def timed(torch, o, model, optimizer, x):
    for _ in range(o.warmup):
        step(torch, o, model, optimizer, x)
    wait(torch, o)
    begin = time.perf_counter()
    done = 0
    while (time.perf_counter() - begin < o.seconds) if o.seconds else (done < o.steps):
        work_in_python(o.python_rounds)
        step(torch, o, model, optimizer, x)
        done += 1
        if o.seconds and done % 8 == 0:
            wait(torch, o)
    wait(torch, o)
    return done, time.perf_counter() - begin


def train(torch, o):
    model, optimizer = build(torch, o)
    x = data(torch, o, o.batch)
    done, seconds = timed(torch, o, model, optimizer, x)
    return {"steps": done, "seconds": seconds, "ms": 1e3 * seconds / done, "batch": o.batch}


def calibrate(torch, o):
    model, optimizer = build(torch, o)
    o.steps, o.seconds, best = 20, 0, 1
    batch = 2
    while batch <= 1024:
        x = data(torch, o, batch)
        done, seconds = timed(torch, o, model, optimizer, x)
        ms = 1e3 * seconds / done
        if ms > o.calibrate:
            break
        best, batch = batch, max(batch + 1, int(batch * min(2.0, 0.5 * o.calibrate / ms + 0.55)))
    return best


def main():
    o = options()
    if o.device == "cuda":
        torch = facts.require_gpu()
    else:
        import torch
    if o.calibrate:
        print(calibrate(torch, o))
        return
    if o.profiler == "none":
        found = train(torch, o)
    else:
        import torch_lines
        found = torch_lines.under_profiler(torch, o.profiler == "torch_stack", o.key_averages, bool(o.lines_out),
                                           lambda: train(torch, o))
        if o.lines_out:
            with open(o.lines_out, "w") as file:
                json.dump(found.pop("lines"), file)
    print("done" if o.seconds else "steps %d done" % found["steps"])
    facts.say(**found)


main()
