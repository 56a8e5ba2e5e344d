"""Many Python threads that mostly wait, some work in turn; prints the seconds it took. argv: THREADS"""
import sys
import threading
import time


def work(rounds):
    s = 0
    for i in range(rounds):
        s += i * i
    return s


def body(ready, go):
    ready.release()
    go.wait()
    for _ in range(5):
        work(10000)
        time.sleep(0.001)


def main(count):
    ready, go = threading.Semaphore(0), threading.Event()
    threads = [threading.Thread(target=body, args=(ready, go)) for _ in range(count)]
    for t in threads:
        t.start()
    for _ in threads:
        ready.acquire()
    begin = time.perf_counter()
    go.set()
    for t in threads:
        t.join()
    print("%.6f" % (time.perf_counter() - begin))


main(int(sys.argv[1]))
