#!/usr/bin/env python3
"""How far FLOP and bytes that analyze tells by name and launch are from what the shapes in traces of PyTorch's profiler say.

  launch_work.py GPROFX TRACE.json.gz...

Each elementwise kernel is compared with the elements of its operator's arguments. Prints for each family the part of the kernels' time
that is told, and the error: the median, the largest, and the sum of what was told against that of the shapes."""
import bisect
import collections
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

SIZES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8, "long int": 8, "int": 4, "bool": 1}


def product(dims):
    result = 1
    for size in dims:
        result *= size
    return result


def kernels_of(trace):
    """(kernel event, innermost operator at its launch) of each kernel."""
    events = trace["traceEvents"]
    calls = {e["args"]["correlation"]: e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
    operators = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "cpu_op":
            operators[event["tid"]].append((event["ts"], event["ts"] + event["dur"], event))
    for list_ in operators.values():
        list_.sort(key=lambda each: each[:2])
    for event in events:
        if event.get("cat") != "kernel":
            continue
        call = calls.get(event["args"].get("correlation"))
        found = None
        if call:
            of = operators[call["tid"]]
            at = bisect.bisect(of, (call["ts"], float("inf"))) - 1
            for begin, end, operator in of[max(at - 200, 0):at + 1]:
                if begin <= call["ts"] and call["ts"] + call["dur"] <= end + 0.001:
                    found = operator  # the latest begin is the innermost
        yield event, found


def elements_of(operator):
    """Of what an elementwise operator makes: its arguments, broadcast."""
    shapes = [dims for dims in (operator or {}).get("args", {}).get("Input Dims", []) if dims and all(isinstance(size, int) for size in dims)]
    if not shapes:
        return None
    rank = max(map(len, shapes))
    padded = [[1] * (rank - len(dims)) + dims for dims in shapes]
    return product(max(sizes) for sizes in zip(*padded))


def bytes_of(operator):
    """Of an operator over arguments of one shape and type, and what it makes of them; nothing for others."""
    args = operator["args"]
    tensors = [(dims, kind) for dims, kind in zip(args["Input Dims"], args["Input type"]) if dims and kind in SIZES]
    if operator["name"] == "aten::copy_":  # self is what is made
        tensors = tensors[:2]
        return sum(product(dims) * SIZES[kind] for dims, kind in tensors) if len(tensors) == 2 and tensors[0][0] == tensors[1][0] else None
    if len({(tuple(dims), kind) for dims, kind in tensors}) != 1 or operator["name"].endswith(("_", "eq", "ne", "out")):
        return None
    return (len(tensors) + 1) * product(tensors[0][0]) * SIZES[tensors[0][1]]


def told_by(gprofx, path):
    """(kernel, grid) -> row of A8."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "trace.gprofx")
        subprocess.run([gprofx, "import", "-q", "-o", profile, path], check=True)
        table = json.loads(subprocess.run([gprofx, "analyze", "--json", "--phase", "all", "A8", profile], check=True, capture_output=True,
                                          text=True).stdout)["analyses"][0]
    return {(row["kernel"], row["grid"]): row for row in table["rows"]}


def main():
    for path in sys.argv[2:]:
        with gzip.open(path) as file:
            trace = json.load(file)
        rows = told_by(sys.argv[1], path)
        whole = sum(row["gpu_ns"] for row in rows.values())
        told, errors, sums, moved = collections.Counter(), collections.defaultdict(list), collections.defaultdict(lambda: [0, 0]), []
        for row in rows.values():
            told[row["family"], row["work_from"].split(":")[0]] += row["gpu_ns"]
        for event, operator in kernels_of(trace):
            row = rows.get((event["name"], "x".join(map(str, event["args"].get("grid", ())))))
            if row is None or not row["work_from"].startswith("name"):
                continue
            elements = elements_of(operator)
            if not elements:
                continue
            if row["flop"]:
                one = row["flop"] / row["count"]
                errors[row["family"]].append(one / elements - 1)
                sums[row["family"]][0] += one
                sums[row["family"]][1] += elements
            truth = bytes_of(operator) if row["bytes"] else None
            if truth:
                moved.append(row["bytes"] / row["count"] / truth - 1)
        print(os.path.basename(path))
        for (family, source), ns in told.most_common():
            if ns >= 0.005 * whole:
                print("  %-12s %5.1f%% of the kernels' time  %s" % (family, 100 * ns / whole, source))
        for family, each in errors.items():
            each = [abs(error) for error in each]
            print("  FLOP of %s: %d kernels compared, median error %.2f%%, largest %.2f%%, of the sum %+.2f%%" % (
                family, len(each), 100 * statistics.median(each), 100 * max(each), 100 * (sums[family][0] / sums[family][1] - 1)))
        if moved:
            print("  bytes: %d kernels compared, median error %.2f%%, largest %.2f%%" % (
                len(moved), 100 * statistics.median(map(abs, moved)), 100 * max(map(abs, moved))))


main()
