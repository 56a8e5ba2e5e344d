#!/usr/bin/env python3
"""gprof-x export: hostile names, broken recordings, outputs that end, are full or are there already, and the command line."""
import filecmp
import glob
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from export_readers import READERS
from export_support import SHARED, SPIN, ExportTest, export
from profile_support import GPROFX, Recording


class Hostile(ExportTest):
    def recorded(self, *options, command=None):
        return Recording(command or [sys.executable, "-c", SPIN], options)

    def test_every_byte_in_every_name(self):
        every = bytes(range(1, 256))
        with self.recorded() as r:
            db = sqlite3.connect(r.file)
            ids = [row[0] for row in db.execute("SELECT id FROM string")]
            for i in ids:
                extra = b"x" * 10000 if i % 7 == 0 else b""
                text = b"%d " % i + every[i % 255:] + every[:i % 255] + b";\n\"\\ \xed\xa0\x80</script>\xf0\x9f\x98\x80 12 (3)" + extra
                db.execute("UPDATE string SET text = CAST(? AS TEXT) WHERE id = ?", (text, i))
            db.execute("UPDATE string SET text = CAST(x'610062' AS TEXT) WHERE id = ?", (ids[0],))  # a NUL, too
            db.commit()
            db.close()
            total = r.report("--top", "1")["base"]
            for name, (reader, _) in READERS.items():
                with self.subTest(format=name):
                    read = reader(self.export(name, r.file))
                    sums = read.sums()
                    self.assertEqual(sums.get("cpu", sums.get("clock")), total)
            if shutil.which("go"):
                run = subprocess.run(["go", "tool", "pprof", "-top", self.export("pprof", r.file)], capture_output=True,
                                     env=dict(os.environ, HOME=self.folder))
                self.assertEqual(run.returncode, 0, run.stderr)
            if shutil.which("callgrind_annotate"):
                run = subprocess.run(["callgrind_annotate", self.export("callgrind", r.file)], capture_output=True)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                self.assertIn(format(total, ",").encode(), run.stdout)

    def test_profile_without_any_sample(self):
        with self.recorded("--delay", "30", command=["true"]) as r:
            for name, (reader, _) in READERS.items():
                with self.subTest(format=name):
                    self.assertEqual(sum(reader(self.export(name, r.file)).sums().values()), 0)

    def test_unfinished_recording(self):
        path = self.path("killed.gprofx")
        spin = "import time\nend = time.time() + 20\nwhile time.time() < end: sum(range(1000))"
        process = subprocess.Popen([GPROFX, "record", "-q", "-o", path, "--", sys.executable, "-c", spin], start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None and self.samples(path) < 100:
                time.sleep(0.2)
            process.send_signal(signal.SIGKILL)
            process.wait()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
        total = json.loads(subprocess.run([GPROFX, "report", "--json", "--top", "1", path], capture_output=True).stdout)["base"]
        self.assertGreater(total, 0)
        for name, (reader, _) in READERS.items():
            with self.subTest(format=name):
                sums = reader(self.export(name, path)).sums()
                self.assertEqual(sums.get("cpu", sums.get("clock")), total)

    def samples(self, path):
        run = subprocess.run([GPROFX, "report", "--json", "--top", "1", path], capture_output=True, timeout=60)
        return json.loads(run.stdout)["quality"]["samples"] if run.returncode == 0 else 0

    def test_a_reader_that_ends(self):
        with self.recorded() as r:
            for name in READERS:
                if name == "sqlite-flat":
                    continue
                read, write = os.pipe()
                os.close(read)
                with self.subTest(format=name):
                    run = subprocess.run([GPROFX, "export", "--to", name, "-o", "-", r.file], stdout=write, stderr=subprocess.PIPE)
                    self.fails(run, "its reader has ended")
                os.close(write)

    def test_full_disk(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("no /dev/full")
        with self.recorded() as r:
            with open("/dev/full", "wb") as full:
                run = subprocess.run([GPROFX, "export", "--to", "csv", "-o", "-", r.file], stdout=full, stderr=subprocess.PIPE)
            self.fails(run, "the disk is full")
            for name in READERS:
                with self.subTest(format=name):
                    path = self.path("small")
                    run = subprocess.run(["sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$0" "$@"', GPROFX, "export", "--to", name, "-o",
                                          path, r.file], stderr=subprocess.PIPE)
                    if run.returncode != 0:  # a small one fits
                        self.fails(run, "cannot write")
                        self.assertEqual(os.listdir(self.folder), [])
                    else:
                        os.unlink(path)

    def test_stdout_is_the_file(self):
        with self.recorded() as r:
            for name in READERS:
                if name == "sqlite-flat":
                    self.fails(export("--to", name, "-o", "-", r.file), "name a file with -o")
                    continue
                run = export("--to", name, "-o", "-", r.file)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                with open(self.export(name, r.file), "rb") as file:
                    self.assertEqual(run.stdout, file.read())

    def test_what_is_there_stays(self):
        with self.recorded() as r:
            path = self.path("there")
            with open(path, "w") as file:
                file.write("mine")
            self.fails(export("--to", "csv", "-o", path, r.file), "already exists", "--force")
            with open(path) as file:
                self.assertEqual(file.read(), "mine")
            self.assertEqual(export("--to", "csv", "--force", "-o", path, r.file).returncode, 0)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            link = self.path("link")
            os.symlink(path, link)
            self.fails(export("--to", "csv", "--force", "-o", link, r.file), "symbolic link")
            self.fails(export("--to", "csv", "--force", "-o", self.folder, r.file), "is a folder")
            self.fails(export("--to", "csv", "-o", self.path("no/where"), r.file), "does not exist")
            before = os.stat(r.file)
            self.fails(export("--to", "csv", "--force", "-o", r.file, r.file), "is a profile")
            self.assertEqual(os.stat(r.file).st_ino, before.st_ino)
            self.assertEqual(sorted(os.listdir(self.folder)), ["link", "there"])

    def test_interrupted(self):
        """No unfinished file is left by an export that a signal ends, whenever it comes: one that
        had just been published is whole."""
        with self.recorded() as r:
            file = (sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))) + [r.file])[0]
            whole = self.export("kineto", file)
            path = self.path("cut/out.json.gz")
            os.mkdir(os.path.dirname(path))
            for number in (signal.SIGINT, signal.SIGTERM):
                for delay in (0, 0.01, 0.05):
                    process = subprocess.Popen([GPROFX, "export", "-q", "--to", "kineto", "-o", path, file])
                    while process.poll() is None and not os.listdir(os.path.dirname(path)):
                        time.sleep(0.002)
                    time.sleep(delay)
                    process.send_signal(number)
                    status = process.wait()
                    self.assertIn(status, (0, -number))
                    left = os.listdir(os.path.dirname(path))
                    self.assertIn(left, ([], ["out.json.gz"]) if status else (["out.json.gz"],))
                    if left:
                        self.assertTrue(filecmp.cmp(path, whole, shallow=False))
                        os.unlink(path)

    def test_usual_name(self):
        with self.recorded() as r:
            run = export("--to", "pprof", r.file, cwd=self.folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(os.listdir(self.folder), ["p.pb.gz"])
            self.assertEqual(run.stdout, b"")
            self.assertIn(b"p.pb.gz", run.stderr)

    def test_command_line(self):
        names = "firefox, perfetto, kineto, pprof, speedscope, collapsed, callgrind, sqlite-flat, csv"
        self.fails(export("--to", "nonsense\x1b[31m"), "option '--to' needs", names)
        self.fails(export(), "no output format is given", names)
        self.fails(export("--to", "csv", self.path("none.gprofx")), "none.gprofx")
        self.fails(export("--tofu"), "unknown option")
        with self.recorded() as r:
            self.fails(export("--to", "collapsed", "--metric", "nonsense", "-o", "-", r.file), "no metric", "cpu")
        run = export("--help")
        self.assertEqual(run.returncode, 0)
        for name in names.split(", "):
            self.assertIn(name.encode(), run.stdout)
        self.assertLessEqual(max(len(line) for line in run.stdout.decode().splitlines()), 80)


if __name__ == "__main__":
    unittest.main(verbosity=2)
