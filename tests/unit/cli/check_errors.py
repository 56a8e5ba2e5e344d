"""Each error line of the sources has a class in cli/errors/catalogue.cpp, each line there has a place in the sources, and
gprof-x-errors(7) says the same as the catalogue."""
import os
import re
import sys

# Why a file gives no names is kept in the profile, not printed as an error; raw recordings are for developers.
NOT_PRINTED = ("symbolize/", "samplers/collector/spool.cpp", "samplers/collector/drain/raw_recording.cpp")
BRACKETS = {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}
# Said by Boost.ProgramOptions and by the C++ library.
OF_OTHERS = re.compile(r"the required argument for option|option '\*'|the (un)?abbreviated option|std::bad_alloc")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def catalogue(root):
    """(id, cause, way out, [line]) of each row."""
    with open(os.path.join(root, "cli/errors/catalogue.cpp")) as file:
        text = file.read()
    rows = []
    for row in re.findall(r'\{("GX-.*?)\},?\n(?=\s*(?:\n|//|\{"GX|\}))', text, re.S):
        fields = [""]
        for text_or_comma in re.finditer(STRING.pattern + "|,", row):
            if text_or_comma.group(0) == ",":
                fields.append("")
            else:
                fields[-1] += text_or_comma.group(1)
        assert len(fields) == 4, row
        rows.append((fields[0], unescaped(fields[1]), unescaped(fields[2]), [unescaped(line) for line in fields[3].split("\\n")]))
    return rows


def argument(text, start):
    """The first argument of what is opened right before `start`."""
    depth, at = 1, start
    while True:
        string = STRING.match(text, at)
        if string:
            at = string.end()
            continue
        depth += BRACKETS.get(text[at], 0)
        if depth == 0 or (depth == 1 and text[at] == ","):
            return text[start:at]
        at += 1


def split(text, marks):
    """At any of `marks` outside of strings and brackets."""
    parts, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        string = STRING.match(text, at)
        if string:
            at = string.end()
            continue
        depth += BRACKETS.get(text[at], 0)
        if depth == 0 and text[at] in marks and text[at - 1:at + 1] != "::" and text[at:at + 2] != "::":
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return parts + [text[begin:]]


def texts(expression):
    """What it may say, with X where the value is not in the sources."""
    expression = re.sub(r'"\s+"', "", expression.strip())
    choice = split(expression, "?")
    if len(choice) > 1:
        return [text for part in split("?".join(choice[1:]), ":") for text in texts(part)]
    said = [""]
    for part in split(expression, "+"):
        part = part.strip()
        wrapped = re.fullmatch(r"(?:std::string)?\((.*)\)", part, re.S)
        if STRING.fullmatch(part):
            ends = [unescaped(part[1:-1])]
        elif wrapped:
            ends = texts(wrapped.group(1))
        else:
            ends = ["X"]
        said = [text + end for text in said for end in ends]
    return said


MADE = re.compile(r"\bError\{|\bError \w+\{|\bFail\((?:kCommand, |command, )?\{|\breturn \{(?=[^{}();]*\")")
RETURNS = re.compile(r"^(?:\[\[nodiscard\]\] |inline |static )*(Error|Status|Result<.*>) [\w:~]+\(|-> Error \{", re.M)
BEGINS = re.compile(r"^(?!namespace)[A-Za-z\[].*[({]", re.M)


def sources(root):
    """(path, text) of each file that may fail."""
    for room in ("cli", "core", "formats", "samplers"):
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in sorted(names):
                if name.endswith((".cpp", ".h")) and name != "catalogue.cpp":
                    path = os.path.join(folder, name)
                    with open(path) as file:
                        yield os.path.relpath(path, root), file.read()


def is_error(text, made):
    """What a function returns in braces is an error where its type says so."""
    if not made.group().startswith("return"):
        return True
    begun = [found.start() for found in BEGINS.finditer(text, 0, made.start())]
    return bool(begun) and RETURNS.search(text, begun[-1], made.start()) is not None


def places(root):
    """(place, text) of each error line."""
    for path, text in sources(root):
        if path.startswith(NOT_PRINTED):
            continue
        for made in MADE.finditer(text):
            if not is_error(text, made):
                continue
            what = argument(text, made.end())
            for said in texts(what) if '"' in what else ():
                if re.search("[a-z]", said):  # else it is made of parts that are made elsewhere
                    yield "%s:%d" % (path, text.count("\n", 0, made.start()) + 1), said


def spoken(root):
    """All that the sources have between quotes."""
    said = []
    for _, text in sources(root):
        text = re.sub(r'"\s+"', "", re.sub(r"""'\\?"'""", "", text))
        said += [unescaped(found) for found in STRING.findall(text)]
    return "\n".join(said)


def pattern(line):
    return re.compile(".*".join(re.escape(part) for part in line.split("*")), re.S)


def of_page(root):
    """What gprof-x-errors(7) says of each id."""
    with open(os.path.join(root, "man/gprof-x-errors.7")) as file:
        text = file.read()
    told = {}
    for entry in re.findall(r"^\.It Sy (GX-\d{4})\n(.*?)(?=^\.(?:It|El)\b)", text, re.M | re.S):
        told[entry[0]] = entry[1].replace("\\e", "\\").strip()
    return told


def main(root):
    rows = catalogue(root)
    ids = [row[0] for row in rows]
    wrong = ["%s is in the catalogue twice" % one for one in sorted(set(ids)) if ids.count(one) > 1]
    if ids != sorted(ids) or len(ids) < 20:
        wrong.append("the ids of the catalogue are not in order")
    lines = {line: pattern(line) for row in rows for line in row[3]}
    all_that_is_said = spoken(root)
    found = list(places(root))
    if len(found) < 250:
        wrong.append("only %d error lines were found in the sources" % len(found))
    for place, said in found:
        ways = (said, said.replace("X", "'X'", 1), "cannot write 'X': " + said)
        if not any(fits.fullmatch(way) for way in ways for fits in lines.values()):
            wrong.append("%s: no class of errors has the line: %s" % (place, said))
    for line in lines:
        own = max(line.split("*"), key=len).strip(" ,.:;'(")
        if OF_OTHERS.match(line) is None and own not in all_that_is_said and own.partition(" ")[2] not in all_that_is_said:
            wrong.append("catalogue: no place in the sources says: %s" % line)
    page = of_page(root)
    for row in rows:
        if page.get(row[0]) != row[1] + "\n" + row[2]:
            wrong.append("gprof-x-errors(7) and the catalogue differ in %s" % row[0])
    wrong += ["gprof-x-errors(7): %s is not in the catalogue" % one for one in sorted(set(page) - set(ids))]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
