#!/usr/bin/env python3
"""Nobody gains anything from a file that is opened, or from a folder that is written to. Each test is an attack: journals that name other
files, names planted in a shared folder, pages that more people may read than the profile, formulas in CSV, mutated files of every kind."""
import csv
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, HERE

DATA = os.path.join(os.path.dirname(HERE), "data")
CORPUS = os.path.join(os.path.dirname(HERE), "fuzz", "corpus")
WHOLE = os.path.join(DATA, "steps", "eager.gprofx")
SMALL = os.path.join(CORPUS, "profile_db", "finished")
LOOPS = int(os.environ.get("GPROFX_LOOPS", "0"))
ATTACKER, VICTIM = 60001, 60002
IS_ROOT = os.geteuid() == 0
MAGIC = bytes.fromhex("d9d505f920a163d7")
READING = (["report"], ["report", "--tree", "--json"], ["report", "--html", "-"], ["export", "--to", "csv", "-o", "-"], ["analyze"],
           ["variability"], ["forecast", "--to", "h200"], ["diff", WHOLE], ["annotate", "gemm"])


def become(uid):
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)


def run(command, folder, uid=None, timeout=60, **more):
    return subprocess.run([GPROFX, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, preexec_fn=lambda: become(uid), **more)


def unfinished(source, path, super_journal=""):
    """A copy of a profile in the midst of a commit, and its journal, which may name a super-journal."""
    live = path + ".live"
    shutil.copy(source, live)
    data = sqlite3.connect(live, isolation_level=None)
    data.execute("PRAGMA synchronous=OFF")
    data.execute("PRAGMA cache_size=4")
    data.execute("BEGIN")
    data.execute("UPDATE meta SET value = 'changed' WHERE name = 'command'")
    data.execute("CREATE TABLE junk(a)")
    data.execute("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500) INSERT INTO junk SELECT hex(zeroblob(99)) FROM c")
    shutil.copy(live, path)
    with open(live + "-journal", "rb") as file:
        journal = file.read()
    data.execute("ROLLBACK")
    data.close()
    os.unlink(live)
    if super_journal:
        name = super_journal.encode()
        with open(path, "rb") as file:
            page = int.from_bytes(file.read(18)[16:], "big")
        journal += bytes(-len(journal) % 512)
        journal += (0x40000000 // page + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + MAGIC
    with open(path + "-journal", "wb") as file:
        file.write(journal)


def state(folder):
    """All there is in a folder and below, with contents and owners."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            info = os.lstat(path)
            digest = ""
            if stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, folder)] = (info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, digest)
    return found


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gprof-x-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)
        self.victim = self.write("precious", b"precious")

    def inside(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.inside(name), "wb") as file:
            file.write(data)
        return self.inside(name)

    def make_shared(self, mode=0o1777):
        shared = self.inside("shared")
        os.mkdir(shared)
        os.chmod(shared, mode)
        return shared

    def check_victim(self, what):
        self.assertTrue(os.path.exists(self.victim), what)
        with open(self.victim, "rb") as file:
            self.assertEqual(file.read(), b"precious", what)


class Reading(Files):
    def test_the_attack_works_on_sqlite_itself(self):
        """What is refused below is a real attack, and not a file that is broken anyhow."""
        unfinished(SMALL, self.inside("p.gprofx"), self.victim)
        data = sqlite3.connect(self.inside("p.gprofx"))
        data.execute("SELECT count(*) FROM meta").fetchall()
        data.close()
        self.assertFalse(os.path.exists(self.victim))

    def test_a_journal_from_an_archive_deletes_nothing(self):
        unfinished(SMALL, self.inside("p.gprofx"), self.victim)
        before = state(self.folder)
        for command in READING + (["merge", "-o", "out.gprofx"], ["redact", "-o", "out.gprofx"]):
            for _ in range(max(1, LOOPS // len(READING))):
                done = run(command + ["p.gprofx"], self.folder)
                self.check_victim(command)
                self.assertEqual(done.returncode, 2, (command, done.stderr))
                self.assertIn(b"names other files", done.stderr, command)
                self.assertEqual(state(self.folder), before, command)

    def test_an_unfinished_commit_is_read_and_nothing_is_written(self):
        """Of a killed recording, by its owner and by root, in a folder that may not be written too."""
        shutil.copy(SMALL, self.inside("whole.gprofx"))
        unfinished(SMALL, self.inside("p.gprofx"))
        wanted = run(["report", "--tree", "whole.gprofx"], self.folder)
        self.assertEqual(wanted.returncode, 0, wanted.stderr)
        if IS_ROOT:
            for name in ("p.gprofx", "p.gprofx-journal"):
                os.chown(self.inside(name), VICTIM, VICTIM)
                os.chmod(self.inside(name), 0o400)
        before = state(self.folder)
        for uid in (None, VICTIM) if IS_ROOT else (None,):
            got = run(["report", "--tree", "p.gprofx"], self.folder, uid)
            self.assertEqual((got.returncode, got.stdout.replace(b"p.gprofx", b"whole.gprofx")), (0, wanted.stdout), got.stderr)
            for command in READING:
                run(command + ["p.gprofx"], self.folder, uid)
                self.assertEqual(state(self.folder), before, command)

    @unittest.skipUnless(IS_ROOT, "needs root, to be several users")
    def test_a_journal_that_somebody_else_planted_changes_nothing(self):
        shared = self.make_shared()
        profile = os.path.join(shared, "p.gprofx")
        unfinished(SMALL, profile)
        os.chown(profile, VICTIM, VICTIM)
        os.chown(profile + "-journal", ATTACKER, ATTACKER)
        before = state(shared)
        for uid in (None, VICTIM):
            done = run(["report", "p.gprofx"], shared, uid)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"another user", done.stderr)
        self.assertEqual(state(shared), before)
        # The way out that the line names works, and gives the journal no trust.
        shutil.copy(SMALL, profile)
        shutil.copy(profile, self.inside("alone.gprofx"))
        self.assertEqual(run(["report", "alone.gprofx"], self.folder).returncode, 0)

    def test_advice_never_makes_a_journal_trusted(self):
        """Both files in a folder of one's own, as an archive leaves them and as older versions told to do."""
        shared = self.make_shared(0o755)
        unfinished(SMALL, os.path.join(shared, "p.gprofx"), self.victim)
        mine = self.inside("mine")
        shutil.copytree(shared, mine)
        self.assertEqual(run(["report", "p.gprofx"], mine).returncode, 2)
        self.check_victim("copied")


@unittest.skipUnless(IS_ROOT, "needs root, to be several users")
class Writing(Files):
    def setUp(self):
        super().setUp()
        self.shared = self.make_shared()
        unfinished(SMALL, self.inside("bad.gprofx"), self.victim)
        with open(self.inside("bad.gprofx-journal"), "rb") as file:
            self.journal = file.read()
        self.assertEqual(self.record("-q").returncode, 0)  # where nobody attacks
        self.clear()

    def plant(self, name, data):
        path = os.path.join(self.shared, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chown(path, ATTACKER, ATTACKER)
        return path

    def record(self, *options, name="profile.gprofx", program=("true",)):
        return run(["record", "-o", name, *options, "--", *program], self.shared)

    def clear(self):
        for name in os.listdir(self.shared):
            os.unlink(os.path.join(self.shared, name))

    def test_a_planted_journal_is_not_played_back(self):
        for _ in range(max(5, LOOPS)):
            self.plant("profile.gprofx-journal", self.journal)
            done = self.record()
            self.check_victim(done.stderr)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertRegex(done.stderr.decode(), r"^gprof-x: 'profile.gprofx-journal' lies there .*; remove it .*\n$")
            self.clear()

    def test_a_journal_planted_while_it_records(self):
        """The name is taken again and again, from before the start or from some moment on to after the end."""
        recorded = 0
        for attempt in range(max(10, LOOPS)):
            planter = os.fork()
            if planter == 0:
                become(ATTACKER)
                path, other = os.path.join(self.shared, "profile.gprofx-journal"), os.path.join(self.shared, "x%d" % attempt)
                random.seed(attempt)
                end = time.monotonic() + 20
                time.sleep(random.choice((0, random.random() / 5)))
                while time.monotonic() < end:
                    try:
                        with open(other, "wb") as file:
                            file.write(self.journal)
                        os.rename(other, path)
                        time.sleep(random.random() / 100)
                        os.unlink(path)
                        time.sleep(random.random() / 100)
                    except OSError:
                        pass
                os._exit(0)
            try:
                done = self.record("-q", "-F", "999", program=("sleep", "0.05"))
            finally:
                os.kill(planter, signal.SIGKILL)
                os.waitpid(planter, 0)
            self.check_victim(done.stderr)
            self.assertIn(done.returncode, (0, 125), done.stderr)
            if done.returncode == 0:
                recorded += 1
                for name in os.listdir(self.shared):
                    if name != "profile.gprofx":
                        os.unlink(os.path.join(self.shared, name))
                shown = run(["report", "profile.gprofx"], self.shared)
                self.assertEqual(shown.returncode, 0, shown.stderr)
            self.clear()
        self.assertGreater(recorded, 0)

    def test_files_that_are_swapped_while_they_are_written(self):
        """In a folder where anybody may rename: whoever puts a file of his own in the place of a new one gets nothing of the profile."""
        os.chmod(self.shared, 0o777)
        for attempt in range(max(60, LOOPS)):
            bait = self.plant("bait", b"")
            shutil.copy(SMALL, os.path.join(self.shared, "p.gprofx"))
            swapper = os.fork()
            if swapper == 0:
                become(ATTACKER)
                os.chdir(self.shared)
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    for name in os.listdir("."):
                        if name not in ("bait", "x", "p.gprofx"):
                            try:
                                os.link("bait", "x")
                                os.rename("x", name)
                                os.unlink("x")  # where both were one file
                            except OSError:
                                pass
                os._exit(0)
            try:
                commands = (["record", "-q", "-o", "profile.gprofx", "--", "true"], ["report", "--html", "page.html", "p.gprofx"],
                            ["export", "--to", "sqlite-flat", "-o", "x.sqlite", "p.gprofx"], ["merge", "-o", "m.gprofx", "p.gprofx"])
                done = run(commands[attempt % len(commands)], self.shared)
            finally:
                os.kill(swapper, signal.SIGKILL)
                os.waitpid(swapper, 0)
            with open(bait, "rb") as file:
                self.assertEqual(file.read(100), b"", (attempt, done.stderr))
            self.assertIn(done.returncode, (0, 2, 125), done.stderr)
            self.clear()

    def test_planted_names_are_never_written_through(self):
        precious = os.stat(self.victim)
        for name in ("profile.gprofx", "profile.gprofx.old", "profile.gprofx.tmp", "profile.gprofx-journal", "profile.gprofx.old-journal"):
            for kind in ("symlink", "hard link", "fifo", "dangling"):
                self.clear()
                if name == "profile.gprofx.old":
                    shutil.copy(SMALL, os.path.join(self.shared, "profile.gprofx"))
                path = os.path.join(self.shared, name)
                if kind == "symlink":
                    os.symlink(self.victim, path)
                elif kind == "hard link":
                    os.link(self.victim, path)
                elif kind == "fifo":
                    os.mkfifo(path)
                else:
                    os.symlink(self.inside("made"), path)
                done = self.record("-q")
                self.check_victim((name, kind))
                self.assertIn(done.returncode, (0, 125), (name, kind, done.stderr))
                self.assertFalse(os.path.exists(self.inside("made")), (name, kind))
                now = os.stat(self.victim)
                self.assertEqual((now.st_mode, now.st_uid, now.st_mtime_ns), (precious.st_mode, precious.st_uid, precious.st_mtime_ns))
                if kind == "hard link" and os.path.exists(path):
                    os.unlink(path)

    def test_an_own_killed_recording_gives_way(self):
        """The honest case: profile and journal of a recording that was killed are kept as .old, both."""
        unfinished(SMALL, os.path.join(self.shared, "profile.gprofx"))
        done = self.record("-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.shared)), ["profile.gprofx", "profile.gprofx.old", "profile.gprofx.old-journal"])
        self.assertEqual(run(["report", "profile.gprofx.old"], self.shared).returncode, 0)
        # A journal whose profile is gone is of no use to anybody.
        self.clear()
        unfinished(SMALL, os.path.join(self.shared, "profile.gprofx"))
        os.unlink(os.path.join(self.shared, "profile.gprofx"))
        self.assertEqual(self.record("-q").returncode, 0)
        self.assertEqual(os.listdir(self.shared), ["profile.gprofx"])


class Made(Files):
    """What is made of a profile."""

    def test_nobody_reads_more_of_it_than_of_the_profile(self):
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        for mode in (0o600, 0o640, 0o400):
            out = self.inside("out%o" % mode)
            os.mkdir(out)
            for name in ("a.gprofx", "b.gprofx"):
                shutil.copy(WHOLE, os.path.join(out, name))
            os.chmod(os.path.join(out, "a.gprofx"), mode)  # the stricter of the two
            commands = (["report", "--html", "page.html", "a.gprofx"], ["export", "--to", "csv", "-o", "x.csv", "a.gprofx"],
                        ["export", "--to", "sqlite-flat", "-o", "x.sqlite", "a.gprofx"], ["merge", "-o", "m.gprofx", "b.gprofx", "a.gprofx"],
                        ["redact", "-o", "r.gprofx", "a.gprofx"], ["analyze", "--sarif", "f.sarif", "a.gprofx"],
                        ["diff", "--html", "d.html", "--md", "d.md", "--junit", "d.xml", "b.gprofx", "a.gprofx"],
                        ["ci", "baseline", "save", "main", "a.gprofx"], ["variability", "--html", "v.html", "a.gprofx"])
            for command in commands:
                done = run(command, out, env={**os.environ, "GITHUB_STEP_SUMMARY": os.path.join(out, "summary.md"), "GITHUB_ACTIONS": "true"})
                self.assertLess(done.returncode, 4, (command, done.stderr))
            made = []
            for place, _, files in os.walk(out):
                for name in files:
                    path = os.path.join(place, name)
                    if name in ("a.gprofx", "b.gprofx") or os.path.getsize(path) == 0:
                        continue
                    made.append(name)
                    self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & ~(mode | 0o600), 0, (oct(mode), path))
            for name in ("page.html", "x.csv", "x.sqlite", "m.gprofx", "r.gprofx", "d.html", "d.md"):
                self.assertIn(name, made)

    def test_no_text_of_a_csv_is_a_formula(self):
        names = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "=\"x,y\"")
        self.write("in.txt", "".join("%s;%s 7\n" % (name, name) for name in names).encode())
        self.assertEqual(run(["import", "--from", "collapsed", "-o", "p.gprofx", "in.txt"], self.folder).returncode, 0)
        outputs = (run(["export", "--to", "csv", "-o", "-", "p.gprofx"], self.folder).stdout, run(["analyze", "--csv", "p.gprofx"], self.folder).stdout)
        self.assertIn(b"cmd|", outputs[0])
        for output in outputs:
            for row in csv.reader(output.decode().splitlines()):
                for cell in row:
                    self.assertNotRegex(cell, r"^[=+@\t\r]|^-(?!\d+(\.\d+)?(e[+-]\d+)?$)", row)


class Mutated(Files):
    """Files that somebody has changed, of every kind that is read. GPROFX_LOOPS=2000 is the long run."""
    TRIES = LOOPS or 12
    WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^\w*(unlink|rename|link|mkdir|rmdir|chmod|chown|mknod|truncate|symlink|utimens)")

    def watched(self, command):
        """The run and the names that it has opened to write, deleted or changed, and the names that it has opened beside the system's."""
        trace = self.inside("strace.out")
        line = [GPROFX, *command]
        if shutil.which("strace"):
            calls = "openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir,mknod," \
                    "mknodat,chmod,fchmodat,chown,fchownat,truncate,utimensat"
            line = ["strace", "-f", "-qq", "--signal=none", "-o", trace, "-e", "trace=" + calls, *line]
        done = subprocess.run(line, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        writes, opens = [], set()
        if os.path.exists(trace):
            with open(trace, errors="replace") as file:
                places = {}  # by descriptor: names that were opened to be looked at, and then by /proc to be used
                for call in file:
                    call = re.sub(r"^\d+ +", "", call)
                    place = re.match(r'openat\(AT_FDCWD, "([^"]*)", [^)]*O_PATH[^)]*\) = (\d+)$', call)
                    if place:
                        places[place.group(2)] = place.group(1)
                    call = re.sub(r'"/proc/self/fd/(\d+)"', lambda fd: '"%s"' % places.get(fd.group(1), "unknown"), call)
                    if self.WRITES.search(call) and "/dev/null" not in call:
                        writes.append(call.strip())
                    name = re.match(r'open(?:at)?\((?:[^"]*)"([^"]*)"', call)
                    if name and not re.match(r"/(proc/|sys/devices/|dev/null$|dev/urandom$|etc/ld\.so|etc/localtime$|lib|usr/lib|usr/share/zoneinfo)",
                                             name.group(1)):
                        opens.add(os.path.basename(name.group(1)))
            os.unlink(trace)
        return done, writes, opens

    def mutate(self, data, chance):
        data = bytearray(data)
        if chance.randrange(3) == 0:  # one that leaves the whole in order
            numbers = [at for at, byte in enumerate(data) if 48 <= byte < 58]
            for at in chance.sample(numbers, min(len(numbers), chance.randrange(1, 9))):
                data[at] = chance.choice(b"0123456789")
            return bytes(data)
        kind = chance.randrange(8)
        if kind == 0 and len(data) > 1:
            del data[chance.randrange(1, len(data)):]
        elif kind == 1:
            at = chance.randrange(len(data))
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 64)))
        elif kind == 2 and len(data) > 64:
            at, to, size = chance.randrange(len(data)), chance.randrange(len(data)), chance.randrange(1, 4096)
            data[to:to + size] = data[at:at + size]
        for _ in range(chance.randrange(1 << chance.randrange(7))):
            if data:
                data[chance.randrange(len(data))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        return bytes(data)

    def check(self, files, command, named, out=()):
        """`files`: names and whole contents; of each try one or more are changed."""
        self.work = self.inside("work")
        counts = {}
        for seed in range(self.TRIES):
            shutil.rmtree(self.work, ignore_errors=True)
            os.mkdir(self.work)
            chance = random.Random(seed)
            changed = chance.sample(sorted(files), chance.randint(1, len(files)))
            for name, data in files.items():
                with open(os.path.join(self.work, name), "wb") as file:
                    file.write(self.mutate(data, chance) if name in changed else data)
            before = state(self.work)
            done, writes, opens = self.watched(command)
            counts[done.returncode] = counts.get(done.returncode, 0) + 1
            self.assertIn(done.returncode, (0, 1, 2, 3) if command[0] == "diff" else (0, 2), (command, seed, done.stderr[-300:]))
            self.check_victim((command, seed))
            after = state(self.work)
            self.assertEqual({name: value for name, value in after.items() if name not in out}, before, (command, seed))
            others = [call for call in writes if not any(name in call for name in out)]
            self.assertEqual(others, [], (command, seed))
            allowed = (*named, *out, os.path.basename(self.work))  # the folder is synced
            self.assertEqual([name for name in opens if not name.startswith(allowed)], [], (command, seed))
        print("%s: %d mutations, by exit status %s" % (" ".join(command), self.TRIES, counts), flush=True)

    def test_profile_and_journal(self):
        unfinished(SMALL, self.inside("p.gprofx"), self.victim)
        files = {}
        for name in ("p.gprofx", "p.gprofx-journal"):
            with open(self.inside(name), "rb") as file:
                files[name] = file.read()
        for command in (["report", "--tree", "--json"], ["export", "--to", "collapsed", "-o", "-"], ["analyze"]):
            self.check(files, command + ["p.gprofx"], list(files))

    def test_an_honest_journal(self):
        unfinished(SMALL, self.inside("p.gprofx"))
        files = {}
        for name in ("p.gprofx", "p.gprofx-journal"):
            with open(self.inside(name), "rb") as file:
                files[name] = file.read()
        self.check(files, ["report", "p.gprofx"], list(files))

    def test_traces_of_each_importer(self):
        kinds = [("nsight", os.path.join(CORPUS, "nsight", "small"), "t.sqlite")]
        kinds += [(name, os.path.join(DATA, "import", file), file)
                  for name, file in (("kineto", "kineto.json"), ("jax", "jax.json"), ("perf", "perf-script.txt"), ("py-spy", "py-spy.txt"))]
        kinds.append(("jax", os.path.join(CORPUS, "chrome_trace", "jax-gz"), "t.json.gz"))
        for kind, path, name in kinds:
            with open(path, "rb") as file:
                data = file.read()
            self.check({name: data}, ["import", "-q", "--from", kind, "-o", "out.gprofx", name], [name], ["out.gprofx"])

    def test_a_journal_beside_an_nsight_export(self):
        source = os.path.join(CORPUS, "nsight", "small")
        shutil.copy(source, self.inside("t.sqlite"))
        with open(self.inside("bad.gprofx-journal"), "wb") as file:
            file.write(b"")
        unfinished_any(source, self.inside("n.sqlite"), self.victim)
        done = run(["import", "-o", "out.gprofx", "n.sqlite"], self.folder)
        self.check_victim(done.stderr)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"names other files", done.stderr)


def unfinished_any(source, path, super_journal):
    """As unfinished(), of a database without a table meta."""
    with_meta = path + ".meta"
    shutil.copy(source, with_meta)
    data = sqlite3.connect(with_meta)
    data.execute("CREATE TABLE IF NOT EXISTS meta(name, value)")
    data.commit()
    data.close()
    unfinished(with_meta, path, super_journal)
    os.unlink(with_meta)


if __name__ == "__main__":
    unittest.main()
