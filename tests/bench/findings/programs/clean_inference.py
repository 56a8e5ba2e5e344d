"""Clean: inference of a large transformer, everything on the GPU."""
import torch
from common import batch, main, number_type
from models import blocks, tokens


def make(_):
    model, x = blocks(8, 4096, number_type()).eval(), tokens(batch(8, 1), 1024, 4096, number_type())

    @torch.no_grad()
    def step(_):
        return model(x)

    return step


if __name__ == "__main__":
    main(make, 20)
