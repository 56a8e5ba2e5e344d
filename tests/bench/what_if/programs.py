#!/usr/bin/env python3
"""Pairs of PyTorch programs: as people write them, and repaired.

usage: programs.py before|repaired NAME
Makes steps for a quarter of a second whenever it gets a line, and tells what one took by its own clock, the device having done all of it
(turns.py). Status 77: PyTorch or a GPU is not there.
"""
import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from turns import serve  # noqa: E402

WARM_SECONDS, SECONDS, SETTLE = 0.4, 0.25, 2
NOT_THERE = 77


def mlp(torch, layers, width, dtype=None):
    blocks = []
    for _ in range(layers):
        blocks += [torch.nn.Linear(width, width), torch.nn.GELU()]
    return torch.nn.Sequential(*blocks).to("cuda", dtype)


def training(torch, layers, width, batch, **options):
    model = mlp(torch, layers, width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, **options)
    x, y = torch.randn(batch, width, device="cuda"), torch.randn(batch, width, device="cuda")

    def train_step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss
    return train_step


def loss_item(torch, repaired):
    """The loss of each step is read on the host."""
    train_step = training(torch, layers=16, width=2048, batch=1024)
    total = {"host": 0.0, "device": torch.zeros((), device="cuda")}

    def step():
        loss = train_step()
        if repaired:
            total["device"] += loss.detach()
        else:
            total["host"] += loss.item()  # sync of loss_item
    return step


def pageable(torch, repaired):
    """Batches come from pageable memory, after some work of the host."""
    model = mlp(torch, 6, 4096, torch.bfloat16)
    batches = [torch.randn(4096, 4096) for _ in range(4)]
    if repaired:
        batches = [batch.pin_memory() for batch in batches]
    numbers, at = [random.random() for _ in range(10_000)], {"step": 0}

    def step():
        sorted(numbers)  # what an augmentation costs
        at["step"] += 1
        x = batches[at["step"] % 4].cuda(non_blocking=repaired)
        with torch.no_grad():
            model(x.to(torch.bfloat16))
    return step


def chain(x):
    for _ in range(100):
        x = x * 1.0001
        x = x + 0.001
    return x


def small_ops(torch, repaired):
    """Two hundred element-wise operations between two products of matrices."""
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    x = torch.randn(512, 1024, device="cuda")
    run = fused_chain(torch, x) if repaired else chain

    def step():
        torch.mm(a, a)
        run(x)
        torch.mm(a, a)
    return step


def fused_chain(torch, x):
    body = "template <typename T> T chain(T x) { for (int i = 0; i < 100; ++i) { x = x * T(1.0001); x = x + T(0.001); } return x; }"
    try:
        run = torch.cuda.jiterator._create_jit_fn(body)
        if torch.allclose(run(x), chain(x)):
            return run
    except Exception as error:  # whatever a private interface throws: the public one is slower to start
        print("jiterator: %s" % " ".join(str(error).split())[:200], file=sys.stderr)
    run = torch.compile(chain)
    return run


def graphs(torch, repaired):
    """Training of a small MLP: many small launches, or one graph."""
    train_step = training(torch, layers=8, width=256, batch=64, capturable=True)
    if not repaired:
        return train_step
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            train_step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        train_step()
    return graph.replay


def print_value(torch, repaired):
    """A loop that the host limits prints a value of the device in each pass."""
    model = mlp(torch, 12, 1024, torch.bfloat16)
    x = torch.randn(2048, 1024, device="cuda", dtype=torch.bfloat16)
    sink, at = open(os.devnull, "w"), {"step": 0}

    def step():
        at["step"] += 1
        with torch.no_grad():
            mean = model(x).float().mean()
        value = at["step"] if repaired else mean.item()  # sync of print_value
        print("step", at["step"], "mean", value, file=sink)
    return step


def metrics_cpu(torch, repaired):
    """Metrics of each batch are moved to the host at once; repaired: when all is done."""
    model = mlp(torch, 10, 2048, torch.bfloat16)
    x = torch.randn(4096, 2048, device="cuda", dtype=torch.bfloat16)
    labels = torch.randint(0, 2048, (4096,), device="cuda")
    kept = []

    def step():
        with torch.no_grad():
            scores = model(x)
            hits = (scores.argmax(-1) == labels).float().mean()
            norm = scores.float().norm()
            metrics = torch.stack([hits, norm])
            kept.append(metrics if repaired else metrics.cpu())  # sync of metrics_cpu
        if len(kept) > 1000:
            kept.clear()
    return step


def small_ops_memory(torch, repaired):
    """The same between two copies of 512 MB: work that the clocks of the GPU do not change."""
    a, b = (torch.empty(128 << 20, device="cuda") for _ in range(2))
    x = torch.randn(512, 1024, device="cuda")
    run = fused_chain(torch, x) if repaired else chain

    def step():
        b.copy_(a)
        run(x)
        a.copy_(b)
    return step


PAIRS = {f.__name__: f
         for f in (loss_item, pageable, small_ops, small_ops_memory, graphs, print_value, metrics_cpu)}


def run_for(step, seconds, synchronize):
    """Milliseconds of a step: at least 10 of them, after some that do not count. All from one line: one loop in a recording."""
    begin, steps = 0, -SETTLE
    while steps < 10 or time.perf_counter() - begin < seconds:
        if steps == 0:
            synchronize()
            begin = time.perf_counter()
        step()
        steps += 1
        if steps % 100 == 0:
            synchronize()  # a host that is far ahead does not see how long it has run
    synchronize()
    return 1000 * (time.perf_counter() - begin) / steps


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("before", "repaired") or sys.argv[2] not in PAIRS:
        sys.exit("usage: programs.py before|repaired NAME; names: " + " ".join(PAIRS))
    try:
        import torch
    except ImportError:
        sys.exit(NOT_THERE)
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(NOT_THERE)
    torch.backends.cuda.matmul.allow_tf32 = True
    step = PAIRS[sys.argv[2]](torch, sys.argv[1] == "repaired")
    run_for(step, WARM_SECONDS, torch.cuda.synchronize)
    serve(lambda: run_for(step, SECONDS, torch.cuda.synchronize))


if __name__ == "__main__":
    main()
