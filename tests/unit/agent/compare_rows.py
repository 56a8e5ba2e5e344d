"""Compares the agent's unwind rows with what `readelf --debug-dump=frames-interp` says, for every row of libc and of a program."""
import os
import re
import shutil
import subprocess
import sys

NAMES = {"rsp": 7, "rbp": 6, "rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5,
         **{"r%d" % i: i for i in range(8, 16)}}
SP, BP, REG, END, INVALID = 1, 2, 4, 7, 0


def rows_of(path):
    """(pc, CFA text, rbp text, ra text) of every row."""
    text = subprocess.run(["readelf", "-W", "--debug-dump=frames-interp", path], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, errors="replace").stdout
    columns = None
    for line in text.split("\n"):
        words = re.sub(r" \(\w+\)", "", line).split()  # a register that is kept in another is printed as two words
        if " CIE " in line or " FDE " in line:
            fde = " FDE " in line
            columns = None
        elif words[:1] == ["LOC"]:
            columns = words[1:]
        elif columns and re.match(r"^[0-9a-f]{16} ", line) and fde:
            row = dict(zip(columns, words[1:]))
            yield int(words[0], 16), row.get("CFA", ""), row.get("rbp", "u"), row.get("ra", "")


def agrees(cfa, bp, ra, answer):
    kind, reg, offset, bp_kind, bp_offset = answer
    if ra == "u":
        return kind == END
    simple = re.match(r"^(\w+)([+-]\d+)$", cfa)
    if not simple or simple.group(1) not in NAMES or ra != "c-8":
        return None  # expressions: the unit tests look at those
    number = NAMES[simple.group(1)]
    if offset != int(simple.group(2)) or kind != {7: SP, 6: BP}.get(number, REG):
        return False
    saved = re.match(r"^c([+-]\d+)$", bp)
    if saved:
        return (bp_kind, bp_offset) == (1, int(saved.group(1)))
    return bp_kind == 0 if bp == "u" else None


def main():
    if shutil.which("readelf") is None:
        print("SKIPPED: no readelf")
        return 0
    tool, program = sys.argv[1:3]
    # gprof-x itself may be static: the tool is not.
    libc = next(line.split()[2] for line in subprocess.run(["ldd", tool], stdout=subprocess.PIPE, text=True).stdout.split("\n")
                if "libc.so" in line)
    failed = 0
    for path in (libc, program):
        rows = {}
        for row in rows_of(os.path.realpath(path)):
            rows[row[0]] = row  # the last of several rows at one address is the one in force
        answers = subprocess.run([tool, path], input="".join("%x\n" % pc for pc in rows), stdout=subprocess.PIPE, text=True,
                                 check=True).stdout.split("\n")
        compared = wrong = 0
        for line in answers:
            if not line:
                continue
            words = line.split()
            pc = int(words[0], 16)
            verdict = agrees(*rows[pc][1:], [int(w) for w in words[1:]])
            if verdict is None:
                continue
            compared += 1
            if not verdict:
                wrong += 1
                if wrong <= 10:
                    print("%s: readelf %s, agent %s" % (path, rows[pc], line))
        print("%s: %d rows compared, %d wrong" % (path, compared, wrong))
        failed += wrong or compared < 1000
    return 1 if failed else 0


sys.exit(main())
