"""Detector 20: the backward pass of a layer of one's own goes row by row in Python."""
import torch
from common import main
from models import blocks, tokens


class Scale(torch.autograd.Function):
    rows = True

    @staticmethod
    def forward(context, x, weight):
        context.save_for_backward(weight)
        return x * weight

    @staticmethod
    def backward(context, grad):
        (weight,) = context.saved_tensors
        if not Scale.rows:
            return grad * weight, None
        out = torch.empty_like(grad)
        flat, target = grad.view(-1, grad.shape[-1]), out.view(-1, grad.shape[-1])
        for i in range(0, flat.shape[0], 8):
            target[i:i + 8] = flat[i:i + 8] * weight  # seeded
        return out, None


class ScaleLayer(torch.nn.Module):
    def __init__(self, like):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones_like(like))

    def forward(self, x):
        return Scale.apply(x, self.weight)


def make(mode):
    Scale.rows = mode == "bad"
    model, x = blocks(4), tokens(8)
    model.insert(2, ScaleLayer(x[0, 0]))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def step(_):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 30)
