#!/usr/bin/env python3
"""gprof-x demo: a report within seconds that shows Python and C, nothing left behind; without Python one line."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")
SECONDS = 30  # three where nothing else runs


class Demo(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-test-demo-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)

    def demo(self, *args, **env):
        return subprocess.run([GPROFX, "demo", *args], cwd=self.folder, env=dict(os.environ, TMPDIR=self.temporary, **env),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)

    def names(self, profile):
        text = subprocess.run([GPROFX, "report", "--json", "--view", "mixed", profile], cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout
        return {row["name"]: row["total"] for row in json.loads(text)["rows"]}

    def test_shows_python_and_c(self):
        start = time.monotonic()
        run = self.demo()
        took = time.monotonic() - start
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertLess(took, SECONDS)
        self.assertRegex(run.stdout, r"^gprof-x report: demo\.py ")
        self.assertIn("gprof-x record -- ", run.stdout)
        self.assertIn("demo.gprofx --tree", run.stdout)
        total = self.names("demo.gprofx")
        for name in ("load_records", "score", "sign", "compress_until"):
            self.assertGreater(total.get(name, 0), 5e6, name)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_writes_where_it_is_told(self):
        self.assertEqual(self.demo("-o", "mine.gprofx").returncode, 0)
        self.assertIn("score", self.names("mine.gprofx"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "demo.gprofx")))
        run = self.demo("-o", "/no/such/folder/mine.gprofx")
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run.stderr)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_python_without_ctypes_and_json(self):
        """As Debian's python3-minimal is."""
        for name in ("ctypes", "json"):
            with open(os.path.join(self.folder, name + ".py"), "w") as file:
                file.write("raise ImportError('none here')")
        run = self.demo(PYTHONPATH=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("score", self.names("demo.gprofx"))

    def test_without_python(self):
        for path in (self.temporary, "", "relative"):
            run = self.demo(PATH=path)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertRegex(run.stderr, r"\Agprof-x demo: cannot find CPython .*; install python3, or .*gprof-x record -- COMMAND \[GX-0403\]\n\Z")
        run = self.demo("python")
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))

    def test_without_a_temporary_folder(self):
        self.temporary = "/no/such/folder"
        run = self.demo()
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"\Agprof-x demo: cannot create a temporary folder: .*; set TMPDIR .* \[GX-0301\]\n\Z")

    def test_a_driver_that_fails_is_left_alone(self):
        """A libcuda.so.1 that has none of the calls: the half on the CPU is shown."""
        if shutil.which("cc") is None:
            self.skipTest("no C compiler")
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(self.folder, "libcuda.so.1")],
                       input=b"int cuInit(unsigned flags) { return flags == 0 ? 100 : 1; }", check=True)
        run = self.demo(LD_LIBRARY_PATH=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("score", self.names("demo.gprofx"))


if __name__ == "__main__":
    unittest.main()
