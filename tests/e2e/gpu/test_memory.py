#!/usr/bin/env python3
"""GPU memory by call path: each block of a framework's allocator, seen between its two libraries without a change to either.

The libraries are pretended (tests/workloads/fake_torch), loaded as Python loads PyTorch's: RTLD_LOCAL, out of sight of dlsym."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, PYTHON, record_python
from launcher_support import Profile
from profile_support import GPROFX, WORKLOADS, Recording

TORCH = os.path.join(WORKLOADS, "fake_torch")
MEMORY = ("--memory", "yes")

ALLOCATOR = """
import ctypes, os, sys, threading
c10 = ctypes.CDLL(%(torch)r + "/libc10.so", mode=os.RTLD_LOCAL | os.RTLD_NOW)
torch = ctypes.CDLL(%(torch)r + "/libc10_cuda.so", mode=os.RTLD_LOCAL | os.RTLD_NOW)
for f in (torch.c10_allocate, torch.c10_peak, torch.c10_allocated, torch.c10_reserved, torch.c10_count):
    f.restype = ctypes.c_uint64
c10.c10_calls.restype = ctypes.c_char_p
def alloc(size, device=0, old=0):
    return torch.c10_allocate(ctypes.c_uint64(size), device, old)
def free(address, device=0, old=0):
    torch.c10_free(ctypes.c_uint64(address), device, old)
def say():
    print(*(int(f(d)) for d in (0, 1) for f in (torch.c10_peak, torch.c10_allocated, torch.c10_reserved, torch.c10_count)))
    sys.stdout.flush()
"""

LAYERS = ALLOCATOR + """
c10.c10_log(1)
def weights():
    return [alloc(100_000) for i in range(10)]
def activations(n):
    return [alloc(1000 * (i %% 7 + 1)) for i in range(n)]
def step(n):
    kept = activations(n)
    for a in kept[::-1]:
        free(a)
w = weights()
for n in (10, 50, 40, 20):
    step(n)
c10.c10_allocate_on_host(ctypes.c_uint64(1 << 40))
free(w.pop())
alloc(7777, 1)
say()
print(c10.c10_calls().decode(), end="")
"""


def run(text, *options, env=None, timeout=120):
    return Recording([sys.executable, "-c", text % {"torch": TORCH}], options, env=env, timeout=timeout)


def total(profile, metric):
    return profile.rows("SELECT coalesce(sum(self), 0) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = '%s'" % metric)[0][0]


def tree(r, metric):
    """Self by the names of the functions on the way."""
    found = {}
    for row in r.tree("--metric", metric, "--all-frames"):
        if row.self:
            names = tuple(up.name.rpartition(".")[2] for up in row.path())
            found[names] = found.get(names, 0) + row.self
    return found


@unittest.skipUnless(os.path.exists(os.path.join(TORCH, "libc10_cuda.so")), "built without the pretended PyTorch")
class Blocks(unittest.TestCase):
    def test_peaks_and_live_bytes_are_exact_and_calls_are_passed_on(self):
        plain = subprocess.run([sys.executable, "-c", LAYERS % {"torch": TORCH}], stdout=subprocess.PIPE, text=True, check=True).stdout
        with run(LAYERS, *MEMORY) as r:
            self.assertEqual(r.out, plain)  # the real function got the same arguments, in the same order
            self.assertEqual(r.err, "")
            said = [int(x) for x in plain.splitlines()[0].split()]
            peak, allocated, reserved, count = said[:4]
            profile = Profile(r.file)
            self.assertEqual(total(profile, "gpu_memory"), peak + 8192)
            self.assertEqual(total(profile, "gpu_allocations"), count + 1)
            q = profile.quality
            self.assertEqual(q["gpu_memory_events"], count + 1 + count - 9)
            self.assertNotIn("gpu_memory_dropped", q)
            self.assertNotIn("gpu_memory_unmatched", q)
            by_path = tree(r, "gpu_memory")
            self.assertEqual(sum(v for k, v in by_path.items() if "weights" in k), 10 * 100_352)
            self.assertEqual(sum(v for k, v in by_path.items() if "activations" in k), peak - 10 * 100_352)
            self.assertTrue(all("step" in k for k in by_path if "activations" in k), by_path)
            for path in by_path:  # nothing of ours, nor of the report, is a part of a call path
                self.assertEqual(path[-1], "c10_allocate")
            view = r.report("--memory")["memory"]
            rows = {row["gpu"]: row for row in view["allocators"]}
            self.assertEqual(rows[0]["peak_bytes"], peak)
            self.assertEqual(rows[0]["end_bytes"], allocated)
            self.assertEqual(rows[0]["most_reserved_bytes"], reserved)
            self.assertEqual(rows[0]["never_freed_bytes"], allocated)
            self.assertEqual(max(rows[0]["live"]), peak)
            self.assertEqual((rows[0]["allocations"], rows[0]["unknown_at_peak_bytes"]), (count, 0))
            self.assertEqual(rows[1]["peak_bytes"], 8192)
            self.assertEqual(view["at_peaks_bytes"], peak + 8192)
            self.assertEqual(sum(row["at_peak_bytes"] for row in view["rows"]), peak + 8192)

    def test_without_the_option_nothing_of_it_is_there(self):
        with run(LAYERS + "print(os.environ['LD_PRELOAD'], 'libgprofx-memory' in open('/proc/self/maps').read())") as r:
            self.assertTrue(r.out.splitlines()[-1].endswith("/libgprofx-agent.so False"))
            self.assertEqual(total(Profile(r.file), "gpu_memory"), 0)

    def test_the_function_of_old_versions(self):
        text = ALLOCATOR + """
