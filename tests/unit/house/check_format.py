"""Every C++ file is as clang-format 14 writes it. 77: there is no clang-format 14, or no repository."""
import shutil
import subprocess
import sys

PROGRAM = next((name for name in ("clang-format-14", "clang-format") if shutil.which(name)), None)


def main(root):
    if PROGRAM is None or " 14." not in subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout:
        print("there is no clang-format 14")
        return 77
    kept = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.h", "*.cpp"], capture_output=True, text=True)
    files = [name for name in kept.stdout.split("\0") if name]
    if not files:
        print("this is no repository")
        return 77
    run = subprocess.run([PROGRAM, "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error: code should be clang-formatted" in line})
    print("\n".join("%s: run %s -i on it" % (name, PROGRAM) for name in wrong) or "%d files are formatted" % len(files))
    return 1 if run.returncode != 0 else 0


sys.exit(main(sys.argv[1]))
