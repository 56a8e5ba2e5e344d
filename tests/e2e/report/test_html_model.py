"""The tab of the model in the page of `gprof-x report --html`: tables with the numbers and words of `gprof-x analyze`, and plots of them.

Without Chromium nothing is tested. Real recordings and traces are read where GPROFX_SHARED names them.
"""
import json
import os
import re
import subprocess
import sys
import unittest

import test_analyze

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import PROGRAM
from profile_support import GPROFX, Recording
from test_analyze import ok, tables
from test_html import Page, js

SHOWN = ["A1", "A3", "A13", "A11", "A6", "A10", "A9", "A14"]
HOSTILE = "</script><img src=x onerror=\"window.hacked=1\">\u202e\U0001f525"
EAGER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "..", "data", "steps", "eager.gprofx")
PANEL = "document.getElementById('panel-model')"


def wide_layers(path, count):
    """One kernel in each of `count` layers."""
    trace = test_analyze.Training()
    trace.span("python_function", "nn.Module: Net_0", 1, 0, 100 * count + 100)
    for i in range(count):
        trace.span("python_function", "nn.Module: Linear_%d" % i, 1, 100 * i + 10, 80)
        trace.launch(1, 100 * i + 20, "gemm", 100 * i + 30, 10 + i % 7)
    trace.write(path)


def with_memory(path):
    """A layer, and an allocator that gives out 3 MB in 1 ms and takes 1 MB back."""
    trace = test_analyze.Training()
    trace.span("python_function", "nn.Module: Linear_0", 1, 0, 2000)
    trace.launch(1, 20, "gemm", 30, 1900)
    total = 0
    for i, (address, size) in enumerate(((4096, 1_000_000), (8192, 2_000_000), (4096, -1_000_000))):
        total += size
        args = {"Addr": address, "Bytes": size, "Total Allocated": total, "Total Reserved": 4_000_000, "Device Type": 1, "Device Id": 0}
        trace.events.append(dict(ph="i", s="t", cat="cpu_instant_event", name="[memory]", pid=9, tid=1, ts=100 + 500 * i, args=args))
    trace.write(path)


