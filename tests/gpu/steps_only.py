#!/usr/bin/env python3
"""Makes a recording small enough for git: what steps are found by, and nothing else.

  steps_only.py IN.gprofx OUT.gprofx BEGIN_NS END_NS

Kept are GPU operations, launches and waits that began between the two times, the call paths above them, and the names of those. Texts of
paths lose what stands before site-packages or the last two folders. Markers go: steps are found by what the program did.
"""
import ctypes
import os
import shutil
import sqlite3
import struct
import sys

import streams

KERNELS, COPIES, SETS, CALLS, LEVELS, LAUNCHES = 3, 4, 5, 7, 12, 13
# Of each stream: its time, node, string, config columns by number (1-based; 0 = none).
COLUMNS = {KERNELS: (1, 3, 5, 0, 7), COPIES: (1, 3, 5, 0, 0), SETS: (1, 3, 5, 0, 0), CALLS: (1, 1, 4, 5, 0), LEVELS: (1, 1, 0, 0, 0),
           LAUNCHES: (1, 1, 3, 0, 0)}
ROWS = 65536


def zigzag(values):
    out, before = bytearray(), 0
    for value in values:
        z = (value - before) << 1 if value >= before else ((before - value) << 1) - 1
        before = value
        while z >= 0x80:
            out.append(z & 0x7F | 0x80)
            z >>= 7
        out.append(z)
    return bytes(out)


def chunk(columns, zstd):
    rows = len(next(iter(columns.values())))
    directory, frames = b"", b""
    for number in sorted(columns):
        raw = zigzag(columns[number])
        room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(raw)))
        size = zstd.ZSTD_compress(room, len(room), raw, len(raw), 19)
        directory += struct.pack("<HHII", number, 2, len(raw), size)
        frames += room.raw[:size]
    return struct.pack("<IHH", rows, len(columns), 0) + directory + frames


def short(path):
    for mark in ("site-packages/", "dist-packages/", "/lib/python3"):
        if mark in path:
            return "/python" + path[path.index(mark):] if mark[0] == "/" else "/python/" + path[path.index(mark):]
    parts = path.split("/")
    return "/" + "/".join(parts[-2:]) if path.startswith("/") and len(parts) > 3 else path


class Table:
    """Ids of a table that are used, as numbers from 1 on without gaps."""

    def __init__(self, used):
        self.number = {old: new for new, old in enumerate(sorted(used - {0}), 1)}
        self.number[0] = 0


def main(source, target, begin, end):
    zstd = streams.library()
    zstd.ZSTD_compress.restype = zstd.ZSTD_compressBound.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    shutil.copyfile(source, target)
    db = sqlite3.connect(target)
    tables = {s: streams.read(db, s) for s in COLUMNS}
    for stream, columns in tables.items():
        start, launch = COLUMNS[stream][:2]
        keep = [i for i, t in enumerate(columns.get(start, [])) if begin <= (columns[launch][i] or t) < end]
        tables[stream] = {n: [v[i] for i in keep] for n, v in columns.items()}

    def used(index):
        return {v for s, c in tables.items() if COLUMNS[s][index] and c for v in c[COLUMNS[s][index]]}
    parents = dict(db.execute("SELECT id, parent FROM node"))
    nodes = {1}
    for node in used(2):
        while node and node not in nodes:
            nodes.add(node)
            node = parents[node]
    rows = {t: db.execute("SELECT * FROM " + t).fetchall() for t in
            ("node", "frame", "function", "string", "module", "process", "thread", "gpu_kernel_config", "gpu_device")}
    node = Table(nodes)
    frames = Table({r[2] for r in rows["node"] if r[0] in nodes})
    configs = Table(used(4))
    functions = Table({r[2] for r in rows["frame"] if r[0] in frames.number} | {r[1] for r in rows["gpu_kernel_config"] if r[0] in configs.number})
    modules = Table({r[5] for r in rows["frame"] if r[0] in frames.number} | {r[4] for r in rows["function"] if r[0] in functions.number})
    strings = Table({r[3] for r in rows["frame"] if r[0] in frames.number} |
                    {x for r in rows["function"] if r[0] in functions.number for x in (r[1], r[2])} |
                    {x for r in rows["module"] if r[0] in modules.number for x in (r[1],)} |
                    {r[3] for r in rows["process"]} | {r[3] for r in rows["thread"]} | {r[1] for r in rows["gpu_device"]} | used(3))
    texts, ids = {}, {0: 0}  # short paths may become equal, texts are unique
    for i, text in rows["string"]:
        if i in strings.number and i:
            ids[i] = texts.setdefault(short(text) if isinstance(text, str) else text, len(texts) + 1)
    n, f, g, m, c = node.number, frames.number, functions.number, modules.number, configs.number
    fresh = {
        "node": [(n[i], n[p], f[r]) for i, p, r in rows["node"] if i in nodes],
        "frame": [(f[r[0]], r[1], g[r[2]], ids[r[3]], r[4], m[r[5]], r[6]) for r in rows["frame"] if r[0] and r[0] in f],
        "function": [(g[r[0]], ids[r[1]], ids[r[2]], r[3], m[r[4]]) for r in rows["function"] if r[0] in g],
        "module": [(m[r[0]], ids[r[1]], 0, r[3]) for r in rows["module"] if r[0] in m],
        "string": [(i, t) for t, i in texts.items()],
        "process": [(r[0], r[0] + 1000, 0, ids[r[3]], 0, *r[5:]) for r in rows["process"]],
        "thread": [(r[0], r[1], r[0] + 2000, ids[r[3]], *r[4:]) for r in rows["thread"]],
        "gpu_kernel_config": [(c[r[0]], g[r[1]], *r[2:]) for r in rows["gpu_kernel_config"] if r[0] in c],
        "gpu_device": [(r[0], ids[r[1]], 0, 0, *r[4:10], 0) for r in rows["gpu_device"]],
    }
    every = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in set(every) - {"meta", "quality", "stream", "metric", "gpu_context", "gpu_stream"}:
        db.execute("DELETE FROM " + table)
    for table, values in fresh.items():
        if values:
            db.executemany("INSERT INTO %s VALUES(%s)" % (table, ",".join("?" * len(values[0]))), values)
    db.execute("DELETE FROM meta WHERE name IN ('phases', 'command', 'host', 'kernel', 'cpu_model', 'recording_id', 'rank', 'gpu_cupti') "
               "OR name LIKE 'recorder_ns_%'")
    db.execute("DELETE FROM quality WHERE name LIKE 'gpu_pc%' OR name LIKE '%cubin%'")
    db.execute("UPDATE stream SET rows = 0")
    for stream, columns in tables.items():
        _, _, of_node, of_string, of_config = COLUMNS[stream]
        for column, numbers in ((of_node, n), (of_string, ids), (of_config, c)):
            if column and columns.get(column):
                columns[column] = [numbers[v] for v in columns[column]]
        count = len(columns.get(1, []))
        for at in range(0, count, ROWS):
            part = {k: v[at:at + ROWS] for k, v in columns.items()}
            db.execute("INSERT INTO chunk(stream, t_begin, t_end, rows, codec, data) VALUES(?,?,?,?,1,?)",
                       (stream, min(part[1]), max(part[1]), len(part[1]), chunk(part, zstd)))
        db.execute("UPDATE stream SET rows = ? WHERE id = ?", (count, stream))
    db.commit()
    db.execute("VACUUM")
    db.close()
    print("%s: %d bytes" % (target, os.path.getsize(target)))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
