#!/usr/bin/env python3
"""gprof-x redact and --redact: nothing of what a program calls itself is in the answer; and no environment ever is."""
import base64
import gzip
import json
import os
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import read_profile  # noqa: E402
from export_readers import READERS  # noqa: E402

GPROFX = os.environ.get("GPROFX", "gprof-x")
DATA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests/data/import")

PROGRAM = """
import json, threading, time
def zebra_secret_function(n):
    return sum(i * i for i in range(n))
class ZebraSecretClass:
    def zebra_secret_method(self):
        return json.dumps([zebra_secret_function(2000) for _ in range(300)] * 2000)
def zebra_secret_thread():
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        ZebraSecretClass().zebra_secret_method()
thread = threading.Thread(target=zebra_secret_thread, name="zebra_thread_name")
thread.start()
zebra_secret_thread()
thread.join()
"""


def strings(path):
    """All texts of a profile's table."""
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as db:
        return {row[0] for row in db.execute("SELECT text FROM string") if isinstance(row[0], str)}


def page_texts(page):
    """Every string in the JSON of a page."""
    def walk(value):
        if isinstance(value, str):
            yield value
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from walk(each)
    data = page[page.index(b"</html>") + len("</html>"):].lstrip(b"\n")
    length = struct.unpack("<I", data[:4])[0]
    return set(walk(json.loads(data[4:4 + length])))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, **options)


