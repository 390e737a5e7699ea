"""The web view returns the memory that visitors took."""

from __future__ import annotations

import subprocess
import sys

import pytest

PIECES = """
import ctypes, re
from pathlib import Path
from robohockey_viz.background import return_memory
return_memory()

def in_use_kb():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

# A large piece that comes and goes raises glibc's own limit; pieces below it then stay in the heap, held by small ones
# that were made after them.
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
libc.free(libc.malloc(16 << 20))
before_kb = in_use_kb()
pieces, small = [], []
for _ in range(64):
    pieces.append(libc.malloc(1 << 20))
    ctypes.memset(pieces[-1], 1, 1 << 20)
    small.append(libc.malloc(512))
for piece in pieces:
    libc.free(piece)
print(in_use_kb() - before_kb)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_pieces_go_back_to_the_system_when_they_are_released():
    (kept_kb, *_) = subprocess.run([sys.executable, "-c", PIECES], capture_output=True, text=True, check=True).stdout.split()
    assert int(kept_kb) < 4096
