#!/usr/bin/env python3
"""Does the first screen tell why a program is slow? Ten programs with a known cause, and what peers show of them.

  run.py --gprofx BUNDLE/bin/gprof-x [--python PYTHON] [--out FOLDER] [--traces CHECKOUTS] [--profiles FOLDER] [--no-peers] [NAME...]

Records each program and looks for the cause and the program's own line in the first 12 lines of `gprof-x report` at 80 columns.
Prints a Markdown table; FOLDER keeps the screens, as NAME.TOOL.txt. PYTHON has flask, pandas, pytest, scikit-learn, pyinstrument and
py-spy; what is missing is left out, with a line that says so. CHECKOUTS is that of traces/first_findings.py. FOLDER of --profiles
holds ddp_2x_h100.gprofx. A cell of a peer says what stands in its first 12 lines: the cause, the own line, or only its function.
Status 1 if gprof-x misses one.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
LINES, COLUMNS, LONGEST = 12, 80, 120
MARK = "# the cause"  # ends the lines that are right

# cause: what the program suffers from, in any tool's words. own: the file whose marked lines are right, or an expression.
Program = collections.namedtuple("Program", "name needs told cause own command options")
Program.__new__.__defaults__ = ((),)
PROGRAMS = (
    Program("flask_queries", ["flask"], "Flask, N+1 queries", r"sqlite3|execute", "flask_queries.py", ["flask_queries.py"]),
    Program("pandas_rows", ["pandas"], "pandas, iterrows", r"pandas|iterrows", "pandas_rows.py", ["pandas_rows.py"]),
    Program("pytest_fixture", ["pytest"], "pytest, fixture `catalog`", r"catalog", "pytest_fixture/conftest.py",
            ["-m", "pytest", "-q", "-p", "no:cacheprovider", "pytest_fixture"]),
    Program("slow_import", [], "module `stop_words` is slow to import", r"\bimport|<module>", "stop_words.py", ["filter_words.py"]),
    # Samples of CPU time cannot tell where a program waits: the screen must name the option that does.
    Program("http_client", [], "waits for an HTTP server", r"\bwaits?\b|\bis on a CPU for", r"--clock wall to see where", ["http_client.py"]),
    Program("http_client_wall", [], "the same, `--clock wall`", r"\bwaits?\b|recv|poll", "http_client.py", ["http_client.py"],
            ["--clock", "wall"]),
    Program("thread_pool", [], "4 threads, one GIL", r"GIL|\block\b", "thread_pool.py", ["thread_pool.py"]),
    Program("cpp_build", ["make", "g++"], "make: cc1plus of `heavy.cpp`", r"cc1plus", r"heavy\.cpp", "make"),
    Program("train", ["numpy", "sklearn"], "training, own `augment`", r"augment", "train.py", ["train.py"]),
    Program("loader_trace", ["traces"], "ResNet-50, 0 workers: GPU waits for the loader", r"[Ll]oader", r"enumerate\(DataLoader\)",
            "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"),
    Program("late_rank", [], "two ranks, rank 1 is late", r"rank 1", "late_rank.py", "ranks"),
    # Process 677 is rank 1; the recording is older than the rank in the names of processes.
    Program("late_rank_gpu", ["profiles"], "two GPUs, rank 1 is late", r"rank 1|ddp2\.py \(677\)", r"ddp2\.py:\d+", "ddp_2x_h100.gprofx"),
)


def expected(own):
    """(expression of a right line, expression of the function that it is in) of a program's file."""
    if not own.endswith(".py"):
        return own, own
    with open(os.path.join(HERE, own)) as file:
        lines = file.read().splitlines()
    right = [i for i, line in enumerate(lines, 1) if line.endswith(MARK)]
    # Peers name a function's first line, which is that of a decorator if it has one; line 1 stands for the code of a file.
    begin = max((i for i, line in enumerate(lines[:right[0]], 1) if line.startswith("def ")), default=1)
    begin -= lines[begin - 2].startswith("@")
    name = re.escape(os.path.basename(own))
    return tuple(name + r":(%s)\b" % "|".join(map(str, numbers)) for numbers in (right, list(range(begin, right[-1] + 1))))


def judge(program, screen):
    """(cause stands there, "line", "function" or "")"""
    text = " ".join(screen.split())
    line, function = expected(program.own)
    place = "line" if re.search(line, text) else "function" if re.search(function, text) else ""
    return bool(re.search(program.cause, text)), place


