"""Array work in CuPy: an explicit heat equation on a small grid, with a sum that comes back to the host every fiftieth round."""
import steps


def arrays():
    if steps.device() == "cuda":
        import cupy
        return cupy
    import numpy
    return numpy


def synchronize():
    if steps.device() == "cuda":
        arrays().cuda.Device().synchronize()


def setup():
    array = arrays()
    try:
        heat = array.zeros((64, 64) if steps.tiny() else (512, 512), array.float32)
    except Exception as error:
        steps.not_there("CuPy finds no GPU: %s" % error)
    heat[0] = 1

    def step():
        for _ in range(50):
            inner = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
            heat[1:-1, 1:-1] += 0.2 * (inner - 4 * heat[1:-1, 1:-1])
        float(heat.sum())
    return step


if __name__ == "__main__":
    steps.main(setup, synchronize)
