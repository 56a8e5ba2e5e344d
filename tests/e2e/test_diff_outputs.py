"""What gprof-x diff writes for CI systems and browsers, from real recordings of a program with a change that is known."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from browser import PROGRAM as CHROMIUM, Browser
from profile_support import GPROFX
from test_html import PROFILES

PAIRS = 5
HOSTILE = "</script><img src=x onerror=\"window.hacked=1\">\n::error::x%0A|`@\x1b[31m\u202e]]>" + "x" * 10000
# Work is counted and not timed, so that a busy machine changes little; render() does three times as much in the head.
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


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = cls.folder.name
        first = JOB.splitlines().index("def render(n):") + 1
        cls.lines = range(first, first + 4)  # where render() is
        for i in range(PAIRS):
            for side, render in (("base", 200000), ("head", 600000)):
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

    def written(self, option, *more, **expected):
        path = os.path.join(self.top, "out")
        self.diff(option, "out", *more, **expected)
        with open(path) as file:
            text = file.read()
        os.unlink(path)
        self.assertEqual([name for name in os.listdir(self.top) if name.endswith(".tmp")], [])
        return text

    # ---- formats ----

    def test_junit_has_a_case_for_what_is_slower(self):
        root = xml.fromstring(self.written("--junit"))
        self.check_junit(root)
        failed = {case.get("name"): case.find("failure") for case in root.iter("testcase") if case.find("failure") is not None}
        self.assertTrue({"render is slower", "total: CPU time"} <= set(failed), failed)
        self.assertIn("95% interval", "".join(each.text for each in failed.values()))

    def test_rules_are_cases_of_junit(self):
        root = xml.fromstring(self.written("--junit", "--fail-on", "self(render)>5%", "--fail-on", "self(parse)>900%"))
        self.check_junit(root)
        cases = {case.get("name"): case for case in root.iter("testcase")}
        self.assertIsNotNone(cases["self(render)>5%"].find("failure"))
        self.assertIsNone(cases["self(parse)>900%"].find("failure"))

    def check_junit(self, root):
        """What junit-10.xsd of Jenkins' xUnit plugin asks for, of the elements that are used."""
        allowed = {"testsuites": {"name", "tests", "failures", "errors"}, "testsuite": {"name", "tests", "failures", "errors", "skipped"},
                   "testcase": {"name", "classname"}, "failure": {"type", "message"}, "error": {"type", "message"},
                   "skipped": {"type", "message"}, "system-out": set()}
        inside = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "error", "skipped", "system-out"}}
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            self.assertLessEqual(set(element.attrib), allowed[element.tag])
            self.assertLessEqual({child.tag for child in element}, inside.get(element.tag, set()))
        cases = list(root.iter("testcase"))
        for suite in (root, root[0]):
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertEqual(int(suite.get("failures")), sum(case.find("failure") is not None for case in cases))
            self.assertEqual(int(suite.get("errors")), sum(case.find("error") is not None for case in cases))

    def test_sarif_names_the_line_of_what_is_slower(self):
        log = json.loads(self.written("--sarif"))
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        tool, results = log["runs"][0]["tool"]["driver"], log["runs"][0]["results"]
        self.assertTrue(log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"].startswith("file:///"))
        for result in results:
            self.assertEqual(tool["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("error", "warning"))
            self.assertTrue(result["message"]["text"])
            self.assertRegex(result["partialFingerprints"]["gprofx/v1"], "^[0-9a-f]{16}$")
            place = result["locations"][0]["physicalLocation"]
            self.assertGreaterEqual(place["region"]["startLine"], 1)
            self.assertRegex(place["artifactLocation"]["uri"], r"^(file:///)?[A-Za-z0-9._~/%-]+$")
        place = next(result for result in results if result["message"]["text"].startswith("render: "))["locations"][0]
        self.assertEqual(place["physicalLocation"]["artifactLocation"], {"uri": "job.py", "uriBaseId": "%SRCROOT%"})
        self.assertIn(place["physicalLocation"]["region"]["startLine"], self.lines)
        self.assertEqual(place["logicalLocations"][0]["fullyQualifiedName"], "render")

    def test_gitlab_gets_code_quality_and_metrics(self):
        issues = json.loads(self.written("--gitlab"))
        for issue in issues:
            self.assertEqual(set(issue), {"description", "check_name", "fingerprint", "severity", "location"})
            self.assertIn(issue["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertFalse(issue["location"]["path"].startswith(("/", "./")))
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        render = next(issue for issue in issues if issue["description"].startswith("render: "))
        self.assertEqual(render["location"]["path"], "job.py")
        self.assertIn(render["location"]["lines"]["begin"], self.lines)
        text = self.written("--metrics")
        self.assertTrue(text.endswith("# EOF\n"))
        values = dict(re.match(r"^(gprofx_\w+\{.*\}) (\S+)$", line).groups() for line in text.splitlines() if not line.startswith("#"))
        base, head = (float(values['gprofx_total_ns{clock="cpu",side="%s"}' % side]) for side in ("base", "head"))
        self.assertGreater(head, 1.2 * base)
        self.assertEqual(values['gprofx_verdict{verdict="regression"}'], "1")

    def test_github_gets_annotations_and_adds_to_the_summary(self):
        summary = os.path.join(self.top, "summary.md")
        self.addCleanup(os.unlink, summary)
        with open(summary, "w") as file:
            file.write("before\n")
        for _ in range(2):
            done = self.diff("--github", GITHUB_STEP_SUMMARY=summary)
        lines = done.stdout.splitlines()
        stop = re.match("^::stop-commands::(.+)$", lines[0])
        self.assertTrue(stop)
        end = lines.index("::%s::" % stop.group(1))
        commands = lines[end + 1:]
        self.assertTrue(all(re.match("^::(error|warning|notice) [^:]*::", line) for line in commands), commands)
        found = [re.match("^::error file=job.py,line=(\\d+),title=render is slower::render: ", line) for line in commands]
        self.assertIn(int(next(match for match in found if match).group(1)), self.lines)
        with open(summary) as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n"))
        self.assertEqual(text.count("### gprof-x: regression"), 2)
        self.assertNotIn("<img", text)
        self.assertEqual(text.count("<details>"), text.count("</details>"))
        # Where the standard output is data, the runner reads the commands of the other.
        done = self.diff("--github", "--json")
        self.assertEqual(json.loads(done.stdout)["verdict"], "regression")
        self.assertIn("::error ", done.stderr)

    def test_markdown_goes_to_the_standard_output_in_place_of_the_text(self):
        text = self.diff("--md", "-").stdout
        self.assertTrue(text.startswith("### gprof-x: regression\n"))
        self.assertIn("| **slower** |", text)
        self.assertNotIn("gprof-x diff: 5 runs", text)

    def test_one_run_of_each_is_an_error_of_junit_and_status_3(self):
        done = run("diff", "--junit", "-", "base/0.gprofx", "head/0.gprofx", cwd=self.top)
        self.assertEqual(done.returncode, 3)
        root = xml.fromstring(done.stdout)
        self.check_junit(root)
        self.assertEqual((root.get("failures"), root.get("errors")), ("0", "1"))

    # ---- files ----

    def test_what_is_there_is_replaced_as_a_whole_or_stays(self):
        path = os.path.join(self.top, "old.xml")
        self.addCleanup(os.unlink, path)
        with open(path, "w") as file:
            file.write("old")
        self.diff("--junit", "old.xml", "--junit", "old.xml", status=2)
        self.diff("--junit", "old.xml", "--sarif", "no/such/folder", status=2)
        with open(path) as file:
            self.assertEqual(file.read(), "old")
        self.diff("--junit", "old.xml")
        with open(path) as file:
            self.assertTrue(file.read().startswith("<?xml"))
        self.assertEqual(os.stat(path).st_mode & 0o400, 0o400)

    def test_bad_input_is_one_line_and_2(self):
        os.symlink("elsewhere", os.path.join(self.top, "link"))
        self.addCleanup(os.unlink, os.path.join(self.top, "link"))
        for options in (("--junit", "base/0.gprofx"), ("--sarif", "no/folder/a"), ("--md", "base"), ("--html", "link"), ("--junit", ""),
                        ("--junit", "-", "--sarif", "-"), ("--json", "--md", "-"), ("--junit", "a", "--sarif", "a"), ("--gitlab", "/dev/full")):
            done = self.diff(*options, status=2)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        done = self.diff("--github", status=2, GITHUB_STEP_SUMMARY="/no/such/folder")
        self.assertIn("GITHUB_STEP_SUMMARY", done.stderr)
        self.assertTrue(os.path.getsize(os.path.join(self.top, "base/0.gprofx")) > 0)

    # ---- the page ----

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_the_page_colours_what_changed_for_sure(self):
        path = os.path.join(self.top, "page.html")
        self.diff("--html", "page.html")
        self.assertLess(os.path.getsize(path), 5_000_000)
        with open(path) as file:
            text = file.read()
        self.assertNotRegex(text, r"https?://")
        self.assertNotIn("onerror", text)
        for dark in (False, True):
            with Browser(dark=dark) as browser:
                browser.open(path)
                self.check_page(browser)
                self.assertEqual(browser.eval("gprofx.state().theme"), "dark" if dark else "light")
                self.assertEqual(browser.troubles(), [])

    def check_page(self, browser):
        ask = browser.eval
        boxes = self.boxes(browser)
        self.assertEqual(boxes["render"]["hue"], "slower")
        # Of the others those that are not significant are grey.
        sure = {row["name"] for row in ask("gprofx.rows('functions')")
                if {row["verdict"], row["inclusive"]["verdict"]} & {"regression", "improvement"}}
        still = [name for name in ("parse", "load", "save", "sort", "check", "send") if name not in sure]
        self.assertTrue(still)
        for name in still:
            self.assertIsNone(boxes[name]["hue"])
        red, *greys = self.pixels(browser, boxes["render"], *(boxes[name] for name in still))
        self.assertGreater(red[0] - red[2], 50, red)
        for grey in greys:
            self.assertLess(max(grey) - min(grey), 20, grey)
        told = " ".join(ask("gprofx.words('render')"))
        self.assertRegex(told, r"the function itself, all over: \+\d+\.\d% \(\+.* to \+.*\), slower")
        self.assertIn("base -> head: ", told)
        # Widths are the head's, then the base's.
        share = {}
        for side in ("head", "base"):
            ask("gprofx.set({side: '%s'})" % side)
            boxes = self.boxes(browser)
            share[side] = boxes["render"]["width"] / boxes["parse"]["width"]
            self.assertEqual("only_in_head" in boxes, side == "head")
        self.assertGreater(share["head"], 2 * share["base"])
        browser.key("b")
        self.assertEqual(ask("gprofx.state().side"), "head")
        browser.key("/")
        for letter in "REND":
            browser.key(letter)
        self.assertEqual(ask("gprofx.state().found"), 1)
        browser.key("Escape")
        # A hostile name is only text.
        ask("gprofx.set({search: 'onerror'})")
        self.assertEqual(ask("gprofx.state().found"), 1)
        for tab in ("functions", "kernels", "counts", "rules", "data", "flame"):
            ask("gprofx.open('%s')" % tab)
            browser.frame()
            self.assertEqual(ask("document.querySelectorAll('img, iframe, script[src], link, object').length"), 0)
        self.assertIsNone(ask("window.hacked === undefined ? null : window.hacked"))
        ask("gprofx.set({search: ''})")
        # Clicks zoom, Escape shows the whole.
        box = self.boxes(browser)["render"]
        top = ask("document.getElementById('flame').getBoundingClientRect().top")
        browser.click(box["x"] + box["width"] / 2, top + box["y"] + 5)
        ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(ask("gprofx.flame().zoom"), "render")
        browser.key("Escape")
        ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(ask("gprofx.flame().zoom"), "[all]")
        browser.key("2")
        self.assertEqual(ask("gprofx.state().tab"), "functions")
        self.assertIn("render", [row.split(" ")[0] for row in ask(
            "[...document.querySelectorAll('#panel-functions tbody tr')].filter(row => row.textContent.startsWith('slower')).map("
            "row => row.querySelector('.name').textContent)")])

    @unittest.skipUnless(CHROMIUM and PROFILES, "no Chromium, or no recordings of real GPUs")
    def test_what_cannot_be_compared_has_no_colour(self):
        one, two = (os.path.join(PROFILES, name + ".gprofx") for name in ("gpt2_train_h100", "ddp_2x_h100"))
        path = os.path.join(self.top, "gpu.html")
        done = run("diff", "--html", path, one, two)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertLess(os.path.getsize(path), 5_000_000)
        with Browser() as browser:
            browser.open(path)
            for metric, name in enumerate(("CPU time", "GPU time")):
                browser.eval("gprofx.set({metric: %d})" % metric)
                self.assertEqual(browser.eval("gprofx.state().metric"), name)
                boxes = browser.eval("gprofx.flame().boxes")
                self.assertGreater(len(boxes), 50)
                self.assertEqual({box["hue"] for box in boxes}, {None})
            # Widths are per step, as the tables are.
            whole = browser.eval("gprofx.flame().total")
            kernels = browser.eval("gprofx.rows('kernels')")
            self.assertLess(abs(sum(row["head"] for row in kernels) / whole - 1), 0.05)
            browser.eval("gprofx.open('kernels')")
            self.assertIn("nccl", browser.eval("document.getElementById('panel-kernels').textContent"))
            self.assertEqual(browser.troubles(), [])

    def boxes(self, browser):
        """The widest of each name."""
        return {box["name"]: box for box in sorted(browser.eval("gprofx.flame().boxes"), key=lambda box: box["width"])}

    def pixels(self, browser, *boxes):
        """The colours of boxes of one row, at their right ends, where no text is."""
        return browser.eval("(() => { const c = document.getElementById('flame'), r = devicePixelRatio;"
                            " const row = c.getContext('2d').getImageData(0, (%f) * r, c.width, 1).data;"
                            " return %s.map(x => [...row.slice(4 * Math.round(x * r), 4 * Math.round(x * r) + 3)]); })()"
                            % (boxes[0]["y"] + 2, json.dumps([box["x"] + box["width"] - 4 for box in boxes])))


if __name__ == "__main__":
    unittest.main()
