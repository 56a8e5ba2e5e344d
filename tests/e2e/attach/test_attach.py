#!/usr/bin/env python3
"""gprof-x record --pid: Python programs that run already are recorded, and do not notice; who is refused and why."""
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from attach_support import Attach, ENTERED, REJECTED, WORK, setUpModule
from launcher_support import GPROFX, PYTHON, cpu_seconds, is_alive, process_state, wait_for, wait_for_work
from profile_support import by_chance


class Python(Attach):
    def test_names_and_shares_and_a_program_left_as_it_was(self):
        target = self.begin(PYTHON, "-c", WORK)
        wait_for_work(target.pid, 1)  # which is not the recording's
        before, used = self.caught(target.pid), cpu_seconds(target.pid)
        run = self.attach_at_work(target, seconds="1.5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        used = cpu_seconds(target.pid) - used
        self.wait_for_state(target.pid, before)
        rows, profile = self.report(), self.profile()
        self.assertAlmostEqual(rows["hot"] / (rows["hot"] + rows["cold"]), 0.75, delta=by_chance(profile.quality["samples"], 0.75))
        self.assertEqual(profile.meta["attached"], str(target.pid))
        measured = profile.quality["cpu_measured_ns"]
        self.assertGreater(measured, 0)
        self.assertLess(measured / 1e9, used + 0.1)  # nothing of before
        self.assertAlmostEqual(profile.quality["cpu_accounted_ns"] / measured, 1, delta=0.02)
        self.end(target)

    def test_again_and_again(self):
        target = self.begin(PYTHON, "-c", WORK)
        for _ in range(5):
            run = self.attach_at_work(target, seconds="0.15")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("hot", self.report())
        with open("/proc/%d/maps" % target.pid) as file:
            self.assertNotIn("memfd:gprof-x", file.read())
        self.end(target)

    def test_interrupt_ends_the_recording_and_not_the_program(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        wait_for_work(target.pid, 0.2)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(20), 0)
        recorder.stderr.close()
        self.assertIn("hot", self.report())
        self.end(target)

    def test_the_end_of_the_program_ends_the_recording(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        wait_for_work(target.pid, 0.2)
        self.end(target)
        self.assertEqual(recorder.wait(20), 0)
        recorder.stderr.close()
        self.assertIn("hot", self.report())

    def test_a_killed_recorder_leaves_a_program_that_runs_and_can_be_recorded_again(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        recorder.kill()
        recorder.communicate()
        wait_for_work(target.pid, 0.2)
        self.assertTrue(is_alive(target.pid))
        run = self.attach_at_work(target)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("hot", self.report())
        self.end(target)

    def test_a_recorder_that_nobody_waited_for_is_gone(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path + "1", "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.communicate)
        self.assertIn("recording process", recorder.stderr.readline())
        recorder.kill()
        wait_for(lambda: process_state(recorder.pid) == "Z")
        run = self.attach_at_work(target)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("hot", self.report())
        self.end(target)

    def test_one_recording_at_a_time(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path + "1", "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        run = self.attach(target.pid)
        self.assertEqual(run.returncode, 125)
        self.assertIn("is already being recorded by gprof-x", run.stderr)
        recorder.send_signal(signal.SIGTERM)
        self.assertEqual(recorder.wait(20), 0)
        recorder.stderr.close()
        self.end(target)

    def test_a_signal_handler_of_the_program_and_an_ignored_signal(self):
        for number, action in [(n, a) for n in (signal.SIGPROF, signal.SIGURG) for a in ("signal.SIG_IGN", "lambda *a: seen.append(1)")]:
            text = "import signal\nseen = []\nsignal.signal(%d, %s)\n" % (number, action) + WORK
            target = self.begin(PYTHON, "-c", text.replace("print('ended')", "print('ended', len(seen))"))
            before = self.caught(target.pid)
            for _ in range(2):
                run = self.attach(target.pid, seconds="0.2")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.wait_for_state(target.pid, before)
            own = 0
            if "seen.append" in action:
                target.send_signal(number)
                wait_for_work(target.pid, 0.05)
                own = 1
            self.end(target, "ended %d\n" % own)

    def test_by_words_of_the_command_line(self):
        name = self.write("train_this.py", WORK)
        target = self.begin(PYTHON, name, "--epochs", "3")
        run = subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--attach", "train_this.py --epochs", "--duration", "0.3"],
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        second = self.begin(PYTHON, name)
        run = subprocess.run([GPROFX, "record", "-o", self.path, "--attach", "train_this.py"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 125)
        for pid in (target.pid, second.pid):
            self.assertIn("%d %s" % (pid, PYTHON), run.stderr)
        self.end(target)
        self.end(second)

    def test_children_are_recorded_if_wanted(self):
        text = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'def busy(): sum(range(1000))\\nwhile True: busy()'])
print('begun', flush=True)
while 'gprof-x' not in open('/proc/%d/maps' % child.pid).read(): time.sleep(0.02)
""" + ENTERED + """
pid = os.fork()
if pid == 0:
    end = time.process_time() + 0.5
    def forked(): sum(range(1000))
    while time.process_time() < end: forked()
    os._exit(0)
os.waitpid(pid, 0)
child.kill(); child.wait()
print('ended')
sys.exit(3)
"""
        target = self.begin(PYTHON, "-c", text)
        run = self.attach(target.pid, "--children", "yes", seconds="")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(target.communicate(timeout=20), ("ended\n", ""))
        self.assertLessEqual({"busy", "forked"}, set(self.report()))

    def test_a_child_that_becomes_another_program_and_one_that_sleeps(self):
        text = """
import os, sys, time
print('begun', flush=True)
""" + ENTERED + """
def forked(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: sum(range(1000))
if os.fork() == 0:
    forked(2)
    os.execv(sys.executable, [sys.executable, sys.argv[1]])
if os.fork() == 0:
    time.sleep(3)
    os._exit(0)
for _ in range(2): os.wait()
print('ended')
sys.exit(3)
"""
        other = self.write("other.py", "import time\nend = time.process_time() + 3\ndef after_exec(): sum(range(1000))\n"
                           "while time.process_time() < end: after_exec()\n")
        target = self.begin(PYTHON, "-W", "ignore", "-c", text, other)
        run = self.attach(target.pid, "--children", "yes", seconds="")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(target.communicate(timeout=20), ("ended\n", ""))
        self.assertLessEqual({"after_exec", "forked"}, set(self.report()))

    def test_children_that_cannot_be_entered_hold_up_nothing(self):
        stuck = self.compile("stuck", REJECTED)
        text = "import subprocess\nchildren = [subprocess.Popen([%r], stdout=subprocess.DEVNULL) for _ in range(4)]\n" % stuck + \
            WORK.replace("print('ended')", "[c.kill() for c in children]; [c.wait() for c in children]; print('ended')")
        target = self.begin(PYTHON, "-c", text)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--children", "yes", "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        begin = time.monotonic()
        self.assertIn("recording process", recorder.stderr.readline())
        wait_for_work(target.pid, 0.3)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=30)
        self.assertEqual(recorder.returncode, 0)
        self.assertLess(time.monotonic() - begin, 9)  # 3 s for each of them would be 12
        self.assertIn("hot", self.report())
        self.end(target)

    def test_threads_that_are_born_later(self):
        text = WORK.replace("while not stop:", "import threading\ndef later():\n    while not stop: cold(1000)\n" + ENTERED +
                            "for _ in range(4): threading.Thread(target=later).start()\nwhile not stop:")
        target = self.begin(PYTHON, "-c", text)
        run = self.attach(target.pid, seconds="2.5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        profile = self.profile()
        (threads,), = profile.rows("SELECT count(*) FROM thread")
        self.assertEqual(threads, 5)
        self.end(target)


class Refusals(Attach):
    def refused(self, pid, *words):
        run = self.attach(pid)
        self.assertEqual(run.returncode, 125, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_who_is_refused_and_why(self):
        self.refused(4194304, "there is no process 4194304")
        self.refused(2, "is a kernel thread") if not os.path.exists("/proc/2/exe") and os.path.exists("/proc/2") else None
        ended = subprocess.Popen(["true"])
        wait_for(lambda: process_state(ended.pid) == "Z")
        self.refused(ended.pid, "zombie")
        ended.wait()
        target = self.begin(PYTHON, "-c", "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()\n" + WORK)
        tid = [t for t in map(int, os.listdir("/proc/%d/task" % target.pid)) if t != target.pid][0]
        self.refused(tid, "is a thread of process %d" % target.pid, "use --pid %d" % target.pid)
        target.send_signal(signal.SIGSTOP)
        wait_for(lambda: process_state(target.pid) == "T")
        self.refused(target.pid, "is stopped", "kill -CONT %d" % target.pid)
        target.send_signal(signal.SIGCONT)
        self.end(target)

    def test_traced(self):
        target = self.begin(PYTHON, "-c", WORK)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        if libc.ptrace(0x4206, target.pid, None, None) != 0:  # PTRACE_SEIZE
            self.skipTest("ptrace is not permitted here")
        self.refused(target.pid, "is traced by process %d" % os.getpid())
        libc.ptrace(0x4207, target.pid, None, None)  # PTRACE_INTERRUPT
        os.waitpid(target.pid, 0x40000000)
        libc.ptrace(17, target.pid, None, None)  # PTRACE_DETACH
        self.end(target)

    def test_the_first_thread_has_ended(self):
        program = self.compile("orphaned", r"""
            #include <pthread.h>
            #include <stdio.h>
            #include <unistd.h>
            static void* goes_on(void* x) { sleep(20); return x; }
            int main(void) { pthread_t t; pthread_create(&t, 0, goes_on, 0); puts("begun"); fflush(stdout); pthread_exit(0); }""", "-pthread")
        target = self.begin(program)
        wait_for(lambda: process_state(target.pid) == "Z")
        self.refused(target.pid, "process %d: its first thread has ended" % target.pid, "record -- COMMAND")
        target.kill()

    def test_stopped_while_the_agent_is_loaded(self):
        library = self.compile("libslow.so", "#include <unistd.h>\n__attribute__((constructor)) static void init(void) { for (int i = 0; i < 40; ++i) usleep(100000); }",
                               "-shared", "-fPIC")
        program = self.compile("loads", r"""
            #include <dlfcn.h>
            #include <poll.h>
            #include <pthread.h>
            #include <signal.h>
            #include <stdio.h>
            static volatile sig_atomic_t stop;
            static void on_signal(int s) { (void)s; stop = 1; }
            static void* loads(void* x) { return dlopen(x, RTLD_NOW); }
            int main(int argc, char** argv) {
              pthread_t t; signal(SIGUSR1, on_signal); (void)argc;
              pthread_create(&t, 0, loads, argv[1]); poll(0, 0, 200); puts("begun"); fflush(stdout);
              while (!stop) poll(0, 0, 100);
              pthread_join(t, 0); puts("ended"); return 3; }""", "-pthread", "-ldl")
        target = self.begin(program, library)
        threading.Timer(1.5, target.send_signal, [signal.SIGSTOP]).start()
        self.refused(target.pid, "is stopped", "kill -CONT")
        target.send_signal(signal.SIGCONT)
        self.end(target)

    def test_a_thread_that_another_one_traces(self):
        """The first thread is never at a safe place, so that the other one is tried."""
        text = REJECTED.replace("int main(void) {", "static void* sleeps(void* x) { while (!stop) poll(0, 0, 100); return x; }\n"
                                "int main(void) { pthread_t other; pthread_create(&other, 0, sleeps, 0);").replace('puts("ended")', 'pthread_join(other, 0); puts("ended")')
        program = self.compile("two", "#define _GNU_SOURCE\n#include <poll.h>\n#include <pthread.h>\n" + text, "-pthread")
        target = self.begin(program)
        tid = [t for t in map(int, os.listdir("/proc/%d/task" % target.pid)) if t != target.pid][0]
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        if libc.ptrace(0x4206, tid, None, None) != 0:  # PTRACE_SEIZE
            self.skipTest("ptrace is not permitted here")
        self.refused(target.pid, "is traced by process %d" % os.getpid(), "end that debugger")
        libc.ptrace(0x4207, tid, None, None)  # PTRACE_INTERRUPT
        os.waitpid(tid, 0x40000000)
        libc.ptrace(17, tid, None, None)  # PTRACE_DETACH
        self.assertEqual(self.attach(target.pid).returncode, 0)
        self.end(target)

    def test_static(self):
        program = self.compile("static", "#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts(\"begun\"); fflush(stdout); sleep(20); return 0; }",
                               "-static")
        target = self.begin(program)
        self.refused(target.pid, "is statically linked")
        target.kill()

    def test_confined(self):
        text = "import ctypes, threading\nlibc = ctypes.CDLL(None)\nlibc.prctl(38, 1, 0, 0, 0)\n" \
               "class Filter(ctypes.Structure): _fields_ = [('n', ctypes.c_ushort), ('f', ctypes.c_void_p)]\n" \
               "code = ctypes.create_string_buffer(bytes([6, 0, 0, 0, 0, 0, 0xff, 0x7f]))\n" \
               "filter = Filter(1, ctypes.addressof(code))\n" \
               "def confine():\n    assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0\n    confined.set()\n" \
               "    threading.Event().wait()\n" \
               "confined = threading.Event()\n"
        for confine in ("confined.wait = lambda: None; threading.Event.wait = lambda *_: None; confine()\n",
                        "threading.Thread(target=confine, daemon=True).start(); confined.wait()\n"):
            target = self.begin(PYTHON, "-c", text + confine + WORK)
            self.refused(target.pid, "seccomp", "record -- COMMAND")
            self.end(target)

    @unittest.skipIf(os.getuid() != 0, "needs root to become another user")
    def test_another_user(self):
        target = self.begin(PYTHON, "-c", WORK)
        os.chmod(self.folder, 0o777)
        run = subprocess.run([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], capture_output=True, text=True, user=65534)
        if "Permission" in run.stderr or run.returncode in (126, 127):
            self.skipTest("another user cannot run gprof-x here")
        self.assertEqual(run.returncode, 125)
        self.assertIn("it runs as another user (uid 0)", run.stderr)
        self.end(target)

    @unittest.skipIf(os.getuid() != 0, "needs root to start a program as another user")
    def test_root_records_the_program_of_a_user(self):
        python = "/usr/bin/python3"  # of the system: ours may be in a folder that only root reads
        if not os.access(python, os.X_OK):
            self.skipTest("no " + python)
        target = self.begin(python, "-c", WORK, user=65534)
        run = self.attach_at_work(target)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("hot", self.report())
        self.end(target)

    def test_options_that_exclude_each_other(self):
        for words in (["--pid", "1", "true"], ["--pid", "1", "--attach", "x"], ["--pid", "0"], ["--pid", "x"], ["--attach", ""],
                      ["--pid", "1", "--memory", "yes"]):
            run = subprocess.run([GPROFX, "record", *words], capture_output=True, text=True)
            self.assertEqual(run.returncode, 125)
            self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
