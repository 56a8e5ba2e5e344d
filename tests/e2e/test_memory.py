#!/usr/bin/env python3
"""GPU memory by call path: each block of a framework's allocator, seen between its two libraries without a change to either.

The libraries are pretended (tests/workloads/fake_torch), loaded as Python loads PyTorch's: RTLD_LOCAL, out of sight of dlsym."""
import json
import os
import subprocess
import sys
import unittest

from launcher_support import Profile
from profile_support import GPROFX, WORKLOADS, Recording

TORCH = os.path.join(WORKLOADS, "fake_torch")
MEMORY = ("--memory", "yes")

ALLOCATOR = """
import ctypes, os, sys, threading
c10 = ctypes.CDLL(%(torch)r + "/libc10.so", mode=os.RTLD_LOCAL | os.RTLD_NOW)
cuda = ctypes.CDLL(%(torch)r + "/libc10_cuda.so", mode=os.RTLD_LOCAL | os.RTLD_NOW)
for f in (cuda.c10_allocate, cuda.c10_peak, cuda.c10_allocated, cuda.c10_reserved, cuda.c10_count):
    f.restype = ctypes.c_uint64
c10.c10_calls.restype = ctypes.c_char_p
def alloc(size, device=0, old=0):
    return cuda.c10_allocate(ctypes.c_uint64(size), device, old)
def free(address, device=0, old=0):
    cuda.c10_free(ctypes.c_uint64(address), device, old)
def say():
    print(*(int(f(d)) for d in (0, 1) for f in (cuda.c10_peak, cuda.c10_allocated, cuda.c10_reserved, cuda.c10_count)))
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


def values(profile, metric):
    """Bytes by the names of the functions on the way to the node."""
    rows = profile.rows("SELECT v.node, sum(v.self) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = '%s' GROUP BY v.node" % metric)
    return {tuple(profile.path(node)): value for node, value in rows}


def total(profile, metric):
    return profile.rows("SELECT coalesce(sum(self), 0) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = '%s'" % metric)[0][0]


def tree(r, metric):
    """Self by the names of the Python functions on the way."""
    found = {}
    for row in r.tree("--metric", metric, "--all-frames"):
        if row.self:
            names = tuple(up.name for up in row.path() if getattr(up, "kind", "") == "python")
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

    def test_without_the_option_nothing_of_it_is_there(self):
        with run(LAYERS + "print(os.environ['LD_PRELOAD'], 'libgprofx-memory' in open('/proc/self/maps').read())") as r:
            self.assertIn("False", r.out.splitlines()[-1])
            self.assertNotIn("memory", r.out.splitlines()[-1])
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
        cuda.c10_churn(ctypes.c_uint64(50), 0)
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
    while not stop: cuda.c10_churn(ctypes.c_uint64(100), 1)
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
        if not os.path.exists("/lib/ld-musl-x86_64.so.1") and subprocess.run(["which", "busybox"], stdout=subprocess.DEVNULL).returncode:
            self.skipTest("no static program here")
        with Recording(["sh", "-c", "busybox true; echo ok"], MEMORY) as r:
            self.assertEqual((r.out, r.err), ("ok\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
