"""Detector 6: many tiny kernels, launched one by one; repaired by replaying a CUDA graph."""
import torch
from common import device, main


def make(mode):
    x = torch.zeros(1024, device=device())

    def adds():
        y = x
        for _ in range(600):
            y = y.add(1.0)  # seeded
        return y

    if mode == "repaired" and device() == "cuda":
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            adds()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = adds()

        def replay(_):
            graph.replay()
            return out

        return replay
    return lambda _: adds()


if __name__ == "__main__":
    main(make)
