"""Models that several programs use: small enough for short profiles, large enough to keep a GPU busy for some milliseconds."""
import torch
import torch.nn.functional as F
from common import batch, device, number_type, scaled


class Block(torch.nn.Module):
    """A transformer block."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = self.qkv(self.before(x)).view(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(samples, length, width))
        return x + self.down(F.gelu(self.up(self.between(x))))


def blocks(count=4, width=1024, dtype=torch.bfloat16):
    width = scaled(width, 64)
    return torch.nn.Sequential(*[Block(width, max(1, width // 64)) for _ in range(count)]).to(device(), dtype)


def tokens(samples=8, length=512, width=1024, dtype=torch.bfloat16):
    return torch.randn(scaled(samples, 1), scaled(length, 16), scaled(width, 64), device=device(), dtype=dtype)


class Work:
    """GPU work of some milliseconds in few launches: products of matrices."""

    def __init__(self, count=6, size=8192):
        size = scaled(size, 64)
        self.count = count
        self.x = torch.randn(batch(size, size), size, device=device(), dtype=number_type()) * 0.01
        self.w = torch.randn(size, size, device=device(), dtype=number_type()) * 0.01

    def __call__(self):
        x = self.x
        for _ in range(self.count):
            x = torch.mm(x, self.w)
        return x
