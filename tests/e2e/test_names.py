"""Names and callers of code that no symbol table describes well: interpreters with and without debug information, code made at
run time, code without unwind rows."""
import os
import shutil
import subprocess
import tempfile
import unittest

from profile_support import Recording, pythons, source


def libpython(python):
    """The shared library of this interpreter, None where it is linked statically."""
    listing = subprocess.run(["ldd", python], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = [line.split()[2] for line in listing.splitlines() if "libpython" in line and "=> /" in line]
    return os.path.realpath(found[0]) if found else None


def has_debug_information(path):
    sections = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return ".debug_info" in sections


class Callers(unittest.TestCase):
    """A tree is the same whether the interpreter has debug information or none."""

    def paths(self, recording):
        """Share by path of what is not the interpreter's: Python functions and other libraries; and all names on the way."""
        shares, names = {}, set()
        for row in recording.tree("--by", "function"):
            if row.up is None or row.total == 0:
                base = row.total or 1
                continue
            if "libpython" in row.module:
                names.add(row.name)
                continue
            if not any(up.kind == "py" for up in row.path()):
                continue  # the end of the interpreter
            path = tuple(up.name for up in row.path()[1:] if "libpython" not in up.module)
            shares[path] = shares.get(path, 0) + row.total / base
        return shares, names

    def compare(self, python, library, folder):
        stripped = os.path.join(folder, os.path.basename(library))
        subprocess.run(["strip", "-o", stripped, library], check=True)
        command = [python, source("callers.py"), "800"]
        with Recording(command, ["-F", "1997"]) as full, \
                Recording(command, ["-F", "1997"], env=dict(os.environ, LD_LIBRARY_PATH=folder)) as bare:
            mine, names = self.paths(full)
            theirs, bare_names = self.paths(bare)
        self.assertIn("insertdict", names, "the interpreter's debug information was not used")
        self.assertNotIn("insertdict", bare_names)
        # More than 2,000 samples: a path of 1.5 percent has 30 of them.
        for path in set(mine) | set(theirs):
            share, other = mine.get(path, 0), theirs.get(path, 0)
            if max(share, other) > 0.015:
                self.assertGreater(min(share, other), 0, path)
                self.assertLess(abs(share - other), 0.08, path)
        helpers = {"Py_INCREF", "Py_DECREF", "_Py_INCREF", "_Py_DECREF", "Py_XDECREF", "cmp_outcome", "builtin_exec_impl",
                   "builtin___import__", "_PyEval_EvalFrame", "do_call_core", "dictkeys_generic_lookup"}
        self.assertEqual(names & helpers, set())

    def test_trees_with_and_without_debug_information(self):
        compared = []
        for version, python in pythons():
            library = libpython(python)
            if library is None or not has_debug_information(library) or shutil.which("strip") is None:
                continue
            with self.subTest(python=version), tempfile.TemporaryDirectory() as folder:
                self.compare(python, library, folder)
            compared.append(version)
        if not compared:
            self.skipTest("no shared CPython with debug information (pyenv builds one), or no strip")


if __name__ == "__main__":
    unittest.main()
