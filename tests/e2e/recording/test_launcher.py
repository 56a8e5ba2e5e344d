#!/usr/bin/env python3
"""gprof-x record as its users see it: status, output, signals, bad input, what cannot be profiled."""
import json
import os
import platform
import pty
import random
import select
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import *


class ExitStatus(LauncherTest):
    def test_statuses_pass_through(self):
        for i in range(LOOPS):
            status = (0, 1, 3, 139, 143)[i % 5]
            self.assertEqual(self.record("/bin/sh", "-c", "exit %d" % status).returncode, status)

    def test_signal_deaths_become_128_plus_n(self):
        for i in range(LOOPS):
            number = (signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGINT)[i % 5]
            run = self.record("/bin/sh", "-c", "kill -%d $$" % number)
            self.assertEqual(run.returncode, 128 + number)

    def test_status_is_in_the_profile(self):
        self.record("/bin/sh", "-c", "exit 3")
        profile = self.profile()
        self.assertEqual(profile.meta["exit_status"], "3")
        self.assertEqual(profile.meta["complete"], "yes")
        self.assertEqual(profile.rows("SELECT exit_status FROM process WHERE id = 1"), [(3,)])

    def test_not_found_and_not_executable(self):
        for program, status in (("no-such-program-here", 127), ("./none", 127), (self.spin, 126), (self.folder, 126)):
            run = self.record(program)
            self.assertEqual(run.returncode, status, program)
            self.assertEqual(run.stderr.count(b"\n"), 1)
            self.assertFalse(os.path.exists(self.path))

    def test_script_without_an_interpreter_line_runs_by_sh(self):
        script = self.write("plain", "exit 7\n", 0o755)
        self.assertEqual(self.record(script).returncode, 7)


class Sweeps(LauncherTest):
    def test_a_sweep_is_a_run_for_each_value(self):
        run = self.record("/bin/sh", "-c", "echo $SIZE; exit $SIZE", options=["--sweep", "SIZE=0 3 4"])
        self.assertEqual(run.returncode, 3)
        self.assertEqual(run.stdout, b"0\n3\n4\n")
        base = self.path[:-len(".gprofx")]
        for size, status in (("0", "0"), ("3", "3"), ("4", "4")):
            profile = self.profile("%s-SIZE=%s.gprofx" % (base, size))
            self.assertEqual((profile.meta["label"], profile.meta["exit_status"]), ("SIZE=" + size, status))
        self.assertFalse(os.path.exists(self.path))

    def test_leveled_runs_say_what_a_level_adds(self):
        run = self.record("/bin/sh", "-c", "echo a", options=["--levels", "ML,M", "--repeat", "2"])
        self.assertEqual((run.returncode, run.stdout), (0, b"a\n" * 4))
        base = self.path[:-len(".gprofx")]
        files = ["%s-%s.%d.gprofx" % (base, level, i) for level in ("ML", "M") for i in (1, 2)]
        shown = subprocess.run([GPROFX, "analyze", "--json", "leveled_runs", *files], capture_output=True, text=True, check=True)
        table = json.loads(shown.stdout)["analyses"][0]
        levels = table["rows"]
        self.assertEqual([(row["level"], row["runs"]) for row in levels], [("M", 2), ("ML", 2)])
        # Each is rounded by itself.
        self.assertAlmostEqual(levels[1]["added_ns"], levels[1]["wall_ns"] - levels[0]["wall_ns"], delta=1)
        self.assertIn("added is per run", " ".join(table["notes"]))

    def test_a_sweep_that_is_told_to_end_ends_its_run(self):
        sweep = self.start("/bin/sh", "-c", "echo $$; exec sleep 60", options=["--sweep", "N=1 2"])
        pid = int(sweep.stdout.readline())
        sweep.send_signal(signal.SIGTERM)
        self.assertEqual(sweep.wait(30), 128 + signal.SIGTERM)
        wait_for(lambda: not os.path.exists("/proc/%d" % pid))
        self.assertEqual(sweep.communicate()[0], b"")

    def test_ctrl_c_ends_a_sweep(self):
        run = self.record("/bin/sh", "-c", "echo $N; kill -INT $$", options=["--sweep", "N=1 2"])
        self.assertEqual((run.returncode, run.stdout), (128 + signal.SIGINT, b"1\n"))


