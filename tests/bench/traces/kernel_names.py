#!/usr/bin/env python3
"""Names of GPU kernels in recordings of real programs, with their time: kernel_names.py FOLDER... >names.tsv

Reads .gprofx, Nsight Systems' .sqlite and PyTorch's .json, also .gz and .zst, below each folder. Lines: nanoseconds, tab, name.
GPROFX_KERNEL_NAMES=names.tsv build/release/bin/core_test "names of most of the time have a family" then says whether the table of
core/kernels/kernel_family_table.cpp knows them."""
import collections
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

PROFILE = """SELECT s.text, sum(v.self) FROM value v JOIN metric m ON m.id = v.metric JOIN node n ON n.id = v.node
    JOIN frame f ON f.id = n.frame JOIN function u ON u.id = f.function JOIN string s ON s.id = u.name WHERE m.name = 'gpu' GROUP BY 1"""
NSIGHT = """SELECT s.value, sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName GROUP BY 1"""


def from_database(path, query):
    file = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    try:
        return list(file.execute(query))
    finally:
        file.close()


def from_trace(text):
    events = json.loads(text, strict=False)
    events = events.get("traceEvents", []) if isinstance(events, dict) else events
    return [(e["name"], int(1000 * e.get("dur", 0))) for e in events if str(e.get("cat", "")).lower() == "kernel"]


def names_of(path):
    plain, data = path, None
    if path.endswith(".zst"):
        plain, data = path[:-4], subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    elif path.endswith(".gz"):
        plain, data = path[:-3], gzip.open(path).read()
    if plain.endswith(".json"):
        return from_trace(data if data is not None else open(path, "rb").read())
    query = {".gprofx": PROFILE, ".sqlite": NSIGHT}.get(os.path.splitext(plain)[1])
    if query is None:
        return []
    if data is None:
        return from_database(path, query)
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(data)
        copy.flush()
        return from_database(copy.name, query)


def main():
    times = collections.Counter()
    for folder in sys.argv[1:]:
        for place, _, files in os.walk(folder):
            for name in files:
                for kernel, ns in names_of(os.path.join(place, name)):
                    times[kernel] += ns
    for name, ns in times.most_common():
        print("%d\t%s" % (ns, name))


if __name__ == "__main__":
    main()
