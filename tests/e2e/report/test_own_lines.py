#!/usr/bin/env python3
"""Tables, trees and callers of a Python program show the user's own functions and lines first."""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX  # noqa: E402

APP = """
import json
def parse(text):
    return [json.loads(text, object_hook=lambda d: d) for _ in range(120)]
def dump(rows):
    return json.dumps(rows, indent=1)
rows = [{"a": i, "b": [1.5] * 5, "c": str(i)} for i in range(1500)]
text = dump(rows)
parse(text)
for _ in range(10): dump(rows)
"""


class OwnLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gprof-x-own-")
        cls.script, cls.file = (os.path.join(cls.folder.name, name) for name in ("app.py", "p.gprofx"))
        cls.write(cls.script, APP)
        # Through a shell with short children, as the shim of a version manager starts its program.
        starter = "for i in 1 2 3 4 5 6; do ls / > /dev/null; done; exec \"$0\" \"$1\""
        subprocess.run([GPROFX, "record", "-q", "-o", cls.file, "--", "sh", "-c", starter, os.path.realpath(sys.executable), cls.script], check=True, timeout=60)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def write(path, text):
        """Writes a file that is older than the recording."""
        with open(path, "w") as file:
            file.write(text)
        past = time.time() - 100
        os.utime(path, (past, past))

    def text(self, *options, columns="80", of=None):
        env = dict(os.environ, COLUMNS=columns)
        return subprocess.run([GPROFX, "report", "--no-pager", *options, of or self.file], check=True, capture_output=True, text=True, env=env).stdout

    def json(self, *options):
        return json.loads(self.text("--json", *options))

    def test_the_default_table_has_functions_of_python_with_their_line(self):
        text = self.text()
        self.assertRegex(text, r"top \d+ of \d+ Python functions by self time, with the native code they call;")
        self.assertRegex(text, r"\n# +self +%CPU +total +%CPU +native +function +line\n|\n +# +self +%CPU +total +%CPU +native +function +line\n")
        self.assertRegex(text, r"\d% +\S*raw_decode +decoder\.py:\d+\n")
        self.assertNotIn("called from", text)
        self.assertRegex(self.text(columns="120"), r"raw_decode +decoder\.py:\d+ +app\.py:4 parse")
        self.assertRegex(self.text("--view", "mixed"), r"self +%CPU +total +%CPU +kind +function +called from")

    def test_all_faces_agree_on_the_default_view(self):
        rows, tables = self.json(), (self.json("--view", "python"), self.json("--lines"), self.json("--by", "line"))
        self.assertEqual(rows["rows"], tables[0]["rows"])
        self.assertEqual({table["filters"]["view"] for table in (rows, *tables)}, {"python"})
        self.assertEqual(self.json("--tree")["filters"]["view"], "mixed")
        self.assertEqual(self.json("--all-frames")["filters"]["view"], "mixed")
        for row in rows["rows"][:5]:
            self.assertEqual(self.json("--callers", row["row"])["rows"][0]["total"], row["total"], row)
        self.assertNotIn("row", self.json("--view", "mixed")["rows"][0])

    def test_own_code_has_the_time_of_all_that_it_calls(self):
        answer = self.json("--own")
        self.assertTrue(answer["filters"]["own"])
        own = {row["name"]: row for row in answer["rows"]}
        self.assertEqual(sum(row["self"] for row in own.values()), answer["base"])
        self.assertLessEqual(set(own), {"<module>", "parse", "parse.<locals>.<listcomp>", "parse.<locals>.<lambda>", "dump", "<listcomp>",
                                        "parse.<locals>.<listcomp>.<lambda>", "[outside of own code]"})
        self.assertGreater(own["dump"]["self"], 0.05 * answer["base"])
        self.assertRegex(self.text("--own"), r"dump +app\.py:6\n")
        run = subprocess.run([GPROFX, "report", "--own", "--view", "mixed", self.file], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)

    def test_a_tree_folds_foreign_frames_and_keeps_to_its_rows(self):
        text = self.text("--tree")
        self.assertRegex(text, r"\(\d+ frames of json")
        table = text[text.index("call tree\n"):].splitlines()[1:]
        self.assertLessEqual(len([line for line in table if not line.startswith(("...", "Next"))]), 60)

    def test_source_text_of_lines(self):
        self.assertRegex(self.text("--lines"), r"\d% +app\.py:\d+ +\w+.*\n")
        self.assertIn("dump(rows)", self.text("--lines", "--own"))
        self.assertRegex(self.text("--callers", "raw_decode"), r"parse(\.<locals>\.<listcomp>)? \(app\.py:4\): return \[json")

    def test_source_text_is_that_of_the_recording(self):
        self.addCleanup(self.write, self.script, APP)
        self.write(self.script, "another text\n" * 20)
        text = self.text("--callers", "raw_decode")
        self.assertIn("return [json", text)
        self.assertNotIn("another text", text)

    def test_start_up_is_a_phase(self):
        script, made = (os.path.join(self.folder.name, name) for name in ("imports.py", "imports.gprofx"))
        self.write(os.path.join(self.folder.name, "slow.py"), "sum(i * i for i in range(6_000_000))\n")
        self.write(script, "import slow\ndef work():\n    return sum(i * i for i in range(12_000_000))\nwork()\n")
        subprocess.run([GPROFX, "record", "-q", "-o", made, "--", sys.executable, script], check=True, timeout=60)
        phases = json.loads(self.text("--json", of=made))["phases"]
        self.assertEqual([phase["kind"] for phase in phases], ["start-up", "work"])
        self.assertRegex(self.text("--phase", "startup", of=made), r"phases: start-up [\d.]+ m?s, work [\d.]+ m?s; shown is the start-up")
        work = json.loads(self.text("--phase", "work", "--json", of=made))
        self.assertEqual(work["rows"][0]["file"], os.path.realpath(script))
        self.assertNotIn("phases:", self.text(of=made))

    def test_a_file_that_the_recording_only_names_is_not_read(self):
        named, forged = (os.path.join(self.folder.name, name) for name in ("private.py", "forged.gprofx"))
        self.write(named, "private text\n" * 20)
        shutil.copy(self.file, forged)
        with contextlib.closing(sqlite3.connect(forged)) as db, db:
            db.execute("DELETE FROM source")
            self.assertEqual(db.execute("UPDATE string SET text = ? WHERE text = ?", (named, self.script)).rowcount, 1)
        for options in (("--lines",), ("--lines", "--own"), ("--callers", "raw_decode"), ("--lines", "--json")):
            text = self.text(*options, of=forged)
            self.assertIn("private.py", text)
            self.assertNotIn("private text", text)

    def test_brief_processes_are_not_in_the_way(self):
        self.assertRegex(self.text().splitlines()[0], r"  1 process, \d threads? \(and 6 brief processes\)")
        self.assertEqual(self.json()["recording"]["processes"], 7)

    def test_a_small_screen_has_the_verdict_and_eight_rows(self):
        first = self.text().splitlines()[:24]
        self.assertTrue(any(" of the CPU time is in " in line for line in first), first)
        self.assertGreaterEqual(len([line for line in first if re.match(r" *\d+ +[\d.]+ \w+ +[\d.]+%", line)]), 8)


if __name__ == "__main__":
    unittest.main()
