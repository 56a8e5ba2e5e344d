#!/usr/bin/env python3
"""Source text: what a recording keeps of the program, and the time of each line in the page of `gprof-x report --html`."""
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import Page, report
from profile_support import GPROFX

HELPER = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))
"""
SCRIPT = """import json
from helper import spin
def work():
    spin(0.3)  # </script><b>
    return [json.dumps({str(k): [k] * 50 for k in range(1000)}, indent=1) for _ in range(10)]
def deep(n):
    return deep(n - 1) if n else spin(0.1)
work()
deep(5)
"""


class Source(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = tempfile.TemporaryDirectory(prefix="gprof-x-source-")
        for name, text in (("helper.py", HELPER), ("app.py", SCRIPT)):
            with open(os.path.join(cls.home.name, name), "w") as file:
                file.write(text)
        cls.file = os.path.join(cls.home.name, "p.gprofx")
        # Python itself knows the script by a relative path.
        subprocess.run([GPROFX, "record", "-q", "-o", cls.file, "--", sys.executable, "app.py"], cwd=cls.home.name, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()
        super().tearDownClass()

    def test_own_files_are_kept_and_no_others(self):
        with closing(sqlite3.connect(self.file)) as database:
            kept = dict(database.execute("SELECT string.text, source.text FROM source JOIN string ON string.id = source.path"))
        self.assertEqual(kept, {os.path.join(self.home.name, "helper.py"): HELPER, os.path.join(self.home.name, "app.py"): SCRIPT})

    def test_redacted_recordings_hold_no_text(self):
        out = os.path.join(self.home.name, "redacted.gprofx")
        subprocess.run([GPROFX, "redact", "-o", out, self.file], check=True)
        with open(out, "rb") as file:
            self.assertNotIn(b"range(1000)", file.read())
        page = subprocess.run([GPROFX, "report", "--html", "-", out], check=True, stdout=subprocess.PIPE).stdout
        self.assertIn(b"<!DOCTYPE html>", page)

    def test_each_line_has_the_time_of_the_report(self):
        self.page(self.file)
        self.ask("gprofx.open('functions')")
        cell = "[...document.querySelectorAll('#panel-functions td.name')].find(each => each.textContent.startsWith('%s'))"
        self.ask("%s.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}))" % cell % "spin")
        self.assertEqual(self.ask("gprofx.state().tab"), "source")
        self.assertIn("sum(range(200))", self.ask("document.getElementById('panel-source').innerText"))
        for name in ("helper.py", "app.py"):
            self.ask("(() => { const choice = document.querySelector('#panel-source select'); choice.value = [...choice.options].find(each => each.value.endsWith('/%s')).value; choice.dispatchEvent(new Event('change')); })()" % name)
            told = {}
            for row in report(self.file, "--by", "line", "--view", "python", "--limit", "100000", "--phase", "all")["rows"]:
                if (row["file"] or "").endswith("/" + name):
                    own, total = told.get(row["line"], (0, 0))
                    told[row["line"]] = (own + row["self"], max(total, row["total"]))  # the line of a comprehension is in two functions
            shown = {row["line"]: (row["self"], row["total"]) for row in self.ask("gprofx.lines()")}
            text = (SCRIPT if name == "app.py" else HELPER).splitlines()
            # What the import system does is part of the line here, and has lines of its own there.
            imports = {i + 1 for i, line in enumerate(text) if "import" in line}
            for rows in (shown, told):
                for line in imports:
                    rows.pop(line, None)
            self.assertGreater(len(shown), 0)
            self.assertEqual(shown, told)
        self.assertIn("</script><b>", self.ask("document.getElementById('panel-source').innerText"))
        # A line leads to its function.
        self.ask("[...document.querySelectorAll('#panel-source tbody tr')].find(each => each.innerText.includes('json.dumps')).click()")
        self.assertIn("work", self.ask("document.querySelector('#details h2').textContent"))
        self.fine()


if __name__ == "__main__":
    unittest.main(verbosity=2)
