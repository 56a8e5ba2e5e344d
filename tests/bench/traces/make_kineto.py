#!/usr/bin/env python3
"""Writes a large trace of the PyTorch profiler, for what `gprof-x import` takes of time and memory:

  make_kineto.py 2000 > big.json              (2 GB, made here)
  make_kineto.py 2000 TRACE.gz > big.json     (2 GB, a real trace again and again)
  /usr/bin/time -v gprof-x import -o big.gprofx big.json

Made here: one step after the other, with the nesting, the arguments and the flow arrows of real traces, their mean size of an
event (300 bytes) and one kernel for each eight host events. A real trace is repeated as its tool wrote it, with later times and
ids of its own.
"""
import gzip
import json
import re
import sys


def step(number, out):
    start = 1_700_000_000_000_000.0 + number * 10_000.0
    correlation = number * 40 + 1
    events = []

    def add(category, name, pid, tid, at, duration, args):
        events.append('{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": %d, "ts": %.3f, "dur": %.3f, "args": {%s}}'
                      % (category, name, pid, tid, start + at, duration, args))

    add("user_annotation", "ProfilerStep#%d" % number, 100, 100, 0, 9990, '"External id": %d' % correlation)
    for layer in range(20):
        at, shape = 20 + layer * 480, '"Input Dims": [[32, 128, 1024], [1024, 1024], []], "Input type": ["c10::BFloat16"], '
        add("python_function", "nn.Module: Linear_%d" % layer, 100, 100, at, 450, '"Python id": %d' % layer)
        add("python_function", "torch/nn/modules/linear.py(%d): forward" % 124, 100, 100, at + 2, 440, '"Python parent id": 7')
        for op in range(3):
            add("cpu_op", ("aten::linear", "aten::addmm", "aten::copy_")[op], 100, 100, at + 10 + op * 20, 300 - op * 60,
                shape + '"External id": %d, "Ev Idx": %d' % (correlation, op))
        add("cuda_runtime", "cudaLaunchKernel", 100, 100, at + 60, 4.125, '"correlation": %d, "cbid": 211' % correlation)
        events.append('{"ph": "s", "id": %d, "pid": 100, "tid": 100, "ts": %.3f, "cat": "ac2g", "name": "ac2g"}'
                      % (correlation, start + at + 60))
        events.append('{"ph": "f", "id": %d, "pid": 0, "tid": 7, "ts": %.3f, "cat": "ac2g", "name": "ac2g", "bp": "e"}'
                      % (correlation, start + at + 70))
        add("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float>>(int)",
            0, 7, at + 70, 100.25, '"device": 0, "context": 1, "stream": 7, "correlation": %d, "registers per thread": 32, '
            '"grid": [1024, 1, 1], "block": [128, 1, 1], "warps per SM": 62.060606, "est. achieved occupancy %%": 97'
            % correlation)
        correlation += 1
    out.write(",\n".join(events))


# What differs between two copies of an event.
SHIFTED = re.compile(r'("(?:ts|id|correlation|External id|Ev Idx|Python id|Python parent id|Sequence number|Record function id)": *)'
                     r'(\d+)((?:\.\d+)?)(?=[,\s}])')


def repeat(megabytes, path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        text = file.read()
    begin = text.index("[", text.index('"traceEvents"')) + 1
    end = json.JSONDecoder().raw_decode(text, begin - 1)[1] - 1
    pieces = SHIFTED.split(text[begin:end])  # text, key, number, fraction, text, ...
    numbers = [int(number) for number in pieces[2::4]]
    is_time = [key.startswith('"ts"') for key in pieces[1::4]]
    times = [number for number, time in zip(numbers, is_time) if time and number]
    span = max(times) - min(times) + 1000
    ids = max(number for number, time in zip(numbers, is_time) if not time and number < 2 ** 31) + 1
    out, written, copy = sys.stdout, 0, 0
    out.write(text[:begin])
    while written < megabytes * 1_000_000:
        if copy:
            out.write(",")
        pieces[2::4] = [str(number + (span if time else ids) * copy) if number else "0" for number, time in zip(numbers, is_time)]
        made = "".join(pieces)
        out.write(made)
        written += len(made)
        copy += 1
    out.write(text[end:])


def make(megabytes):
    out, written, number = sys.stdout, 0, 0
    out.write('{"schemaVersion": 1, "traceEvents": [\n')
    while written < megabytes * 1_000_000:
        if number:
            out.write(",\n")
        step(number, out)
        number += 1
        written += 37_200
    out.write("\n]}\n")


if len(sys.argv) > 2:
    repeat(float(sys.argv[1]), sys.argv[2])
else:
    make(float(sys.argv[1]))
