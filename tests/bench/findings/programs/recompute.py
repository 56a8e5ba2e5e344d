"""Detector 22: activations are computed a second time in the backward pass, though there is room for them."""
import torch
from common import main
from models import blocks, tokens
from torch.utils.checkpoint import checkpoint


def make(mode):
    model, x = blocks(6), tokens(16).requires_grad_()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def step(_):
        optimizer.zero_grad()
        y = x
        for block in model:
            y = checkpoint(block, y, use_reentrant=False) if mode == "bad" else block(y)  # seeded
        y.square().mean().backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 40)
