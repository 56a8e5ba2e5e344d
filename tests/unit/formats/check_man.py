#!/usr/bin/env python3
"""Compares gprof-x-format(5) with the schema: each table, each of its columns and each stream with its columns must be
on the page, as the program writes them. The page's and the file's schema versions must be equal.
usage: check_man.py PAGE FILE
"""
import re
import sqlite3
import sys


def words_of(page):
    """The page without macros and line breaks."""
    lines = []
    for line in open(page, encoding="utf-8"):
        line = re.sub(r"^\.(Sy|It|Pq|Dq|Ss|No|Ic|Pa)\b", "", line.rstrip("\n"))
        lines.append(re.sub(r"\b(Pq|Sy)\b", "", line))
    return re.sub(r"\s+", " ", " ".join(lines))


def problems(page, profile):
    db = sqlite3.connect(profile)
    text = words_of(page)
    version = db.execute("SELECT value FROM meta WHERE name='schema'").fetchone()[0]
    if "This page describes %s," % version not in text:
        yield "the page does not describe schema " + version
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type='table'"):
        heading = r"^\.Ss ([^\n]*, )?%s(,[^\n]*)?$" % table
        section = re.search(heading + r"(.*?)(?=^\.S[sh] |\Z)", open(page, encoding="utf-8").read(), re.M | re.S)
        if not section:
            yield "table %s has no section" % table
            continue
        for column in db.execute("SELECT name FROM pragma_table_info(?)", (table,)):
            if column[0] != "id" and not re.search(r"\b%s\b" % column[0], section.group(0)):
                yield "column %s of table %s is not explained" % (column[0], table)
    for number, name, columns in db.execute("SELECT id, name, columns FROM stream WHERE id > 2"):
        # Words in brackets explain a column.
        entry = re.search(r"stream %d %s: (.*?)\. " % (number, name), re.sub(r" \([^)]*\)", "", text))
        if not entry or entry.group(1) != columns:
            yield "stream %d is '%s: %s'" % (number, name, columns)
    for number, name in db.execute("SELECT id, name FROM stream WHERE id <= 2"):
        if "Stream %d, %s" % (number, name) not in text:
            yield "stream %d is '%s'" % (number, name)


if len(sys.argv) != 3:
    sys.exit(__doc__)
found = list(problems(sys.argv[1], sys.argv[2]))
for problem in found:
    print("check_man.py: " + problem, file=sys.stderr)
sys.exit(1 if found else 0)
