"""Detector 17: GELU written by hand, eight kernels over a large tensor; repaired by the one kernel of PyTorch."""
import math

import torch
import torch.nn.functional as F
from common import device, main, scaled


def gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))  # seeded


def make(mode):
    x = torch.randn(scaled(16384, 16), scaled(4096, 16), device=device(), dtype=torch.bfloat16)
    w = torch.randn(x.shape[1], x.shape[1], device=device(), dtype=torch.bfloat16) * 0.02

    @torch.no_grad()
    def step(_):
        y = x
        for _ in range(4):
            y = torch.mm(y, w)
            y = gelu(y) if mode == "bad" else F.gelu(y, approximate="tanh")
        return y

    return step


if __name__ == "__main__":
    main(make)
