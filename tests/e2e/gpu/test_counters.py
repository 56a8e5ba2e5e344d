"""Measured FLOP and bytes: record --counters with an ncu that is a script, and import --into, from the command line to A8, A9, A11."""
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, KERNELS, TRAIN
from profile_support import GPROFX

SASS = ["smsp__sass_thread_inst_executed_op_%s_pred_on" % op for op in ("dadd", "dmul", "dfma", "fadd", "fmul", "ffma", "hadd", "hmul", "hfma")]
TENSOR = "sm__ops_path_tensor_src_bf16_dst_fp32"
NAMES = {"forward": "_Z7forwardPf", "backward": "_Z8backwardPf"}

NCU = '''#!%(python)s
"""Lists metrics, or runs a command and writes a table of what it launches, as ncu does."""
import json, os, subprocess, sys
with open(os.path.join(%(folder)r, "calls"), "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
plan = json.load(open(os.path.join(%(folder)r, "plan")))
if sys.argv[1:] == ["--query-metrics"]:
    print("Device H100\\n" + "-" * 20)
    for name in plan["metrics"]:
        print("%%-60s Counter  unit  what it counts" %% name)
    sys.exit(0)
options, at = {}, 1
while sys.argv[at].startswith("--"):
    if sys.argv[at] == "--csv":
        at += 1
        continue
    options[sys.argv[at]] = sys.argv[at + 1]
    at += 2
status = subprocess.run(sys.argv[at:]).returncode
with open(options["--log-file"], "w") as log:
    log.write("==PROF== Connected to process 7\\n")
    if plan.get("error"):
        log.write("==ERROR== " + plan["error"] + "\\n")
        sys.exit(1)
    columns = options["--metrics"].split(",")
    names = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
    def row(fields):
        log.write(",".join('"%%s"' %% field for field in fields) + "\\n")
    row(names + columns)
    row([""] * len(names) + [plan["units"].get(column, "") for column in columns])
    for i, (name, values) in enumerate(plan["launches"]):
        row([i, 7, "train", "host", name, 1, 7, "(256, 1, 1)", "(264, 1, 1)", 0, "9.0"] +
            [format(values.get(column[:-4], 0), ",") for column in columns])
sys.exit(status)
'''


def table(report, name):
    return next(t for t in report["analyses"] if t["name"] == name)


def of(rows, kernel):
    return next(row for row in rows if row["kernel"].startswith(kernel))


