"""Reads what gprof-x export writes, with Python's own library only: sums by metric, in ns, and own values by function.

The readers follow the published formats and share no code with gprof-x. Each returns {"cpu": ns, "gpu": ns, ...} with what the format
carries, and functions() those of one metric by name.
"""
import collections
import csv
import gzip
import json
import re
import sqlite3
import struct
from decimal import Decimal


def fields(message):
    """(number, value) of a protobuf message; a value is an int or bytes."""
    at, size = 0, len(message)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < size:
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
        elif kind == 1:
            yield tag >> 3, int.from_bytes(message[at:at + 8], "little")
            at += 8
        elif kind == 2:
            length = varint()
            assert at + length <= size, "a field is longer than its message"
            yield tag >> 3, message[at:at + length]
            at += length
        else:
            raise AssertionError("wire type %d" % kind)


def packed(message):
    value = shift = 0
    for byte in message:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def load_json(path):
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        return json.loads(file.read().decode("utf-8"), parse_float=Decimal)


def to_ns(number, scale):
    ns = number * scale
    assert ns == int(ns), "%s is no whole number of ns" % number
    return int(ns)


class Firefox:
    def __init__(self, path):
        self.json = load_json(path)
        self.strings = self.json["shared"]["stringArray"]
        self.threads = self.json["threads"]

    @staticmethod
    def is_stream(thread):
        return any(data["type"] == "gpu" for data in thread["markers"]["data"])

    def sums(self):
        sums = collections.Counter()
        for thread in self.threads:
            stream = self.is_stream(thread)
            sums["gpu" if stream else "cpu"] += sum(to_ns(w, 10 ** 6) for w in thread["samples"]["weight"])
            marks = thread["markers"]
            for start, end, data in zip(marks["startTime"], marks["endTime"], marks["data"]):
                sums[{"gpu": "gpu markers", "wait": "gpu_wait", "call": "calls", "range": "ranges"}[data["type"]]] += to_ns(end - start, 10 ** 6)
        return sums

    def ranges(self):
        return collections.Counter(
            (self.strings[name], to_ns(start, 10 ** 6), to_ns(end - start, 10 ** 6)) for thread in self.threads
            for name, start, end, data in zip(*(thread["markers"][c] for c in ("name", "startTime", "endTime", "data")))
            if data["type"] == "range")

    def functions(self):
        own = collections.Counter()
        for thread in self.threads:
            if self.is_stream(thread):
                continue
            for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
                if stack is not None:
                    function = thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]
                    own[self.strings[thread["funcTable"]["name"][function]]] += to_ns(weight, 10 ** 6)
        return own

    def by_thread(self):
        """Sampled time by the numbers of the operating system; threads may share one, one after the other."""
        own = collections.Counter()
        for thread in self.threads:
            if not self.is_stream(thread):
                own[int(thread["pid"]), int(thread["tid"])] += sum(to_ns(w, 10 ** 6) for w in thread["samples"]["weight"])
        return own


