#!/usr/bin/env python3
"""Two views, one number: what an export sums up to is what the report says, to the nanosecond, for every format.

Recorded here: a Python program with threads, a shell with short children, a program on a pretended GPU, and one without a
timeline. With GPROFX_SHARED (a folder with profiles/*.gprofx and traces) five real profiles, too: two recordings, and traces of
Kineto, of Holistic Trace Analysis and of Nsight Systems. The same holds for text, the page, the timeline and named ranges.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from export_readers import READERS
from profile_support import GPROFX, WORKLOADS, Recording, page_data

FAKE = os.path.join(WORKLOADS, "fake_gpu")
TRAIN = os.path.join(FAKE, "fake_train")
SHARED = os.environ.get("GPROFX_SHARED", "")

THREADS = """
import threading
def busy(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
threads = [threading.Thread(target=busy, args=(1500000,), name="worker %d" % i) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
busy(2000000)
"""
SHELL = "for i in 1 2 3 4 5; do ls / > /dev/null; done; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"

NEEDS_TIMELINE = {"firefox", "perfetto", "kineto"}


class Report:
    """The numbers of `gprof-x report --json`: of the program, or of all frames."""

    def __init__(self, file, part=("--phase", "all"), frames=()):
        self.file, self.part = file, (*part, *frames)
        top = self.json("--top", "1")
        self.clock = top["metric"]["name"]
        self.sums = {self.clock: top["base"]}
        gpu = top.get("gpu")
        if gpu:
            self.sums.update({"gpu": gpu["time_ns"], "gpu_wait": gpu["wait_ns"], "gpu_operations": gpu["operations"]})

    def json(self, *options):
        return json.loads(subprocess.run([GPROFX, "report", "--json", *self.part, *options, self.file], stdout=subprocess.PIPE, check=True).stdout)

    def functions(self):
        """Own values by name of the clock."""
        own = {}
        for row in self.json("--by", "function", "--top", "1000000", "--metric", self.clock)["rows"]:
            own[row["name"]] = own.get(row["name"], 0) + row["self"]
        return own


def words(ns):
    """A duration as all views write it."""
    value, unit = ((ns, "ns") if ns < 999.5 else (ns / 1e3, "us") if ns < 999.5e3 else (ns / 1e6, "ms") if ns < 999.5e6 else (ns / 1e9, "s"))
    if ns == 0:
        return "0 s"
    digits = 0 if unit == "ns" or value >= 99.95 else 1 if value >= 9.995 else 2
    return "%s %s" % (format(int(value + 0.5), ",") if value >= 999.5 else "%.*f" % (digits, value), unit)


def real_profiles(folder):
    """Five: (name, path). Traces are imported into `folder`."""
    found = [(os.path.basename(path), path) for path in sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx")))]
    traces = ["kineto_tracelens/h100__Qwen*.json.gz", "kineto_hta/trace_diff__test*.json.gz", "nsys/power_iteration*.sqlite.zst"]
    for pattern in traces:
        for path in glob.glob(os.path.join(SHARED, "traces", pattern))[:1]:
            name, made = os.path.basename(path), os.path.join(folder, os.path.basename(path) + ".gprofx")
            if path.endswith(".zst"):
                plain = os.path.join(folder, name[:-4])
                subprocess.run(["zstd", "-dqf", path, "-o", plain], check=True)
                path = plain
            subprocess.run([GPROFX, "import", "-q", "-o", made, path], check=True)
            found.append((name, made))
    return found


class OneNumber(unittest.TestCase):
    def export(self, name, file, *options):
        path = os.path.join(self.folder.name, "x" + READERS[name][1])
        run = subprocess.run([GPROFX, "export", "-q", "--to", name, "--force", "-o", path, *options, file], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return READERS[name][0](path)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-x-test-")
        self.addCleanup(self.folder.cleanup)

    def check(self, file, formats=tuple(READERS)):
        self.check_start(file)
        for frames in ((), ("--all-frames",)):
            with self.subTest(frames=frames):
                self.check_frames(Report(file, frames=frames), frames, formats)

    def check_frames(self, report, frames, formats):
        own = {name: value for name, value in report.functions().items() if value}
        self.check_faces(report, frames)
        if "firefox" in formats:
            self.check_groups(report, frames)
        self.assertEqual(sum(own.values()), report.sums[report.clock])
        for name in formats:
            with self.subTest(format=name):
                read = self.export(name, report.file, *frames)
                sums = dict(read.sums())
                # Formats of samples do not know what the clock counted; host code of an imported trace has no times.
                said = sums.get(report.clock, sums.get("cpu", sums.get("clock")))
                timeless = report.clock == "host" and name in NEEDS_TIMELINE
                self.assertEqual(said or 0, 0 if timeless else report.sums[report.clock])
                for metric in ("gpu", "gpu_wait", "gpu_operations"):
                    if metric in sums:
                        self.assertEqual(sums[metric], report.sums.get(metric, 0), metric)
                for key in sums:  # the same number in another place of the format
                    if key in ("gpu markers", "gpu weights", "events.gpu", "events.gpu_wait", "events.gpu_operations"):
                        self.assertEqual(sums[key], report.sums.get(key.split(".")[-1].split(" ")[0], 0), key)
                if report.clock == "cpu" and frames:  # else names are cut and folded
                    found = {n: v for n, v in read.functions().items() if v}
                    self.assertEqual(found, own)

    def check_faces(self, report, frames):
        """Text and the page say what JSON says."""
        text = subprocess.run([GPROFX, "report", "--top", "5", "--wide", *report.part, report.file], stdout=subprocess.PIPE, check=True).stdout.decode()
        told = {metric: words(ns) for metric, ns in report.sums.items() if metric in ("cpu", "wall", "gpu", "gpu_wait") and ns}
        for metric, phrase in (("cpu", "of %s CPU time"), ("wall", "of %s wall time"), ("gpu", "of %s GPU time"), ("gpu_wait", "of %s in all threads")):
            if metric in told:
                self.assertIn(phrase % told[metric], text.replace("\n", " "), metric)
        if report.clock == "cpu" and "samples" in report.sums and not report.part:
            self.assertIn("%s CPU samples" % format(report.sums["samples"], ","), text)
        data = page_data(report.file, *frames)
        sums = {metric["name"]: metric["sum"] for metric in data["metrics"]}
        for metric, value in report.sums.items():
            if metric != "gpu_operations":  # the page counts them by kernel
                self.assertEqual(sums.get(metric, 0), value, metric)
        kernels = {row["name"]: row["self"] for row in report.json("--by", "kernel", "--top", "400")["rows"]} if data["kernels"] else {}
        shown = {data["texts"][row["text"]]: row["ns"] for row in data["kernels"]["rows"]} if data["kernels"] else {}
        self.assertEqual(sum(shown.values()), sum(kernels.values()))
        self.assertEqual(collections.Counter(shown.values()), collections.Counter(kernels.values()))

    def check_start(self, file):
        """The page begins with the sentences of the text, the findings of the analysis, and the shares of each GPU and process."""
        data = page_data(file)
        text = " ".join(subprocess.run([GPROFX, "report", "--wide", file], stdout=subprocess.PIPE, text=True, check=True).stdout.split())
        for sentence in data["verdict"]["sentences"]:
            self.assertIn(sentence, text)
        answer = json.loads(subprocess.run([GPROFX, "report", "--json", file], stdout=subprocess.PIPE, check=True).stdout)
        if data.get("ranks"):
            self.assertEqual(data["ranks"], answer["ranks"])
        shown = data.get("range", data)
        if shown.get("lanes"):
            told = answer["wall"]["lanes"]
            self.assertEqual([(row["pid"], row["gpu"], row["wall"]["total_ns"]) for row in shown["lanes"]["rows"]],
                             [(row["pid"], row["gpu"], sum(part["ns"] for part in row["parts"])) for row in told][:64])
        if not data.get("findings"):
            return
        run = subprocess.run([GPROFX, "analyze", "--findings", "--json", file], stdout=subprocess.PIPE, check=True)
        told = json.loads(run.stdout)["findings"][0]["rows"]
        self.assertEqual([(row["rule"], row["saving_ns"], row["evidence"]) for row in data["findings"]["rows"]],
                         [(row["rule"], row["saving_ns"], row["evidence"]) for row in told])

    def printed(self, report, *options):
        """The first amount of each row of a table, as text has it, without colours."""
        text = subprocess.run([GPROFX, "report", "--wide", *report.part, *options, report.file], stdout=subprocess.PIPE, text=True, check=True).stdout
        table = text[re.search(r"^ *(?:# +)?self +%", text, re.M).end():]
        return re.findall(r"^ *((?:[\d,.]+) (?:ns|us|ms|s)) +[\d.]+%", table, re.M)

    def check_groups(self, report, frames):
        """Whatever the rows are, they add up to the same; text prints what JSON has, and threads are those of the exports."""
        base = report.sums[report.clock]
        for by in ("function", "line", "module"):
            rows = report.json("--by", by, "--top", "1000000", "--metric", report.clock)["rows"]
            self.assertEqual(sum(row["self"] for row in rows), base, by)
            shown = [words(row["self"]) for row in rows[:15]]
            self.assertEqual(self.printed(report, "--by", by, "--top", "15", "--metric", report.clock)[:15], shown, by)
        tree = report.json("--tree", "--metric", report.clock)["rows"]
        self.assertEqual(sum(node["self"] for node in tree), base)
        self.assertEqual(tree[0]["total"], base)
        rows = report.json("--threads", "--limit", "1000000", "--metric", report.clock)["rows"]
        threads = [row for row in rows if row["kind"] == "thread"]
        for kind in ("process", "thread"):
            self.assertEqual(sum(row["self"] for row in rows if row["kind"] == kind), base, kind)
            only = report.json("--by", kind, "--top", "1000000", "--metric", report.clock)["rows"]
            self.assertEqual(sorted((row["pid"], row["tid"] or 0, row["self"]) for row in only),
                             sorted((row["pid"], row["tid"] or 0, row["self"]) for row in rows if row["kind"] == kind))
        if frames:  # else threads that only wait are one row
            self.assertEqual(self.printed(report, "--threads", "--limit", "1000000", "--metric", report.clock), [words(row["self"]) for row in rows])
        if report.clock == "cpu":
            own = collections.Counter()
            for row in threads:
                own[row["pid"], row["tid"]] += row["self"]
            for name in ("firefox", "sqlite-flat"):
                with self.subTest(format=name):
                    self.assertEqual(+self.export(name, report.file, *frames).by_thread(), +own)

    def check_time(self, file):
        """The timeline has the GPU's time, and named ranges are as often and as long everywhere."""
        report = Report(file)
        answer = report.json("--timeline")
        rows = answer["timeline"]["rows"]
        if "gpu" in report.sums:
            self.assertEqual(sum(row["busy_ns"] for row in rows if row["kind"] == "stream"), report.sums["gpu"])
        if report.clock == "cpu":
            busy = sum(row["busy_ns"] for row in rows if row["kind"] == "thread")
            self.assertAlmostEqual(busy, report.sums["cpu"], delta=report.sums["cpu"] / 200)  # what weighs beyond the ends of the run
        table = report.json("--markers")["markers"]["rows"]
        self.assertEqual(answer.get("markers", {"rows": []})["rows"], table)
        told = collections.Counter({(row["name"], row["domain"]): row["count"] for row in table})
        page = page_data(file, "--all-frames")["markers"]
        self.assertEqual(page["left_out"], 0)
        self.assertEqual(bool(page["lanes"]), bool(table))
        for name in ("firefox", "perfetto", "kineto", "sqlite-flat"):
            with self.subTest(format=name):
                ranges = self.export(name, file).ranges()
                self.assertEqual(sum(ranges.values()), sum(told.values()))
                for row in table:
                    like = re.compile(re.escape(row["name"][:-1]) + r"\d+$") if row["name"].endswith("*") else re.compile(re.escape(row["name"]) + "$")
                    own = {key: count for key, count in ranges.items() if like.match(key[0])}
                    self.assertGreaterEqual(sum(own.values()), row["count"], row["name"])
                    if sum(own.values()) == row["count"] and row["count"] > row["moments"]:
                        self.assertEqual(sum(key[2] * count for key, count in own.items()) // (row["count"] - row["moments"]), row["mean_ns"], row["name"])
                        self.assertEqual(max(key[2] for key in own), row["max_ns"])
        return table

    def test_time_and_named_ranges_of_real_profiles(self):
        profiles = real_profiles(self.folder.name) if SHARED else []
        if not profiles:
            self.skipTest("GPROFX_SHARED names no folder with profiles")
        marked = 0
        for name, file in profiles:
            with self.subTest(file=name):
                marked += bool(self.check_time(file))
        self.assertGreaterEqual(marked, 2)

    def test_samples_of_a_range_that_holds_all(self):
        with Recording(["sh", "-c", SHELL]) as r:
            whole, ranged = ({row["name"]: row["self"] for row in report.json("--metric", "samples", "--limit", "100000")["rows"] if row["self"]}
                             for report in (Report(r.file, part, ("--all-frames",)) for part in (("--phase", "all"), ("--range", "0s..1000s"))))
            self.assertEqual(ranged, whole)
            self.assertEqual(sum(whole.values()), Report(r.file).json()["quality"]["samples"])

    def test_threads_of_python(self):
        with Recording([sys.executable, "-c", THREADS]) as r:
            self.check(r.file)

    def test_processes_too_short_for_a_sample(self):
        with Recording(["sh", "-c", SHELL]) as r:
            self.check(r.file)

    def test_wall_clock(self):
        with Recording([sys.executable, "-c", THREADS + "import time; time.sleep(0.2)"], ["--clock", "wall"]) as r:
            self.check(r.file)

    @unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
    def test_gpu(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording([TRAIN, "return"], env=env) as r:
            self.assertGreater(Report(r.file).sums["gpu"], 0)
            self.check(r.file)

    def test_without_a_timeline(self):
        with Recording([sys.executable, "-c", THREADS], ["--timeline", "no"]) as r:
            self.check(r.file, [name for name in READERS if name not in NEEDS_TIMELINE and name != "sqlite-flat"])
            for name in NEEDS_TIMELINE:
                run = subprocess.run([GPROFX, "export", "--to", name, "-o", "-", r.file], capture_output=True)
                self.assertEqual(run.returncode, 2)
                self.assertIn(b"has no timeline", run.stderr)
                self.assertEqual(run.stderr.count(b"\n"), 1)

    def check_range(self, file, part):
        """A part: samples that were taken in it, and of GPU work the time that lies in it."""
        report = Report(file, part)
        self.assertLess(report.sums[report.clock], Report(file).sums[report.clock])
        for name in READERS:
            with self.subTest(format=name, part=part):
                sums = dict(self.export(name, file, *part).sums())
                self.assertEqual(sums.get(report.clock, sums.get("clock")), report.sums[report.clock])
                for metric in ("gpu", "gpu_wait"):
                    if metric in sums:
                        self.assertEqual(sums[metric], report.sums.get(metric, 0), metric)

    def test_a_range(self):
        with Recording([sys.executable, "-c", THREADS]) as r:
            self.check_range(r.file, ("--range", "50ms..150ms"))

    @unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
    def test_a_range_with_gaps_in_the_records(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording([TRAIN, "rate", "4"], ["--overhead", "5"], env=env) as r:
            part = ("--range", "1s..3s")
            self.check_range(r.file, part)
            report = Report(r.file, part)
            rows = report.json("--by", "kernel", "--top", "100")["rows"]
            estimated = sum(row["estimated_ns"] for row in rows)
            self.assertGreaterEqual(estimated, report.sums["gpu"])
            self.assertEqual(report.json("--metric", "gpu_estimated", "--top", "1")["base"], estimated)
            text = subprocess.run([GPROFX, "report", *part, "--by", "kernel", r.file], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn("share of %s GPU time" % words(estimated), text)

    def test_a_range_of_real_recordings(self):
        files = sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))) if SHARED else []
        if not files:
            self.skipTest("GPROFX_SHARED names no folder with profiles")
        for file in files:
            self.check_range(file, ("--range", "19.5s..20.25s"))

    def test_real_recordings(self):
        profiles = real_profiles(self.folder.name) if SHARED else []
        if not profiles:
            self.skipTest("GPROFX_SHARED names no folder with profiles")
        self.assertEqual(len(profiles), 5)
        for name, file in profiles:
            with self.subTest(file=name):
                self.check(file)


if __name__ == "__main__":
    unittest.main(verbosity=2)
