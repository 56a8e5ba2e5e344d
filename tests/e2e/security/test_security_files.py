#!/usr/bin/env python3
"""Nobody gains anything from a profile that is opened, or from what is made of it. Each test is an attack: journals that name other files,
pages that more people may read than the profile, formulas in CSV."""
import csv
import os
import shutil
import sqlite3
import stat
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from file_attacks import ATTACKER, Files, IS_ROOT, LOOPS, SMALL, VICTIM, WHOLE, run, state, unfinished

READING = (["report"], ["report", "--tree", "--json"], ["report", "--html", "-"], ["export", "--to", "csv", "-o", "-"], ["analyze"],
           ["variability"], ["forecast", "--to", "h200"], ["diff", WHOLE], ["annotate", "gemm"])


class Reading(Files):
    def test_the_attack_works_on_sqlite_itself(self):
        """What is refused below is a real attack, and not a file that is broken anyhow."""
        unfinished(SMALL, self.inside("p.gprofx"), self.victim)
        data = sqlite3.connect(self.inside("p.gprofx"))
        data.execute("SELECT count(*) FROM meta").fetchall()
        data.close()
        self.assertFalse(os.path.exists(self.victim))

    def test_a_journal_from_an_archive_deletes_nothing(self):
        unfinished(SMALL, self.inside("p.gprofx"), self.victim)
        before = state(self.folder)
        for command in READING + (["merge", "-o", "out.gprofx"], ["redact", "-o", "out.gprofx"]):
            for _ in range(max(1, LOOPS // len(READING))):
                done = run(command + ["p.gprofx"], self.folder)
                self.check_victim(command)
                self.assertEqual(done.returncode, 2, (command, done.stderr))
                self.assertIn(b"names other files", done.stderr, command)
                self.assertEqual(state(self.folder), before, command)

    def test_an_unfinished_commit_is_read_and_nothing_is_written(self):
        """Of a killed recording, by its owner and by root, in a folder that may not be written too."""
        shutil.copy(SMALL, self.inside("whole.gprofx"))
        unfinished(SMALL, self.inside("p.gprofx"))
        wanted = run(["report", "--tree", "whole.gprofx"], self.folder)
        self.assertEqual(wanted.returncode, 0, wanted.stderr)
        if IS_ROOT:
            for name in ("p.gprofx", "p.gprofx-journal"):
                os.chown(self.inside(name), VICTIM, VICTIM)
                os.chmod(self.inside(name), 0o400)
        before = state(self.folder)
        for uid in (None, VICTIM) if IS_ROOT else (None,):
            got = run(["report", "--tree", "p.gprofx"], self.folder, uid)
            self.assertEqual((got.returncode, got.stdout.replace(b"p.gprofx", b"whole.gprofx")), (0, wanted.stdout), got.stderr)
            for command in READING:
                run(command + ["p.gprofx"], self.folder, uid)
                self.assertEqual(state(self.folder), before, command)

    @unittest.skipUnless(IS_ROOT, "needs root, to be several users")
    def test_a_journal_that_somebody_else_planted_changes_nothing(self):
        shared = self.make_shared()
        profile = os.path.join(shared, "p.gprofx")
        unfinished(SMALL, profile)
        os.chown(profile, VICTIM, VICTIM)
        os.chown(profile + "-journal", ATTACKER, ATTACKER)
        before = state(shared)
        for uid in (None, VICTIM):
            done = run(["report", "p.gprofx"], shared, uid)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"another user", done.stderr)
        self.assertEqual(state(shared), before)
        # The way out that the line names works, and gives the journal no trust.
        shutil.copy(SMALL, profile)
        shutil.copy(profile, self.inside("alone.gprofx"))
        self.assertEqual(run(["report", "alone.gprofx"], self.folder).returncode, 0)

    def test_advice_never_makes_a_journal_trusted(self):
        """Both files in a folder of one's own, as an archive leaves them and as older versions told to do."""
        shared = self.make_shared(0o755)
        unfinished(SMALL, os.path.join(shared, "p.gprofx"), self.victim)
        mine = self.inside("mine")
        shutil.copytree(shared, mine)
        self.assertEqual(run(["report", "p.gprofx"], mine).returncode, 2)
        self.check_victim("copied")


class Made(Files):
    """What is made of a profile."""

    def test_nobody_reads_more_of_it_than_of_the_profile(self):
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        for mode in (0o600, 0o640, 0o400):
            out = self.inside("out%o" % mode)
            os.mkdir(out)
            for name in ("a.gprofx", "b.gprofx"):
                shutil.copy(WHOLE, os.path.join(out, name))
            os.chmod(os.path.join(out, "a.gprofx"), mode)  # the stricter of the two
            commands = (["report", "--html", "page.html", "a.gprofx"], ["export", "--to", "csv", "-o", "x.csv", "a.gprofx"],
                        ["export", "--to", "sqlite-flat", "-o", "x.sqlite", "a.gprofx"], ["merge", "-o", "m.gprofx", "b.gprofx", "a.gprofx"],
                        ["redact", "-o", "r.gprofx", "a.gprofx"], ["analyze", "--sarif", "f.sarif", "a.gprofx"],
                        ["diff", "--html", "d.html", "--md", "d.md", "--junit", "d.xml", "b.gprofx", "a.gprofx"],
                        ["ci", "baseline", "save", "main", "a.gprofx"], ["variability", "--html", "v.html", "a.gprofx"])
            for command in commands:
                done = run(command, out, env={**os.environ, "GITHUB_STEP_SUMMARY": os.path.join(out, "summary.md"), "GITHUB_ACTIONS": "true"})
                self.assertLess(done.returncode, 4, (command, done.stderr))
            made = []
            for place, _, files in os.walk(out):
                for name in files:
                    path = os.path.join(place, name)
                    if name in ("a.gprofx", "b.gprofx") or os.path.getsize(path) == 0:
                        continue
                    made.append(name)
                    self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & ~(mode | 0o600), 0, (oct(mode), path))
            for name in ("page.html", "x.csv", "x.sqlite", "m.gprofx", "r.gprofx", "d.html", "d.md"):
                self.assertIn(name, made)

    def test_no_text_of_a_csv_is_a_formula(self):
        names = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "=\"x,y\"")
        self.write("in.txt", "".join("%s;%s 7\n" % (name, name) for name in names).encode())
        self.assertEqual(run(["import", "--from", "collapsed", "-o", "p.gprofx", "in.txt"], self.folder).returncode, 0)
        outputs = (run(["export", "--to", "csv", "-o", "-", "p.gprofx"], self.folder).stdout, run(["analyze", "--csv", "p.gprofx"], self.folder).stdout)
        self.assertIn(b"cmd|", outputs[0])
        for output in outputs:
            for row in csv.reader(output.decode().splitlines()):
                for cell in row:
                    self.assertNotRegex(cell, r"^[=+@\t\r]|^-(?!\d+(\.\d+)?(e[+-]\d+)?$)", row)


if __name__ == "__main__":
    unittest.main()
