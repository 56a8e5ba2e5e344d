"""Detector 4: a layer goes through NumPy and back."""
import numpy
import torch
from common import device, main
from models import blocks, tokens


class Scale(torch.nn.Module):
    def __init__(self, through_host):
        super().__init__()
        self.through_host = through_host

    def forward(self, x):
        if self.through_host:
            on_host = x.float().cpu().numpy()  # seeded
            return torch.from_numpy(numpy.minimum(on_host, 4)).to(device()).to(x.dtype)
        return x.clamp(max=4)


def make(mode):
    model, x = blocks(6), tokens(8)
    model.insert(3, Scale(mode == "bad"))

    @torch.no_grad()
    def step(_):
        return model(x)

    return step


if __name__ == "__main__":
    main(make)
