"""What the tests of gprof-x export share: the programs and folders that they need, and one export."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from export_readers import READERS
from profile_support import GPROFX, WORKLOADS

FAKE = os.path.join(WORKLOADS, "fake_gpu")
TRAIN = os.path.join(FAKE, "fake_train")
SHARED = os.environ.get("GPROFX_SHARED", "")
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "import")
CONSUMERS = os.environ.get("GPROFX_CONSUMERS", sys.executable)
SPIN = "import sys\ndef f(n):\n    return sum(i * i for i in range(n))\nfor _ in range(20): f(50000)\n"


def export(*args, **how):
    return subprocess.run([GPROFX, "export", *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **how)


def has_module(name):
    return subprocess.run([CONSUMERS, "-c", "import " + name], capture_output=True).returncode == 0


def consumer(code, *args, env=None):
    """Runs Python `code` where the consumers are; its last line is JSON."""
    run = subprocess.run([CONSUMERS, "-c", code, *args], capture_output=True, text=True, timeout=600, env=dict(os.environ, **(env or {})))
    if run.returncode != 0:
        raise AssertionError(run.stdout + run.stderr)
    return json.loads(run.stdout.strip().splitlines()[-1])


def union(intervals):
    total, end = 0, None
    for begin, stop in sorted(intervals):
        if end is None or begin > end:
            total, end = total + stop - begin, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-test-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, name, file, *options):
        path = self.path("x" + READERS[name][1])
        run = export("-q", "--to", name, "--force", "-o", path, *options, file)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        return path

    def fails(self, run, *texts):
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count(b"\n"), 1, run.stderr)
        for text in texts:
            self.assertIn(text.encode(), run.stderr)
