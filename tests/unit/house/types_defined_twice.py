"""Types of one name in one namespace in several files of the product. Linked into one binary they are undefined behaviour, which no
compiler and no linker says: functions of one may be those of the other. What stands in an unnamed namespace, or within another type, has
no such name."""
import collections
import re

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
TOKEN = re.compile(r"namespace\s*([\w:]*)\s*\{|\b(?:struct|class|enum(?:\s+class)?|union)\s+(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*|"
                   r"__attribute__\(\([^)]*\)\)\s*)*([\w:]+)\s*(?:final\s*)?(?::[^{;()]*)?\{|[{}]")
# One of them is compiled, for the machine that it is.
FOR_ONE_MACHINE = "samplers/wire/machine/"


def defined(text):
    """Fully qualified names of the types that other files could define, too."""
    inside = []  # names of namespaces; None for other braces
    for found in TOKEN.finditer(NOT_CODE.sub(" ", text)):
        token, namespace, name = found.group(0), found.group(1), found.group(2)
        if token == "}":
            if inside:
                inside.pop()
        elif token.startswith("namespace"):
            inside.append(namespace or None)
        else:
            if name and "::" not in name and None not in inside:
                yield "::".join(inside + [name])
            inside.append(None)


def types_defined_twice(texts):
    """`texts`: by path. Lines that say what is wrong."""
    files = collections.defaultdict(set)
    for path, text in texts.items():
        if not path.startswith(FOR_ONE_MACHINE):
            for name in defined(text):
                files[name].add(path)
    return ["%s is defined in %s" % (name, " and ".join(sorted(where))) for name, where in sorted(files.items()) if len(where) > 1]
