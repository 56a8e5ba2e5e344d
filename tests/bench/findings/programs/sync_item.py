"""Detector 1: the norm of each gradient is read by .item(), so that the host waits for the GPU a hundred times a step."""
import torch
from common import main
from models import blocks, tokens


def make(mode):
    model, x = blocks(8), tokens(16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=False, foreach=True)

    def step(_):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        norms = []
        for parameter in model.parameters():
            norm = parameter.grad.norm()
            norms.append(norm.item() if mode == "bad" else norm)  # seeded
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 40)
