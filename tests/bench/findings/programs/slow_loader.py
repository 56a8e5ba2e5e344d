"""Detector 12: __getitem__ is slow and one worker makes all batches; repaired by eight workers."""
import torch
from common import device, main
from models import Work


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 8 * 10000

    def __getitem__(self, index):
        total = 0
        for i in range(12000):  # well over half a millisecond
            total += i * index
        return torch.full((256,), float(total % 7))


def make(mode):
    work = Work(3)
    workers = 1 if mode == "bad" else 8
    batches = iter(torch.utils.data.DataLoader(Slow(), batch_size=8, num_workers=workers, pin_memory=False))

    def step(_):
        batch = next(batches)  # seeded
        work()
        return batch.to(device(), non_blocking=True)

    def close():
        if hasattr(batches, "_shutdown_workers"):
            batches._shutdown_workers()

    step.close = close
    return step


if __name__ == "__main__":
    main(make)
