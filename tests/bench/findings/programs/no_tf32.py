"""Detector 19: products of 32-bit matrices without tensor cores; repaired by TF32."""
import torch
from common import device, main, scaled


def make(mode):
    torch.backends.cuda.matmul.allow_tf32 = mode != "bad"
    x = torch.randn(scaled(4096, 16), scaled(4096, 16), device=device())
    w = torch.randn(x.shape[1], x.shape[1], device=device()) * 0.01

    def step(_):
        y = x
        for _ in range(4):
            y = torch.mm(y, w)  # seeded
        return y

    return step


if __name__ == "__main__":
    main(make)
