"""The target is left alone: programs that take signals, stacks and system calls away from a sampler end as they do without it,
and what can be sampled of them is. GPROFX_LOOPS is how often each is compared with its bare run (default 3)."""
import concurrent.futures
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, Recording, judged_by_time, pythons, workload

LOOPS = int(os.environ.get("GPROFX_LOOPS", "3"))

# Multiplications that wait for each other take as long wherever their code lies.
GO_SHARES = """
package main

// #include <stdlib.h>
import "C"
import "fmt"

//go:noinline
func ten(n int) int { s := 0; for i := 0; i < n; i++ { s = (s ^ i) * 1000003 }; return s }
//go:noinline
func twenty(n int) int { s := 0; for i := 0; i < 2 * n; i++ { s = (s ^ i) * 1000003 }; return s }
//go:noinline
func thirty(n int) int { s := 0; for i := 0; i < 3 * n; i++ { s = (s ^ i) * 1000003 }; return s }
//go:noinline
func forty(n int) int { s := 0; for i := 0; i < 4 * n; i++ { s = (s ^ i) * 1000003 }; return s }
//go:noinline
func work(n int) int { return ten(n) + twenty(n) + thirty(n) + forty(n) }

func main() {
	C.abs(1)
	done := make(chan int)
	for g := 0; g < 4; g++ {
		go func() {
			s := 0
			for i := 0; i < 100000; i++ { s += work(1000) }
			done <- s
		}()
	}
	for g := 0; g < 4; g++ { <-done }
	fmt.Println("go done")
}
"""

# Called back from C in goroutines, while Python runs in other threads.
GO_SHARED = """
package main

import "C"

//export Spin
func Spin(n C.int) C.int {
	done := make(chan int)
	for g := 0; g < 2; g++ {
		go func() { s := 0; for i := 0; i < int(n); i++ { s += i ^ s }; done <- s }()
	}
	return C.int((<-done ^ <-done) & 1)
}

func main() {}
"""

GO_FROM_PYTHON = """
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
def python(): sum(i * i for i in range(2000000))
thread = threading.Thread(target=python)
thread.start()
for _ in range(3): library.Spin(100000000)
thread.join()
print("both done")
"""


# What the agent has of libc: nothing that enters the kernel but the list of threads of a program that it has just entered.
OF_LIBC = {"environ", "getenv", "getauxval", "snprintf", "dlsym", "dlerror", "dl_iterate_phdr", "pthread_key_create", "pthread_self", "pthread_setspecific",
           "opendir", "readdir", "closedir"}


def run(command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **more)
    return done.returncode, done.stdout, done.stderr


