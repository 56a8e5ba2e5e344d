#!/usr/bin/env python3
"""Attacks on root who attaches: a process of an ordinary user looks like a CPython that takes requests, owns its user and mount
namespace, and changes names below its /tmp while gprof-x works there. What only root may change must stay as it is.

Needs root and user namespaces. GPROFX_LOOPS is how often each race is run (default 25, of which a fifth is made here; 1,000 in the long run)."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from attach_support import Attach, WORK, setUpModule
from launcher_support import GPROFX, LOOPS

USER = 12345
TRIES = LOOPS if LOOPS > 25 else 5

# _Py_DebugOffsets of CPython 3.14 with one interpreter and one thread, which is always inside and never answers (python_offsets.cpp).
HOSTILE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
enum { kPath = 256 };
static struct { uint64_t number, next, status, breaker, pending; char path[kPath]; } thread = {.number = 1, .status = 1 << 4};
static struct { uint64_t id, next, allowed; void* threads; } interpreter = {0, 0, 1, &thread};
struct { uint64_t fields[111]; void* interpreters; } _PyRuntime;
static volatile sig_atomic_t stop;
static int strikes;
static const char* attack;
static void on_signal(int s) { (void)s; stop = 1; }
static void put(const char* path, const char* text) {
  int file = open(path, O_WRONLY);
  if (file < 0 || write(file, text, strlen(text)) < 0) { perror(path); exit(1); }
  close(file);
}
static int strike(const char* folder) {
  char script[300];
  snprintf(script, sizeof script, "%s/enter.py", folder);
  if (!strcmp(attack, "folder")) return mount("/mnt/t/vault", folder, 0, MS_BIND, 0) == 0;
  if (!strcmp(attack, "script")) return mount("/mnt/t/file", script, 0, MS_BIND, 0) == 0;
  if (!strcmp(attack, "link")) return unlink(script) == 0 && symlink("/mnt/t/file", script) == 0;
  return 0;
}
static void* strike_all(void* unused) {
  char events[4096] __attribute__((aligned(8)));
  int watch = inotify_init();
  inotify_add_watch(watch, "/tmp", IN_CREATE);
  for (ssize_t got; (got = read(watch, events, sizeof events)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      struct inotify_event* event = (void*)(events + at);
      at += sizeof *event + event->len;
      if (strncmp(event->name, "gprof-x-", 8)) continue;
      char folder[300];
      snprintf(folder, sizeof folder, "/tmp/%s", event->name);
      for (int i = 0; i < 20000 && access(folder, F_OK) == 0; ++i) {
        if (strike(folder)) { ++strikes; break; }
        sched_yield();
      }
    }
  }
  return unused;
}
int main(int count, char** words) {
  (void)count;
  char map[64];
  attack = words[1];
  prctl(PR_SET_DUMPABLE, 1);
  snprintf(map, sizeof map, "0 %d 1", (int)getuid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) { puts("skipped"); return 0; }
  put("/proc/self/setgroups", "deny");
  put("/proc/self/uid_map", map);
  put("/proc/self/gid_map", map);
  if (mount("none", "/mnt", "tmpfs", 0, "mode=755") || mkdir("/mnt/t", 0755) || mount(words[2], "/mnt/t", 0, MS_BIND, 0) ||
      mount(words[3], "/tmp", 0, MS_BIND, 0)) { puts("skipped"); return 0; }
  uint64_t* f = _PyRuntime.fields;
  memcpy(&f[0], "xdebugpy", 8);
  f[1] = 0x030e00f0;
  f[3] = sizeof _PyRuntime; f[5] = sizeof _PyRuntime.fields;
  f[6] = sizeof interpreter; f[7] = 0; f[8] = 8; f[9] = 24;
  f[22] = sizeof thread; f[24] = 8; f[28] = 0; f[30] = 16;
  f[89] = 24; f[90] = 32; f[91] = 16; f[92] = 0; f[93] = 8; f[94] = kPath;
  _PyRuntime.interpreters = &interpreter;
  signal(SIGUSR1, on_signal);
  pthread_t striker;
  pthread_create(&striker, 0, strike_all, 0);
  puts("begun"); fflush(stdout);
  while (!stop) usleep(1000);
  printf("%d strikes, asked: %d\n", strikes, strncmp(thread.path + 1, "tmp/gprof-x-", 12) == 0);
  return 3; }
"""


def content(path):
    with open(path, "rb") as file:
        return file.read()


def facts(folder):
    """Of everything in it: owner, mode, times and content."""
    found = {}
    for base, folders, files in os.walk(folder):
        for path in [base] + [os.path.join(base, name) for name in files]:
            status = os.lstat(path)
            found[path] = (status.st_uid, status.st_gid, status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns,
                           content(path) if path != base else b"")
    return found


