#!/usr/bin/env python3
"""The GPU side from the CUDA call to the report, with a pretended GPU: what is recorded, and every kind of trouble that a
real one makes."""
import os
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import COPY, FAKE, KERNELS, MS, PYTHON, TRAIN, gpu_rows, problems, record, record_python, sum_of
from launcher_support import Profile
from profile_support import GPROFX, Recording


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class GpuTest(unittest.TestCase):
    def check_kernels(self, r, whole=True):
        rows = gpu_rows(r)
        for name, ns in KERNELS.items():
            self.assertEqual(rows[name]["self"], ns, name)
        if whole:
            self.assertEqual(rows["copy host to device, pageable"]["self"], COPY)


class LittleAddressSpace(GpuTest):
    def test_a_limit_on_address_space_leaves_everything_on(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording(["bash", "-c", 'ulimit -v 2000000; exec "$0" return', TRAIN], env=env, timeout=60) as r:
            self.check_kernels(r)


class WhatIsRecorded(GpuTest):
    @classmethod
    def setUpClass(cls):
        cls.r = record("return") if os.path.exists(TRAIN) else None

    @classmethod
    def tearDownClass(cls):
        if cls.r is not None:
            cls.r.close()

    def test_gpu_time_is_exact_and_in_the_tree(self):
        self.check_kernels(self.r)
        self.assertEqual(sum_of(Profile(self.r.file), "gpu"), sum(KERNELS.values()) + COPY)

    def test_kernels_hang_below_the_functions_that_launched_them(self):
        ns = {"Forward": 0, "Backward": 0, "Replay": 0}
        for row in self.r.tree("--metric", "gpu", "--all-frames"):
            for name in ns:
                if any("::%s()" % name in up.name for up in row.path()):
                    ns[name] += row.self
        self.assertEqual(ns, {"Forward": 30 * MS, "Backward": 60 * MS, "Replay": 20 * MS})

    def test_a_kernel_of_a_graph_has_the_path_of_the_replay_and_of_the_capture(self):
        paths = [[up.name for up in row.path()] for row in self.r.tree("--metric", "gpu", "--all-frames") if row.self]
        graph = [p for p in paths if any("Replay()" in name for name in p)]
        self.assertTrue(graph)
        for path in graph:
            marker = next(i for i, name in enumerate(path) if name.startswith("[CUDA graph"))
            self.assertTrue(any("Replay()" in name for name in path[:marker]), path)
            self.assertTrue(any("Capture()" in name for name in path[marker:]), path)

    def test_every_pc_sample_is_accounted_for(self):
        taken = int(self.r.out.split()[1])
        q = Profile(self.r.file).quality
        self.assertEqual(q["gpu_pc_received"], taken)
        self.assertEqual(q["gpu_pc_exact"] + q["gpu_pc_proportional"] + q["gpu_pc_function_only"] + q["gpu_pc_unattributed"], taken)
        self.assertEqual(sum_of(Profile(self.r.file), "gpu_samples"), taken - q["gpu_pc_unattributed"])
        # 3 of 4 samples wait for memory; a reason and its twin without issue are not added.
        self.assertAlmostEqual(sum_of(Profile(self.r.file), "stall_memory") / taken, 0.75, delta=0.01)
        self.assertAlmostEqual(sum_of(Profile(self.r.file), "stall_issue") / taken, 0.25, delta=0.01)
        self.assertAlmostEqual(sum_of(Profile(self.r.file), "gpu_latency") / taken, 0.75, delta=0.01)

    def test_wall_time_is_partitioned_exactly(self):
        p = Profile(self.r.file)
        parts = dict(p.rows("SELECT name, ns FROM wall_part"))
        self.assertEqual(sum(parts.values()), int(p.meta["duration_ns"]))
        self.assertGreater(parts["idle.sync.cuStreamSynchronize"], 19 * MS)
        self.assertLessEqual(parts["gpu.compute"], sum(KERNELS.values()))
        self.assertGreater(parts["idle.native"], 400 * MS)  # what the program prepared before the first launch

    def test_launches_are_counted_and_timed(self):
        q = Profile(self.r.file).quality
        self.assertEqual(q["gpu_launches"], 27)
        self.assertEqual(q["gpu_launches_lost"], 0)
        self.assertEqual(q["gpu_unlaunched"], 0)
        self.assertGreater(q["gpu_launch_median_ns"], 0)
        self.assertGreater(q["call_memo_hits"], 10)
        self.assertEqual(q["call_truncated"], 0)

    def test_the_device_is_described(self):
        rows = Profile(self.r.file).rows("SELECT text, compute_major, multiprocessors, clock_hz FROM gpu_device JOIN string s ON s.id = name")
        self.assertEqual(rows, [("Pretended GPU", 9, 132, 1_980_000_000)])


class Python(GpuTest):
    def test_a_launch_has_its_python_line(self):
        with record_python("""
def leaf(): gpu.fake_launch(b"_Z1kv", 5000000)
def step(): leaf()
for i in range(6): step()
""") as r:
            rows = [row for row in r.tree("--metric", "gpu") if row.self]
            self.assertEqual(sum(row.self for row in rows), 30 * MS)
            for row in rows:
                names = [up.name for up in row.path()]
                self.assertLess(names.index("step"), names.index("leaf"))

    def test_a_thread_without_python_works_for_the_one_that_waits_in_autograd(self):
        # The thread that waits is known from its first CPU sample on: a program that trains has long had one.
        with record_python("""
import time
while time.process_time() < 0.3: pass
def my_step():
    WAITER(30000000)
for i in range(5): my_step()
""") as r:
            rows = [row for row in r.tree("--metric", "gpu_wait") if row.self]
            self.assertGreater(sum(row.self for row in rows), 140 * MS)
            for row in rows:
                self.assertIn("my_step", [up.name for up in row.path()])

    # Two callers whose stacks are alike next to the launch: they differ nine Python frames further out.
    ALIKE = """
def leaf(): gpu.fake_launch(b"_Z1kv", 1000)
for i in range(8):
    exec("def d%d(): %s()" % (i, "d%d" % (i - 1) if i else "leaf"))
def left(): d7()
def right(): d7()
"""

    def gpu_time_below(self, r, *names):
        sums = dict.fromkeys(names, 0)
        for row in r.tree("--metric", "gpu"):
            for up in row.path():
                if up.name in sums:
                    sums[up.name] += row.self
        return sums

    def test_callers_that_are_alike_next_to_the_launch_are_told_apart(self):
        with record_python(self.ALIKE + """
for i in range(300):
    left()
    right()
""") as r:
            self.assertEqual(self.gpu_time_below(r, "left", "right"), {"left": 300_000, "right": 300_000})
            self.assertEqual(r.counters()["call_memo_stale"], 0)

    def test_a_caller_that_comes_late_is_told_apart_soon_and_the_doubt_is_counted(self):
        with record_python(self.ALIKE + """
for i in range(300): left()
for i in range(300):
    left()
    right()
""") as r:
            below, stale = self.gpu_time_below(r, "left", "right"), r.counters()["call_memo_stale"]
            self.assertEqual(below["left"] + below["right"], 900_000)
            self.assertLessEqual(abs(below["right"] - 300_000), 1000 * stale)
            self.assertLessEqual(stale, 14)

    def test_a_late_caller_with_the_same_key_is_told_apart_whatever_the_period(self):
        # Its own frame, its instruction and the kernel are the same. A look in every eighth call could always meet the first caller.
        for before, period in ((300, 2), (301, 2), (302, 4), (303, 8)):
            with record_python("""
def leaf(): gpu.fake_launch(b"_Z1kv", 1000)
def left(): leaf()
def right(): leaf()
for i in range(%d):
    left()
    if i >= %d and i %% %d == 0: right()
""" % (before + 800, before, period - 1)) as r:
                right = sum(i % (period - 1) == 0 for i in range(before, before + 800))
                below, stale = self.gpu_time_below(r, "left", "right"), r.counters()["call_memo_stale"]
                self.assertEqual(below["left"] + below["right"], (before + 800 + right) * 1000)
                self.assertLessEqual(abs(below["right"] - right * 1000), 60_000, (before, period, stale))
                self.assertGreater(stale, 0)

    def test_callers_that_differ_behind_wrappers_are_not_looked_at_in_full(self):
        # As the two norms of a block: what tells them apart lies behind hooks and wrappers. No look can tell those of the last pair
        # but a full one.
        for wrappers, most in ((2, 0.2), (9, 0.2), (25, 0.2), (45, 1.1)):
            with record_python("""
def leaf(): gpu.fake_launch(b"_Z1kv", 1000)
def wrapped(n): leaf() if n == 0 else wrapped(n - 1)
def left(): wrapped(%d)
def right(): wrapped(%d)
for i in range(500):
    left()
    right()
""" % (wrappers, wrappers)) as r:
                self.assertEqual(self.gpu_time_below(r, "left", "right"), {"left": 500_000, "right": 500_000}, wrappers)
                q = r.counters()
                self.assertEqual(q["call_memo_stale"], 0)
                self.assertLess(q["call_memo_full"], most * 1000, wrappers)
                if most > 1:
                    self.assertGreater(q["call_memo_full"], 900)

    def test_many_callers_with_one_key_are_all_remembered(self):
        # As blocks of a network that call their layers from lines of their own.
        with record_python("""
def leaf(): gpu.fake_launch(b"_Z1kv", 1000)
exec("def lines():" + "\\n    leaf()" * 30)
for i in range(100): lines()
""") as r:
            q = r.counters()
            self.assertGreater(q["call_memo_hits"], 0.9 * 30 * 100)
            self.assertEqual(q["call_memo_pushed_out"] + q["call_memo_stale"], 0)
            rows = [row.self for row in r.tree("--metric", "gpu") if row.self]
            self.assertEqual(rows, [100_000] * 30)

    def test_nobody_is_guessed_when_no_thread_is_in_autograd(self):
        with record_python("""
def my_step(): WAITER(30000000)
my_step()
""", waiter="just_waits") as r:
            rows = [row for row in r.tree("--metric", "gpu_wait") if row.self]
            self.assertTrue(rows)
            for row in rows:
                self.assertNotIn("my_step", [up.name for up in row.path()])


class Ranks(GpuTest):
    def test_wall_time_by_process_shows_which_rank_waits(self):
        """Two processes on one GPU, each with a partition of its own time; one of them waits in its collectives."""
        rank = (PYTHON % {"fake": FAKE}) + """
import sys
libc.strdup.restype = ctypes.c_void_p  # names outlive the interpreter: the last records are read at its end
forward, reduce = [ctypes.c_char_p(libc.strdup(name)) for name in (b"_Z7forwardPf", b"_Z23ncclDevKernel_AllReducev")]
for _ in range(10):
    gpu.fake_launch(forward, int(sys.argv[1]) * 1_000_000)
    gpu.fake_launch(reduce, int(sys.argv[2]) * 1_000_000)
gpu.fake_synchronize(20_000_000)
"""
        ranks = """
import subprocess, sys
ranks = [subprocess.Popen([sys.executable, "-c", sys.argv[1], *load]) for load in (("4", "16"), ("18", "2"))]
sys.exit(max(rank.wait() for rank in ranks))
"""
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), FAKE_GPU="of ranks %d" % os.getpid())
        with Recording([sys.executable, "-c", ranks, rank], env=env, timeout=60) as r:
            lanes = r.report("--top", "1")["wall"]["lanes"]
            self.assertEqual(len(lanes), 2)
            self.assertEqual(len({lane["pid"] for lane in lanes}), 2)
            self.assertEqual([lane["gpu"] for lane in lanes], [0, 0])
            by_communication = sorted(lanes, key=lambda lane: lane["exposed_communication_ns"])
            for lane, compute, communication in zip(by_communication, (180, 40), (20, 160)):
                parts = {part["name"]: part["ns"] for part in lane["parts"]}
                self.assertEqual(sum(parts.values()), lane["end_ns"] - lane["begin_ns"])
                self.assertEqual(parts["gpu.compute"], compute * MS)
                self.assertEqual(parts["gpu.communication"], communication * MS)
                self.assertEqual(lane["exposed_communication_ns"], communication * MS)
                self.assertEqual(lane["hidden_communication_ns"], 0)
                self.assertGreaterEqual(parts.get("idle.sync.cuStreamSynchronize", 0), 15 * MS)
            text = subprocess.run([GPROFX, "report", r.file], stdout=subprocess.PIPE, text=True, env=dict(os.environ, COLUMNS="80"))
            self.assertIn("by GPU and process", text.stdout)
            table = text.stdout.split("by GPU and process")[1].split("\n\n")[0]
            for lane in lanes:  # names are cut where the screen is narrow, numbers are not
                self.assertIn(" %d  " % lane["pid"], table)
            self.assertLessEqual(max(len(line) for line in table.splitlines()), 80, table)
        with record("return") as r:
            self.assertEqual(len(r.report("--top", "1")["wall"]["lanes"]), 1)


