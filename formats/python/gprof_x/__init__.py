"""gprof-x from Python: read recordings, and name parts of a program for them.

    import gprof_x
    run = gprof_x.open("run.gprofx")
    for row in run.top(10):
        print(row["name"], row["self"])
    run.kernels().to_pandas()

    with gprof_x.range("evaluate"):   # named in the recording; nothing where none is made
        ...
    gprof_x.step()                    # where each turn of the loop begins

`%load_ext gprof_x` brings the magics %gprofx and %%gprofx to IPython. Nothing but the standard
library is needed.
"""

from gprof_x._error import Error
from gprof_x._markers import range, step

__all__ = ["Error", "open", "range", "step", "load_ipython_extension"]


def open(*paths, phase=None, span=None, steps=None, corrected=False):
    """A Profile of the recording, or of several as one (the ranks of a run, repetitions).

    phase: 'all', 'startup', 'warmup', 'steady' or 'end'; span: '12s..15s'; steps: '5..10';
    corrected: host times as without recording. As `gprof-x report` without options it is of the
    steady part where steps were found, else of everything. Raises Error, with one line, where a
    file cannot be read."""
    from gprof_x._profile import Profile  # a program that only names ranges shall not wait for this

    return Profile(paths, phase, span, steps, corrected)


def load_ipython_extension(shell):
    """What `%load_ext gprof_x` calls."""
    from gprof_x import _magic

    _magic.register(shell)
