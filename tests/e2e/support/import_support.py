"""Profiles made by gprof-x import, read back with nothing but the manual page of the format (read_profile.py)."""
import collections
import os
import sqlite3
import subprocess
import tempfile
import unittest
import weakref

import read_profile as parts

GPROFX = os.environ.get("GPROFX", "gprof-x")
KERNELS, COPIES, SETS, SYNCS, CALLS, MARKERS = 3, 4, 5, 6, 7, 10


def nanoseconds(text):
    """Decimal microseconds, as they stand in the file."""
    whole, _, fraction = str(text).partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def union(ranges):
    total, end = 0, None
    for begin, stop in sorted(ranges):
        if end is None or begin > end:
            total, end = total + stop - begin, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


def overlapped(ranges):
    """The sum, over all of them, of the time in which another one is there, too."""
    edges = sorted([(begin, 1) for begin, end in ranges if end > begin] + [(end, -1) for begin, end in ranges if end > begin])
    total = running = last = 0
    for time, step in edges:
        if running >= 2:
            total += running * (time - last)
        running, last = running + step, time
    return total


class Imported:
    """A profile made by gprof-x import, and its totals."""

    def __init__(self, trace, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-x-import-")
        self.file = os.path.join(self.folder.name, "p.gprofx")
        self.run = subprocess.run([GPROFX, "import", "-o", self.file, *options, trace], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=300)
        if self.run.returncode != 0:
            raise AssertionError("import of %s: %s" % (trace, self.run.stderr))
        self.db = sqlite3.connect("file:%s?mode=ro" % self.file, uri=True)
        weakref.finalize(self, self.folder.cleanup)
        self.meta = dict(self.db.execute("SELECT name, value FROM meta"))
        self.quality = dict(self.db.execute("SELECT name, value FROM quality"))

    def rows(self, stream):
        for _, _, columns in parts.read_stream(self.db, stream):
            yield from zip(*(columns[i] for i in sorted(columns)))

    def metric(self, name):
        return sum(row[0] for row in self.db.execute(
            "SELECT self FROM value v JOIN metric m ON m.id=v.metric WHERE m.name=?", (name,)))

    def metrics(self, *but):
        """{name: sum}"""
        names = [row[0] for row in self.db.execute("SELECT name FROM metric")]
        return {name: self.metric(name) for name in names if name not in but}

    def devices(self):
        """gpu_stream -> number of the device among those of the file."""
        return dict(self.db.execute("SELECT s.id, c.device FROM gpu_stream s JOIN gpu_context c ON c.id=s.context"))

    def busy(self):
        """(kernels, copies and sets: [start, end) by device)"""
        of_stream, ranges = self.devices(), collections.defaultdict(list)
        for stream in (KERNELS, COPIES, SETS):
            for row in self.rows(stream):
                ranges[of_stream[row[5]]].append((row[0], row[0] + row[1]))
        return {device: union(spans) for device, spans in ranges.items()}

    def report(self, *options):
        return subprocess.run([GPROFX, "report", *options, self.file], capture_output=True, text=True, check=True,
                              env=dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8")).stdout

    # By name and call path, of the tables that everybody may query.

    def _frames(self):
        names = dict(self.db.execute("SELECT id, text FROM string"))
        functions = {row[0]: names[row[1]] for row in self.db.execute("SELECT id, name FROM function")}
        return {row[0]: functions.get(row[1], "") for row in self.db.execute("SELECT id, function FROM frame")}

    def _paths(self):
        frames, paths = self._frames(), {}
        for node, parent, frame in self.db.execute("SELECT id, parent, frame FROM node ORDER BY id"):
            paths[node] = paths[parent] + (frames.get(frame, ""),) if parent else ()
        return paths

    def values(self, metric):
        """{call path: self}"""
        paths, sums = self._paths(), collections.Counter()
        for node, value in self.db.execute("SELECT node, self FROM value v JOIN metric m ON m.id=v.metric WHERE m.name=?", (metric,)):
            sums[paths[node]] += value
        return {path: value for path, value in sums.items() if value}

    def paths(self, metric=None):
        return sorted(self.values(metric) if metric else set(self._paths().values()) - {()})

    def totals(self, metric):
        """{name: time or number in it and in what it calls}"""
        sums = collections.Counter()
        for path, value in self.values(metric).items():
            for name in set(path):
                sums[name] += value
        return dict(sums)

    def left_out(self):
        return sum(count for name, count in self.quality.items() if name.startswith("import_left_out_"))

    def _texts(self, query):
        return {row[0] for row in self.db.execute(query) if row[0]}

    def modules(self):
        return self._texts("SELECT s.text FROM module m JOIN string s ON s.id=m.path")

    def thread_names(self):
        return self._texts("SELECT s.text FROM thread t JOIN string s ON s.id=t.name")

    def process_names(self):
        return self._texts("SELECT s.text FROM process p JOIN string s ON s.id=p.name")


def refused(trace, *options):
    """The one line with which gprof-x import refuses a trace."""
    with tempfile.TemporaryDirectory(prefix="gprof-x-import-") as folder:
        run = subprocess.run([GPROFX, "import", "-o", os.path.join(folder, "p"), *options, trace], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=300)
        if (run.returncode, run.stderr.count("\n")) != (2, 1) or os.listdir(folder):
            raise AssertionError("%s is not refused with one line: %d, %s" % (trace, run.returncode, run.stderr))
        return run.stderr


class TraceFiles(unittest.TestCase):
    """Traces made by a test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-x-kinds-")
        self.addCleanup(self.folder.cleanup)

    def file(self, data, name="trace"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path
