"""A fixed number of training steps of a small network with PyTorch on the CPU; prints the seconds they took. argv: STEPS"""
import sys
import time

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
                            torch.nn.Linear(512, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs = torch.randn(128, 256)
labels = torch.randint(0, 10, (128,))


def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    return loss


def main(steps):
    for _ in range(20):
        step()
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    print("%.6f" % (time.perf_counter() - begin))


main(int(sys.argv[1]))