class Model(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.imported = {}

    import_trace = classmethod(test_analyze.Case.import_trace.__func__)
    trace = test_analyze.Case.trace

    def made(self, name, write):
        path = os.path.join(self.folder.name, name + ".json")
        write(path)
        return self.import_trace(path)

    def open(self, file, *options):
        self.page(file, *options)
        self.ask("gprofx.open('model')")
        self.browser.frame()

    def section(self, name):
        return PANEL + ".querySelector('section[data-analysis=%s]')" % name

    def count(self, name, what):
        return self.ask(self.section(name) + ".querySelectorAll(%s).length" % js(what))

    def cells(self, name):
        """The rows of a table as it is seen, all of them."""
        self.ask("[...%s.querySelectorAll('button')].filter(each => each.textContent.startsWith('show all')).forEach(each => each.click())" % self.section(name))
        return self.ask("[...%s.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))" % self.section(name))

    def printed(self, file, name, *options):
        """What `analyze` prints: cells of each row, without those that are empty."""
        lines = ok("analyze", "--wide", "--limit", "100000", name, *options, file).splitlines()
        rows = [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]
        titles = self.ask("[...%s.querySelectorAll('th')].map(each => each.textContent)" % self.section(name))
        return rows[rows.index(titles) + 1:]

    def check(self, file, *options):
        """Each table has the numbers of the JSON and the words of the text, each plot a bar for each row."""
        told = tables(file, *options, *SHOWN)
        for name in SHOWN:
            table, shown = told[name], self.ask("gprofx.analyses(%s)" % js(name))
            self.assertEqual(shown["rows_total"], len(table["rows"]), name)
            self.assertEqual(shown["reason"], table["reason"] or "", name)
            if table["reason"]:
                self.assertEqual(self.count(name, "svg, table"), 0)
                self.assertIn(table["reason"], self.ask(self.section(name) + ".textContent"))
                continue
            self.assertGreater(len(shown["rows"]), 0)
            numbers = [column["id"] for column in table["columns"] if column["unit"] != "text"]
            for row, expected in zip(shown["rows"], table["rows"]):
                for column in numbers:
                    self.assertEqual(row.get(column), expected[column], (name, column))
            is_kernel = "kernel" in table["columns"][0]["id"]  # these are called as in the rest of the page
            cells, printed = self.cells(name), self.printed(file, name, *options)
            self.assertEqual(len(cells), len(shown["rows"]))
            for row, expected in zip(cells, printed):
                row = [cell for cell in row if cell]
                if name != "A1" and all("…" not in cell for cell in row):
                    self.assertEqual(row[1 if is_kernel else 0:], expected[1 if is_kernel else 0:], name)
        for name in ("A3", "A13"):
            if not told[name]["reason"]:
                self.assertEqual(self.count(name, "svg .bar"), min(200, len(told[name]["rows"])))
        if not told["A11"]["reason"]:
            self.assertEqual(self.count("A11", "svg .bar"), min(30, len(told["A11"]["rows"])))
        self.fine()
        return told


class Made(Model):
    def setUp(self):
        super().setUp()
        self.file = self.made("training", test_analyze.training)

    def test_tables_are_those_of_analyze(self):
        self.open(self.file)
        told = self.check(self.file)
        self.assertEqual([row["layer"] for row in told["A3"]["rows"]], ["Net_0", "Linear_0", "Linear_1", "(no layer)"])
        # Heights of bars are as the numbers: the second layer's backward bar stands on its forward bar.
        bars = self.ask("[...%s.querySelectorAll('.bar')].map(bar => [...bar.querySelectorAll('rect:not(.back)')].map(rect => +rect.getAttribute('height')))"
                        % self.section("A3"))
        row = told["A3"]["rows"][2]
        self.assertAlmostEqual(bars[2][0] / bars[2][1], row["forward_ns"] / row["backward_ns"], delta=0.01)
        self.assertEqual(bars[0], [])

    def test_a_click_and_the_keys_select_a_layer_in_all_tables(self):
        self.open(self.file)
        self.ask(self.section("A3") + ".scrollIntoView()")
        x, y = self.ask("(() => { const box = %s.querySelectorAll('.bar')[2].getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()" % self.section("A3"))
        self.browser.mouse("mouseMoved", x, y)
        tip = self.ask("document.getElementById('tip').textContent")
        self.assertIn("Linear_1", tip)
        self.assertIn("backward", tip)
        self.browser.click(x, y)
        names = "[...%s.querySelectorAll('tr[aria-selected=true]')].map(row => [...row.cells].find(cell => cell.className.includes('text')).textContent)" % PANEL
        self.assertEqual(self.ask(names), ["Linear_1"] * 3)  # A3, A13, A11
        self.ask(self.section("A13") + ".querySelector('svg').focus()")
        for key in ("Home", "ArrowRight"):
            self.browser.key(key)
        self.assertIn("Linear_0", self.ask("document.getElementById('status').textContent"))
        self.browser.key("Enter")
        self.assertEqual(self.ask(names), ["Linear_0"] * 3)
        self.assertEqual(self.ask("document.activeElement.dataset.analysis"), "A13")
        self.assertEqual(self.ask(PANEL + ".querySelectorAll('.bar.chosen').length"), 3)
        self.fine()

    def test_light_dark_and_narrow(self):
        for width in (400, 1000):
            self.browser.size(width, 800)
            for dark in (False, True):
                self.browser.scheme(dark)
                self.open(self.file)
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
                color = self.ask("getComputedStyle(%s.querySelector('.plot text')).fill" % PANEL)
                self.assertEqual(sum(map(int, re.findall(r"\d+", color)[:3])) > 384, dark)
                self.fine()
        before = self.ask(PANEL + ".querySelector('svg').getAttribute('width')")
        self.browser.size(700, 800)
        self.ask("new Promise(done => setTimeout(done, 200))")
        self.assertLess(int(self.ask(PANEL + ".querySelector('svg').getAttribute('width')")), int(before))

    def test_keys_and_filters_are_told(self):
        self.open(self.file, "--focus", "Net")
        self.assertIn("filters do not change it", self.ask(PANEL + ".textContent"))
        self.browser.key("?")
        keys = self.ask("document.getElementById('keys').textContent")
        self.assertIn("1 ... %d" % self.ask("document.querySelectorAll('#tabs button').length"), keys)
        self.assertIn("Model", keys)

    def test_memory_over_time(self):
        self.open(self.made("memory", with_memory), "--phase", "all")
        section = self.section("memory")
        self.assertIn("peak 3.00 MB", self.ask(section + ".textContent"))
        self.assertEqual(self.ask(section + ".querySelectorAll('path.live, path.held').length"), 2)
        self.ask(section + ".querySelector('svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        self.assertIn("live 2 MB", self.ask("document.getElementById('tip').textContent"))
        self.assertIn("held 4 MB", self.ask("document.getElementById('tip').textContent"))
        heights = self.ask("(path => [path.getBBox().height, path.ownerSVGElement.viewBox.baseVal.height])(%s.querySelector('path.live'))" % section)
        self.assertAlmostEqual(heights[0] / (heights[1] - 44), 3 / 4, delta=0.01)
        self.open(self.made("no_memory", lambda path: wide_layers(path, 2)))
        self.assertFalse(self.ask("!!" + section))

    def test_forecast(self):
        self.page(EAGER, "--forecast", "H200,B200", "--phase", "all")
        self.ask("gprofx.open('forecast')")
        self.browser.frame()
        panel = "document.getElementById('panel-forecast')"
        text = self.ask(panel + ".textContent")
        told = json.loads(ok("forecast", EAGER, "--compare", "H200,B200", "--phase", "all", "--json"))
        for device in told["devices"]:
            self.assertIn(device["device"], text)
        # A pair of bars for each part and the step itself, for each kind of kernel, layer and operator.
        marks = sum(1 + len(device["parts"]) + sum(min(len(device[what]), 30) for what in ("kernels", "layers", "operators"))
                    for device in told["devices"])
        self.assertIn("GPU work of a step by layer", text)
        self.assertEqual(self.ask(panel + ".querySelectorAll('svg .bar').length"), marks)
        self.assertIn("assumed: ", text)
        # A kernel that is chosen is one of its own table.
        kernels = panel + ".querySelector('section[data-analysis=\"H200 forecast_kernels\"]')"
        self.ask(kernels + ".querySelectorAll('tbody tr')[9].click()")
        self.assertEqual(self.ask("[...%s.querySelectorAll('tr[aria-selected]')].length" % panel), 1)
        self.assertEqual(self.ask(kernels + ".querySelectorAll('tr[aria-selected]').length"), 1)
        self.fine()
        self.page(EAGER)
        self.assertEqual(self.ask("document.querySelectorAll('#tab-forecast').length"), 0)

    def test_forecast_of_what_cannot_be(self):
        for says, *options in (("option '--forecast' needs option '--html'", "--forecast", "H200"),
                               ("option '--forecast' needs the names of GPUs", "--html", "-", "--forecast", ""),
                               ("options '--forecast' and '--redact' cannot be combined", "--html", "-", "--forecast", "H200", "--redact"),
                               ("Z9000", "--html", "-", "--forecast", "Z9000")):
            run = subprocess.run([GPROFX, "report", *options, EAGER], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (2, ""), options)
            self.assertIn(says, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)

    def test_many_layers_are_cut_and_told(self):
        file = self.made("wide", lambda path: wide_layers(path, 250))
        self.browser.size(400, 800)
        self.open(file)
        told = self.check(file)
        self.assertEqual(len(told["A3"]["rows"]), 251)
        self.assertIn("200 of 251 rows are in this page", self.ask(self.section("A3") + ".textContent"))
        self.assertIn("the 30 largest of 250 layers", self.ask(self.section("A11") + ".textContent"))
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), 400)

    def test_a_hostile_name_is_only_text(self):
        def write(path):
            trace = test_analyze.Training()
            trace.span("python_function", "nn.Module: %s_0" % HOSTILE, 1, 90, 400)
            trace.launch(1, 100, "void kernel" + HOSTILE + "x" * 5000, 120, 10)
            trace.write(path)
        self.open(self.made("hostile", write))
        self.assertEqual(self.ask("document.querySelectorAll('img, iframe, script[src], link, object').length"), 0)
        self.assertIn("onerror", self.ask(self.section("A3") + ".querySelector('td.code').title"))
        self.assertIn("onerror", self.ask(self.section("A10") + ".querySelector('td.code').title"))
        for name in ("A3", "A11"):
            text = self.ask(self.section(name) + ".textContent")
            self.assertIn("</scr", text)
            self.assertNotIn("\u202e", text)
            self.assertIn("…", text)  # shortened in the middle
        self.ask(self.section("A3") + ".querySelector('svg').focus()")
        self.browser.key("Home")
        self.assertIn("<img src=x", self.ask("document.getElementById('tip').textContent"))
        self.browser.key("Enter")
        self.assertIsNone(self.ask("window.hacked === undefined ? null : window.hacked"))
        self.fine()

    def test_redacted(self):
        def write(path):
            trace = test_analyze.Training()
            trace.span("python_function", "nn.Module: ZebraSecretNet_0", 1, 90, 400)
            trace.launch(1, 100, "zebra_secret_kernel", 120, 10)
            trace.write(path)
        file = self.made("zebra_secret_file", write)
        self.open(file)
        self.assertIn("ZebraSecretNet", self.ask(PANEL + ".textContent"))
        self.open(file, "--redact")
        self.assertRegex(self.ask(self.section("A10") + ".textContent"), "[0-9a-f]{12}")
        self.assertNotRegex(self.ask("document.documentElement.textContent + JSON.stringify(%s.map(gprofx.analyses))" % js(SHOWN)), "(?i)zebra")
        self.fine()

    def test_no_model_no_tab(self):
        trace = test_analyze.Training()
        trace.launch(1, 10, "lonely", 20, 5)
        self.page(self.made("lonely", trace.write))
        self.assertEqual(self.ask("document.querySelectorAll('#tab-model').length"), 0)
        self.browser.key("6")
        self.assertEqual(self.ask("gprofx.state().tab"), "data")
        self.fine()
        with Recording([sys.executable, "-c", "sum(range(3000000))"]) as recording:
            self.page(recording.file)
            self.assertEqual(self.ask("document.querySelectorAll('#tab-model').length"), 0)
            self.fine()


