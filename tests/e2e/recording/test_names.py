"""Names and callers of code that no symbol table describes well: interpreters with and without debug information, code made at
run time, code without unwind rows."""
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import Recording, pythons, source


def libpython(python):
    """The shared library of this interpreter, None where it is linked statically."""
    listing = subprocess.run(["ldd", python], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = [line.split()[2] for line in listing.splitlines() if "libpython" in line and "=> /" in line]
    return os.path.realpath(found[0]) if found else None


def has_debug_information(path):
    sections = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return ".debug_info" in sections


class Callers(unittest.TestCase):
    """A tree is the same whether the interpreter has debug information or none."""

    def paths(self, recording):
        """Share of samples by path of what is not the interpreter's: Python functions and other libraries; and all names on the way.

        Samples, not time: a virtual machine that was paused for 50 ms charges all of them to the one sample that comes next."""
        shares, names = {}, set()
        for row in recording.tree("--by", "function"):
            if row.up is None or row.total_samples == 0:
                base = row.total_samples or 1
                continue
            if "libpython" in row.module:
                names.add(row.name)
                continue
            if not any(up.kind == "py" for up in row.path()):
                continue  # the end of the interpreter
            path = tuple(up.name for up in row.path()[1:] if "libpython" not in up.module)
            shares[path] = shares.get(path, 0) + row.total_samples / base
        return shares, names

    def compare(self, python, library, folder):
        stripped = os.path.join(folder, os.path.basename(library))
        subprocess.run(["strip", "-o", stripped, library], check=True)
        command = [python, source("callers.py"), "800"]
        with Recording(command, ["-F", "1997"]) as full, \
                Recording(command, ["-F", "1997"], env=dict(os.environ, LD_LIBRARY_PATH=folder)) as bare:
            mine, names = self.paths(full)
            theirs, bare_names = self.paths(bare)
            all_names = {row.name for row in full.tree("--by", "function", "--all-frames")}
            all_bare_names = {row.name for row in bare.tree("--by", "function", "--all-frames")}
        self.assertIn("insertdict", all_names, "the interpreter's debug information was not used")
        self.assertNotIn("insertdict", all_bare_names)
        self.assertNotIn("insertdict", names | bare_names, "an internal function of the interpreter is shown")
        # More than 2,000 samples: a path of 4 percent has 80 of them. What imports cost is up to the file system, so they
        # are there in both, and shares are of the rest.
        rest = [1 - max(share for path, share in shares.items() if path[-1] == "importing") for shares in (mine, theirs)]
        for path in set(mine) | set(theirs):
            share, other = mine.get(path, 0), theirs.get(path, 0)
            if max(share, other) > 0.04:
                self.assertGreater(min(share, other), 0, path)
                if "importing" not in path and path[-1] not in ("<module>", "main"):
                    self.assertLess(abs(share / rest[0] - other / rest[1]), 0.08, path)
        helpers = {"Py_INCREF", "Py_DECREF", "_Py_INCREF", "_Py_DECREF", "Py_XDECREF", "cmp_outcome", "builtin_exec_impl",
                   "builtin___import__", "_PyEval_EvalFrame", "do_call_core", "dictkeys_generic_lookup"}
        self.assertEqual(names & helpers, set())

    def test_trees_with_and_without_debug_information(self):
        compared = []
        for version, python in pythons():
            library = libpython(python)
            if library is None or not has_debug_information(library) or shutil.which("strip") is None:
                continue
            with self.subTest(python=version), tempfile.TemporaryDirectory() as folder:
                self.compare(python, library, folder)
            compared.append(version)
        if not compared:
            self.skipTest("no shared CPython with debug information (pyenv builds one), or no strip")


def rows_of(recording):
    return recording.report("--top", "1000000", "--view", "mixed")["rows"]


class CodeMadeAtRunTime(unittest.TestCase):
    """perf-PID.map names what a just-in-time compiler made: for every address that was seen, whenever the map was written."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # node leaves a log where it runs
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def check_named(self, recording, least=50):
        named = unnamed = 0
        for row in rows_of(recording):
            if row["name"] == "[code in no file]":
                unnamed += row["self_samples"]
            elif os.path.basename(row["module"]).startswith("perf-"):
                named += row["self_samples"]
        self.assertGreater(named, least)
        self.assertGreaterEqual(named / (named + unnamed), 0.98, "%d named, %d not" % (named, unnamed))

    def record(self, *command, **options):
        before = set(os.listdir("/tmp"))
        try:
            return Recording(command, **options)
        finally:
            for name in set(os.listdir("/tmp")) - before:
                if name.startswith("perf-") and name.endswith(".map"):
                    os.remove(os.path.join("/tmp", name))

    def record_node(self, *options):
        node = shutil.which("node")
        if node is None:
            self.skipTest("node is not installed")
        program = """
            function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
            let sum = 0;
            while (process.cpuUsage().user < 1600000) sum += fib(20);
            console.log(sum > 0);
        """
        return self.record(node, "--perf-basic-prof", *options, "-e", program)

    def test_node(self):
        with self.record_node() as r:
            self.assertEqual(r.out, "true\n")
            self.check_named(r)
            self.assertTrue(any("fib" in row["name"] and row["self_samples"] > 50 for row in rows_of(r)))
            self.assertLess(r.counters()["truncated_stacks"], r.counters()["samples"] * 0.02)

    def test_built_in_functions_of_node(self):
        """V8 maps them a second time, near the code that it makes, where no loader knows of them."""
        with self.record_node("--no-opt") as r:
            self.check_named(r, 20)
            self.assertGreater(sum(row["self_samples"] for row in rows_of(r) if row["name"].startswith("Builtins_")), 50)

    def test_java_writes_its_map_at_the_very_end(self):
        if shutil.which("java") is None or shutil.which("javac") is None:
            self.skipTest("java and javac are not installed")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "Burn.java"), "w") as file:
                file.write(textwrap.dedent("""
                    public class Burn {
                      static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
                      public static void main(String[] arguments) {
                        long end = System.currentTimeMillis() + 2000, sum = 0;
                        while (System.currentTimeMillis() < end) sum += fib(25);
                        System.out.println(sum != 0);
                      }
                    }"""))
            subprocess.run(["javac", "Burn.java"], cwd=folder, check=True)
            options = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"]
            if subprocess.run(["java", *options, "-version"], capture_output=True).returncode != 0:
                self.skipTest("this Java has no -XX:+DumpPerfMapAtExit (17 and newer do)")
            with self.record("java", *options, "-cp", folder, "Burn") as r:
                self.assertEqual(r.out, "true\n")
                self.check_named(r)
                self.assertTrue(any("fib" in row["name"] and row["self_samples"] > 50 for row in rows_of(r)))

    def test_python_x_perf(self):
        """Its trampolines have no unwind rows, and say once more what the Python frames say."""
        with_perf = [p for v, p in pythons() if int(v.split(".")[1]) >= 12 and
                     subprocess.run([p, "-X", "perf", "-c", ""], capture_output=True).returncode == 0]
        if not with_perf:
            self.skipTest("no CPython 3.12 or newer with -X perf")
        for python in with_perf:
            with self.subTest(python), self.record(python, "-X", "perf", source("callers.py"), "400") as r:
                self.assertLess(r.counters()["truncated_stacks"], r.counters()["samples"] * 0.01)
                self.assertEqual([row for row in rows_of(r) if row["name"] == "[code in no file]"], [])
                self.assertEqual([row.name for row in r.tree() if row.name.startswith("py::")], [])
                everything = [row for row in r.tree("--all-frames") if row.name.startswith("py::")]
                self.assertTrue(everything)
                sizes = {}
                for row in everything:  # a trampoline runs the function that it is named after
                    for child in row.children:
                        for python_frame in [c for c in child.children if c.kind == "py"]:
                            same = row.name.startswith("py::%s:" % python_frame.name)
                            sizes[same] = sizes.get(same, 0) + python_frame.total
                self.assertGreater(sizes.get(True, 0), 20 * sizes.get(False, 0))


class OtherFiles(unittest.TestCase):
    """A file that has no build-id gives names only if it is the one that ran."""

    def test_replaced_while_it_runs(self):
        if shutil.which("gcc") is None:
            self.skipTest("no gcc")
        with tempfile.TemporaryDirectory() as folder:
            path = {name: os.path.join(folder, name) for name in ("program", "other", "source.c")}
            with open(path["source.c"], "w") as file:
                file.write("""
                    #include <stdlib.h>
                    #include <time.h>
                    volatile unsigned long sink;
                    __attribute__((noinline)) void NAME(void) { for (int i = 0; i < 1000000; ++i) sink = sink * 31 + i; }
                    int main(int argc, char** argv) {
                      clock_t half = clock() + CLOCKS_PER_SEC / 4, end = half + CLOCKS_PER_SEC / 4;
                      if (argc > 1 && argv[1][0] == 'a') system(argv[2]);
                      while (clock() < half) NAME();
                      if (argc > 1 && argv[1][0] == 'l') system(argv[2]);
                      while (clock() < end) NAME();
                      return 0;
                    }""")
            for moment in (None, "at once", "later"):
                for name in ("program", "other"):
                    subprocess.run(["gcc", "-O1", "-g", "-Wl,--build-id=none", "-DNAME=of_" + name, "-o", path[name], path["source.c"]],
                                   check=True)
                replace = "mv %s %s" % (path["other"], path["program"])
                with self.subTest(moment), Recording([path["program"], *([moment, replace] if moment else [])]) as r:
                    names = {row["name"] for row in r.report("--top", "100")["rows"]}
                    self.assertNotIn("of_other", names)
                    self.assertEqual("of_program" in names, moment is None, names)
                    problems = r.quality()["problems"]
                    self.assertEqual(any("was deleted or replaced" in problem for problem in problems), moment is not None, problems)


class DebugInformation(unittest.TestCase):
    """It is read, or a line tells why not; the names of symbols stay."""

    def check(self, why, *commands):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "burn.c"), "w") as file:
                file.write("""
                    #include <time.h>
                    volatile unsigned long sink;
                    __attribute__((noinline)) void burns(void) { for (int i = 0; i < 1000000; ++i) sink = sink * 31 + i; }
                    int main(void) { while (clock() < CLOCKS_PER_SEC / 5) burns(); return 0; }""")
            for command in commands:
                if shutil.which(command[0]) is None or subprocess.run(command, cwd=folder, capture_output=True).returncode != 0:
                    self.skipTest(" ".join(command) + " does not work here")
            with Recording([os.path.join(folder, "burn")]) as r:
                self.assertIn("burns", {row["name"] for row in r.report("--top", "100")["rows"]})
                problems = r.quality()["problems"]
                has_lines = any((row["file"] or "").endswith("burn.c") for row in r.report("--lines")["rows"] if row.get("file"))
                self.assertTrue(has_lines or any(why in problem for problem in problems), problems)
                return has_lines

    def test_compressed_by_zstd(self):
        self.check("compressed by zstd", ["gcc", "-O1", "-g", "-o", "burn", "burn.c"],
                   ["objcopy", "--compress-debug-sections=zstd", "burn"])

    def test_split_units_that_are_not_there(self):
        self.check(".dwo files that are not there", ["gcc", "-O1", "-g", "-gsplit-dwarf", "-o", "burn", "burn.c"],
                   ["sh", "-c", "rm *.dwo"])


class OtherInterpreters(unittest.TestCase):
    def test_frames_that_are_not_read_are_told(self):
        if shutil.which("gcc") is None:
            self.skipTest("no gcc")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pypy3", "burn"):
                program = os.path.join(folder, name)
                with open(program + ".c", "w") as file:
                    file.write("#include <time.h>\nint main(void) { while (clock() < CLOCKS_PER_SEC / 5) ; return 0; }")
                subprocess.run(["gcc", "-O1", "-o", program, program + ".c"], check=True)
                with Recording([program]) as r:
                    self.assertEqual("Python frames of PyPy are missing" in r.err, name == "pypy3", r.err)


class CodeWithoutUnwindRows(unittest.TestCase):
    """The next caller is found, or report says in whose code the search gave up."""

    def need_compiler(self):
        if shutil.which("gcc") is None or platform.machine() != "x86_64":
            self.skipTest("no gcc, or not for x86-64, of which these programs have instructions")

    def check_whole(self, recording, most=0.01):
        counters = recording.counters()
        self.assertGreater(counters["samples"], 50)
        self.assertLessEqual(counters["truncated_stacks"], counters["samples"] * most)

    def test_a_start_without_rows_is_the_end_of_the_stack(self):
        self.need_compiler()
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "start")
            with open(program + ".c", "w") as file:
                file.write("""
                    #include <stdlib.h>
                    #include <time.h>
                    __asm__(".globl _start\\n_start: xor %ebp, %ebp\\n and $-16, %rsp\\n call begin\\n hlt");
                    __attribute__((used)) void begin(void) {
                      while (clock() < CLOCKS_PER_SEC) for (volatile int i = 0; i < 1000000; ++i) ;
                      exit(0);
                    }""")
            subprocess.run(["gcc", "-O1", "-g", "-nostartfiles", "-o", program, program + ".c"], check=True)
            with Recording([program]) as r:
                self.check_whole(r)
                self.assertEqual(r.counters()["safe_load_faults"], 0)

    def test_the_culprit_is_named(self):
        self.need_compiler()
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "liblost.so")
            with open(os.path.join(folder, "lost.c"), "w") as file:  # on a stack of its own, which says nothing
                file.write("""
                    __asm__(".globl lost\\nlost: push %rbx\\n mov %rsp, %rbx\\n mov %rdi, %rsp\\n xor %eax, %eax\\n"
                            "1: inc %rax\\n cmp %rsi, %rax\\n jne 1b\\n mov %rbx, %rsp\\n pop %rbx\\n ret");""")
            subprocess.run(["gcc", "-shared", "-o", library, os.path.join(folder, "lost.c")], check=True)
            program = ("import ctypes, sys; stack = ctypes.create_string_buffer(1 << 16);"
                       "ctypes.CDLL(sys.argv[1]).lost(ctypes.c_void_p(ctypes.addressof(stack) + 32768 & -16),"
                       " ctypes.c_long(2_000_000_000))")
            with Recording([sys.executable, "-c", program, library]) as r:
                quality = r.quality()
                self.assertEqual(quality["truncated_in"][0]["module"], "liblost.so")
                self.assertGreater(quality["truncated_in"][0]["samples"], quality["samples"] / 2)
                self.assertTrue(any("no callers in liblost.so" in reason for reason in quality["reasons"]), quality["reasons"])
                self.assertIn("[truncated stack: no caller in liblost.so]", [row.name for row in r.tree()])

    def python_with(self, module):
        for python in [sys.executable] + [path for _, path in reversed(pythons())]:  # the first may be of a venv
            if subprocess.run([python, "-c", "import " + module], capture_output=True).returncode == 0:
                return python
        self.skipTest("no Python here has " + module)

    def run_python(self, module, text):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w") as file:
                file.write(textwrap.dedent(text))
            return Recording([self.python_with(module), program])

    def test_gevent(self):
        with self.run_python("gevent", """
            import gevent, time
            def burn(n):
                return sum(i * i for i in range(n))
            def worker():
                end = time.time() + 1.5
                while time.time() < end:
                    burn(200)
                    gevent.sleep(0)
            gevent.joinall([gevent.spawn(worker) for _ in range(20)])
            """) as r:
            self.check_whole(r, 0.05)
            total, own = r.functions()
            self.assertGreater(total["worker"], sum(own.values()) / 2)

    def test_numba(self):
        with self.run_python("numba", """
            import numba, time
            @numba.njit
            def mix(n):
                s = 1
                for i in range(n):
                    s = (s * 31 + i) % 1000003
                return s
            def run(end):
                while time.time() < end:
                    mix(1000000)
            mix(1)
            run(time.time() + 1.5)
            """) as r:
            self.check_whole(r, 0.02)
            below = [row for row in r.tree() if row.name == "[code in no file]" and row.total > 0.2 * r.report("--top", "1")["base"]]
            self.assertTrue(any("run" in [up.name for up in row.path()] for row in below))


if __name__ == "__main__":
    unittest.main()
