#!/usr/bin/env python3
"""Nobody gains anything from files that somebody has changed at random, of every kind that is read."""
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from file_attacks import CORPUS, DATA, Files, LOOPS, SMALL, run, state, unfinished
from profile_support import GPROFX


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
