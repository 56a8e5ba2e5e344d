"""Records a program with gprof-x and reads the answer back through `gprof-x report --json`.

GPROFX names the program, GPROFX_WORKLOADS the folder of built workloads; both are set by ctest.
"""
import base64
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

GPROFX = os.environ.get("GPROFX", "gprof-x")
WORKLOADS = os.environ.get("GPROFX_WORKLOADS", "")
# A program whose time is in one own function that calls sqlite3.
QUERY = """
import sqlite3
def load(db):
    return [db.execute("SELECT sum(n) FROM t WHERE n > ?", (i,)).fetchone() for i in range(30)]
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE t(n INTEGER)")
db.executemany("INSERT INTO t VALUES(?)", [(i,) for i in range(100000)])
load(db)
"""
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(os.path.dirname(HERE), "workloads", "python")


def used_by_others():
    """Seconds of all processors so far that neither this process nor its ended children used."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, *interrupts_and_stolen = map(int, file.readline().split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def judged_by_time(test):
    """A test whose program must not be held up. It has three tries, as a machine that others use may stand still in any of them, and
    says why it takes another one. No subTest inside: what fails there ends no try."""
    @functools.wraps(test)
    def tried(self):
        for left in (2, 1, 0):
            before = used_by_others()
            try:
                return test(self)
            except AssertionError as failure:
                if left == 0:
                    raise
                print("%s: another try; others used %.1f s of the processors meanwhile: %s" %
                      (self.id(), used_by_others() - before, str(failure).partition("\n")[0]), file=sys.stderr)
                self.tearDown()
                self.doCleanups()
                self.setUp()
    return tried


def by_chance(samples, share=0.5, least=0.03):
    """What a share of sampled time may be off by: four standard deviations of so many samples, or `least`."""
    return max(least, 4 * (share * (1 - share) / max(1, samples)) ** 0.5)


def page_data(file, *options):
    """The JSON of a page, unpacked as its script does it."""
    page = subprocess.run([GPROFX, "report", "--html", "-", *options, file], stdout=subprocess.PIPE, check=True).stdout
    data = zlib.decompress(base64.b64decode(re.search(rb'<script id="data"[^>]*>([^<]*)<', page).group(1)))
    return json.loads(data[4:4 + struct.unpack("<I", data[:4])[0]])


class Row:
    def __init__(self, row):
        self.__dict__.update(row)
        self.children = []
        self.up = None

    def path(self):
        """The rows from the root to this one."""
        rows = []
        row = self
        while row is not None:
            rows.append(row)
            row = row.up
        return rows[::-1]


class Recording:
    def __init__(self, command, options=(), env=None, timeout=120, check=True):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-test-")
        self.file = os.path.join(self.folder, "p.gprofx")
        run = subprocess.run([GPROFX, "record", "-q", "-o", self.file, *options, "--", *command], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=env, timeout=timeout, stdin=subprocess.DEVNULL)
        self.status, self.out, self.err = run.returncode, run.stdout, run.stderr
        if check and self.status != 0:
            raise AssertionError("%s: status %d\n%s%s" % (command, self.status, self.out, self.err))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def report(self, *options):
        """Of the whole recording, also where it has a steady part."""
        run = subprocess.run([GPROFX, "report", "--json", "--phase", "all", *options, self.file], stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)

    def quality(self):
        return self.report("--top", "1")["quality"]

    def counters(self):
        return self.quality()["counters"]

    def tree(self, *options):
        """All rows of the call tree, parents linked; the first is the root."""
        rows = [Row(r) for r in self.report("--tree", "--limit", "1000000", *options)["rows"]]
        by_id = {r.id: r for r in rows}
        for r in rows:
            if r.parent is not None:
                r.up = by_id[r.parent]
                r.up.children.append(r)
        return rows

    def functions(self, *options):
        """Total and self nanoseconds by function name, Python's and native ones."""
        view = () if "--view" in options or "--own" in options else ("--view", "mixed")
        rows = self.report("--top", "100000", *view, *options)["rows"]
        total, own = {}, {}
        for r in rows:
            total[r["name"]] = total.get(r["name"], 0) + r["total"]
            own[r["name"]] = own.get(r["name"], 0) + r["self"]
        return total, own


def workload(name):
    return os.path.join(WORKLOADS, name)


def source(name):
    return os.path.join(SOURCES, name)


def pythons():
    """Interpreters 3.8 to 3.15 by version: those that GPROFX_PYTHONS names (path:path), those of pyenv, those on the PATH, /usr/bin.
    One of each minor version and build."""
    found = [p for p in os.environ.get("GPROFX_PYTHONS", "").split(":") if p]
    try:
        root = subprocess.run(["pyenv", "root"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
        versions = os.path.join(root, "versions")
        if root and os.path.isdir(versions):
            found += [os.path.join(versions, v, "bin", "python3") for v in sorted(os.listdir(versions))]
    except OSError:
        pass
    for minor in range(8, 16):
        found += [p for p in (shutil.which("python3.%d" % minor), "/usr/bin/python3.%d" % minor) if p]
    result = {}
    for path in found:
        # An exec'ed shim is not the interpreter: ask it where it lives.
        try:
            ask = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=20)
        except OSError:
            continue
        if ask.returncode != 0:
            continue
        version, executable = ask.stdout.split("\n")[:2]
        executable = os.path.realpath(executable)
        if (3, 8) <= tuple(int(x) for x in version.split(".")) <= (3, 15):
            result.setdefault(executable, version)
    return sorted(((v, p) for p, v in result.items()), key=lambda x: (int(x[0].split(".")[1]), x[1]))
