"""Takes turns with a process that runs the same benchmark of the other version.

Batches alternate: the first process runs one, then the second, then the second again, then the
first (ABBA), so that both see the same state of the machine. A process that has run its batch as
the first of two gives the turn by a byte in a FIFO. When the other one ends, this one goes on
alone.
"""

import os
import select
import time

_PATIENCE = 600  # seconds
_READY, _TURN = b"r", b"t"


class Alone:
    """No other process: every turn is ours."""

    def begin(self):
        pass

    def end(self):
        pass


class Turns:
    """`own` and `other` are FIFOs; this process reads its own."""

    def __init__(self, own, other, is_first):
        self._own_path, self._other_path = own, other
        self._is_first = is_first
        self._own = self._other = None
        self._is_alone = False

    def begin(self):
        """Waits for the turn."""
        if self._own is None:
            self._meet()
        if not self._is_first:
            self._wait()

    def end(self):
        """Gives the turn to the other process if it runs this batch after us."""
        if self._is_first:
            self._send(_TURN)
        self._is_first = not self._is_first

    def _meet(self):
        """Waits until the other process is ready to measure, too."""
        self._own = os.open(self._own_path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        until = time.monotonic() + _PATIENCE
        while self._other is None:
            try:
                self._other = os.open(self._other_path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:  # nobody reads it yet
                if time.monotonic() > until:
                    raise RuntimeError("gprof-x: the other version did not begin") from None
                time.sleep(0.005)
        self._send(_READY)
        self._wait()

    def _wait(self):
        if self._is_alone:
            return
        ready = select.poll()
        ready.register(self._own, select.POLLIN)
        if not ready.poll(_PATIENCE * 1000):
            raise RuntimeError("gprof-x: the other version did not give the turn")
        self._is_alone = os.read(self._own, 1) == b""

    def _send(self, byte):
        try:
            os.write(self._other, byte)
        except OSError:  # it has ended
            self._is_alone = True


def turns_of(request):
    """The turns that a request asks for."""
    asked = request.get("turns")
    return Turns(asked["own"], asked["other"], bool(asked["first"])) if asked else Alone()
