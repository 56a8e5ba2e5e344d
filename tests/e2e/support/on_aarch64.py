#!/usr/bin/env python3
"""gprof-x for end-to-end tests whose programs are for aarch64 and run by qemu-user; everything else is done by the native one.

  GPROFX=tests/e2e/support/on_aarch64.py GPROFX_WORKLOADS=build/aarch64/workloads python3 tests/e2e/recording/test_target.py

GPROFX_NATIVE is a native gprof-x whose folder lib/gprof-x has the agent for aarch64, GPROFX_SYSROOT what cmake/make_sysroot.sh made,
with python3.11 for tests of Python. The emulator is static, so the loader of the machine does not meet the agent: it goes through to
the one of the program. Recorder and agent share memory as ever; that the emulator is static is said by the recorder and left out here.
Children that are other programs need binfmt_misc.
"""
import os
import shutil
import sys

SYSROOT = os.environ["GPROFX_SYSROOT"]
NATIVE = os.environ["GPROFX_NATIVE"]
LIBRARIES = ("lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu")


def emulated(command):
    """What runs the command: Python of the tests is that of the sysroot."""
    folders = os.pathsep.join(os.path.join(SYSROOT, folder) for folder in ("usr/bin", "bin"))
    program = shutil.which(command[0], path=folders) or shutil.which(command[0]) or command[0]
    environment = ["LD_LIBRARY_PATH=" + ":".join(os.path.join(SYSROOT, folder) for folder in LIBRARIES)]
    if os.path.basename(program).startswith("python"):
        program = os.path.join(SYSROOT, "usr/bin/python3.11")
        environment += ["PYTHONHOME=" + os.path.join(SYSROOT, "usr"), "PYTHONDONTWRITEBYTECODE=1"]
    qemu = [shutil.which("qemu-aarch64-static") or "qemu-aarch64-static", "-cpu", "max", "-L", SYSROOT]
    for variable in environment:
        qemu += ["-E", variable]
    return qemu + [program] + command[1:]


def without_note():
    """What is written to standard error comes through a child, but for the line about the emulator."""
    reads, writes = os.pipe()
    if os.fork() == 0:
        os.close(writes)
        for line in os.fdopen(reads, "rb"):
            if b"qemu-aarch64-static" not in line:
                os.write(2, line)
        os._exit(0)
    os.close(reads)
    os.dup2(writes, 2)
    os.close(writes)


def main(arguments):
    if arguments[:1] == ["record"] and "--" in arguments:
        at = arguments.index("--") + 1
        arguments = arguments[:at] + emulated(arguments[at:])
        without_note()
    os.execv(NATIVE, [NATIVE] + arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
