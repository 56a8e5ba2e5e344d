"""Clean: inference of a large transformer, everything on the GPU."""
import torch
from common import main
from models import blocks, tokens


def make(_):
    model, x = blocks(8, 4096).eval(), tokens(8, 1024, 4096)

    @torch.no_grad()
    def step(_):
        return model(x)

    return step


if __name__ == "__main__":
    main(make, 20)
