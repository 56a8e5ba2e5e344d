"""A fixed amount of pure Python work; prints the seconds it took. argv: ROUNDS"""
import sys
import time


class Item:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def words(n):
    count = {}
    for i in range(n):
        word = "w%d" % (i * 7919 % 1000)
        count[word] = count.get(word, 0) + 1
    return sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))


def main(rounds):
    begin = time.perf_counter()
    for _ in range(rounds):
        fib(18)
        words(8000)
        sorted(Item(i * 7919 % 1009) for i in range(1000))
    print("%.6f" % (time.perf_counter() - begin))


main(int(sys.argv[1]))
