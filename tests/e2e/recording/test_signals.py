#!/usr/bin/env python3
"""What a program does with signals comes out as without gprof-x, whichever signal it is and whichever clock samples.

GPROFX_LOOPS=1000 runs each way a thousand times; by default each runs GPROFX_LOOPS / 25 times.
"""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import *
from profile_support import Recording, workload

REPEAT = max(1, LOOPS // 25)
# The two that stand for all others, then those of faults, whose handlers are ours as well.
SIGNALS = (signal.SIGPROF, signal.SIGURG)
FAULTS = (signal.SIGSEGV, signal.SIGBUS)
CLOCKS = ("cpu", "wall")


class Signals(LauncherTest):
    def same(self, *way, clocks=CLOCKS):
        command = [workload("own_signals"), *map(str, map(int_of, way))]
        bare = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        for clock in clocks:
            for _ in range(REPEAT):
                with self.subTest(way=way, clock=clock):
                    run = self.record(*command, options=["--clock", clock], stdin=subprocess.DEVNULL, timeout=60)
                    self.assertEqual((run.returncode, run.stdout, run.stderr), (shell_status(bare.returncode), bare.stdout, bare.stderr))

    def each(self, *ways, signals=SIGNALS, **more):
        for way in ways:
            for number in signals:
                self.same(way, number, **more)

    def test_what_is_ignored_or_blocked_outlives_an_exec(self):
        ways = ("exec-ignored", "spawn-ignored", "exec-blocked", "spawn-blocked")
        self.each(*ways)
        self.each(*ways, signals=FAULTS, clocks=["cpu"])
        self.same("exec-all-ignored")

    def test_what_is_blocked_waits_for_who_takes_it(self):
        self.each("sigwait", "sigwaitinfo", "sigtimedwait", "signalfd", "outside", "ignored-and-blocked")
        self.each("sigtimedwait", "signalfd", signals=FAULTS, clocks=["cpu"])

    def test_handlers_get_their_signals_and_nothing_else(self):
        self.each("handler-while-blocked", "signal", "sigset", "sysv_signal", "suspend")
        self.each("siginterrupt", "sighold")
        # Set while asks come already.
        self.each("late-signal", "late-sigset", "late-sysv_signal", "late-siginterrupt", "late-sighold")
        self.each("handler-while-blocked", "sigset", "sighold", "suspend", signals=FAULTS, clocks=["cpu"])

    def test_a_thread_has_the_mask_of_its_creator(self):
        self.each("thread", "system")
        self.same("looks")
        self.same("default")

    def test_own_timers_and_events(self):
        self.each("perf", "timer", "counter")

    def test_signals_that_libc_keeps_for_itself(self):
        self.same("refused")
        self.same("cancel")
        if os.geteuid() == 0:
            self.same("setuid")

    def test_a_program_that_may_not_read_the_clock_of_the_processor(self):
        command = [workload("no_clock")]
        bare = subprocess.run(command, capture_output=True, timeout=60)
        if bare.returncode == 77:
            self.skipTest("the kernel knows no such thing")
        for clock in CLOCKS:
            for _ in range(REPEAT):
                with self.subTest(clock=clock), Recording(command, ["--clock", clock]) as r:
                    self.assertEqual(r.out, bare.stdout.decode())
                    own = r.functions()[1]
                    self.assertEqual(r.quality()["unseen_ns"], 0)
                    self.assertGreater(own["burn_without_clock"], 0.05 * sum(own.values()))  # the rest is the kernel's, for each fault

    def test_timers_of_a_user_who_may_have_few_signals_waiting(self):
        if os.geteuid() != 0:
            self.skipTest("not root, so this user has signals of others waiting")
        os.chmod(self.folder, 0o777)
        alone = 48721  # a user who has nothing else
        try:
            subprocess.run([GPROFX, "--version"], capture_output=True, check=True, user=alone, group=alone, extra_groups=[])
        except PermissionError:
            self.skipTest("other users do not reach the build folder")
        command = ["bash", "-c", "ulimit -i 16; exec %s timers" % workload("own_signals")]
        for arguments in (command, self.arguments(*command)):
            run = subprocess.run(arguments, capture_output=True, text=True, user=alone, group=alone, extra_groups=[], cwd=self.folder)
            self.assertEqual((run.returncode, run.stdout), (0, "12 timers\n"), run.stderr)
        self.assertIn("ulimit -i", run.stderr)

    def test_a_first_thread_that_libc_makes_is_sampled(self):
        for way, seconds in (("thrd", 1.0), ("cancel", 0.3)):
            self.assertEqual(self.record(workload("own_signals"), way).returncode, 0)
            quality = self.profile().quality
            self.assertGreater(quality["cpu_sampled_ns"], seconds * 0.8e9, way)


def int_of(word):
    return int(word) if isinstance(word, signal.Signals) else word


def shell_status(status):
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    unittest.main()
