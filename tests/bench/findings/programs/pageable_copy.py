"""Detector 2: each batch is copied from pageable memory."""
import torch
from common import device, main, scaled
from models import Work


def make(mode):
    work = Work(3)
    batches = [torch.randn(scaled(64, 2), 3, 224, 224) for _ in range(4)]
    if mode == "repaired" and device() == "cuda":
        batches = [batch.pin_memory() for batch in batches]

    def step(i):
        batch = batches[i % 4].to(device(), non_blocking=True)  # seeded
        work()
        return batch.mul_(0.5)

    return step


if __name__ == "__main__":
    main(make)
