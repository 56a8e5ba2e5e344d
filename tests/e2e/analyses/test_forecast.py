"""gprof-x forecast as people use it: a graph to one GPU and to several, lists of cases, bad input. With GPROFX_SHARED (a folder with
data/forecast or forecast) the public measurements, too."""
import csv
import io
import json
import os
import subprocess
import tempfile
import time
import unittest

GPROFX = os.environ["GPROFX"]
SHARED = os.environ.get("GPROFX_SHARED", "")
DATA = next((path for path in (os.path.join(SHARED, "data", "forecast"), os.path.join(SHARED, "forecast"))
             if SHARED and os.path.isdir(path)), "")
GRAPH = """Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
input_ids,misc,[],[],[],set(),{'q'},[],"(2, 512)"
q,Linear,"[['Linear', (1024, 1024, 4096)]]","[['Linear', (1024, 4096, 1024)], ['Linear', (4096, 1024, 1024)]]",[],{'input_ids'},{'s'},"[(1024, 1024)]","(1024, 4096)"
s,VECsoftmax,"[['VECsoftmax', (1024, 4096)]]","[['VECmul', (1024, 4096)]]",[],{'q'},set(),"[(1024, 4096)]","(1024, 4096)"
"""


def forecast(*args):
    return subprocess.run([GPROFX, "forecast", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text, packed=False):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        if packed:
            subprocess.run(["zstd", "-q", "--rm", path], check=True)
            path += ".zst"
        return path

    def ok(self, *args):
        run = forecast(*args)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run)
        return run.stdout

    def fails(self, says, *args):
        run = forecast(*args)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("gprof-x forecast: "), run.stderr)
        self.assertIn(says, run.stderr)


