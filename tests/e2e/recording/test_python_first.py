"""What a Python user is shown first: views of Python and of native code, workers and ranks by name, pools of threads, stripped code."""
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import Recording

PYTHON = os.path.realpath(sys.executable)


class Program:
    """A Python program in a folder of its own."""

    def __init__(self, text, files=()):
        self.folder = tempfile.mkdtemp(prefix="gprofx-first-")
        self.path = os.path.join(self.folder, "program.py")
        for name, content in [("program.py", text), *files]:
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as out:
                out.write(textwrap.dedent(content))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


class Views(unittest.TestCase):
    TEXT = """
        import hashlib, time
        def native():
            data = b"x" * 20_000_000
            end = time.process_time() + 0.6
            while time.process_time() < end:
                hashlib.sha256(data).digest()
        def python():
            end = time.process_time() + 0.6
            while time.process_time() < end:
                [i * 2 for i in range(1000)]
        native(); python()
        """

    def test_native_time_is_the_own_time_of_its_python_line(self):
        with Program(self.TEXT) as program, Recording([PYTHON, program.path]) as recording:
            rows = {r["name"]: r for r in recording.report("--view", "python")["rows"] if r["kind"] == "py"}
            native = recording.report("--view", "native")
            sums = {view: recording.report("--view", view) for view in ("python", "mixed", "native")}
        ours = rows["native"]
        self.assertGreater(ours["self"], 0.4e9)
        self.assertGreater(ours["native"], 0.95 * ours["self"])
        self.assertRegex(os.path.basename(ours["library"]), "crypto|_hashlib|python")
        self.assertNotIn("py", {r["kind"] for r in native["rows"]})
        # One number in all views.
        self.assertEqual(len({v["base"] for v in sums.values()}), 1)
        for view, report in sums.items():
            self.assertEqual(sum(r["self"] for r in report["rows"]), report["base"], view)
            self.assertEqual(report["filters"]["view"], view)

    def test_seen_as_is_the_line_of_the_package_that_is_the_program(self):
        files = [("site-packages/tool/__init__.py", ""),
                 ("site-packages/tool/__main__.py", "from tool import work\nfrom other import burn\nwork.go()\n"),
                 ("site-packages/tool/work.py", "from other import burn\ndef go():\n    burn()\n"),
                 ("site-packages/other/__init__.py",
                  "import time\ndef burn():\n    end = time.process_time() + 0.5\n    while time.process_time() < end:\n        sorted(range(3000))\n")]
        with Program("", files) as program:
            env = dict(os.environ, PYTHONPATH=os.path.join(program.folder, "site-packages"))
            with Recording([PYTHON, "-m", "tool"], env=env) as recording:
                burn = next(r for r in recording.report("--view", "python")["rows"] if r["name"] == "burn")
        self.assertEqual((os.path.basename(burn["seen_as"]["file"]), burn["seen_as"]["line"]), ("work.py", 3))


class Processes(unittest.TestCase):
    def names(self, text, env=None):
        with Program(text) as program, Recording([PYTHON, program.path], env=env) as recording:
            return sorted(r["name"] for r in recording.report("--threads")["rows"] if r["kind"] == "process")

    def test_workers(self):
        names = self.names("""
            import multiprocessing, time
            def crunch():
                end = time.process_time() + 0.3
                while time.process_time() < end: pass
            def square(x):
                crunch()
                return x * x
            if __name__ == "__main__":
                context = multiprocessing.get_context("fork")
                workers = [context.Process(target=crunch) for _ in range(3)]
                for w in workers: w.start()
                for w in workers: w.join()
                with context.Pool(2) as pool:
                    pool.map(square, range(4), chunksize=1)
            """)
        self.assertIn("program.py", names)
        self.assertLessEqual({"worker %d of 3: crunch" % i for i in (1, 2, 3)}, set(names))
        self.assertLessEqual({"worker %d of 2: multiprocessing.Pool" % i for i in (1, 2)}, set(names))

    def test_ranks(self):
        text = """
            import os, subprocess, sys, time
            if len(sys.argv) == 1:
                children = [subprocess.Popen([sys.executable, __file__, "child"],
                                             env=dict(os.environ, RANK=str(r), LOCAL_RANK=str(r % 2), WORLD_SIZE="4")) for r in range(4)]
                for c in children: c.wait()
            else:
                end = time.process_time() + 0.1
                while time.process_time() < end: pass
            """
        env = {k: v for k, v in os.environ.items() if "RANK" not in k and "SLURM" not in k}
        self.assertEqual(self.names(text, env=env), ["program.py", "program.py rank 0", "program.py rank 1",
                                                     "program.py rank 2 local 0", "program.py rank 3 local 1"])


