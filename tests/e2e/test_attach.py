#!/usr/bin/env python3
"""gprof-x record --pid: programs that run already are recorded, and do not notice."""
import ctypes
import json
import os
import re
import signal
import subprocess
import threading
import time
import unittest

from launcher_support import (GPROFX, PYTHON, LauncherTest, is_alive, process_state, wait_for)

WORK = """
import signal, sys, time
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
def hot(n):
    total = 0
    for i in range(n): total += i * i
    return total
def cold(n):
    total = 0
    for i in range(n): total += i * i
    return total
print('begun', flush=True)
while not stop:
    hot(3000); cold(1000)
print('ended')
sys.exit(3)
"""

# Waits in the ways that a stop could disturb; any answer but the one of the undisturbed call is told.
WAITS = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void on_signal(int s) { (void)s; stop = 1; }
static void check(const char* what, long got, long expected) {
  if (got != expected && !stop) printf("%s: %ld, errno %d\n", what, got, errno), fflush(stdout);
}
static void* sleeps(void* x) { while (!stop) { struct timespec t = {0, 300000000}; check("nanosleep", nanosleep(&t, 0), 0); } return x; }
static void* polls(void* x) { while (!stop) check("poll", poll(0, 0, 300), 0); return x; }
static void* epolls(void* x) { int e = epoll_create1(0); struct epoll_event v; while (!stop) check("epoll", epoll_wait(e, &v, 1, 300), 0); return x; }
static void* selects(void* x) { while (!stop) { struct timeval t = {0, 300000}; check("select", select(0, 0, 0, 0, &t), 0); } return x; }
static void* semaphores(void* x) {
  sem_t s; sem_init(&s, 0, 0);
  while (!stop) {
    struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 300000000; if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    int got = sem_timedwait(&s, &t); check("semaphore", got == -1 && errno == ETIMEDOUT ? 0 : errno + 1000, 0);
  }
  return x;
}
static int impatient(void) {
  int pair[2]; struct timeval t = {0, 300000};
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair); setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
  return pair[0];
}
static long missed(long got) { return got == -1 && errno == EAGAIN ? 0 : errno + 1000; }
static void* receives(void* x) { int s = impatient(); char c; while (!stop) check("recv", missed(recv(s, &c, 1, 0)), 0); return x; }
static void* reads(void* x) { int s = impatient(); char c; while (!stop) check("read", missed(read(s, &c, 1)), 0); return x; }
static void* operates(void* x) {
  int s = semget(IPC_PRIVATE, 1, 0600); struct sembuf take = {0, -1, 0}; struct timespec t = {0, 300000000};
  while (!stop) check("semtimedop", missed(semtimedop(s, &take, 1, &t)), 0);
  semctl(s, 0, IPC_RMID); return x;
}
static void* pauses(void* x) { while (!stop) { errno = 0; check("pause", pause(), -2); } return x; }
enum { kWays = 9 };
int main(int argc, char** argv) {  // the number of one way, or all of them
  void* (*f[kWays])(void*) = {sleeps, polls, epolls, selects, semaphores, receives, reads, operates, pauses};
  int one = argc > 1 ? argv[1][0] - '0' : kWays - 1, all = argc == 1;
  pthread_t t[kWays]; sigset_t every, before; sigfillset(&every); pthread_sigmask(SIG_BLOCK, &every, &before);
  for (int i = 0; i < kWays - 1; ++i) if (all) pthread_create(&t[i], 0, f[i], 0);
  signal(SIGUSR1, on_signal); pthread_sigmask(SIG_SETMASK, &before, 0);
  puts("begun"); fflush(stdout);
  f[one](0);
  for (int i = 0; i < kWays - 1; ++i) if (all) pthread_join(t[i], 0);
  puts("ended");
  return 3;
}
"""

# Is never at a safe place; each look at it stops it in a call that ends by that.
REJECTED = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
static volatile sig_atomic_t stop;
static void on_signal(int s) { (void)s; stop = 1; }
int main(void) {
  int pair[2]; struct timeval t = {0, 200000}; socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
  struct mmsghdr message = {0};
  signal(SIGUSR1, on_signal); puts("begun"); fflush(stdout);
  while (!stop) if (recvmmsg(pair[0], &message, 1, 0, 0) != -1 || (errno != EAGAIN && !stop)) printf("errno %d\n", errno);
  puts("ended"); return 3; }
"""

