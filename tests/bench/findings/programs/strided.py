"""Detector 21: a sum of a matrix and a transposed one, so that one of them is read with large strides."""
import torch
from common import device, main, scaled


def make(mode):
    size = scaled(8192, 64)
    a = torch.randn(size, size, device=device())
    b = torch.randn(size, size, device=device())
    other = b.t() if mode == "bad" else b

    def step(_):
        y = a
        for _ in range(8):
            y = torch.add(y, other)  # seeded
        return y

    return step


if __name__ == "__main__":
    main(make)
