"""Several recordings in one report: ranks of a run, and what goes wrong with files."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
TRACE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "import", "kineto.json")
SPIN = "import time\nwhile time.process_time() < {seconds}: pass\n"


def gprofx(*args):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


def lane_parts(lane):
    """What is known of a lane: without the time that has no records."""
    return [part for part in lane["parts"] if part["name"] != "idle.sync.time without records"]


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = []
        for rank, seconds in enumerate((0.3, 0.9, 0.3)):
            path = os.path.join(cls.folder.name, f"rank {rank}.gprofx")
            run = subprocess.run(
                [GPROFX, "record", "-q", "-o", path, "--", sys.executable, "-c", SPIN.format(seconds=seconds)],
                env=dict(os.environ, RANK=str(rank), WORLD_SIZE="3"), timeout=60)
            assert run.returncode == 0
            cls.files.append(path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def gpu_ranks(self, microseconds):
        """One trace for each rank, with so much time in its all-reduce."""
        files = []
        for rank, length in enumerate(microseconds):
            with open(TRACE) as text:
                trace = json.load(text)
            trace["distributedInfo"] = {"rank": rank, "world_size": len(microseconds)}
            for event in trace["traceEvents"]:
                if event["name"].startswith("nccl"):
                    event["dur"] = length
            path = os.path.join(self.folder.name, f"gpu{rank}")
            with open(path + ".json", "w") as text:
                json.dump(trace, text)
            self.assertEqual(gprofx("import", "-q", "-o", path + ".gprofx", path + ".json").returncode, 0)
            files.append(path + ".gprofx")
        return files

    def test_sums_are_those_of_the_files(self):
        single = [json.loads(gprofx("report", "--json", file).stdout) for file in self.files]
        merged = json.loads(gprofx("report", "--ranks", "--json", *self.files).stdout)
        self.assertEqual(merged["schema"], "gprof-x.report.ranks/1")
        self.assertEqual(merged["base"], sum(one["base"] for one in single))
        self.assertEqual(merged["files"], self.files)
        self.assertEqual([rank["cpu_ns"] for rank in merged["ranks"]["ranks"]], [one["base"] for one in single])
        self.assertEqual([rank["name"] for rank in merged["ranks"]["ranks"]], ["rank 0", "rank 1", "rank 2"])
        for row in merged["rows"]:
            self.assertEqual(sum(row["by_rank"]), row["self"], row["name"])
        self.assertEqual(sum(row["self"] for row in merged["rows"]), merged["base"])

    def test_the_slowest_is_named(self):
        merged = json.loads(gprofx("report", "--json", *self.files).stdout)
        self.assertEqual(merged["ranks"]["slowest"], 1)
        text = gprofx("report", *self.files)
        self.assertIn("slowest is rank 1", text.stdout)
        self.assertIn("3 ranks", text.stdout.splitlines()[0])
        head = " ".join(text.stdout.split("\n\n")[0].split())
        self.assertRegex(head, r"The slowest rank is rank 1: \d+ ms of CPU time, compared with a minimum of \d+ ms\. It spends \d+ ms more than the others in")
        self.assertAlmostEqual(merged["verdict"]["late"]["value"], 600e6, delta=200e6)
        self.assertIn("'" + self.files[0] + "' '", text.stdout)  # the hints name all files
        self.assertEqual(text.stderr, "")

    def test_every_view_takes_several_files(self):
        for view in ("--top", "--tree", "--lines", "--threads", "--ranks", "--callers=<module>"):
            run = gprofx("report", view, *self.files)
            self.assertEqual((run.returncode, run.stderr), (0, ""), view)
            for line in run.stdout.splitlines():
                self.assertTrue(len(line) <= 80 or "gprof-x report" in line, line)

    def test_each_gpu_stands_with_its_rank(self):
        files = self.gpu_ranks((3, 3))
        lines = gprofx("report", *files).stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.split()[:3] == ["rank", "GPU", "pid"])
        self.assertEqual([line.split()[:3] for line in lines[head + 1:head + 3]], [["0", "0", "100"], ["1", "1", "100"]])
        lanes = json.loads(gprofx("report", "--json", *files).stdout)["wall"]["lanes"]
        self.assertEqual([lane["rank"] for lane in lanes], [0, 1])
        idle = json.loads(gprofx("report", "--ranks", "--json", *files).stdout)["idle_causes"]
        self.assertEqual([lane["rank"] for lane in idle["lanes"]], [0, 1])
        shares = {part["name"]: part["ns"] for part in lane_parts(lanes[0])}
        seen = sum(shares.values())
        self.assertAlmostEqual(sum(row["percent"][0] for row in idle["causes"]),
                               100 * sum(ns for name, ns in shares.items() if name.startswith("idle.")) / seen, delta=0.3)
        for row in idle["causes"]:
            self.assertEqual((row["percent"][0], row["most_off"]), (row["percent"][1], None))  # the same trace twice
        self.assertIn("GPU idle for", gprofx("report", "--ranks", *files).stdout)
        alone = gprofx("report", "--json", files[1])
        self.assertEqual([lane["rank"] for lane in json.loads(alone.stdout)["wall"]["lanes"]], [None])

    def test_a_late_rank_of_gpus_is_named_at_the_top(self):
        head = " ".join(gprofx("report", *self.gpu_ranks((40, 4))).stdout.split("\n\n")[0].split())
        self.assertIn("The slowest rank is rank 1: the others wait for it, up to 40.0 us in communication.", head)
        self.assertNotIn("slowest", gprofx("report", *self.gpu_ranks((3, 3))).stdout.split("\n\n")[0])

    def test_errors_are_one_line_with_the_file(self):
        run = gprofx("report", "nowhere.gprofx")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("nowhere.gprofx", run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1)
        run = gprofx("report", "nowhere.gprofx", "neither.gprofx")
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 3))
        run = gprofx("report", "--ranks", self.files[0])
        self.assertEqual(run.returncode, 2)
        self.assertIn("name the profiles of all ranks", run.stderr)

    def test_broken_files_are_named_and_the_rest_is_shown(self):
        broken = os.path.join(self.folder.name, "broken.gprofx")
        with open(self.files[1], "rb") as whole, open(broken, "wb") as half:
            half.write(whole.read(os.path.getsize(self.files[1]) // 2))
        rest = [self.files[0], self.files[2]]
        for options in ((), ("--ranks",), ("--json",), ("--tree",)):
            alone = gprofx("report", *options, *rest)
            run = gprofx("report", *options, rest[0], broken, rest[1], "nowhere.gprofx", rest[0])
            self.assertEqual((run.returncode, run.stdout), (2, alone.stdout), options)
            lines = run.stderr.splitlines()
            self.assertEqual(len(lines), 3, run.stderr)
            for line, words in zip(lines, ("broken.gprofx", "nowhere.gprofx", "already holds this recording")):
                self.assertIn("left out", line)
                self.assertIn(words, line)
        page = os.path.join(self.folder.name, "page.html")
        run = gprofx("report", "--html", page, *rest, broken)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertTrue(os.path.exists(page))

    def test_repetitions_are_no_ranks(self):
        again = os.path.join(self.folder.name, "again.gprofx")
        run = subprocess.run([GPROFX, "record", "-q", "-o", again, "--", sys.executable, "-c", SPIN.format(seconds=0.2)],
                             env=dict(os.environ, RANK="0", WORLD_SIZE="3"), timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertIn("2 recordings", gprofx("report", self.files[0], again).stdout.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
