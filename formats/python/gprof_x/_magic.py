"""The magics of IPython and Jupyter.

A running kernel cannot be recorded from its start, so a cell is recorded as a program of its own:
what it needs must be in it.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

from gprof_x._error import Error
from gprof_x._program import program
from gprof_x._profile import last_line, run

_HELP = "usage: %gprofx run.gprofx [OPTION of gprof-x report...]"


def report(line):
    """%gprofx run.gprofx [OPTION...]: prints a report of a recording."""
    words = shlex.split(line)
    if not words:
        raise Error(_HELP)
    print(
        run(["report", "--color", "never", "--no-pager", *words]).decode("utf-8", "replace"), end=""
    )


def changed(path):
    """Which version of a file this is; None: there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def record_cell(line, cell):
    """%%gprofx [-o FILE] [OPTION of gprof-x record...]: runs the cell in a new interpreter, records
    it, shows the top table.

    The Profile is what it answers. Without -o the recording lies in a temporary folder that goes
    with the Profile.
    """
    import gprof_x

    parser = argparse.ArgumentParser(prog="%%gprofx", add_help=False)
    parser.add_argument("-o", "--output")
    chosen, options = parser.parse_known_args(shlex.split(line))
    folder = tempfile.TemporaryDirectory(prefix="gprof-x-cell-")
    script = os.path.join(folder.name, "cell.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(cell)
    output = os.path.abspath(chosen.output or os.path.join(folder.name, "cell.gprofx"))
    before = changed(output)
    command = [program(), "record", "--quiet", "-o", output, *options, "--", sys.executable, script]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    print(done.stdout.decode("utf-8", "replace"), end="")
    if changed(output) == before:
        raise Error(last_line(done.stderr))
    print(done.stderr.decode("utf-8", "replace"), end="", file=sys.stderr)
    report(shlex.quote(output) + " --top")
    profile = gprof_x.open(output)
    profile.cell_folder = folder  # its source and recording stay as long as somebody holds this
    return profile


def register(shell):
    """Gives both the name gprofx; a wrong line is told without a traceback."""

    def told(function):
        def magic(*texts):
            try:
                return function(*texts)
            except Error as error:
                print(error, file=sys.stderr)
                return None

        magic.__doc__ = function.__doc__
        return magic

    shell.register_magic_function(told(report), "line", "gprofx")
    shell.register_magic_function(told(record_cell), "cell", "gprofx")
