"""What tests of attaching share: a Python program that works until it is told to end, and how it is attached to."""
import json
import os
import platform
import re
import signal
import subprocess
import sys
import unittest

from launcher_support import GPROFX, LauncherTest, cpu_seconds, wait_for


def setUpModule():
    """For the modules that import it."""
    if platform.machine() != "x86_64":
        raise unittest.SkipTest("running programs are entered on x86-64 only")


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

# A program waits so until it is recorded, however long that takes.
ENTERED = """
while 'gprof-x' not in open('/proc/self/maps').read(): time.sleep(0.02)
time.sleep(0.2)
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

    def attach_at_work(self, target, *options, seconds="0.4", **more):
        """attach(), again where the program had no processor meanwhile: of that there is nothing to see."""
        for _ in range(5):
            before = cpu_seconds(target.pid)
            run = self.attach(target.pid, *options, seconds=seconds, **more)
            if run.returncode != 0 or cpu_seconds(target.pid) - before >= 0.05:
                return run
            print("%s: another try, as the program had hardly a processor" % self.id(), file=sys.stderr)
        self.fail("the program had hardly a processor in five recordings")

    def wait_for_state(self, pid, before):
        """Until what caught() says is as before: the last thread of the agent may take a moment to end."""
        wait_for(lambda: self.caught(pid) == before)

    def end(self, target, expected="ended\n"):
        target.send_signal(signal.SIGUSR1)
        out, errors = target.communicate(timeout=20)
        self.assertEqual((out, errors, target.returncode), (expected, "", 3))

    def report(self):
        run = subprocess.run([GPROFX, "report", self.path, "--json", "--view", "mixed"], capture_output=True, text=True, check=True)
        return {row["name"]: row["total"] for row in json.loads(run.stdout)["rows"]}

    def caught(self, pid):
        with open("/proc/%d/status" % pid) as file:
            status = file.read()
        # 32 and 33 are the C library's own, from its first thread on.
        with open("/proc/%d/timers" % pid) as file:
            timers = file.read()
        masks = [int(word, 16) & ~(3 << 31) for word in re.findall(r"Sig(?:Cgt|Ign|Blk):\s*(\w+)", status)]
        return masks + re.findall(r"Threads:\s*(\d+)", status) + [timers, len(os.listdir("/proc/%d/fd" % pid))]
