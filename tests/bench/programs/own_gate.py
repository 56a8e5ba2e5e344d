"""Runs a Python program once another profiler has attached: own_gate.py READY GO PROGRAM [ARG...]

Writes its process id to READY, waits until GO is there, and runs PROGRAM (a file, or -m MODULE) below the function
gprofx_own_gate, so that both profilers can be asked for what happened in there and nowhere else.
"""
import os
import runpy
import sys
import time


def gprofx_own_gate(program):
    if program[0] == "-m":
        sys.argv = program[1:]
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = program
        sys.path.insert(0, os.path.dirname(os.path.abspath(program[0])))
        runpy.run_path(program[0], run_name="__main__")


ready, go = sys.argv[1:3]
with open(ready + ".part", "w") as out:
    out.write(str(os.getpid()))
os.rename(ready + ".part", ready)
while not os.path.exists(go):
    time.sleep(0.01)
gprofx_own_gate(sys.argv[3:])