class Runner:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.environment = dict(os.environ, COLUMNS=str(COLUMNS), NO_COLOR="1", PYTHONDONTWRITEBYTECODE="1")
        for name in ("RANK", "WORLD_SIZE", "MAKEFLAGS"):
            self.environment.pop(name, None)

    def run(self, command, where=HERE, **more):
        got = subprocess.run(command, cwd=where, env=dict(self.environment, **more), stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, errors="replace", timeout=LONGEST)
        if got.returncode:
            raise OSError("%s: status %d: %s" % (" ".join(command[:3]), got.returncode, got.stderr[-300:]))
        return got.stdout

    def missing(self, need):
        """What a program needs and is not there; "" = it is."""
        if need in ("traces", "profiles"):
            return "" if getattr(self.args, need) else "--" + need
        if need in ("make", "g++"):
            return "" if shutil.which(need) else need
        return "" if subprocess.run([self.args.python, "-c", "import " + need], capture_output=True).returncode == 0 else need

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, program):
        """(command, folder to run it in)"""
        if program.command != "make":
            return [self.args.python] + program.command, HERE
        shutil.rmtree(self.path("build"), ignore_errors=True)
        shutil.copytree(os.path.join(HERE, "cpp_build"), self.path("build"))
        return ["make", "-j2"], self.path("build")

    def record(self, program, where, command, name, **more):
        made = self.path(name + ".gprofx")
        self.run([self.args.gprofx, "record", "-q", "-o", made, *program.options, "--", *command], where, **more)
        return made

    def record_ranks(self, program):
        meeting = self.path("ranks")
        made = [self.path("rank%d.gprofx" % rank) for rank in range(2)]
        ranks = [subprocess.Popen([self.args.gprofx, "record", "-q", "-o", made[rank], "--", self.args.python, "late_rank.py", meeting],
                                  cwd=HERE, env=dict(self.environment, RANK=str(rank), WORLD_SIZE="2")) for rank in range(2)]
        if any([one.wait(LONGEST) for one in ranks]):
            raise OSError("a rank failed")
        return made

    def profiles(self, program):
        if program.command == "ranks":
            return self.record_ranks(program)
        if program.needs == ["profiles"]:
            return [os.path.join(self.args.profiles, program.command)]
        if program.needs == ["traces"]:
            made = self.path("trace.gprofx")
            self.run([self.args.gprofx, "import", "-q", "-o", made, os.path.join(self.args.traces, program.command)])
            return [made]
        command, where = self.command(program)
        return [self.record(program, where, command, program.name)]

    def gprofx(self, program):
        return self.run([self.args.gprofx, "report", "--no-pager", *self.profiles(program)])

    def pyinstrument(self, program):
        command, where = self.command(program)
        made = self.path("pyinstrument.txt")
        self.run([self.args.python, "-m", "pyinstrument", "-r", "text", "-o", made, *command[1:]], where)
        with open(made) as file:
            return file.read().lstrip("\n")

    def pyspy(self, program):
        command, where = self.command(program)
        made, wall = self.path("py-spy.txt"), ["--idle"] if program.options else []
        tool = os.path.join(os.path.dirname(self.args.python), "py-spy")
        self.run([tool, "record", *wall, "-f", "raw", "-o", made, "--", *command], where)
        sums = collections.Counter()
        with open(made) as file:
            for stack, count in (line.rsplit(" ", 1) for line in file):
                sums[stack.split(";")[-1]] += int(count)
        return "\n".join("%6d  %s" % (count, name) for name, count in sums.most_common(LINES))

    def perf(self, program):
        command, where = self.command(program)
        made = self.path("perf.data")
        self.run(["perf", "record", "-q", "-g", "-o", made, "--", *command], where)
        text = self.run(["perf", "report", "--stdio", "--no-children", "-i", made])
        return "\n".join(line for line in text.splitlines() if line and not line.startswith("#"))

    def screen(self, program, tool):
        """The first lines of a tool; "" if it cannot run the program."""
        has_own_way = isinstance(program.command, str)  # not a command of Python
        if tool != "gprofx" and has_own_way and not (tool == "perf" and program.command == "make"):
            return ""
        try:
            text = "\n".join(getattr(self, tool)(program).splitlines()[:LINES])
        except (OSError, subprocess.TimeoutExpired) as error:
            print("%s: %s: %s" % (program.name, tool, error), file=sys.stderr)
            return ""
        with open(self.path("%s.%s.txt" % (program.name, tool)), "w") as file:
            file.write(text + "\n")
        return text

    def cell(self, program, tool):
        screen = self.screen(program, tool)
        if not screen:
            return "-"
        cause, place = judge(program, screen)
        if tool == "gprofx" and cause and place == "line":
            return "yes"
        return ", ".join(filter(None, ["cause" if cause else "", place])) or "no"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gprofx", default=os.environ.get("GPROFX", "gprof-x"))
    parser.add_argument("--python", default=sys.executable)
    for option in ("--out", "--traces", "--profiles"):
        parser.add_argument(option)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    tools = ("gprofx",) if args.no_peers else ("gprofx", "pyinstrument", "pyspy", "perf")
    print("| program | known cause | gprof-x | pyinstrument | py-spy | perf |\n| --- | --- | --- | --- | --- | --- |")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gprof-x-screens-") as folder:
        runner = Runner(args, os.path.abspath(args.out or folder))
        os.makedirs(runner.folder, exist_ok=True)
        for program in PROGRAMS:
            if args.names and program.name not in args.names:
                continue
            if missing := list(filter(None, map(runner.missing, program.needs))):
                print("%s: skipped, without %s" % (program.name, ", ".join(missing)), file=sys.stderr)
                continue
            cells = [runner.cell(program, tool) for tool in tools] + ["-"] * (4 - len(tools))
            failed += cells[0] != "yes"
            print("| %s | %s | %s |" % (program.name, program.told, " | ".join(cells)), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
