"""range() and step() of a recorded program.

Steps are ranges that are started and ended, not pushed and popped: what is pushed must be popped in
order, and a step goes from one call of step() to the next, whatever ranges lie between."""

import ctypes
import functools
import threading

# What an injection of NVTX 3 sees: module 1 (the core) has its functions by these numbers.
_CALLBACKS, _CORE, _FUNCTIONS = 1, 1, 16
_START, _END, _PUSH, _POP = 5, 7, 9, 11

_ModuleOf = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint)
)
_TableOf = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("module", _ModuleOf)]


def _functions(path):
    """Addresses of the library's functions by number; None: this process is not recorded after
    all."""
    slots = (ctypes.c_void_p * _FUNCTIONS)()
    places = (ctypes.c_void_p * _FUNCTIONS)(
        *[ctypes.addressof(slots) + i * ctypes.sizeof(ctypes.c_void_p) for i, _ in enumerate(slots)]
    )

    def module_of(number, table, size):
        if number != _CORE:
            return 0
        table[0] = ctypes.addressof(places)
        size[0] = _FUNCTIONS
        return 1

    callbacks = _Callbacks(ctypes.sizeof(_Callbacks), _ModuleOf(module_of))
    table_of = _TableOf(
        lambda number: ctypes.addressof(callbacks) if number == _CALLBACKS else None
    )
    try:
        library = ctypes.CDLL(path)
        if library.InitializeInjectionNvtx2(table_of) != 1:
            return None
    except (OSError, AttributeError):
        return None
    return list(slots)


def connect(path):
    """(range, step) that tell the library at `path`, or None."""
    functions = _functions(path)
    if functions is None or not all(functions[i] for i in (_START, _END, _PUSH, _POP)):
        return None
    # The calls are short and lock nothing, so the GIL stays with the caller (PYFUNCTYPE).
    start = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p)(functions[_START])
    end = ctypes.PYFUNCTYPE(None, ctypes.c_uint64)(functions[_END])
    push = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(functions[_PUSH])
    pop = ctypes.PYFUNCTYPE(ctypes.c_int)(functions[_POP])
    thread = threading.local()

    class Range:
        """A part of the program with a name: a context manager and a decorator. It is of the thread
        that enters it."""

        __slots__ = ("_name",)

        def __init__(self, name):
            self._name = str(name).encode("utf-8", "replace")

        def __enter__(self):
            push(self._name)

        def __exit__(self, kind, error, trace):
            pop()

        def __call__(self, function):
            @functools.wraps(function)
            def in_range(*args, **kwargs):
                with self:
                    return function(*args, **kwargs)

            return in_range

    def step():
        """Call it where each turn of a loop begins: a step reaches to the next call, the last one
        to the end of the program."""
        number = getattr(thread, "number", 0)
        if number:
            end(thread.open)
        thread.number = number + 1
        thread.open = start(b"step %d" % (number + 1))

    return Range, step
