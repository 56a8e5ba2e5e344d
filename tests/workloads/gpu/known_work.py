"""Work whose FLOP and bytes are known, each under a kernel of its own: adds and copies of large tensors, products by type.

--rounds N; facts: {"gemm_flop"} of one product.
"""
import argparse

import facts

ELEMENTS = 1 << 26  # 256 MB of floats: larger than any cache
SIDE = 4096


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch = facts.require_gpu()
    torch.backends.cuda.matmul.allow_tf32 = False
    x, y = torch.rand(ELEMENTS, device="cuda"), torch.rand(ELEMENTS, device="cuda")
    double, other = (torch.rand(ELEMENTS // 2, device="cuda", dtype=torch.float64) for _ in range(2))
    sides = {name: torch.rand(SIDE, SIDE, device="cuda").to(getattr(torch, name)) for name in ("bfloat16", "float16", "float32", "float64")}
    for _ in range(args.rounds):
        torch.add(x, y)
        torch.add(double, other)
        torch.exp(x)
        for side in sides.values():
            side @ side
    torch.cuda.synchronize()
    facts.say(gemm_flop=2 * SIDE ** 3)
    print("done")


if __name__ == "__main__":
    main()
