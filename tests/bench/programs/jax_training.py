"""A compiled training step of a small network in JAX, called again and again."""
import os

import steps

latest = []


def synchronize():
    for array in latest:
        array.block_until_ready()


def setup():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("JAX_PLATFORMS", steps.device())
    import jax
    from jax import numpy
    try:
        jax.devices()
    except RuntimeError as error:
        steps.not_there("JAX finds no device: %s" % error)
    layers, dim, batch = (2, 32, 8) if steps.tiny() else (8, 512, 128)
    keys = jax.random.split(jax.random.PRNGKey(0), layers + 1)
    weights = [jax.random.normal(key, (dim, dim)) / dim ** 0.5 for key in keys[:-1]]
    x = jax.random.normal(keys[-1], (batch, dim))

    def loss(weights):
        h = x
        for w in weights:
            h = h + jax.nn.gelu(h @ w)
            h = h / numpy.sqrt(numpy.mean(h * h, axis=-1, keepdims=True) + 1e-6)
        return numpy.mean((h - x) ** 2)

    @jax.jit
    def update(weights):
        return [w - 1e-3 * g for w, g in zip(weights, jax.grad(loss)(weights))]

    latest[:] = weights

    def step():
        latest[:] = update(latest)
    return step


if __name__ == "__main__":
    steps.main(setup, synchronize)
