#!/usr/bin/env python3
"""What profiling took is no part of the program, in any face of a recording; --all-frames shows it.

Real recordings, which have CUPTI and its threads in them, are read where GPROFX_PROFILES (or ../shared/data/profiles) has them; one of
the pretended GPU is made anew.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from export_readers import READERS
from profile_support import GPROFX, Recording, page_data, workload

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROFILES = os.environ.get("GPROFX_PROFILES") or next(
    (folder for folder in (os.path.join(ROOT, *up, "shared/data/profiles") for up in ([".."], ["..", ".."])) if os.path.isdir(folder)), "")
OURS = re.compile(r"libcupti|libnvperf|libgprofx|^cupti[A-Z]|^NVPW_|gprofx-gpu")


def report(file, *options):
    return json.loads(subprocess.run([GPROFX, "report", "--json", *options, file], stdout=subprocess.PIPE, check=True).stdout)


class Profiling:
    """Of one file."""
    WHOLE, HAS_CUPTI = ("--phase", "all"), True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gprof-x-profiling-")
        cls.file = cls.recording(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def both(self, *options):
        return report(self.file, *options), report(self.file, "--all-frames", *options)

    def own(self, names):
        return sorted(name for name in names if OURS.search(name))

    def test_it_is_what_all_frames_have_more(self):
        program, everything = self.both(*self.WHOLE)
        self.assertGreater(program["quality"]["profiling_ns"], 0)
        self.assertEqual(program["base"] + program["quality"]["profiling_ns"], everything["base"])
        for what in ("measured_ns", "accounted_ns", "lost_ns"):
            self.assertEqual(program["quality"][what], everything["quality"][what], what)

    def test_no_row_shows_it(self):
        for part in ((), self.WHOLE):
            for by in ("function", "module", "thread"):
                rows, everything = self.both("--by", by, "--limit", "1000000", *part)
                self.assertEqual(self.own(row["name"] for row in rows["rows"]), [], (by, part))
                self.assertEqual(sum(row["self"] for row in rows["rows"]), rows["base"], (by, part))
                if by == "module" and part and self.HAS_CUPTI:
                    self.assertNotEqual(self.own(row["name"] for row in everything["rows"]), [])
            tree = report(self.file, "--tree", "--limit", "1000000", *part)["rows"]
            self.assertEqual(self.own(row["name"] for row in tree), [])

    def test_the_timeline_and_stored_sums_agree(self):
        steady = report(self.file)
        if not steady["part"]:
            self.skipTest("no steady part")
        part = steady["part"]
        again = "--range", "%dns..%dns" % (part["begin_ns"], part["end_ns"] + 1)  # read from the timeline
        for options in ((), ("--all-frames",)):
            self.assertAlmostEqual(report(self.file, *again, *options)["base"], report(self.file, *options)["base"], delta=2_000_000)

    def test_no_export_has_it(self):
        program, everything = self.both(*self.WHOLE)
        for name, (reader, ending) in READERS.items():
            for options, whole in (((), program), (("--all-frames",), everything)):
                path = os.path.join(self.folder.name, "x" + ending)
                subprocess.run([GPROFX, "export", "-q", "--to", name, "--force", "-o", path, *options, self.file], check=True)
                read = reader(path)
                functions = read.functions()
                if not options:
                    self.assertEqual(self.own(name for name, ns in functions.items() if ns), [], name)
                told = read.sums()
                metric = next(metric for metric in ("cpu", "clock") if metric in told)
                self.assertAlmostEqual(told[metric], whole["base"], delta=whole["base"] / 1e4, msg=(name, options))

    def test_the_page_has_the_same(self):
        for options in ((), ("--all-frames",)):
            cpu = next(metric for metric in page_data(self.file, *options)["metrics"] if metric["name"] == "cpu")
            self.assertEqual(cpu["sum"], report(self.file, *self.WHOLE, *options)["base"])

    def test_written_again_it_is_the_same(self):
        program = report(self.file, *self.WHOLE)
        for command in ("redact", "merge"):
            path = os.path.join(self.folder.name, command + ".gprofx")
            subprocess.run([GPROFX, command, "-o", path, self.file], check=True, capture_output=True)
            again = report(path, *self.WHOLE)
            for what in ("base", "kept"):
                self.assertEqual(again[what], program[what], (command, what))
            self.assertEqual(again["quality"]["profiling_ns"], program["quality"]["profiling_ns"], command)

    def test_clocks_of_threads_are_without_it(self):
        told = report(self.file, *self.WHOLE, "--threads")
        for thread in (row for row in told["rows"] if row["kind"] == "thread"):
            self.assertAlmostEqual(thread["self"], thread["cpu_ns"], delta=thread["cpu_ns"] * 0.02 + 20_000_000, msg=thread)

    def test_comparisons_leave_it_out(self):
        run = subprocess.run([GPROFX, "diff", "--json", self.file, self.file], capture_output=True, text=True)
        rows = json.loads(run.stdout)["functions"]
        self.assertEqual(self.own(row["name"] for row in rows), [])
        self.assertGreater(len(rows), 3)


@unittest.skipUnless(PROFILES, "no real recordings")
class TwoGpus(Profiling, unittest.TestCase):
    @staticmethod
    def recording(_):
        return os.path.join(PROFILES, "ddp_2x_h100.gprofx")


@unittest.skipUnless(PROFILES, "no real recordings")
class OneGpu(Profiling, unittest.TestCase):
    @staticmethod
    def recording(_):
        return os.path.join(PROFILES, "gpt2_train_h100.gprofx")

    def test_findings_know_what_recording_took(self):
        run = subprocess.run([GPROFX, "analyze", "--json", self.file], stdout=subprocess.PIPE, check=True)
        found = json.loads(run.stdout)["findings"][0]
        self.assertLess(found["step_ns"], 0.95 * found["recorded_step_ns"])


@unittest.skipUnless(os.path.exists(workload("fake_gpu/fake_train")), "built without CUDA")
class PretendedGpu(Profiling, unittest.TestCase):
    HAS_CUPTI = False  # none that takes time

    @staticmethod
    def recording(folder):
        file = os.path.join(folder, "p.gprofx")
        env = dict(os.environ, GPROFX_CUPTI=workload("fake_gpu/libfake_cupti.so"))
        subprocess.run([GPROFX, "record", "-q", "-o", file, "--", workload("fake_gpu/fake_train"), "return"],
                       env=env, stdout=subprocess.DEVNULL, check=True)
        return file


if __name__ == "__main__":
    unittest.main()
