"""What gprof-x diff writes for CI systems, from real recordings of a program with a change that is known."""
import json
import os
import re
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from diff_sides import DiffSides, run


class Outputs(DiffSides):
    def written(self, option, *more, **expected):
        path = os.path.join(self.top, "out")
        self.diff(option, "out", *more, **expected)
        with open(path) as file:
            text = file.read()
        os.unlink(path)
        self.assertEqual([name for name in os.listdir(self.top) if name.endswith(".tmp")], [])
        return text

    # ---- formats ----

    def test_junit_has_a_case_for_what_is_slower(self):
        root = xml.fromstring(self.written("--junit"))
        self.check_junit(root)
        failed = {case.get("name"): case.find("failure") for case in root.iter("testcase") if case.find("failure") is not None}
        self.assertIn("render is slower", failed)
        # Of all CPU time the machine's other load may leave nothing that is sure.
        self.assertIn("total: CPU time", [case.get("name") for case in root.iter("testcase")])
        self.assertIn("95% interval", "".join(each.text for each in failed.values()))

    def test_rules_are_cases_of_junit(self):
        root = xml.fromstring(self.written("--junit", "--fail-on", "self(render)>5%", "--fail-on", "self(parse)>900%"))
        self.check_junit(root)
        cases = {case.get("name"): case for case in root.iter("testcase")}
        self.assertIsNotNone(cases["self(render)>5%"].find("failure"))
        self.assertIsNone(cases["self(parse)>900%"].find("failure"))

    def check_junit(self, root):
        """What junit-10.xsd of Jenkins' xUnit plugin asks for, of the elements that are used."""
        allowed = {"testsuites": {"name", "tests", "failures", "errors"}, "testsuite": {"name", "tests", "failures", "errors", "skipped"},
                   "testcase": {"name", "classname"}, "failure": {"type", "message"}, "error": {"type", "message"},
                   "skipped": {"type", "message"}, "system-out": set(), "properties": set(), "property": {"name", "value"}}
        inside = {"testsuites": {"testsuite"}, "testsuite": {"properties", "testcase"}, "properties": {"property"}, "testcase": {"failure", "error", "skipped", "system-out"}}
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            self.assertLessEqual(set(element.attrib), allowed[element.tag])
            self.assertLessEqual({child.tag for child in element}, inside.get(element.tag, set()))
        cases = list(root.iter("testcase"))
        for suite in (root, root[0]):
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertEqual(int(suite.get("failures")), sum(case.find("failure") is not None for case in cases))
            self.assertEqual(int(suite.get("errors")), sum(case.find("error") is not None for case in cases))

    def test_sarif_names_the_line_of_what_is_slower(self):
        log = json.loads(self.written("--sarif"))
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        tool, results = log["runs"][0]["tool"]["driver"], log["runs"][0]["results"]
        self.assertTrue(log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"].startswith("file:///"))
        for result in results:
            self.assertEqual(tool["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("error", "warning"))
            self.assertTrue(result["message"]["text"])
            self.assertRegex(result["partialFingerprints"]["gprofx/v1"], "^[0-9a-f]{16}$")
            place = result["locations"][0]["physicalLocation"]
            self.assertGreaterEqual(place["region"]["startLine"], 1)
            self.assertRegex(place["artifactLocation"]["uri"], r"^(file:///)?[A-Za-z0-9._~/%-]+$")
        place = next(result for result in results if result["message"]["text"].startswith("render: "))["locations"][0]
        self.assertEqual(place["physicalLocation"]["artifactLocation"], {"uri": "job.py", "uriBaseId": "%SRCROOT%"})
        self.assertIn(place["physicalLocation"]["region"]["startLine"], self.lines)
        self.assertEqual(place["logicalLocations"][0]["fullyQualifiedName"], "render")

    def test_gitlab_gets_code_quality_and_metrics(self):
        issues = json.loads(self.written("--gitlab"))
        for issue in issues:
            self.assertEqual(set(issue), {"description", "check_name", "fingerprint", "severity", "location"})
            self.assertIn(issue["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertFalse(issue["location"]["path"].startswith(("/", "./")))
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        render = next(issue for issue in issues if issue["description"].startswith("render: "))
        self.assertEqual(render["location"]["path"], "job.py")
        self.assertIn(render["location"]["lines"]["begin"], self.lines)
        text = self.written("--metrics")
        self.assertTrue(text.endswith("# EOF\n"))
        values = dict(re.match(r"^(gprofx_\w+\{.*\}) (\S+)$", line).groups() for line in text.splitlines() if not line.startswith("#"))
        base, head = (float(values['gprofx_total_ns{clock="cpu",side="%s"}' % side]) for side in ("base", "head"))
        self.assertGreater(head, 1.2 * base)
        self.assertEqual(values['gprofx_verdict{verdict="regression"}'], "1")

    def test_github_gets_annotations_and_adds_to_the_summary(self):
        summary = os.path.join(self.top, "summary.md")
        self.addCleanup(os.unlink, summary)
        with open(summary, "w") as file:
            file.write("before\n")
        for _ in range(2):
            done = self.diff("--github", GITHUB_STEP_SUMMARY=summary)
        lines = done.stdout.splitlines()
        stop = re.match("^::stop-commands::(.+)$", lines[0])
        self.assertTrue(stop)
        end = lines.index("::%s::" % stop.group(1))
        commands = lines[end + 1:]
        self.assertTrue(all(re.match("^::(error|warning|notice) [^:]*::", line) for line in commands), commands)
        found = [re.match("^::error file=job.py,line=(\\d+),title=render is slower::render: ", line) for line in commands]
        self.assertIn(int(next(match for match in found if match).group(1)), self.lines)
        with open(summary) as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n"))
        self.assertEqual(text.count("### gprof-x: regression"), 2)
        self.assertNotIn("<img", text)
        self.assertEqual(text.count("<details>"), text.count("</details>"))
        # Where the standard output is data, the runner reads the commands of the other.
        done = self.diff("--github", "--json")
        self.assertEqual(json.loads(done.stdout)["verdict"], "regression")
        self.assertIn("::error ", done.stderr)

    def test_markdown_goes_to_the_standard_output_in_place_of_the_text(self):
        text = self.diff("--md", "-").stdout
        self.assertTrue(text.startswith("### gprof-x: regression\n"))
        self.assertIn("| **slower** |", text)
        self.assertNotIn("gprof-x diff: 5 runs", text)

    def test_one_run_of_each_is_an_error_of_junit_and_status_3(self):
        done = run("diff", "--junit", "-", "base/0.gprofx", "head/0.gprofx", cwd=self.top)
        self.assertEqual(done.returncode, 3)
        root = xml.fromstring(done.stdout)
        self.check_junit(root)
        self.assertEqual((root.get("failures"), root.get("errors")), ("0", "1"))

    # ---- files ----

    def test_what_is_there_is_replaced_as_a_whole_or_stays(self):
        path = os.path.join(self.top, "old.xml")
        self.addCleanup(os.unlink, path)
        with open(path, "w") as file:
            file.write("old")
        self.diff("--junit", "old.xml", "--junit", "old.xml", status=2)
        self.diff("--junit", "old.xml", "--sarif", "no/such/folder", status=2)
        with open(path) as file:
            self.assertEqual(file.read(), "old")
        self.diff("--junit", "old.xml")
        with open(path) as file:
            self.assertTrue(file.read().startswith("<?xml"))
        self.assertEqual(os.stat(path).st_mode & 0o400, 0o400)

    def test_bad_input_is_one_line_and_2(self):
        os.symlink("elsewhere", os.path.join(self.top, "link"))
        self.addCleanup(os.unlink, os.path.join(self.top, "link"))
        for options in (("--junit", "base/0.gprofx"), ("--sarif", "no/folder/a"), ("--md", "base"), ("--html", "link"), ("--junit", ""),
                        ("--junit", "-", "--sarif", "-"), ("--json", "--md", "-"), ("--junit", "a", "--sarif", "a"), ("--gitlab", "/dev/full")):
            done = self.diff(*options, status=2)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        done = self.diff("--github", status=2, GITHUB_STEP_SUMMARY="/no/such/folder")
        self.assertIn("GITHUB_STEP_SUMMARY", done.stderr)
        self.assertTrue(os.path.getsize(os.path.join(self.top, "base/0.gprofx")) > 0)

    def test_two_spellings_of_a_file_are_one_file(self):
        os.makedirs(os.path.join(self.top, "there"), exist_ok=True)
        for other in ("./x.out", "there/../x.out", os.path.join(self.top, "x.out")):
            done = self.diff("--junit", "x.out", "--sarif", other, status=2)
            self.assertIn("both write", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.top, "x.out")))

    def test_a_pipe_is_no_step_summary(self):
        pipe = os.path.join(self.top, "pipe")
        os.mkfifo(pipe)
        self.addCleanup(os.unlink, pipe)
        reader = None
        try:
            for _ in range(2):  # without a reader, and with one
                done = self.diff("--github", status=2, GITHUB_STEP_SUMMARY=pipe)
                self.assertIn("it is not a regular file", done.stderr)
                reader = reader or os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        finally:
            os.close(reader)

    def test_rules_stand_beside_the_verdict_in_every_format(self):
        rule = ("--fail-on", "self(render)>900%")
        said = "regression; rules: 1 holds, exit status 0"
        done = self.diff(*rule, status=0)
        self.assertRegex(done.stdout, "(?m)^regression: ")
        self.assertRegex(done.stdout, "(?m)^rules: 1 holds, exit status 0$")
        answer = json.loads(self.diff("--json", *rule, status=0).stdout)
        self.assertEqual((answer["verdict"], answer["ruled_verdict"], answer["status"]), ("regression", "equivalent", 0))
        self.assertTrue(self.written("--md", *rule, status=0).startswith("### gprof-x: %s\n" % said))
        root = xml.fromstring(self.written("--junit", *rule, status=0))
        self.check_junit(root)
        self.assertEqual([each.get("value") for each in root.iter("property")], [said])
        log = json.loads(self.written("--sarif", *rule, status=0))
        self.assertEqual(log["runs"][0]["properties"]["verdict"], said)


if __name__ == "__main__":
    unittest.main()
