"""A model whose layers a loop calls from one line. usage: layers.py FOLDER_OF_FAKE_GPU ROUNDS
Prints the GPU time that each layer has itself, as JSON: its name, ns."""
import ctypes
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fake_torch"))
from torch import nn  # noqa: E402

FAKE, ROUNDS = sys.argv[1], int(sys.argv[2])
cuda = ctypes.CDLL(FAKE + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(FAKE + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
cuda.cuInit(0)
gpu.fake_create_context()
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]

truth = {}


def work(name, ns):
    gpu.fake_launch(b"_Z1kv", ns)
    truth[name] = truth.get(name, 0) + ns


class Leaf(nn.Module):
    def __init__(self, ns):
        super().__init__()
        self.ns = ns

    def forward(self, name):
        work(name + self.where, self.ns)
        return name

    where = ""


class Attention(Leaf):
    pass


class Block(nn.Module):
    def __init__(self, i, act):
        super().__init__()
        for k in range(40):  # more than an instance keeps without a dictionary
            setattr(self, "option_%d" % k, k)
        self.attn = Attention(1000 + i)
        self.mlp = nn.Sequential(Leaf(2000 + i), Leaf(3000 + i))
        self.act = act
        self.vars = vars(self)  # __dict__ was asked for

    def forward(self, name):
        self.attn(name + ".attn")
        for at, leaf in enumerate(self.mlp):
            leaf(name + ".mlp.%d" % at)
        self.act(name + ".act")
        return name


class Scale(Leaf):
    pass


class Model(nn.Module):
    def __init__(self, base=0):
        super().__init__()
        act = Leaf(10)  # one instance in all blocks
        self.layers = nn.ModuleList([Block(base + i, act) for i in range(12)])
        self.by_name = nn.ModuleDict({"k\u00e9y/1": Leaf(400), "\u8a9e": Leaf(500)})
        self.loose = [Scale(600), Scale(700)]  # PyTorch knows nothing of these

    def forward(self, name):
        for i, layer in enumerate(self.layers):
            layer(name + ".layers.%d" % i)
        for key in ("k\u00e9y/1", "\u8a9e"):
            self.by_name[key](name + ".by_name." + key)
        for i, module in enumerate(self.loose):
            module(name + ".Scale#%d" % i)
        work(name, 77)


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, name):
        return self.module(name + ".module")


class Other(Leaf):
    pass


class Replaced(nn.Module):
    """Its module is deleted, and one of another class made where it was."""

    def forward(self, name):
        self.part = Attention(800)
        at = id(self.part)
        self.part(name + ".part Attention")
        del self.part
        other = Other(900)
        kept = []
        while id(other) != at and len(kept) < 1000:
            kept.append(other)
            other = Other(900)
        self.met = id(other) == at
        self.part = other
        self.part(name + ".part Other")
        del self.part


class Deep(nn.Module):
    def __init__(self, depth):
        super().__init__()
        if depth > 0:
            self.in_ = Deep(depth - 1)
        self.depth = depth

    def forward(self, name):
        if self.depth == 0:
            return work(name, 50)
        # Deeper ones count to the sixteenth.
        return self.in_(name + ".in_" if name.count(".") < 15 else name)


class Passing(nn.Module):
    """Makes a module for each call."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def forward(self, name):
        made = Other(5)
        self.kept.append(made)
        made("passing")


wrapper, first, second, replaced, deep, passing = Wrapper(Model()), Model(), Model(100), Replaced(), Deep(20), Passing()
time.sleep(0.3)  # the first launch finds a drained ring, which is made larger then
for _ in range(ROUNDS):
    wrapper("Wrapper")
    first("Model")
    second("Model#1")
    replaced("Replaced")
    deep("Deep")
    passing("Passing")
    work("", 1)
    time.sleep(0.002)  # the recorder shall keep up
print(json.dumps({"ns": truth, "met": replaced.met}))