class Graphs(Folder):
    def test_sizes_and_devices_that_nobody_has(self):
        graph = self.write("g.csv", GRAPH)
        self.fails("cannot be divided into 10000000000 parts", "--model", graph, "--to", "H100", "--dp", "100000",
                   "--microbatches", "100000")
        huge = self.write("huge.csv", GRAPH.replace("(1024, 1024, 4096)", "(1e15, 1e15, 1e15)"))
        self.fails("out of range", "--model", huge, "--to", "H100")
        device = self.write("own.csv", "name,sms,lanes,fp32,bandwidth,l2\nX1,10,128,1e-300,500,8\n")
        self.fails("own.csv:2: '1e-300' is not a value for column fp32", "--model", graph, "--to", "X1", "--device", device)

    def test_more_gpus_than_a_node(self):
        graph = self.write("g.csv", GRAPH)
        note = "more GPUs than the 8 of a node"
        self.assertIn(note, self.ok("--model", graph, "--to", "H100", "--dp", "16", "--batch", "32"))
        self.assertNotIn(note, self.ok("--model", graph, "--to", "H100", "--dp", "8", "--batch", "32"))

    def test_devices_are_text(self):
        self.fails("cannot be combined", "--devices", "--json")

    def test_text_and_json(self):
        graph = self.write("net-train-512-2.csv", GRAPH)
        text = self.ok("--model", graph, "--to", "H100")
        self.assertIn("H100-SXM: ", text)
        self.assertIn("a step  (80 % between", text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        made = json.loads(self.ok("--model", graph, "--to", "H100", "--json"))
        self.assertEqual((made["schema"], made["training"]), ("gprof-x.forecast/1", True))
        device = made["devices"][0]
        self.assertLess(device["low_ms"], device["step_ms"])
        self.assertLess(device["step_ms"], device["high_ms"])
        self.assertAlmostEqual(sum(f["ms"] for f in device["families"]), sum(n["ms"] for n in device["nodes"]))
        inference = json.loads(self.ok("--model", graph, "--to", "H100", "--json", "--inference"))["devices"][0]
        self.assertLess(inference["step_ms"], device["step_ms"])

    def test_compare_with_prices(self):
        graph = self.write("net-inf-512-2.csv", GRAPH)
        text = self.ok("--model", graph, "--compare", "A100,H100-SXM,L4", "--price", "h100_sxm=2.5")
        self.assertIn("$ a step", text)
        self.assertIn("were not measured", text)
        made = json.loads(self.ok("--model", graph, "--compare", "A100,H100", "--price", "H100=3600", "--json"))
        a100, h100 = made["devices"]
        self.assertIsNone(a100["dollars_per_step"])
        self.assertAlmostEqual(h100["dollars_per_step"], h100["step_ms"] / 1000)

    def test_a_device_of_ones_own(self):
        graph = self.write("net-inf-512-2.csv", GRAPH)
        own = self.write("own.csv", "name,sms,lanes,fp32,bandwidth,l2,gemm32,copy\nMine,100,128,50,2000,40,40,1800\n")
        made = json.loads(self.ok("--model", graph, "--to", "mine", "--device", own, "--json"))
        self.assertTrue(made["devices"][0]["measured_rates"])
        self.fails("own2.csv:2:", "--model", graph, "--to", "mine", "--device", self.write("own2.csv", "name,sms,lanes,fp32,bandwidth,l2\nx,1\n"))

    def test_unknown_nodes_are_said(self):
        graph = self.write("net-inf-512-2.csv", GRAPH + "f,FFT,\"[['FFT', (8, 8)]]\",[],[],set(),set(),[],\"(8, 8)\"\n")
        text = self.ok("--model", graph, "--to", "V100")
        self.assertIn("1 nodes (33.3% of those that compute) are of no known kind", text)
        self.assertIn("f (FFT)", text)

    def test_bad_input(self):
        graph = self.write("net-inf-512-2.csv", GRAPH)
        self.fails("similar names are H100", "--model", graph, "--to", "H10")
        self.fails("no recording, model or cases are given")
        self.fails("exactly one of options '--to' and '--compare' is needed", "--model", graph)
        self.fails("cannot read", "--model", graph + "x", "--to", "H100")
        self.fails("is a folder", "--model", self.folder.name, "--to", "H100")
        self.fails("no backward pass", "--model", self.write("g.csv", GRAPH.split("q,Linear")[0]), "--to", "H100", "--training")
        self.fails("the header of a graph is missing", "--model", self.write("h.csv", "a,b\n"), "--to", "H100")
        self.fails("cannot be combined", "--model", graph, "--cases", graph)
        self.fails("option '--price' needs", "--model", graph, "--to", "H100", "--price", "H100")
        self.fails("option '--layers' needs", "--model", graph, "--to", "H100", "--layers", "0")
        self.fails("exactly one of options '--to' and '--compare' is needed", "run.gprofx")
        self.fails("a batch of 2 cannot be divided into 4 parts", "--model", graph, "--to", "H100", "--dp", "4")

    def test_packed_files_and_broken_ones(self):
        path = self.write("net-inf-512-2.csv", GRAPH, packed=True)
        self.assertIn("a step", self.ok("--model", path, "--to", "T4"))
        with open(path, "rb") as file:
            packed = file.read()
        for broken in (packed[:len(packed) // 2], packed[:8], packed[:-20] + b"x" * 20):
            with open(path, "wb") as file:
                file.write(broken)
            run = forecast("--model", path, "--to", "T4")
            self.assertEqual(run.returncode, 2, run)
            self.assertEqual(run.stderr.count("\n"), 1)


class Cases(Folder):
    def test_rows_in_order_to_a_file(self):
        rows = "id,gpu,gemm_dtype,m,n,k\n" + "".join("r%d,%s,bfloat16,%d,1024,512\n" % (i, ("h200_sxm", "b200_sxm")[i % 2], i + 1) for i in range(50))
        out = os.path.join(self.folder.name, "out.csv")
        run = forecast("--cases", self.write("c.csv", rows), "--csv", out)
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertIn("note:", run.stderr)
        with open(out) as file:
            made = list(csv.DictReader(file))
        self.assertEqual([row["id"] for row in made], ["r%d" % i for i in range(50)])
        for row in made:
            self.assertTrue(0 < float(row["lo_ms"]) <= float(row["latency_ms"]) <= float(row["hi_ms"]))

    def test_graphs_beside_the_list(self):
        os.mkdir(os.path.join(self.folder.name, "graphs"))
        self.write("graphs/g.csv", GRAPH, packed=True)
        cases = self.write("c.csv", "device,case,graph\nNVIDIA_L4,net-train-512-2,graphs/g.csv.zst\nH100,net-inf-512-2,graphs/g.csv.zst\n")
        run = forecast("--cases", cases)
        self.assertEqual(run.returncode, 0, run)
        made = list(csv.DictReader(io.StringIO(run.stdout)))
        self.assertEqual([(row["device"], row["case"]) for row in made], [("NVIDIA_L4", "net-train-512-2"), ("H100", "net-inf-512-2")])

    def test_errors_name_the_line(self):
        self.fails("c.csv:3: unknown device", "--cases", self.write("c.csv", "id,gpu,gemm_dtype,m,n,k\n1,h100,fp8,1,2,3\n2,x9,fp8,1,2,3\n"))
        self.fails("the header of cases is missing", "--cases", self.write("d.csv", "x\n"))


class Facts(Folder):
    def test_accuracy_and_devices(self):
        self.assertIn("left out", self.ok("--accuracy"))
        rows = json.loads(self.ok("--accuracy", "--json"))["rows"]
        steps = {row["left_out"]: row["error_percent"] for row in rows if row["what"] == "step"}
        self.assertEqual(set(steps), {"A100-PCIe-40GB", "A100-PCIe-80GB", "V100-PCIe", "P100-PCIe", "T4"})
        self.assertIn("MI300X", self.ok("--devices"))

    @unittest.skipUnless(DATA, "no forecast data in GPROFX_SHARED")
    def test_public_measurements(self):
        """What is built in gives the steps that were measured, as a whole; the bars are those of bench_forecast."""
        neusight = os.path.join(DATA, "neusight")
        rows, truth = [], []
        for device in sorted(os.listdir(os.path.join(neusight, "label"))):
            for name in sorted(os.listdir(os.path.join(neusight, "label", device))):
                graph = os.path.join(neusight, "opgraph", name.replace(".json", ".csv.zst"))
                if name.endswith(".json") and os.path.exists(graph):
                    rows.append("%s,%s,%s\n" % (device, name[:-5], graph))
                    with open(os.path.join(neusight, "label", device, name)) as file:
                        truth.append(json.load(file)["e2e_latency"])
        begin = time.monotonic()
        run = forecast("--cases", self.write("c.csv", "device,case,graph\n" + "".join(rows)))
        self.assertLess(time.monotonic() - begin, 60)
        made = [float(row["e2e_ms"]) for row in csv.DictReader(io.StringIO(run.stdout))]
        self.assertEqual(len(made), len(truth))
        self.assertLess(sum(abs(m - t) / t for m, t in zip(made, truth)) / len(truth), 0.12)


if __name__ == "__main__":
    unittest.main()
