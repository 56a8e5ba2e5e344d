#!/usr/bin/env python3
"""gprof-x record --pid: what a program does after a recording, and between two."""
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from attach_support import Attach, ENTERED, WORK, setUpModule
from launcher_support import GPROFX, PYTHON, is_alive, wait_for


class AfterAndBetween(Attach):
    """What the agent leaves behind must be of no harm to what the program does later."""

    def read(self, path):
        with open(path) as file:
            return file.read()

    def record_twice(self, target, middle=lambda: None):
        for _ in range(2):
            run = self.attach_at_work(target, seconds="0.2")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            middle()

    def test_a_fork_after_the_recording(self):
        text = WORK.replace("while not stop:", "import os\nwhile not stop:").replace("print('ended')", """
for _ in range(20):
    pid = os.fork()
    if pid == 0: os._exit(7)
    assert os.waitpid(pid, 0)[1] == 7 << 8
print('ended')""")
        target = self.begin(PYTHON, "-c", text)
        self.record_twice(target)
        self.end(target)

    def test_forks_while_it_is_left(self):
        text = WORK.replace("while not stop:", """
import os, threading
def forks():
    while not stop:
        pid = os.fork()
        if pid == 0: os._exit(7)
        if os.waitpid(pid, 0)[1] != 7 << 8: print('a child crashed')
threading.Thread(target=forks).start()
while not stop:""")
        target = self.begin(PYTHON, "-W", "ignore", "-c", text)
        self.record_twice(target)
        self.end(target)

    def test_threads_of_a_recording_end_after_another_one(self):
        program = self.compile("thr", r"""
            #include <pthread.h>
            #include <signal.h>
            #include <stdio.h>
            #include <unistd.h>
            static volatile sig_atomic_t stop;
            static void on_signal(int s) { (void)s; stop = 1; }
            static void* waits(void* x) { volatile long n = 0; while (!stop) ++n; return x; }
            int main(void) {
              signal(SIGUSR1, on_signal);
              pthread_t t[3]; for (int i = 0; i < 3; ++i) pthread_create(&t[i], 0, waits, 0);
              printf("begun %d\n", (int)getpid()); fflush(stdout);
              for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
              pthread_create(&t[0], 0, waits, 0); pthread_join(t[0], 0);
              puts("ended"); fflush(stdout); return 3; }""", "-pthread")
        for again in (0, 1, 2):
            output, status = os.path.join(self.folder, "out"), os.path.join(self.folder, "status")
            script = "%s >%s; echo $? >%s" % (program, output, status)
            recorder = subprocess.Popen([GPROFX, "record", "-q", "-o", self.path + "0", "--", "/bin/sh", "-c", script], start_new_session=True)
            wait_for(lambda: os.path.exists(output) and os.path.getsize(output), 10)
            pid = int(self.read(output).split()[1])
            self.addCleanup(lambda: is_alive(pid) and os.kill(pid, signal.SIGKILL))
            time.sleep(0.2)
            recorder.kill()
            recorder.wait()
            for _ in range(again):
                run = self.attach(pid, seconds="0.2")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
            os.kill(pid, signal.SIGUSR1)
            wait_for(lambda: os.path.exists(status) and os.path.getsize(status), 10)
            self.assertEqual(self.read(status), "3\n")
            os.remove(output)
            os.remove(status)

    def test_a_fork_child_that_never_ran_for_a_recorder_that_is_gone(self):
        """The timer that would have taken it into that recording ends with it."""
        program = self.compile("forks", r"""
            #include <signal.h>
            #include <stdio.h>
            #include <sys/wait.h>
            #include <time.h>
            #include <unistd.h>
            static volatile sig_atomic_t go;
            static void on_signal(int s) { (void)s; go = 1; }
            int main(void) {
              int status;
              pid_t child = fork();
              if (child == 0) {
                signal(SIGUSR1, on_signal);
                printf("begun %d\n", (int)getpid()); fflush(stdout);
                while (!go) usleep(20000);
                for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) {}
                _exit(3);
              }
              waitpid(child, &status, 0);
              printf("%x\n", status); return 0; }""")
        output = os.path.join(self.folder, "out")
        with open(output, "w") as file:
            recorder = subprocess.Popen([GPROFX, "record", "-q", "-o", self.path + "0", "--", program], stdout=file, start_new_session=True)
        wait_for(lambda: os.path.getsize(output), 10)
        pid = int(self.read(output).split()[1])
        self.addCleanup(lambda: is_alive(pid) and os.kill(pid, signal.SIGKILL))
        recorder.kill()
        recorder.wait()
        run = self.attach(pid, seconds="0.2")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        os.kill(pid, signal.SIGUSR1)
        wait_for(lambda: len(self.read(output).split()) == 3, 10)
        self.assertEqual(self.read(output).split()[2], "300")

    def test_handlers_of_faults_that_were_set_meanwhile(self):
        """Each passes on to what it found, which was ours: set, recorded again, in front of another one."""
        program = self.compile("chain", r"""
            #include <signal.h>
            #include <stdio.h>
            #include <string.h>
            #include <unistd.h>
            static struct sigaction before[3];
            static void pass(int k, int s, siginfo_t* i, void* c) {
              char text[] = "handler 0\n"; text[8] += k; write(1, text, 10);
              if (before[k].sa_handler == SIG_DFL) { signal(s, SIG_DFL); raise(s); return; }
              before[k].sa_sigaction(s, i, c);
            }
            static void h0(int s, siginfo_t* i, void* c) { pass(0, s, i, c); }
            static void h1(int s, siginfo_t* i, void* c) { pass(1, s, i, c); }
            static void h2(int s, siginfo_t* i, void* c) { pass(2, s, i, c); }
            int main(void) {
              void (*all[3])(int, siginfo_t*, void*) = {h0, h1, h2};
              puts("begun"); fflush(stdout);
              char c; struct sigaction a; memset(&a, 0, sizeof a); a.sa_flags = SA_SIGINFO;
              for (int n = 0; read(0, &c, 1) == 1; ++n) {
                a.sa_sigaction = all[n]; sigaction(SIGSEGV, &a, &before[n]); puts("set"); fflush(stdout); }
              volatile int* null = 0; *null = 1;
              return 0; }""")
        target = self.begin(program, stdin=subprocess.PIPE)
        for _ in range(3):
            recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
            self.assertIn("recording process", recorder.stderr.readline())
            target.stdin.write("x")
            target.stdin.flush()
            self.assertEqual(target.stdout.readline(), "set\n")
            recorder.send_signal(signal.SIGINT)
            self.assertEqual(recorder.wait(20), 0)
            recorder.stderr.close()
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        out, _ = target.communicate(timeout=20)
        recorder.communicate(timeout=20)
        self.assertEqual((out, target.returncode), ("handler 2\nhandler 1\nhandler 0\n", -signal.SIGSEGV))

    def test_faulthandler_is_enabled_between(self):
        text = "import faulthandler, sys\nprint('begun', flush=True)\nfor line in sys.stdin: exec(line); print('done', flush=True)\n"
        for last, dumps in (("pass", 1), ("faulthandler.disable()", 0)):
            target = self.begin(PYTHON, "-u", "-c", text, stdin=subprocess.PIPE)
            for command in ("faulthandler.enable()", "pass", last):
                recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
                self.assertIn("recording process", recorder.stderr.readline())
                target.stdin.write(command + "\n")
                target.stdin.flush()
                self.assertEqual(target.stdout.readline(), "done\n")
                recorder.send_signal(signal.SIGINT)
                self.assertEqual(recorder.wait(20), 0)
                recorder.stderr.close()
            self.attach(target.pid, seconds="0.1")
            _, errors = target.communicate("import ctypes; ctypes.string_at(0)\n", timeout=20)
            self.assertEqual(target.returncode, -signal.SIGSEGV)
            self.assertEqual(errors.count("Fatal Python error"), dumps, errors)

    def test_the_program_changes_the_action_of_sigprof_meanwhile(self):
        for action, most in (("signal.SIG_DFL", 0), ("lambda *a: seen.append(1)", 40)):
            text = WORK.replace("while not stop:", ENTERED + """
seen = []
signal.signal(signal.SIGPROF, %s)
if %d: signal.setitimer(signal.ITIMER_PROF, 0.1, 0.1)
begun = time.process_time()
while not stop:""" % (action, most)).replace(
                # Python takes its handlers away at its end: a timer that goes on would end it.
                "print('ended')", "signal.setitimer(signal.ITIMER_PROF, 0); print('ended' if len(seen) <= 12 * (time.process_time() - begun) + 2 else len(seen))")
            target = self.begin(PYTHON, "-c", text)
            run = self.attach_at_work(target, seconds="1.2")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("hot", self.report())
            self.end(target)


if __name__ == "__main__":
    unittest.main()
