"""The table of ids (core/base/error_id.h), the catalogue (cli/errors/catalogue.cpp) and gprof-x-errors(7) list the same ids,
with the same sentences, and each id is made at some place of the sources."""
import os
import re
import sys

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ROOMS = ("cli", "core", "formats", "samplers", "symbolize")
LISTS = ("error_id.h", "catalogue.cpp")  # name all ids, and make none


def read(root, path):
    with open(os.path.join(root, path)) as file:
        return file.read()


def id_text(number):
    return "GX-%04d" % number


def table(root):
    """[(name, number)] of the enumerators."""
    body = re.search(r"enum class ErrorId.*?\{(.*?)\n\};", read(root, "core/base/error_id.h"), re.S).group(1)
    return [(name, int(number)) for name, number in re.findall(r"^\s*(k\w+) = (\d+),", body, re.M)]


def catalogue(root):
    """[(name, "cause\\nway out")] of each row."""
    rows = re.findall(r"\{ErrorId::(k\w+),((?:\s*%s\s*,?)+)\}" % STRING.pattern.replace("(", "(?:", 1), read(root, "cli/errors/catalogue.cpp"))
    return [(name, sentences(texts)) for name, texts in rows]


def sentences(texts):
    """Two string literals, each possibly of several pieces."""
    pieces = re.sub(r'"\s+"', "", texts)
    return " ".join(re.sub(r"\\(.)", r"\1", piece) for piece in STRING.findall(pieces))


def of_page(root):
    """{id: what gprof-x-errors(7) says of it}."""
    entries = re.findall(r"^\.It Sy (GX-\d{4})\n(.*?)(?=^\.(?:It|El)\b)", read(root, "man/gprof-x-errors.7"), re.M | re.S)
    return {name: " ".join(text.replace("\\e", "\\").replace("\\-", "-").split()) for name, text in entries}


def made(root):
    """The names of all ids that the sources name, but for the lists of them."""
    names = set()
    for room in ROOMS:
        for folder, _, files in os.walk(os.path.join(root, room)):
            for name in files:
                if name.endswith((".cpp", ".h")) and name not in LISTS:
                    names.update(re.findall(r"ErrorId::(k\w+)", read(folder, name)))
    return names


def faults(ids, rows, page, in_use):
    numbers = [number for _, number in ids]
    if numbers != sorted(set(numbers)):
        yield "error_id.h: the numbers do not ascend"
    if [name for name, _ in rows] != [name for name, _ in ids]:
        yield "the catalogue and error_id.h list different ids: %s" % sorted({name for name, _ in rows} ^ {name for name, _ in ids})
    told = dict(rows)
    for name, number in ids:
        if page.get(id_text(number)) != told.get(name):
            yield "gprof-x-errors(7) and the catalogue differ in %s" % id_text(number)
        if name not in in_use:
            yield "no place in the sources makes ErrorId::%s" % name
    for extra in sorted(set(page) - {id_text(number) for number in numbers}):
        yield "gprof-x-errors(7): %s is not in error_id.h" % extra


def main(root):
    wrong = list(faults(table(root), catalogue(root), of_page(root), made(root)))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