class Perfetto:
    """Only packets of TrackEvents, in a single sequence."""

    def __init__(self, path):
        self.tracks, self.events = {}, []  # uuid -> (name, parent, process, thread); (time, type, track, name, callstack, weight)
        self.names, self.functions_by_id, self.frames, self.stacks = {}, {}, {}, {}
        with open(path, "rb") as file:
            for number, packet in fields(file.read()):
                assert number == 1
                self.read_packet(packet)

    def read_packet(self, packet):
        time, event, descriptor = 0, None, None
        for number, value in fields(packet):
            if number == 8:
                time = value
            elif number == 11:
                event = value
            elif number == 12:
                self.read_interned(value)
            elif number == 60:
                descriptor = value
        if descriptor is not None:
            d = dict(fields(descriptor))
            assert d[1] not in self.tracks, "a track is described twice"
            assert d.get(5, 0) in self.tracks or d.get(5, 0) == 0, "a track before its parent"
            self.tracks[d[1]] = (d.get(2, b"").decode(), d.get(5, 0), 3 in d, 4 in d)
        if event is not None:
            e = dict(fields(event))
            assert e[11] in self.tracks, "an event before its track"
            assert e.get(10, None) in self.names or e[9] == 2, "an event with an unknown name"
            assert e.get(56, None) in self.stacks or 56 not in e, "an event with an unknown stack"
            weight, = struct.unpack("<d", e.get(57, 0).to_bytes(8, "little"))
            self.events.append((time, e[9], e[11], self.names.get(e.get(10)), e.get(56, 0), to_ns(weight, 1)))

    def read_interned(self, interned):
        # What refers to another entry comes behind it in a real reader's tables; here all of a packet is read first.
        tables = {2: self.names, 5: self.functions_by_id, 6: self.frames}
        for number, value in fields(interned):
            if number in (2, 5):
                entry = dict(fields(value))
                tables[number][entry[1]] = entry[2].decode()
            elif number == 6:
                entry = dict(fields(value))
                self.frames[entry[1]] = entry[2]
        for number, value in fields(interned):
            if number == 7:
                entry = list(fields(value))
                self.stacks[entry[0][1]] = [v for n, v in entry if n == 2]

    def kind(self, track):
        name = self.tracks[track][0]
        if name == "CPU samples":
            return "cpu"
        if name == "waiting for the GPU":
            return "gpu_wait"
        return "gpu" if name.startswith("GPU") and "stream" in name else name

    def sums(self):
        sums, open_slices = collections.Counter(), collections.defaultdict(list)
        for time, kind, track, _, _, weight in sorted(self.events, key=lambda e: e[0]):
            if kind == 3 and self.kind(track) == "cpu":
                sums["cpu"] += weight
            elif kind == 1:
                open_slices[track].append(time)
                sums["gpu weights"] += weight if self.kind(track) == "gpu" else 0
                assert len(open_slices[track]) <= 1, "slices of one track overlap"
            elif kind == 2:
                sums[self.kind(track)] += time - open_slices[track].pop()
        assert not any(open_slices.values()), "a slice without an end"
        return sums

    def ranges(self):
        found, begun = collections.Counter(), {}
        for time, kind, track, name, _, _ in self.events:
            if self.kind(track) == "ranges" and kind == 1:
                begun[track] = (name, time)
            elif self.kind(track) == "ranges":
                name, begin = begun.pop(track)
                found[name, begin, time - begin] += 1
        return found

    def functions(self):
        own = collections.Counter()
        for _, kind, track, _, stack, weight in self.events:
            if kind == 3 and self.kind(track) == "cpu" and stack:
                own[self.functions_by_id[self.frames[self.stacks[stack][-1]]]] += weight
        return own


class Kineto:
    def __init__(self, path):
        self.json = load_json(path)

    def sums(self):
        sums = collections.Counter()
        for event in self.json["traceEvents"]:
            if event["ph"] == "X":
                gpu = event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")
                waits = "waits for the GPU" in event["args"]
                ranges = event["cat"] == "user_annotation"
                sums["gpu" if gpu else "ranges" if ranges else "gpu_wait" if waits else "calls"] += to_ns(event["dur"], 1000)
        sums["cpu"] = sum(sample["weight"] for sample in self.json["samples"])
        return sums

    def ranges(self):
        return collections.Counter((event["name"], to_ns(event["ts"], 1000), to_ns(event["dur"], 1000))
                                   for event in self.json["traceEvents"] if event.get("cat") == "user_annotation")

    def functions(self):
        own = collections.Counter()
        for sample in self.json["samples"]:
            if "sf" in sample:
                own[self.json["stackFrames"][str(sample["sf"])]["name"]] += sample["weight"]
        return own


class Pprof:
    def __init__(self, path):
        self.strings, self.types, self.samples, self.names, self.lines = [], [], [], {}, {}
        types, functions = [], []
        with gzip.open(path, "rb") as file:
            for number, value in fields(file.read()):
                if number == 1:
                    types.append(dict(fields(value)))
                elif number == 2:
                    parts = list(fields(value))
                    self.samples.append(([list(packed(v)) for n, v in parts if n == 1][0], [list(packed(v)) for n, v in parts if n == 2][0]))
                elif number == 4:
                    location = dict(fields(value))
                    self.lines[location[1]] = dict(fields(location[4]))[1]
                elif number == 5:
                    functions.append(dict(fields(value)))
                elif number == 6:
                    self.strings.append(value.decode())
        assert self.strings[0] == ""
        self.types = [self.strings[t[1]] for t in types]
        self.names = {f[1]: self.strings[f[2]] for f in functions}

    def sums(self):
        return {name: sum(values[i] for _, values in self.samples) for i, name in enumerate(self.types)}

    def functions(self, metric="cpu"):
        own, column = collections.Counter(), self.types.index(metric)
        for locations, values in self.samples:
            if locations:
                own[self.names[self.lines[locations[0]]]] += values[column]
        return own