c10.c10_log(1)
a = [alloc(512, 0, 1) for i in range(8)]
for x in a[:4]: free(x, 0, 1)
b = alloc(1024, 0, 1)
say()
print(c10.c10_calls().decode(), end="")
"""
        plain = subprocess.run([sys.executable, "-c", text % {"torch": TORCH}], stdout=subprocess.PIPE, text=True, check=True).stdout
        with run(text, *MEMORY) as r:
            self.assertEqual(r.out, plain)
            self.assertEqual(total(Profile(r.file), "gpu_memory"), 8 * 512)

    def test_many_threads_at_once(self):
        text = ALLOCATOR + """
def work():
    for i in range(20):
        torch.c10_churn(ctypes.c_uint64(50), 0)
        kept = alloc(512)
        free(kept)
threads = [threading.Thread(target=work) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
hold = alloc(100 * 512)
say()
"""
        with run(text, *MEMORY) as r:
            peak, allocated, reserved, count = [int(x) for x in r.out.split()[:4]]
            profile = Profile(r.file)
            self.assertEqual(total(profile, "gpu_memory"), peak)
            self.assertEqual(total(profile, "gpu_allocations"), count)
            self.assertEqual(profile.quality["gpu_memory_events"], 2 * count - 1)
            self.assertNotIn("gpu_memory_unmatched", profile.quality)

    def test_fork_children_have_memory_of_their_own(self):
        text = ALLOCATOR + """
def before():
    return alloc(1 << 20)
def in_child():
    return [alloc(4096) for i in range(3)]
before()
pid = os.fork()
if pid == 0:
    in_child()
    os._exit(0)
os.waitpid(pid, 0)
before()
say()
"""
        with run(text, *MEMORY) as r:
            by_path = tree(r, "gpu_memory")
            self.assertEqual(sum(v for k, v in by_path.items() if "in_child" in k), 3 * 4096)
            self.assertEqual(sum(v for k, v in by_path.items() if "before" in k), 2 << 20)
            # What the child has of its parent is live there, and no event says who allocated it.
            profile = Profile(r.file)
            self.assertEqual(total(profile, "gpu_memory"), (2 << 20) + 3 * 4096 + (1 << 20))

    def test_allocations_in_a_fork_child_while_a_thread_allocates(self):
        text = ALLOCATOR + """
stop = False
def churn():
    while not stop: torch.c10_churn(ctypes.c_uint64(100), 1)
t = threading.Thread(target=churn); t.start()
for i in range(20):
    pid = os.fork()
    if pid == 0:
        for k in range(10): free(alloc(2048))
        os._exit(7)
    assert os.waitpid(pid, 0)[1] == 7 << 8
stop = True
t.join()
print("done")
"""
        with run(text, *MEMORY) as r:
            self.assertEqual(r.out, "done\n")

    def test_programs_that_are_started_have_it_too(self):
        text = ALLOCATOR + """
import subprocess
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""
        child = LAYERS % {"torch": TORCH}
        with Recording([sys.executable, "-c", text % {"torch": TORCH}, child], MEMORY) as r:
            peak = int(r.out.split()[0])
            self.assertEqual(total(Profile(r.file), "gpu_memory"), peak + 8192)

    def test_a_program_for_another_loader_gets_neither_library(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "p.c"), "w") as file:
                file.write("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n")
            program = os.path.join(folder, "p")
            if subprocess.run(["gcc", "-m32", "-o", program, file.name], stderr=subprocess.DEVNULL).returncode:
                self.skipTest("no compiler for 32 bits here")
            with Recording(["sh", "-c", "%s; echo ok" % program], MEMORY) as r:
                self.assertEqual((r.out, r.err), ("hello\nok\n", ""))


