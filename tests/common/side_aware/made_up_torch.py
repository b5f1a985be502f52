"""A PyTorch and a GPU that are made up, as far as side-aware memory asks for them.

Tensors have one dimension. Their memory comes from the allocator that the program installs, which
is libside_aware.so on tests/common/side_aware/made_up_cuda.cpp; Python runs the kernels.
"""

import ctypes
import inspect
import random
import struct
import sys
import types


class Arguments(ctypes.Structure):
    """The first and the last of common/side_aware/kernels/arguments.hpp."""

    _fields_ = [
        ("outputs", ctypes.c_void_p * 4),
        ("inputs", ctypes.c_void_p * 4),
        ("elements", ctypes.c_ulonglong),
        ("vectors", ctypes.c_ulonglong),
        ("between", ctypes.c_char * 72),
        ("sideband", ctypes.c_int),
        ("sideband_memory", ctypes.c_void_p),
    ]


class Gpu:
    """The made-up driver. One input: a kernel copies; two: out0 = sideband * in0 + in1."""

    def __init__(self, path):
        self.driver = ctypes.CDLL(path)
        self.driver.made_up_last_stream.restype = ctypes.c_void_p
        kernel = ctypes.CFUNCTYPE(
            None, ctypes.c_char_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_void_p)
        )
        self.hook = kernel(self.run)  # lives as long as the driver calls it
        self.driver.made_up_run_kernels_by(self.hook)
        self.launches = []

    def run(self, _name, _blocks, parameters):
        """One launch, of more than a few vectors."""
        found = Arguments.from_address(parameters[0])
        self.launches.append(found)
        width = found.elements // found.vectors
        if not found.inputs[1]:
            ctypes.memmove(found.outputs[0], found.inputs[0], found.elements * (16 // width))
            return
        floats = ctypes.c_float * found.elements
        factor = struct.unpack("f", struct.pack("i", found.sideband))[0]
        out, in0, in1 = (
            floats.from_address(place)
            for place in (found.outputs[0], found.inputs[0], found.inputs[1])
        )
        out[:] = [factor * a + b for a, b in zip(in0, in1, strict=True)]


class Tensor:
    """Floats, or the 2 bytes of bfloat16, in a row."""

    def __init__(self, count, size=4, base=None, offset=0):
        self.count, self.size, self.base, self.device = count, size, base, 0
        self.contiguous = True
        if base is None:
            self.address = ALLOCATOR.malloc(count * size, 0, None)
        else:
            self.address = base.address + offset * size

    def __del__(self):
        if self.base is None:
            ALLOCATOR.free(self.address, self.nbytes, 0, None)

    @property
    def nbytes(self):
        """Of all elements."""
        return self.count * self.size

    def data_ptr(self):
        """Where it begins."""
        return self.address

    def get_device(self):
        """The number of its GPU."""
        return self.device

    def is_contiguous(self):
        """Unless a test says otherwise."""
        return self.contiguous

    def values(self):
        """Its elements, to read and write."""
        kind = ctypes.c_float if self.size == 4 else ctypes.c_ushort
        return (kind * self.count).from_address(self.address)

    def of(self, values):
        """Another tensor with these values."""
        made = Tensor(self.count, self.size)
        made.values()[:] = list(values)
        return made

    def __getitem__(self, part):
        first, end, _ = part.indices(self.count)
        return Tensor(end - first, self.size, base=self, offset=first)

    def __rmul__(self, factor):
        return self.of(factor * value for value in self.values())

    def __add__(self, number):
        return self.of(value + number for value in self.values())

    def zero_(self):
        """All elements are 0."""
        ctypes.memset(self.address, 0, self.nbytes)

    def copy_(self, other):
        """The elements of another one."""
        ctypes.memmove(self.address, other.address, self.nbytes)

    def to(self, size):
        """Half of each float."""
        made = Tensor(self.count, size)
        made.values()[:] = [
            struct.unpack("HH", struct.pack("f", value))[1] for value in self.values()
        ]
        return made


class PluggableAllocator:
    """Loads what PyTorch would load."""

    def __init__(self, path, malloc, free):
        self.names = (path, malloc, free)
        library = ctypes.CDLL(path)
        self.malloc, self.free = getattr(library, malloc), getattr(library, free)
        self.malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self.malloc.restype = ctypes.c_void_p
        self.free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self.free.restype = None


ALLOCATOR = None
STREAM = 0x5000
OPERATORS = types.SimpleNamespace()
REGISTERED = {}  # {name: {"schema": ..., "tags": ..., "CUDA": ..., "fake": ...}}


def change_current_allocator(allocator):
    """Once."""
    global ALLOCATOR  # noqa: PLW0603
    assert ALLOCATOR is None
    ALLOCATOR = allocator


def infer_schema(function, mutates_args):
    """Names of parameters; ! behind those that are written."""
    names = inspect.signature(function).parameters
    return "(" + ", ".join(name + "!" * (name in mutates_args) for name in names) + ")"


class Library:
    """Operators of a namespace."""

    def __init__(self, namespace, kind):
        assert (namespace, kind) == ("sideaware", "DEF")

    def define(self, text, tags):
        """A name and its parameters."""
        name, _, parameters = text.partition("(")
        REGISTERED[name] = {"schema": "(" + parameters, "tags": tags}

    def impl(self, name, function, key):
        """What runs on a GPU."""
        REGISTERED[name][key] = function
        setattr(OPERATORS, name, function)


def register_fake(name, function, lib):
    """What runs while a program is traced."""
    assert isinstance(lib, Library)
    REGISTERED[name.removeprefix("sideaware::")]["fake"] = function


class Event:
    """Each is a millisecond behind the one before."""

    now = 0

    def __init__(self, enable_timing):
        assert enable_timing
        self.at = None

    def record(self):
        """Notes the time."""
        Event.now += 1
        self.at = Event.now

    def synchronize(self):
        """Nothing is under way."""

    def elapsed_time(self, other):
        """In milliseconds."""
        return other.at - self.at


def compile_traced(function, fullgraph):
    """A function whose operators were traced first, when nothing may be read."""
    assert fullgraph
    for operator in REGISTERED.values():
        assert operator["fake"](None) is None
    return function


def equal(a, b):
    """Bit by bit."""
    return ctypes.string_at(a.address, a.nbytes) == ctypes.string_at(b.address, b.nbytes)


def allclose(a, b):
    """As floats."""
    pairs = zip(a.values(), b.values(), strict=True)
    return all(abs(x - y) <= 1e-5 * (1 + abs(y)) for x, y in pairs)


def randn(count, device):
    """From a fixed seed."""
    assert device == "cuda"
    made = Tensor(count)
    numbers = random.Random(count)
    made.values()[:] = [numbers.gauss(0, 1) for _ in range(count)]
    return made


def zeros_like(tensor):
    """As many zeros."""
    made = Tensor(tensor.count, tensor.size)
    made.zero_()
    return made


def install(available=True):
    """Makes `import torch` give all of this."""
    torch = types.ModuleType("torch")
    torch.__version__ = "0 (made up)"
    torch.version = types.SimpleNamespace(cuda="0.0")
    torch.Tensor, torch.bfloat16 = Tensor, 2
    torch.Tag = types.SimpleNamespace(pt2_compliant_tag="compliant")
    torch.ops = types.SimpleNamespace(sideaware=OPERATORS)
    torch.library = types.SimpleNamespace(
        Library=Library, infer_schema=infer_schema, register_fake=register_fake
    )
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: available,
        Event=Event,
        get_device_name=lambda _: "a made-up GPU",
        current_stream=lambda _: types.SimpleNamespace(cuda_stream=STREAM),
        memory=types.SimpleNamespace(
            CUDAPluggableAllocator=PluggableAllocator,
            change_current_allocator=change_current_allocator,
        ),
    )
    torch.randn, torch.zeros_like = randn, zeros_like
    torch.empty_like = lambda tensor: Tensor(tensor.count, tensor.size)
    torch.equal, torch.allclose, torch.compile = equal, allclose, compile_traced
    sys.modules["torch"] = torch
    return torch
