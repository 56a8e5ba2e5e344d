"""Detector 8: a loop over the elements of a tensor on the host."""
import torch
from common import main, scaled
from models import Work


def make(mode):
    work = Work(1)
    values = torch.rand(scaled(6000, 60))

    def step(_):
        work()
        if mode == "bad":
            total = 0.0
            for i in range(len(values)):
                total += float(values[i])  # seeded
            return total
        return float(values.sum())

    return step


if __name__ == "__main__":
    main(make)