class Counters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.profile = os.path.join(self.folder.name, "run.gprofx")
        self.bin = os.path.join(self.folder.name, "bin")
        os.mkdir(self.bin)
        ncu = os.path.join(self.bin, "ncu")
        with open(ncu, "w") as file:
            file.write(NCU % {"python": sys.executable, "folder": self.folder.name})
        os.chmod(ncu, os.stat(ncu).st_mode | stat.S_IXUSR)
        self.plan(launches=[(NAMES["forward"], self.work(3_000_000, 6_000_000)), (NAMES["backward"], self.work(9_000_000, 0, tensor=4 << 30))])

    def work(self, bytes_, ffma, tensor=0):
        return {"dram__bytes_read": bytes_ // 3, "dram__bytes_write": bytes_ - bytes_ // 3, "gpu__time_duration": 1000, SASS[5]: ffma,
                TENSOR: tensor}

    def plan(self, **how):
        how.setdefault("metrics", ["gpu__time_duration", "dram__bytes_read", "dram__bytes_write", TENSOR, TENSOR + "_sparsity_on",
                                   "sm__ops_path_tensor_src_int8"])
        how.setdefault("units", {"dram__bytes_read.sum": "byte", "gpu__time_duration.sum": "ns"})
        with open(os.path.join(self.folder.name, "plan"), "w") as file:
            json.dump(how, file)

    def calls(self):
        with open(os.path.join(self.folder.name, "calls")) as file:
            return [json.loads(line) for line in file]

    def record(self, *options, command=(TRAIN,), path=None):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), PATH=path or self.bin + ":" + os.environ["PATH"])
        return subprocess.run([GPROFX, "record", "-o", self.profile, *options, "--", *command], env=env, capture_output=True, text=True,
                              timeout=120, stdin=subprocess.DEVNULL)

    def analyze(self):
        run = subprocess.run([GPROFX, "analyze", "--all", "--json", self.profile], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)

    def test_measured_in_a_run_of_its_own(self):
        run = self.record("--counters")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("2 launches of 2 kernels and launch configurations measured, 100% of the kernels' time", run.stderr)
        once = self.record().stdout
        self.assertEqual(run.stdout.count("\n"), once.count("\n"))  # what it prints the second time goes nowhere

    def test_the_command_line_of_ncu(self):
        self.record("--counters")
        query, call = self.calls()
        self.assertEqual(query, ["--query-metrics"])
        options = dict(zip(call[1::2], call[2::2]))
        self.assertEqual(call[-1:], [TRAIN])
        self.assertEqual(options["--kernel-name"], "regex:^(backward|forward)$")
        self.assertEqual(options["--filter-mode"], "per-launch-config")
        # The first backward kernel is the 16th launch of the one grid and block that all have.
        self.assertLessEqual(int(options["--launch-count"]), 400)
        metrics = options["--metrics"].split(",")
        self.assertIn(TENSOR + ".sum", metrics)
        self.assertEqual([name for name in SASS if name + ".sum" not in metrics], [])  # no list has to name them
        self.assertNotIn(TENSOR + "_sparsity_on.sum", metrics)
        self.assertNotIn("sm__ops_path_tensor_src_int8.sum", metrics)

    def test_analyses_use_what_was_measured(self):
        self.record("--counters")
        report = self.analyze()
        kernels = table(report, "A8")["rows"]
        forward, backward = of(kernels, "forward"), of(kernels, "backward")
        self.assertEqual((forward["bytes"], forward["flop"]), (forward["count"] * 3_000_000, forward["count"] * 12_000_000))
        self.assertEqual((backward["bytes"], backward["flop"]), (backward["count"] * 9_000_000, backward["count"] * (4 << 30)))
        self.assertEqual((forward["work_from"], backward["work_from"]), ("measured", "measured"))
        self.assertEqual(forward["gpu_ns"], KERNELS["forward"])
        roof = table(report, "A9")
        self.assertEqual(of(roof["rows"], "backward")["flop"], backward["flop"])
        self.assertTrue(any(note.startswith("FLOP and bytes: measured by counters") for note in roof["notes"]), roof["notes"])
        whole = table(report, "A15")["rows"][0]
        self.assertEqual(whole["known_share"], 1)

    def test_launches_that_differ_are_no_work_of_each(self):
        self.plan(launches=[(NAMES["forward"], self.work(3_000_000, 1_000_000)), (NAMES["forward"], self.work(3_000_000, 3_000_000))])
        self.record("--counters")
        report = self.analyze()
        forward = of(table(report, "A8")["rows"], "forward")
        self.assertEqual(forward["work_from"], "measured, launches differ")
        self.assertEqual(forward["flop"], forward["count"] * 4_000_000)
        self.assertFalse(any(row["kernel"].startswith("forward") for row in table(report, "A9")["rows"]))

    def test_without_ncu(self):
        run = self.record("--counters", path="/usr/bin:/bin")
        if os.path.exists("/usr/local/cuda/bin/ncu") or os.path.isdir("/opt/nvidia/nsight-compute"):
            self.skipTest("there is an ncu on this machine")
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (125, "", 1))
        self.assertIn("install Nsight Compute", run.stderr)
        self.assertFalse(os.path.exists(self.profile))

    def test_what_goes_wrong_is_one_line(self):
        for error, word in (("ERR_NVGPUCTRPERM - The user does not have permission", "doctor"), ("Failed to find x", "Failed to find x")):
            self.plan(launches=[], error=error)
            run = self.record("--counters")
            self.assertEqual(run.returncode, 0)
            lines = [line for line in run.stderr.splitlines() if "no counters are measured" in line]
            self.assertEqual(len(lines), 1, run.stderr)
            self.assertIn(word, lines[0])
        self.plan(launches=[("_Z5otherv", self.work(1, 1))])
        self.assertIn("no kernel launch in", self.record("--counters").stderr)
        self.assertIn("did not use a GPU", self.record("--counters", command=("true",)).stderr)
        self.assertIn("the program failed", self.record("--counters", command=("false",)).stderr)

    def test_a_table_made_elsewhere(self):
        self.assertEqual(self.record().returncode, 0)
        before = of(table(self.analyze(), "A8")["rows"], "forward")
        self.assertIsNone(before["flop"])
        path = os.path.join(self.folder.name, "c.csv")
        with open(path, "w") as file:
            file.write('"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","dram__bytes_write.sum"\n"","","","","Mbyte","Kbyte"\n'
                       '"0","forward()","(256, 1, 1)","(264, 1, 1)","1.5","500"\n"1","gone()","(256, 1, 1)","(264, 1, 1)","1","1"\n')
        run = subprocess.run([GPROFX, "import", path, "--into", self.profile], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 launches are not in the profile", run.stderr)
        forward = of(table(self.analyze(), "A8")["rows"], "forward")
        self.assertEqual((forward["bytes"], forward["flop"]), (forward["count"] * 2_000_000, None))
        self.assertEqual(forward["work_from"], "measured; FLOP were not measured")
        # Measured again, it replaces what was there.
        again = subprocess.run([GPROFX, "import", "-q", path, "--into", self.profile], capture_output=True, text=True, timeout=60)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(of(table(self.analyze(), "A8")["rows"], "forward"), forward)

    def test_bad_tables(self):
        self.assertEqual(self.record().returncode, 0)
        for text in ("", "x\n", '"ID","Kernel Name"\n', '"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","k","n/a"\n'):
            path = os.path.join(self.folder.name, "bad.csv")
            with open(path, "w") as file:
                file.write(text)
            run = subprocess.run([GPROFX, "import", path, "--into", self.profile], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), (text, run.stderr))


if __name__ == "__main__":
    unittest.main()
