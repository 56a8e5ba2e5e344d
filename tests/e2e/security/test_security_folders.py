#!/usr/bin/env python3
"""Nobody gains anything from a folder that a recording is written to. Each test is an attack: journals and names that somebody else planted,
files that are swapped while they are written."""
import os
import random
import shutil
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from file_attacks import ATTACKER, Files, IS_ROOT, LOOPS, SMALL, become, run, unfinished


@unittest.skipUnless(IS_ROOT, "needs root, to be several users")
class Writing(Files):
    def setUp(self):
        super().setUp()
        self.shared = self.make_shared()
        unfinished(SMALL, self.inside("bad.gprofx"), self.victim)
        with open(self.inside("bad.gprofx-journal"), "rb") as file:
            self.journal = file.read()
        self.assertEqual(self.record("-q").returncode, 0)  # where nobody attacks
        self.clear()

    def plant(self, name, data):
        path = os.path.join(self.shared, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chown(path, ATTACKER, ATTACKER)
        return path

    def record(self, *options, name="profile.gprofx", program=("true",)):
        return run(["record", "-o", name, *options, "--", *program], self.shared)

    def clear(self):
        for name in os.listdir(self.shared):
            os.unlink(os.path.join(self.shared, name))

    def test_a_planted_journal_is_not_played_back(self):
        for _ in range(max(5, LOOPS)):
            self.plant("profile.gprofx-journal", self.journal)
            done = self.record()
            self.check_victim(done.stderr)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertRegex(done.stderr.decode(), r"^gprof-x: 'profile.gprofx-journal' exists without its profile; remove it .*\n$")
            self.clear()

    def test_a_journal_planted_while_it_records(self):
        """The name is taken again and again, from before the start or from some moment on to after the end."""
        recorded = 0
        for attempt in range(max(10, LOOPS)):
            planter = os.fork()
            if planter == 0:
                become(ATTACKER)
                path, other = os.path.join(self.shared, "profile.gprofx-journal"), os.path.join(self.shared, "x%d" % attempt)
                random.seed(attempt)
                end = time.monotonic() + 20
                time.sleep(random.choice((0, random.random() / 5)))
                while time.monotonic() < end:
                    try:
                        with open(other, "wb") as file:
                            file.write(self.journal)
                        os.rename(other, path)
                        time.sleep(random.random() / 100)
                        os.unlink(path)
                        time.sleep(random.random() / 100)
                    except OSError:
                        pass
                os._exit(0)
            try:
                done = self.record("-q", "-F", "999", program=("sleep", "0.05"))
            finally:
                os.kill(planter, signal.SIGKILL)
                os.waitpid(planter, 0)
            self.check_victim(done.stderr)
            self.assertIn(done.returncode, (0, 125), done.stderr)
            if done.returncode == 0:
                recorded += 1
                for name in os.listdir(self.shared):
                    if name != "profile.gprofx":
                        os.unlink(os.path.join(self.shared, name))
                shown = run(["report", "profile.gprofx"], self.shared)
                self.assertEqual(shown.returncode, 0, shown.stderr)
            self.clear()
        self.assertGreater(recorded, 0)

    def test_files_that_are_swapped_while_they_are_written(self):
        """In a folder where anybody may rename: whoever puts a file of his own in the place of a new one gets nothing of the profile."""
        os.chmod(self.shared, 0o777)
        for attempt in range(max(60, LOOPS)):
            bait = self.plant("bait", b"")
            shutil.copy(SMALL, os.path.join(self.shared, "p.gprofx"))
            swapper = os.fork()
            if swapper == 0:
                become(ATTACKER)
                os.chdir(self.shared)
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    for name in os.listdir("."):
                        if name not in ("bait", "x", "p.gprofx"):
                            try:
                                os.link("bait", "x")
                                os.rename("x", name)
                                os.unlink("x")  # where both were one file
                            except OSError:
                                pass
                os._exit(0)
            try:
                commands = (["record", "-q", "-o", "profile.gprofx", "--", "true"], ["report", "--html", "page.html", "p.gprofx"],
                            ["export", "--to", "sqlite-flat", "-o", "x.sqlite", "p.gprofx"], ["merge", "-o", "m.gprofx", "p.gprofx"])
                done = run(commands[attempt % len(commands)], self.shared)
            finally:
                os.kill(swapper, signal.SIGKILL)
                os.waitpid(swapper, 0)
            with open(bait, "rb") as file:
                self.assertEqual(file.read(100), b"", (attempt, done.stderr))
            self.assertIn(done.returncode, (0, 2, 125), done.stderr)
            self.clear()

    def test_planted_names_are_never_written_through(self):
        precious = os.stat(self.victim)
        for name in ("profile.gprofx", "profile.gprofx.old", "profile.gprofx.tmp", "profile.gprofx-journal", "profile.gprofx.old-journal"):
            for kind in ("symlink", "hard link", "fifo", "dangling"):
                self.clear()
                if name == "profile.gprofx.old":
                    shutil.copy(SMALL, os.path.join(self.shared, "profile.gprofx"))
                path = os.path.join(self.shared, name)
                if kind == "symlink":
                    os.symlink(self.victim, path)
                elif kind == "hard link":
                    os.link(self.victim, path)
                elif kind == "fifo":
                    os.mkfifo(path)
                else:
                    os.symlink(self.inside("made"), path)
                done = self.record("-q")
                self.check_victim((name, kind))
                self.assertIn(done.returncode, (0, 125), (name, kind, done.stderr))
                self.assertFalse(os.path.exists(self.inside("made")), (name, kind))
                now = os.stat(self.victim)
                self.assertEqual((now.st_mode, now.st_uid, now.st_mtime_ns), (precious.st_mode, precious.st_uid, precious.st_mtime_ns))
                if kind == "hard link" and os.path.exists(path):
                    os.unlink(path)

    def test_an_own_killed_recording_gives_way(self):
        """The honest case: profile and journal of a recording that was killed are kept as .old, both."""
        unfinished(SMALL, os.path.join(self.shared, "profile.gprofx"))
        done = self.record("-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.shared)), ["profile.gprofx", "profile.gprofx.old", "profile.gprofx.old-journal"])
        self.assertEqual(run(["report", "profile.gprofx.old"], self.shared).returncode, 0)
        # A journal whose profile is gone is of no use to anybody.
        self.clear()
        unfinished(SMALL, os.path.join(self.shared, "profile.gprofx"))
        os.unlink(os.path.join(self.shared, "profile.gprofx"))
        self.assertEqual(self.record("-q").returncode, 0)
        self.assertEqual(os.listdir(self.shared), ["profile.gprofx"])


if __name__ == "__main__":
    unittest.main()
