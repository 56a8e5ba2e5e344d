"""gprof-x analyze and report --by layer, operator, library: sums to the nanosecond on every input, the published figures of
known traces (GPROFX_SHARED: a folder with profiles and traces), and an answer for profiles that lack what an analysis needs."""
import collections
import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
SHARED = os.environ.get("GPROFX_SHARED", "")
HAS_TRACES = os.path.isdir(os.path.join(SHARED, "traces"))
NO_TRACES = "no traces in GPROFX_SHARED"
NAMES = ["A%d" % number for number in range(1, 16)]


def gprofx(*args):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


def ok(*args):
    run = gprofx(*args)
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout


def report(file, *args):
    return json.loads(ok("report", "--json", *args, file))


def tables(file, *args):
    answer = json.loads(ok("analyze", "--json", *args, file))
    assert answer["schema"] == "gprof-x.analyze/1"
    return {table["name"]: table for table in answer["analyses"]}


class Training:
    """Two linear layers, forward and backward, as PyTorch's profiler writes them; times in us."""

    def __init__(self):
        self.events, self.correlation = [], 0

    def span(self, category, name, tid, begin, length, **args):
        self.events.append(dict(ph="X", cat=category, name=name, pid=9, tid=tid, ts=begin, dur=length, args=args))

    def launch(self, tid, begin, kernel, gpu_begin, length):
        self.correlation += 1
        self.span("cuda_runtime", "cudaLaunchKernel", tid, begin, 5, correlation=self.correlation)
        self.span("kernel", kernel, 7, gpu_begin, length, correlation=self.correlation, device=0, stream=7, context=1)

    def backward(self, name, begin, number, length, launch=True):
        args = {"Sequence number": number, "Fwd thread id": 1}
        self.span("cpu_op", "autograd::engine::evaluate_function: " + name, 2, begin, 50, **args)
        self.span("cpu_op", name, 2, begin + 1, 40, **args)
        self.span("cpu_op", "aten::mm", 2, begin + 5, 30)
        if launch:
            self.launch(2, begin + 10, "gemm_backward", begin + 20, length)

    def write(self, path):
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": self.events}, file)


def training(path):
    trace = Training()
    # The backward thread comes first in the file.
    trace.backward("AddmmBackward0", 1000, 11, 100)
    trace.backward("AddmmBackward0", 1200, 10, 101)
    trace.span("python_function", "train.py(1): <module>", 1, 50, 2000)
    trace.span("python_function", "nn.Module: Net_0", 1, 90, 400)
    for number, name, begin in ((10, "Linear_0", 100), (11, "Linear_1", 250)):
        trace.span("python_function", "nn.Module: " + name, 1, begin, 100)
        args = {"Sequence number": number, "Fwd thread id": 0}
        trace.span("cpu_op", "aten::linear", 1, begin + 5, 90, **args)
        trace.span("cpu_op", "aten::addmm", 1, begin + 10, 80, **args)
        trace.launch(1, begin + 20, "gemm_forward", begin + 30, 50 + number)
    trace.launch(1, 600, "adam_step", 610, 7)
    trace.write(path)


ADD = "void at::native::vectorized_elementwise_kernel<%d, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)"


