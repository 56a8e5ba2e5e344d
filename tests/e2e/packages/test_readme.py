"""README.md's two command blocks, pasted one after the other in one clone, must end in tests that run. argv: the source folder.

Only what configures is run, in a copy: an option of the first block that stays in a cache would leave the second without tests.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop(1)


def block(name):
    with open(os.path.join(SOURCE, "README.md")) as file:
        return re.search(r"<!-- %s -->\n```sh\n(.*?)```" % name, file.read(), re.S).group(1).split("\n")


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(tempfile.mkdtemp(prefix="gprof-x-readme-"), "clone")
        shutil.copytree(SOURCE, self.folder, ignore=shutil.ignore_patterns("build", "dist", ".git"))

    def tearDown(self):
        shutil.rmtree(os.path.dirname(self.folder))

    def run_here(self, line):
        return subprocess.run(line, shell=True, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_both_blocks_in_one_clone(self):
        runs = 0
        for line in block("quick start") + block("test"):
            if re.match(r"cmake (-B|-S|--preset) ", line):
                run = self.run_here(line)
                self.assertEqual(run.returncode, 0, run.stdout)
                if "left out" in run.stdout or "without its tests" in run.stdout:
                    self.skipTest("no Catch2")
            elif line.startswith("ctest "):
                run = self.run_here(line + " -N")
                self.assertEqual(run.returncode, 0, run.stdout)
                self.assertGreater(int(re.search(r"Total Tests: (\d+)", run.stdout).group(1)), 5, line)
                runs += 1
        self.assertEqual(runs, 1)

    def test_the_tests_of_the_security_page_are_there(self):
        with open(os.path.join(SOURCE, "docs", "security.md")) as page:
            paths = re.findall(r"`((?:unit|e2e|fuzz)/[^`]*)`", page.read())
        self.assertGreater(len(paths), 20)
        missing = [path for path in paths if not os.path.exists(os.path.join(SOURCE, "tests", path))]
        self.assertEqual(missing, [])

    def test_a_run_without_tests_is_an_error(self):
        run = self.run_here("cmake --preset release -DGPROFX_BUILD_TESTS=OFF")
        self.assertEqual(run.returncode, 0, run.stdout)
        run = self.run_here("ctest --preset release -R ^there_is_none$")
        self.assertNotEqual(run.returncode, 0, run.stdout)
        self.assertIn("No tests were found", run.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
