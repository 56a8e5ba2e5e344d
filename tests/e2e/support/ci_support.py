"""What the tests of gprof-x ci share: a program whose change is known, and a folder to run it in."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
NAMES = ("parse", "render", "load", "check", "store")
# Work by CPU time, so that other load on the machine changes nothing, in statements that call nothing:
# the time is the function's own.
WORK = "\n".join("        a = b" for _ in range(2000))
PROGRAM = "import time\n" + "".join(
    f"def {name}(seconds):\n    b = 1\n    end = time.thread_time() + seconds\n    while time.thread_time() < end:\n{WORK}\n"
    for name in NAMES)


def program(**seconds):
    return PROGRAM + "".join(f"{name}({seconds.get(name, 0.12)})\n" for name in NAMES)


class CiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-ci-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        # Functions of files with other names are other functions: versions are the same file in two folders.
        for folder, text in (("base", program()), ("head", program(render=0.24))):
            self.write(folder + "/job.py", text)
            self.write(folder + ".py", text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def gprofx(self, *args, **more):
        return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                              cwd=self.folder, env=dict(os.environ, COLUMNS="80"), **more)

    def ci_run(self, base, head, *options):
        return self.gprofx("ci", "run", *options, "--base", base, "--head", head)

    def check_one_line(self, run, *texts):
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        lines = [line for line in run.stderr.splitlines() if not re.match("gprof-x ci run: (load|CPU|turbo)|  ", line)]
        self.assertEqual(len(lines), 1, run.stderr)
        for text in texts:
            self.assertIn(text, lines[0])
