#!/usr/bin/env python3
"""Ranges that programs name by NVTX become markers of the profile: in C++ by the headers of the toolkit, in Python by the package nvtx.

GPROFX_NVTX_PYTHON names an interpreter with the package; without it the one that runs this is asked."""
import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import read_profile
from profile_support import GPROFX, WORKLOADS, Recording, judged_by_time, workload

RANGES = workload("nvtx_ranges")
FAKE = os.path.join(WORKLOADS, "fake_gpu")
MARKERS = 10
MS = 1_000_000
Marker = collections.namedtuple("Marker", "start duration tid process name domain")

STEPS = """
import ctypes, sys, time
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
nvtx = ctypes.CDLL(%(calls)r)
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.fake_synchronize.argtypes = [ctypes.c_uint64]
cuda.cuInit(0)
gpu.fake_create_context()
for i in range(25):
    nvtx.range_push((sys.argv[1] %% i).encode())
    for name in (b"_Z4gemmPf", b"_Z4reluPf", b"_Z4adamPf")[i %% 3:]:  # no two steps alike
        nvtx.range_push(b"inside")
        gpu.fake_launch(name, 100000)
        nvtx.range_pop()
    gpu.fake_synchronize(100000)
    nvtx.range_pop()
"""

MANY = """
import ctypes, time
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
nvtx = ctypes.CDLL(%(calls)r)
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
cuda.cuInit(0)
gpu.fake_create_context()
steps = inside = 0
end = time.monotonic() + 5
while time.monotonic() < end:
    nvtx.range_push(b"step")
    for i in range(100):
        nvtx.range_push(b"inside")
        gpu.fake_launch(b"_Z4gemmPf", 21000)
        nvtx.range_pop()
    nvtx.range_pop()
    steps += 1
    inside += 100
print(steps, inside)
"""

ANNOTATE = """
import nvtx, threading, time
@nvtx.annotate("decorated", color="blue")
def decorated():
    time.sleep(0.02)
def worker():
    with nvtx.annotate("in a thread", domain="my domain"):
        decorated()
thread = threading.Thread(target=worker)
thread.start()
for i in range(5):
    with nvtx.annotate("step %d" % i):
        time.sleep(0.01)
nvtx.mark("moment")
thread.join()
started = nvtx.start_range("started")
time.sleep(0.01)
nvtx.end_range(started)
print("done")
"""


def markers(recording):
    """All of a profile, in order of their starts."""
    db = sqlite3.connect(recording.file)
    db.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
    texts = dict(db.execute("SELECT id, text FROM string"))
    threads = {i: (tid, process) for i, tid, process in db.execute("SELECT id, tid, process FROM thread")}
    found = []
    for _, _, columns in read_profile.read_stream(db, MARKERS):
        for start, duration, thread, name, domain in zip(*(columns[i] for i in range(1, 6))):
            found.append(Marker(start, duration, *threads[thread], texts.get(name, ""), texts.get(domain, "")))
    return sorted(found)


def lost(recording):
    """What the profile says of its markers; {} where the program had none."""
    db = sqlite3.connect(recording.file)
    return {name[len("markers"):].lstrip("_"): value
            for name, value in db.execute("SELECT name, value FROM quality WHERE name LIKE 'markers%'")}


def without(*names):
    return {name: value for name, value in os.environ.items() if name not in names}


