#!/usr/bin/env python3
"""run.py BUILD SYSROOT [-R REGEX] [-j JOBS]: unit and end-to-end tests of a build for aarch64, as on a machine with Debian for it.

BUILD was configured with the preset aarch64; SYSROOT is what cmake/make_sysroot.sh made with the packages in packages.txt. The tests
are those that ctest knows in BUILD, by default all unit tests and end-to-end tests; each runs by enter.sh, the
end-to-end ones by the Python of SYSROOT. not_here.txt lists what cannot pass in an emulator, and why: a failure that it does not name
is an error. The last lines say how many passed.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
DEFAULT = "_test$|^e2e_"


def tests_of(build, pattern):
    """(name, command, environment, seconds) of ctest's tests."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE).stdout
    for test in json.loads(shown)["tests"]:
        if re.search(pattern, test["name"]) and "command" in test:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            yield test["name"], test["command"], properties.get("ENVIRONMENT", []), properties.get("TIMEOUT", 600)


def inside(command, build, results):
    """What ctest starts, as it is started there: no emulator before it, the Python of that system."""
    if command[1].endswith(".py"):
        return ["python3", command[1], "-v"] + command[2:]
    at = next(i for i, word in enumerate(command) if word.startswith(build))
    return command[at:] + ["-r", "junit", "-o", results]


def of_python(text):
    """{test: result} of what unittest says with -v."""
    found = {}
    for name, result in re.findall(r"(?m)^(test_\w+) \([^)]*\)(?:\n.*?)?? \.\.\. (?:.*?\b)?(ok|FAIL|ERROR|skipped|expected failure)", text):
        found[name] = {"ok": PASSED, "skipped": SKIPPED}.get(result, FAILED)
    for kind, name in re.findall(r"(?m)^(FAIL|ERROR): (\w+)", text):
        found[name] = FAILED
    return found


def of_catch(path):
    """{test: result} of a file in JUnit's format."""
    try:
        cases = xml.etree.ElementTree.parse(path).iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return {}
    found = {}
    for case in cases:
        failed = case.find("failure") is not None or case.find("error") is not None
        if found.get(case.get("name")) != FAILED:
            found[case.get("name")] = FAILED if failed else PASSED
    return found


def run(test, build, sysroot, logs):
    name, command, environment, seconds = test
    results = os.path.join(logs, name + ".xml")
    words = inside(command, build, results)
    call = [os.path.join(HERE, "enter.sh"), sysroot, "sh", "-c", 'cd "$0" && exec "$@"', os.path.dirname(os.path.dirname(HERE))]
    with open(os.path.join(logs, name + ".log"), "w+") as log:
        try:
            status = subprocess.run(call + words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=3 * seconds,
                                    env=dict(os.environ, **dict(e.split("=", 1) for e in environment))).returncode
        except subprocess.TimeoutExpired:
            status = "no end after %d s" % (3 * seconds)
        log.seek(0)
        text = log.read()
    found = of_python(text) if words[0] == "python3" else of_catch(results)
    if status != 0 and FAILED not in found.values():
        found["(as a whole: %s)" % status] = FAILED
    return name, found


def excused(path):
    """Patterns "test: case" of a file whose other lines are reasons."""
    with open(path) as file:
        return [line[2:].strip() for line in file if line.startswith("- ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("sysroot")
    parser.add_argument("-R", dest="pattern", default=DEFAULT)
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    asked = parser.parse_args()
    build, sysroot = os.path.abspath(asked.build), os.path.abspath(asked.sysroot)
    logs = os.path.join(build, "aarch64-logs")
    os.makedirs(logs, exist_ok=True)
    patterns = excused(os.path.join(HERE, "not_here.txt"))
    counts = collections.defaultdict(collections.Counter)
    bad = []
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for name, found in pool.map(lambda test: run(test, build, sysroot, logs), list(tests_of(build, asked.pattern))):
            count = collections.Counter(found.values())
            counts["end-to-end" if name.startswith("e2e_") else "unit"].update(count)
            print("%-32s %s" % (name, ", ".join("%d %s" % (count[r], r) for r in (PASSED, FAILED, SKIPPED) if count[r])), flush=True)
            for case, result in found.items():
                full = "%s: %s" % (name, case)
                if result == FAILED:
                    named = any(fnmatch.fnmatchcase(full, pattern) for pattern in patterns)
                    print("  %s%s" % (case, " (cannot here)" if named else ""), flush=True)
                    if not named:
                        bad.append(full)
    for kind, count in sorted(counts.items()):
        ran = count[PASSED] + count[FAILED]
        print("%s: %d of %d passed (%.1f %%), %d skipped" % (kind, count[PASSED], ran, 100 * count[PASSED] / max(1, ran), count[SKIPPED]))
    print("logs: " + logs)
    if bad or not counts:
        sys.exit("not named in not_here.txt: " + ("; ".join(bad) or "no test was found"))


if __name__ == "__main__":
    main()
