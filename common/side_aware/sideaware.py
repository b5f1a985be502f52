"""PyTorch on side-aware memory: an allocator, and operators that torch.compile() knows.

    import torch
    import sideaware  # PYTHONPATH has this file's folder

    sideaware.use_allocator()  # before the first tensor on the GPU
    torch.ops.sideaware.memcpy(dst, src)
    torch.ops.sideaware.elementwise(header, [out], [in0, in1], sideband)

A header is what sideaware_create_kernel() takes: see side_boost.hpp, which lies beside this file.
The operators take contiguous tensors of one GPU that begin at multiples of 16 bytes, and write to
the first ones: dst, or the outputs. The first output, or else the first input, leads.
"""

import ctypes
import functools
import os
import pathlib

import torch

MOST = 4  # outputs, and inputs
BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "lib" / "libside_aware.so"


def path():
    """Where the library is: $SIDEAWARE_LIBRARY, or where the build puts it."""
    return pathlib.Path(os.environ.get("SIDEAWARE_LIBRARY") or BUILT)


@functools.cache
def library():
    """libside_aware.so, with the types of its functions."""
    if not path().exists():
        raise FileNotFoundError(
            f"{path()} is not there: build it (ninja -C build side_aware), or set "
            "SIDEAWARE_LIBRARY to its path"
        )
    loaded = ctypes.CDLL(str(path()))
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    loaded.sideaware_memcpy.argtypes = [pointer, pointer, size, number, pointer]
    loaded.sideaware_memcpy.restype = None
    loaded.sideaware_create_kernel.argtypes = [ctypes.c_char_p, number]
    loaded.sideaware_create_kernel.restype = pointer
    loaded.sideaware_elementwise.argtypes = [
        *[pointer, size, *2 * MOST * [pointer]],
        *[number, pointer, number, pointer],
    ]
    counts = 3 * [ctypes.POINTER(ctypes.c_ulonglong)]
    loaded.sideaware_state.argtypes = [number, *counts]
    loaded.sideaware_mask.argtypes = [number]
    loaded.sideaware_mask.restype = ctypes.c_ulonglong
    loaded.sideaware_error.restype = ctypes.c_char_p
    return loaded


# -- The allocator -------------------------------------------------------------------------------
def use_allocator():
    """Gives all tensors side-aware memory from now on. PyTorch allows it once, at the start."""
    library()
    torch.cuda.memory.change_current_allocator(
        torch.cuda.memory.CUDAPluggableAllocator(
            str(path()), "sideaware_malloc_auto", "sideaware_free_auto"
        )
    )


# -- Errors and state ----------------------------------------------------------------------------
def check():
    """Raises what went wrong in the library's last call."""
    if error := library().sideaware_error():
        raise RuntimeError(error.decode())


def mask(device=0):
    """Address bits whose parity chooses the side; 0: the GPU has no two sides."""
    found = library().sideaware_mask(device)
    check()
    return found


def state(device=0):
    """Bytes in use, bytes cached, and pages that are not where their address says."""
    values = [ctypes.c_ulonglong() for _ in range(3)]
    library().sideaware_state(device, *map(ctypes.byref, values))
    check()
    return [value.value for value in values]


def place_of(tensors):
    """(device, its current stream) of tensors; raises ValueError if a kernel cannot take them."""
    devices = {tensor.get_device() for tensor in tensors}
    if len(devices) != 1:
        raise ValueError(f"the tensors are on several devices: {sorted(devices)}")
    if not all(tensor.is_contiguous() for tensor in tensors):
        raise ValueError("a tensor is not contiguous: call contiguous() first")
    device = devices.pop()
    return device, torch.cuda.current_stream(device).cuda_stream


@functools.cache
def kernel_of(header, device):
    """A header's kernel on a device."""
    kernel = library().sideaware_create_kernel(header.encode(), device)
    check()
    return kernel


def memcpy(dst: torch.Tensor, src: torch.Tensor) -> None:
    """Copies a tensor into another one of as many bytes."""
    if dst.nbytes != src.nbytes:
        raise ValueError(f"a tensor of {src.nbytes} bytes does not fit one of {dst.nbytes}")
    device, stream = place_of([dst, src])
    library().sideaware_memcpy(dst.data_ptr(), src.data_ptr(), src.nbytes, device, stream)
    check()


def elementwise(
    header: str, outputs: list[torch.Tensor], inputs: list[torch.Tensor], sideband: int = 0
) -> None:
    """Runs the kernel of a header."""
    if not 1 <= len(outputs) <= MOST or len(inputs) > MOST:
        raise ValueError(f"a kernel has 1 to {MOST} outputs and up to {MOST} inputs")
    device, stream = place_of([*outputs, *inputs])
    pointers = [
        tensors[i].data_ptr() if i < len(tensors) else None
        for tensors in (outputs, inputs)
        for i in range(MOST)
    ]
    library().sideaware_elementwise(
        kernel_of(header, device), outputs[0].nbytes, *pointers, device, stream, sideband, None
    )
    check()


# -- Operators of torch.library ------------------------------------------------------------------
def direct_register_custom_op(op_lib, op_name, op_func, mutates_args):
    """Makes torch.ops.sideaware.NAME of a function that returns nothing.

    While torch.compile() traces, nothing is to be done: the tensors that it writes are known.
    """
    schema = torch.library.infer_schema(op_func, mutates_args=mutates_args)
    op_lib.define(op_name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    op_lib.impl(op_name, op_func, "CUDA")
    torch.library.register_fake(f"sideaware::{op_name}", lambda *_, **__: None, lib=op_lib)


OPERATORS = torch.library.Library("sideaware", "DEF")
direct_register_custom_op(OPERATORS, "memcpy", memcpy, mutates_args=["dst"])
direct_register_custom_op(OPERATORS, "elementwise", elementwise, mutates_args=["outputs"])