def adding(path, vector):
    """Additions of a million elements in 4 us, and products whose shapes nobody recorded, as PyTorch's profiler writes them."""
    trace = Training()
    for number in range(10):
        begin = 100 + 50 * number
        trace.span("cpu_op", "aten::add", 1, begin, 20)
        trace.launch(1, begin + 2, ADD % vector, begin + 10, 4)
        trace.events[-1]["args"].update(grid=[2048, 1, 1], block=[128, 1, 1])
        trace.launch(1, begin + 25, "ampere_sgemm_128x64_nn", begin + 32, 4)
    with open(path, "w") as file:
        json.dump({"schemaVersion": 1, "traceEvents": trace.events, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]}, file)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.imported = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def import_trace(cls, path):
        if path not in cls.imported:
            plain = path
            if path.endswith(".zst"):
                plain = os.path.join(cls.folder.name, os.path.basename(path)[:-4])
                subprocess.run(["zstd", "-dqf", path, "-o", plain], check=True)
            out = os.path.join(cls.folder.name, os.path.basename(plain) + ".gprofx")
            subprocess.run([GPROFX, "import", "-q", "-o", out, plain], check=True)
            cls.imported[path] = out
        return cls.imported[path]

    def trace(self, name):
        found = glob.glob(os.path.join(SHARED, "traces", "*", name + "*"))
        self.assertEqual(len(found), 1, name)
        return self.import_trace(found[0])

    def check_sums(self, file):
        """Every level holds the GPU time of the profile, to the nanosecond."""
        whole = ("--phase", "all")
        gpu = report(file, *whole, "--metric", "gpu", "--by", "function")["base"]
        kernels = sum(row["self"] for row in report(file, *whole, "--by", "kernel")["rows"])
        self.assertEqual(kernels, gpu, file)
        for by in ("layer", "operator", "library"):
            rows = report(file, *whole, "--by", by)["rows"]
            self.assertEqual(sum(row["self"] for row in rows), gpu, (file, by))
            for row in rows:
                self.assertGreaterEqual(row["total"], row["self"], (file, by, row))
                self.assertLessEqual(row["backward_ns"], row["self"], (file, by, row))
        made = tables(file, *whole, "A6", "A10", "A11")
        by_name = sum(row["gpu_ns"] for row in made["A10"]["rows"])
        if made["A11"]["rows"]:
            self.assertEqual(sum(row["kernel_ns"] for row in made["A11"]["rows"]), by_name, file)
        operators = report(file, *whole, "--by", "operator")["rows"]
        self.assertEqual(sum(row["kernel_ns"] for row in operators), by_name, file)

    def check_answers(self, file):
        """Each analysis has rows, or a reason; text fits the screen; CSV has the same cells."""
        made = tables(file, "--all")
        self.assertEqual(list(made), NAMES)
        for name, table in made.items():
            self.assertNotEqual(bool(table["rows"]), bool(table["reason"]), (file, name))
            ids = [column["id"] for column in table["columns"]]
            for row in table["rows"]:
                self.assertEqual(list(row), ids)
        for line in ok("analyze", "--all", file).splitlines():
            self.assertLessEqual(len(line), 80, line)
        blocks = [block for block in ok("analyze", "--all", "--csv", file).split("\n\n") if block.strip()]
        full = [table for table in made.values() if table["rows"]]
        self.assertEqual(len(blocks), len(full), file)
        for block, table in zip(blocks, full):
            rows = list(csv.DictReader(io.StringIO(block)))
            self.assertEqual(len(rows), len(table["rows"]), (file, table["name"]))
            for column in table["columns"]:
                if column["unit"] == "ns":
                    self.assertEqual([row[column["id"]] for row in rows],
                                     ["" if row[column["id"]] is None else str(row[column["id"]]) for row in table["rows"]])


