"""Detector 11: a second thread computes in Python and holds the interpreter's lock; repaired, it is a process of its own."""
import subprocess
import sys
import threading

from common import main
from models import Work


def make(mode):
    work = Work(4, 4096)
    done = threading.Event()

    def spin():
        total = 0
        while not done.is_set():
            for i in range(20000):  # seeded
                total += i * i  # seeded
        return total

    def step(_):
        return work()

    if mode == "bad":
        thread = threading.Thread(target=spin, name="statistics", daemon=True)
        thread.start()

        def close():
            done.set()
            thread.join()
    else:
        child = subprocess.Popen([sys.executable, "-S", "-c", "t = 0\nwhile True:\n  for i in range(20000): t += i * i"])

        def close():
            child.kill()
            child.wait()

    step.close = close
    return step


if __name__ == "__main__":
    main(make, 60)
