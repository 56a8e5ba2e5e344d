#!/usr/bin/env python3
"""Everything that is needed to read a profile is in it: the same bytes once the program, its libraries, its sources and every cache are
gone, with no tool on the path and no home."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, TRAIN
from profile_support import GPROFX, WORKLOADS, Recording, source

BARE = {"PATH": "/nowhere", "HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}
REPORTS = (("--top",), ("--tree", "--limit", "1000"), ("--lines",), ("--threads",), ("--by", "module"), ("--timeline",))
REPORTS = tuple(("report", *view, *face) for view in REPORTS for face in ((), ("--json",)))


def answer(command, folder, env):
    run = subprocess.run([GPROFX, *command, "p.gprofx"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=folder, timeout=60)
    return run.returncode, run.stdout, run.stderr


class Portable(unittest.TestCase):
    def setUp(self):
        self.program = tempfile.mkdtemp(prefix="gprof-x-program-")
        self.cache = tempfile.mkdtemp(prefix="gprof-x-cache-")
        for folder in (self.program, self.cache):
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

    def take(self, path):
        name = os.path.join(self.program, os.path.basename(path))
        (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, name)
        return name

    def check(self, command, names, env=None, more=()):
        """`names` are those of the program, its lines and its kernels that some answer must hold."""
        env = dict(os.environ if env is None else env, XDG_CACHE_HOME=self.cache)
        with Recording(command, env=env) as r:
            here = {c: answer(c, r.folder, dict(env, PATH="/nowhere")) for c in REPORTS + more}
            for folder in (self.program, self.cache):
                shutil.rmtree(folder)
            with tempfile.TemporaryDirectory() as elsewhere:
                shutil.copy(r.file, elsewhere)
                for command, (status, out, _) in here.items():
                    self.assertEqual(status, 0, command)
                    self.assertEqual(answer(command, elsewhere, BARE), (0, out, b""), command)
            seen = b"".join(out for _, out, _ in here.values()).decode()
            for name in names:
                self.assertIn(name, seen)

    def test_native_code_has_its_names_and_lines(self):
        self.check([self.take(os.path.join(WORKLOADS, "shares")), "0.5", "2"], ("main", "shares.cpp"))

    def test_python_has_its_names_and_lines(self):
        self.check([sys.executable, self.take(source("shares.py")), "0.7"], ("burn_ten", "burn_forty", "shares.py:"))

    @unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
    def test_kernels_have_their_paths_and_their_code(self):
        fake = self.take(FAKE)
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(fake, "libfake_cupti.so"), LD_LIBRARY_PATH=fake)  # before its RUNPATH
        self.check([os.path.join(fake, "fake_train"), "return"], ("forward", "backward", "Pretended GPU"), env,
                   (("report", "--by", "kernel"), ("analyze",), ("annotate", "forward")))


if __name__ == "__main__":
    unittest.main()
