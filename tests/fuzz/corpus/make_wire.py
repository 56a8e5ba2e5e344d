#!/usr/bin/env python3
"""Writes the seed corpus of fuzz_wire: pokes of 16 bytes (area, index, field, spread, value) into a valid recording."""
import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wire")
HEADER, MODULES, ARENA, NODES, RINGS, ENTRIES, GPU, STREAM = range(8)
MOST = 0xFFFFFFFFFFFFFFFF


def poke(area, index, field, value, spread=0):
    return struct.pack("<BHBIQ", area, index, field, spread, value & MOST)


SEEDS = {
    "untouched": b"",
    "head-far": poke(RINGS, 0, 64, MOST),
    "head-behind-tail": poke(RINGS, 0, 128, 100),
    "slots-all": poke(HEADER, 336, 0, MOST),
    "module-path-end": poke(MODULES, 0, 32, (32 << 20) - 1),
    "module-id-long": poke(MODULES, 0, 72, MOST),
    "code-chars": poke(ARENA, 4, 12, MOST),
    "code-table": poke(ARENA, 5, 4, MOST),
    "code-width": poke(ARENA, 4, 9, 4),
    "node-self-parent": poke(NODES, 3, 8, 3),
    "node-far": poke(ENTRIES, 0, 8, MOST),
    "time-far": poke(ENTRIES, 1, 0, MOST),
    "thread-ended": poke(RINGS, 0, 0, 1 << 32 | 2),
    "generation": poke(RINGS, 1, 4, 7 << 32 | 9),
    "wall": bytes([1]) + poke(MODULES, 0, 0, 1)[1:] + poke(RINGS, 0, 24, MOST),
    "gpu-head-far": poke(GPU, 1, 0, MOST),
    "gpu-record-size": poke(STREAM, 0, 4, 7),
    "gpu-time": poke(STREAM, 62, 0, MOST),
    "launch-twice": poke(ENTRIES, 5, 8, 1 << 32 | 3),
    "many": b"".join(poke(area, i, 8 * i % 64, MOST >> i) for i in range(12) for area in range(5)),
}

for name, data in SEEDS.items():
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)
