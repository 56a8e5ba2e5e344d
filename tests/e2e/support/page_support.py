"""A page of `gprof-x report --html` in a headless Chromium, and what the report says of the same recording.

Real recordings are read where GPROFX_PROFILES (or ../shared/data/profiles) has them.
"""
import json
import os
import subprocess
import tempfile
import unittest

from browser import PROGRAM, Browser
from profile_support import GPROFX, WORKLOADS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROFILES = os.environ.get("GPROFX_PROFILES") or next(
    (folder for folder in (os.path.join(ROOT, *up, "shared/data/profiles") for up in ([".."], ["..", ".."])) if os.path.isdir(folder)), "")
FAKE = os.path.join(WORKLOADS, "fake_gpu")


def report(file, *options):
    view = () if "--view" in options or "--own" in options else ("--view", "mixed")  # as the page
    out = subprocess.run([GPROFX, "report", "--json", *view, *options, file], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def has_option(name):
    return ("--" + name) in subprocess.run([GPROFX, "report", "--help-all"], stdout=subprocess.PIPE, text=True).stdout


def whole_run():
    """A report is usually of the steady part; this makes it one of everything."""
    return ["--phase", "all"] if has_option("phase") else []


def sums(rows, second="total"):
    """(self, second) by name, as Page.rows() has them: functions of one name may be several, and long names are cut."""
    by_name = {}
    for row in rows:
        if row["self"] or row["total"]:
            a, b = by_name.get(row["name"], (0, 0))
            by_name[row["name"]] = (a + row["self"], b + row[second])
    return {name: both for name, both in by_name.items() if len(name) < 1000}


def js(value):
    return json.dumps(value)


@unittest.skipUnless(PROGRAM, "no Chromium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gprof-x-html-")
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.size(1280, 800)
        self.browser.scheme(False)

    def page(self, file, *options):
        path = os.path.join(self.folder.name, os.path.basename(file) + ".html")
        subprocess.run([GPROFX, "report", "--html", path, *options, file], check=True)
        self.assertLess(os.path.getsize(path), 5_000_000)
        self.browser.open(path)
        return path

    def ask(self, expression):
        return self.browser.eval(expression)

    def rows(self, what="functions"):
        """(self, total) of functions, (self, calls) of kernels by name."""
        rows = self.ask("gprofx.rows(%s)" % js(what))
        if what == "kernels":
            rows = [dict(row, self=row["ns"], total=row["ns"]) for row in rows]
        return sums(rows, "calls" if what == "kernels" else "total")

    def fine(self):
        self.assertEqual(self.browser.troubles(), [])