class Made(Case):
    def setUp(self):
        path = os.path.join(self.folder.name, "training.json")
        if not os.path.exists(path):
            training(path)
        self.file = self.import_trace(path)

    def test_sums(self):
        self.check_sums(self.file)
        self.check_answers(self.file)

    def test_backward_work_has_the_layer_of_its_operator(self):
        rows = {row["layer"]: row for row in tables(self.file, "A3")["A3"]["rows"]}
        self.assertEqual((rows["Linear_0"]["forward_ns"], rows["Linear_0"]["backward_ns"]), (60_000, 101_000))
        self.assertEqual((rows["Linear_1"]["forward_ns"], rows["Linear_1"]["backward_ns"]), (61_000, 100_000))
        self.assertEqual(rows["Net_0"]["gpu_ns"], 0)
        self.assertEqual(rows["Net_0"]["gpu_total_ns"], 322_000)
        self.assertEqual(rows["(no layer)"]["gpu_ns"], 7_000)

    def test_work_by_name_and_launch(self):
        for vector, thread in ((4, 4), (8, 8)):  # PyTorch before and from 2.7
            path = os.path.join(self.folder.name, "adding%d.json" % vector)
            adding(path, vector)
            table = tables(self.import_trace(path), "A8", "A9", "A15")
            rows = {row["kernel"]: row for row in table["A8"]["rows"]}
            add, product = rows[ADD % vector], rows["ampere_sgemm_128x64_nn"]
            elements = 2048 * 128 * thread
            self.assertEqual((add["flop"], add["bytes"], add["work_from"]), (10 * elements, 60 * elements, "name and launch"))
            self.assertAlmostEqual(add["bytes_per_s"], 6 * elements / 4e-6, delta=1e9)
            self.assertEqual((product["flop"], product["bytes"], product["work_from"]), (None, None, "unknown: the depth of the product"))
            (row,) = table["A9"]["rows"]
            self.assertEqual((row["bound"], row["flop"]), ("memory", 10 * elements))
            self.assertAlmostEqual(row["of_ceiling"], 6 * elements / 4e-6 / 3352e9, places=3)
            self.assertIn("by name and launch, 50%", " ".join(table["A15"]["notes"]))

    def test_host_time_is_divided_exactly(self):
        for row in tables(self.file, "A13")["A13"]["rows"]:
            parts = [row[name] for name in ("python_ns", "dispatch_ns", "launch_ns", "wait_ns", "allocator_ns", "copy_ns")]
            self.assertEqual(sum(parts), row["host_ns"], row)
        rows = {row["layer"]: row for row in tables(self.file, "A13")["A13"]["rows"]}
        self.assertEqual((rows["Linear_0"]["host_ns"], rows["Linear_0"]["launch_ns"]), (100_000, 5_000))
        self.assertEqual(rows["Linear_0"]["gpu_busy_ns"], 161_000)

    def test_names_of_operators_end_as_they_are(self):
        trace = Training()
        trace.span("cpu_op", "aten::copy_", 1, 0, 100)
        trace.launch(1, 10, "copy_kernel", 20, 5)
        path = os.path.join(self.folder.name, "copy.json")
        trace.write(path)
        rows = report(self.import_trace(path), "--by", "operator")["rows"]
        self.assertEqual([row["name"] for row in rows], ["copy_"])

    def test_several_files_are_runs(self):
        made = json.loads(ok("analyze", "--json", "A15", "A10", self.file, self.file))["analyses"]
        self.assertEqual([len(table["rows"]) for table in made], [2, 0])
        self.assertIn("one run", made[1]["reason"])

    def test_options(self):
        for args, said in ((["A16"], "there is no analysis 'A16'"), (["--all", "A3"], "cannot be combined"),
                           (["--json", "--csv"], "cannot be combined"), (["--limit", "0"], "--limit"), (["missing.gprofx"], "missing.gprofx")):
            run = gprofx("analyze", *args)
            self.assertEqual(run.returncode, 2, args)
            self.assertIn(said, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertEqual([line[:3] for line in ok("analyze", "a3", "A10", "A3", self.file).splitlines() if line[:1] == "A"], ["A3 ", "A10"])
        self.assertIn("A10", ok("analyze", "--help"))
        refused = gprofx("report", "--by", "layer", "--tree", self.file)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))

    def test_redacted(self):
        text = ok("analyze", "--all", "--redact", self.file)
        self.assertNotIn(os.path.basename(self.file), text)


