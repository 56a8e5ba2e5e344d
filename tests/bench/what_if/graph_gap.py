#!/usr/bin/env python3
"""What a kernel takes less in a CUDA graph than alone: the constant behind `gprof-x analyze --what-if graphs` (kGraphOverlap).

usage: graph_gap.py [--gprof-x PROGRAM] [--python PYTHON] [--seconds 1.5] [NAME...]
Of each program three processes: one launches its kernels one by one, one replays a graph of them, both recorded with --overhead none;
the last replays it bare. The first one's time of kernels less the bare step, shared among the kernels, is what is looked for. For a
machine with a GPU.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

WARM = 20


def transformer(torch):
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), torch.randn(4, 64, 512)


def resnet(torch):
    import torchvision
    return torchvision.models.resnet18(), torch.randn(4, 3, 128, 128)


def mlp(torch):
    return torch.nn.Sequential(*[m for _ in range(16) for m in (torch.nn.Linear(512, 512), torch.nn.GELU())]), torch.randn(64, 512)


def chain(torch):
    class Chain(torch.nn.Module):
        def forward(self, x):
            for _ in range(40):
                x = torch.softmax(x * 1.5 + 1, -1)
            return x
    return Chain(), torch.randn(512, 1024)


MODELS = {f.__name__: f for f in (transformer, resnet, mlp, chain)}


def train_step(torch, model, x):
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)

    def step():
        optimizer.zero_grad(set_to_none=False)
        model(x).square().mean().backward()
        optimizer.step()
    return step


def infer_step(torch, model, x):
    def step():
        with torch.no_grad():
            model(x)
    return step


def captured(torch, step):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def run(name, how, seconds):
    import torch
    model, mode = name.rsplit("-", 1)
    model, x = (part.cuda() for part in MODELS[model](torch))
    step = (train_step if mode == "train" else infer_step)(torch, model, x)
    if how == "graph":
        step = captured(torch, step)
    for _ in range(WARM):
        step()
    torch.cuda.synchronize()
    took, end = [], time.perf_counter() + seconds
    while not took or time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(20):
            step()
        torch.cuda.synchronize()
        took.append((time.perf_counter() - begin) / 20)
    print(json.dumps({"step_ns": statistics.median(took) * 1e9, "steps": WARM + 20 * len(took)}))


class Program:
    def __init__(self, name, options):
        self.name, self.options = name, options

    def run(self, how, record=()):
        command = [*record, self.options.python, os.path.abspath(__file__), self.name, "--run", how, "--seconds", str(self.options.seconds)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("%s: %s" % (self.name, done.stderr.strip()[-500:]))
        return json.loads(done.stdout.splitlines()[-1])

    def kernels(self, how):
        """(kernels, their nanoseconds) of a step."""
        gprof_x = self.options.gprof_x
        with tempfile.TemporaryDirectory() as folder:
            profile = os.path.join(folder, "p.gprofx")
            steps = self.run(how, [gprof_x, "record", "-q", "--overhead", "none", "-o", profile, "--"])["steps"]
            report = [gprof_x, "report", "--by", "kernel", "--phase", "all", "--top", "1000", "--json", profile]
            rows = json.loads(subprocess.run(report, capture_output=True, text=True, check=True).stdout)["rows"]
        return [sum(row[key] for row in rows) / steps for key in ("calls", "self")]


def main():
    names = [name + "-" + mode for name in MODELS for mode in ("infer", "train")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=names)
    parser.add_argument("--gprof-x", default=os.environ.get("GPROF_X", "gprof-x"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--run", choices=("eager", "graph"), help="used inside")
    options = parser.parse_args()
    if options.run:
        return run(options.names[0], options.run, options.seconds)
    print("%-18s %8s %8s %12s %12s %12s %10s" % ("program", "kernels", "in graph", "kernels us", "in graph us", "replay us", "less, us"))
    for name in options.names:
        program = Program(name, options)
        (count, ns), (in_graph, graph_ns) = program.kernels("eager"), program.kernels("graph")
        replay = program.run("graph")["step_ns"]
        print("%-18s %8.1f %8.1f %12.1f %12.1f %12.1f %10.3f" %
              (name, count, in_graph, ns / 1000, graph_ns / 1000, replay / 1000, (ns - replay) / count / 1000), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
