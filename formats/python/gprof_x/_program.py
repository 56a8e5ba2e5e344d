"""Where the program gprof-x lies."""

import os
import shutil


def program() -> str:
    """Its path: that of this package, else the first of PATH (a package that was taken from the
    sources has none)."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bundle", "bin", "gprof-x")
    return own if os.path.exists(own) else shutil.which("gprof-x") or own
