#!/usr/bin/env python3
"""What FP32 work takes on this machine's GPU, in the shapes of tests/data/forecast: how h100_steps.csv and h100_kernels.csv were made.

  forecast_steps.py --kernels tests/data/forecast/h100_kernels.csv --out FOLDER [--seconds 280]      with PyTorch, 5 minutes on an H100

The models are those of NeuSight's graphs, node by node, with its way of measuring: eager, TF32 off, an empty cache of memory before each
step, CUDA events, the mean of the fastest few; training is forward and backward, without loss and optimizer. Writes FOLDER/steps.csv and
FOLDER/kernels.csv; rows that do not fit into memory or time are left out.
"""
import argparse
import csv
import math
import os
import time

import torch
from torch import nn
from torch.nn import functional

# kind, width, inner width, heads, layers, words, longest sequence
MODELS = {"bert_large": ("bert", 1024, 4096, 16, 24, 30522, 512), "gpt2_large": ("gpt", 1280, 5120, 20, 36, 50257, 1024),
          "opt_13": ("opt", 2048, 8192, 32, 24, 50272, 2048), "gpt3_xl": ("gpt", 3072, 12288, 24, 24, 50257, 2048),
          "gpt3_27": ("gpt", 2560, 10240, 32, 32, 50257, 2048)}
CASES = {"bert_large": ("inf-512-8", "inf-512-16", "train-512-2", "train-512-8"),
         "gpt2_large": ("inf-1024-4", "inf-1024-8", "train-1024-1", "train-1024-4"),
         "opt_13": ("inf-2048-2", "inf-2048-8", "train-2048-1", "train-2048-2"),
         "gpt3_xl": ("inf-2048-2", "inf-2048-8", "train-2048-1"), "gpt3_27": ("inf-2048-2", "inf-2048-8", "train-2048-1")}


class Block(nn.Module):
    def __init__(self, kind, width, inner, heads):
        super().__init__()
        self.kind, self.heads, self.width = kind, heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        if kind == "gpt":
            self.qkv = nn.Linear(width, 3 * width)
        else:
            self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out, self.up, self.down = nn.Linear(width, width), nn.Linear(width, inner), nn.Linear(inner, width)
        self.drop, self.drop_attention = nn.Dropout(0.1), nn.Dropout(0.0 if kind == "opt" else 0.1)
        self.register_buffer("least", torch.tensor(-1e9))

    def divide(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.heads, -1).transpose(1, 2)

    def join(self, x):
        return x.transpose(1, 2).contiguous().flatten(2)

    def gpt(self, x, mask):
        query, key, value = (self.divide(part) for part in self.qkv(self.norm1(x)).split(self.width, 2))
        scores = torch.matmul(query, key.transpose(-1, -2)) / torch.full([], query.shape[-1]**0.5, device=x.device)
        scores = self.drop_attention(torch.softmax(torch.where(mask, scores, self.least), -1))
        x = self.drop(self.out(self.join(torch.matmul(scores, value)))) + x
        y = self.up(self.norm2(x))
        y = 0.5 * y * (1.0 + torch.tanh(0.7978845608 * (y + 0.044715 * torch.pow(y, 3.0))))
        return x + self.drop(self.down(y))

    def opt(self, x, mask):
        batch, length, width = x.shape
        y = self.norm1(x)
        query = self.query(y) * (width // self.heads)**-0.5
        query, key, value = (self.divide(part).contiguous().flatten(0, 1) for part in (query, self.key(y), self.value(y)))
        scores = torch.bmm(query, key.transpose(1, 2)).view(batch, self.heads, length, length) + mask
        scores = torch.max(scores, self.least).flatten(0, 1)
        y = torch.bmm(self.drop_attention(torch.softmax(scores, -1)), value)
        x = (x + self.drop(self.out(self.join(y.view(batch, self.heads, length, -1))))).view(-1, width)
        return (x + self.drop(self.down(functional.relu(self.up(self.norm2(x)))))).view(batch, length, width)

    def bert(self, x, mask):
        query, key, value = (self.divide(part) for part in (self.query(x), self.key(x), self.value(x)))
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1]) + mask
        y = self.join(torch.matmul(self.drop_attention(torch.softmax(scores, -1)), value))
        x = self.norm1(self.drop(self.out(y)) + x)
        return self.norm2(self.drop(self.down(functional.gelu(self.up(x)))) + x)

    def forward(self, x, mask):
        return getattr(self, self.kind)(x, mask)


