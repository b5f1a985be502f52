"""Wavefronts: how many passes through the 32 banks of L1 and shared memory an access takes.

The emulator counts them (emulator/trace/request_shape.hpp), so this needs its library.
Words are counted in floats from any line's beginning; word w lies in bank w mod 32.
"""

import ctypes
import functools
import os

from bench import SOURCES
from docs.report.recorded import FigureError

LANES = 32
BANKS = 32  # a wavefront takes a word of each
LIBRARY = SOURCES / "build" / "lib" / "libladder_emulator.so"


@functools.cache
def emulator():
    """The emulator's library: that of the build, or LADDER_EMULATOR."""
    path = os.environ.get("LADDER_EMULATOR", LIBRARY)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise FigureError(f"the emulator counts wavefronts: run make build ({error})") from error


def asked(rule, *warps, floats):
    """What the emulator says of accesses of `floats` words per lane: [first word of each lane]."""
    addresses = ((ctypes.c_uint64 * LANES)(*(4 * word for word in words)) for words in warps)
    return getattr(emulator(), f"ladder_{rule}")(*addresses, 4 * floats)


def lanes_at_once(words, floats):
    """How many neighbouring lanes a load from shared memory serves at once."""
    return asked("lanes_loading_at_once", words, floats=floats)


def wavefronts(words, floats=4):
    """Passes that a warp's access of `floats` words per lane takes, lane l from words[l] on."""
    return asked("shared_load_wavefronts", words, floats=floats)


def copy_wavefronts(sources, targets, floats=1):
    """Passes of a warp's cp.async of `floats` words per lane, lane l from word sources[l] to word
    targets[l]."""
    return asked("copy_wavefronts", sources, targets, floats=floats)


def global_wavefronts(words, floats=1):
    """The same for a load from global memory, whose words may lie in many lines."""
    return asked("global_load_wavefronts", words, floats=floats)
