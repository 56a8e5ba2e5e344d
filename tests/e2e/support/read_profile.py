#!/usr/bin/env python3
"""Reads a .gprofx file with nothing but its manual page, gprof-x-format(5), and prints its totals.

An oracle for tests: it shares no code with gprof-x. Exit status 1 if an invariant of the format is broken.
usage: read_profile.py FILE
"""
import sqlite3
import struct
import subprocess
import sys

APPLICATION_ID = 0x47505246
CPU_SAMPLES, VALUES, PC_SAMPLES, STEADY_VALUES = 1, 2, 9, 11
TIMELESS = (PC_SAMPLES, STEADY_VALUES)


def fail(message):
    sys.exit("read_profile.py: " + message)


def decompress(frames):
    """Frames are standard zstd; several in a row decompress to their contents in a row."""
    run = subprocess.run(["zstd", "-dc"], input=b"".join(frames), capture_output=True)
    if run.returncode != 0:
        fail("zstd: " + run.stderr.decode())
    return run.stdout


def varints(raw):
    value = shift = 0
    for byte in raw:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def signed(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def decode(encoding, raw):
    if encoding == 1:
        return [signed(value) for value in varints(raw)]
    if encoding != 2:
        fail("unknown encoding %d" % encoding)
    numbers, last = [], 0
    for value in varints(raw):
        last += value >> 1 if value & 1 == 0 else -((value + 1) >> 1)
        numbers.append(signed(last))
    return numbers


def read_chunk(data):
    """The columns of one chunk: {column: numbers}."""
    rows, columns, reserved = struct.unpack_from("<IHH", data)
    if rows > 65536 or reserved != 0:
        fail("bad chunk header")
    directory = [struct.unpack_from("<HHII", data, 8 + 12 * i) for i in range(columns)]
    at, frames = 8 + 12 * columns, []
    for _, _, _, frame_size in directory:
        frames.append(data[at:at + frame_size])
        at += frame_size
    if at != len(data):
        fail("a chunk has %d bytes, its directory says %d" % (len(data), at))
    raw, answer, at = decompress(frames), {}, 0
    for column, encoding, raw_size, _ in directory:
        answer[column] = decode(encoding, raw[at:at + raw_size])
        at += raw_size
        if len(answer[column]) != rows:
            fail("column %d has %d rows instead of %d" % (column, len(answer[column]), rows))
    return rows, answer


def read_stream(db, stream):
    for t_begin, t_end, rows, codec, data in db.execute(
            "SELECT t_begin, t_end, rows, codec, data FROM chunk WHERE stream=? ORDER BY id", (stream,)):
        if codec != 1:
            fail("unknown codec %d" % codec)
        found, columns = read_chunk(data)
        if found != rows:
            fail("a chunk has %d rows, its table row says %d" % (found, rows))
        yield t_begin, t_end, columns


def check_tree(db):
    nodes = list(db.execute("SELECT id, parent FROM node ORDER BY id"))
    for place, (node, parent) in enumerate(nodes, 1):
        if node != place or not (parent == 0 if node == 1 else 1 <= parent < node):
            fail("node %d has parent %d" % (node, parent))
    return len(nodes)


def check_values(db):
    """In a finished profile the stream of values repeats the table row by row."""
    if db.execute("SELECT value FROM meta WHERE name='complete'").fetchone()[0] != "yes":
        return
    rows = iter(db.execute("SELECT node, thread, metric, self FROM value ORDER BY id"))
    for _, _, columns in read_stream(db, VALUES):
        for row in zip(columns[1], columns[2], columns[3], columns[4]):
            if row != next(rows, None):
                fail("stream 2 differs from table value")
    if next(rows, None) is not None:
        fail("stream 2 is shorter than table value")


def check_events(db):
    """Streams of events: rows as counted, columns as named, times as said."""
    streams = list(db.execute("SELECT id, rows, columns FROM stream WHERE id > ?", (VALUES,)))
    for stream, expected, names in streams:
        rows = 0
        for t_begin, t_end, columns in read_stream(db, stream):
            rows += len(columns[1])
            if sorted(columns) != [int(name.split()[0]) for name in names.split(", ")]:
                fail("stream %d has other columns than it says" % stream)
            times = [0] if stream in TIMELESS else columns[1]
            if min(times) != t_begin or max(times) != t_end:
                fail("the times of a chunk are not those of its events")
        if rows != expected:
            fail("stream %d has %d rows, it says %d" % (stream, rows, expected))


def all_bytes(path):
    """Whatever a search for a text in the file would want to see: its bytes and its chunks, decompressed."""
    with open(path, "rb") as file:
        found = [file.read()]
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    for (data,) in db.execute("SELECT data FROM chunk"):
        columns = struct.unpack_from("<IHH", data)[1]
        found.append(decompress([data[8 + 12 * columns:]]))
    return b"\n".join(found)


def main(path):
    db = sqlite3.connect("file:%s?mode=ro" % path.replace("%", "%25").replace("?", "%3f"), uri=True)
    db.text_factory = bytes
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        fail("not a profile")
    if db.execute("PRAGMA user_version").fetchone()[0] // 1000 != 1:
        fail("unknown major version of the schema")
    db.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
    nodes = check_tree(db)
    check_values(db)
    check_events(db)
    print("complete", db.execute("SELECT value FROM meta WHERE name='complete'").fetchone()[0])
    print("nodes", nodes)
    for metric, name in db.execute("SELECT id, name FROM metric ORDER BY id"):
        total = sum(row[0] for row in db.execute("SELECT self FROM value WHERE metric=?", (metric,)))
        print("metric", name, total)
    samples = weight = 0
    for t_begin, t_end, columns in read_stream(db, CPU_SAMPLES):
        if min(columns[1]) != t_begin or max(columns[1]) != t_end:
            fail("the times of a chunk are not those of its samples")
        if max(columns[3]) > nodes:
            fail("a sample names a node that does not exist")
        samples += len(columns[1])
        weight += sum(columns[4])
    if samples != db.execute("SELECT rows FROM stream WHERE id=1").fetchone()[0]:
        fail("stream.rows is wrong")
    print("samples", samples)
    print("weight", weight)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
