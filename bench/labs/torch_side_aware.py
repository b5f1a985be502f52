"""PyTorch on side-aware memory: tensors whose addresses tell on which side of L2 they are.

    python3 -m bench.labs.torch_side_aware [build/lib/libside_aware.so]

Gives PyTorch an allocator, and copies and scales tensors with kernels in which each SM works on
what is near to it. Compares the results with PyTorch's own, and the times.
"""

import argparse
import ctypes
import functools
import pathlib
import struct
import sys

from bench import SOURCES, program
from bench.record.cuda_tools import InputError

RIGHT = 1  # Assignment::right of common/side_aware/launch_plan.hpp

# An operation of one's own: any C++ that defines such a struct.
SCALE_AND_ADD = """
#include "common/side_aware/kernels/element.cuh"
struct ScaleAndAdd : ladder::side_aware::OperationDefaults {
  using i0 = float;
  using i1 = float;
  using o0 = float;
  __device__ static void apply(ladder::side_aware::Element<ScaleAndAdd>& element) {
    element.out0 = element.in0 * __int_as_float(element.sideband.value) + element.in1;
  }
};
"""


def load(path):
    """The shared library, with the types of its functions."""
    if not path.exists():
        raise InputError(f"{path} is not there. Build it first: ninja -C build side_aware")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be loaded: {error}") from error
    pointer, size = ctypes.c_void_p, ctypes.c_uint64
    library.side_aware_error.restype = ctypes.c_char_p
    library.side_aware_mask.restype = size
    library.side_aware_mask.argtypes = [ctypes.c_int]
    library.side_aware_copy.argtypes = [
        pointer,
        pointer,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        pointer,
    ]
    library.side_aware_kernel.restype = pointer
    library.side_aware_kernel.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    library.side_aware_elementwise.argtypes = [
        pointer,
        ctypes.POINTER(pointer),
        ctypes.POINTER(pointer),
        size,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        pointer,
    ]
    library.side_aware_state.argtypes = [ctypes.c_int] + 3 * [ctypes.POINTER(size)]
    return library


class SideAware:
    """The library's functions for tensors of one GPU."""

    def __init__(self, torch, library, device=0):
        self.torch, self.library, self.device = torch, library, device

    def stream(self):
        """PyTorch's current stream."""
        return self.torch.cuda.current_stream(self.device).cuda_stream

    def check(self, failed):
        """Raises the library's error."""
        if failed:
            raise RuntimeError(self.library.side_aware_error().decode())

    def copy(self, target, source):
        """Copies a contiguous tensor into another one of the same size."""
        size = source.numel() * source.element_size()
        if target.numel() * target.element_size() != size:
            raise ValueError(
                f"a tensor of {size} bytes does not fit one of "
                f"{target.numel() * target.element_size()}"
            )
        self.check(
            self.library.side_aware_copy(
                target.data_ptr(), source.data_ptr(), size, RIGHT, self.device, self.stream()
            )
        )

    def kernel(self, header, name):
        """Compiles an operation."""
        compiled = self.library.side_aware_kernel(header.encode(), name.encode(), self.device)
        self.check(not compiled)
        return compiled

    def elementwise(self, kernel, outputs, inputs, sideband):
        """Runs an operation on contiguous tensors."""
        pointers = [
            (ctypes.c_void_p * 4)(*(each.data_ptr() for each in tensors))
            for tensors in (outputs, inputs)
        ]
        self.check(
            self.library.side_aware_elementwise(
                kernel, *pointers, outputs[0].numel(), RIGHT, sideband, self.device, self.stream()
            )
        )

    def state(self):
        """Bytes in use, bytes cached, and pages that are not where their address says."""
        values = [ctypes.c_uint64() for _ in range(3)]
        self.check(self.library.side_aware_state(self.device, *map(ctypes.byref, values)))
        return [value.value for value in values]


def milliseconds(torch, work, repeats=20):
    """Median time of some work on the GPU."""
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[repeats // 2]


def demonstrate(torch, library, elements):
    """Copies and scales tensors. Returns whether all results are right."""
    side_aware = SideAware(torch, library)
    mask = library.side_aware_mask(0)
    print(
        f"Side of an address: parity(address & {mask | 1 << 21:#x})"
        if mask
        else "This GPU has no two sides of L2 that can be told: everything runs in ordinary order."
    )
    source = torch.randn(elements, device="cuda")
    target = torch.zeros_like(source)
    side_aware.copy(target, source)
    copied = torch.equal(target, source)
    print(f"Copy of {elements} floats: {'right' if copied else 'WRONG'}")
    near = milliseconds(torch, functools.partial(side_aware.copy, target, source))
    own = milliseconds(torch, functools.partial(target.copy_, source))
    moved = 2 * 4 * elements / 1e6
    print(f"  side-aware {moved / near:.0f} GB/s, PyTorch's own {moved / own:.0f} GB/s")

    kernel = side_aware.kernel(SCALE_AND_ADD, "ScaleAndAdd")
    factor = struct.unpack("i", struct.pack("f", 0.5))[0]
    added = torch.empty_like(source)
    side_aware.elementwise(kernel, [added], [source, target], factor)
    scaled = torch.allclose(added, source * 0.5 + target)
    print(f"A kernel of one's own, out = 0.5 * a + b: {'right' if scaled else 'WRONG'}")
    piece = source[4 : elements - 4]  # any address that is a multiple of 16 will do
    part = target[8:]
    part.zero_()
    side_aware.copy(part, piece)
    cut = torch.equal(part, piece)
    print(f"Copy of a part that begins in the middle: {'right' if cut else 'WRONG'}")
    del added, target
    in_use, cached, off_rule = side_aware.state()
    print(
        f"The allocator has {in_use >> 20} MiB in use and {cached >> 20} MiB in its cache; "
        f"{off_rule} pages are on another side than their address says."
    )
    return copied and scaled and cut


def run():
    """Demonstrates the library with PyTorch. Returns whether all results are right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "library",
        nargs="?",
        type=pathlib.Path,
        default=SOURCES / "build" / "lib" / "libside_aware.so",
    )
    parser.add_argument("--elements", type=int, default=(1 << 26) + 5, help="floats of a tensor")
    arguments = parser.parse_args()
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise InputError("PyTorch is not installed. Install it (pip install torch)") from error
    if not torch.cuda.is_available():
        raise InputError("PyTorch sees no GPU. Run this on a machine with one")
    library = load(arguments.library)
    torch.cuda.memory.change_current_allocator(
        torch.cuda.memory.CUDAPluggableAllocator(
            str(arguments.library), "side_aware_malloc", "side_aware_free"
        )
    )
    return demonstrate(torch, library, arguments.elements)


def main():
    """Reads the command line, and says what is missing."""
    try:
        sys.exit(0 if run() else 1)
    except InputError as error:
        print(f"torch_side_aware.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
