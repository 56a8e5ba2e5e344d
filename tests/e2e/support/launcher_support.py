"""Shared parts of the launcher's end-to-end tests: run gprof-x, read what it wrote.

GPROFX names the program. GPROFX_LOOPS is how often the repeated tests run (default 25; 1,000 in the long run).
"""
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")
LOOPS = int(os.environ.get("GPROFX_LOOPS", "25"))
KILLS = max(10, LOOPS // 10)
PYTHON = sys.executable
SECOND = 1_000_000_000

SPIN = """
import sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    sum(i * i for i in range(1000))
"""


class Profile:
    """What a profile says; opening it proves that the file is whole."""

    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=rw" % path, uri=True)  # rw: rolls back a killed writer's journal
        assert self.db.execute("PRAGMA quick_check").fetchone() == ("ok",)
        self.meta = dict(self.db.execute("SELECT name, value FROM meta"))
        self.quality = dict(self.db.execute("SELECT name, value FROM quality"))

    def rows(self, query):
        return self.db.execute(query).fetchall()

    def last_sample(self):
        query = "SELECT max(t_end) FROM chunk JOIN stream ON chunk.stream = stream.id WHERE stream.name = 'cpu samples'"
        return self.rows(query)[0][0] or 0

    def process_names(self):
        return [name for (name,) in self.rows(
            "SELECT text FROM process JOIN string ON string.id = process.name ORDER BY process.id")]

    def process_commands(self):
        return [text for (text,) in self.rows(
            "SELECT text FROM process JOIN string ON string.id = process.command ORDER BY process.id")]

    def close(self):
        self.db.close()


def command_fifos(case, folder):
    """(what --control is given, FIFO of commands, FIFO of answers) for a test, whose end closes them. Both are open for both directions:
    neither side waits for the other to open it."""
    paths = [os.path.join(folder, name) for name in ("commands", "answers")]
    fifos = []
    for path in paths:
        os.mkfifo(path, 0o600)
        fifos.append(os.open(path, os.O_RDWR))
        case.addCleanup(os.close, fifos[-1])
    return ["fifo:%s,%s" % tuple(paths), *fifos]


class LauncherTest(unittest.TestCase):
    program = GPROFX

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-test-")
        self.path = os.path.join(self.folder, "p.gprofx")
        self.spin = self.write("spin.py", SPIN)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def compile(self, name, source, *flags):
        if shutil.which("gcc") is None:
            self.skipTest("no gcc")
        program = os.path.join(self.folder, name)
        run = subprocess.run(["gcc", "-O1", "-o", program, self.write(name + ".c", source), *flags],
                             capture_output=True, text=True)
        if run.returncode != 0:
            missing = "cannot find" in run.stderr or "No such file" in run.stderr
            (self.skipTest if missing else self.fail)("gcc: " + run.stderr)
        return program

    def arguments(self, *command, options=()):
        return [self.program, "record", "-q", "-o", self.path, *options, "--", *command]

    def record(self, *command, options=(), **more):
        more.setdefault("timeout", 120)
        return subprocess.run(self.arguments(*command, options=options), capture_output=True, **more)

    def start(self, *command, options=(), **more):
        return subprocess.Popen(self.arguments(*command, options=options), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def profile(self, path=None):
        profile = Profile(path or self.path)
        self.addCleanup(profile.close)
        return profile


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("waited %s s in vain" % seconds)


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def used_by_children():
    """Seconds of CPU time of all children that were waited for, and of theirs, as the kernel counts it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_seconds(pid):
    """What all threads of a process have used, as the kernel counts it; 0 when there is no such process."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(pid, seconds):
    """Until a process has used so much more CPU time: on a busy machine that is later than a sleep would think."""
    end = cpu_seconds(pid) + seconds
    wait_for(lambda: cpu_seconds(pid) >= end, 60)


def process_state(pid):
    """R, S, T, Z as in /proc/PID/stat; "" when there is no such process."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_alive(pid):
    return process_state(pid) not in ("", "Z")


__all__ = [name for name in dir() if not name.startswith("_")]
