"""A plain transformer in eager PyTorch, for the programs that train one. Not a program."""
import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mix, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def attend(self, x):
        batch, length, dim = x.shape
        q, k, v = self.mix(x).reshape(batch, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) * (dim // self.heads) ** -0.5, -1)
        return self.out(torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, dim))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


def model(layers, dim, device):
    torch.manual_seed(0)
    return nn.Sequential(*[Block(dim, max(1, dim // 64)) for _ in range(layers)]).to(device)


def training_step(model, optimizer, x, device):
    """A step() of mixed precision training that makes x of x."""
    def step():
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = functional.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
    return step
