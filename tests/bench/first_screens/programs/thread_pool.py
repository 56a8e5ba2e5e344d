"""Four threads share work that is pure Python, so that only one of them runs at a time."""
from concurrent.futures import ThreadPoolExecutor


def primes(begin, end):
    found = 0
    for number in range(begin, end):
        if all(number % divisor for divisor in range(2, int(number ** 0.5) + 1)):  # the cause
            found += 1
    return found


def main():
    chunks = [(i, i + 2500) for i in range(200_000, 600_000, 2500)]
    with ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(lambda chunk: primes(*chunk), chunks)))


main()
