"""Compiles each pattern when it is imported, whoever needs it."""
import re

WORDS = ["word%d(x|y)+%d?" % (i, i % 7) for i in range(20_000)]
PATTERNS = []
for word in WORDS:
    PATTERNS.append(re.compile(r"\b(?:%s)\b" % word, re.IGNORECASE))  # the cause


def is_stop_word(word):
    return any(pattern.fullmatch(word) for pattern in PATTERNS[:100])
