"""A softmax kernel in Triton, called from two functions. argv: CALLS (of each)"""
import sys

import facts

torch = facts.require_gpu()
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def softmax_rows(out, rows, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < width
    x = tl.load(rows + row * width + columns, mask=mask, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    y = tl.exp(x)
    tl.store(out + row * width + columns, y / tl.sum(y, axis=0), mask=mask)


def first_caller(out, x):
    softmax_rows[(x.shape[0],)](out, x, x.shape[1], BLOCK=4096)


def second_caller(out, x):
    softmax_rows[(x.shape[0],)](out, x, x.shape[1], BLOCK=4096)


def main(calls):
    torch.manual_seed(0)
    x = torch.randn(16384, 4000, device="cuda")
    out = torch.empty_like(x)
    for _ in range(calls):
        first_caller(out, x)
        second_caller(out, x)
    torch.cuda.synchronize()
    good = torch.allclose(out, torch.softmax(x, -1), atol=1e-5)
    print("%d calls, %s" % (2 * calls, "right" if good else "wrong"))
    return 0 if good else 1


sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