class Lacking(Case):
    """What is not in a profile is said, not guessed."""

    def made(self, name, trace):
        path = os.path.join(self.folder.name, name + ".json")
        trace.write(path)
        return self.import_trace(path)

    def test_no_gpu(self):
        path = os.path.join(self.folder.name, "cpu.gprofx")
        code = "import time\nwhile time.process_time() < 0.2: pass\n"
        subprocess.run([GPROFX, "record", "-q", "-o", path, "--", sys.executable, "-c", code], check=True)
        self.check_answers(path)
        for table in tables(path, "--all").values():
            self.assertEqual(table["rows"], [])
            self.assertTrue(table["reason"])
        self.assertIn("no GPU data", ok("report", "--by", "layer", path))
        self.assertEqual(report(path, "--by", "operator")["rows"], [])

    def test_no_python(self):
        trace = Training()
        trace.launch(1, 10, "lonely", 20, 5)
        file = self.made("lonely", trace)
        self.check_answers(file)
        made = tables(file, "--all")
        self.assertIn("no Python stacks", made["A3"]["reason"])
        self.assertEqual([row["gpu_ns"] for row in made["A10"]["rows"]], [5_000])
        self.assertEqual([row["name"] for row in report(file, "--by", "layer")["rows"]], [None])

    def test_python_without_modules(self):
        trace = Training()
        trace.span("python_function", "train.py(1): <module>", 1, 0, 100)
        trace.launch(1, 10, "plain", 20, 5)
        self.assertIn("no call of a module", tables(self.made("plain", trace), "A3")["A3"]["reason"])

    def test_one_step_and_none(self):
        trace = Training()
        trace.span("user_annotation", "ProfilerStep#1", 1, 0, 100)
        trace.launch(1, 10, "once", 20, 5)
        file = self.made("one-step", trace)
        self.check_answers(file)
        self.check_sums(file)

    def test_work_launched_before_the_recording(self):
        trace = Training()
        trace.span("python_function", "nn.Module: Net_0", 1, 90, 400)
        trace.launch(1, 100, "seen", 120, 10)
        trace.span("kernel", "early", 7, 20, 30, correlation=99, device=0, stream=7, context=1)
        file = self.made("early", trace)
        self.check_sums(file)
        table = tables(file, "A3")["A3"]
        self.assertIn("75.0% was launched before the recording", " ".join(table["notes"]))
        self.assertFalse(table["degraded"])

    def test_degraded_is_said(self):
        trace = Training()
        trace.span("python_function", "nn.Module: Net_0", 1, 90, 40)
        trace.launch(1, 100, "inside", 120, 10)
        trace.launch(1, 200, "outside", 220, 90)
        table = tables(self.made("degraded", trace), "A3")["A3"]
        self.assertTrue(table["degraded"])
        self.assertIn("degraded", " ".join(table["notes"]))

    def test_hostile_names(self):
        trace = Training()
        trace.span("python_function", "nn.Module: \x1b[31m,\"=1+1\nLinear_99999999999999999999", 1, 90, 400)
        trace.launch(1, 100, "=cmd|'/c calc'!A1", 120, 10)
        file = self.made("hostile", trace)
        self.check_answers(file)
        self.assertNotIn("\x1b", ok("analyze", "--all", file))
        for row in csv.reader(io.StringIO(ok("analyze", "--csv", "A10", file))):
            self.assertFalse(any(cell.startswith("=") for cell in row), row)


