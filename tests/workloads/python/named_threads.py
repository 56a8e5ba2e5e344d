"""Threads with names that a reader must find again, each of them busy for as many seconds as the first argument says."""
import sys
import threading
import time


def burn(seconds):
    end = time.thread_time() + seconds / 4
    while time.thread_time() < end:
        sum(range(2000))


class Own(threading.Thread):
    """More attributes than a class shares keys for, and a dictionary that somebody asked for."""

    def __init__(self, name):
        for i in range(40):
            setattr(self, "attribute%d" % i, i)
        super().__init__(name=name)
        self.__dict__["another"] = 1

    def run(self):
        burn(float(sys.argv[1]))


threads = [threading.Thread(target=burn, args=(float(sys.argv[1]),), name=name)
           for name in ("loader", "long " + "x" * 60, "caf\u00e9 \u6f22\u5b57")]
threads.append(threading.Thread(target=burn, args=(float(sys.argv[1]),)))
threads.append(Own("of its own class"))
renamed = threading.Thread(target=burn, args=(float(sys.argv[1]),))
renamed.name = "renamed before it began"
threads.append(renamed)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
