import triton
import triton.language as tl


@triton.jit
def damp(x, factor):
    return tl.exp(-x * factor)  # MARK damp


@triton.jit
def scale(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)  # MARK load
    tl.store(y_ptr + offsets, damp(x, factor), mask=mask)  # MARK store
