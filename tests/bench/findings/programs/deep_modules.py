"""Detector 10: modules in modules in modules, each of which only calls the next, around small layers."""
import torch
from common import device, main


class Wrapper(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)  # seeded


def make(mode):
    layers = []
    for _ in range(40):
        layer = torch.nn.Linear(256, 256)
        if mode == "bad":
            for _ in range(60):
                layer = Wrapper(layer)
        layers.append(layer)
    model = torch.nn.Sequential(*layers).to(device())
    x = torch.randn(32, 256, device=device())

    @torch.no_grad()
    def step(_):
        return model(x)

    return step


if __name__ == "__main__":
    main(make, 100)
