"""Clean: the training of a network of convolutions that halve and double an image, as diffusion models have; bfloat16, channels last."""
import torch
import torch.nn.functional as F
from common import batch, device, main, number_type, scaled


class Pair(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = torch.nn.Conv2d(inputs, outputs, 3, padding=1)
        self.second = torch.nn.Conv2d(outputs, outputs, 3, padding=1)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x), inplace=True)), inplace=True)


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = torch.nn.ModuleList([Pair(width, width), Pair(width, 2 * width), Pair(2 * width, 4 * width)])
        self.up = torch.nn.ModuleList([Pair(6 * width, 2 * width), Pair(3 * width, width)])

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        b = self.up[0](torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        return self.up[1](torch.cat([F.interpolate(b, scale_factor=2), a], 1))


def make(_):
    torch.backends.cudnn.benchmark = True
    width = scaled(128, 8)
    model = Net(width).to(device(), number_type(), memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=device() == "cuda")
    x = torch.randn(batch(32, 1), width, scaled(128, 16), scaled(128, 16), device=device(), dtype=number_type())
    x = x.contiguous(memory_format=torch.channels_last)

    def step(_):
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(model(x), x).backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 20)
