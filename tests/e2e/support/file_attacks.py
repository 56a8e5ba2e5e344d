"""What attacks by files share: a profile in the midst of a commit, a journal that names other files, and a file that must stay."""
import hashlib
import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import unittest

from profile_support import GPROFX, HERE

DATA = os.path.join(os.path.dirname(HERE), "data")
CORPUS = os.path.join(os.path.dirname(HERE), "fuzz", "corpus")
WHOLE = os.path.join(DATA, "steps", "eager.gprofx")
SMALL = os.path.join(CORPUS, "profile_db", "finished")
LOOPS = int(os.environ.get("GPROFX_LOOPS", "0"))
ATTACKER, VICTIM = 60001, 60002
IS_ROOT = os.geteuid() == 0
MAGIC = bytes.fromhex("d9d505f920a163d7")


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
