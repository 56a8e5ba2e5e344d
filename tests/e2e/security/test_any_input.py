#!/usr/bin/env python3
"""Any input gets an answer: whatever lies where a profile is expected, each command that reads one ends soon, within its memory, with
status 2, nothing on its standard output, and lines that say which file and what to do; never by a signal."""
import os
import random
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, HERE

WHOLE = os.path.join(os.path.dirname(HERE), "data", "steps", "eager.gprofx")
COMMANDS = (["report"], ["report", "--tree", "--json"], ["report", "--html", "-"], ["report", "--timeline"], ["annotate", "gemm"],
            ["export", "--to", "collapsed", "-o", "-"], ["analyze"], ["analyze", "--json", "A1"], ["variability"], ["diff", WHOLE],
            ["merge", "-o", "out.gprofx"], ["redact", "-o", "out.gprofx"], ["forecast", "--to", "h200"])
SECONDS, MEMORY = 20, 1 << 30
FLIPS = 12


class AnyInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-x-test-")
        self.addCleanup(self.folder.cleanup)
        with open(WHOLE, "rb") as file:
            self.whole = file.read()

    def write(self, name, data):
        with open(os.path.join(self.folder.name, name), "wb") as file:
            file.write(data)
        return name

    def run_on(self, command, name):
        return subprocess.run([GPROFX, *command, name], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))

    def check_refused(self, run, command, name):
        self.assertEqual((run.returncode, run.stdout), (2, b""), (command, name, run.stderr))
        lines = run.stderr.decode().splitlines()
        self.assertIn("'%s'" % name, lines[0], command)
        # Who takes many files names each that is left out, and says what that makes of the whole.
        self.assertLessEqual(len(lines), 2 if command[0] in ("merge", "variability") else 1, lines)
        for line in lines:
            self.assertRegex(line, r"^gprof-x [a-z]+: .*; .*[^.]$", command)
        self.assertRegex(lines[-1], r" \[GX-\d{4}\]$", command)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "out.gprofx")), command)

    def test_the_whole_file_is_no_trouble(self):
        """What is refused below is refused for what was done to it."""
        self.write("whole.gprofx", self.whole)
        for command in COMMANDS:
            run = self.run_on(command, "whole.gprofx")
            self.assertNotIn(b"'whole.gprofx'", run.stderr, command)
            if command[0] in ("report", "export", "analyze", "redact") and "--timeline" not in command:  # it was recorded without one
                self.assertEqual(run.returncode, 0, (command, run.stderr))

    def test_what_is_no_profile(self):
        size = len(self.whole)
        names = [self.write("empty", b""), self.write("text", b"hello\n"), self.write("zeros", bytes(1 << 20)), "missing",
                 self.write("header", self.whole[:100]), self.write("half", self.whole[:size // 2]), self.write("less", self.whole[:-4096]),
                 self.write("later", self.whole[:60] + (9000).to_bytes(4, "big") + self.whole[64:]),
                 self.write("holes", self.whole[:4096] + bytes(size - 4096))]
        os.mkdir(os.path.join(self.folder.name, "folder"))
        os.mkfifo(os.path.join(self.folder.name, "pipe"))
        os.symlink("/dev/zero", os.path.join(self.folder.name, "device"))
        for name in names + ["folder", "pipe", "device"]:
            for command in COMMANDS:
                self.check_refused(self.run_on(command, name), command, name)

    def test_bytes_that_are_others(self):
        """Where a change is not seen the answer may be a whole one."""
        seen = set()
        for seed in range(FLIPS):
            data, chance = bytearray(self.whole), random.Random(seed)
            for _ in range(1 << seed % 8):
                data[chance.randrange(100, len(data))] = chance.randrange(256)
            name = self.write("flipped%d" % seed, data)
            for command in COMMANDS:
                run = self.run_on(command, name)
                self.assertIn(run.returncode, (0, 1, 2, 3) if command[0] == "diff" else (0, 2), (command, seed, run.stderr))
                if run.returncode == 2:
                    self.assertRegex(run.stderr.decode(), r"^gprof-x [a-z]+: .*; ", command)
                seen.add(run.returncode)
                if os.path.exists(os.path.join(self.folder.name, "out.gprofx")):
                    os.remove(os.path.join(self.folder.name, "out.gprofx"))
        self.assertIn(2, seen)


if __name__ == "__main__":
    unittest.main()
