"""Detector 13: a history is concatenated anew in every step; repaired, it is written in place."""
import numpy
import torch
from common import main, scaled
from models import Work


def make(mode):
    work = Work(2)
    rows = scaled(4096, 64)
    history = numpy.zeros((rows, 2048), numpy.float32)
    new = numpy.ones((64, 2048), numpy.float32)
    state = {"history": history, "at": 0}

    def step(_):
        out = work()
        if mode == "bad":
            state["history"] = numpy.concatenate([state["history"][64:], new])  # seeded
        else:
            state["history"][state["at"]:state["at"] + 64] = new
            state["at"] = (state["at"] + 64) % rows
        return out

    return step


if __name__ == "__main__":
    main(make)