class Model(nn.Module):
    def __init__(self, kind, width, inner, heads, layers, words, longest):
        super().__init__()
        self.kind = kind
        self.word, self.place, self.drop = nn.Embedding(words, width), nn.Embedding(longest, width), nn.Dropout(0.1)
        self.blocks = nn.ModuleList(Block(kind, width, inner, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=kind == "bert")
        if kind == "bert":
            self.last, self.last_norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.word(tokens) + self.place(torch.arange(length, device=tokens.device)[None])
        if self.kind == "bert":
            x, mask = self.norm(x), torch.zeros(batch, 1, 1, length, device=x.device)
        elif self.kind == "opt":
            mask = torch.full((length, length), -1e9, device=x.device).triu(1)[None, None]
        else:
            mask = torch.ones(1, 1, length, length, dtype=torch.bool, device=x.device).tril()
        x = self.drop(x)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.last_norm(functional.gelu(self.last(x))) if self.kind == "bert" else self.norm(x))


def step(model, tokens, training):
    """Milliseconds of one step, and of its forward pass."""
    torch.cuda.empty_cache()
    torch.cuda.synchronize()
    begin, middle, end = (torch.cuda.Event(enable_timing=True) for _ in range(3))
    begin.record()
    with torch.set_grad_enabled(training):
        out = model(tokens)
    gradient = torch.ones_like(out) if training else None
    middle.record()
    if training:
        out.backward(gradient)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end), begin.elapsed_time(middle)


def steps(out):
    with open(os.path.join(out, "steps.csv"), "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["case", "ms", "forward_ms"])
        for name, shape in MODELS.items():
            with torch.device("cuda"):
                model = Model(*shape)
            for case in CASES[name]:
                kind, length, batch = case.split("-")
                tokens = torch.randint(0, shape[5], (int(batch), int(length)), device="cuda")
                model.train(kind == "train")
                try:
                    times = sorted(step(model, tokens, kind == "train") for _ in range(8))[:4]
                    rows.writerow([name + "-" + case] + ["%.6g" % (sum(column) / 4) for column in zip(*times)])
                except torch.OutOfMemoryError:
                    print(name, case, "does not fit into memory", flush=True)
                model.zero_grad(set_to_none=True)
            del model


def work_of(row):
    """A function without arguments that does the work of a row."""
    size = {key: int(row[key]) for key in "BMNKH" if row[key]}
    if row["family"] in ("bmm", "linear"):
        left = torch.rand(size["B"], size["M"], size["N"], device="cuda")
        if row["family"] == "linear":
            layer = nn.Linear(size["N"], size["K"], device="cuda")
            return lambda: layer(left)
        right = torch.rand(size["B"], size["N"], size["K"], device="cuda")
        return lambda: torch.bmm(left, right)
    x = torch.rand(size["B"], size["H"], device="cuda")
    if row["family"] == "softmax":
        return lambda: torch.softmax(x, -1)
    if row["family"] == "ln":
        layer = nn.LayerNorm(size["H"], device="cuda")
        return lambda: layer(x)
    name = row["op"].removeprefix("VEC").lower()
    if name in ("tanh", "relu", "gelu"):
        one = {"tanh": torch.tanh, "relu": functional.relu, "gelu": functional.gelu}[name]
        return lambda: one(x)
    two = getattr(torch, name.removesuffix("u"))
    other = 2.5 if name.endswith("u") else torch.rand_like(x)
    return lambda: two(x, other)


def fastest(work, runs=12, kept=4, most_ms=600):
    for _ in range(3):
        work()
    times = []
    while len(times) < runs and (len(times) < kept + 1 or sum(times) < most_ms):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sum(sorted(times)[:kept]) / kept


def kernels(path, out, until):
    with open(path, newline="") as source, open(os.path.join(out, "kernels.csv"), "w", newline="") as file, torch.no_grad():
        reader = csv.DictReader(line for line in source if not line.startswith("#"))
        rows = csv.writer(file)
        rows.writerow(reader.fieldnames)
        for row in reader:
            if time.monotonic() > until:
                print("the time is over", flush=True)
                return
            try:
                row["ms"] = "%.6g" % fastest(work_of(row))
                rows.writerow(row.values())
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=280)
    args = parser.parse_args()
    until = time.monotonic() + args.seconds
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    os.makedirs(args.out, exist_ok=True)
    print(torch.cuda.get_device_name(), torch.__version__, flush=True)
    steps(args.out)
    kernels(args.kernels, args.out, until)


if __name__ == "__main__":
    main()
