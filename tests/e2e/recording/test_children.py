#!/usr/bin/env python3
"""Children that are hard to follow: each behaves as without gprof-x, and is sampled or named as not sampled.

GPROFX_LOOPS=1000 runs each of them a thousand times; by default each runs GPROFX_LOOPS / 25 times.
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import *
from profile_support import by_chance

REPEAT = max(1, LOOPS // 25)

# Burns CPU time (its argument in ms, 20 without one) and ends with status 3, a word on each output.
BURN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void burn(double ms) {
  struct timespec t;
  volatile double x = 0;
  do {
    for (int i = 0; i < 10000; ++i) x += i;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  } while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < ms);
}
int main(int argc, char** argv) {
  burn(argc > 1 ? atof(argv[1]) : 20);
  puts("out");
  fputs("err\n", stderr);
  return 3;
}
"""

SHARES = r"""
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
volatile double sink;
#define BURN(name, seed) __attribute__((noinline)) void name(int n) { \
  double s = seed; for (int i = 1; i < n; ++i) s += sqrt(s + i) * (seed); sink = s; }
BURN(burn_ten, .1) BURN(burn_twenty, .2) BURN(burn_thirty, .3) BURN(burn_forty, .4)
static long long truth[2][4];
static long long now(void) {
  struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void* run(void* to) {
  void (*burns[4])(int) = {burn_ten, burn_twenty, burn_thirty, burn_forty};
  long long* times = to; long long begin = now();
  unsigned seed = 1;
  while (now() - begin < 2000000000LL) {  /* in random order: no cycle that sampling could meet */
    seed = seed * 1103515245 + 12345;
    int of_ten = (seed >> 16) % 10, k = of_ten < 1 ? 0 : of_ten < 3 ? 1 : of_ten < 6 ? 2 : 3;
    long long t = now(); burns[k](30000); times[k] += now() - t;
  }
  return 0;
}
int main() {
  pthread_t other;
  pthread_create(&other, 0, run, truth[1]);
  run(truth[0]);
  pthread_join(other, 0);
  printf("{");
  const char* names[4] = {"burn_ten", "burn_twenty", "burn_thirty", "burn_forty"};
  for (int k = 0; k < 4; ++k) printf("%s\"%s\": %lld", k ? ", " : "", names[k], truth[0][k] + truth[1][k]);
  printf("}\n");
}
"""



def needs(*programs):
    return unittest.skipUnless(all(shutil.which(p) for p in programs), "not installed: " + ", ".join(programs))


def root_only(test):
    return unittest.skipUnless(os.geteuid() == 0, "needs root")(test)


