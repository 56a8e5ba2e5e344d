#!/usr/bin/env python3
"""Two views, one number: what an export sums up to is what the report says, to the nanosecond, for every format.

Recorded here: a Python program with threads, a shell with short children, a program on a pretended GPU, and one without a
timeline. With GPROFX_SHARED (a folder with profiles/*.gprofx) real recordings, too.
"""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

from export_readers import READERS
from profile_support import GPROFX, WORKLOADS, Recording

FAKE = os.path.join(WORKLOADS, "fake_gpu")
TRAIN = os.path.join(FAKE, "fake_train")
SHARED = os.environ.get("GPROFX_SHARED", "")

THREADS = """
import threading
def busy(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
threads = [threading.Thread(target=busy, args=(1500000,), name="worker %d" % i) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
busy(2000000)
"""
SHELL = "for i in 1 2 3 4 5; do ls / > /dev/null; done; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"

NEEDS_TIMELINE = {"firefox", "perfetto", "kineto"}


class Report:
    """The numbers of `gprof-x report --json`."""

    def __init__(self, file, part=("--phase", "all")):
        self.file, self.part = file, part
        top = self.json("--top", "1")
        self.clock = top["metric"]["name"]
        self.sums = {self.clock: top["base"]}
        gpu = top.get("gpu")
        if gpu:
            self.sums.update({"gpu": gpu["time_ns"], "gpu_wait": gpu["wait_ns"], "gpu_operations": gpu["operations"]})

    def json(self, *options):
        import json
        return json.loads(subprocess.run([GPROFX, "report", "--json", *self.part, *options, self.file], stdout=subprocess.PIPE, check=True).stdout)

    def functions(self):
        """Own values by name, with all frames, of the clock."""
        own = {}
        for row in self.json("--by", "function", "--top", "1000000", "--all-frames", "--metric", self.clock)["rows"]:
            own[row["name"]] = own.get(row["name"], 0) + row["self"]
        return own


class OneNumber(unittest.TestCase):
    def export(self, name, file, *options):
        path = os.path.join(self.folder.name, "x" + READERS[name][1])
        run = subprocess.run([GPROFX, "export", "-q", "--to", name, "--force", "-o", path, *options, file], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return READERS[name][0](path)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-x-test-")
        self.addCleanup(self.folder.cleanup)

    def check(self, file, formats=tuple(READERS)):
        report = Report(file)
        own = {name: value for name, value in report.functions().items() if value}
        self.assertEqual(sum(own.values()), report.sums[report.clock])
        for name in formats:
            with self.subTest(format=name):
                read = self.export(name, file, "--all-frames")
                sums = dict(read.sums())
                # Formats of samples do not know what the clock counted.
                said = sums.get(report.clock, sums.get("cpu", sums.get("clock")))
                self.assertEqual(said, report.sums[report.clock])
                for metric in ("gpu", "gpu_wait", "gpu_operations"):
                    if metric in sums:
                        self.assertEqual(sums[metric], report.sums.get(metric, 0), metric)
                for key in sums:  # the same number in another place of the format
                    if key in ("gpu markers", "gpu weights", "events.gpu", "events.gpu_wait", "events.gpu_operations"):
                        self.assertEqual(sums[key], report.sums.get(key.split(".")[-1].split(" ")[0], 0), key)
                if report.clock == "cpu":
                    found = {n: v for n, v in read.functions().items() if v}
                    self.assertEqual(found, own)
                # What is folded goes to another row, and never away.
                self.assertEqual(dict(self.export(name, file).sums()), sums)

    def test_threads_of_python(self):
        with Recording([sys.executable, "-c", THREADS]) as r:
            self.check(r.file)

    def test_processes_too_short_for_a_sample(self):
        with Recording(["sh", "-c", SHELL]) as r:
            self.check(r.file)

    def test_wall_clock(self):
        with Recording([sys.executable, "-c", THREADS + "import time; time.sleep(0.2)"], ["--clock", "wall"]) as r:
            self.check(r.file)

    @unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
    def test_gpu(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording([TRAIN, "return"], env=env) as r:
            self.assertGreater(Report(r.file).sums["gpu"], 0)
            self.check(r.file)

    def test_without_a_timeline(self):
        with Recording([sys.executable, "-c", THREADS], ["--timeline", "no"]) as r:
            self.check(r.file, [name for name in READERS if name not in NEEDS_TIMELINE and name != "sqlite-flat"])
            for name in NEEDS_TIMELINE:
                run = subprocess.run([GPROFX, "export", "--to", name, "-o", "-", r.file], capture_output=True)
                self.assertEqual(run.returncode, 2)
                self.assertIn(b"has no timeline", run.stderr)
                self.assertEqual(run.stderr.count(b"\n"), 1)

    def check_range(self, file, part):
        """A part: samples that were taken in it, and of GPU work the time that lies in it."""
        report = Report(file, part)
        self.assertLess(report.sums[report.clock], Report(file).sums[report.clock])
        for name in READERS:
            with self.subTest(format=name, part=part):
                sums = dict(self.export(name, file, *part).sums())
                self.assertEqual(sums.get(report.clock, sums.get("clock")), report.sums[report.clock])
                for metric in ("gpu", "gpu_wait"):
                    if metric in sums:
                        self.assertEqual(sums[metric], report.sums.get(metric, 0), metric)

    def test_a_range(self):
        with Recording([sys.executable, "-c", THREADS]) as r:
            self.check_range(r.file, ("--range", "50ms..150ms"))

    def test_a_range_of_real_recordings(self):
        files = sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))) if SHARED else []
        if not files:
            self.skipTest("GPROFX_SHARED names no folder with profiles")
        for file in files:
            self.check_range(file, ("--range", "19.5s..20.25s"))

    def test_real_recordings(self):
        files = sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))) if SHARED else []
        if not files:
            self.skipTest("GPROFX_SHARED names no folder with profiles")
        for file in files:
            with self.subTest(file=os.path.basename(file)):
                self.check(file)


if __name__ == "__main__":
    unittest.main(verbosity=2)