class LeftAlone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.go_cache = tempfile.mkdtemp(prefix="gprof-x-go-")  # Go's own packages are compiled once
        cls.addClassCleanup(shutil.rmtree, cls.go_cache, ignore_errors=True)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-test-")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest("no " + program)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def same(self, command, options=(), loops=LOOPS, **more):
        """Status, standard output and error under gprof-x are those without it, each time."""
        bare = run(command, **more)
        path = os.path.join(self.folder, "%d.gprofx" % threading.get_ident())
        for _ in range(loops):
            recorded = run([GPROFX, "record", "-q", "-o", path, *options, "--", *command], **more)
            bare_as_shell = 128 - bare[0] if bare[0] < 0 else bare[0]
            self.assertEqual(recorded, (bare_as_shell, bare[1], bare[2]), command)

    def all_same(self, commands, options=(), loops=LOOPS):
        """The same of each command, two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(self.same, command, options, loops) for command in commands]:
                done.result()

    def go(self, source, *flags):
        self.need("go", "gcc")
        self.write("go.mod", "module shares\ngo 1.16\n")
        self.write("main.go", source)
        output = os.path.join(self.folder, "out")
        env = dict(os.environ, GOFLAGS="-mod=mod", GOCACHE=self.go_cache, CGO_ENABLED="1")
        status, _, error = run(["go", "build", *flags, "-o", output, "."], cwd=self.folder, env=env)
        self.assertEqual(status, 0, error)
        return output

    # Go

    def test_go_build_and_vet(self):
        self.need("go", "gcc")
        self.write("go.mod", "module shares\ngo 1.16\n")
        self.write("main.go", GO_SHARES)
        env = dict(os.environ, GOFLAGS="-mod=mod", GOCACHE=self.go_cache)
        run(["go", "build", "-o", "out", "."], cwd=self.folder, env=env)
        self.same(["go", "build", "-a", "-o", "out", "./"], cwd=self.folder, loops=1, env=env)
        self.same(["go", "build", "-o", "out", "./"], cwd=self.folder, env=env)
        self.same(["go", "vet", "./"], cwd=self.folder, env=env)
        self.write("Makefile", "all:\n\tgo build -o out ./\n")
        self.same(["make", "-s"], cwd=self.folder, env=env)

    @judged_by_time
    def test_go_program_has_its_shares_and_whole_stacks(self):
        program = self.go(GO_SHARES)
        with Recording([program], ["-F", "4000"]) as r:
            self.assertEqual(r.out, "go done\n")
            total, own = r.functions()
            whole = sum(own.values())
            for name, share in (("ten", 10), ("twenty", 20), ("thirty", 30), ("forty", 40)):
                self.assertAlmostEqual(100 * own["main." + name] / whole, share, delta=5)  # by ticks alone
            self.assertGreater(total["main.work"] / whole, 0.9)
            quality = r.counters()
            self.assertLess(quality["truncated_stacks"], 0.02 * quality["samples"])
        self.same([program], ["-F", "4000"], loops=max(1, LOOPS // 5))

    def test_go_library_in_python(self):
        library = self.go(GO_SHARED, "-buildmode=c-shared")
        script = self.write("both.py", GO_FROM_PYTHON)
        with Recording([sys.executable, script, library], ["-F", "4000"]) as r:
            self.assertEqual((r.status, r.out, r.err), (0, "both done\n", ""))
            total, _ = r.functions()
            self.assertGreater(total.get("python", 0), 0)
            self.assertTrue(any(name.startswith("main.Spin.func1") for name in total), sorted(total)[:50])

    # Signals and stacks

    def test_handlers_taken_behind_libc(self):
        with Recording([workload("raw_handlers"), "2"], ["-F", "2000"]) as r:
            self.assertEqual(r.out, "faults 0\n")
            _, own = r.functions()
            burned = {name: own["(anonymous namespace)::%s()" % name] for name in ("Ten", "Twenty", "Thirty", "Forty")}
            whole = sum(burned.values())
            for name, share in (("Ten", 10), ("Twenty", 20), ("Thirty", 30), ("Forty", 40)):
                self.assertAlmostEqual(100 * burned[name] / whole, share, delta=4)
            self.assertGreater(r.counters()["handlers_replaced"], 100)

    def test_small_alternate_stacks(self):
        # Two frames of signals need 7.2 KiB with AVX-512 and 9.4 KiB on aarch64, whatever is done in them.
        two_frames = 8192 if platform.machine() == "x86_64" else 16384
        ways = [[size, *storm] for size in ("16384", "8192", "6144", "4096") for storm in ([], ["storm"], ["onstack"])
                if not storm or int(size) >= two_frames]
        self.all_same([[workload("small_altstack"), "0.3", *way] for way in ways], ["-F", "4000"], loops=max(2, LOOPS // 5))
        with Recording([workload("small_altstack"), "1", "8192"]) as r:
            self.assertGreater(r.counters()["samples"], 20)
        with Recording([workload("small_altstack"), "1", "4096"]) as r:
            counters = r.counters()
            self.assertGreater(counters["samples"] + counters["skipped_no_stack"], 20)

    def test_fork_children_with_small_alternate_stacks(self):
        # Their first sample, which takes them into the recording, is under way when the next signal comes.
        self.all_same([[workload("forked_altstack"), "20", "40"]], loops=3)
        with Recording([workload("forked_altstack"), "10", "40"]) as r:
            counters = r.counters()
            self.assertGreater(counters["samples"], 10)
            # A thousand functions are met with each child's first sample: their rows are read all the same.
            self.assertEqual((counters["truncated_stacks"], counters["guessed_callers"]), (0, 0))

    def test_nothing_is_written_below_a_coroutine(self):
        self.all_same([[workload("coroutine"), "0.3"]], ["-F", "2000"], loops=2)
        with Recording([workload("coroutine"), "0.3"], ["-F", "2000"]) as r:
            self.assertEqual(r.out, "0\n")
            self.assertGreater(r.counters()["samples"], 10)

    def test_a_sample_of_a_coroutine_is_taken_on_another_stack(self):
        with Recording([workload("coroutine"), "0.5", "depth"], ["-F", "200"]) as r:  # a rate that every kernel reaches
            used, frame = map(int, r.out.split())
            self.assertLess(used, frame + 1024)
            total = r.functions()[0]
            self.assertGreater(next(ns for name, ns in total.items() if "BurnAndMeasure" in name), 0.95 * 0.5e9)
            self.assertEqual(r.quality()["verdict"], "good")

    def test_a_stack_without_rows_full_of_old_return_addresses(self):
        bare = subprocess.run([workload("foreign_stack"), "old"], capture_output=True, text=True, timeout=60)
        if bare.returncode == 77:
            self.skipTest("written for another processor")
        with Recording([workload("foreign_stack"), "old"], timeout=120) as r:
            self.assertLess(float(r.out), 3 * float(bare.stdout))  # beside other work, CPU time alone varies by half

    def test_faults_that_are_sent_while_a_stack_in_the_heap_is_sampled(self):
        self.all_same([[workload("foreign_stack"), "faults"]], ["-F", "2000"], loops=2)

    def test_actions_that_a_vfork_child_sets_are_its_own(self):
        script = self.write("timer.py", "import signal, subprocess, time\n"
                            "ticks = []\n"
                            "signal.signal(signal.SIGPROF, lambda *_: ticks.append(1))\n"
                            "signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)\n"
                            "subprocess.run(['/bin/true'])\n"
                            "end = time.process_time() + 0.3\n"
                            "while time.process_time() < end: pass\n"
                            "signal.setitimer(signal.ITIMER_PROF, 0)\n"
                            "print(len(ticks) > 5)\n")
        self.same([sys.executable, script])

    def test_signals_set_back_by_syscall_before_exec(self):
        self.all_same([[workload("reset_signals"), "5"]], loops=3)
        with Recording([workload("reset_signals"), "5"]) as r:
            self.assertGreater(r.counters()["samples"], 5)

    def test_cuda_call_of_a_thread_that_blocks_faults(self):
        self.same([workload("blocked_call")])

    def test_what_the_program_blocks_stays_blocked_over_fork(self):
        script = self.write("blocked.py", "import os, signal\n"
                            "signal.signal(signal.SIGURG, lambda *_: None)\n"
                            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])\n"
                            "def blocked(): return signal.SIGURG in signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
                            "pid = os.fork()\n"
                            "if pid == 0: os._exit(0 if blocked() else 1)\n"
                            "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), blocked())\n")
        self.same([sys.executable, script])

    def test_wall_clock_signals_kill_no_program_without_the_agent(self):
        self.need("gcc")
        source = self.write("wait.c", "#include <time.h>\n"
                            "int main() { for (int i = 0; i < 20; ++i) { struct timespec t = {0, 3000000};\n"
                            "  volatile long s = 0; for (long k = 0; k < 300000; ++k) s += k; nanosleep(&t, 0); } return 0; }\n")
        program = os.path.join(self.folder, "wait")
        if run(["gcc", "-O1", "-static", "-o", program, source])[0] != 0:
            self.skipTest("no static C library")
        shell = "for i in 1 2 3 4 5 6 7 8; do %s & done; wait; env -i %s; echo $?" % (program, program)
        self.same(["bash", "-c", shell], ["--clock", "wall", "-F", "997"])

    def test_transfers_are_whole(self):
        for options in (["--clock", "wall", "-F", "200"], ["-F", "997"]):
            with self.subTest(options=options):
                self.same([workload("transfers")], options)

    # seccomp

    def test_programs_that_confine_themselves(self):
        modes = (["strict"], ["kill", "prctl"], ["kill", "syscall"], ["trap", "prctl"], ["errno", "syscall"], ["few", "prctl"],
                 ["few", "syscall"])
        self.all_same([[workload("confined"), *mode] for mode in modes], loops=max(2, LOOPS // 5))
        with Recording([workload("confined"), "errno"], check=False) as r:
            self.assertEqual(r.status, 6)
            self.assertGreater(r.counters()["samples"], 5)
            self.assertLess(r.counters()["cpu_measured_ns"], 60e9)

    def test_filter_that_is_inherited(self):
        with Recording([workload("confined"), "exec"], check=False) as r:
            self.assertEqual((r.status, r.out, r.err), (0, "inherited\n", ""))

    def test_file_command(self):
        self.need("file")
        self.same(["file", sys.executable])

    # Interpreters and debuggers

    def test_calls_that_a_program_replaced_are_not_made(self):
        """As compute-sanitizer and Nsight replace close(): a sample may have interrupted the allocator, which theirs call."""
        env = dict(os.environ, LD_PRELOAD=workload("replaced_calls.so"))
        code = "import os, subprocess, threading; " \
               "threads = [threading.Thread(target=lambda: sum(map(hash, range(10**6)))) for _ in range(4)]; " \
               "[t.start() for t in threads]; [t.join() for t in threads]; " \
               "subprocess.run([%r, '-c', 'sum(map(hash, range(10**6)))']); " \
               "os.waitpid(os.fork() or (sum(map(hash, range(10**6))), os._exit(0)), 0)" % sys.executable
        self.same([sys.executable, "-c", code], env=env, loops=1)
        with Recording([sys.executable, "-c", code], env=env) as recording:
            self.assertGreater(recording.quality()["samples"], 20)

    def test_the_agent_takes_no_system_call_of_libc(self):
        self.need("nm")
        agent = os.path.join(os.environ["GPROFX_BUILD"], "lib", "gprof-x", "libgprofx-agent.so")
        listed = subprocess.run(["nm", "-D", "--undefined-only", agent], stdout=subprocess.PIPE, text=True, check=True).stdout
        names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
        self.assertEqual({name for name in names if not name.startswith(("_ITM_", "__", "mem", "str", "sig"))} - OF_LIBC, set())

    def test_embedded_interpreter_is_closed(self):
        libraries = []
        for _, python in pythons():
            ask = "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + (s.get_config_var('LDLIBRARY') or ''))"
            path = run([python, "-c", ask])[1].decode().strip()
            if path.endswith(".so") and os.path.exists(path):
                libraries.append(path)
        if not libraries:
            self.skipTest("no shared libpython")
        sequence = (libraries + libraries[::-1])[:6]
        self.same([workload("embed_python"), *sequence], ["-F", "4000"], loops=max(2, LOOPS // 5))

    def test_debuggers(self):
        self.need("gdb", "gcc")
        source = self.write("loop.c", """
