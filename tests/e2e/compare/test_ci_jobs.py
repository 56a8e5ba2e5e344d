"""The jobs of docs/guide/ci.md for two CI systems, by their shell steps."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from ci_support import GPROFX, CiTest, program
from profile_support import judged_by_time

GUIDE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "..", "..", "docs", "guide", "ci.md")


def steps_of(job):
    """The shell steps of a job in docs/guide/ci.md, in order: [(condition, script)]."""
    with open(GUIDE) as file:
        text = re.search(r"<!-- %s -->\n```yaml\n(.*?)```" % job, file.read(), re.S).group(1)
    steps, lines, condition = [], text.split("\n"), ""
    for i, line in enumerate(lines):
        if re.match(r" *- (name|uses|run)\b", line):
            condition = ""
        found = re.match(r" *(?:- )?if: (.*)", line)
        condition = found.group(1) if found else condition
        found = re.match(r"( *)(?:- )?(?:run|script): ?\|?$", line)
        if not found:
            continue
        inside = []
        for more in lines[i + 1:]:
            if more.strip() and len(more) - len(more.lstrip()) <= len(found.group(1)):
                break
            inside.append(more)
        text = "\n".join(one.strip() for one in inside)
        if "script" in line:  # a list; "- >-" folds the lines behind it into one
            folded = [re.sub(r"^>-\s+", "", one).replace("\n", " ") if one.startswith(">-") else one
                      for one in re.split(r"^- ", text, flags=re.M)]
            text = "\n".join(folded)
        steps.append((condition, text))
    return steps


@unittest.skipIf(shutil.which("git") is None, "no git")
class Readme(CiTest):
    """Each job's steps in a clone with a base and a head, as the CI system would run them."""

    def git(self, *args, cwd=None):
        run = subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *args], cwd=cwd or self.path("repo"),
                             capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def repository(self, changed):
        shutil.rmtree(self.path("repo"), ignore_errors=True)
        os.mkdir(self.path("repo"))
        self.git("init", "-q")
        self.write("repo/bench.py", program())
        self.git("add", "."), self.git("commit", "-qm", "base")
        self.write("repo/bench.py", program(render=0.24) if changed else program() + "# said\n")
        self.git("commit", "-qam", "head")
        return self.git("rev-parse", "HEAD~1"), self.git("rev-parse", "HEAD")

    def shell(self, script, folder, **env):
        python = self.path("bin", "python3")
        if not os.path.exists(python):
            os.makedirs(self.path("bin"))
            os.symlink(sys.executable, python)
            os.symlink(os.path.abspath(GPROFX), self.path("bin", "gprof-x"))
        path = os.pathsep.join((self.path("bin"), os.path.dirname(os.path.abspath(GPROFX)), os.path.dirname(sys.executable),
                                os.environ["PATH"]))
        return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=900, env=dict(os.environ, PATH=path, **env))

    @judged_by_time  # one job in two hundred says of an unchanged program that it is slower
    def test_github(self):
        steps = steps_of("github job")
        self.assertGreaterEqual(len(steps), 2)
        for changed in (True, False):
            base, head = self.repository(changed)
            work = self.path("work")
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            for name, commit in (("base", base), ("head", head)):
                self.git("clone", "-q", self.path("repo"), os.path.join(work, name), cwd=work)
                self.git("checkout", "-q", commit, cwd=os.path.join(work, name))
            summary = self.path("summary.md")
            results = []
            for condition, script in steps:
                if any(run.returncode for run in results) and not re.search(r"always\(\)|!cancelled\(\)", condition):
                    continue
                if not all(os.path.exists(os.path.join(work, name)) for name in re.findall(r"hashFiles\('(.*?)'\)", condition)):
                    continue
                results.append(self.shell(script, work, GITHUB_STEP_SUMMARY=summary, GITHUB_SHA=head,
                                          GITHUB_WORKSPACE=work, GITHUB_ACTIONS="true"))
            told = "\n".join(run.stdout + run.stderr for run in results)
            with open(os.path.join(work, "performance", "verdict.json")) as file:
                verdict = json.load(file)
            # The runs are kept whatever was found: history shows what got slower only then.
            self.assertEqual([run.returncode for run in results], [int(changed)] + [0] * (len(steps) - 1), told)
            self.assertIn(head, self.gprofx("ci", "baseline", "list", "--json", "--folder",
                                            os.path.join(work, ".gprof-x-baselines")).stdout)
            if changed:
                self.assertEqual(verdict["functions"][0]["name"], "render")
            with open(GUIDE) as file:
                words = re.search(r"`(gprof-x diff --aa [^`]*)`", file.read()).group(1).split()
            measured = subprocess.run([GPROFX, *words[1:]], cwd=work, capture_output=True, text=True)
            self.assertEqual(measured.returncode, 0, measured.stderr)
            self.check_outputs(work, changed, {
                "performance/junit.xml": None,
                "performance/gprof-x.sarif": lambda text: [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                                                           for one in text["runs"][0]["results"]]})
            with open(summary) as file:
                self.assertIn("regression" if changed else "gprof-x", file.read())
            self.assertEqual("::error" in told, changed, told)

    @judged_by_time  # one job in two hundred says of an unchanged program that it is slower
    def test_gitlab(self):
        steps = steps_of("gitlab job")
        self.assertEqual(len(steps), 1)
        for changed in (True, False):
            base, _ = self.repository(changed)
            work = self.path("work")
            shutil.rmtree(work, ignore_errors=True)
            self.git("clone", "-q", self.path("repo"), work, cwd=self.folder)
            run = self.shell(steps[0][1], work, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, CI_PROJECT_DIR=work)
            self.assertEqual(run.returncode, 1 if changed else 0, run.stdout + run.stderr)
            with open(os.path.join(work, "performance", "verdict.json")) as file:
                verdict = json.load(file)
            if changed:
                self.assertEqual(verdict["functions"][0]["name"], "render")
            self.check_outputs(work, changed, {
                "junit.xml": None, "quality.json": lambda text: [one["location"]["path"] for one in text]})

    def check_outputs(self, work, changed, places):
        """What the job's other options wrote: the change stands in each of them, an unchanged program in none."""
        for name in places:
            with open(os.path.join(work, name)) as file:
                text = file.read()
            if changed:
                self.assertIn("render", text, name)
            if name.endswith(".xml"):
                self.assertEqual("<failure" in text, changed, text)
                xml.etree.ElementTree.fromstring(text)
        if not changed:
            return
        for name, place in places.items():
            if place:
                with open(os.path.join(work, name)) as file:
                    self.assertIn("bench.py", place(json.load(file)))


if __name__ == "__main__":
    unittest.main()