@unittest.skipIf(os.geteuid() != 0, "needs root")
@unittest.skipIf(shutil.which("cc") is None, "needs a C compiler")
class HostileNamespaces(Attach):
    def setUp(self):
        super().setUp()
        self.place = tempfile.mkdtemp(prefix="gprofx-security-")
        self.addCleanup(shutil.rmtree, self.place)
        os.chmod(self.place, 0o755)
        self.treasure, self.tmp = os.path.join(self.place, "t"), os.path.join(self.place, "tmp")
        os.makedirs(os.path.join(self.treasure, "vault"), 0o700)
        os.chmod(self.treasure, 0o755)
        os.mkdir(self.tmp)
        os.chmod(self.tmp, 0o1777)
        for name in ("file", "vault/file"):
            with open(os.path.join(self.treasure, name), "w") as file:
                file.write("only root's")
            os.chmod(file.name, 0o600)
        self.program = os.path.join(self.place, "hostile")
        subprocess.run(["cc", "-O1", "-rdynamic", "-Wl,--hash-style=gnu", "-pthread", "-x", "c", "-", "-o", self.program],
                       input=HOSTILE, text=True, check=True)

    def begin_hostile(self, attack):
        # On one processor with the recorder it is woken before that one goes on.
        target = subprocess.Popen([self.program, attack, self.treasure, self.tmp], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  user=USER, group=USER, extra_groups=[], preexec_fn=lambda: os.sched_setaffinity(0, {self.processor}))
        self.addCleanup(lambda: (target.poll() is None and target.kill(), target.communicate()))
        return target if target.stdout.readline() == "begun\n" else None

    def record(self, pid, path):
        return subprocess.run([GPROFX, "record", "-q", "--force", "-o", path, "--pid", str(pid), "--duration", "0.1"], capture_output=True, text=True,
                              timeout=60, preexec_fn=lambda: os.sched_setaffinity(0, {self.processor}))

    def strike(self, attack, processes, together=4):
        self.processor = min(os.sched_getaffinity(0))
        before, struck, asked, counts = facts(self.treasure), 0, 0, []
        left = list(range(processes))

        def work(number):
            while left:
                left.pop()
                target = self.begin_hostile(attack)
                if target is None:
                    return
                run = self.record(target.pid, "%s.%d" % (self.path, number))
                target.send_signal(signal.SIGUSR1)
                out, errors = target.communicate(timeout=20)
                counts.append((run, out, errors))

        workers = [threading.Thread(target=work, args=(number,)) for number in range(together)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if not counts:
            self.skipTest("users may not make namespaces here")
        self.assertEqual(facts(self.treasure), before)
        for run, out, errors in counts:
            self.assertEqual(errors, "")
            self.assertRegex(out, r"^\d+ strikes, asked: [01]\n$")
            # It is recorded all the same, or one line says why not.
            self.assertTrue(run.returncode == 0 or len(run.stderr.splitlines()) == 1, run.stderr)
            struck += int(out.split()[0])
            asked += int(out.split()[-1])
        print("%s: %d processes, %d asked, %d struck, none of root's files changed" % (attack, len(counts), asked, struck))
        self.assertGreater(struck, 0)
        if attack != "folder":  # who is struck there is not asked
            self.assertGreater(asked, 0)

    def test_a_mount_over_the_folder(self):
        self.strike("folder", TRIES)

    def test_a_mount_over_the_script(self):
        self.strike("script", TRIES)

    def test_a_link_in_the_place_of_the_script(self):
        self.strike("link", TRIES)


@unittest.skipIf(os.geteuid() != 0, "needs root")
class OtherUsers(Attach):
    """What the barriers must not keep out."""

    def test_root_records_another_users_program(self):
        target = self.begin("/usr/bin/python3", "-c", WORK, user=USER, group=USER, extra_groups=[])
        run = self.attach(target.pid)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("hot", self.report())
        self.end(target)

    def as_user(self, *words):
        """Where /proc shows a user his own processes alone."""
        hidden = "mount -t proc -o hidepid=invisible proc /proc && exec setpriv --reuid %d --regid %d --clear-groups \"$@\"" % (USER, USER)
        return subprocess.run(["unshare", "-m", "sh", "-c", hidden, "sh", *words], capture_output=True, text=True, timeout=60)

    @unittest.skipIf(shutil.which("unshare") is None or shutil.which("setpriv") is None, "needs unshare and setpriv")
    def test_where_proc_hides_the_processes_of_others(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.chown(folder, USER, USER)
        if self.as_user("true").returncode != 0:
            self.skipTest("no mount namespaces here")
        if self.as_user(GPROFX, "--version").returncode != 0:
            self.skipTest("another user may not run this gprof-x")
        mark = "marked-%d" % os.getpid()
        own = self.begin("/usr/bin/python3", "-c", WORK, mark, user=USER, group=USER, extra_groups=[])
        others = self.begin("/usr/bin/python3", "-c", WORK, mark)
        path = os.path.join(folder, "own.gprofx")
        record = [GPROFX, "record", "-q", "-o", path, "--duration", "0.2"]
        # The other one of this name is not seen, so the name is not in doubt.
        run = self.as_user(*record, "--attach", mark)
        self.assertEqual(run.returncode, 0, run.stderr)
        run = self.as_user(*record, "--pid", str(others.pid))
        self.assertEqual((run.returncode, len(run.stderr.splitlines())), (125, 1), run.stderr)
        self.assertIn("there is no process %d" % others.pid, run.stderr)
        self.end(own)
        self.end(others)


if __name__ == "__main__":
    unittest.main(verbosity=2)
