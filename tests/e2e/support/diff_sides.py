"""Recordings of two versions of a program with a change that is known, for tests of what gprof-x diff makes of them."""
import os
import subprocess
import sys
import tempfile
import unittest

from profile_support import GPROFX

PAIRS = 5
HOSTILE = "</script><img src=x onerror=\"window.hacked=1\">\n::error::x%0A|`@\x1b[31m\u202e]]>" + "x" * 10000
# Work is counted and not timed, so that a busy machine changes little; render() does seven times as much in the
# head, which is more of the whole than machines vary by.
JOB = """
def parse(n):
    x = 0
    for i in range(n): x += i * i
    return x

def render(n):
    x = 0
    for i in range(n): x += i * i
    return x

def hostile(n):
    x = 0
    for i in range(n): x += i * i
    return x
hostile.__code__ = hostile.__code__.replace(co_name=NAME)
if hasattr(hostile.__code__, "co_qualname"):
    hostile.__code__ = hostile.__code__.replace(co_qualname=NAME)

# Enough others that what changed everywhere is told from them.
others = {}
for name in "load save sort sum check send".split():
    exec(compile("def %s(n):\\n  x = 0\\n  for i in range(n): x += i * i\\n" % name, name + ".py", "exec"), others)

def only_in_head(n): return parse(n)

for _ in range(5):
    parse(200000); render(RENDER); hostile(200000)
    for name in "load save sort sum check send".split(): others[name](200000)
    if RENDER > 300000: only_in_head(100000)
"""


def run(*args, cwd=None, **env):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, cwd=cwd,
                          env=dict({k: v for k, v in os.environ.items() if k != "GITHUB_STEP_SUMMARY"}, COLUMNS="100", **env))


class DiffSides(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = cls.folder.name
        first = JOB.splitlines().index("def render(n):") + 1
        cls.lines = range(first, first + 4)  # where render() is
        for i in range(PAIRS):
            for side, render in (("base", 200000), ("head", 1400000)):
                os.makedirs(os.path.join(cls.top, side), exist_ok=True)
                with open(os.path.join(cls.top, "job.py"), "w") as file:
                    file.write(JOB.replace("RENDER", str(render)).replace("NAME", repr(HOSTILE)))
                done = run("record", "-q", "-o", "%s/%d.gprofx" % (side, i), "--", sys.executable, os.path.join(cls.top, "job.py"), cwd=cls.top)
                assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def diff(self, *options, status=1, **env):
        done = run("diff", *options, "base", "head", cwd=self.top, **env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done
