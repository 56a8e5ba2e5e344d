#!/usr/bin/env python3
"""What README.md, docs and the man pages name exists: files that they link to, commands and options; and what can run here does."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGES = sorted(glob.glob(os.path.join(SOURCE, "man", "*.[157]")))
TEXTS = sorted(glob.glob(os.path.join(SOURCE, "*.md")) + glob.glob(os.path.join(SOURCE, "docs/**/*.md"), recursive=True))
# Decisions and changes tell of options that were there once.
CURRENT = [path for path in TEXTS if "/decisions/" not in path and not path.endswith("CHANGELOG.md")]
# Commands that only read, or that record a program of a second. Others open servers, listen or measure.
RUNS = ("analyze", "completion", "diff", "doctor", "export", "help", "merge", "record", "redact", "report")
RECORDING = os.path.join(SOURCE, "tests/data/steps/eager.gprofx")  # with GPU work
FILES = {"slow.py": "sum(i * i for i in range(300000))\n", "train.py": "sum(i * i for i in range(300000))\n"}


def read(path):
    with open(path) as file:
        return file.read()


def plain(mdoc):
    """The text of a literal line of a man page."""
    return re.sub(r"\\[&e]", lambda found: "\\" if found.group() == "\\e" else "", mdoc).replace("\\-", "-")


def lines_of_page(path):
    """The literal lines of a man page: .Dl, and what stands between .Bd -literal and .Ed."""
    literal = False
    for line in read(path).split("\n"):
        if line.startswith((".Bd -literal", ".Ed")):
            literal = line.startswith(".Bd")
        elif line.startswith((".Dl ", ".Ql ")):
            yield re.sub(r" [.,;:]$", "", plain(line[4:]))
        elif literal:
            yield plain(line)


def lines_of_text(path):
    """The lines of code of a Markdown file, and its code within sentences."""
    text = read(path)
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M):
        yield from block.replace("\\\n", " ").split("\n")
    text = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.S | re.M)
    yield from (line.strip() for line in text.split("\n") if line.startswith("    "))
    yield from re.findall(r"`([^`\n]+)`", text)


def split_shell(line):
    # shlex divides at "-", "%" and others that are no punctuation here.
    lexer = shlex.shlex(re.sub(r"^\$ ", "", line), posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    return list(lexer)


def calls(line):
    """The arguments of each call of gprof-x in a line of shell, and whether the shell does no more than call it."""
    try:
        words = split_shell(line.strip())
    except ValueError:
        return
    is_plain = not any(re.fullmatch(r"[;&|<>()]+", word) for word in words)
    call = None
    for word in words + [";"]:
        if re.fullmatch(r"[;&|<>()]+", word):
            if call:
                yield call, is_plain
            call = None
        elif call is not None:
            call.append(word)
        elif word == "gprof-x":
            call = []


def all_calls():
    for path in PAGES + CURRENT:
        for line in lines_of_page(path) if path in PAGES else lines_of_text(path):
            if "gprof-x " in line and not line.startswith("gprof-x:"):
                for call, is_plain in calls(line):
                    yield os.path.relpath(path, SOURCE), call, is_plain


def help_of(command):
    if command == "ci":  # it takes the options of diff for its outputs
        return "".join(help_of_words("ci", word, "--help") for word in ("run", "baseline", "history")) + help_of("diff")
    return help_of_words(command, "--help-all") or help_of_words(command, "--help")


def help_of_words(*words):
    return subprocess.run([GPROFX, *words], capture_output=True, text=True, timeout=60).stdout


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([GPROFX, "--help"], capture_output=True, text=True, check=True).stdout
        cls.commands = set(re.findall(r"^  (\w+) ", listed, re.M))
        cls.helps = {command: help_of(command) for command in cls.commands}
        cls.calls = [entry for entry in all_calls() if entry[1][0] in cls.commands]

    def test_links(self):
        for path in TEXTS:
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M)):
                target, _, anchor = link.partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
                with self.subTest(path=path, link=link):
                    self.assertTrue(os.path.exists(file))
                    if anchor:
                        headings = re.findall(r"^#+ (.*)$", read(file), re.M)
                        self.assertIn(anchor, [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings])

    def test_pages_refer_to_pages(self):
        ours = {os.path.basename(page) for page in PAGES}
        for page in PAGES:
            named = set(re.findall(r"Xr (gprof-x[\w-]*) (\d)", read(page)))
            for text in TEXTS:
                named |= set(re.findall(r"(gprof-x[\w-]*)\((\d)\)", read(text)))
            self.assertLessEqual({"%s.%s" % name for name in named}, ours)

    def test_examples_stand_before_options(self):
        for page in PAGES:
            sections = re.findall(r"^\.Sh (.*)$", read(page), re.M)
            if "OPTIONS" in sections:
                with self.subTest(page=page):
                    self.assertLess(sections.index("EXAMPLES"), sections.index("OPTIONS"))

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_pages_are_clean_and_begin_with_a_screen(self):
        for page in PAGES:
            with self.subTest(page=page):
                said = subprocess.run(["mandoc", "-T", "lint", page], capture_output=True, text=True).stdout
                said = [line for line in said.split("\n") if line.startswith("mandoc: " + page)]
                self.assertEqual([line for line in said if "longer than 80" not in line and "referenced manual" not in line], [])
                text = subprocess.run(["mandoc", "-T", "ascii", page], capture_output=True, text=True, check=True).stdout
                synopsis = re.search(r"^S.?.?SYN?.*?^D.?.?D", text, re.S | re.M)
                self.assertLess(synopsis.group().count("\n") if synopsis else 0, 24)

    def test_help_fits_a_screen(self):
        for command, text in self.helps.items():
            short = subprocess.run([GPROFX, command, "--help"], capture_output=True, text=True).stdout
            with self.subTest(command=command):
                self.assertLessEqual(len(re.findall(r"^  -", short, re.M)), 12)
                self.assertLessEqual(set(re.findall(r"^  (--?[\w-]+)", short, re.M)), set(re.findall(r"^  (--?[\w-]+)", text, re.M)))

    def test_options_exist(self):
        self.assertGreater(len(self.calls), 150)
        for path, call, _ in self.calls:
            words = call[1:call.index("--")] if "--" in call else call[1:]
            known = self.helps[call[0]]
            for word in words:
                if re.fullmatch(r"--?[a-zA-Z][\w-]*(=.*)?", word):
                    with self.subTest(path=path, call=" ".join(call)):
                        self.assertRegex(known, r"(?m)(^|[\s,\[|])%s\b" % re.escape(word.partition("=")[0]))

    def folder(self):
        """A folder with what the documents take for granted: programs, and recordings of several names."""
        folder = tempfile.mkdtemp(prefix="gprof-x-documents-")
        self.addCleanup(shutil.rmtree, folder)
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        with open(os.path.join(folder, "key"), "wb") as file:
            file.write(bytes(range(32)))
        for name in ("profile", "run", "run1", "run2", "before", "after", "base", "head", "old", "new", "a", "b"):
            shutil.copy(RECORDING, os.path.join(folder, name + ".gprofx"))
        for name in ("base", "head", "before", "after"):  # folders of recordings
            os.mkdir(os.path.join(folder, name))
            shutil.copy(RECORDING, os.path.join(folder, name))
        return folder

    def may_run(self, folder, call):
        text = " ".join(call[1:])
        if call[0] not in RUNS or not text or re.search(r"\.\.\.|[A-Z]{3,}|[*%]|baseline:", text):  # words to put others in the place of
            return False
        files = [word for word in call[1:] if re.search(r"\.(gprofx|py)$", word)]
        if not all(os.path.exists(os.path.join(folder, word)) or call[call.index(word) - 1] == "-o" for word in files):
            return False
        return call[0] != "record" or files and not re.search("--(last|pid|attach|counters|levels|sweep|control|delay)|torchrun|mpirun", text)

    def test_what_can_run_here_runs(self):
        """Others may lack what they name: a function, a metric, a program. None has an option or an operand that does not exist."""
        folder, ran = self.folder(), {}
        for path, call, is_plain in self.calls:
            if not is_plain or tuple(call) in ran or not self.may_run(folder, call):
                continue
            shutil.copy(RECORDING, os.path.join(folder, "profile.gprofx"))
            with self.subTest(path=path, call=" ".join(call)):
                run = subprocess.run([GPROFX, *call], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
                ran[tuple(call)] = run.returncode in ((0, 1, 3) if call[0] in ("diff", "doctor") else (0,))
                if not ran[tuple(call)]:
                    self.assertRegex(run.stderr, r"\[GX-0[2467]\d\d\]")
        self.assertGreater(sum(ran.values()), 25)


if __name__ == "__main__":
    unittest.main()
