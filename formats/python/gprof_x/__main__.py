"""The command gprof-x, also as `python -m gprof_x`: this process becomes the program, so no Python
is left beside it."""

import os
import sys

from gprof_x._program import program


def main():
    path = program()
    try:
        os.execv(path, [path] + sys.argv[1:])
    except OSError as error:
        sys.exit("gprof-x: cannot run %s: %s; install the package again" % (path, error.strerror))


if __name__ == "__main__":
    main()
