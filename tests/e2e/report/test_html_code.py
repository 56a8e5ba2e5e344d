#!/usr/bin/env python3
"""Whose code the page of `gprof-x report --html` shows: Python, native or both; with libraries, with each folded, or own code alone."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import PROFILES, Page, js, report, sums
from profile_support import Recording

SCRIPT = """
import json, sqlite3
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE t(n INTEGER)")
db.executemany("INSERT INTO t VALUES(?)", [(i,) for i in range(100000)])
def load():
    return [db.execute("SELECT sum(n) FROM t WHERE n > ?", (i,)).fetchone() for i in range(40)]
def write():
    return [json.loads(json.dumps({str(k): [k] * 50 for k in range(1000)}, indent=1)) for _ in range(12)]
load()
write()
"""


class Code(Page):
    def switch(self, button):
        self.ask("document.querySelector(%s).click()" % js(button))

    def test_own_code_has_what_it_calls(self):
        with tempfile.TemporaryDirectory(prefix="gprof-x-code-") as folder:
            script = os.path.join(folder, "app.py")
            with open(script, "w") as file:
                file.write(SCRIPT)
            with Recording([sys.executable, script]) as r:
                self.page(r.file)
                whole = self.rows()
                base = sum(own for own, _ in whole.values())
                verdict = report(r.file)["verdict"]["own"]
                self.switch("#libraries [value=none]")
                own = self.rows()
                self.assertEqual(sum(each[0] for each in own.values()), base)
                self.assertEqual([name for name in own if not name.startswith(("load", "write", "<", "["))], [])
                self.assertEqual(own[verdict["function"]][1], verdict["value"])
                self.switch("#libraries [value=folded]")
                folded = self.rows()
                self.assertEqual(sum(each[0] for each in folded.values()), base)
                self.assertIn("sqlite3", folded)
                self.assertIn("json", folded)
                self.assertNotIn("JSONEncoder.encode", folded)
                self.assertIn("load", folded)
                self.switch("#libraries [value=all]")
                self.assertEqual(self.rows(), whole)
                self.fine()

    @unittest.skipUnless(PROFILES, "no real recordings")
    def test_python_and_native_code_are_those_of_the_report(self):
        for name in ("gpt2_train_h100.gprofx", "ddp_2x_h100.gprofx"):
            file = os.path.join(PROFILES, name)
            self.page(file)
            for metric in ("cpu", "gpu", "gpu_wait"):
                self.ask("gprofx.set({metric: %s})" % js(metric))
                self.switch("#code [value=python]")
                told = sums(report(file, "--by", "function", "--view", "python", "--metric", metric, "--limit", "1000000")["rows"])
                # The import system of Python is part of its caller here.
                self.assertEqual(self.rows(), told, (name, metric))
                self.switch("#code [value=native]")
                told = sums(report(file, "--by", "function", "--view", "native", "--metric", metric, "--limit", "1000000")["rows"])
                shown = self.rows()
                self.assertEqual(sum(own for own, _ in shown.values()), sum(own for own, _ in told.values()))
                for function in set(shown) & set(told):
                    if not function.startswith(("Py", "_Py", "[")):
                        self.assertEqual(shown[function][1], told[function][1], (name, metric, function))
                self.switch("#code [value=mixed]")
            self.fine()


if __name__ == "__main__":
    unittest.main(verbosity=2)
