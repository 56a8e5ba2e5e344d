"""The programs of this folder and how they are recorded."""

# program: (rules that may tell what is seeded, options of record)
SEEDED = {
    "sync_item": (["sync-in-step"], []),
    "pageable_copy": (["pageable-copy"], []),
    "small_copies": (["small-copies"], []),
    "ping_pong": (["ping-pong"], []),
    "tiny_kernels": (["small-kernels"], []),
    "gap_sleep": (["gpu-gap"], []),
    "element_loop": (["slice-loop"], []),
    "deep_modules": (["interpreter"], []),
    "gil_spin": (["lock-wait"], []),
    "slow_loader": (["slow-loader"], []),
    "host_concat": (["host-copy"], []),
    "empty_cache": (["allocator-churn"], []),
    "hand_gelu": (["fusable"], []),
    "no_tf32": (["no-tensor-cores"], []),
    "slow_backward": (["slow-backward"], []),
    "strided": (["stall-hot-spot"], ["--gpu", "pc"]),
    "recompute": (["recomputation"], []),
}
CLEAN = ["clean_gpt2", "clean_resnet", "clean_inference", "clean_gemm", "clean_unet"]
# Recorded a second time by the clock of the wall: waiting has call paths there.
WALL = ["gap_sleep", "gil_spin", "slow_loader", "sync_item"]


def recordings():
    """(name of the file, program, mode, options of record), what matters most first."""
    trace = ["--gpu", "trace"]
    rows = [(name, name, "bad", options or trace) for name, (_, options) in SEEDED.items()]
    rows += [(name, name, "bad", trace) for name in CLEAN]
    rows += [(name + "-wall", name, "bad", trace + ["--clock", "wall"]) for name in WALL]
    return rows + [(name + "-repaired", name, "repaired", options or trace) for name, (_, options) in SEEDED.items()]
