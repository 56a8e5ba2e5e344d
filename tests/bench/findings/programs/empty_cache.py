"""Detector 14: the caching allocator is emptied in every step, so that cudaMalloc and cudaFree run all the time."""
import torch
from common import main
from models import blocks, tokens


def make(mode):
    model, x = blocks(6), tokens(16)

    @torch.no_grad()
    def step(_):
        out = model(x).sum()
        if mode == "bad" and torch.cuda.is_available():
            torch.cuda.empty_cache()  # seeded
        return out

    return step


if __name__ == "__main__":
    main(make)