class Output(LauncherTest):
    def test_output_is_byte_equal_with_and_without(self):
        commands = (
            ["sh", "-c", "echo out; echo err >&2; printf 'a\\000b'"],
            ["sh", "-c", "no_such_command_here"],
            [PYTHON, "-c", "import sys; print('x' * 100000); sys.stderr.write('y\\n'); sys.exit(4)"],
            [PYTHON, "-c", "1/0"],
            ["git", "--version"],
            ["git", "no-such-subcommand"],
            ["ls", "-l", "/no/such/file"],
        )
        for command in commands:
            if shutil.which(command[0]) is None:
                continue
            plain = subprocess.run(command, capture_output=True)
            ours = self.record(*command)
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr),
                             (plain.returncode, plain.stdout, plain.stderr), command)

    def test_standard_input_reaches_the_program(self):
        self.assertEqual(self.record("cat", input=b"some bytes\0more").stdout, b"some bytes\0more")

    def test_environment_and_descriptors_are_the_programs_own(self):
        code = ("import os,resource,signal; print(sorted(os.listdir('/proc/self/fd')), resource.getrlimit(7),"
                "signal.pthread_sigmask(0, []), [signal.getsignal(s) for s in (1, 2, 3, 13, 15, 18, 20, 25)],"
                "[k for k in sorted(os.environ) if k not in ('LD_PRELOAD', 'GPROFX_SESSION', 'CUDA_INJECTION64_PATH', 'NVTX_INJECTION64_PATH')], os.getcwd())")
        plain = subprocess.run([PYTHON, "-c", code], capture_output=True)
        self.assertEqual(self.record(PYTHON, "-c", code).stdout, plain.stdout)

    def test_an_existing_preload_is_kept(self):
        run = self.record("sh", "-c", "echo $LD_PRELOAD", env=dict(os.environ, LD_PRELOAD="libm.so.6"))
        self.assertTrue(run.stdout.endswith(b"libgprofx-agent.so:libm.so.6\n"), run.stdout)

    def test_quiet_says_nothing_and_loud_says_one_line(self):
        self.assertEqual(self.record("true").stderr, b"")
        run = subprocess.run([GPROFX, "record", "-o", self.path, "true"], capture_output=True)
        self.assertRegex(run.stderr.decode(), r"^gprof-x: [\d,]+ samples, [\d.]+ s -> .*p.gprofx \(report: .*\)\n$")


