"""The wheel in a clean environment: the command, the Python API, the markers.

pip works without a network."""

import base64
import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = os.environ["GPROFX_BUILD"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

JOB = """
import gprof_x, sys, time
@gprof_x.range("decorated")
def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(i * i for i in range(1000))
for turn in range(8):
    gprof_x.step()
    with gprof_x.range("caf\\u00e9 %d" % turn):
        spin(0.05)
print("ctypes" in sys.modules)
"""

CELL = """
import gprof_x
class Shell:
    magics = {}
    def register_magic_function(self, function, kind, name):
        self.magics[kind] = function
gprof_x.load_ipython_extension(Shell())
cell = "def in_a_cell():\\n    return sum(i * i for i in range(3000000))\\nprint(in_a_cell())\\n"
run = Shell.magics["cell"]("-F 500", cell)
print(run.meta["rate_asked_hz"])
print(Shell.magics["line"]("missing.gprofx"))
"""

TABLES = """
import gprof_x, json, sys
run = gprof_x.open(sys.argv[1])
tables = {"top": run.top(None), "kernels": run.kernels(), "tree": run.tree(), "lines": run.lines(),
          "threads": run.threads(), "timeline": run.timeline(), "markers": run.markers(),
          "findings": run.findings()}
print(json.dumps({name: list(table) for name, table in tables.items()}))
"""


def text_of(*command, **options):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="gprof-x-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        if (
            subprocess.run(
                [sys.executable, "-c", "import ensurepip"], stderr=subprocess.DEVNULL
            ).returncode
            != 0
        ):
            raise unittest.SkipTest(
                "this Python cannot make environments with pip (Debian: apt-get install"
                " python3-venv)"
            )
        said = text_of("cmake", "--build", BUILD, "--target", "wheel")
        name = next(line for line in said.split("\n") if line.startswith("wheel: "))
        cls.wheel = name[len("wheel: ") :].split(",")[0]
        cls.env = {"PATH": "/usr/bin:/bin", "HOME": cls.folder, "LANG": "C.UTF-8"}
        cls.venv = os.path.join(cls.folder, "venv")
        text_of(sys.executable, "-m", "venv", cls.venv)
        cls.python = os.path.join(cls.venv, "bin", "python")
        cls.gprofx = os.path.join(cls.venv, "bin", "gprof-x")
        text_of(
            cls.python, "-m", "pip", "install", "--no-index", "--no-deps", cls.wheel, env=cls.env
        )
        cls.file = os.path.join(cls.folder, "run.gprofx")
        cls.said = cls.run_here(
            cls.gprofx, "record", "-q", "-o", cls.file, "--", cls.python, "-c", JOB
        )

    @classmethod
    def run_here(cls, *command):
        return text_of(*command, env=cls.env, cwd=cls.folder)

    def json_of(self, *command):
        return json.loads(self.run_here(self.gprofx, *command, "--json", self.file))

    def test_two_builds_are_equal_and_all_files_are_listed(self):
        (bundle,) = [
            entry.path for entry in os.scandir(os.path.join(BUILD, "bundle")) if entry.is_dir()
        ]
        package = os.path.join(SOURCE, "formats", "python", "gprof_x")
        version = os.path.basename(self.wheel).split("-")[1]
        text_of(
            sys.executable,
            os.path.join(SOURCE, "cmake", "make_wheel.py"),
            bundle,
            package,
            version,
            os.path.basename(bundle).rsplit("-", 1)[1],
            self.folder,
        )
        with open(self.wheel, "rb") as one, open(
            os.path.join(self.folder, os.path.basename(self.wheel)), "rb"
        ) as other:
            self.assertTrue(one.read() == other.read())
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            (record,) = [name for name in names if name.endswith("/RECORD")]
            listed = {
                row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))
            }
            self.assertEqual(sorted(names), sorted(listed))
            for name in set(names) - {record}:
                digest = (
                    base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest())
                    .rstrip(b"=")
                    .decode()
                )
                self.assertEqual(
                    listed[name], ["sha256=" + digest, str(wheel.getinfo(name).file_size)], name
                )

    @unittest.skipIf(shutil.which("zopfli") is None, "no zopfli")
    def test_it_is_small(self):
        self.assertLess(os.path.getsize(self.wheel), 6_600_000)

    def test_the_command_becomes_the_program(self):
        version = self.run_here(self.gprofx, "--version")
        self.assertEqual(self.run_here(self.python, "-m", "gprof_x", "--version"), version)
        who = "import os; print(os.readlink('/proc/%d/exe' % os.getppid()))"
        said = self.run_here(
            self.gprofx, "record", "-q", "-o", "who.gprofx", "--", sys.executable, "-c", who
        )
        self.assertTrue(said.strip().endswith("gprof_x/_bundle/bin/gprof-x"), said)

    def test_manual_and_completions_are_there(self):
        for name in (
            "man/man1/gprof-x.1",
            "man/man5/gprof-x-format.5",
            "bash-completion/completions/gprof-x",
        ):
            self.assertTrue(os.path.exists(os.path.join(self.venv, "share", name)), name)

    def test_a_program_of_another_environment_is_recorded(self):
        spin = "def of_another():\n    return sum(i * i for i in range(4000000))\nof_another()\n"
        self.run_here(
            self.gprofx, "record", "-q", "-o", "other.gprofx", "--", sys.executable, "-c", spin
        )
        self.assertIn("of_another", self.run_here(self.gprofx, "report", "--tree", "other.gprofx"))

    def test_tables_are_those_of_the_report(self):
        tables = json.loads(self.run_here(self.python, "-c", TABLES, self.file))
        for name, options in (
            ("top", ["--top"]),
            ("kernels", ["--by", "kernel"]),
            ("tree", ["--tree"]),
            ("lines", ["--lines"]),
            ("threads", ["--threads"]),
        ):
            with self.subTest(name):
                self.assertEqual(tables[name], self.json_of("report", *options)["rows"])
        for name in ("timeline", "markers"):
            with self.subTest(name):
                self.assertEqual(tables[name], self.json_of("report", "--" + name)[name]["rows"])
        for name in ("top", "tree", "lines", "threads", "timeline", "markers"):
            self.assertTrue(tables[name], name)
        findings = self.json_of("analyze", "--findings")["findings"]
        self.assertEqual(
            tables["findings"], [row for recording in findings for row in recording["rows"]]
        )

    def test_ranges_and_steps_are_found(self):
        document = self.json_of("report", "--markers", "--phase", "all")
        rows = {row["name"]: row for row in document["markers"]["rows"]}
        self.assertIn("decorated", rows, rows)
        self.assertEqual(rows["decorated"]["count"], 8)
        self.assertTrue(any(name.startswith("caf\u00e9") for name in rows), rows)
        self.assertEqual(document["steps"]["count"], 8)
        self.assertEqual(self.said, "True\n")

    def test_without_a_recording_markers_do_nothing(self):
        for more in ({}, {"NVTX_INJECTION64_PATH": "/nowhere/libother.so"}):
            self.assertEqual(text_of(self.python, "-c", JOB, env=dict(self.env, **more)), "False\n")
        library = os.path.join(self.folder, "libgprofx-nvtx.so")  # a path that is gone by now
        self.assertEqual(
            text_of(self.python, "-c", JOB, env=dict(self.env, NVTX_INJECTION64_PATH=library)),
            "True\n",
        )

    def test_what_cannot_be_read_is_one_line(self):
        broken = os.path.join(self.folder, "broken.gprofx")
        with open(self.file, "rb") as whole, open(broken, "wb") as file:
            data = whole.read()
            file.write(data[:4096] + b"\xff" * (len(data) - 4096))
        ask = (
            "import gprof_x, sys\ntry: gprof_x.open(sys.argv[1])\nexcept gprof_x.Error as error:"
            " print(error)"
        )
        for path in (broken, "/dev/null", "--help", "12", "missing.gprofx", self.folder):
            said = self.run_here(self.python, "-c", ask, path)
            self.assertRegex(said, r"\Agprof-x report: [^\n]+\n\Z", path)

    def test_pandas_is_asked_for_only_where_it_is_used(self):
        ask = (
            "import gprof_x, sys\nrun = gprof_x.open(sys.argv[1])\ntry:"
            " run.top().to_pandas()\nexcept gprof_x.Error as e: print(e)"
        )
        self.assertEqual(
            self.run_here(self.python, "-c", ask, self.file),
            "to_pandas() needs pandas: pip install pandas\n",
        )

    def test_a_cell_is_recorded_as_a_program(self):
        done = subprocess.run(
            [self.python, "-c", CELL],
            env=self.env,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("8999995500000500000\n"), done.stdout)
        self.assertIn("in_a_cell", done.stdout)
        self.assertTrue(done.stdout.endswith("\n500\nNone\n"), done.stdout)
        self.assertRegex(
            done.stderr, r"\Agprof-x report: 'missing.gprofx' does not exist[^\n]*\n\Z"
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
