"""The shapes that Python code takes: generators, coroutines, classes, threads with and without the GIL, exec.  argv: SECONDS"""
import asyncio
import hashlib
import sys
import threading
import time

BLOCK = b"x" * (32 << 20)  # long enough without the GIL not to be starved by the other thread


def burn():
    s = 0
    for i in range(3000):
        s += i * i
    return s


def generate(n):
    for i in range(n):
        burn()
        yield i


class Thing:
    def method(self):
        return burn()

    @property
    def prop(self):
        return burn()

    def __lt__(self, other):
        burn()
        return False


async def inner():
    burn()
    await asyncio.sleep(0)


async def outer():
    await inner()


def hash_in_thread(end):
    while time.monotonic() < end:
        hashlib.sha256(BLOCK).digest()


def main(seconds):
    end = time.monotonic() + seconds
    thread = threading.Thread(target=hash_in_thread, args=(end,), name="hasher")
    thread.start()
    loop = asyncio.new_event_loop()
    namespace = {"burn": burn}
    exec(compile("def made_by_exec():\n    return burn()\n", "made up file", "exec"), namespace)
    while time.monotonic() < end:
        sum(generate(5))
        Thing().method()
        Thing().prop
        sorted([Thing(), Thing()])
        loop.run_until_complete(outer())
        namespace["made_by_exec"]()
        list(map(lambda x: burn(), range(3)))
    thread.join()
    loop.close()


main(float(sys.argv[1]))
