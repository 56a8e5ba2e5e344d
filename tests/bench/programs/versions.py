"""A short job of the standard library's own work, one function each, for comparisons of versions.

argv: ROUNDS [NAME=FACTOR...]: that function does FACTOR times its work, which is the known change.
Work is counted, never timed. Prints nothing.
"""
import csv
import datetime
import decimal
import difflib
import hashlib
import io
import json
import random
import re
import string
import sys
import textwrap
import zlib

SEEDED = random.Random(7)
WORDS = ["".join(SEEDED.choices(string.ascii_lowercase, k=SEEDED.randint(2, 9))) for _ in range(400)]
TEXT = " ".join(WORDS)
RECORDS = [{"id": i, "name": WORDS[i], "tags": WORDS[i:i + 3], "value": SEEDED.random()} for i in range(30)]
PATTERN = re.compile(r"(\w+?)([aeiou]{2})(\w*)")


def encode_json(times):
    for _ in range(times):
        json.dumps(RECORDS, indent=1)


def match_words(times):
    for _ in range(times):
        PATTERN.findall(TEXT)


def sort_words(times):
    for _ in range(times):
        sorted(WORDS, key=lambda word: (len(word), word))


def wrap_text(times):
    for _ in range(times):
        textwrap.wrap(TEXT[:600], 60)


def add_decimals(times):
    for _ in range(times):
        total = decimal.Decimal(0)
        for i in range(1, 120):
            total += decimal.Decimal(i) / 7


def write_rows(times):
    for _ in range(times):
        writer = csv.writer(io.StringIO())
        for record in RECORDS:
            writer.writerow(record.values())


def compare_lines(times):
    for _ in range(times):
        difflib.SequenceMatcher(None, WORDS[:30], WORDS[10:40]).ratio()


def parse_dates(times):
    for i in range(times):
        for day in range(1, 25):
            datetime.datetime.strptime(f"2024-01-{day:02}", "%Y-%m-%d")


def hash_blocks(times):
    for _ in range(times):
        for word in WORDS:
            hashlib.sha256(word.encode()).hexdigest()


def pack_text(times):
    for _ in range(times):
        zlib.compress(TEXT.encode(), 6)


def count_letters(times):
    for _ in range(times):
        counts = {}
        for letter in TEXT:
            counts[letter] = counts.get(letter, 0) + 1


# How often a round does each, so that their shares lie between 4 and 20 %.
WORK = {encode_json: 24, match_words: 30, sort_words: 60, wrap_text: 24, add_decimals: 130, write_rows: 90,
        compare_lines: 24, parse_dates: 30, hash_blocks: 18, pack_text: 36, count_letters: 24}


def main(rounds, *changes):
    factors = {name: float(factor) for name, factor in (change.split("=") for change in changes)}
    for _ in range(int(rounds)):
        for function, times in WORK.items():
            function(round(times * factors.get(function.__name__, 1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
