"""The programs of bench_real.py in the order of measurement, and what is asked of gprof-x on them."""

NOTHING_STICKS = (0.995, 1.005)  # told to be off, against the bare program
COUNTED_RUNS = 9  # whole runs, for the row of that bar


class Program:
    """bars: most for the default and with everything on; None where none is set. had: what version 0.1 cost; peer: uses PyTorch;
    parks: one process, so that it can stand still."""

    def __init__(self, name, about, default, everything, had, peer=True, parks=True):
        self.name, self.about, self.had, self.peer, self.parks = name, about, had, peer, parks
        self.bars = {"auto": default, "1": everything, "none": everything, "off": NOTHING_STICKS}


PROGRAMS = [
    Program("eager_transformer", "small transformer, eager", 1.05, 1.18, 1.75),
    Program("gpt2_training", "GPT-2 training, transformers", 1.05, 1.15, 1.48),
    Program("llama_generate", "Llama generate, transformers", 1.05, 1.15, 1.75),
    Program("lightning_mlp", "Lightning MLP", 1.05, 1.15, 1.29),
    Program("graph_network", "graph network", 1.05, 1.15, 1.53),
    Program("resnet50", "ResNet-50, AMP, DataLoader", 1.05, 1.15, 2.0),
    Program("jax_training", "JAX train step", 1.05, 1.15, 1.45, peer=False),
    Program("compiled", "torch.compile reduce-overhead", 1.05, 1.15, 1.38),
    Program("cupy_arrays", "CuPy", None, None, 1.03, peer=False),
    Program("gpu_bound", "GPU-bound transformer", 1.02, 1.02, 1.02),
    Program("ddp", "DDP on 2 GPUs", 1.02, 1.02, 1.01, parks=False),
]
BY_NAME = {p.name: p for p in PROGRAMS}