class ChildrenTest(LauncherTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # other users run programs of it

    def burn(self, name, *flags, compiler="gcc"):
        if shutil.which(compiler) is None:
            self.skipTest("no " + compiler)
        program = os.path.join(self.folder, name)
        run = subprocess.run([compiler, "-O1", "-g", "-o", program, self.write(name + ".c", BURN), *flags],
                             capture_output=True, text=True)
        if run.returncode != 0:
            self.skipTest("%s: %s" % (compiler, run.stderr))
        return program

    def same(self, *command, options=(), **more):
        """Records the command; its status and both outputs must be those of a bare run."""
        bare = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, **more)
        for _ in range(REPEAT):
            run = self.record(*command, options=options, stdin=subprocess.DEVNULL, **more)
            err = b"".join(line for line in run.stderr.splitlines(True) if not line.startswith(b"gprof-x: not profiled"))
            self.assertEqual((run.returncode, run.stdout, err), (bare.returncode, bare.stdout, bare.stderr))
        return self.profile()

    def samples_of(self, profile, name):
        """Nanoseconds of the processes with this name."""
        return profile.rows("SELECT coalesce(sum(self), 0) FROM value JOIN metric ON metric.id = value.metric "
                            "JOIN thread ON thread.id = value.thread JOIN process ON process.id = thread.process "
                            "JOIN string ON string.id = process.name WHERE metric.name = 'cpu' AND text = '%s'" % name)[0][0]

    def sampled(self, *command, name="prog", least=150_000_000, **more):
        profile = self.same(*command, **more)
        self.assertGreater(self.samples_of(profile, name), least, profile.meta)
        self.assertEqual(profile.quality["not_sampled"], 0, profile.meta["not_sampled"])
        return profile

    def named(self, text, *command, **more):
        profile = self.same(*command, **more)
        self.assertEqual(profile.meta["not_sampled"], text)
        return profile

    # The other C library

    def musl(self, name="prog", *flags):
        return self.burn(name, "-Wl,--eh-frame-hdr", *flags, compiler="musl-gcc")

    def test_musl_main_and_children_are_sampled(self):
        program = self.musl()
        for command in ([program, "200"], ["bash", "-c", program + " 200; exit $?"], ["env", "A=1", program, "200"],
                        [PYTHON, "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)",
                         program, "200"]):
            with self.subTest(command=command):
                self.sampled(*command)

    def test_shares_and_stacks_of_a_musl_program(self):
        if shutil.which("musl-gcc") is None:
            self.skipTest("no musl-gcc")
        program = os.path.join(self.folder, "shares")
        subprocess.run(["musl-gcc", "-O2", "-g", "-Wl,--eh-frame-hdr", "-o", program, self.write("shares.c", SHARES), "-lm"],
                       check=True)
        run = self.record(program)
        truth = json.loads(run.stdout)
        report = json.loads(subprocess.run([GPROFX, "report", "--json", "--top", "100", self.path], capture_output=True,
                                           check=True).stdout)
        found = {row["name"]: row["total"] for row in report["rows"] if row["name"] in truth}
        for name, ns in truth.items():
            self.assertAlmostEqual(found[name] / sum(found.values()), ns / sum(truth.values()),
                                   delta=by_chance(report["quality"]["samples"], ns / sum(truth.values())), msg=name)
        self.assertLess(report["quality"]["truncated_stacks"], 0.02 * report["quality"]["samples"])
        runs = [row["total"] for row in report["rows"] if row["name"] == "run"]
        self.assertGreater(sum(runs), 0.95 * report["base"])

    def test_what_a_musl_program_loads_later_is_walked(self):
        if shutil.which("musl-gcc") is None:
            self.skipTest("no musl-gcc")
        part = "volatile double sink;\n__attribute__((noinline)) void inside(void) { double s = 0; for (int i = 1; i < 100000; ++i) " \
               "s += 1.0 / i; sink = s; }\nvoid work(void) { for (int i = 0; i < 3000; ++i) inside(); __asm__ volatile(\"\"); }\n"
        main = "#include <dlfcn.h>\nint main(int c, char** v) { void (*work)(void) = dlsym(dlopen(v[1], RTLD_NOW), \"work\"); " \
               "work(); return 0; }\n"
        library, program = os.path.join(self.folder, "part.so"), os.path.join(self.folder, "main")
        flags = ["musl-gcc", "-O1", "-g", "-Wl,--eh-frame-hdr"]
        subprocess.run([*flags, "-shared", "-fPIC", "-o", library, self.write("part.c", part)], check=True)
        subprocess.run([*flags, "-o", program, self.write("main.c", main)], check=True)
        self.record(program, library)
        report = json.loads(subprocess.run([GPROFX, "report", "--json", "--top", "100", self.path], capture_output=True,
                                           check=True).stdout)
        total = {row["name"]: row["total"] for row in report["rows"]}
        for name in ("inside", "work", "main"):
            self.assertGreater(total.get(name, 0), 0.95 * report["base"], total)
        self.assertLess(report["quality"]["truncated_stacks"], 0.02 * report["quality"]["samples"])

    # What cannot be sampled is named

    def test_32_bit(self):
        program = self.burn("narrow", "-m32")
        spawn = "import os, sys; p = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); " \
                "sys.exit(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))"
        for command in (["bash", "-c", program + "; exit $?"], ["env", program], [PYTHON, "-c", spawn, program], [program]):
            with self.subTest(command=command):
                self.named("32-bit (narrow)", *command)

    def test_static(self):
        program = self.burn("fixed", "-static")
        profile = self.named("static (2 fixed)", "bash", "-c", "%s; %s; exit $?" % (program, program))
        self.assertEqual(profile.quality["not_sampled_static"], 2)
        self.assertEqual(profile.quality["not_sampled"], 2)

    def test_what_is_not_sampled_has_its_cpu_time_and_no_other(self):
        fixed, burn = self.burn("fixed", "-static"), self.burn("seen")
        parent = self.write("parent.c", """#include <sys/wait.h>
            #include <unistd.h>
            int main(int c, char** v) { if (fork() == 0) execv(v[1], (char*[]){v[1], "400", 0}); wait(0); return 3; }""")
        above = os.path.join(self.folder, "above")
        subprocess.run(["gcc", "-O1", "-static", "-o", above, parent], check=True)
        # The CPU clock of a process goes on at an exec, and burn() reads that.
        ways = {"the command": ([fixed, "400"], 0.4, 0), "its child": (["bash", "-c", "%s 400; exit 3" % fixed], 0.4, 0),
                "an exec": (["bash", "-c", "exec %s 400" % fixed], 0.4, 0),
                "an exec of a child": (["bash", "-c", "(%s 300; exec %s 400); exit 3" % (burn, fixed)], 0.4, 0.3),
                "one between two": ([above, burn], 0, 0.4), "one below a child": (["bash", "-c", "%s %s; exit 3" % (above, burn)], 0, 0.4),
                "one between two, then others": (["bash", "-c", "%s %s; %s 200; %s 200; exit 3" % (above, burn, fixed, fixed)], 0.4, 0.4),
                "after one that nobody waits for": (["bash", "-c", "(%s 300 &); sleep 1; %s 400; exit 3" % (burn, fixed)], 0.4, 0.3),
                "beside one": (["bash", "-c", "%s 300 & sleep 1; %s 400; wait; exit 3" % (burn, fixed)], 0.4, 0.3),
                "beside one that nobody waits for": (["bash", "-c", "%s 800 & (%s 300 &); wait; exit 3" % (fixed, burn)], 0.8, 0.3),
                "below an exec": (["bash", "-c", "%s 300; exec bash -c '%s 400; sleep 1; exit 3'" % (burn, fixed)], 0.4, 0.3)}
        shells = 0.02
        for way, (command, unseen, seen) in ways.items():
            with self.subTest(way=way):
                before = used_by_children()
                subprocess.run(command, capture_output=True)
                # Of which a slow machine needs more. Children that nobody waits for are not counted here.
                shells = max(shells, used_by_children() - before - unseen - seen)
                self.assertEqual(subprocess.run([GPROFX, "record", "-o", self.path, "--", *command], capture_output=True).returncode, 3)
                quality = json.loads(subprocess.run([GPROFX, "report", "--json", self.path], capture_output=True, check=True).stdout)["quality"]
                self.assertAlmostEqual(quality["not_sampled_ns"] / 1e9, unseen, delta=0.06 + shells)
                self.assertAlmostEqual(quality["accounted_ns"] / 1e9, seen, delta=0.06 + 2 * shells)
                self.assertEqual(any("of the CPU time" in reason for reason in quality["reasons"]), unseen > 0, quality["reasons"])

    def test_a_command_that_is_killed_has_no_time_of_its_children(self):
        burn = self.burn("seen")
        source = self.write("killed.c", """#include <signal.h>
            #include <stdlib.h>
            int main(int c, char** v) { system(v[1]); raise(SIGKILL); }""")
        killed = os.path.join(self.folder, "killed")
        subprocess.run(["gcc", "-O1", "-o", killed, source], check=True, stderr=subprocess.DEVNULL)
        run = subprocess.run([GPROFX, "record", "-o", self.path, "--", killed, burn + " 400"], capture_output=True)
        self.assertEqual(run.returncode, 137)
        quality = json.loads(subprocess.run([GPROFX, "report", "--json", self.path], capture_output=True, check=True).stdout)["quality"]
        self.assertAlmostEqual(quality["accounted_ns"] / 1e9, 0.4, delta=0.08)

    def test_the_summary_and_the_report_say_it(self):
        program = self.burn("fixed", "-static")
        run = subprocess.run([GPROFX, "record", "-o", self.path, "--", "bash", "-c", program + "; exit 0"], capture_output=True,
                             text=True)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stderr.splitlines()[-1], "gprof-x: 1 process was not sampled: static (fixed)")
        text = subprocess.run([GPROFX, "report", self.path], capture_output=True, text=True, check=True).stdout
        self.assertIn("note: 1 process was not sampled: static (fixed)\n", text)
        quality = json.loads(subprocess.run([GPROFX, "report", "--json", self.path], capture_output=True, check=True).stdout)["quality"]
        self.assertEqual((quality["processes_not_sampled"], quality["not_sampled"]), (1, "static (fixed)"))
        self.assertEqual(quality["counters"]["not_sampled_static"], 1)

    def test_an_exec_that_fails_is_not_counted(self):
        program = self.burn("fixed", "-static")
        os.chmod(program, 0o644)
        text = "import os, sys\nfor f in (os.execv, os.execvp):\n  try: f(sys.argv[1], ['x'])\n  except OSError as e: print(e)\n"
        profile = self.same(PYTHON, "-c", text, program)
        if os.geteuid() != 0 or not os.access(program, os.X_OK):
            self.assertEqual(profile.quality["not_sampled"], 0, profile.meta["not_sampled"])

    def test_cleared_environment_stays_empty(self):
        profile = self.named("cleared environment (env)", "env", "-i", shutil.which("env"))
        self.assertEqual(profile.quality["not_sampled_cleared"], 1)

    def test_a_script_that_preloads_a_library_of_its_own(self):
        program, library = self.burn("prog"), os.path.join(self.folder, "own.so")
        source = self.write("own.c", "int own_library_is_there;\n")
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
        for command in (["bash", "-c", "LD_PRELOAD=%s %s 200; exit $?" % (library, program)],
                        ["env", "LD_PRELOAD=" + library, program, "200"]):
            with self.subTest(command=command):
                self.sampled(*command, least=50)
        shown = self.same("bash", "-c", "unset LD_PRELOAD; %s; exit $?" % program)
        self.assertEqual(shown.quality["not_sampled_cleared"], 1)

    def test_address_sanitizer(self):
        program = self.burn("sane", "-fsanitize=address")
        for command in (["bash", "-c", program + "; exit $?"], [program]):
            with self.subTest(command=command):
                self.named("AddressSanitizer (sane)", *command)

    def test_preloaded_sanitizers(self):
        program = self.burn("prog")
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LSAN_OPTIONS="detect_leaks=0")
        for name in ("asan", "lsan", "tsan"):
            library = subprocess.run(["gcc", "-print-file-name=lib%s.so" % name], capture_output=True, text=True).stdout.strip()
            preloaded = dict(env, LD_PRELOAD=library)
            if not os.path.isabs(library) or subprocess.run([program], capture_output=True, env=preloaded).returncode != 3:
                continue
            with self.subTest(name=name):
                self.sampled(program, "200", env=preloaded)
                self.sampled("bash", "-c", "LD_PRELOAD=%s %s 200; exit $?" % (library, program), env=env)

    def test_other_sanitizers_are_sampled(self):
        for name in ("thread", "undefined"):
            with self.subTest(name=name):
                program = self.burn("prog", "-fsanitize=" + name)
                if subprocess.run([program], capture_output=True).returncode == 3:
                    self.sampled("bash", "-c", program + " 200; exit $?", least=1)

    @needs("go")
    def test_go_without_the_c_library(self):
        source = self.write("m.go", 'package main\nimport "os"\nfunc main() { println("err"); os.Stdout.WriteString("out\\n"); os.Exit(3) }\n')
        env = dict(os.environ, CGO_ENABLED="0", GOCACHE=os.path.join(self.folder, "cache"), HOME=self.folder)
        for name, mode, text in (("pie", "pie", "without the C library (pie)"), ("fixed", "exe", "static (fixed)")):
            program = os.path.join(self.folder, name)
            build = subprocess.run(["go", "build", "-buildmode=" + mode, "-o", program, source], env=env, capture_output=True)
            if build.returncode != 0:
                self.skipTest("go build: " + build.stderr.decode())
            for command in (["bash", "-c", program + "; exit $?"], [program]):
                with self.subTest(command=command):
                    self.named(text, *command)

    @needs("valgrind")
    def test_valgrind(self):
        self.named("under valgrind or rr (prog)", "valgrind", "-q", self.burn("prog"))

    def test_rr(self):
        self.named("under valgrind or rr (prog)", "env", "RUNNING_UNDER_RR=1", self.burn("prog"))

    @needs("bash")
    def test_a_limit_on_memory_is_left_to_the_program(self):
        program = self.burn("prog")
        self.named("limit on memory (prog)", "bash", "-c", "ulimit -v 300000; %s; exit $?" % program)
        self.sampled("bash", "-c", "ulimit -v 4000000; %s 200; exit $?" % program)

    # Other users, roots and namespaces

    @root_only
    @needs("setpriv", "runuser", "su")
    def test_other_users(self):
        program = self.burn("prog")
        for command in (["setpriv", "--reuid=65534", "--clear-groups", program, "200"],
                        ["setpriv", "--reuid=65534", "--clear-groups", "bash", "-c", program + " 200; exit $?"],
                        ["runuser", "-u", "nobody", "--", program, "200"],
                        ["su", "-s", "/bin/sh", "nobody", "-c", program + " 200"]):
            with self.subTest(command=command):
                self.sampled(*command)

    @root_only
    def test_a_fork_after_setuid_or_chroot_is_sampled(self):
        text = """
import os, sys, time
%s
if os.fork() == 0:
    end = time.process_time() + 0.2
    while time.process_time() < end: pass
    os._exit(3)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
        for change in ("os.setuid(65534)", "os.chroot(%r)" % self.folder):
            with self.subTest(change=change):
                profile = self.sampled(PYTHON, "-c", text % change, name=os.path.basename(PYTHON) + " -c")
                threads = profile.rows("SELECT count(*) FROM process")[0][0]
                self.assertEqual(threads, 2)

    @root_only
    @needs("chroot")
    def test_another_root(self):
        program = self.burn("prog")
        root = os.path.join(self.folder, "root")
        ldd = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
        files = [word for word in ldd.split() if word.startswith("/")] + [program]
        for file in files:
            to = root + ("/bin/prog" if file == program else file)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(file, to)
        self.named("agent out of reach (prog)", "chroot", root, "/bin/prog")
        # With the agent in that root, at the same place, there is a way without /proc - if the libraries that it
        # asks for are there too.
        agent = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which(GPROFX)))), "lib/gprof-x/libgprofx-agent.so")
        os.makedirs(root + os.path.dirname(agent))
        shutil.copy(agent, root + agent)
        self.named("agent out of reach (prog)", "chroot", root, "/bin/prog")
        library = next(file for file in files if "/libc.so" in file)
        for name in ("libpthread.so.0", "libdl.so.2"):
            shutil.copy(os.path.join(os.path.dirname(library), name), root + os.path.dirname(library))
        self.sampled("chroot", root, "/bin/prog", "200")

    @needs("unshare")
    def test_namespaces(self):
        program = self.burn("prog")
        shell = ["bash", "-c", "%s 100; %s 200; exit $?" % (program, program)]
        for command in (["unshare", "-Ur", *shell], ["unshare", "-pf", *shell], ["unshare", "-pf", "--mount-proc", *shell],
                        ["unshare", "-Urpf", "--mount-proc", *shell]):
            with self.subTest(command=command[:3]):
                if subprocess.run(command, capture_output=True).returncode != 3:
                    self.skipTest("unshare is not permitted")
                profile = self.sampled(*command)
                # The recorder saw the end of each; else it would have waited for them after the command's end.
                self.assertNotIn("outlived", profile.meta.get("problems", ""))
                self.assertLess(int(profile.meta["recorder_ns_stop"]), 1.5 * SECOND)
                # Each number is one process, and each process but the first was started by another one of them.
                rows = profile.rows("SELECT DISTINCT pid, parent_pid FROM process")
                pids = [pid for pid, _ in rows]
                self.assertEqual(len(pids), len(set(pids)), rows)
                self.assertTrue(all(parent in pids for _, parent in rows[1:]), rows)
                self.assertTrue(all(tid == pid for tid, pid in profile.rows(
                    "SELECT tid, pid FROM thread JOIN process ON process.id = thread.process")))

    @needs("unshare")
    def test_what_is_cut_off_is_named(self):
        command = ["unshare", "-Urnpf", "--mount-proc", self.burn("prog")]
        if subprocess.run(command, capture_output=True).returncode != 3:
            self.skipTest("unshare is not permitted")
        self.named("cut off from the recorder (prog)", *command)

    @needs("unshare")
    def test_wall_clock_in_a_pid_namespace(self):
        command = ["unshare", "-Urpf", "--mount-proc", "bash", "-c", "sleep 1.5; %s 200; exit $?" % self.burn("prog")]
        if subprocess.run(command, capture_output=True).returncode != 3:
            self.skipTest("unshare is not permitted")
        profile = self.same(*command, options=("--clock", "wall"))
        whole = int(profile.meta["duration_ns"]) / SECOND
        rows = dict(profile.rows("SELECT text, sum(self) FROM value JOIN metric ON metric.id = value.metric JOIN thread ON "
                                 "thread.id = value.thread JOIN process ON process.id = thread.process JOIN string ON "
                                 "string.id = process.name WHERE metric.name = 'wall' GROUP BY text"))
        self.assertGreater(rows["sleep"] / 1e9, 1.35)
        self.assertLess(rows["sleep"] / 1e9, whole)  # counted twice it would be more
        self.assertGreater(rows["prog"], 150_000_000)

    # The exec family

    def test_each_way_to_exec(self):
        program = self.burn("narrow", "-m32")
        ways = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
int main(int argc, char** argv) {
  char* p = argv[2];
  char* args[] = {p, "1", 0};
  int how = atoi(argv[1]);
  pid_t child;
  int status;
  const char* name = strrchr(p, '/') + 1;
  switch (how) {
    case 0: execve(p, args, environ); break;
    case 1: execv(p, args); break;
    case 2: execvp(name, args); break;
    case 3: execvpe(name, args, environ); break;
    case 4: execl(p, p, "1", (char*)0); break;
    case 5: execle(p, p, "1", (char*)0, environ); break;
    case 6: execlp(name, p, "1", (char*)0); break;
    case 7: fexecve(open(p, O_RDONLY), args, environ); break;
    case 8: execveat(AT_FDCWD, p, args, environ, 0); break;
    case 9: posix_spawn(&child, p, 0, 0, args, environ); waitpid(child, &status, 0); return WEXITSTATUS(status);
    case 10: posix_spawnp(&child, name, 0, 0, args, environ); waitpid(child, &status, 0); return WEXITSTATUS(status);
    case 11: if (vfork() == 0) { execv(p, args); _exit(99); } wait(&status); return WEXITSTATUS(status);
  }
  return 98;
}
"""
        started = self.compile("ways", ways)
        env = dict(os.environ, PATH=self.folder + ":" + os.environ["PATH"])
        for how in range(12):
            with self.subTest(how=how):
                self.named("32-bit (narrow)", started, str(how), program, env=env)

    def test_only_our_entry_leaves_the_environment(self):
        """The 32-bit child sees the environment that it would have without us, and the session's name."""
        show = 'extern char** environ; extern int puts(const char*); int main() { for (char** e = environ; *e; ++e) puts(*e); return 0; }'
        program = self.compile("narrow", show, "-m32")
        run = self.record("env", "-i", "A=1", "bash", "-c", "exec " + program)
        self.assertNotIn(b"GPROFX", run.stdout)
        env = {"A": "1", "PATH": os.environ["PATH"], "LD_PRELOAD": "libm.so.6"}
        run = self.record("bash", "-c", "exec " + program, env=env)
        lines = [line for line in run.stdout.decode().splitlines() if not line.startswith(("GPROFX_SESSION=", "CUDA_", "NVTX_", "_="))]
        bare = subprocess.run(["bash", "-c", "exec " + program], env=env, capture_output=True, text=True)
        self.assertEqual(sorted(lines), sorted(line for line in bare.stdout.splitlines() if not line.startswith("_=")))
        self.assertEqual(run.stderr.decode(), bare.stderr)

    def test_a_recording_in_a_recording(self):
        program = self.burn("narrow", "-m32")
        inner = os.path.join(self.folder, "inner.gprofx")
        profile = self.same(GPROFX, "record", "-q", "-o", inner, "--", "bash", "-c", program + "; exit $?")
        profile.close()
        inside = Profile(inner)
        self.addCleanup(inside.close)
        self.assertEqual(inside.meta["not_sampled"], "32-bit (narrow)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
