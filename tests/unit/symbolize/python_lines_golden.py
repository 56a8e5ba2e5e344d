"""Prints code objects of standard-library modules with CPython's own answer for every instruction.

One code object is two lines: "CODE major.minor firstlineno hex-of-the-table" and "LINES count*line count*line ...",
counting code units of two bytes; line 0 = none. The first argument limits the number of code objects.
"""
import dis
import importlib
import sys

MODULES = ["json.decoder", "textwrap", "contextlib", "tempfile", "argparse", "dataclasses", "inspect"]


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from code_objects(constant)


def lines_of(code):
    units = len(code.co_code) // 2
    lines = [0] * units
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for unit in range(start // 2, min(end // 2, units)):
                lines[unit] = line or 0
        return lines
    starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for unit in range(units):
        line = starts.get(unit * 2, line)
        lines[unit] = line
    return lines


def runs(lines):
    out = []
    for line in lines:
        if out and out[-1][1] == line:
            out[-1][0] += 1
        else:
            out.append([1, line])
    return " ".join("%d*%d" % (count, line) for count, line in out)


def main():
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 10**9
    # Long functions first: they have the entries that short ones lack.
    found = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        with open(module.__file__, encoding="utf-8") as source:
            found += list(code_objects(compile(source.read(), name, "exec")))
    found.sort(key=lambda code: -len(code.co_code))
    step = max(1, len(found) // limit)
    for code in found[1::step]:
        table = code.co_linetable if hasattr(code, "co_lines") else code.co_lnotab
        print("CODE %d.%d %d %s" % (sys.version_info[0], sys.version_info[1], code.co_firstlineno, table.hex()))
        print("LINES " + runs(lines_of(code)))


main()
