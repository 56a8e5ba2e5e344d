"""Python frames on every interpreter that is there: order against native frames, completeness, names and lines.

Version matrix: CPython 3.8 to 3.15, as far as GPROFX_PYTHONS, pyenv, the PATH or the system have them.
"""
import glob
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "support"))
from profile_support import Recording, by_chance, pythons, source  # noqa: E402

LEVELS = ["level_one", "level_two", "level_three", "burn"]


def base(name):
    return name.split(".")[-1]


class Frames(unittest.TestCase):
    def on_each_python(self, check):
        found = pythons()
        self.assertTrue(found, "no CPython 3.8 or newer found")
        for version, path in found:
            with self.subTest(python=version, path=path):
                check(version, path)

    def check_quality(self, recording):
        counters = recording.counters()
        self.assertGreater(counters["samples"], 50)
        self.assertGreater(counters["python_expected"], 25)
        # CPython 3.12 links the structure of an eval activation some instructions before it fills it: a sample right there, one in
        # about 12,000, finds no frames. Such a sample is marked as torn.
        self.assertLessEqual(counters["python_missing"], 2, "samples inside the interpreter without Python frames")
        self.assertLessEqual(counters["python_missing"], counters["python_torn"])
        self.assertLessEqual(counters["truncated_stacks"], counters["samples"] * 0.001 + 1)
        self.assertLessEqual(counters["python_torn"], counters["samples"] * 0.01 + 1)

    def check_order(self, recording):
        """Every stack that ends in burn goes through the levels in order, with C between each two of them."""
        in_order = total = 0
        for row in recording.tree("--all-frames"):
            if row.kind != "py" or base(row.name) != "burn" or row.total == 0:
                continue
            if any(base(r.name) == "burn" for r in row.path()[:-1]):
                continue
            total += row.total
            path = row.path()
            at = [max((i for i, r in enumerate(path) if r.kind == "py" and base(r.name) == name), default=-1)
                  for name in LEVELS]
            ordered = -1 < at[0] < at[1] < at[2] < at[3]
            c_between = all(any(r.kind != "py" for r in path[a + 1:b]) for a, b in zip(at, at[1:-1])) if ordered else False
            if ordered and c_between:
                in_order += row.total
        self.assertGreater(total, 0, "no sample in burn")
        # The leaf may be sampled while a frame is being entered or left (0.5 to 3 % of samples are in such a window; what is in
        # doubt there is the last frame only, so the levels above must still be right).
        self.assertGreaterEqual(in_order, total * 0.999)

    def run_way(self, way):
        def check(_, python):
            if way in ("numpy", "ctypes") and subprocess.run([python, "-c", "import " + way], capture_output=True).returncode != 0:
                return
            ran.append(python)
            with Recording([python, source("order.py"), way, "0.8"]) as recording:
                self.check_quality(recording)
                self.check_order(recording)
        ran = []
        self.on_each_python(check)
        if not ran:
            self.skipTest("no interpreter has " + way)

    def test_sorted_key(self):
        self.run_way("sorted")

    def test_functools_reduce(self):
        self.run_way("reduce")

    def test_ctypes_callback(self):
        self.run_way("ctypes")

    def test_json_hook(self):
        self.run_way("json")

    def test_numpy_ufunc(self):
        self.run_way("numpy")

    def test_shapes(self):
        """Generators, coroutines, methods, exec, lambdas; a thread that hashes without the GIL keeps its Python frames."""
        def check(version, python):
            with Recording([python, source("shapes.py"), "1.5"]) as recording:
                self.check_quality(recording)
                total, _ = recording.functions()
                qualified = version not in ("3.8", "3.9", "3.10")
                for name in ("generate", "inner", "outer", "made_by_exec", "hash_in_thread",
                             "Thing.method" if qualified else "method", "Thing.__lt__" if qualified else "__lt__",
                             "main.<locals>.<lambda>" if qualified else "<lambda>"):
                    self.assertGreater(total.get(name, 0), 0, "%s is missing" % name)
                threads = recording.report("--threads")["rows"]
                released = [r for r in threads if r["kind"] == "thread" and r["cpu_nogil_ns"] > 2 * r["cpu_gil_ns"]]
                # The other thread leaves it the GIL now and then only: it has 20 to 500 ms.
                self.assertEqual(len(released), 1, "the hashing thread is seen without the GIL")
        self.on_each_python(check)

    def test_subinterpreters(self):
        """A thread has another state in one, of which it may release the GIL, and comes back."""
        for version, python in pythons():
            with self.subTest(version), Recording([python, source("subinterpreters.py"), "0.5"]) as r:
                self.assertEqual(r.out, "done\n")
                total, _ = r.functions()
                near = 3 * by_chance(r.counters()["samples"], 1 / 3, 0.05)
                for name in ("inner_loop", "inner_hash", "outer"):
                    self.assertAlmostEqual(total.get(name, 0) / 1e9, 1.0, delta=near, msg=name)

    def test_thread_names(self):
        """Threads are called as the program calls them: not ASCII, long, of a class of its own with attributes of its own."""
        def check(version, python):
            with Recording([python, source("named_threads.py"), "0.8"]) as recording:
                names = {r["name"] for r in recording.report("--threads")["rows"] if r["kind"] == "thread"}
            for name in ("loader", "long " + "x" * 60, "caf\u00e9 \u6f22\u5b57", "of its own class", "renamed before it began"):
                self.assertIn(name, names)
            self.assertTrue(any(name.startswith("Thread-") for name in names), names)
        self.on_each_python(check)

    def test_code_that_takes_the_place_of_other_code_has_its_own_name(self):
        count, seconds = 40, 0.03

        def check(version, python):
            names = {"function": "number_%d", "method": "Number_%d.method_that_spins"}
            if version in ("3.8", "3.9", "3.10"):
                del names["method"]  # it knows the last part of the name only
            for kind, name in names.items():
                with Recording([python, source("same_address.py"), kind, str(count), str(seconds)]) as recording:
                    total, _ = recording.functions()
                    addresses = int(recording.out.split()[0])
                self.assertLess(addresses, count / 2, "no address was used again")
                times = [total.get(name % i, 0) / 1e9 for i in range(count)]
                # Which took the place of another one has nothing, and that one its time. A sample stands for some milliseconds where
                # the machine is busy.
                wrong = [t for t in times if not 0.3 * seconds < t < 2.5 * seconds]
                self.assertLessEqual(len(wrong), count / 10, (kind, times))
        self.on_each_python(check)

    def test_an_interpreter_that_is_not_known_is_named(self):
        names = ["python3.7", *glob.glob(os.path.expanduser("~/.pyenv/versions/3.7.*/bin/python3.7"))]
        old = [path for path in map(shutil.which, names) if path and subprocess.run([path, "-V"], capture_output=True).returncode == 0]
        if not old:
            self.skipTest("no CPython 3.7 is here")
        with Recording([old[0], "-c", "sum(range(3000000))"]) as recording:
            self.assertIn("Python frames are missing, because this version of the interpreter is unknown", recording.err)

    def test_callers_of_burn_have_lines(self):
        def check(_, python):
            with Recording([python, source("order.py"), "sorted", "0.6"]) as recording:
                with open(source("order.py")) as file:
                    text = file.read().split("\n")
                checked = 0
                for row in recording.tree():
                    if row.kind == "py" and base(row.name) == "level_three" and row.total:
                        self.assertIn("order.py", row.file)
                        self.assertIn(text[row.line - 1].strip(), ("burn()", "return x", "def level_three(x):"))
                        checked += 1
                self.assertGreater(checked, 0)
        self.on_each_python(check)


if __name__ == "__main__":
    unittest.main(verbosity=2)