class BadInput(LauncherTest):
    def refused(self, *arguments):
        marker = os.path.join(self.folder, "started")
        run = subprocess.run([GPROFX, "record", *arguments, "--", "touch", marker], capture_output=True, text=True)
        self.assertEqual(run.returncode, 125, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertFalse(os.path.exists(marker))
        return run.stderr

    def test_each_mistake_is_one_line_and_starts_nothing(self):
        self.assertIn("'--no-such-option'", self.refused("--no-such-option"))
        self.assertIn("'--outp'", self.refused("--outp", "x"))
        for rate in ("0", "1e9", "-5", "fast", "20001", "nan", ""):
            self.refused("-F", rate)
        self.refused("--clock", "sun")
        self.refused("--duration", "0")
        self.refused("--delay", "-1")
        self.refused("-q", "-v")
        self.assertIn("/no/such/folder", self.refused("-o", "/no/such/folder/p.gprofx"))
        self.refused("-o", self.folder)

    def test_no_command(self):
        for arguments in ((), ("--",), ("-F", "99")):
            run = subprocess.run([GPROFX, "record", *arguments], capture_output=True, text=True)
            self.assertEqual(run.returncode, 125)
            self.assertIn("no command", run.stderr)

    def test_read_only_folder(self):
        target = self.folder
        if os.geteuid() == 0:
            target = "/proc/self"  # nobody may make files there, not even root
        else:
            os.chmod(self.folder, 0o500)
        error = self.refused("-o", target + "/p.gprofx")
        os.chmod(self.folder, 0o700)
        self.assertIn(target, error)

    def test_full_disk_lets_the_program_finish(self):
        mount = os.path.join(self.folder, "small")
        os.mkdir(mount)
        script = ("mount -t tmpfs -o size=64k none %s && cd %s && dd if=/dev/zero of=filler bs=1k count=48 2>/dev/null && "
                  "exec %s record -o p.gprofx -- %s %s 2.5" % (mount, mount, GPROFX, PYTHON, self.spin))
        probe = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", mount], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("no small file system can be mounted here")
        run = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 125, run.stderr)  # the program succeeded, the profile did not
        self.assertLessEqual(run.stderr.count("\n"), 2, run.stderr)
        self.assertRegex(run.stderr, "full|space")
        run = subprocess.run(["unshare", "-rm", "sh", "-c", script.replace(" 2.5", " 1.5; exit 3").replace("exec ", "")],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 3, run.stderr)


class Signals(LauncherTest):
    WAITER = """
import os, signal, sys, time
def note(number, frame):
    os.write(1, b"got %d\\n" % number)  # print cannot interrupt itself
    if number in (signal.SIGTERM, signal.SIGINT): sys.exit(9)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGWINCH):
    signal.signal(number, note)
print("ready", flush=True)
end = time.monotonic() + 30
while time.monotonic() < end: time.sleep(0.01)
"""

    def waiter(self, **more):
        run = self.start(PYTHON, self.write("waiter.py", self.WAITER), **more)
        self.assertEqual(run.stdout.readline(), b"ready\n")
        return run

    def test_signals_to_the_launcher_reach_the_program_once(self):
        run = self.waiter()
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGWINCH):
            run.send_signal(number)
            self.assertEqual(run.stdout.readline(), b"got %d\n" % number)
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate(timeout=30)
        self.assertEqual(out, b"got %d\n" % signal.SIGTERM)
        self.assertEqual(run.returncode, 9)
        self.assertEqual(self.profile().meta["complete"], "yes")

    def test_interrupt_by_kill_is_forwarded(self):
        run = self.waiter()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.communicate(timeout=30)[0], b"got %d\n" % signal.SIGINT)
        self.assertEqual(run.returncode, 9)

    def on_terminal(self, code):
        script = self.write("terminal.py", code)
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(GPROFX, self.arguments(PYTHON, script))
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, text, seconds=30):
        seen, end = b"", time.monotonic() + seconds
        while text not in seen:
            self.assertLess(time.monotonic(), end, seen)
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 4096)
                except OSError:
                    break
        self.assertIn(text, seen)

    def finish(self, pid, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got, status = os.waitpid(pid, os.WNOHANG)
            if got:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.fail("gprof-x did not end")

    def test_ctrl_c_reaches_the_program_once_and_the_profile_is_written(self):
        pid, terminal = self.on_terminal(self.WAITER)
        self.read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        self.read_until(terminal, b"got 2")
        self.assertEqual(self.finish(pid), 9)
        self.assertEqual(self.profile().meta["complete"], "yes")

    def test_second_ctrl_c_ends_a_program_that_does_not(self):
        pid, terminal = self.on_terminal(
            "import signal,time\nsignal.signal(2, signal.SIG_IGN)\nprint('ready', flush=True)\n"
            "end = time.monotonic() + 60\nwhile time.monotonic() < end: sum(range(1000))\n")
        self.read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        self.assertEqual(self.finish(pid), 128 + signal.SIGKILL)
        self.assertEqual(self.profile().meta["complete"], "yes")

    def test_ctrl_z_stops_both_and_cont_resumes_both(self):
        # A group of its own, as a shell makes it: in an orphaned group the kernel ignores SIGTSTP.
        run = self.waiter(preexec_fn=os.setpgrp)
        child = children_of(run.pid)[0]
        state = process_state
        run.send_signal(signal.SIGTSTP)
        wait_for(lambda: state(run.pid) == "T" and state(child) == "T")
        run.send_signal(signal.SIGCONT)
        wait_for(lambda: state(run.pid) != "T" and state(child) != "T")
        run.terminate()
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 9)