@unittest.skipUnless(PROGRAM and test_analyze.HAS_TRACES, "no Chromium or " + test_analyze.NO_TRACES)
class Real(Model):
    def test_recordings(self):
        for name in ("gpt2_train_h100", "ddp_2x_h100"):
            file = os.path.join(test_analyze.SHARED, "profiles", name + ".gprofx")
            if not os.path.exists(file):
                self.skipTest("no %s in GPROFX_SHARED" % name)
            with self.subTest(name):
                self.open(file)
                told = self.check(file)
                self.assertGreater(len(told["A3"]["rows"]), 5)
                self.assertIn("the steady part", self.ask(PANEL + ".textContent"))
                self.open(file, "--phase", "all")
                self.check(file, "--phase", "all")

    def test_roofline(self):
        file = self.trace("h100__Qwen")
        self.open(file)
        told = self.check(file)
        for name in ("A9", "A14"):
            # What moves memory and computes nothing has no place on a logarithmic axis.
            rows = [row for row in told[name]["rows"][:200] if row["flop"] > 0]
            self.assertEqual(self.count(name, "svg .point"), len(rows))
            self.assertGreaterEqual(self.count(name, "svg .roof"), 2)
            self.assertIn("989 TFLOP/s bf16", self.ask(self.section(name) + ".textContent"))
            # No point lies above the roof of its type, and all lie in the picture.
            points = self.ask("[...%s.querySelectorAll('.point')].map(each => [+each.getAttribute('cx'), +each.getAttribute('cy')])" % self.section(name))
            width, height = self.ask("(() => { const svg = %s.querySelector('svg'); return [+svg.getAttribute('width'), +svg.getAttribute('height')]; })()" % self.section(name))
            for x, y in points:
                self.assertTrue(60 < x < width and 10 < y < height - 30, (x, y))
            intense = [row["intensity"] for row in rows]
            self.assertEqual(points.index(max(points)), intense.index(max(intense)))
        # The whole network is far above its layers: its bars are cut, and tell their height.
        whole = told["A13"]["rows"][0]
        self.assertGreater(whole["host_ns"], 10 * sorted(row["host_ns"] for row in told["A13"]["rows"])[-2])
        self.assertEqual(self.count("A13", "svg .cut"), 2)
        self.assertEqual(self.ask("[...%s.querySelectorAll('.bar text')].map(each => each.textContent)" % self.section("A13")), self.cells("A13")[0][1:3])


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: no Chromium")
        sys.exit(0)
    unittest.main(verbosity=2)
