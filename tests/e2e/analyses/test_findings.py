"""gprof-x analyze --findings: rows, --explain, JSON, SARIF and what a report says of them; an answer for profiles that have nothing."""
import json
import os
import subprocess
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
SHARED = os.environ.get("GPROFX_SHARED", "")
DDP = os.path.join(SHARED, "profiles", "ddp_2x_h100.gprofx")
BERT = os.path.join(SHARED, "traces", "kineto_tracelens", "h100__gaunernst_bert-small-uncased__1016001.json.gz")
FIELDS = {"id", "rule", "title", "function", "file", "line", "node", "saving_ns", "share", "summary", "evidence", "computed", "advice"}


def gprofx(*args, **more):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"), **more)


def ok(*args, **more):
    run = gprofx(*args, **more)
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout


def train_trace(path, syncs):
    """Steps of a loop as PyTorch's profiler writes them: 40 kernels a step; with `syncs` each is waited for, and the GPU then waits."""
    events, host, gpu, correlation = [], 1000.0, 1000.0, 0

    def add(category, name, tid, begin, length, **args):
        events.append(dict(ph="X", cat=category, name=name, pid=9, tid=tid, ts=round(begin, 3), dur=round(length, 3), args=args))

    for step in range(20):
        first = host
        for _ in range(40):
            correlation += 1
            add("cpu_op", "aten::mm", 1, host, 20.0)
            add("cuda_runtime", "cudaLaunchKernel", 1, host + 2, 5.0, correlation=correlation)
            begin = max(gpu + 1, host + 8)
            add("kernel", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn", 7, begin, 100.0, correlation=correlation, device=0, stream=7,
                context=1)
            gpu = begin + 100
            host += 30
            if syncs:
                correlation += 1
                add("cuda_runtime", "cudaStreamSynchronize", 1, host, gpu - host + 3, correlation=correlation)
                host = gpu + 33
        add("python_function", "/home/ada/train.py(12): step", 1, first, host - first)
        add("user_annotation", "ProfilerStep#%d" % step, 1, first, host - first)
    with open(path, "w") as file:
        json.dump({"schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": events,
                   "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9}]}, file)


class Made(unittest.TestCase):
    """A trace that waits after each kernel, and the same one repaired."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {}
        for name, syncs in (("bad", True), ("good", False)):
            trace, cls.files[name] = (os.path.join(cls.folder.name, name + end) for end in (".json", ".gprofx"))
            train_trace(trace, syncs)
            gprofx("import", "-q", "-o", cls.files[name], trace)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def findings(self, name):
        return json.loads(ok("analyze", "--findings", "--json", self.files[name]))["findings"][0]

    def test_the_saving_is_the_difference(self):
        bad, good = self.findings("bad"), self.findings("good")
        self.assertEqual((bad["steps"], bad["reason"]), (20, None))
        row = bad["rows"][0]
        self.assertEqual((row["id"], row["rule"]), ("F1", "sync-in-step"))
        self.assertEqual(set(row), FIELDS)
        self.assertEqual(good["rows"], [])
        measured = bad["step_ns"] - good["step_ns"]
        self.assertAlmostEqual(row["saving_ns"] / measured, 1, delta=0.2)
        self.assertLessEqual(sum(each["saving_ns"] for each in bad["rows"]), bad["step_ns"])
        self.assertAlmostEqual(row["share"], row["saving_ns"] / bad["step_ns"], places=3)

    def test_text(self):
        text = ok("analyze", "--findings", self.files["bad"])
        self.assertIn("F1", text)
        self.assertIn("sync-in-step", text)
        self.assertNotIn("A1 ", text)
        self.assertIn("nothing was found that would save 1% of a step", ok("analyze", "--findings", self.files["good"]))
        whole = ok("analyze", "--no-pager", self.files["bad"])
        self.assertLess(whole.index("findings"), whole.index("A1 "))
        self.assertNotIn("findings", ok("analyze", "A10", self.files["bad"]))

    def test_explain(self):
        text = ok("analyze", "--explain", "f1", self.files["bad"])
        for word in ("place", "saves", "evidence", "computed", "change", "cudaStreamSynchronize"):
            self.assertIn(word, text)
        for wrong, way_out in (("F99", "F1"), ("x", "F1")):
            run = gprofx("analyze", "--explain", wrong, self.files["bad"])
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1))
            self.assertIn(way_out, run.stderr)
        run = gprofx("analyze", "--explain", "F1", self.files["good"])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))
        for wrong in (("--explain", "F1", "--json"), ("--explain", "F1", "--csv"), ("--findings", "--csv")):
            run = gprofx("analyze", *wrong, self.files["bad"])
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))
        run = gprofx("analyze", "--explain", "F1", self.files["good"], self.files["bad"])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))

    def test_sarif(self):
        path = os.path.join(self.folder.name, "out.sarif")
        ok("analyze", "--findings", "--sarif", path, self.files["bad"])
        with open(path) as file:
            run = json.load(file)["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        result = run["results"][0]
        self.assertEqual(result["ruleId"], "sync-in-step")
        self.assertEqual(rules[result["ruleIndex"]]["id"], "sync-in-step")
        self.assertEqual(result["level"], "warning")
        self.assertTrue(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        self.assertTrue(result["partialFingerprints"])
        run = gprofx("analyze", "--sarif", "/nowhere/out.sarif", self.files["bad"])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))

    def test_report_tells_them_and_only_where_there_are_any(self):
        text = ok("report", "--top", "--no-pager", self.files["bad"])
        told = text[text.index("findings: F1"):].split("\n\n")[0].splitlines()
        self.assertLessEqual(len(told), 3)
        self.assertIn("sync-in-step", told[0])
        self.assertTrue(all(len(line) <= 80 for line in told))
        self.assertLess(text.index("findings: F1"), text.index("where the time went"))
        self.assertNotIn("findings:", ok("report", "--top", "--no-pager", self.files["good"]))
        self.assertNotIn("findings:", ok("report", "--tree", "--no-pager", self.files["bad"]))

    def test_a_new_finding_fails_a_comparison(self):
        bad, good = self.files["bad"], self.files["good"]
        diff = ("diff", "--json", "--fail-on", "finding>5%")
        new = gprofx(*diff, good, bad)
        self.assertEqual((new.returncode, new.stderr), (1, ""))
        rule = json.loads(new.stdout)["rules"][0]
        row = self.findings("bad")["rows"][0]
        self.assertEqual(rule["result"], "fails")
        self.assertEqual({key: rule["finding"][key] for key in ("rule", "line", "saving_ns")}, {key: row[key] for key in ("rule", "line", "saving_ns")})
        self.assertIn("train.py", rule["evidence"])
        gone = gprofx(*diff, bad, good)
        self.assertEqual((gone.returncode, json.loads(gone.stdout)["rules"][0]["result"]), (0, "holds"))
        self.assertEqual(gprofx("diff", "--fail-on", "finding>99%", good, bad).returncode, 0)
        self.assertEqual(gprofx("diff", "--fail-on", "finding(copy)>5%", good, bad).returncode, 0)
        sarif = json.loads(gprofx("diff", "--sarif", "-", "--fail-on", "finding>5%", good, bad).stdout)
        notices = [result for result in sarif["runs"][0]["results"] if result["ruleId"].startswith("rule-finding")]
        self.assertEqual([(result["level"], "sync-in-step" in result["message"]["text"]) for result in notices], [("error", True)])

    def test_redacted(self):
        text = ok("analyze", "--findings", "--redact", self.files["bad"])
        self.assertIn("sync-in-step", text)
        self.assertNotIn("ada", text)

    def test_several(self):
        runs = json.loads(ok("analyze", "--findings", "--json", self.files["bad"], self.files["good"]))["findings"]
        self.assertEqual([len(run["rows"]) > 0 for run in runs], [True, False])

    def test_rules(self):
        text = ok("analyze", "--rules")
        self.assertIn("sync-in-step", text)
        self.assertIn("not recorded", text)


class Nothing(unittest.TestCase):
    def test_a_program_without_a_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            stacks, file = os.path.join(folder, "stacks.txt"), os.path.join(folder, "cpu.gprofx")
            with open(stacks, "w") as out:
                out.write("main;work 10\n")
            gprofx("import", "-q", "-o", file, stacks)
            answer = json.loads(ok("analyze", "--findings", "--json", file))["findings"][0]
            self.assertEqual((answer["rows"], answer["reason"]), ([], "no GPU work is in this profile"))
            self.assertNotIn("findings:", ok("report", "--no-pager", file))


@unittest.skipUnless(os.path.exists(DDP), "no profiles in GPROFX_SHARED")
class Recorded(unittest.TestCase):
    def test_products_without_tensor_cores(self):
        answer = json.loads(ok("analyze", "--findings", "--json", DDP))["findings"][0]
        row = answer["rows"][0]
        self.assertEqual((row["rule"], os.path.basename(row["file"]), row["line"]), ("no-tensor-cores", "ddp2.py", 9))
        self.assertLessEqual(sum(each["saving_ns"] for each in answer["rows"]), answer["step_ns"])


@unittest.skipUnless(os.path.exists(BERT), "no traces in GPROFX_SHARED")
class Traced(unittest.TestCase):
    def test_a_model_of_small_kernels(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bert.gprofx")
            gprofx("import", "-q", "-o", file, BERT)
            answer = json.loads(ok("analyze", "--findings", "--json", file))["findings"][0]
            self.assertEqual(answer["rows"][0]["rule"], "small-kernels")
            # The GPU is idle for 3.6 of 3.9 ms: no saving is larger.
            self.assertLessEqual(sum(row["saving_ns"] for row in answer["rows"]), 3_610_000)


if __name__ == "__main__":
    unittest.main()