class Ends(GpuTest):
    def test_every_end_leaves_a_whole_profile(self):
        for how, status in (("return", 0), ("destroy", 0), ("_exit", 3), ("abort", 134), ("sigkill", 137)):
            with self.subTest(how), record(how, check=False) as r:
                self.assertEqual(r.status, status)
                self.check_kernels(r)

    def test_a_fork_child_is_left_alone(self):
        with record("fork", check=False) as r:
            self.assertEqual(r.status, 5)
            self.check_kernels(r)
            self.assertNotIn("forked", problems(r))
        with record("fork", "and launch", check=False) as r:
            self.assertEqual(r.status, 5)
            self.check_kernels(r)
            self.assertIn("forked after CUDA was initialised", problems(r))

    def test_a_flush_that_hangs_does_not_hold_the_program(self):
        begin = time.monotonic()
        with record("return", FAKE_HANG="1") as r:
            self.assertLess(time.monotonic() - begin, 15)
            self.check_kernels(r)

    def test_a_program_that_never_uses_the_gpu(self):
        with record("nothing") as r:
            self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)
            self.assertEqual(Profile(r.file).quality.get("gpu_launches", 0), 0)


class Trouble(GpuTest):
    def test_pc_sampling_is_refused(self):
        for trouble, word in (("privilege", "NVreg_RestrictProfilingToAdminUsers"), ("busy", "another process or tool"),
                              ("memory", "too little free memory")):
            with self.subTest(trouble), record("return", FAKE_PC=trouble) as r:
                self.check_kernels(r)
                self.assertEqual(sum_of(Profile(r.file), "gpu_samples"), 0)
                self.assertIn(word, problems(r))
                self.assertEqual(r.err.count(word), 1)

    def test_a_gpu_that_another_recording_samples_is_only_traced(self):
        gpu = "two at once %d" % (os.getpid() % 10000)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            other.bind("\0gprof-x.instruction-samples." + gpu.encode().ljust(16, b"\0").hex())
            with record("return", FAKE_GPU=gpu) as r:
                self.check_kernels(r)
                self.assertEqual(sum_of(Profile(r.file), "gpu_samples"), 0)
                self.assertIn("another process or tool", problems(r))
        with record("return", FAKE_GPU=gpu) as r:
            self.assertGreater(sum_of(Profile(r.file), "gpu_samples"), 0)

    def test_a_full_hardware_buffer_is_recovered_from(self):
        with record("return", FAKE_PC="full") as r:
            p = Profile(r.file)
            self.check_kernels(r)
            self.assertEqual(p.quality["gpu_pc_buffer_full"], 1)
            self.assertGreater(p.quality["gpu_pc_dropped"], 0)
            self.assertGreater(sum_of(p, "gpu_samples"), 0)
            taken = int(r.out.split()[1])
            self.assertEqual(sum_of(p, "gpu_samples") + p.quality["gpu_pc_unattributed"] + p.quality["gpu_pc_dropped"], taken)

    def test_cupti_may_copy_the_name_of_a_function_that_has_none(self):
        with record("return", FAKE_PC="nameless") as r:  # strdup(nullptr), as CUPTI 13.0 does it now and then
            self.check_kernels(r)
            p = Profile(r.file)
            self.assertEqual(p.quality["gpu_pc_received"], int(r.out.split()[1]))
            self.assertGreater(sum_of(p, "gpu_samples"), 0)

    def test_memory_is_given_back_when_the_program_needs_it(self):
        with record("full_memory") as r:
            self.check_kernels(r)
            self.assertIn("needed its GPU memory", problems(r))

    def test_another_client_is_named(self):
        with record("return", FAKE_OTHER="CUPTI for Nsight") as r:
            self.assertIn("CUPTI for Nsight", problems(r))
            self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)

    def check_left_alone(self, r, kinds=0, subscribers=0):
        self.assertNotIn("the signal mask has changed", r.out)
        self.assertIn("subscribers %d, kinds %d," % (subscribers, kinds), r.out)

    def test_a_set_up_that_fails_leaves_nothing_in_cupti(self):
        for trouble in ("enable", "activity"):
            with self.subTest(trouble), record("return", FAKE_CUPTI=trouble) as r:
                self.check_left_alone(r)
                self.assertIn("CUPTI_ERROR_PRETENDED", problems(r))
                self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)
        with record("return", FAKE_OTHER="CUPTI for Nsight") as r:
            self.check_left_alone(r)
            self.assertIn("clock own", r.out)  # the other client's times stay as they are

    def test_no_thread_for_us(self):
        with record("return", FAKE_THREADS="init") as r:
            self.check_left_alone(r)
            self.assertIn("cannot create a thread", problems(r))
            self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)
        with record("return", FAKE_THREADS="exit") as r:
            self.check_left_alone(r, kinds=5, subscribers=1)
            self.check_kernels(r)

    def test_no_memory_in_our_callbacks(self):
        with record("return", FAKE_MEMORY="none") as r:
            self.check_kernels(r)
            self.assertGreater(Profile(r.file).quality["gpu_errors"], 0)

    def test_our_thread_lets_faults_through(self):
        with record("return") as r:
            self.assertIn("faults open", r.out)

    def test_a_limit_for_files(self):
        with record("return", FAKE_FILES="limited") as r:
            self.check_kernels(r)
            self.assertEqual(Profile(r.file).quality["gpu_modules_unspooled"], 1)

    def test_modes(self):
        with record("return", options=("--gpu", "trace")) as r:
            self.check_kernels(r)
            self.assertEqual(sum_of(Profile(r.file), "gpu_samples"), 0)
            self.assertEqual(Profile(r.file).quality.get("gpu_modules", 0), 0)  # CUPTI would copy and keep them
        with record("return", options=("--gpu", "off")) as r:
            self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)
        with record("return", options=("--pc-period", "14")) as r:
            self.assertEqual(Profile(r.file).meta["gpu_pc_period"], "14")
            self.assertGreater(Profile(r.file).quality["gpu_modules"], 0)

    def test_outside_of_the_sampling_window_nothing_is_recorded(self):
        with record("return", options=("--delay", "30")) as r:
            self.assertEqual(sum_of(Profile(r.file), "gpu"), 0)


class Helper(GpuTest):
    """gprofx-foreign: what gprof-x, being static, cannot ask itself."""

    def ask(self, *question):
        program = os.path.join(os.path.dirname(os.path.dirname(GPROFX)), "lib", "gprof-x", "gprofx-foreign")
        return subprocess.run([program, *question], capture_output=True, text=True, timeout=30)

    def test_it_names_the_first_cupti_that_loads_and_its_version(self):
        fake = os.path.join(FAKE, "libfake_cupti.so")
        run = self.ask("cupti", "/nonexistent/libcupti.so", fake, "/another")
        self.assertEqual(run.returncode, 0)
        path, version = run.stdout.splitlines()
        self.assertEqual(path, fake)
        self.assertGreaterEqual(int(version), 22)
        self.assertEqual(self.ask("cupti", "/nonexistent/libcupti.so").returncode, 1)

    def test_it_says_why_there_is_no_debug_file(self):
        run = self.ask("debuginfod", "00112233445566778899")
        self.assertEqual(run.returncode, 1)
        self.assertTrue(run.stdout.strip())


if __name__ == "__main__":
    unittest.main()
