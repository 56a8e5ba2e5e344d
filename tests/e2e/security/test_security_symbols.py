#!/usr/bin/env python3
"""Attacks by way of the names of functions: a recorded program chooses which files a recorder that is root opens, and what they hold.

They run as root, with users of their own for the programs. GPROFX_LOOPS says how often what races is tried (20)."""
import ctypes
import json
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")
LOOPS = int(os.environ.get("GPROFX_LOOPS", "20"))
ALICE = 4242
AS_ALICE = ["setpriv", "--reuid=%d" % ALICE, "--regid=%d" % ALICE, "--clear-groups", "--"]

LIBRARY = """
#include <time.h>
void %s(double seconds) {
  struct timespec now;
  volatile unsigned long spent = 0;
  do {
    for (int i = 0; i < 1000000; i++) spent += i;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec + now.tv_nsec * 1e-9 < seconds);
}
"""
# Works in a library by an address that needs no name, then runs a command: the attack.
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) { fputs(dlerror(), stderr); return 3; }
  void (*work)(double) = (void (*)(double))dlsym(library, argv[2]);
  work(atof(argv[3]));
  return argc > 4 ? system(argv[4]) : 0;
}
"""
# Code at a fixed address, as a compiler at run time makes it.
COMPILER = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
int main(void) {
  const char code[] = "\x89\xf9\xff\xc9\x75\xfc\xc3"; /* mov %edi,%ecx; 1: dec %ecx; jnz 1b; ret */
  char* at = mmap((void*)0x700000000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memcpy(at, code, sizeof code);
  struct timespec now;
  do {
    ((void (*)(int))at)(10000000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < 1500);
  return 0;
}
"""
# Becomes a command in whose processes no filter of system calls can be had, as on a kernel without them.
NO_FILTERS = """
import ctypes, os, struct, sys
def statement(code, k, jump=(0, 0)): return struct.pack("HBBI", code, *jump, k)
prctl = {"x86_64": 157, "aarch64": 167}[os.uname().machine]
program = (statement(0x20, 0) + statement(0x15, prctl, (0, 3)) + statement(0x20, 16) + statement(0x15, 22, (0, 1)) +
           statement(0x06, 0x00050000 | 22) + statement(0x06, 0x7fff0000))
class Filter(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("program", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Filter(len(program) // 8, program))) == 0
os.execvp(sys.argv[1], sys.argv[1:])
"""


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root can record programs of other users")
    if shutil.which("setpriv") is None or shutil.which("cc") is None:
        raise unittest.SkipTest("needs setpriv and cc")
    if subprocess.run([*AS_ALICE, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise unittest.SkipTest("cannot become another user here")


class Attack(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-security-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.alices = self.make_folder("alice", ALICE)
        self.roots = self.make_folder("root", 0)
        self.profile = os.path.join(self.roots, "p.gprofx")
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.roots, "cache"))
        self.program = self.build("program", PROGRAM, "-ldl")

    def make_folder(self, name, owner):
        path = os.path.join(self.folder, name)
        os.mkdir(path, 0o700)
        os.chown(path, owner, owner)
        return path

    def build(self, name, text, *options, folder=None):
        path = os.path.join(folder or self.folder, name)
        if os.path.lexists(path):
            os.remove(path)
        run = subprocess.run(["cc", "-O1", "-g0", "-x", "c", "-", "-o", path, *options], input=text, text=True, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path

    def library(self, folder, function, name="lib.so", build_id="none"):
        return self.build(name, LIBRARY % function, "-shared", "-fPIC", "-Wl,--build-id=" + build_id, folder=folder)

    def record(self, *command, before=(), status=0):
        run = subprocess.run([*before, GPROFX, "record", "-q", "-o", self.profile, "--", *command], capture_output=True, text=True, timeout=60,
                             env=self.environment, cwd=self.folder)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        report = subprocess.run([GPROFX, "report", "--json", "--limit", "1000", self.profile], capture_output=True, text=True, check=True)
        return json.loads(report.stdout)

    def names(self, report):
        return {row["name"] for row in report["rows"]}

    def problems(self, report):
        return "\n".join(report["quality"]["problems"])


class Files(Attack):
    """What lies at the path of a library changes between its use and the look for names."""

    def swap(self, command, **more):
        """Alice's program works in her library, then runs a command in its place."""
        library = self.library(self.alices, "harmless_function")
        attack = "cd %s && rm lib.so && %s" % (self.alices, command)
        return self.record(*AS_ALICE, self.program, library, "harmless_function", "0.5", attack, **more)

    def test_names_that_only_root_can_read(self):
        secret = self.library(self.roots, "secret_of_root_xx")
        os.chmod(secret, 0o600)
        report = self.swap("ln -s %s lib.so" % secret)
        self.assertNotIn("secret_of_root_xx", self.names(report))
        self.assertIn("lib.so: Permission denied", self.problems(report))
        with open(self.profile, "rb") as file:
            self.assertNotIn(b"secret_of_root_xx", file.read())

    def test_what_she_may_read_is_named(self):
        library = self.library(self.alices, "harmless_function")
        report = self.record(*AS_ALICE, self.program, library, "harmless_function", "0.5")
        self.assertIn("harmless_function", self.names(report))
        # Root's own program, which becomes hers, may have left answers of its own.
        for folder, _, names in os.walk(os.path.join(self.roots, "cache")):
            for name in names:
                with open(os.path.join(folder, name), "rb") as entry:
                    self.assertNotIn(b"harmless_function", entry.read(), "another user's answers were kept")

    def test_neither_fifos_nor_devices_are_opened(self):
        libc = ctypes.CDLL(None, use_errno=True)
        for kind, device in ((stat.S_IFIFO, 0), (stat.S_IFCHR, os.makedev(1, 5))):
            place = os.path.join(self.folder, "place")
            try:
                os.mknod(place, kind | 0o666, device)
                os.chmod(place, 0o666)
            except PermissionError:
                continue  # no devices can be made here
            watch = libc.inotify_init1(os.O_NONBLOCK)
            self.addCleanup(os.close, watch)
            self.assertGreaterEqual(libc.inotify_add_watch(watch, place.encode(), 0x20), 0)  # IN_OPEN
            with self.subTest(kind=kind):
                report = self.swap("ln -s %s lib.so" % place)
                self.assertIn("lib.so: is not a regular file", self.problems(report))
                with self.assertRaises(BlockingIOError, msg="it was opened"):
                    os.read(watch, 4096)
                try:
                    os.close(os.open(place, os.O_RDONLY | os.O_NONBLOCK))
                    self.assertGreater(len(os.read(watch, 4096)), 0, "opening would not be seen")
                except PermissionError:
                    pass  # devices cannot be opened on this file system
            os.remove(place)

    def test_files_that_take_turns(self):
        """A link that changes all the time between a library of hers and one of root's."""
        secret = self.library(self.roots, "secret_of_root_xx")
        os.chmod(secret, 0o600)
        self.library(self.alices, "harmless_function", "own.so")
        turns = """if True:
            import os, sys, time
            os.chdir(sys.argv[1])
            while not os.path.exists("begin"): time.sleep(0.01)
            while not os.path.exists("end"):
                for place in ("own.so", sys.argv[2]):
                    os.symlink(place, "next")
                    os.rename("next", "lib.so")
            os.remove("begin"), os.remove("end")
        """
        for _ in range(max(2, LOOPS // 5)):
            switch = subprocess.Popen([*AS_ALICE, sys.executable, "-c", turns, self.alices, secret])
            report = self.swap("touch begin")
            open(os.path.join(self.alices, "end"), "w").close()
            self.assertEqual(switch.wait(timeout=20), 0)
            self.assertNotIn("secret_of_root_xx", self.names(report))

    def test_without_a_sandbox_nothing_is_opened(self):
        library = self.library(self.folder, "harmless_function")
        report = self.record(self.program, library, "harmless_function", "0.5", before=[sys.executable, "-c", NO_FILTERS])
        self.assertNotIn("harmless_function", self.names(report))
        self.assertIn("seccomp", self.problems(report))
        self.assertEqual(self.problems(report).count("seccomp"), 1)
        self.environment["GPROFX_UNCONFINED_SYMBOLS"] = "1"
        own = self.record(self.program, library, "harmless_function", "0.5", before=[sys.executable, "-c", NO_FILTERS])
        self.assertIn("harmless_function", self.names(own))
        alices = self.record(*AS_ALICE, self.program, library, "harmless_function", "0.5", before=[sys.executable, "-c", NO_FILTERS])
        self.assertNotIn("harmless_function", self.names(alices))


class Cache(Attack):
    def test_a_forged_build_id(self):
        """Names of one file must not be those of another one with its build-id and size."""
        build_id = "0x" + "11" * 20
        forged = self.library(self.folder, "forged_by_somebody", "forged.so", build_id)
        honest = self.library(self.folder, "an_honest_function", "honest.so", build_id)
        self.assertEqual(os.path.getsize(forged), os.path.getsize(honest))
        self.assertIn("forged_by_somebody", self.names(self.record(self.program, forged, "forged_by_somebody", "0.5")))
        report = self.record(self.program, honest, "an_honest_function", "0.5")
        self.assertIn("an_honest_function", self.names(report))
        self.assertNotIn("forged_by_somebody", self.names(report))
        # In the same place, with the same times.
        times = os.stat(forged)
        shutil.copy(honest, forged)
        os.utime(forged, ns=(times.st_atime_ns, times.st_mtime_ns))
        report = self.record(self.program, forged, "an_honest_function", "0.5")
        self.assertIn("an_honest_function", self.names(report))
        self.assertNotIn("forged_by_somebody", self.names(report))


@unittest.skipUnless(platform.machine() == "x86_64", "the machine code is of x86-64")
class PerfMaps(Attack):
    MOUNT = 'mount --make-rprivate / && : >/tmp/perf-$$.map && chown %d /tmp/perf-$$.map && %s exec setpriv --reuid=%d --regid=%d --clear-groups -- "$0"'

    def compile(self, before):
        """The names of code at run time; `before` runs as root in the mount namespace of alice's process."""
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no mount namespaces here")
        compiler = self.build("compiler", COMPILER)
        # The folder for files that outlive the process is the namespace's own.
        script = "mount -t tmpfs none /tmp && " if not self.folder.startswith("/tmp/") else ""
        return self.record("unshare", "-m", "sh", "-c", script + self.MOUNT % (ALICE, before, ALICE, ALICE), compiler)

    def map(self, name):
        path = os.path.join(self.roots, name)
        with open(path, "w") as file:
            file.write("700000000000 1000 %s\n" % name)
        return path

    def clean(self):
        for name in os.listdir("/tmp"):
            if name.startswith("perf-") and os.stat("/tmp/" + name).st_uid == ALICE:
                os.remove("/tmp/" + name)

    def test_a_file_of_root_over_the_map(self):
        self.addCleanup(self.clean)
        secret = self.map("secret_of_root")
        os.chmod(secret, 0o600)
        report = self.compile("mount --bind %s /tmp/perf-$$.map &&" % secret)
        self.assertNotIn("secret_of_root", self.names(report))

    def test_her_own_map_is_read(self):
        self.addCleanup(self.clean)
        report = self.compile('echo "700000000000 1000 compiled_for_alice" >/tmp/perf-$$.map &&')
        self.assertIn("compiled_for_alice", self.names(report))


if __name__ == "__main__":
    unittest.main()
