"""A thread and the main thread each run code in a subinterpreter: pure Python, then hashing without the GIL; the outer one works in
between. Prints what each function took."""
import os
import sys
import threading
import time

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

INNER = """
import hashlib, time
data = bytes(1 << 22)
def inner_loop(until):
    while time.thread_time() < until:
        sum(range(1000))
def inner_hash(until):
    while time.thread_time() < until:
        hashlib.sha256(data).digest()
now = time.thread_time()
inner_loop(now + SECONDS)
inner_hash(now + 2 * SECONDS)
"""


def outer(until):
    while time.thread_time() < until:
        sum(range(1000))


def run(seconds):
    number = interpreters.create()
    try:
        interpreters.run_string(number, INNER.replace("SECONDS", str(seconds)))
    finally:
        interpreters.destroy(number)
    outer(time.thread_time() + seconds)


thread = threading.Thread(target=run, args=(float(sys.argv[1]),))
thread.start()
run(float(sys.argv[1]))
thread.join()
print("done", flush=True)
os._exit(0)  # CPython 3.12 frees something twice at its end
