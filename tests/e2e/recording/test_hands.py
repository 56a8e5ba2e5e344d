#!/usr/bin/env python3
"""What gprof-x record does to its user's files and terminal, what it says, and what a slow disk, a reader or a lack of
memory do to it: nothing that the program notices."""
import contextlib
import json
import os
import pty
import re
import resource
import select
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import *
from profile_support import judged_by_time


def record_in(folder, *arguments, **more):
    more.setdefault("timeout", 120)
    return subprocess.run([GPROFX, "record", *arguments], cwd=folder, capture_output=True, text=True, **more)


def start_in(folder, *arguments, **more):
    return subprocess.Popen([GPROFX, "record", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def has_samples(path):
    """Of a file that is being written: whether samples were committed. Nothing of it is changed."""
    try:
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as db:
            query = "SELECT count(*) FROM chunk JOIN stream ON chunk.stream = stream.id WHERE stream.name = 'cpu samples'"
            return db.execute(query).fetchone()[0] > 0
    except sqlite3.Error:
        return False


class HandsTest(LauncherTest):
    def names(self):
        return sorted(name for name in os.listdir(self.folder) if name not in ("spin.py", "over"))

    def open(self, name):
        profile = Profile(os.path.join(self.folder, name))
        self.addCleanup(profile.close)
        return profile


class Files(HandsTest):
    def started(self, *options, **more):
        """A recording whose program runs until it is over()."""
        run = start_in(self.folder, *options, "--", PYTHON, "-c", "import os\nprint('ready', flush=True)\n"
                       "while not os.path.exists('over'): sum(i * i for i in range(1000))", **more)
        self.assertEqual(run.stdout.readline(), "ready\n")
        return run

    def over(self, run):
        self.write("over", "")
        return run.communicate(timeout=60)

    def test_second_recording_takes_another_name_and_both_are_whole(self):
        first = self.started("-q")
        second = record_in(self.folder, "--", PYTHON, self.spin, "0.3")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("another recording writes 'profile.gprofx'; this recording writes 'profile.1.gprofx'", second.stderr)
        self.assertIn("gprof-x report profile.1.gprofx", second.stderr)
        self.assertEqual(self.over(first), ("", ""))
        self.assertEqual(first.returncode, 0)
        self.assertEqual(self.names(), ["profile.1.gprofx", "profile.gprofx"])
        for name in self.names():
            profile = self.open(name)
            self.assertEqual(profile.meta["complete"], "yes")
            self.assertGreater(int(profile.meta["duration_ns"]), 0.27 * SECOND)

    def test_ten_recordings_at_once_are_ten_profiles(self):
        runs = [start_in(self.folder, "-q", "--", PYTHON, self.spin, "1") for _ in range(10)]
        for run in runs:
            run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0)
        whole = [name for name in self.names() if self.open(name).meta["complete"] == "yes"]
        self.assertEqual(len(whole), 10, self.names())

    def test_a_recording_inside_of_a_recording_keeps_both(self):
        run = record_in(self.folder, "-q", "--", "sh", "-c", "'%s' record -q -- %s %s 0.3; '%s' record -q -- true"
                        % (GPROFX, PYTHON, self.spin, GPROFX))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.names(), ["profile.1.gprofx", "profile.2.gprofx", "profile.gprofx"])
        self.assertTrue(self.open("profile.gprofx").meta["command"].startswith("sh -c"))
        self.assertIn("spin.py", self.open("profile.1.gprofx").meta["command"])

    def test_a_name_that_was_given_is_refused_while_it_is_written(self):
        first = self.started("-q", "-o", "x.gprofx")
        second = record_in(self.folder, "-o", "x.gprofx", "--", "touch", "started")
        self.assertEqual(second.returncode, 125)
        self.assertRegex(second.stderr, r"^gprof-x: another recording writes 'x.gprofx'; .*-o.*\n$")
        self.assertNotIn("started", self.names())
        reader = subprocess.run([GPROFX, "report", "x.gprofx"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(reader.returncode, 0, reader.stderr)  # readers are not kept out
        self.over(first)
        self.assertEqual(self.open("x.gprofx").meta["complete"], "yes")

    def test_the_file_of_a_killed_recording_is_free_and_kept(self):
        first = self.started("-q", start_new_session=True)
        wait_for(lambda: has_samples(os.path.join(self.folder, "profile.gprofx")))
        first.kill()
        first.wait()
        self.assertEqual(record_in(self.folder, "-q", "--", "true").returncode, 0)
        self.assertEqual(self.open("profile.gprofx").meta["command"], "true")
        old = self.open("profile.gprofx.old")
        self.assertEqual(old.meta["complete"], "no")
        self.assertGreater(old.last_sample(), 0)
        self.over(first)

    def test_names_are_made_of_process_host_time_and_rank(self):
        for variables, rank in (({}, "0"), ({"RANK": "3", "SLURM_PROCID": "0"}, "3"), ({"OMPI_COMM_WORLD_RANK": "5"}, "5"),
                                ({"PMI_RANK": "7"}, "7"), ({"SLURM_PROCID": "9"}, "9"), ({"RANK": "../x"}, "0")):
            run = record_in(self.folder, "-o", "r%r-%h-%p-%t-100%%.gprofx", "--", "true", env=dict(os.environ, **variables))
            self.assertEqual(run.returncode, 0, run.stderr)
            (name,) = self.names()
            pattern = r"r%s-%s-\d+-\d{8}-\d{6}-100%%\.gprofx" % (rank, re.escape(socket.gethostname()))
            self.assertRegex(name, "^" + pattern.replace("%%", "%") + "$")
            known = {"0": None}.get(rank, rank)
            self.assertEqual(Profile(os.path.join(self.folder, name)).meta.get("rank"), known)
            os.remove(os.path.join(self.folder, name))
        for name in ("a%x", "a%"):
            run = record_in(self.folder, "-o", name, "--", "true")
            self.assertEqual((run.returncode, run.stderr.count("\n")), (125, 1))
            self.assertIn("%p, %h, %t, %r", run.stderr)

    def test_a_file_that_is_no_profile_is_left_alone(self):
        thesis = self.write("thesis.txt", "three years of work")
        run = record_in(self.folder, "-o", thesis, "--", "touch", "started")
        self.assertEqual(run.returncode, 125)
        self.assertIn("is not a profile", run.stderr)
        self.assertEqual(self.names(), ["thesis.txt"])
        with open(thesis) as file:
            self.assertEqual(file.read(), "three years of work")
        self.assertEqual(record_in(self.folder, "-q", "--force", "-o", thesis, "--", "true").returncode, 0)
        with open(thesis + ".old") as file:
            self.assertEqual(file.read(), "three years of work")
        run = record_in(self.folder, "-o", thesis, "--", "true")  # now what is no profile is in the way of the old one
        self.assertEqual(run.returncode, 125)
        self.assertIn(".old' exists and is not a profile", run.stderr)

    def test_a_start_that_fails_leaves_everything_as_it_was(self):
        for seconds in ("0.1", "0.2"):
            record_in(self.folder, "-q", "--", "sleep", seconds)
        script = self.write("script", "#!/no/such/interpreter\n", 0o755)
        before = [self.open(name).meta["command"] for name in ("profile.gprofx", "profile.gprofx.old")]
        self.assertEqual(before, ["sleep 0.2", "sleep 0.1"])
        run = record_in(self.folder, "--", script)
        self.assertEqual(run.returncode, 127)
        self.assertEqual(self.names(), ["profile.gprofx", "profile.gprofx.old", "script"])
        self.assertEqual([self.open(name).meta["command"] for name in ("profile.gprofx", "profile.gprofx.old")], before)


class Pages(HandsTest):
    """What stands where a page goes."""
    def page(self, path, **more):
        return subprocess.run([GPROFX, "report", "--html", path, "p.gprofx"], cwd=self.folder, capture_output=True, text=True, timeout=60, **more)

    def test_what_is_no_file_stays_and_so_does_an_old_page(self):
        record_in(self.folder, "-q", "-o", "p.gprofx", "--", PYTHON, "-c", SPIN, "0.2")
        os.symlink("/dev/full", os.path.join(self.folder, "link"))
        os.mkfifo(os.path.join(self.folder, "pipe"))
        with open(os.path.join(self.folder, "old"), "w") as file:
            file.write("an old page")
        before = self.names()
        for path in ("link", "pipe", "."):
            run = self.page(path)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        run = self.page("old", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertEqual(self.names(), before)
        with open(os.path.join(self.folder, "old")) as file:
            self.assertEqual(file.read(), "an old page")
        self.assertEqual(self.page("old").returncode, 0)
        self.assertGreater(os.path.getsize(os.path.join(self.folder, "old")), 20000)
        self.assertEqual(self.names(), before)


class Sentences(HandsTest):
    def said(self, status, *arguments, **more):
        run = record_in(self.folder, *arguments, **more)
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        return run.stderr

    def test_places_that_take_no_file(self):
        self.assertIn("no files can be created in folder '/proc'", self.said(125, "-o", "/proc/x", "--", "true"))
        self.assertIn("cannot write a profile to standard output", self.said(125, "-o", "-", "--", "true"))
        self.assertEqual(self.names(), [])

    def test_what_a_program_lacks_to_start(self):
        script = self.write("script", "#!/no/such/interpreter -x\n", 0o755)
        self.assertIn("its interpreter '/no/such/interpreter' does not exist", self.said(127, "--", script))
        dos = self.write("dos", "#!/bin/sh\r\nexit 3\r\n", 0o755)
        self.assertIn("as on Windows", self.said(127, "--", dos))
        plain = self.write("plain.txt", "hello")
        indirect = self.write("indirect", "#!%s\n" % plain, 0o755)
        self.assertIn("its interpreter '%s' is not executable" % plain, self.said(126, "--", indirect))
        program = self.compile("loaderless", "int main() { return 0; }", "-Wl,--dynamic-linker=/no/such/ld-linux.so")
        self.assertIn("its loader '/no/such/ld-linux.so' does not exist", self.said(127, "--", program))

    def test_no_pending_signals_are_allowed(self):
        run = record_in(self.folder, "-q", "--", PYTHON, self.spin, "0.3",
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"^gprof-x: \d+ threads? (has|have) no sampling timer, because the limit of pending signals is 0; raise it with ulimit -i\n$")
        self.assertIn("ulimit -i", self.open("profile.gprofx").meta["problems"])

    def test_a_tree_of_which_a_filter_leaves_nothing_is_one_row(self):
        record_in(self.folder, "-q", "--", PYTHON, self.spin, "1")
        def rows(*options):
            run = subprocess.run([GPROFX, "report", "--tree", "--json", *options], cwd=self.folder, capture_output=True)
            return json.loads(run.stdout)["rows"]
        self.assertEqual(len(rows("--focus", "no such function")), 1)
        everything = rows()
        self.assertGreater(len(everything), 10)
        self.assertEqual([row["id"] for row in everything], list(range(len(everything))))
        for row in everything[1:]:
            self.assertLess(row["parent"], row["id"])
            self.assertGreater(row["total"] + row["total_samples"], 0)
        self.assertEqual(sum(row["self"] for row in everything), everything[0]["total"])


class Terminal(HandsTest):
    SHOW = r"""
import sys, time
for i in range(6):
    sys.stdout.write("\rstep %d of 6 " % i); sys.stdout.flush()
    time.sleep(0.1)
name = input("\nname? ")
sys.stderr.write("hello " + name + "\nunfinished line"); sys.stderr.flush()
time.sleep(1.2)
sys.stdout.write("\x1b[2J\x1b[Hbye\n")
"""

    def on_terminal(self, *arguments, answer=b"Ada\n", background=False):
        """All bytes that the terminal got, and the status."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvp(arguments[0], arguments)
        seen, end, answered = b"", time.monotonic() + 60, False
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    data = os.read(terminal, 4096)
                except OSError:
                    break
                if not data:
                    break
                seen += data
            if answer and not answered and b"name?" in seen:
                for i in range(len(answer)):  # somebody types, while a second or so passes
                    os.write(terminal, answer[i:i + 1])
                    time.sleep(0.3)
                answered = True
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        return seen, os.waitstatus_to_exitcode(status)

    def test_the_terminal_gets_the_programs_bytes_and_lines_after_its_end(self):
        show = self.write("show.py", self.SHOW)
        bare, status = self.on_terminal(PYTHON, show)
        self.assertEqual(status, 0)
        self.assertIn(b"hello Ada", bare)
        for options in ((), ("-v",), ("-q",), ("--duration", "0.3"), ("-v", "--delay", "0.2", "--duration", "0.3")):
            ours, status = self.on_terminal(GPROFX, "record", *options, "--", PYTHON, show)
            self.assertEqual(status, 0)
            self.assertTrue(ours.startswith(bare), (options, ours, bare))
            after = ours[len(bare):].decode()
            self.assertRegex(after, r"^(gprof-x: [^\r\n\x1b]*\r\n)*$")
            if "-q" in options:
                self.assertEqual(after, "")
            else:
                self.assertIn("samples", after.splitlines()[-1])
            if "--duration" in options:
                self.assertIn("are recorded; the profile is written", after)

    def test_a_shell_that_runs_it_in_the_background_keeps_its_line(self):
        # What the user types while it runs in the background is echoed untouched.
        script = "'%s' record -- sleep 5 & read -p 'name? ' x; echo \"got $x\"; wait" % GPROFX
        seen, _ = self.on_terminal("bash", "-c", script, answer=b"Ada Lov\n")
        self.assertRegex(seen, rb"^name\? Ada Lov\r\ngot Ada Lov\r\ngprof-x: [^\r\n\x1b]* samples, [^\r\n\x1b]*\r\n$")

    def test_verbose_tells_how_it_goes_where_standard_error_is_a_file(self):
        run = record_in(self.folder, "-v", "--", PYTHON, self.spin, "1.5")
        self.assertRegex(run.stderr, r"(?m)^gprof-x: \d+\.\d s, [\d,]+ samples$")
        self.assertNotIn("\r", run.stderr)
        self.assertNotIn("\x1b", run.stderr)
        self.assertRegex(run.stderr, r"(?m)^gprof-x: recorder: launch [\d.]+ \w+, drain .*, gpu attribution 0 s, "
                                     r"final write [\d.]+ \w+$")

    def test_a_profile_says_where_the_recorder_spent_its_time(self):
        begin = time.monotonic()
        run = record_in(self.folder, "--no-cache", "--", PYTHON, self.spin, "1.5")
        took = (time.monotonic() - begin) * SECOND
        self.assertNotIn("recorder:", run.stderr)  # only with -v
        meta = self.open("profile.gprofx").meta
        ns = {name[len("recorder_ns_"):]: int(value) for name, value in meta.items() if name.startswith("recorder_ns_")}
        self.assertEqual(sorted(ns), ["commit", "drain", "final_write", "gpu_attribution", "ingest", "launch", "resolve",
                                      "stop", "symbolize", "write"])
        for name in ns.keys() - {"gpu_attribution"}:
            self.assertGreater(ns[name], 0, name)
        self.assertEqual(ns["gpu_attribution"], 0)
        beside = ("drain", "ingest", "commit", "write")  # while the program runs
        self.assertLess(sum(value for name, value in ns.items() if name not in beside), took - 1.4 * SECOND)
        for name in beside:  # on a slow disk a write may take most of it
            self.assertLess(ns[name], took)
        self.assertGreater(ns["symbolize"], ns["resolve"])  # a process is started for it


SLOW_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
static long Of(const char* name) { const char* text = getenv(name); return text ? atol(text) : 0; }
static void Wait(long us) { struct timespec t = {us / 1000000, us % 1000000 * 1000}; if (us > 0) nanosleep(&t, 0); }
static int Ours(int fd) {
  char link[64], path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  if (strstr(path, "/gprof-x") == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return strstr(path, ".gprofx") != 0;
}
ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t at) {
  static ssize_t (*next)(int, const void*, size_t, off64_t);
  if (!next) next = dlsym(RTLD_NEXT, "pwrite64");
  if (Ours(fd)) Wait(Of("SLOW_WRITE_US"));
  if (Ours(fd) && Of("FULL_AT") > 0 && at + (long)bytes > Of("FULL_AT")) { errno = ENOSPC; return -1; }
  return next(fd, data, bytes, at);
}
ssize_t pread64(int fd, void* data, size_t bytes, off64_t at) {
  static ssize_t (*next)(int, void*, size_t, off64_t);
  if (!next) next = dlsym(RTLD_NEXT, "pread64");
  if (Ours(fd)) Wait(Of("SLOW_READ_US"));
  return next(fd, data, bytes, at);
}
static volatile int syncs;
#define SYNC(name) int name(int fd) { static int (*next)(int); if (!next) next = dlsym(RTLD_NEXT, #name); \
  if (Ours(fd)) ++syncs, Wait(Of("SLOW_SYNC_US")); return next(fd); }
SYNC(fsync)
SYNC(fdatasync)
__attribute__((destructor)) static void Told(void) {
  const char* path = getenv("TELL_SYNCS");
  FILE* file = path && strstr(program_invocation_name, "gprof-x") ? fopen(path, "a") : 0;
  if (file) fprintf(file, "%d\n", syncs), fclose(file);
}
int link(const char* from, const char* to) {
  static int (*next)(const char*, const char*);
  if (!next) next = dlsym(RTLD_NEXT, "link");
  if (strstr(from, ".gprofx") != 0) Wait(Of("SLOW_LINK_US"));
  return next(from, to);
}
"""


class SlowDisk(HandsTest):
    program = os.environ.get("GPROFX_DYNAMIC", GPROFX)  # a shim cannot be loaded into a static one
    MOST_GAP = 0.7 * SECOND  # between two looks at the rings; usual are 0.05 to 0.2 s

    def slow(self, **how):
        shim = self.compile("slow.so", SLOW_DISK, "-fPIC", "-shared", "-ldl")
        return dict(os.environ, LD_PRELOAD=shim, **{name: str(value) for name, value in how.items()})

    def check_whole(self, profile):
        self.assertLess(profile.quality["longest_drain_gap_ns"], self.MOST_GAP)
        self.assertEqual({name: n for name, n in profile.quality.items() if "dropped" in name and n != 0}, {})
        (rows,) = profile.rows("SELECT rows FROM stream WHERE name = 'cpu samples'")
        # The rest of each thread's clock has rows of its own.
        self.assertGreaterEqual(rows[0], profile.quality["samples"])

    @judged_by_time
    def test_a_slow_disk_does_not_stop_the_draining(self):
        # A commit takes a second or more here.
        env = self.slow(SLOW_WRITE_US=30000, SLOW_SYNC_US=300000)
        run = self.record(PYTHON, self.spin, "4", env=env)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.check_whole(self.profile())

    @judged_by_time
    def test_a_slow_folder_does_not_stop_the_draining(self):
        # The profile that is there is moved when the program has started.
        self.record(PYTHON, self.spin, "0.2")
        run = self.record(PYTHON, self.spin, "2", env=self.slow(SLOW_LINK_US=1500000))
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.check_whole(self.profile())
        self.assertTrue(os.path.exists(self.path + ".old"))
        self.assertGreater(self.profile().quality["commits_merged"], 0)

    @judged_by_time
    def test_commits_that_come_too_fast_are_merged_and_counted(self):
        self.record(PYTHON, self.spin, "2")
        self.assertEqual(self.profile().quality["commits_merged"], 0)
        run = self.record(PYTHON, self.spin, "4", env=self.slow(SLOW_WRITE_US=100000))
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertGreater(self.profile().quality["commits_merged"], 1)
        self.check_whole(self.profile())

    def test_a_full_disk_is_told_once_while_the_program_runs(self):
        self.record("true")
        full = os.path.getsize(self.path) + 20000  # more than an empty profile, less than a second of this one
        command = [self.program, "record", "-F", "5000", "-o", self.path, "--", PYTHON, self.spin, "3"]
        run = subprocess.run(command, capture_output=True, text=True, env=self.slow(FULL_AT=full))
        self.assertEqual(run.returncode, 125)
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[0], "^gprof-x: cannot write '.*': the disk is full; .*; the program continues \\[GX-0301\\]$")
        self.assertNotIn("continues", lines[1])

    def test_nothing_is_synced_before_the_end(self):
        told = os.path.join(self.folder, "syncs")
        run = self.record(PYTHON, self.spin, "3", env=self.slow(TELL_SYNCS=told))
        self.assertEqual(run.returncode, 0)
        with open(told) as file:
            syncs = sum(map(int, file.read().split()))
        self.assertEqual(syncs, 1)  # at the end; before it was two a commit

    @judged_by_time
    def test_a_reader_that_holds_the_file_costs_nothing(self):
        run = self.start(PYTHON, self.spin, "5")
        wait_for(lambda: has_samples(self.path))
        reader = sqlite3.connect(self.path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM node").fetchone()
        time.sleep(3)
        reader.close()
        self.assertEqual((*run.communicate(timeout=60), run.returncode), (b"", b"", 0))
        self.check_whole(self.profile())

    @judged_by_time
    def test_a_reader_may_stay_beyond_the_end(self):
        run = self.start(PYTHON, self.spin, "3")
        wait_for(lambda: has_samples(self.path))
        reader = sqlite3.connect(self.path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM node").fetchone()
        self.assertEqual((*run.communicate(timeout=60), run.returncode), (b"", b"", 0))
        reader.close()
        self.check_whole(self.profile())
        self.assertEqual(self.profile().meta["complete"], "yes")

    def test_a_profile_on_a_slow_disk_opens(self):
        self.record(PYTHON, self.spin, "0.5")
        env = self.slow(SLOW_READ_US=250000)
        begin = time.monotonic()
        run = subprocess.run([self.program, "report", self.path], capture_output=True, text=True, env=env)
        self.assertGreater(time.monotonic() - begin, 5.5)  # otherwise it proves nothing
        self.assertEqual(run.returncode, 0, run.stderr)


class BrokenRecorder(HandsTest):
    PROGRAM = r"""
import os, random, signal, sys, time
def note(number, frame):
    os.write(1, b"got %d\n" % number)
    if number == signal.SIGTERM: sys.exit(7)
signal.signal(signal.SIGUSR1, note)
signal.signal(signal.SIGTERM, note)
calls = []
for i in range(40):  # functions that call one another at random: every sample has a new stack
    exec("def f%d(n):\n  return calls[random.randrange(40)](n - 1) if n else sum(range(300))" % i)
    calls.append(globals()["f%d" % i])
print("ready", flush=True)
end = time.monotonic() + 40
while time.monotonic() < end:
    calls[0](200)
"""

    def test_out_of_memory_leaves_the_program_watched_over(self):
        run = start_in(self.folder, "-F", "5000", "--", PYTHON, self.write("program.py", self.PROGRAM))
        self.assertEqual(run.stdout.readline(), "ready\n")
        wait_for(lambda: has_samples(os.path.join(self.folder, "profile.gprofx")))
        errors = []
        reader = threading.Thread(target=lambda: errors.extend(run.stderr))
        reader.start()
        resource.prlimit(run.pid, resource.RLIMIT_AS, (1 << 20, resource.RLIM_INFINITY))  # of gprof-x alone
        wait_for(lambda: any("ended early" in line for line in errors), 30)
        for _ in range(3):
            run.send_signal(signal.SIGUSR1)
            self.assertEqual(run.stdout.readline(), "got %d\n" % signal.SIGUSR1)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.stdout.readline(), "got %d\n" % signal.SIGTERM)
        self.assertEqual(run.wait(timeout=30), 7)
        reader.join()
        run.stdout.close()
        run.stderr.close()
        broke = [line for line in errors if "ended early" in line]
        self.assertEqual(len(broke), 1, errors)
        self.assertRegex(broke[0], r"^gprof-x: the recording ended early: out of memory; the program continues; .*profile.gprofx' contains")
        self.assertLessEqual(len(errors), 2, errors)
        profile = self.open("profile.gprofx")
        self.assertEqual(profile.meta["complete"], "no")
        self.assertGreater(profile.last_sample(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
