"""Processes that end before a tick of the clock finds them, and other small amounts of time: sums and names."""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import GPROFX, LauncherTest, used_by_children
from profile_support import Recording, judged_by_time, workload

PROCESS_FRAMES = ("[exec and loading]", "[fork]", "[exit]", "[gprof-x]", "[too short to be sampled]",
                  "[outside of sampled threads]")


def commands_of(text):
    """What short_commands measured: pid -> ns, by wait4's rusage."""
    lines = [line.split() for line in text.splitlines()]
    return {int(a): int(b) for a, b in lines if a.isdigit()}


def processes_of(recording):
    """All that the kernel knows of, profiling too."""
    rows = recording.report("--by", "process", "--limit", "100000", "--all-frames")["rows"]
    return {row["pid"]: row for row in rows}


class ShortCommands(unittest.TestCase):
    def check(self, how, count=300, least=500, most=5000):
        with Recording([workload("short_commands"), str(count), str(least), str(most), how]) as r:
            used = commands_of(r.out)
            processes = processes_of(r)
            self.assertEqual(len(used), count)
            self.assertEqual(len(processes), count + 1, "processes are counted once, with or without exec")
            quality = r.quality()
            self.assertEqual(r.report("--top", "1")["recording"]["processes"], count + 1)
        whole = quality["measured_ns"]
        self.assertLess(abs(quality["accounted_ns"] + quality["lost_ns"] - whole), 1e-3 * whole)
        self.assertEqual(quality["counters"]["processes_without_samples"], 0)
        self.assertEqual(quality["counters"]["process_notes_missed"], 0)
        pids = sorted(used)
        for begin in range(0, count, 100):
            some = pids[begin:begin + 100]
            kernel = sum(used[pid] for pid in some)
            profile = sum(processes[pid]["self"] for pid in some)
            self.assertLess(abs(profile - kernel), 0.02 * kernel, "%s, processes from %d on" % (how, begin))
        return quality

    def test_commands(self):
        self.check("spawn")

    def test_fork_children(self):
        self.check("fork")

    def test_fork_children_that_end_by_underscore_exit(self):
        self.check("exit")

    def test_killed_fork_children(self):
        self.check("kill")

    def test_commands_that_do_nothing(self):
        quality = self.check("spawn", least=0, most=0)
        self.assertFalse([r for r in quality["reasons"] if "unexplained" in r or "more than" in r])

    def test_shares_of_short_commands_are_those_of_their_code(self):
        # Each burns 2 ms in one function: what is seen is that function, loading, and little else.
        with Recording([workload("short_commands"), "400", "2000", "2000", "fork"]) as r:
            total, own = r.functions()
            base = r.report("--top", "1")["base"]
            self.assertEqual(sum(own.values()), base)
            burn = total.get("Burn(long)", 0)
            used = sum(commands_of(r.out).values())  # with what forking and ending took
            self.assertGreater(burn, 0.8 * 400 * 2e6)
            self.assertLessEqual(burn, used)



@unittest.skipUnless(shutil.which("bash"), "no bash")
class Shell(unittest.TestCase):
    @judged_by_time
    def test_a_loop_of_commands(self):
        command = ["bash", "-c", "for i in $(seq 200); do /bin/true; done"]
        before = used_by_children()
        subprocess.run(command, check=True)
        bare = 1e9 * (used_by_children() - before)
        with Recording(command) as r:
            total, own = r.functions("--all-frames")
            base = r.report("--top", "1", "--all-frames")["base"]
            quality = r.quality()
            # Not the agent's work, and not a whole tick for each: loading is what /bin/true does.
            self.assertGreater(own["[exec and loading]"], 0.4 * base)
            self.assertLess(own.get("[gprof-x]", 0), 0.25 * base)
            self.assertLess(base, 2.5 * bare, "CPU time of processes that do nothing")
            self.assertEqual(r.report("--top", "1")["recording"]["processes"], 202)
            self.assertLess(abs(quality["unexplained_ns"]), 0.02 * base)
            self.assertGreater(quality["counters"]["own_cpu_ns"], 0)
            names = [row["name"] for row in r.report("--by", "process", "--limit", "1000")["rows"]]
            self.assertEqual(names.count("true"), 200)

    def test_subshells(self):
        with Recording(["bash", "-c", "for i in $(seq 200); do x=$(echo $i); done"]) as r:
            self.assertEqual(r.report("--top", "1")["recording"]["processes"], 202)
            quality = r.quality()
            self.assertLess(abs(quality["unexplained_ns"]), 0.02 * quality["measured_ns"])
            self.assertEqual(r.status, 0)

    def test_waiting_is_as_without_us(self):
        script = ("(exit 3) & wait $!; echo $?; (kill -9 $BASHPID) & wait $!; echo $?; true | false; echo ${PIPESTATUS[*]};"
                  "wait; wait 999999; echo $?")
        bare = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with Recording(["bash", "-c", script], check=False) as r:
            self.assertEqual((r.status, r.out), (bare.returncode, bare.stdout))


