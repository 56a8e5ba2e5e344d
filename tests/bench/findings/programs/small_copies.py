"""Detector 3: labels go to the GPU one by one."""
import torch
from common import device, main
from models import Work


def make(mode):
    work = Work(2)
    labels = [float(i) for i in range(300)]

    def step(_):
        work()
        if mode == "bad":
            on_gpu = torch.stack([torch.tensor(value).to(device()) for value in labels])  # seeded
        else:
            on_gpu = torch.stack([torch.tensor(value) for value in labels]).to(device())
        return on_gpu.sum()

    return step


if __name__ == "__main__":
    main(make, 40)
