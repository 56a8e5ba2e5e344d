"""gprof-x merge: the profiles of ranks as one file, and what goes wrong with some of them."""
import json
import os
import resource
import signal
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPROFX = os.environ["GPROFX"]
TRACE = os.path.join(os.path.dirname(HERE), "data", "import", "kineto.json")
SPIN = "import time\nwhile time.process_time() < {seconds}: pass\n"
RANKS = 3
BATCH = 32  # files that are merged before they become part of the whole


def gprofx(*args):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


def shown(*args):
    """A report's JSON without what refers to the files: their names and the numbers by which --callers finds rows."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items() if key not in ("file", "files", "row")}
        return [strip(each) for each in value] if isinstance(value, list) else value
    return strip(json.loads(gprofx("report", "--json", *args).stdout))


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Merge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = []
        for rank in range(RANKS):
            path = cls.at(f"r{rank}.gprofx")
            run = subprocess.run([GPROFX, "record", "-q", "-o", path, "--", sys.executable, "-c", SPIN.format(seconds=0.3)],
                                 env=dict(os.environ, RANK=str(rank), WORLD_SIZE=str(RANKS)), timeout=60)
            assert run.returncode == 0
            cls.files.append(path)
        cls.merged = cls.at("all.gprofx")
        run = gprofx("merge", "-o", cls.merged, *cls.files)
        assert (run.returncode, run.stdout, run.stderr) == (0, "", ""), run

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder.name, name)

    def import_rank(self, rank):
        """The trace of a GPU, as of this rank."""
        with open(TRACE) as text:
            trace = json.load(text)
        trace["distributedInfo"] = {"rank": rank, "world_size": 64}
        path = self.at(f"gpu{rank}")
        with open(path + ".json", "w") as text:
            json.dump(trace, text)
        run = gprofx("import", "-q", "-o", path + ".gprofx", path + ".json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return path + ".gprofx"

    def test_the_order_of_the_files_changes_no_byte(self):
        for order in (self.files[::-1], self.files[1:] + self.files[:1]):
            other = self.at("other.gprofx")
            self.assertEqual(gprofx("merge", "-o", other, *order).returncode, 0)
            self.assertEqual(content(other), content(self.merged))

    def test_reports_are_those_of_the_files(self):
        for view in ("--top", "--tree", "--lines", "--threads", "--ranks", "--timeline"):
            self.assertEqual(shown(view, self.merged), shown(view, *self.files), view)

    def test_ranks_stay_visible(self):
        text = gprofx("report", "--ranks", self.merged).stdout
        self.assertIn("3 ranks", text.splitlines()[0])
        with sqlite3.connect("file:%s?mode=ro" % self.merged, uri=True) as db:
            self.assertEqual([row[0] for row in db.execute("SELECT rank FROM recording ORDER BY id")], [0, 1, 2])
            self.assertEqual(len({row[0] for row in db.execute("SELECT pid FROM process")}), RANKS)

    def test_other_commands_read_it(self):
        for command in (("report", "--html", self.at("page.html")), ("export", "--to", "collapsed", "-o", self.at("c.txt")),
                        ("redact", "-o", self.at("redacted.gprofx"))):
            run = gprofx(*command, self.merged)
            self.assertEqual(run.returncode, 0, (command, run.stderr))
        run = gprofx("diff", self.merged, self.at("again.gprofx"))
        self.assertEqual((run.returncode, run.stderr), (3, ""))  # one run of each side is not enough to compare times

    def test_a_merged_file_can_be_merged(self):
        pair, all_of_them = self.at("pair.gprofx"), self.at("again.gprofx")
        self.assertEqual(gprofx("merge", "-o", pair, *self.files[:2]).returncode, 0)
        self.assertEqual(gprofx("merge", "-o", all_of_them, self.files[2], pair).returncode, 0)
        self.assertEqual(shown("--ranks", self.merged)["rows"], shown("--ranks", all_of_them)["rows"])

    def test_broken_files_are_named_and_the_rest_is_merged(self):
        broken, cut = self.at("broken.gprofx"), self.at("cut.gprofx")
        with open(broken, "w") as file:
            file.write("no profile at all")
        shutil.copy(self.files[1], cut)
        with open(cut, "r+b") as file:
            file.truncate(os.path.getsize(cut) // 2)
        out = self.at("rest.gprofx")
        run = gprofx("merge", "-o", out, broken, self.files[0], cut, "nowhere.gprofx", self.files[2])
        self.assertEqual(run.returncode, 2)
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 3, run.stderr)
        for line, name in zip(lines, ("broken.gprofx", "cut.gprofx", "nowhere.gprofx")):
            self.assertIn("left out", line)
            self.assertIn(name, line)
        ranks = json.loads(gprofx("report", "--ranks", "--json", out).stdout)["ranks"]["ranks"]
        self.assertEqual([rank["name"] for rank in ranks], ["rank 0", "rank 2"])

    def test_a_damaged_block_leaves_its_file_out(self):
        damaged, out = self.at("damaged.gprofx"), self.at("undamaged.gprofx")
        shutil.copy(self.files[1], damaged)
        with sqlite3.connect(damaged) as db:
            db.execute("UPDATE chunk SET data = zeroblob(length(data)) WHERE stream = 1")
        run = gprofx("merge", "-o", out, *self.files[:1], damaged, self.files[2])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertIn("damaged.gprofx", run.stderr)
        whole = gprofx("merge", "-o", self.at("two.gprofx"), self.files[0], self.files[2])
        self.assertEqual(whole.returncode, 0)
        self.assertEqual(content(out), content(self.at("two.gprofx")))

    def test_a_damaged_part_goes_alone(self):
        damaged = self.at("partly.gprofx")
        shutil.copy(self.files[1], damaged)
        with sqlite3.connect(damaged) as db:
            db.execute("DELETE FROM source")
            db.execute("INSERT INTO source VALUES(7, 1, '')")  # ids have no gaps
            db.execute("CREATE TABLE kernel_counter(config BLOB)")
        out = self.at("parts.gprofx")
        run = gprofx("merge", "-o", out, self.files[0], damaged, self.files[2])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 2), run.stderr)
        for line, what in zip(run.stderr.splitlines(), ("source texts", "hardware counters")):
            self.assertIn("left out: only " + what, line)
            self.assertIn("partly.gprofx", line)
        self.assertEqual(shown("--ranks", out)["rows"], shown("--ranks", *self.files)["rows"])

    def test_damaged_code_of_a_gpu_leaves_its_file_out(self):
        damaged, out = self.at("code.gprofx"), self.at("no code.gprofx")
        shutil.copy(self.files[1], damaged)
        with sqlite3.connect(damaged) as db:
            db.execute("INSERT INTO cubin VALUES(1, 'no hash', x'00')")
        run = gprofx("merge", "-o", out, self.files[0], damaged, self.files[2])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertIn("code.gprofx", run.stderr)
        ranks = json.loads(gprofx("report", "--ranks", "--json", out).stdout)["ranks"]["ranks"]
        self.assertEqual([rank["name"] for rank in ranks], ["rank 0", "rank 2"])

    def test_what_cannot_be_written_leaves_nothing(self):
        folder = self.at("full")
        os.mkdir(folder)
        out, old = os.path.join(folder, "all.gprofx"), content(self.files[0])
        whole = os.path.getsize(self.merged)
        for there in (False, True):
            if there:
                shutil.copy(self.files[0], out)
            for limit in (whole // 8, whole // 2, whole - 4096):
                run = subprocess.run(
                    [GPROFX, "merge", "-o", out, *self.files], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
                self.assertIn("all.gprofx", run.stderr)
                self.assertEqual(os.listdir(folder), ["all.gprofx"] if there else [])
        self.assertEqual(content(out), old)
        self.assertEqual(gprofx("merge", "-o", out, *self.files).returncode, 0)
        self.assertEqual(sorted(os.listdir(folder)), ["all.gprofx", "all.gprofx.old"])
        self.assertEqual((content(out), content(out + ".old")), (content(self.merged), old))

    def test_an_unfinished_recording_stays_one(self):
        cut = self.at("cut.gprofx")
        with subprocess.Popen([GPROFX, "record", "-q", "-o", cut, "--", sys.executable, "-c", "print(1, flush=True)\n" + SPIN.format(seconds=30)],
                              stdout=subprocess.PIPE, start_new_session=True) as run:
            run.stdout.readline()
            time.sleep(0.8)
            os.killpg(run.pid, signal.SIGKILL)
        for command in (("redact", "-o"), ("merge", "-o"), ("merge", self.files[0], "-o")):
            out = self.at("copy.gprofx")
            self.assertEqual(gprofx(*command, out, cut).returncode, 0)
            quality = shown(out)["quality"]
            self.assertEqual((quality["verdict"], quality["complete"], quality["reasons"]),
                             ("degraded", False, ["the recording did not end normally"]), command)
            os.remove(out)
        self.assertEqual(shown(self.merged)["quality"]["complete"], True)

    def test_several_have_no_rate_of_their_own(self):
        head = gprofx("report", "--top", "1", *self.files).stdout
        self.assertRegex(head, r"\d CPU samples\n")

    def test_a_killed_merge_is_cleared_away(self):
        folder = self.at("killed")
        os.mkdir(folder)
        out = os.path.join(folder, "all.gprofx")
        shutil.copy(self.files[0], out + ".part")
        self.assertEqual(gprofx("merge", "-o", out, *self.files).returncode, 0)
        self.assertEqual(os.listdir(folder), ["all.gprofx"])

    def test_a_file_counts_once(self):
        out = self.at("once.gprofx")
        run = gprofx("merge", "-o", out, *self.files, self.files[1])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertIn("already holds this recording", run.stderr)
        self.assertEqual(content(out), content(self.merged))

    def test_more_files_than_a_batch(self):
        files = [self.import_rank(rank) for rank in range(BATCH + 3)]
        merged, again = self.at("many.gprofx"), self.at("many again.gprofx")
        self.assertEqual(gprofx("merge", "-o", merged, *files).returncode, 0)
        run = gprofx("merge", "-o", again, *files[::-1], files[2])
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertEqual(content(again), content(merged))
        self.assertEqual(shown("--ranks", merged), shown("--ranks", *files))
        analyses = gprofx("analyze", merged)
        self.assertEqual(analyses.returncode, 0, analyses.stderr)

    def test_nothing_is_written_over_what_is_read(self):
        before = content(self.files[0])
        run = gprofx("merge", "-o", self.files[0], *self.files)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))
        self.assertEqual(content(self.files[0]), before)
        for args in ((), ("-o", self.at("none.gprofx")), ("-o", self.at("none.gprofx"), "nowhere.gprofx")):
            run = gprofx("merge", *args)
            self.assertEqual(run.returncode, 2)
            self.assertFalse(os.path.exists(self.at("none.gprofx")))


if __name__ == "__main__":
    unittest.main()