# The state of floating-point and vector units is checked against itself without a pause.
VECTORS = r"""
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile sig_atomic_t stop;
static void on_signal(int s) { (void)s; stop = 1; }
int main(void) {
  signal(SIGUSR1, on_signal);
  puts("begun"); fflush(stdout);
  unsigned long round = 0, wrong = 0;
  while (!stop) {
    unsigned long a = ++round * 0x9e3779b97f4a7c15ul, b = a;
    double x = (double)(a >> 11), y;
    unsigned long out[2];
    __asm__ volatile(
        "movq %4, %%xmm0\n movq %4, %%xmm7\n movq %4, %%r12\n movq %4, %%r15\n pushq %4\n popq %%r9\n movq %4, -64(%%rsp)\n fldl %5\n"
        "mov $2000, %%ecx\n 1: pause\n dec %%ecx\n jnz 1b\n"
        "movq %%xmm0, %0\n movq %%xmm7, %1\n cmp %%r12, %%r15\n setne %%al\n movzbq %%al, %2\n xor -64(%%rsp), %%r9\n or %%r9, %2\n fstpl %3\n"
        : "=&r"(out[0]), "=&r"(out[1]), "=&r"(b), "=m"(y) : "r"(a), "m"(x)
        : "rax", "rcx", "r9", "r12", "r15", "xmm0", "xmm7", "memory", "cc");
    if (out[0] != a || out[1] != a || b != 0 || x != y) ++wrong;
  }
  printf("wrong %lu\nended\n", wrong);
  return 3;
}
"""


class Attach(LauncherTest):
    def begin(self, *command, **more):
        target = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(lambda: (target.poll() is None and target.kill(), target.communicate()))
        self.assertEqual(target.stdout.readline(), "begun\n")
        return target

    def attach(self, pid, *options, seconds="0.4", quiet="-q"):
        words = [GPROFX, "record", quiet, "-o", self.path, "--pid", str(pid)]
        duration = ["--duration", seconds] if seconds else []
        return subprocess.run([*words, *duration, *options], capture_output=True, text=True, timeout=60)

    def end(self, target, expected="ended\n"):
        target.send_signal(signal.SIGUSR1)
        out, errors = target.communicate(timeout=20)
        self.assertEqual((out, errors, target.returncode), (expected, "", 3))

    def report(self):
        run = subprocess.run([GPROFX, "report", self.path, "--json"], capture_output=True, text=True, check=True)
        return {row["name"]: row["total"] for row in json.loads(run.stdout)["rows"]}

    def caught(self, pid):
        with open("/proc/%d/status" % pid) as file:
            status = file.read()
        # 32 and 33 are the C library's own, from its first thread on.
        with open("/proc/%d/timers" % pid) as file:
            timers = file.read()
        masks = [int(word, 16) & ~(3 << 31) for word in re.findall(r"Sig(?:Cgt|Ign|Blk):\s*(\w+)", status)]
        return masks + re.findall(r"Threads:\s*(\d+)", status) + [timers, len(os.listdir("/proc/%d/fd" % pid))]