class Killed(LauncherTest):
    def test_killed_program_leaves_a_profile_up_to_its_end(self):
        missing = []
        for _ in range(KILLS):
            run = self.start(PYTHON, "-c", "print('begun', flush=True)\n" + SPIN, "30")
            self.assertEqual(run.stdout.readline(), b"begun\n")
            time.sleep(random.uniform(0.2, 1.2))
            child = wait_for(lambda: children_of(run.pid))[0]
            begin = time.monotonic()
            os.kill(child, signal.SIGKILL)
            run.communicate(timeout=60)
            self.assertEqual(run.returncode, 128 + signal.SIGKILL)
            profile = self.profile()
            self.assertEqual(profile.meta["complete"], "yes")
            missing.append(int(profile.meta["duration_ns"]) - profile.last_sample())
        # Half of them, as a program that had no processor has no sample: what came since the last commit would be half a second.
        self.assertLess(statistics.median(missing), SECOND // 10, missing)

    def test_killed_launcher_leaves_a_profile_and_the_program_runs_on(self):
        missing = []
        for _ in range(KILLS):
            run = self.start(PYTHON, "-c", "print('begun', flush=True)\n" + SPIN + "\nopen(sys.argv[2], 'w').write('done')",
                             "2.6", os.path.join(self.folder, "done"), start_new_session=True)
            self.assertEqual(run.stdout.readline(), b"begun\n")
            begin = time.monotonic()
            child = wait_for(lambda: children_of(run.pid))[0]
            time.sleep(random.uniform(1.2, 1.8))
            lived = time.monotonic() - begin
            run.kill()
            run.wait()
            profile = self.profile()
            self.assertEqual(profile.meta["complete"], "no")
            missing.append(lived - profile.last_sample() / SECOND)
            self.assertTrue(is_alive(child))
            wait_for(lambda: not is_alive(child))
            self.assertTrue(os.path.exists(os.path.join(self.folder, "done")))
            os.remove(os.path.join(self.folder, "done"))
            run.communicate()
        # Half of them, as a disk may be slow: where two seconds may be missing all of it is.
        self.assertLess(statistics.median(missing), 1.0, missing)


class NotProfiled(LauncherTest):
    def test_static_program_runs_and_is_said_so(self):
        program = self.compile("static", '#include <stdio.h>\nint main() { puts("hello"); return 5; }', "-static")
        run = self.record(program)
        self.assertEqual((run.returncode, run.stdout), (5, b"hello\n"))
        self.assertEqual(run.stderr.decode(), "gprof-x: not profiled: %s is statically linked\n" % program)
        profile = self.profile()
        self.assertIn("statically linked", profile.meta["problems"])
        self.assertEqual(profile.quality["samples"], 0)

    def test_privileged_program_runs_and_is_said_so(self):
        program = self.compile("privileged", '#include <stdio.h>\nint main() { puts("hello"); return 5; }')
        if os.geteuid() == 0:
            os.chown(program, 65534, 65534)
        else:
            self.skipTest("needs root to make a program of another user")
        os.chmod(program, 0o4755)
        os.chmod(self.folder, 0o755)
        run = self.record(program)
        self.assertEqual((run.returncode, run.stdout), (5, b"hello\n"))
        self.assertEqual(run.stderr.count(b"\n"), 1)
        self.assertIn(b"privileged", run.stderr)

    @unittest.skipIf(platform.machine() != "x86_64", "this machine's compiler makes no 32-bit programs")
    def test_32_bit_program_runs_without_complaint_of_the_loader(self):
        program = self.compile("small", "int main() { return 5; }", "-m32")
        run = self.record(program)
        self.assertEqual(run.returncode, 5)
        self.assertEqual(run.stderr.count(b"\n"), 1)


class Children(LauncherTest):
    def test_daemon_that_outlives_the_command_is_waited_for_two_seconds(self):
        run = self.record("sh", "-c", "%s %s 60 >/dev/null 2>&1 & echo $!; sleep 0.5; exit 3" % (PYTHON, self.spin))
        daemon = int(run.stdout)
        self.assertTrue(is_alive(daemon))  # it was not waited for to its end
        os.kill(daemon, signal.SIGKILL)
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"outlive", run.stderr)
        profile = self.profile()
        self.assertLess(int(profile.meta["duration_ns"]), 20 * SECOND)
        self.assertIn("outlived", profile.meta["problems"])
        # How long it took is what its samples and its CPU time are of.
        self.assertGreater(int(profile.meta["duration_ns"]), 1.8 * SECOND)

    def test_two_hundred_forked_children(self):
        code = ("import os\nfor i in range(200):\n  if os.fork() == 0:\n    sum(range(20000)); os._exit(0)\n"
                "for i in range(200): os.wait()\n")
        run = self.record(PYTHON, "-c", code)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        profile = self.profile()
        parent = profile.rows("SELECT pid FROM process ORDER BY start_ns DESC")  # all rows, newest first
        self.assertGreaterEqual(len(parent), 200 - profile.quality["processes_without_region"])

    def test_ways_to_start_a_process(self):
        code = """
import multiprocessing, os, subprocess, sys
def burn(n):
    return sum(i * i for i in range(n))
if __name__ == "__main__":
    subprocess.run([sys.executable, "-c", "sum(range(3000000))"], check=True)
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", "sum(range(3000001))"], os.environ), 0)
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "sum(range(3000002))"])
    os.wait()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            pool.map(burn, [200000] * 8)
    print("ok")
"""
        run = self.record(PYTHON, self.write("starter.py", code))
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, b"ok\n", b""))
        commands = self.profile().process_commands()
        for number in ("3000000", "3000001", "3000002"):
            self.assertTrue(any(number in command for command in commands), number)
        self.assertTrue(any("multiprocessing" in command and "spawn" in command for command in commands), commands)

    def test_children_no_records_the_command_only(self):
        code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(3000000))'])"
        self.record("sh", "-c", "exec %s -c \"%s\"" % (PYTHON, code), options=("--children", "no"))
        profile = self.profile()
        self.assertEqual(len(profile.rows("SELECT DISTINCT pid FROM process")), 1)