#include <stdio.h>
#include <unistd.h>
volatile int on = 1;
int main(int argc, char** argv) {
  alarm(60);
  printf("%d\\n", getpid());
  fflush(stdout);
  for (volatile long i = 0; argc > 1 ? on : i < 100000000; i++) {}
  return 3;
}
""")
        program = os.path.join(self.folder, "loop")
        run(["gcc", "-g", "-O1", "-o", program, source])
        status, out, _ = run([GPROFX, "record", "-q", "-o", self.folder + "/p.gprofx", "--",
                              "gdb", "-batch", "-nx", "-ex", "run", "--args", program])
        self.assertEqual(status, 0)
        self.assertIn(b"exited with code 03", out)
        # One that runs until the debugger says that it is enough.
        recorded = subprocess.Popen([GPROFX, "record", "-q", "-o", self.folder + "/q.gprofx", "--", program, "on"],
                                    stdout=subprocess.PIPE, text=True)
        try:
            child = recorded.stdout.readline().strip()
            status, out, said = run(["gdb", "-batch", "-nx", "-p", child, "-ex", "set var on = 0", "-ex", "continue"])
            self.assertIn(b"exited with code 03", out, said)
        finally:
            recorded.communicate(timeout=90)
        self.assertEqual(recorded.returncode, 3)

    def test_strace(self):
        self.need("strace")
        spin = [sys.executable, "-c", "print(sum(range(10**6)))"]
        self.same(["strace", "-f", "-o", "/dev/null", *spin])
        # What it prints of signals goes to the program's standard error.
        seen = run([GPROFX, "record", "-o", self.folder + "/s.gprofx", "--", "strace", "-f", "-e", "trace=none", *spin])[2]
        for name in (b"SIGRT_1", b"SIG33", b"SIGURG", b"SI_TIMER"):
            self.assertNotIn(name, seen)
        self.assertIn(b"under a debugger or strace", seen)


if __name__ == "__main__":
    unittest.main()