class Python(Attach):
    def test_names_and_shares_and_a_program_left_as_it_was(self):
        target = self.begin(PYTHON, "-c", WORK)
        before = self.caught(target.pid)
        run = self.attach(target.pid, seconds="1.5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        wait_for(lambda: self.caught(target.pid) == before, 5)
        rows = self.report()
        self.assertAlmostEqual(rows["hot"] / (rows["hot"] + rows["cold"]), 0.75, delta=0.08)
        profile = self.profile()
        self.assertEqual(profile.meta["attached"], str(target.pid))
        measured = profile.quality["cpu_measured_ns"]
        self.assertGreater(measured, 0)
        self.assertLess(measured, 2_500_000_000)  # nothing of before
        self.assertAlmostEqual(profile.quality["cpu_accounted_ns"] / measured, 1, delta=0.02)
        self.end(target)

    def test_again_and_again(self):
        target = self.begin(PYTHON, "-c", WORK)
        for _ in range(5):
            run = self.attach(target.pid, seconds="0.15")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("hot", self.report())
        with open("/proc/%d/maps" % target.pid) as file:
            self.assertNotIn("memfd:gprof-x", file.read())
        self.end(target)

    def test_interrupt_ends_the_recording_and_not_the_program(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        time.sleep(0.5)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(20), 0)
        recorder.stderr.close()
        self.assertIn("hot", self.report())
        self.end(target)

    def test_the_end_of_the_program_ends_the_recording(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        time.sleep(0.3)
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
        time.sleep(0.3)
        self.assertTrue(is_alive(target.pid))
        run = self.attach(target.pid)
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
        run = self.attach(target.pid)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("hot", self.report())
        self.end(target)

    def test_one_recording_at_a_time(self):
        target = self.begin(PYTHON, "-c", WORK)
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path + "1", "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        run = self.attach(target.pid)
        self.assertEqual(run.returncode, 125)
        self.assertIn("is being recorded by gprof-x already", run.stderr)
        recorder.send_signal(signal.SIGTERM)
        self.assertEqual(recorder.wait(20), 0)
        recorder.stderr.close()
        self.end(target)

    def test_a_signal_handler_of_the_program_and_an_ignored_sigprof(self):
        for action in ("signal.SIG_IGN", "lambda *a: seen.append(1)"):
            text = "import signal\nseen = []\nsignal.signal(signal.SIGPROF, %s)\n" % action + WORK
            target = self.begin(PYTHON, "-c", text.replace("print('ended')", "print('ended', len(seen))"))
            before = self.caught(target.pid)
            for _ in range(2):
                run = self.attach(target.pid, seconds="0.2")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertEqual(self.caught(target.pid), before)
            own = 0
            if "seen.append" in action:
                target.send_signal(signal.SIGPROF)
                time.sleep(0.2)
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
child = subprocess.Popen([sys.executable, '-c', 'import time\\nend = time.monotonic() + 6\\ndef busy(): sum(range(1000))\\nwhile time.monotonic() < end: busy()'])
print('begun', flush=True)
time.sleep(0.8)
pid = os.fork()
if pid == 0:
    end = time.monotonic() + 0.5
    def forked(): sum(range(1000))
    while time.monotonic() < end: forked()
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
time.sleep(0.7)
def forked(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: sum(range(1000))
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
        other = self.write("other.py", "import time\nend = time.monotonic() + 3\ndef after_exec(): sum(range(1000))\n"
                           "while time.monotonic() < end: after_exec()\n")
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
        time.sleep(0.5)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=30)
        self.assertEqual(recorder.returncode, 0)
        self.assertLess(time.monotonic() - begin, 4)  # 3 s for each of them would be 12
        self.assertIn("hot", self.report())
        self.end(target)

    def test_threads_that_are_born_later(self):
        text = WORK.replace("while not stop:", "import threading\ndef later():\n    while not stop: cold(1000)\n"
                            "time.sleep(0.8)\nfor _ in range(4): threading.Thread(target=later).start()\nwhile not stop:")
        target = self.begin(PYTHON, "-c", text)
        run = self.attach(target.pid, seconds="2.5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        profile = self.profile()
        (threads,), = profile.rows("SELECT count(*) FROM thread")
        self.assertEqual(threads, 5)
        self.end(target)


class Native(Attach):
    def test_waiting_threads_do_not_see_it(self):
        program = self.compile("waits", WAITS, "-pthread")
        target = self.begin(program)
        for _ in range(6):
            run = self.attach(target.pid, seconds="0.1")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.end(target)

    def test_each_kind_of_wait_of_a_thread_that_is_used(self):
        """The process has no other thread: it is the one that makes ours."""
        program = self.compile("waits", WAITS, "-pthread")
        for way in range(9):
            target = self.begin(program, str(way))
            for _ in range(2):
                run = self.attach(target.pid, seconds="0.1")
                self.assertEqual((run.returncode, run.stderr), (0, ""), way)
            self.end(target)

    def test_threads_that_are_stopped_and_not_used_wait_on(self):
        """recvmmsg is no safe place: each look stops the thread, and none may end its call."""
        program = self.compile("rejected", REJECTED)
        target = self.begin(program)
        run = self.attach(target.pid)
        self.assertEqual(run.returncode, 125)
        self.assertIn("it is untouched", run.stderr)
        self.end(target)

    def test_registers_are_put_back(self):
        program = self.compile("vectors", VECTORS)
        target = self.begin(program)
        for _ in range(6):
            run = self.attach(target.pid, seconds="0.1")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.end(target, "wrong 0\nended\n")

    def test_threads_that_come_and_go_while_it_attaches(self):
        program = self.compile("churn", r"""
            #include <pthread.h>
            #include <signal.h>
            #include <stdio.h>
            #include <stdlib.h>
            static volatile sig_atomic_t stop;
            static void on_signal(int s) { (void)s; stop = 1; }
            static void* brief(void* x) { volatile long n = 0; for (int i = 0; i < 20000; ++i) n += i; free(malloc(100000)); return x; }
            int main(void) {
              signal(SIGUSR1, on_signal); puts("begun"); fflush(stdout);
              while (!stop) { pthread_t t[8]; for (int i = 0; i < 8; ++i) pthread_create(&t[i], 0, brief, 0);
                for (int i = 0; i < 8; ++i) pthread_join(t[i], 0); }
              puts("ended"); return 3; }""", "-pthread")
        target = self.begin(program)
        for _ in range(6):
            run = self.attach(target.pid, seconds="0.1")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.end(target)

    def test_a_thread_that_waits_within_an_allocator_is_not_used(self):
        allocator = self.compile("liballocator.so", r"""
            #define _GNU_SOURCE
            #include <sched.h>
            #include <stddef.h>
            #include <string.h>
            #include <time.h>
            #include <unistd.h>
            volatile int gate;  /* 1: sleep by nanosleep, 2: yield, 3: spin */
            static char room[64 << 20]; static size_t used;
            void* malloc(size_t n) {
              while (gate == 1) { struct timespec t = {0, 1000000}; nanosleep(&t, 0); }
              while (gate == 2) sched_yield();
              while (gate == 3) {}
              used = (used + 15) & ~(size_t)15; void* p = room + used; used += n; return used < sizeof room ? p : 0; }
            void free(void* p) { (void)p; }
            void* calloc(size_t a, size_t b) { return malloc(a * b); }
            void* realloc(void* p, size_t n) { void* q = malloc(n); if (p && q) memcpy(q, p, n); return q; }""", "-shared", "-fPIC")
        program = self.compile("allocates", r"""
            #include <signal.h>
            #include <stdio.h>
            #include <stdlib.h>
            extern volatile int gate;
            static void on_signal(int s) { (void)s; gate = 0; }
            int main(int argc, char** argv) {
              (void)argc; signal(SIGUSR1, on_signal); puts("begun"); fflush(stdout);
              gate = atoi(argv[1]);
              void* volatile p = malloc(100); free(p);
              puts("ended"); return 3; }""", allocator, "-Wl,-rpath," + self.folder)
        for gate in "123":
            target = self.begin(program, gate)
            time.sleep(0.05)
            run = self.attach(target.pid, seconds="0.1")
            self.assertEqual(run.returncode, 125, gate)
            self.assertIn("it is untouched", run.stderr)
            self.end(target)

    def test_signals_that_stop_and_continue_meanwhile(self):
        target = self.begin(PYTHON, "-c", WORK)
        end = threading.Event()

        def disturb():
            while not end.wait(0.001):
                os.kill(target.pid, signal.SIGCONT)
        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            for _ in range(5):
                run = self.attach(target.pid, seconds="0.1")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
        finally:
            end.set()
            thread.join()
        self.end(target)

    def test_a_program_that_came_by_exec_is_not_entered_at_the_end(self):
        code = "import os, sys, time\nprint('begun', flush=True)\ntime.sleep(1)\n" \
               "os.execv('/bin/sh', ['sh', '-c', 'sleep 1.5; grep -c gprofx /proc/$$/maps; true'])"
        target = subprocess.Popen([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(target.stdout.readline(), "begun\n")
        subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--pid", str(target.pid), "--duration", "1.6"], capture_output=True)
        out, _ = target.communicate(timeout=20)
        self.assertEqual((target.returncode, out), (0, "0\n"))

    def test_a_program_that_becomes_another_one_meanwhile(self):
        text = self.write("execs.sh", "echo begun\nn=0\nwhile [ $n -lt 600 ]; do n=$((n+1)); /bin/true; done\nexec sleep 4\n")
        target = self.begin("/bin/sh", text)
        answers = [self.attach(target.pid, "--children", "yes", seconds="0.2") for _ in range(4)]
        self.assertEqual(target.wait(30), 0)
        self.assertIn(0, [run.returncode for run in answers])
        for run in answers:
            if run.returncode != 0:
                self.assertRegex(run.stderr, r"\(vfork\)|ended, or ran another program|it is untouched")


class AfterAndBetween(Attach):
    """What the agent leaves behind must be of no harm to what the program does later."""

    def read(self, path):
        with open(path) as file:
            return file.read()

    def record_twice(self, target, middle=lambda: None):
        for _ in range(2):
            run = self.attach(target.pid, seconds="0.2")
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
              for (int n = 0; read(0, &c, 1) == 1; ++n) { a.sa_sigaction = all[n]; sigaction(SIGSEGV, &a, &before[n]); }
              volatile int* null = 0; *null = 1;
              return 0; }""")
        target = self.begin(program, stdin=subprocess.PIPE)
        for _ in range(3):
            recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
            self.assertIn("recording process", recorder.stderr.readline())
            target.stdin.write("x")
            target.stdin.flush()
            time.sleep(0.2)
            recorder.send_signal(signal.SIGINT)
            self.assertEqual(recorder.wait(20), 0)
            recorder.stderr.close()
        recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
        self.assertIn("recording process", recorder.stderr.readline())
        out, _ = target.communicate(timeout=20)
        recorder.communicate(timeout=20)
        self.assertEqual((out, target.returncode), ("handler 2\nhandler 1\nhandler 0\n", -signal.SIGSEGV))

    def test_faulthandler_is_enabled_between(self):
        text = "import faulthandler, sys\nprint('begun', flush=True)\nfor line in sys.stdin: exec(line)\n"
        for last, dumps in (("pass", 1), ("faulthandler.disable()", 0)):
            target = self.begin(PYTHON, "-u", "-c", text, stdin=subprocess.PIPE)
            for command in ("faulthandler.enable()", "pass", last):
                recorder = subprocess.Popen([GPROFX, "record", "-o", self.path, "--pid", str(target.pid)], stderr=subprocess.PIPE, text=True)
                self.assertIn("recording process", recorder.stderr.readline())
                target.stdin.write(command + "\n")
                target.stdin.flush()
                time.sleep(0.2)
                recorder.send_signal(signal.SIGINT)
                self.assertEqual(recorder.wait(20), 0)
                recorder.stderr.close()
            self.attach(target.pid, seconds="0.1")
            _, errors = target.communicate("import ctypes; ctypes.string_at(0)\n", timeout=20)
            self.assertEqual(target.returncode, -signal.SIGSEGV)
            self.assertEqual(errors.count("Fatal Python error"), dumps, errors)

    def test_the_program_changes_the_action_of_sigprof_meanwhile(self):
        for action, most in (("signal.SIG_DFL", 0), ("lambda *a: seen.append(1)", 40)):
            text = WORK.replace("while not stop:", """
time.sleep(0.8)
seen = []
signal.signal(signal.SIGPROF, %s)
if %d: signal.setitimer(signal.ITIMER_PROF, 0.1, 0.1)
begun = time.process_time()
while not stop:""" % (action, most)).replace("print('ended')", "print('ended' if len(seen) <= 12 * (time.process_time() - begun) + 2 else len(seen))")
            target = self.begin(PYTHON, "-c", text)
            run = self.attach(target.pid, seconds="1.6")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("hot", self.report())
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
        self.refused(2, "thread of the kernel") if not os.path.exists("/proc/2/exe") and os.path.exists("/proc/2") else None
        ended = subprocess.Popen(["true"])
        wait_for(lambda: process_state(ended.pid) == "Z")
        self.refused(ended.pid, "zombie")
        ended.wait()
        target = self.begin(PYTHON, "-c", "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()\n" + WORK)
        tid = [t for t in map(int, os.listdir("/proc/%d/task" % target.pid)) if t != target.pid][0]
        self.refused(tid, "is a thread of process %d" % target.pid, "say --pid %d" % target.pid)
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
        self.refused(target.pid, "the first thread of process %d has ended" % target.pid, "record -- COMMAND")
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
        run = self.attach(target.pid)
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