@unittest.skipUnless(HAS_TRACES, NO_TRACES)
class Golden(Case):
    def test_sums_of_all_traces(self):
        traces = sorted(glob.glob(os.path.join(SHARED, "traces", "*", "*.json.gz")) +
                        glob.glob(os.path.join(SHARED, "traces", "*", "*.sqlite.zst")))
        self.assertGreaterEqual(len(traces), 13)
        for trace in traces:
            with self.subTest(trace=os.path.basename(trace)):
                self.check_sums(self.import_trace(trace))
                self.check_answers(self.import_trace(trace))

    def test_sums_of_recordings(self):
        for file in sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))):
            with self.subTest(file=os.path.basename(file)):
                self.check_sums(file)
                self.check_answers(file)

    def test_work_is_of_no_more_than_a_layer_s_time(self):
        known = {}
        for file in sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))):
            for row in tables(file, "A11")["A11"]["rows"]:
                known[os.path.basename(file), row["layer"]] = row["known_share"] or 0
        self.assertGreater(max(known.values()), 0.5)
        # Backward work is the layer's, as its time is.
        self.assertEqual({layer: share for layer, share in known.items() if share > 1}, {})

    def test_qwen_by_module_and_operator(self):
        file = self.trace("h100__Qwen")
        types = collections.Counter()
        for row in tables(file, "A11")["A11"]["rows"]:
            types[row["type"]] += row["kernel_ns"]
        expected = {"Qwen2Attention": 12_441.5, "Linear": 8_854.7, "Qwen2RMSNorm": 7_378.0, "Qwen2MLP": 1_227.1, "SiLU": 925.1,
                    "Qwen2DecoderLayer": 854.6, "Embedding": 51.8}
        self.assertEqual({name: round(types[name] / 1000, 1) for name in expected}, expected)
        launched = sum(row["kernels"] for row in tables(file, "A11")["A11"]["rows"] if row["type"] is not None)
        self.assertEqual(launched, 1_029)
        operators = {row["name"]: row["kernel_ns"] for row in report(file, "--phase", "all", "--by", "operator")["rows"]}
        expected = {"mul": 6_752.9, "mm": 6_588.4, "copy_": 5_101.9, "_flash_attention_forward": 2_722.7, "add": 2_607.5,
                    "addmm": 2_266.3, "cat": 2_017.8}
        self.assertEqual({name: round(operators[name] / 1000, 1) for name in expected}, expected)

    def test_nsight_by_operator(self):
        rows = report(self.trace("nsysai_mfu_2gpu_before"), "--phase", "all", "--by", "operator")["rows"]
        operators = {(row["name"] or "").split("::")[-1]: row for row in rows}
        expected = {"_flash_attn_forward": 256_586_234, "copy_": 64_364_656, "addmm": 57_595_448, "mul": 42_979_045,
                    "ncclGroupEnd": 25_179_513, "add": 23_916_556, "cat": 17_522_534}
        self.assertEqual({name: operators[name]["kernel_ns"] for name in expected}, expected)
        placed = [row for row in rows if row["name"] is not None]
        self.assertEqual(sum(row["kernels"] for row in placed), 3_986)
        self.assertEqual(sum(row["kernel_ns"] for row in placed), 516_689_349)

    def test_work_of_matrix_products_is_that_of_tracelens(self):
        for name in ("h100__Qwen", "mi300__Qwen", "h100__gaunernst", "mi300__gaunernst"):
            with self.subTest(trace=name):
                golden = glob.glob(os.path.join(SHARED, "traces", "kineto_tracelens", "golden", name + "*", "GEMM.csv.zst"))[0]
                text = subprocess.run(["zstd", "-dc", golden], check=True, capture_output=True, text=True).stdout
                rows = list(csv.DictReader(io.StringIO(text)))
                flop = sum(float(row["GFLOPS_first"]) * 1e9 * int(row["name_count"]) for row in rows)
                moved = sum(float(row["Data Moved (MB)_first"]) * 2**20 * int(row["name_count"]) for row in rows)
                table = tables(self.trace(name), "A8", "A15")
                run = table["A15"]["rows"][0]
                elementwise = [row for row in table["A8"]["rows"] if row["work_from"] == "name and launch"]
                self.assertAlmostEqual((run["flop"] - sum(row["flop"] for row in elementwise)) / flop, 1, delta=1e-6)
                self.assertAlmostEqual((run["bytes"] - sum(row["bytes"] for row in elementwise)) / moved, 1, delta=1e-3)
                by_layer = sum(row["flop"] or 0 for row in tables(self.trace(name), "A11")["A11"]["rows"])
                self.assertEqual(by_layer, run["flop"])

    def test_own_recordings_know_their_layers(self):
        for name, kinds in (("gpt2_train_h100", {"Conv1D", "LayerNorm", "NewGELUActivation", "GPT2Attention", "Linear"}),
                            ("ddp_2x_h100", {"Linear", "MultiheadAttention", "LayerNorm"})):
            file = os.path.join(SHARED, "profiles", name + ".gprofx")
            if not os.path.exists(file):
                self.skipTest("no %s in GPROFX_SHARED" % name)
            table = tables(file, "A6")["A6"]
            self.assertFalse(table["degraded"], table["notes"])
            types = {row["type"]: row for row in table["rows"]}
            for kind in kinds:
                # A backward pass of a layer takes one to four times as long as its forward pass.
                forward = types[kind]["gpu_ns"] - types[kind]["backward_ns"]
                self.assertGreater(types[kind]["backward_ns"], 0.8 * forward, kind)
                self.assertLess(types[kind]["backward_ns"], 4 * forward, kind)


if __name__ == "__main__":
    unittest.main(verbosity=2)