class Rates(unittest.TestCase):
    def test_low_rates_are_what_was_asked(self):
        for rate in (1, 10, 50):
            with Recording([workload("shares"), "1.5"], ["-F", str(rate)]) as r:
                quality = r.quality()
                # About 6 s of CPU time; more where others use the cores, too.
                asked = rate * quality["measured_ns"] / 1e9
                self.assertGreaterEqual(quality["samples"], 0.75 * asked - 2, rate)
                self.assertLessEqual(quality["samples"], 1.2 * asked + 4, rate)
                self.assertLess(abs(quality["unexplained_ns"]), 0.02 * quality["measured_ns"])


class Window(unittest.TestCase):
    def check(self, options, clock):
        with Recording([workload("blocked_signals"), "4"], ["--delay", "0.7", "--duration", "1.5", *options]) as r:
            report = r.report("--top", "1")
            meta = report["recording"]["meta"]
            begin, end = int(meta["window_begin_ns"]), int(meta["window_end_ns"])
            # A recorder that has no processor opens and closes it late: what it says is when.
            self.assertLess(abs(begin - 0.7e9), 0.5e9)
            self.assertLess(abs(end - begin - 1.5e9), 0.5e9)
            quality = r.quality()
            self.assertEqual([x for x in quality["reasons"] if "rate" not in x], [], clock)
            self.assertLess(abs(quality["unexplained_ns"]), 0.02 * quality["measured_ns"])
            text = subprocess.run([os.environ["GPROFX"], "report", r.file], stdout=subprocess.PIPE, text=True).stdout
            self.assertIn("sampled from ", text)
            return quality, end - begin

    @judged_by_time
    def test_cpu_clock(self):
        quality, window = self.check([], "cpu")
        self.assertLess(quality["measured_ns"], 2.1 * window)  # two threads

    @judged_by_time
    def test_wall_clock(self):
        quality, window = self.check(["--clock", "wall"], "wall")
        threads = quality["measured_ns"] / window
        self.assertLess(abs(threads - round(threads)), 0.02 * threads)


NAMES = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_barrier_t named;
static void* names(void* how) {
  switch ((long)how) {
    case 0: prctl(PR_SET_NAME, "by-prctl"); break;
    case 1: pthread_setname_np(pthread_self(), "by-pthread"); break;
    default: syscall(SYS_prctl, PR_SET_NAME, "by-syscall");
  }
  pthread_barrier_wait(&named);
  for (;;) pause();
}
int main(void) {
  pthread_t thread; pthread_barrier_init(&named, 0, 4);
  for (long how = 0; how < 3; ++how) pthread_create(&thread, 0, names, (void*)how);
  pthread_barrier_wait(&named);
  _exit(0);
}
"""


class NamesOfThreads(LauncherTest):
    def test_threads_that_name_themselves_right_before_the_end(self):
        program = self.compile("names", NAMES, "-pthread")
        for _ in range(5):
            self.assertEqual(self.record(program).returncode, 0)
            run = subprocess.run([GPROFX, "report", "--threads", "--json", self.path], capture_output=True, text=True, check=True)
            self.assertEqual({row["name"] for row in json.loads(run.stdout)["rows"]}, {"names", "by-prctl", "by-pthread", "by-syscall"})


class RawThreads(unittest.TestCase):
    def test_adopted_threads_end(self):
        with Recording([workload("raw_clone"), "3", "1.5", "3"]) as r:
            self.assertEqual(r.out, "done\n")
            rows = [t for t in r.report("--threads")["rows"] if t["kind"] == "thread"]
            raw = [t for t in rows if t["self"] > 0.3e9 and t["tid"] != t["pid"]]
            self.assertEqual(len(raw), 3)
            quality = r.quality()
            self.assertLess(abs(quality["unexplained_ns"]), 0.02 * quality["measured_ns"])
            import sqlite3
            with sqlite3.connect(r.file) as db:
                ends = dict(db.execute("SELECT tid, end_ns FROM thread"))
                whole = db.execute("SELECT max(end_ns) FROM process").fetchone()[0]
            # Not only with the process, seconds later.
            for t in raw:
                self.assertLess(ends[t["tid"]], whole - 0.5e9)


if __name__ == "__main__":
    unittest.main()
