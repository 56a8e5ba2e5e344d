"""The bundle, unpacked in an empty folder, with nothing else on the library path and an empty environment."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD = os.environ["GPROFX_BUILD"]


class Bundle(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-bundle-")
        subprocess.run(["cmake", "--build", BUILD, "--target", "bundle"], check=True, capture_output=True)
        archive, = glob.glob(os.path.join(BUILD, "gprof-x-*-linux-*.tar.gz"))
        with tarfile.open(archive) as tar:
            tar.extractall(self.folder)
        self.root = os.path.join(self.folder, os.path.basename(archive)[:-len(".tar.gz")])
        self.gprofx = os.path.join(self.root, "bin", "gprof-x")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_here(self, *args):
        return subprocess.run([self.gprofx, *args], cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)

    def test_record_and_report_in_an_empty_folder(self):
        text = "def f():\n    return sum(i * i for i in range(5000000))\nf()\n"
        run = self.run_here("record", "--", sys.executable, "-c", text)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "profile.gprofx")))
        report = self.run_here("report", "--top")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("f.<locals>.<genexpr>" if sys.version_info >= (3, 11) else "<genexpr>", report.stdout)

    def test_everything_a_user_needs_is_in_it(self):
        for name in ("bin/gprof-x", "lib/gprof-x/libgprofx-agent.so", "lib/gprof-x/libgprofx-nvtx.so", "lib/gprof-x/libgprofx-memory.so",
                     "lib/gprof-x/gprofx-foreign", "share/man/man1/gprof-x.1", "share/man/man1/gprof-x-record.1",
                     "share/man/man1/gprof-x-report.1", "share/man/man5/gprof-x-format.5", "share/man/man7/gprof-x-cluster.7", "share/man/man1/gprof-x-variability.1",
                     "share/gprof-x/gprofx-mpi.c", "share/doc/gprof-x/LICENSE"):
            self.assertTrue(os.path.exists(os.path.join(self.root, name)), name)

    def needs(self, name):
        """(libraries, newest glibc) that a binary asks for, as readelf says."""
        text = subprocess.run(["readelf", "-dV", os.path.join(self.root, name)], check=True, capture_output=True, text=True).stdout
        versions = [tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([\d.]+)", text)]
        return set(re.findall(r"NEEDED.*\[(.*)\]", text)), max(versions, default=(0,))

    def test_no_binary_needs_a_new_glibc(self):
        libraries, newest = self.needs("bin/gprof-x")
        self.assertTrue(not libraries or newest <= (2, 28), newest)
        in_target = sorted(os.listdir(os.path.join(self.root, "lib", "gprof-x")))
        self.assertIn("libgprofx-agent.so", in_target)
        for name in in_target:
            with self.subTest(name):
                libraries, newest = self.needs("lib/gprof-x/" + name)
                self.assertLessEqual(newest, (2, 17))
                self.assertLessEqual(libraries, {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