class Times(LauncherTest):
    def test_rate_and_accounting(self):
        self.record(PYTHON, self.spin, "2")
        profile = self.profile()
        measured, accounted = profile.quality["cpu_measured_ns"], profile.quality["cpu_accounted_ns"]
        self.assertLess(abs(accounted + profile.quality["lost_ns"] - measured), 0.05 * measured)

    def check_accounted(self, profile, most, used):
        """As much as it ran while samples were taken: on a busy machine less than that time. `used`: seconds of CPU time of all of it."""
        measured, accounted = profile.quality["cpu_measured_ns"], profile.quality["cpu_accounted_ns"]
        self.assertLess(accounted / SECOND, most)
        self.assertGreater(accounted / SECOND, used / 10)
        self.assertLess(abs(accounted + profile.quality["lost_ns"] - measured), 0.05 * measured)

    def test_delay_and_duration(self):
        begin, used = time.monotonic(), used_by_children()
        self.record(PYTHON, self.spin, "3", options=("--delay", "1", "--duration", "1"))
        self.assertGreater(time.monotonic() - begin, 3)
        used = used_by_children() - used
        profile = self.profile()
        first = profile.rows("SELECT min(t_begin) FROM chunk JOIN stream ON stream.id = chunk.stream"
                             " WHERE stream.name = 'cpu samples'")[0][0]
        opened, closed = (int(profile.meta["window_%s_ns" % which]) / SECOND for which in ("begin", "end"))
        # A recorder that has no processor opens and closes it late.
        self.assertTrue(0.95 < opened < 1.8, opened)
        self.assertTrue(0.95 < closed - opened < 1.8, (opened, closed))
        self.assertGreater(first / SECOND, opened - 0.05)
        self.assertLess(profile.last_sample() / SECOND, closed + 0.1)
        self.check_accounted(profile, closed - opened + 0.1, used)
        # Hardly a signal comes before, and none behind.
        self.assertLess(profile.quality.get("skipped_paused", 0), 60)

    def test_pauses_have_no_time_and_hardly_a_signal(self):
        control, out, back = command_fifos(self, self.folder)
        begin, used = time.monotonic(), used_by_children()
        with subprocess.Popen([GPROFX, "record", "-q", "-o", self.path, "--control", control, "--", PYTHON, self.spin, "4"],
                              stdin=subprocess.DEVNULL) as run:
            paused = surely = longest = 0
            for at in (1, 2, 3):
                time.sleep(max(0, begin + at - time.monotonic()))
                asked = time.monotonic()
                os.write(out, b"level off\n")
                self.assertEqual(os.read(back, 4), b"ack\n")
                since = time.monotonic()
                time.sleep(0.5)
                surely += time.monotonic() - since
                os.write(out, b"level auto\n")
                self.assertEqual(os.read(back, 4), b"ack\n")
                longest += time.monotonic() - asked
                paused += time.monotonic() - since
            self.assertEqual(run.wait(), 0)
        profile = self.profile()
        # With its start; the pauses are one and a half seconds.
        self.check_accounted(profile, 4 - paused + 0.9, used_by_children() - used)
        self.assertLess(surely - 0.01, profile.quality["paused_ns"] / SECOND)
        self.assertLess(profile.quality["paused_ns"] / SECOND, longest + 0.01)
        head = subprocess.run([GPROFX, "report", "--top", "1", self.path], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertRegex(head, r"paused for [\d.]+ s\s+\(--control\)")
        self.assertLess(profile.quality["skipped_paused"], 100)

    def test_wall_clock_counts_waiting_without_waking(self):
        code = ("import threading, time\n"
                "def sleeper(): time.sleep(2)\n"
                "t = threading.Thread(target=sleeper); t.start()\n"
                "end = time.monotonic() + 2\n"
                "while time.monotonic() < end: sum(range(1000))\n"
                "t.join()\n")
        self.record(PYTHON, "-c", code, options=("--clock", "wall"))
        profile = self.profile()
        threads = profile.rows("SELECT id, end_ns - start_ns FROM thread WHERE end_ns - start_ns > 1500000000")
        self.assertGreaterEqual(len(threads), 2)
        profile_wall = sum(wall for _, wall in threads)
        self.assertLess(abs(profile.quality["cpu_accounted_ns"] - profile_wall), 0.05 * profile_wall)

    def test_wall_clock_leaves_sleeping_threads_alone(self):
        program = self.compile("sleeper", """
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <poll.h>
int main() {
  int broken = 0;
  for (int i = 0; i < 40; ++i) {
    struct timespec t = {0, 30000000};
    if (nanosleep(&t, 0) != 0) ++broken;
    if (poll(0, 0, 20) < 0) ++broken;
    for (volatile int k = 0; k < 100000; ++k) {}
  }
  printf("%d\\n", broken);
}""")
        # 80 sleeps of more than a period each: a sampler that signals sleeping threads breaks nearly all of them. One that falls
        # asleep before the signal comes has bad luck, which is more where a processor is taken away in between.
        broken = int(self.record(program, options=("--clock", "wall")).stdout)
        self.assertLessEqual(broken, 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
