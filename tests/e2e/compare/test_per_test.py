"""gprof-x ci run --per-test: single benchmarks of commands, of programs that act as Google Benchmark and
Catch2, and of pytest where it is installed."""
import json
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import PROGRAM as CHROMIUM, Browser
from ci_support import CiTest, program
from fake_gpu_support import FAKE, PYTHON as GPU_CALLS
from profile_support import judged_by_time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PACKAGE = os.path.join(ROOT, "formats", "python")
# A Python with pytest, where it is not that of the tests.
PYTHON = os.environ.get("GPROFX_PYTEST_PYTHON", sys.executable)
HAS_PYTEST = subprocess.run([PYTHON, "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode == 0

# Prints what Google Benchmark prints, and works for the times that it tells.
GOOGLE = """import json, sys, time
SECONDS = {seconds}
options = dict(word.split("=", 1) for word in sys.argv[1:])
def {function}(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
if "--benchmark_list_tests" in options:
    print("BM_sort/8\\nBM_copy<int>")
else:
    import re
    rows = []
    for name in SECONDS:
        if re.search(options["--benchmark_filter"], name):
            {function}(SECONDS[name])
            rows += [dict(name=name, run_type="iteration", iterations=1000, real_time=1000 * SECONDS[name],
                          cpu_time=1000 * SECONDS[name], time_unit="us")] * 3
            rows.append(dict(name=name + "_mean", run_type="aggregate", real_time=1, time_unit="us"))
    with open(options["--benchmark_out"], "w") as file:
        json.dump(dict(context=dict(), benchmarks=rows), file)
"""
CATCH2 = """import sys
if "--list-test-names-only" in sys.argv:
    print("sorts [fast], and stays")
    print("has no benchmark")
    sys.exit(2)  # Catch2 2 returns the number of tests
words = sys.argv[1:]
with open(words[words.index("-o") + 1], "w") as file:
    file.write("<Catch>")
    if words[0] == "sorts \\\\[fast\\\\]\\\\, and stays":
        for name in "ab":
            file.write('<BenchmarkResults name="%s" samples="9"><mean value="{ns}" lowerBound="1"/></BenchmarkResults>' % name)
    file.write("</Catch>")
"""
SUITE = """import os, sys, time
sys.path.insert(0, os.getcwd())
import pytest
import library

def test_not_a_benchmark():
    pass

@pytest.mark.gprofx
@pytest.mark.parametrize("name", ["render", "parse"])
def test_work(name, tmp_path):
    (tmp_path / "made").mkdir()  # fails where fixtures are not set up again
    getattr(library, name)()

@pytest.mark.gprofx
def test_is_skipped():
    pytest.skip("not here")
"""
LIBRARY = """def parse():
    return sum(i * i for i in range(20000))

def render():
    b = 1
    for i in range({turns}):
        a = b
"""


def commit(number):
    return 7 * ("%x" % number)


class PerTestRun(CiTest):
    def per_test(self, *args):
        run = self.gprofx("ci", "run", *args)
        self.assertNotIn("Traceback", run.stderr)
        return run

    def answer(self, run, status):
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        answer = json.loads(run.stdout)
        return answer, {one["name"]: one for one in answer["benchmarks"]}

    def dirs(self):
        return "--base-dir", self.path("base"), "--head-dir", self.path("head")


class PerTest(PerTestRun):
    @judged_by_time
    def test_commands_of_a_file(self):
        self.write("base/job.py", program(render=0.1, parse=0.02, load=0.02, check=0.02, store=0.02))
        self.write("head/job.py", program(render=0.5, parse=0.02, load=0.02, check=0.02, store=0.02))
        # Wall time, as a program that starts waits: much slower, so that load hides nothing.
        self.write("commands", "# what users do\n\njob: %s job.py\nfalse\n" % sys.executable)
        run = self.per_test("--command-for-each", "commands", *self.dirs(), "--pairs", "3", "--json", "--github",
                            "--junit", "j.xml", "--sarif", "s.json", "--md", "m.md", "--gitlab", "g.json",
                            "--ignore-failures")
        answer, found = self.answer(run, 1)
        self.assertEqual(answer["schema"], "gprof-x.per-test/1")
        self.assertEqual(list(found), ["job", "false"])
        self.assertEqual(found["job"]["verdict"], "slower", found["job"])
        self.assertEqual(found["job"]["blamed"][0]["name"], "render", found["job"]["blamed"])
        low, high = found["job"]["interval_percent"]
        self.assertTrue(0 < low < high, found["job"])
        self.assertEqual(found["job"]["counts"], [])
        # All faces tell it.
        suite = xml.etree.ElementTree.parse(self.path("j.xml")).getroot().find("testsuite")
        self.assertEqual({case.get("name"): [part.tag for part in case] for case in suite.findall("testcase")}["job"],
                         ["failure"])
        with open(self.path("s.json")) as file:
            result = json.load(file)["runs"][0]["results"][0]
        self.assertEqual(result["ruleId"], "slower-benchmark")
        self.assertIn("job.py", json.dumps(result["locations"]))
        with open(self.path("g.json")) as file:
            self.assertIn("job: +", json.load(file)[0]["description"])
        with open(self.path("m.md")) as file:
            self.assertIn("**slower**", file.read())
        self.assertIn("::error file=job.py", run.stderr)
        with open(self.path("gprof-x-ci", "verdict.txt")) as file:
            text = file.read()
        self.assertIn("render (job.py", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        # The folder is a job's, and --force removes all of it.
        again = self.per_test("--command-for-each", "commands", *self.dirs())
        self.check_one_line(again, "another job", "--force")
        self.write("commands", "true\n")
        self.per_test("--command-for-each", "commands", *self.dirs(), "--pairs", "2", "--force", "--time-limit", "1s")
        self.assertEqual(sorted(os.listdir(self.path("gprof-x-ci", "tests"))), ["0000", "0001"])

    def test_google_benchmark(self):
        for side, slow in (("base", 0.05), ("head", 0.1)):
            self.write(side + "/bench.py", GOOGLE.format(seconds={"BM_sort/8": slow, "BM_copy<int>": 0.05}, function="work"))
        run = self.per_test("--per-test=google", *self.dirs(), "--pairs", "3", "--json", "--", sys.executable, "bench.py")
        answer, found = self.answer(run, 1)
        self.assertEqual(answer["harness"], "Google Benchmark")
        self.assertEqual((found["BM_sort/8"]["verdict"], found["BM_copy<int>"]["verdict"]), ("slower", "same"))
        self.assertEqual(found["BM_sort/8"]["base_ns"], 50e3)
        self.assertAlmostEqual(found["BM_sort/8"]["change_percent"], 100)
        self.assertEqual(found["BM_sort/8"]["blamed"][0]["name"], "work")

    def job_with_page(self, odd):
        """A job with a page. One benchmark is slower; the other has an odd name."""
        for side, slow in (("base", 0.05), ("head", 0.1)):
            self.write(side + "/bench.py", GOOGLE.replace("BM_copy<int>", odd).format(seconds={"BM_sort/8": slow, odd: 0.05}, function="work"))
        for number in range(1, 13):
            rows = [dict(name="BM_sort/8", head_ns=(60e3 if number >= 7 else 40e3) + number)]
            if number != 3:
                rows.append(dict(name=odd, head_ns=40e3 + number % 2))
            self.write("history/v%d.json" % number, json.dumps(dict(schema="gprof-x.per-test/1", benchmarks=rows)))
        run = self.per_test("--per-test=google", *self.dirs(), "--pairs", "3", "--html", "page.html", "--history", "history", "--",
                            sys.executable, "bench.py")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        return self.path("page.html")

    def test_the_page_of_a_job_needs_nothing_else(self):
        with open(self.job_with_page("BM_</script><img/src=x/onerror=hacked=1>")) as file:
            text = file.read()
        self.assertNotRegex(text, r"https?://|onerror|<img|src=|<link|@import")
        self.assertEqual(text.count('type="application/octet-stream"'), 2)  # all benchmarks, and the slower one

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_the_page_of_a_job_in_a_browser(self):
        odd = "BM_</script><img/src=x/onerror=hacked=1>"
        path = self.job_with_page(odd)
        for dark in (False, True):
            with Browser(dark=dark) as browser:
                browser.open(path)
                self.check_table(browser, odd)
                self.follow(browser, "#overview a")
                self.check_comparison(browser)
                self.assertEqual(browser.eval("document.documentElement.dataset.theme"), "dark" if dark else "light")
                self.follow(browser, "#facts a")
                self.check_table(browser, odd)
                self.assertEqual(browser.troubles(), [])

    def follow(self, browser, link):
        browser.events.clear()
        browser.eval("document.querySelector('%s').click()" % link)
        browser.wait_for("Page.loadEventFired")
        browser.eval("window.gprofx.ready")

    def check_table(self, browser, odd):
        ask = browser.eval
        self.assertEqual(ask("document.getElementById('title').textContent"), "1 slower, 1 same")
        rows = ask("[...document.querySelectorAll('#overview tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual([(row[0], row[1], row[3], row[4]) for row in rows],
                         [("slower", "+100.0%", "50.0 us", "100 us"), ("same", "+0.0%", "50.0 us", "50.0 us")])
        self.assertRegex(rows[0][7], r"^BM_sort/8work \(bench.py:\d+\) takes [\d.]+ us more per call")
        self.assertEqual(rows[1][7], odd)
        self.assertEqual(ask("gprofx.benchmarks.map(row => row.history.changes.map(each => each.at))"), [[6], []])
        plots = ask("[...document.querySelectorAll('#overview svg')].map(plot => [plot.querySelector('path').getAttribute('d').split('M').length - 1,"
                    " plot.querySelectorAll('.turn').length, plot.querySelectorAll('circle').length, plot.getAttribute('aria-label')])")
        self.assertEqual([plot[:3] for plot in plots], [[1, 1, 1], [2, 0, 1]])
        self.assertIn("in v7", plots[0][3])
        self.assertTrue(ask("document.querySelector('main').hidden && window.hacked === undefined"))
        self.assertEqual(ask("document.querySelectorAll('img, iframe, script[src], link, object').length"), 0)

    def check_comparison(self, browser):
        ask = browser.eval
        self.assertEqual(ask("document.getElementById('title').textContent"), "BM_sort/8")
        self.assertIn("slower +100.0%", ask("document.getElementById('facts').textContent"))
        self.assertTrue(ask("document.getElementById('overview').hidden"))
        boxes = {box["name"]: box for box in ask("gprofx.flame().boxes")}
        self.assertEqual(boxes["work"]["hue"], "slower")
        # Widths are per call: the harness said how long a call takes.
        for side, ns in (("head", 100e3), ("base", 50e3)):
            ask("gprofx.set({side: '%s'})" % side)
            self.assertAlmostEqual(ask("gprofx.flame().total") / ns, 1, 3)
        self.assertIn("per call", " ".join(ask("gprofx.words('work')")))

    def test_catch2(self):
        self.write("base/tests.py", CATCH2.replace("{ns}", "200"))
        self.write("head/tests.py", CATCH2.replace("{ns}", "100"))
        run = self.per_test("--per-test=catch2", *self.dirs(), "--pairs", "2", "--json", "--", sys.executable, "tests.py")
        _, found = self.answer(run, 0)
        self.assertEqual({name: one["verdict"] for name, one in found.items()},
                         {"sorts [fast], and stays": "faster", "has no benchmark": "skipped"})
        self.assertEqual(found["sorts [fast], and stays"]["base_ns"], 400)

    def test_the_history_of_benchmarks(self):
        for number in range(1, 13):
            slow = 150 if number >= 7 else 100
            rows = [dict(name="sorts", head_ns=slow + number % 2), dict(name="copies", head_ns=70 + number % 3),
                    dict(name="fails", head_ns=None)]
            name = "history/v%d%s" % (number, ".json" if number % 2 else "/verdict.json")
            self.write(name, json.dumps(dict(schema="gprof-x.per-test/1", benchmarks=rows)))
        self.write("history/other.json", "[]")
        self.write("history/odd/verdict.json", "{")
        run = self.gprofx("ci", "history", "history", "--json")
        answer = json.loads(run.stdout)
        self.assertEqual((answer["unit"], [one["name"] for one in answer["versions"]]),
                         ("call", ["v%d" % number for number in range(1, 13)]))
        changes = {one["name"]: [change["version"] for change in one["changes"]] for one in answer["series"]}
        self.assertEqual(changes, {"sorts": ["v7"], "copies": []})
        text = self.gprofx("ci", "history", "history").stdout
        self.assertIn("12 versions, time per call; compared 2 benchmarks; 1 of them changed", " ".join(text.split()))
        self.assertRegex(text, r"v7 .*benchmark +sorts")

    def check_history_of_others(self, *args):
        answer = json.loads(self.gprofx("ci", "history", *args, "--json").stdout)
        self.assertEqual([one["name"] for one in answer["versions"]], [commit(number) for number in range(1, 13)])
        changes = {one["name"]: [change["version"] for change in one["changes"]] for one in answer["series"]}
        self.assertEqual(changes, {"sorts": ["7777777"], "copies(1, 'a')": []})
        self.assertEqual(answer["notes"], ["1 benchmark left out: the unit is not a time"])
        self.assertIsNone(answer["series"][0]["ns"][2])
        text = self.gprofx("ci", "history", *args).stdout
        self.assertIn("note: 1 benchmark left out: the unit is not a time", text)
        self.assertRegex(text, "7777777 .*benchmark +sorts")

    def test_the_history_of_asv(self):
        benchmarks = dict(sorts=dict(unit="seconds", version="1"), copies=dict(unit="seconds", version="1"),
                          size=dict(unit="bytes", version="1"), version=2)
        self.write("asv/results/benchmarks.json", json.dumps(benchmarks))
        for machine in ("box", "other"):
            self.write("asv/results/%s/machine.json" % machine, json.dumps(dict(machine=machine, version=1)))
        for number in range(1, 13):
            copies = [[1e-6 * (70 + number % 3) if number != 3 else float("nan")], [["1"], ["'a'"]], "1"]
            rows = dict(sorts=[[1e-3 * ((150 if number >= 7 else 100) + number % 2)], [], "1"], copies=copies, size=[[7], [], "1"])
            # The order is that of the dates, not of the names.
            self.write("asv/results/box/%02d-py.json" % (99 - number), json.dumps(dict(
                commit_hash=commit(number), env_name="py", date=1000 * number, result_columns=["result", "params", "version"],
                results=rows, version=2)))
        self.check_one_line(self.gprofx("ci", "history", "asv"), "box, other", "--name")
        self.check_history_of_others("asv/results", "--name", "box")
        self.check_history_of_others("asv", "--name", "box")
        self.write("asv/results/box/old-py.json", "{}")
        self.check_one_line(self.gprofx("ci", "history", "asv", "--name", "box"), "old-py.json", "asv update")

    def test_the_history_of_github_action_benchmark(self):
        runs = []
        for number in range(1, 13):
            benches = [dict(name="sorts", value=1e9 / ((150 if number >= 7 else 100) + number % 2), unit="iter/sec", range="stddev: 1"),
                       dict(name="size", value=7, unit="MB")]
            if number != 3:
                benches.append(dict(name="copies(1, 'a')", value=70 + number % 3, unit="ns/op"))
            runs.append(dict(commit=dict(id=commit(number), timestamp="2024-01-01"), date=number, tool="pytest", benches=benches))
        data = json.dumps(dict(lastUpdate=1, repoUrl="", entries={"Suite": runs}))
        self.write("bench/data.js", "window.BENCHMARK_DATA = " + data)
        self.write("data.json", data)
        for path in ("bench", "bench/data.js", "data.json"):
            self.check_history_of_others(path)
        self.write("two.json", json.dumps(dict(entries=dict(A=runs, B=runs))))
        self.check_one_line(self.gprofx("ci", "history", "two.json"), "suites: A, B", "--name")
        self.check_history_of_others("two.json", "--name", "B")
        self.check_one_line(self.gprofx("ci", "history", "commands.txt"), "commands.txt")

    def test_what_cannot_be_run_is_one_line(self):
        self.write("commands", "true\n")
        here = self.dirs()
        for args, texts in (
                ((*here, "--per-test", "--", "make"), ("--per-test=pytest",)),
                ((*here, "--per-test=nose", "--", "make"), ("nose", "pytest")),
                ((*here, "--per-test=pytest", "--fail-on", "total>1%", "--", "x"), ("--fail-on", "cannot be combined")),
                ((*here, "--per-test=pytest", "--metrics", "x.txt", "--", "x"), ("--metrics",)),
                ((*here, "--per-test=pytest", "--history", "x", "--", "x"), ("--history", "--html FILE")),
                ((*here, "--html", "x.html", "--history", "x", "--", "x"), ("--history", "--per-test")),
                ((*here, "--per-test=pytest", "--html", "x.html", "--history", "none", "--", "x"), ("'none': No such file", "ci history")),
                ((*here, "--per-test=pytest", "--html", "no/x.html", "--", "x"), ("no/x.html",)),
                ((*here, "--command-for-each", "commands", "--per-test"), ("cannot be combined",)),
                ((*here, "--command-for-each", "commands", "--", "x"), ("another command",)),
                ((*here, "--command-for-each", "none"), ("'none': No such file", "--command-for-each")),
                (("--command-for-each", "commands"), ("same command in the same folder",)),
                ((*here, "--per-test=google", "--", "true"), ("no benchmark in common",)),
                ((*here, "--per-test=google", "--", "sh", "-c", "echo no such option; exit 1"), ("does not list", "no such option")),
                ((*here, "--per-test=pytest", "--", "echo", "something odd"), ("does not list", "something odd"))):
            self.check_one_line(self.per_test("--force", *args), *texts)

    def test_a_suite_may_write_anything(self):
        for written in ("{", "[" * 5000, "null", '{"benchmarks": 7}', '{"benchmarks": [{"real_time": "x"}, 3, null]}',
                        '{"benchmarks": [{"real_time": -1, "time_unit": "s", "iterations": 1e300}]}'):
            for side in ("base", "head"):
                self.write(side + "/odd.sh", """case "$*" in *list_tests*) echo odd;; *)
for word; do case $word in --benchmark_out=*) cat > "${word#*=}" <<'END'
%s
END
esac; done;; esac
""" % written)
            run = self.per_test("--per-test=google", *self.dirs(), "--pairs", "2", "--force", "--json", "--", "sh", "odd.sh")
            _, found = self.answer(run, 2)
            self.assertEqual(found["odd"]["verdict"], "failed", written)


@unittest.skipUnless(HAS_PYTEST, "no pytest; GPROFX_PYTEST_PYTHON names a Python that has it")
class Pytest(PerTestRun):
    def setUp(self):
        super().setUp()
        for side, turns in (("base", 200000), ("head", 300000)):
            self.write(side + "/library.py", LIBRARY.replace("{turns}", str(turns)))
            self.write(side + "/bench/test_suite.py", SUITE)
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = PACKAGE
        self.addCleanup(lambda: os.environ.pop("PYTHONPATH") if before is None
                        else os.environ.update(PYTHONPATH=before))

    @judged_by_time
    def test_a_slower_test_is_found(self):
        run = self.per_test("--per-test=pytest", *self.dirs(), "--pairs", "3", "--time-limit", "20s", "--json", "--",
                            PYTHON, "-m", "pytest", "bench")
        self.assertIn(run.returncode, (0, 1, 3), run.stdout + run.stderr)
        _, found = self.answer(run, run.returncode)
        names = {name.split("::")[1]: one for name, one in found.items()}
        self.assertEqual(sorted(names), ["test_is_skipped", "test_work[parse]", "test_work[render]"])
        self.assertEqual(names["test_is_skipped"]["verdict"], "skipped")
        self.assertIn(names["test_work[render]"]["verdict"], ("slower", "cannot tell"))  # by the machine's load
        if names["test_work[render]"]["verdict"] == "slower":
            self.assertEqual(names["test_work[render]"]["blamed"][0]["name"], "render")
        self.assertNotEqual(names["test_work[parse]"]["verdict"], "slower")

    def test_the_loops_of_pytest_benchmark(self):
        if subprocess.run([PYTHON, "-c", "import pytest_benchmark"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no pytest-benchmark")
        self.write("base/bench/test_suite.py", """CALLS = []
def test_loop(benchmark):
    assert benchmark(sum, range(1000)) == 499500
def test_setup(benchmark):
    made = []
    def setup():
        made.append(1)
        return (made,), {}
    assert benchmark.pedantic(len, setup=setup, rounds=4) > 4
def test_once(benchmark):
    benchmark.pedantic(CALLS.append, args=(1,))
    assert CALLS == [1]
def test_is_no_benchmark():
    assert False
""")
        listed = self.path("list.json")
        python = [PYTHON, "-m", "pytest", "-q", "-p", "gprof_x.pytest"]
        subprocess.run([*python, "--gprofx-list=" + listed, "bench"], cwd=self.path("base"), stdout=subprocess.DEVNULL)
        with open(listed) as file:
            names = json.load(file)["benchmarks"]
        self.assertEqual([name.split("::")[1] for name in names], ["test_loop", "test_setup", "test_once"])
        for name, batches in zip(names, (3, 3, 1)):
            with open(self.path("request"), "w") as file:
                json.dump(dict(id=name, out=self.path("out.json"), seconds=0.05), file)
            run = subprocess.run([*python, "--gprofx-run=" + self.path("request"), "bench"], cwd=self.path("base"),
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            with open(self.path("out.json")) as file:
                out = json.load(file)
            self.assertGreaterEqual(len(out["wall_ns"]), batches, out)
            self.assertEqual(len(out["wall_ns"]) == 1, batches == 1, out)
            self.assertEqual(out["calls"] > 1, name.endswith("test_loop"), out)

    @unittest.skipUnless(os.path.exists(os.path.join(FAKE, "libfake_cupti.so")), "built without CUDA headers")
    def test_one_launch_more_is_found_from_one_round(self):
        for side, launches in (("base", 3), ("head", 4)):
            self.write(side + "/library.py", GPU_CALLS % {"fake": FAKE} + """
def parse():
    pass

def render():
    for i in range(%d):
        gpu.fake_launch(b"gemm", 100000)
    gpu.fake_synchronize(1000000)
""" % launches)
        os.environ["GPROFX_CUPTI"] = os.path.join(FAKE, "libfake_cupti.so")
        self.addCleanup(os.environ.pop, "GPROFX_CUPTI")
        run = self.per_test("--per-test=pytest", *self.dirs(), "--pairs", "2", "--time-limit", "1s", "--json", "--",
                            PYTHON, "-m", "pytest", "bench", "-k", "render")
        self.assertIn(run.returncode, (0, 1, 3), run.stdout + run.stderr)
        _, found = self.answer(run, run.returncode)
        one = found["bench/test_suite.py::test_work[render]"]
        self.assertEqual((one["rounds"], one["base_ns"] is None), (1, False), one)
        self.assertEqual([(count["name"].partition(" [")[0], count["base"], count["head"], count["per"]) for count in one["counts"]],
                         [("launches: gemm", 3, 4, "call")], one["counts"])

    def test_the_slowest_tests_of_a_session(self):
        path = os.path.dirname(os.environ["GPROFX"]) + os.pathsep + os.environ["PATH"]
        run = subprocess.run([PYTHON, "-m", "pytest", "-p", "gprof_x.pytest", "--gprofx", "--gprofx-slowest", "1",
                              "-k", "work", "bench"], capture_output=True, text=True, cwd=self.path("head"),
                             env=dict(os.environ, PATH=path), timeout=100)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("2 passed", run.stdout)
        shown = run.stdout.split("where the slowest tests spend their time")[1]
        self.assertEqual(shown.count("bench/test_suite.py::"), 1, shown)
        self.assertIn("render" if "[render]" in shown else "parse", shown)
        self.assertTrue(os.path.exists(self.path("head", "pytest.gprofx")))


if __name__ == "__main__":
    unittest.main()