DRIVER = """
for f in (gpu.fake_allocate, gpu.fake_create): f.restype = ctypes.c_uint64
size, address = ctypes.c_uint64, ctypes.c_uint64
def take(n, pool=0):
    return gpu.fake_allocate(size(n), pool)
def give(a, pool=0):
    gpu.fake_free(address(a), pool)
"""


@unittest.skipUnless(os.path.exists(os.path.join(FAKE, "libfake_cupti.so")), "built without CUDA headers")
class Driver(unittest.TestCase):
    """Without --memory: allocations of the driver are rare, and always there."""

    def recorded(self, body):
        r = record_python(DRIVER + body)
        view = r.report("--memory")["memory"]
        self.addCleanup(r.close)
        self.assertEqual(len(view["allocators"]), 1)
        return r, view["allocators"][0]

    def test_live_bytes_of_all_kinds_of_calls(self):
        r, row = self.recorded("""
def early():
    return take(1000)
def late():
    return take(700, 1)
a = early(); b = take(2000); c = late()
give(b); give(c, 1); give(0)
gpu.fake_allocate_too_much()
d = take(5)
""")
        self.assertEqual((row["allocator"], row["peak_bytes"], row["end_bytes"]), ("driver", 3700, 1005))
        self.assertEqual((row["most_in_pools_bytes"], row["allocations"], row["frees"]), (700, 4, 2))
        self.assertEqual((row["never_freed"], row["never_freed_bytes"], row["unmatched_frees"]), (2, 1005, 0))
        by_path = tree(r, "gpu_memory")
        self.assertEqual(sum(v for k, v in by_path.items() if "early" in k), 1000)
        self.assertEqual(sum(v for k, v in by_path.items() if "late" in k), 700)
        self.assertEqual(sum(by_path.values()), 3700)
        self.assertEqual(sum(tree(r, "gpu_allocated").values()), 3705)

    def test_what_each_step_leaves_behind_grows_and_what_the_next_one_takes_back_does_not(self):
        loop = """
import time
def forward():
    gpu.fake_launch(b"gemm", 100000)
def backward():
    gpu.fake_launch(b"gemm_back", 200000)
def update():
    gpu.fake_launch(b"adam", 50000)
kept = take(1 << 20)
for i in range(30):
    work = take(1 << 16)
    forward(); backward()
    value = take(4096)
    %s
    update()
    give(work)
    time.sleep(0.002)
"""
        r, row = self.recorded(loop % "give(kept); kept = value")
        view = r.report("--memory")["memory"]
        self.assertEqual([line["grows_bytes_per_step"] for line in view["rows"]], [0])
        r, row = self.recorded(loop % "pass")
        steps = Profile(r.file).rows("SELECT count(*) FROM step")[0][0]
        self.assertGreaterEqual(steps, 10)
        view = r.report("--memory")["memory"]
        self.assertEqual([(line["name"], line["grows_bytes_per_step"]) for line in view["rows"]], [("take", 4096)])
        text = subprocess.run([GPROFX, "report", "--memory", "--phase", "all", r.file], stdout=subprocess.PIPE, text=True, check=True,
                              env=dict(os.environ, COLUMNS="200")).stdout
        self.assertIn("grows by 4.10 kB a step: take <string>:", text)
        self.assertIn("of %d of %d steps are live at the end" % (steps, steps), text)

    def test_physical_memory_lives_as_long_as_its_mappings(self):
        r, row = self.recorded("""
h = gpu.fake_create(size(1 << 21), 1)
gpu.fake_create(size(1 << 30), 0)  # of the host
gpu.fake_map(address(0x1000000), size(1 << 21), address(h))
gpu.fake_release(address(h))       # stays: it is mapped
k = gpu.fake_create(size(1 << 20), 1)
gpu.fake_release(address(k))       # goes
gpu.fake_unmap(address(0x1000000), size(1 << 21))
last = gpu.fake_create(size(1 << 19), 1)
""")
        self.assertEqual((row["peak_bytes"], row["end_bytes"]), (3 << 20, 1 << 19))
        self.assertEqual((row["allocations"], row["frees"]), (3, 2))

    def test_a_framework_is_what_is_shown_and_the_driver_is_told_beside_it(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        text = PYTHON % {"fake": FAKE} + DRIVER + ALLOCATOR % {"torch": TORCH} + """
segment = take(1 << 21)
block = alloc(1000)
"""
        with Recording([sys.executable, "-c", text], MEMORY, env=env) as r:
            view = r.report("--memory")["memory"]
            rows = {row["allocator"]: row for row in view["allocators"]}
            self.assertEqual((rows["framework"]["peak_bytes"], rows["framework"]["lines"]), (1024, True))
            self.assertEqual((rows["driver"]["peak_bytes"], rows["driver"]["lines"]), (1 << 21, False))
            self.assertEqual(rows["driver"]["gpu"], rows["framework"]["gpu"])
            self.assertEqual(total(Profile(r.file), "gpu_memory"), 1024)


class Faces(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(TORCH, "libc10_cuda.so")), "built without the pretended PyTorch")
    def test_behind_the_duration_nothing_is_followed(self):
        text = ALLOCATOR + "import time\nkept = [alloc(1024) for i in range(5)]\ntime.sleep(4)\nfor a in kept: free(a)\nalloc(1 << 20)\n"
        with run(text, *MEMORY, "--duration", "2") as r:
            view = r.report("--memory")["memory"]
            rows = [row for row in view["allocators"] if row["allocator"] == "framework"]
            self.assertEqual([(row["peak_bytes"], row["end_bytes"]) for row in rows], [(5120, 5120)])

    def test_text_fits_the_screen_and_names_the_lines(self):
        with run(LAYERS, *MEMORY) as r, run(LAYERS, *MEMORY) as second:
            for columns in (80, 120):
                text = subprocess.run([GPROFX, "report", "--memory", "--phase", "all", r.file], stdout=subprocess.PIPE, text=True,
                                      check=True, env=dict(os.environ, COLUMNS=str(columns))).stdout
                self.assertLessEqual(max(map(len, text.splitlines())), columns)
                for word in ("framework", "1.21 MB", "2.10 MB", "alloc", "^", "held"):
                    self.assertIn(word, text)
            redacted = subprocess.run([GPROFX, "redact", "-o", r.file + ".r", r.file], stdout=subprocess.PIPE, text=True)
            self.assertEqual(redacted.returncode, 0)
            views = [json.loads(subprocess.run([GPROFX, "report", "--memory", "--json", *files], stdout=subprocess.PIPE, check=True).stdout)
                     for files in ([r.file], [r.file + ".r"], [r.file, second.file])]
            peaks = [[a["peak_bytes"] for a in view["memory"]["allocators"]] for view in views]
            self.assertEqual(peaks[0], peaks[1])
            self.assertEqual(sorted(peaks[0] * 2), sorted(peaks[2]))  # of two files each has its own
            self.assertNotIn("weights", json.dumps(views[1]))

    def test_a_profile_without_memory_says_how_to_get_one(self):
        with Recording([sys.executable, "-c", "pass"]) as r:
            run = subprocess.run([GPROFX, "report", "--memory", r.file], stdout=subprocess.PIPE, text=True, check=True)
            self.assertIn("record --memory yes", run.stdout)
            view = r.report("--memory")
            self.assertEqual((view["schema"], view["memory"]["allocators"]), ("gprof-x.report.memory/1", []))

    def test_wrong_words_are_refused(self):
        run = subprocess.run([GPROFX, "record", "--memory", "maybe", "true"], stderr=subprocess.PIPE, text=True)
        self.assertEqual((run.returncode, run.stderr), (125, "gprof-x record: option '--memory' needs yes or no, not 'maybe' [GX-0102]\n"))
        run = subprocess.run([GPROFX, "report", "--memory", "--tree", "x"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 2)


BERT = os.path.join(os.environ.get("GPROFX_SHARED", ""), "traces/kineto_tracelens/h100__gaunernst_bert-small-uncased__1016001.json.gz")


@unittest.skipUnless(os.path.exists(BERT), "no traces in GPROFX_SHARED")
class Imported(unittest.TestCase):
    """The [memory] events of a trace of PyTorch's profiler."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "p.gprofx")
        subprocess.run([GPROFX, "import", BERT, "-o", self.file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with gzip.open(BERT) as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("name") == "[memory]" and e["args"]["Device Type"] == 1]
        self.events = [e["args"] for e in sorted(events, key=lambda e: e["ts"])]

    def ask(self, *options):
        return json.loads(subprocess.run([GPROFX, *options, self.file], stdout=subprocess.PIPE, check=True).stdout)

    def test_peaks_are_those_that_the_trace_tells(self):
        view = self.ask("report", "--memory", "--json", "--phase", "all")["memory"]
        row = view["allocators"][0]
        first = self.events[0]
        before = first["Total Allocated"] - first["Bytes"]
        self.assertEqual(row["peak_bytes"], max([before] + [e["Total Allocated"] for e in self.events]))
        self.assertEqual(row["end_bytes"], self.events[-1]["Total Allocated"])
        self.assertEqual(row["most_reserved_bytes"], max(e["Total Reserved"] for e in self.events))
        self.assertEqual(row["allocated_bytes"], sum(e["Bytes"] for e in self.events if e["Bytes"] > 0))
        self.assertEqual(row["freed_bytes"], -sum(e["Bytes"] for e in self.events if e["Bytes"] < 0))
        self.assertEqual(row["unknown_at_peak_bytes"], before)
        self.assertEqual((row["live"][0], max(row["live"])), (before, row["peak_bytes"]))
        self.assertEqual(total(Profile(self.file), "gpu_memory"), row["peak_bytes"])

    def test_layers_have_all_of_it(self):
        names = {a["name"]: a for a in self.ask("analyze", "A2", "A4", "A7", "--json", "--phase", "all")["analyses"]}
        allocated = sum(e["Bytes"] for e in self.events if e["Bytes"] > 0)
        steps = max(1, (self.ask("report", "--json", "--phase", "all")["steps"] or {}).get("count", 1))

        def column(analysis, name):
            return [row[name] for row in analysis["rows"]]
        for name in ("A4", "A7"):
            rows = column(names[name], "allocated_bytes")
            self.assertAlmostEqual(sum(rows) * steps, allocated, delta=len(rows) * steps)
        self.assertGreater(len([b for b in column(names["A4"], "allocated_bytes") if b]), 5)
        self.assertEqual(column(names["A2"], "allocated_bytes"), column(names["A4"], "allocated_bytes")[:-1])
        peak = max(e["Total Allocated"] for e in self.events)
        self.assertEqual(max(b for b in column(names["A4"], "peak_bytes") if b is not None), peak)


if __name__ == "__main__":
    unittest.main(verbosity=2)
