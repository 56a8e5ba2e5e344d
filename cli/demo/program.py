"""What 'gprof-x demo' records: one thread works in Python and in C, another one compresses, a GPU computes where there is one."""
import hashlib
import sys
import threading
import time
import zlib

try:
    import ctypes
    import json as codec
except ImportError:  # a distribution's smallest Python
    import marshal as codec
    ctypes = None

SECONDS = 1.5
PTX = b"""
.version 6.4
.target sm_70
.address_size 64
.visible .entry demo_kernel(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %again;
  .reg .b32 %i, %n, %left;
  .reg .b64 %base, %offset;
  .reg .f32 %x;
  ld.param.u64 %base, [out];
  ld.param.u32 %left, [rounds];
  mov.u32 %i, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mul.lo.u32 %i, %i, %n;
  mov.u32 %n, %tid.x;
  add.u32 %i, %i, %n;
  cvt.rn.f32.u32 %x, %i;
ROUND:
  fma.rn.f32 %x, %x, 0f3F000000, 0f3F800000;
  sub.u32 %left, %left, 1;
  setp.ne.u32 %again, %left, 0;
  @%again bra ROUND;
  cvta.to.global.u64 %base, %base;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %base, %base, %offset;
  st.global.f32 [%base], %x;
  ret;
}
"""


class Gpu:
    """A kernel by the driver alone, so that no package is needed; OSError where that cannot be."""

    blocks, threads = 1024, 256

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.function, self.out = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(module), PTX)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, b"demo_kernel")
        self.call("cuMemAlloc_v2", ctypes.byref(self.out), ctypes.c_size_t(self.blocks * self.threads * 4))
        self.compute(1)
        self.wait()

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            raise OSError("%s: CUDA error %d" % (name, status))

    def compute(self, rounds):
        out, count = ctypes.c_uint64(self.out.value), ctypes.c_uint(rounds)
        arguments = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.pointer(one), ctypes.c_void_p) for one in (out, count)))
        self.call("cuLaunchKernel", self.function, self.blocks, 1, 1, self.threads, 1, 1, 0, None, arguments, None)

    def wait(self):
        self.call("cuCtxSynchronize")


def load_records(count):
    text = codec.dumps([{"id": i, "name": "record %d" % i, "values": [i % 7, i % 11]} for i in range(count)])
    return codec.loads(text)


def score(records):
    total = 0
    for record in records:
        for value in record["values"]:
            total += value * value % 13
    return total


def sign(records):
    return hashlib.pbkdf2_hmac("sha256", str(len(records)).encode(), b"demo", 60000)


def compress_until(end):
    data = bytes(i * i % 251 for i in range(200000))
    while time.monotonic() < end:
        zlib.compress(data, 9)


def step(gpu):
    if gpu:
        gpu.compute(200000)
    records = load_records(20000)
    score(records)
    sign(records)
    if gpu:
        gpu.wait()


def main():
    try:
        gpu = Gpu() if ctypes else None
    except (AttributeError, OSError):  # no driver, no GPU, or one older than 2017
        gpu = None
    end = time.monotonic() + SECONDS
    helper = threading.Thread(target=compress_until, args=(end,), name="compress")
    helper.start()
    while time.monotonic() < end:
        step(gpu)
    helper.join()


if __name__ == "__main__":
    sys.exit(main())
