"""Detector 7: the loop sleeps 5 ms a step."""
import time

from common import main
from models import Work


def make(mode):
    work = Work(2)

    def step(_):
        out = work()
        if mode == "bad":
            time.sleep(0.005)  # seeded
        return out

    return step


if __name__ == "__main__":
    main(make, 80)
