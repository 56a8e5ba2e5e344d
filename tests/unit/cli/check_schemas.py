"""Each schema that a command prints is named in gprof-x(1), and no other."""
import os
import re
import sys

OF_PAGES = {"gprof-x.page/1", "gprof-x.diffpage/1", "gprof-x.benchmarkspage/1"}  # read by the scripts of their pages alone
SCHEMA = r"gprof-x\.[a-z]+(?:\.[a-z]+)*/\d+"


def main(root):
    printed = set()
    for folder, _, names in os.walk(os.path.join(root, "cli")):
        for name in names:
            if name.endswith(".cpp"):
                with open(os.path.join(folder, name)) as file:
                    printed |= set(re.findall('"(%s)"' % SCHEMA, file.read()))
    with open(os.path.join(root, "man/gprof-x.1")) as file:
        told = set(re.findall(SCHEMA, file.read()))
    wrong = ["not in gprof-x(1): " + one for one in sorted(printed - OF_PAGES - told)]
    wrong += ["printed by no command: " + one for one in sorted(told - printed)]
    if len(printed) < 20:
        wrong.append("only %d schemas were found in the sources" % len(printed))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