class Stripped(unittest.TestCase):
    TEXT = """
        #include <time.h>
        #define BURN(name, seed) __attribute__((noinline, visibility("hidden"))) unsigned name(unsigned n) { \\
            volatile unsigned x = seed; for (unsigned i = 0; i < n; i++) x = x * 1664525u + 1013904223u; return x; }
        BURN(one, 1) BURN(two, 2)
        unsigned go(void) {
            unsigned x = 0;
            for (int i = 0; i < 80; i++) { x += one(2000000); x += two(1000000); }
            return x;
        }
        """

    @unittest.skipUnless(shutil.which("cc") and shutil.which("strip"), "no compiler")
    def test_functions_of_a_stripped_library_are_told_apart(self):
        with Program("", [("part.c", self.TEXT), ("main.c", "unsigned go(void); int main(void) { return go() == 1; }")]) as program:
            library, main = os.path.join(program.folder, "libpart.so"), os.path.join(program.folder, "main")
            subprocess.run(["cc", "-O2", "-fno-inline", "-fPIC", "-shared", "-o", library,
                            os.path.join(program.folder, "part.c")], check=True)
            symbols = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout.splitlines()
            subprocess.run(["strip", library], check=True)
            subprocess.run(["cc", "-o", main, os.path.join(program.folder, "main.c"), library, "-Wl,-rpath," + program.folder],
                           check=True)
            with Recording([main]) as recording:
                report = recording.report()
        at = {f[2]: int(f[0], 16) for f in (line.split() for line in symbols) if len(f) == 3}
        own = {r["name"]: r for r in report["rows"]}
        for name in ("one", "two"):
            row = own["libpart.so+0x%x" % at[name]]
            self.assertEqual(row["kind"], "?")
            self.assertEqual(row["seen_as"]["name"], row["name"])
        self.assertGreater(own["libpart.so+0x%x" % at["one"]]["self"], 1.3 * own["libpart.so+0x%x" % at["two"]]["self"])
        # A place is no name: the head still says how much has none.
        self.assertGreater(report["quality"]["no_symbol_ns"], 0.8 * report["base"])


class Pools(unittest.TestCase):
    TEXT = """
        #include <pthread.h>
        #include <sched.h>
        #include <time.h>
        static double used(void) {
            struct timespec t;
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
            return t.tv_sec + t.tv_nsec / 1e9;
        }
        void blas_thread_server(void) {
            while (used() < 0.15) {
                for (volatile int i = 0; i < 500000; i++) {}
                sched_yield();
            }
        }
        static void* start(void* p) { blas_thread_server(); return p; }
        int main(void) {
            pthread_t t[6];
            for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, start, 0);
            for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
            return 0;
        }
        """

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_threads_that_only_wait_are_one_line(self):
        with Program("", [("pool.c", self.TEXT)]) as program:
            main = os.path.join(program.folder, "pool")
            subprocess.run(["cc", "-O1", "-g", "-o", main, os.path.join(program.folder, "pool.c"), "-lpthread"], check=True)
            with Recording([main]) as recording:
                rows = [r for r in recording.report("--threads")["rows"] if r["kind"] == "thread"]
                text = subprocess.run([os.environ["GPROFX"], "report", recording.file, "--threads"], check=True,
                                      capture_output=True, text=True, env=dict(os.environ, COLUMNS="120")).stdout
                top = recording.report()["rows"]
        self.assertEqual(len(rows), 7)
        self.assertIn("6 threads of pool, waiting in blas_thread_server", text)
        waiting = {r["name"] for r in top if r["waiting"]}
        self.assertIn("blas_thread_server", waiting)


if __name__ == "__main__":
    unittest.main()
