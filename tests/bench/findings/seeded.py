"""The programs of this folder and how they are recorded."""

TRACE = ["--gpu", "trace"]
WALL_CLOCK = TRACE + ["--clock", "wall"]

EVERYTHING = ["--overhead", "none"]

# program: (rules that may tell what is seeded, options of record)
SEEDED = {
    "sync_item": (["sync-in-step"], TRACE),
    "pageable_copy": (["pageable-copy"], TRACE),
    "small_copies": (["small-copies"], TRACE),
    "ping_pong": (["ping-pong"], TRACE),
    "tiny_kernels": (["small-kernels"], TRACE),
    "gap_sleep": (["gpu-gap"], TRACE),
    "element_loop": (["slice-loop"], TRACE),
    "deep_modules": (["interpreter"], TRACE),
    "gil_spin": (["lock-wait"], TRACE),
    "slow_loader": (["slow-loader"], TRACE),
    "host_concat": (["host-copy"], TRACE),
    "empty_cache": (["allocator-churn"], TRACE),
    "hand_gelu": (["fusable"], TRACE),
    "no_tf32": (["no-tensor-cores"], TRACE),
    "slow_backward": (["slow-backward"], TRACE),
    "strided": (["stall-hot-spot"], ["--gpu", "pc"]),
    "recompute": (["recomputation"], TRACE),
}
CLEAN = ["clean_gpt2", "clean_resnet", "clean_inference", "clean_gemm", "clean_unet"]
# Recorded a second time by the clock of the wall: waiting has call paths there.
WALL = ["gap_sleep", "gil_spin", "slow_loader", "sync_item"]


def recordings(program):
    """(name of the file, mode, options of record): with the usual budget, as people record, and with everything on."""
    if program in CLEAN:
        return [(program, "bad", TRACE), (program + "-all", "bad", TRACE + EVERYTHING)]
    options = SEEDED[program][1]
    rows = [(program, "bad", options), (program + "-all", "bad", options + EVERYTHING), (program + "-repaired", "repaired", options)]
    if program in WALL:
        rows.append((program + "-wall", "bad", WALL_CLOCK))
    return rows
