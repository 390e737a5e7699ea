"""A way out when a library deadlocks while a process ends.

Fast DDS can lock itself up when a participant is taken apart at the very moment that others in the same
domain say goodbye, which is just what happens when a whole match ends (seen about once in two hundred
process ends, with the interpreter's lock held, so no Python code can run then). A timer of the C library
needs no Python: it calls `_exit` from a thread of its own.
"""

from __future__ import annotations

import ctypes

_CLOCK_MONOTONIC = 1
_SIGEV_THREAD = 2


class _SignalEvent(ctypes.Structure):
    """`struct sigevent` of glibc on Linux, padded to its full size."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal_number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("padding", ctypes.c_char * 32),
    )


class _TimerSpec(ctypes.Structure):
    """`struct itimerspec`: interval and first expiry, each in seconds and nanoseconds."""

    _fields_ = (
        ("interval_s", ctypes.c_long),
        ("interval_ns", ctypes.c_long),
        ("value_s", ctypes.c_long),
        ("value_ns", ctypes.c_long),
    )


def exit_after(seconds: int, code: int) -> None:
    """Let the process end with that code after so many seconds, whatever it is stuck in then."""
    libc = ctypes.CDLL(None, use_errno=True)
    event = _SignalEvent(value=code, notify=_SIGEV_THREAD, function=ctypes.cast(libc._exit, ctypes.c_void_p))
    timer = ctypes.c_void_p()
    if libc.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0:
        raise OSError(ctypes.get_errno(), "timer_create failed")
    spec = _TimerSpec(value_s=seconds)
    if libc.timer_settime(timer, 0, ctypes.byref(spec), None) != 0:
        raise OSError(ctypes.get_errno(), "timer_settime failed")