@unittest.skipUnless(os.path.exists(RANGES), "built without the headers of NVTX")
class Ranges(unittest.TestCase):
    def test_all_kinds_of_ranges_with_their_names_times_and_threads(self):
        plain = subprocess.run([RANGES, "all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with Recording([RANGES, "all"]) as r:
            self.assertEqual((r.status, r.out, r.err), (0, plain.stdout, plain.stderr))
            rows = {m.name: m for m in markers(r)}
            self.assertEqual(set(rows), {
                "outer", "inner \u00e9\u4e2d", "moment", "default", "registered", "one", "two", "of a thread", "x" * 256,
                "bad \\xff\\xfe utf", "", "never ends", "never ends either", "level"})
            # Working waits for time that passes: durations are at least these.
            for name, least in (("outer", 30), ("inner \u00e9\u4e2d", 10), ("default", 10), ("registered", 20), ("one", 10),
                                ("two", 20), ("of a thread", 10)):
                self.assertGreaterEqual(rows[name].duration, least * MS, name)
                self.assertLess(rows[name].duration, 10_000 * MS, name)
            self.assertEqual(rows["moment"].duration, 0)
            ends = {m.name: m.start + m.duration for m in rows.values()}
            self.assertLessEqual(rows["outer"].start + 20 * MS, rows["inner \u00e9\u4e2d"].start)
            self.assertLessEqual(ends["inner \u00e9\u4e2d"], ends["outer"])
            self.assertLess(ends["default"], ends["registered"])
            self.assertEqual({m.name for m in rows.values() if m.domain == "my domain"}, {"registered", "two"})
            self.assertEqual({m.domain for m in rows.values()}, {"", "my domain"})
            tids = {m.tid for m in rows.values() if m.name != "of a thread"}
            self.assertEqual(len(tids), 1)
            self.assertNotIn(rows["of a thread"].tid, tids)
            self.assertEqual(lost(r), {"": 14, "dropped": 0, "left_out": 0, "unmatched": 1, "open": 3, "without_thread": 0, "bad": 0})
            read_profile.main(r.file)

    def test_a_program_without_ranges_has_none(self):
        with Recording([RANGES, "silent"]) as r:
            self.assertEqual((markers(r), lost(r)), ([], {}))

    def test_without_the_gpu_and_without_a_timeline(self):
        with Recording([RANGES, "all"], ["--gpu", "off"]) as r:
            self.assertEqual(len(markers(r)), 14)
        with Recording([RANGES, "all"], ["--timeline", "no"]) as r:
            self.assertEqual((markers(r), lost(r)[""]), ([], 14))

    def test_a_fork_child_has_markers_of_its_own(self):
        with Recording([RANGES, "fork"]) as r:
            rows = {m.name: m for m in markers(r)}
            self.assertEqual(set(rows), {"parent", "child", "after"})
            self.assertNotEqual(rows["parent"].process, rows["child"].process)
            self.assertNotEqual(rows["parent"].tid, rows["child"].tid)
            self.assertEqual(rows["parent"].tid, rows["after"].tid)
            self.assertGreaterEqual(rows["parent"].duration, rows["child"].duration)
            self.assertEqual(lost(r)["open"] + lost(r)["unmatched"], 0)
        with Recording([RANGES, "fork"], ["--children", "no"]) as r:
            self.assertEqual({m.name for m in markers(r)}, {"parent", "after"})

    def test_a_flood_is_counted_and_the_program_not_held_up(self):
        with Recording([RANGES, "flood"], timeout=300) as r:
            self.assertEqual(r.out, "done\n")
            counts = lost(r)
            rows = markers(r)
            self.assertEqual(len(rows), counts[""])
            self.assertGreater(len(rows), 10_000)
            self.assertEqual(set(m.name for m in rows), {"even", "odd", "inside"})
            # Each of the 8 million records is in a range, or counted.
            self.assertEqual(2 * counts[""] - counts["open"] + counts["unmatched"] + counts["dropped"], 8_000_000)
            self.assertEqual((counts["bad"], counts["without_thread"]), (0, 0))

    def test_the_users_own_library_stays(self):
        program = ["sh", "-c", "echo $NVTX_INJECTION64_PATH; exec %s all" % RANGES]
        env = dict(os.environ, NVTX_INJECTION64_PATH="/none/other.so")
        with Recording(program, env=env) as r:
            self.assertEqual(r.out, "/none/other.so\n-2\n")
            self.assertEqual(markers(r), [])
            self.assertIn("NVTX_INJECTION64_PATH is '/none/other.so'", r.err)
            self.assertEqual(r.err.count("\n"), 1)
        with Recording(program, env=dict(env, NVTX_INJECTION64_PATH="")) as r:  # off, and nothing to say
            self.assertEqual((r.out, r.err, markers(r)), ("\n-2\n", "", []))

    def test_without_a_recording_the_library_does_nothing(self):
        library = os.path.join(os.path.dirname(os.path.dirname(GPROFX)), "lib", "gprof-x", "libgprofx-nvtx.so")
        env = dict(without("GPROFX_SESSION", "LD_PRELOAD"), NVTX_INJECTION64_PATH=library)
        self.assertTrue(os.path.exists(library))
        run = subprocess.run([RANGES, "all"], env=env, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "-2\n", ""))

    @unittest.skipUnless(os.path.exists(os.path.join(FAKE, "libfake_cupti.so")), "built without CUDA headers")
    @judged_by_time
    def test_of_too_many_ranges_a_part_is_recorded_under_a_budget_and_all_are_counted(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        text = MANY % {"fake": FAKE, "calls": os.path.join(WORKLOADS, "nvtx_calls.so")}
        with Recording([sys.executable, "-c", text], ["--overhead", "none", "--duration", "1"], env=env, timeout=60) as r:
            self.assertEqual(lost(r)["left_out"], 0)  # the recording was over
        for options, some in (([], True), (["--overhead", "none"], False)):
            with Recording([sys.executable, "-c", text], options, env=env, timeout=60) as r:
                steps, inside = (int(word) for word in r.out.split())
                names = collections.Counter(m.name for m in markers(r))
                counts = lost(r)
                self.assertEqual(names["step"], steps)  # few, though in the same domain
                self.assertEqual(names["inside"] + counts["left_out"], inside)
                self.assertEqual((counts["dropped"], counts["unmatched"], counts["open"]), (0, 0, 0))
                self.assertEqual(counts["left_out"] > inside / 10, some)
                head = subprocess.run([GPROFX, "report", r.file], stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertEqual("of the program's own ranges" in " ".join(head.split()), some)

    @unittest.skipUnless(os.path.exists(os.path.join(FAKE, "libfake_cupti.so")), "built without CUDA headers")
    def test_numbered_ranges_are_the_steps_of_a_report(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        text = STEPS % {"fake": FAKE, "calls": os.path.join(WORKLOADS, "nvtx_calls.so")}
        for name in ("ProfilerStep#%d", "step %d"):
            with Recording([sys.executable, "-c", text, name], env=env) as r:
                run = subprocess.run([GPROFX, "report", "--json", r.file], stdout=subprocess.PIPE, text=True, check=True)
                steps = json.loads(run.stdout)["steps"]
                self.assertIsNotNone(steps, name)
                self.assertEqual((steps["count"], steps["source"]), (25, "markers"))
                self.assertEqual([m.name for m in markers(r) if m.name != "inside"], [name % i for i in range(25)])
                told = json.loads(subprocess.run([GPROFX, "report", "--json", "--markers", "--phase", "all", r.file], stdout=subprocess.PIPE,
                                                 check=True).stdout)
                rows = {row["name"]: row for row in told["markers"]["rows"]}
                steps = next(row for own, row in rows.items() if own.endswith("*"))  # 25 names are one row
                self.assertEqual((steps["count"], steps["total_ns"]), (25, sum(m.duration for m in markers(r) if m.name != "inside")))
                self.assertEqual(rows["inside"]["total_ns"], sum(m.duration for m in markers(r) if m.name == "inside"))
                self.assertEqual(steps["gpu_operations"], told["gpu"]["operations"])
                self.assertEqual(rows["inside"]["gpu_ns"], told["gpu"]["time_ns"])


class PythonPackage(unittest.TestCase):
    def test_annotations(self):
        python = os.environ.get("GPROFX_NVTX_PYTHON", sys.executable)
        if subprocess.run([python, "-c", "import nvtx"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("the package nvtx is not installed for %s" % python)
        with tempfile.TemporaryDirectory() as folder:
            with Recording([python, "-c", ANNOTATE], env=dict(os.environ, TMPDIR=folder)) as r:
                self.assertEqual((r.out, r.err), ("done\n", ""))
                rows = markers(r)
                names = [m.name for m in rows]
                self.assertEqual(sorted(names), ["decorated", "in a thread", "moment", "started"] + ["step %d" % i for i in range(5)])
                by_name = {m.name: m for m in rows}
                self.assertEqual(by_name["in a thread"].domain, "my domain")
                self.assertEqual(by_name["in a thread"].tid, by_name["decorated"].tid)
                self.assertNotEqual(by_name["in a thread"].tid, by_name["step 0"].tid)
                for name, least in (("decorated", 20), ("in a thread", 20), ("step 3", 10), ("started", 10), ("moment", 0)):
                    self.assertGreaterEqual(by_name[name].duration, least * MS)
                self.assertEqual(lost(r), {"": 9, "dropped": 0, "left_out": 0, "unmatched": 0, "open": 0, "without_thread": 0, "bad": 0})


if __name__ == "__main__":
    unittest.main(verbosity=2)