class Speedscope:
    def __init__(self, path):
        self.json = load_json(path)

    def sums(self):
        sums = collections.Counter()
        for profile in self.json["profiles"]:
            assert sum(profile["weights"]) == profile["endValue"]
            sums[profile["name"].rsplit(": ", 1)[-1]] += sum(profile["weights"])
        return sums

    def functions(self, metric="cpu"):
        own, frames = collections.Counter(), self.json["shared"]["frames"]
        for profile in self.json["profiles"]:
            if profile["name"].endswith(": " + metric):
                for stack, weight in zip(profile["samples"], profile["weights"]):
                    if stack:
                        own[frames[stack[-1]]["name"]] += weight
        return own


class Collapsed:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="\n") as file:
            self.rows = [re.fullmatch(r"(.+) (\d+)\n", line).groups() for line in file]

    def sums(self):
        return {"clock": sum(int(weight) for _, weight in self.rows)}

    def functions(self):
        own = collections.Counter()
        for stack, weight in self.rows:
            frames = stack.split(";")
            if len(frames) > 2:
                own[frames[-1]] += int(weight)
        return own


class Callgrind:
    """Own costs only: what callgrind_annotate adds up."""

    def __init__(self, path):
        self.events, self.own, self.summary = [], collections.defaultdict(collections.Counter), None
        names, function, is_call = {}, None, False
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                line = line.rstrip("\n")
                key, _, value = line.partition("=")
                if line.startswith("events: "):
                    self.events = line.split()[1:]
                elif line.startswith("summary: "):
                    self.summary = [int(cost) for cost in line.split()[1:]]
                elif key in ("fn", "cfn"):
                    number, _, name = value.partition(" ")
                    if name:
                        assert number not in names
                        names[number] = name
                    if key == "fn":
                        function = names[number]
                elif key == "calls":
                    is_call = True
                elif re.match(r"\d+ ", line):
                    if not is_call:
                        for event, cost in zip(self.events, line.split()[1:]):
                            self.own[event][function] += int(cost)
                    is_call = False

    def sums(self):
        sums = {event: sum(self.own[event].values()) for event in self.events}
        assert self.summary == [sums[event] for event in self.events]
        return sums

    def functions(self, metric="cpu"):
        return self.own[metric]


class SqliteFlat:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        assert self.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def one(self, query):
        return self.db.execute(query).fetchone()[0] or 0

    def sums(self):
        sums = dict(self.db.execute("SELECT name, ifnull(sum(self), 0) FROM metric LEFT JOIN value ON metric = metric.id GROUP BY 1"))
        sums["samples.cpu"] = self.one("SELECT sum(weight_ns) FROM sample")
        sums["events.gpu"] = self.one("SELECT sum(duration_ns) FROM gpu_work")
        sums["events.gpu_wait"] = self.one("SELECT sum(duration_ns) FROM cuda_call WHERE waits")
        sums["ranges"] = self.one("SELECT sum(duration_ns) FROM marker")
        sums["events.gpu_operations"] = self.one("SELECT count(*) FROM gpu_work")
        return sums

    def ranges(self):
        return collections.Counter(self.db.execute("SELECT name, start_ns, duration_ns FROM marker").fetchall())

    def functions(self, metric="cpu"):
        return collections.Counter(
            {name: own for name, own in self.db.execute(
                "SELECT name, sum(self) FROM function_self WHERE metric = ? AND name IS NOT NULL GROUP BY name", (metric,))})

    def by_thread(self, metric="cpu"):
        return collections.Counter(
            {(pid, tid): own for pid, tid, own in self.db.execute(
                "SELECT pid, tid, sum(self) FROM value JOIN metric ON metric.id = metric JOIN thread ON thread.id = thread"
                " JOIN process ON process.id = thread.process WHERE metric.name = ? GROUP BY pid, tid", (metric,))})


class Csv:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file, strict=True))
            file.seek(0)
            self.columns = next(csv.reader(file))[9:]

    @staticmethod
    def metric(column):
        return column[:-3] if column.endswith("_ns") else column

    def sums(self):
        return {self.metric(column): sum(int(row[column]) for row in self.rows) for column in self.columns}

    def functions(self, metric="cpu"):
        own = collections.Counter()
        for row in self.rows:
            own[row["function"]] += int(row.get(metric + "_ns") or 0)
        return own


READERS = {"firefox": (Firefox, ".json.gz"), "perfetto": (Perfetto, ".pftrace"), "kineto": (Kineto, ".json.gz"),
           "pprof": (Pprof, ".pb.gz"), "speedscope": (Speedscope, ".json"), "collapsed": (Collapsed, ".txt"),
           "callgrind": (Callgrind, ".out"), "sqlite-flat": (SqliteFlat, ".sqlite"), "csv": (Csv, ".csv")}