class Redact(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="zebra_secret_folder-")
        script = os.path.join(cls.folder.name, "zebra_secret_script.py")
        with open(script, "w") as file:
            file.write(PROGRAM)
        cls.profile = os.path.join(cls.folder.name, "p.gprofx")
        env = dict(os.environ, ZEBRA_SECRET_VARIABLE="quagga-value", ZEBRA_TOKEN="okapi-token")
        record = run(GPROFX, "record", "-q", "-o", cls.profile, "--", sys.executable, script, "--zebra-secret-argument=1", env=env)
        if record.returncode != 0:
            raise unittest.SkipTest("no recording here: " + record.stderr.decode())
        cls.redacted = os.path.join(cls.folder.name, "r.gprofx")
        answer = run(GPROFX, "redact", "-o", cls.redacted, cls.profile)
        assert answer.returncode == 0, answer.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def secrets(self):
        words = ["zebra", "ZebraSecret"]
        folder = os.path.dirname(sys.executable)
        words += [folder] * (folder not in ("/bin", "/usr/bin", "/usr/local/bin"))  # these are everybody's
        host = socket.gethostname()
        return [word.encode() for word in words + ([host] if len(host) > 3 else [])]

    def test_the_original_has_them(self):
        """Else this file would test nothing."""
        found = read_profile.all_bytes(self.profile)
        for word in self.secrets():
            self.assertIn(word, found)

    def test_no_name_in_the_bytes(self):
        found = read_profile.all_bytes(self.redacted)
        for word in self.secrets():
            self.assertNotIn(word, found)
        self.assertEqual(run(sys.executable, os.path.join(HERE, "support", "read_profile.py"), self.redacted).returncode, 0)

    def test_numbers_stay(self):
        def totals(path):
            text = run(sys.executable, os.path.join(HERE, "support", "read_profile.py"), path).stdout.decode()
            return [line for line in text.splitlines() if not line.startswith("nodes")]
        self.assertEqual(totals(self.profile), totals(self.redacted))

    def test_public_names_stay(self):
        text = run(GPROFX, "report", "--redact", "--wide", "--top", "200", self.profile).stdout.decode()
        self.assertIn("json", text)

    def test_every_view(self):
        for view in (["--top"], ["--tree"], ["--lines"], ["--threads"], ["--by", "module"], ["--json"], ["--tree", "--json"]):
            for options, path in ((["--redact"], self.profile), ([], self.redacted)):
                answer = run(GPROFX, "report", *view, "--all-frames", "--wide", *options, path, cwd="/")
                self.assertEqual(answer.returncode, 0, answer.stderr)
                text = answer.stdout.replace(path.encode(), b"")
                for word in self.secrets():
                    self.assertNotIn(word, text, view)
            self.assertNotIn(self.profile.encode(), run(GPROFX, "report", "--redact", *view, self.profile).stdout)

    def page(self, *options, path):
        """What a page holds: its markup, and the data that it unpacks."""
        out = os.path.join(self.folder.name, "page.html")
        answer = run(GPROFX, "report", "--html", out, "--all-frames", *options, path, cwd="/")
        self.assertEqual((answer.returncode, answer.stderr), (0, b""))
        with open(out, "rb") as file:
            text = file.read()
        packed = re.search(rb'<script id="data"[^>]*>([^<]*)<', text).group(1)
        return text.replace(packed, b"") + zlib.decompress(base64.b64decode(packed))

    def test_a_page(self):
        """No string that redact replaces stands in the page, and it shows as much as the plain one."""
        plain, redacted = self.page(path=self.profile), self.page("--redact", path=self.profile)
        self.assertIn(b"zebra_secret_function", plain)
        self.assertRegex(redacted, rb"py_[0-9a-f]{12}")
        for word in self.secrets():
            self.assertNotIn(word, redacted)
        texts = [strings(path) for path in (self.profile, self.redacted)]
        replaced = {text for text in texts[0] - texts[1] if len(text) >= 4}
        self.assertGreater(len(replaced), 20)
        shown = {text for text in page_texts(redacted)}
        self.assertEqual(replaced & shown, set())
        paths = [text for text in replaced if text.startswith("/") and len(text) > 8]
        self.assertGreater(len(paths), 5)
        for path in paths:
            self.assertFalse(any(path in text for text in shown), path)
        self.assertAlmostEqual(len(page_texts(plain)), len(page_texts(redacted)), delta=len(page_texts(plain)) / 2)

    def test_ranges_of_a_report(self):
        """Names of ranges are read beside the profile's tables."""
        with tempfile.TemporaryDirectory() as folder:
            trace, made = os.path.join(folder, "t.json"), os.path.join(folder, "i.gprofx")
            with open(os.path.join(DATA, "kineto.json")) as source, open(trace, "w") as file:
                file.write(source.read().replace("ProfilerStep#6", "zebra_secret_range", 1))
            self.assertEqual(run(GPROFX, "import", "-q", "-o", made, trace).returncode, 0)
            for view in ("--markers", "--timeline"):
                for options in (["--json"], []):
                    plain, redacted = (run(GPROFX, "report", view, *options, *redact, made) for redact in ([], ["--redact"]))
                    self.assertEqual((plain.returncode, redacted.returncode), (0, 0), redacted.stderr)
                    self.assertIn(b"zebra_secret_r", plain.stdout)
                    self.assertNotIn(b"zebra", redacted.stdout)
                    self.assertRegex(redacted.stdout, b"op_[0-9a-f]{12}")

    def test_one_file_for_in_and_out(self):
        answer = run(GPROFX, "redact", "-o", self.profile, self.profile)
        self.assertEqual((answer.returncode, answer.stderr.count(b"\n")), (2, 1))

    def test_every_export(self):
        for name, (reader, ending) in READERS.items():
            with self.subTest(format=name), tempfile.TemporaryDirectory() as folder:
                ways = {}
                for way, options, path in (("plain", [], self.profile), ("redacted", ["--redact"], self.profile),
                                           ("of redacted", [], self.redacted)):
                    out = os.path.join(folder, "x" + ending)
                    answer = run(GPROFX, "export", "-q", "--force", "--to", name, "-o", out, *options, path, cwd="/")
                    self.assertEqual((answer.returncode, answer.stderr), (0, b""))
                    with (gzip.open if ending.endswith(".gz") else open)(out, "rb") as file:
                        ways[way] = (file.read(), reader(out).sums())
                self.assertIn(b"zebra_secret_function", ways["plain"][0])
                for word in self.secrets():
                    self.assertNotIn(word, ways["redacted"][0])
                self.assertEqual(ways["redacted"][1], ways["plain"][1])
                self.assertEqual(ways["redacted"][1], ways["of redacted"][1])

    def test_ranges_of_an_export(self):
        """Texts of events are hashed, too: they are not in the profile's tables."""
        with open(os.path.join(DATA, "kineto.json")) as file:
            text = file.read().replace("ProfilerStep#6", "zebra_secret_range", 1)
        self.assertIn("zebra_secret_range", text)
        with tempfile.TemporaryDirectory() as folder:
            trace, made = os.path.join(folder, "t.json"), os.path.join(folder, "i.gprofx")
            with open(trace, "w") as file:
                file.write(text)
            self.assertEqual(run(GPROFX, "import", "-q", "-o", made, trace).returncode, 0)
            for name in ("firefox", "perfetto", "kineto", "sqlite-flat"):
                out = os.path.join(folder, "x" + READERS[name][1])
                names = []
                for options in ([], ["--redact"]):
                    answer = run(GPROFX, "export", "-q", "--force", "--to", name, "-o", out, *options, made)
                    self.assertEqual((answer.returncode, answer.stderr), (0, b""))
                    names.append({range[0] for range in READERS[name][0](out).ranges()})
                self.assertEqual(names[0], {"zebra_secret_range"})
                self.assertRegex(next(iter(names[1])), "^op_[0-9a-f]{12}$")

    def test_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, made = os.path.join(folder, "i.gprofx"), os.path.join(folder, "o.gprofx")
            self.assertEqual(run(GPROFX, "import", "-q", "-o", trace, os.path.join(DATA, "kineto.json")).returncode, 0)
            self.assertEqual(run(GPROFX, "redact", "-o", made, trace).returncode, 0)
            found = read_profile.all_bytes(made)
            for word in (b"net.py", b"Linear_0", b"forward"):
                self.assertIn(word, read_profile.all_bytes(trace))
                self.assertNotIn(word, found)
            for word in (b"aten::mm", b"cudaLaunchKernel", b"ncclDevKernel_AllReduce", b"ProfilerStep#6"):
                self.assertIn(word, found)

    def test_steps_stay(self):
        """They were found by names, which are no longer there."""
        if not shutil.which("zstd"):
            self.skipTest("there is no zstd")
        with tempfile.TemporaryDirectory() as folder:
            before, after = os.path.join(folder, "i.gprofx"), os.path.join(folder, "o.gprofx")
            packed = os.path.join(os.path.dirname(DATA), "forecast/h100_gemm.gprofx.zst")
            self.assertEqual(run("zstd", "-q", "-d", packed, "-o", before).returncode, 0)
            self.assertEqual(run(GPROFX, "redact", "-o", after, before).returncode, 0)
            told = [json.loads(run(GPROFX, "report", "--json", path).stdout) for path in (before, after)]
            self.assertEqual(told[0]["steps"]["count"], 68)
            self.assertEqual(told[0]["phases"], told[1]["phases"])
            self.assertEqual(*(each["steps"]["trains"][0]["steps"] for each in told))

    def test_environment_is_never_stored(self):
        found = read_profile.all_bytes(self.profile)
        for word in (b"ZEBRA_SECRET_VARIABLE", b"quagga-value", b"ZEBRA_TOKEN", b"okapi-token"):
            self.assertNotIn(word, found)


if __name__ == "__main__":
    unittest.main()
