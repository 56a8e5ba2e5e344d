"""torch.compile with CUDA graphs (mode reduce-overhead). argv: STEPS"""
import sys

import facts

torch = facts.require_gpu()


@torch.compile(mode="reduce-overhead")
def mixed(x, w):
    y = torch.relu(x @ w)
    return torch.softmax(y * 2.0 + 1.0, -1).sum(-1)


def main(steps):
    torch.manual_seed(0)
    x = torch.randn(512, 512, device="cuda")
    w = torch.randn(512, 512, device="cuda")
    total = 0.0
    with torch.no_grad():
        for _ in range(steps):
            total = mixed(x, w).sum().item()
    print("steps %d, result %.1f" % (steps, total))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
