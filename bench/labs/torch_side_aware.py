"""PyTorch on side-aware memory: tensors whose addresses tell on which side of L2 they are.

    python3 -m bench.labs.torch_side_aware
    python3 -m bench.labs.torch_side_aware --out bench/results/nvidia-h200/torch_side_aware.json

Gives PyTorch an allocator, and copies, adds and turns tensors with kernels in which each SM works
on what is near to it, as they are and under torch.compile(). Compares the results with PyTorch's
own, and the times of the copy.
"""

import argparse
import datetime
import json
import struct
import sys

from bench import program
from bench.output_file import output_path, write_whole
from bench.record.cuda_tools import InputError, commit

# -- A kernel of one's own -----------------------------------------------------------------------
ADD_SCALED = """
typedef float o0;
typedef float i0;
typedef float i1;
struct unused {};
typedef unused o1, o2, o3, i2, i3;
constexpr bool reverse_order = false;
constexpr bool input_evict[4] = {1, 1, 0, 0};
__device__ void elementwise_op(size_t element_idx, int sideband,
                               o0 &out0, o1 &out1, o2 &out2, o3 &out3,
                               const i0 &in0, const i1 &in1, const i2 &in2, const i3 &in3) {
  out0 = __int_as_float(sideband) * in0 + in1;
}
""".replace("\n", " ")  # PyTorch 2.11 writes it into a comment of what it generates: one line
HALF = struct.unpack("i", struct.pack("f", 0.5))[0]  # as a sideband


# -- Operators, as they are and compiled ---------------------------------------------------------
def copied_and_scaled(torch, tensor):
    """2 * tensor + 1, by way of a copy and of a kernel of one's own."""
    copy = torch.empty_like(tensor)
    torch.ops.sideaware.memcpy(copy, tensor)
    added = torch.empty_like(tensor)
    torch.ops.sideaware.elementwise(ADD_SCALED, [added], [2 * tensor, copy], HALF)
    return added + 1


# -- Times ---------------------------------------------------------------------------------------
def milliseconds(torch, work, repeats=21):
    """Times of some work on the GPU, in their order."""
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)


def times_of_copies(torch, source, target):
    """{who copies: rates in GB/s: least, median, most}; the two take turns."""
    copies = {
        "side-aware": lambda: torch.ops.sideaware.memcpy(target, source),
        "PyTorch": lambda: target.copy_(source),
    }
    times = {name: [] for name in copies}
    for name in [*copies, *reversed(copies)]:
        times[name] += milliseconds(torch, copies[name])
    gigabytes = 2 * source.nbytes / 1e9
    return {
        name: [gigabytes / (sorted(each)[i] * 1e-3) for i in (-1, len(each) // 2, 0)]
        for name, each in times.items()
    }


def checks(torch, elements):
    """{what was done: whether its result is PyTorch's own}, and the rates of the copies."""
    source = torch.randn(elements, device="cuda")
    wanted, target = torch.zeros_like(source), torch.zeros_like(source)
    wanted.copy_(source)
    torch.ops.sideaware.memcpy(target, source)
    right = {"copy": torch.equal(target, wanted)}
    rates = times_of_copies(torch, source, target)

    part = target[8:]  # any address that is a multiple of 16 will do
    part.zero_()
    torch.ops.sideaware.memcpy(part, source[4 : elements - 4])
    right["copy of a part"] = torch.equal(part, wanted[4 : elements - 4])

    half = torch.randn(elements, device="cuda").to(torch.bfloat16)[: elements // 2 * 2 - 1]
    half_copy = torch.empty_like(half)
    torch.ops.sideaware.memcpy(half_copy, half)
    right["copy of an odd number of bfloat16"] = torch.equal(half_copy, half)

    wanted = 2 * wanted + 1
    right["kernel of one's own"] = torch.allclose(copied_and_scaled(torch, source), wanted)
    compiled = torch.compile(lambda tensor: copied_and_scaled(torch, tensor), fullgraph=True)
    right["both under torch.compile"] = torch.allclose(compiled(source), wanted)
    return right, rates


def context_of(torch, sideaware):
    """What a record says of where it is from."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "device": torch.cuda.get_device_name(0),
        "protocol": "copies take turns there and back",
        "commit": commit(),
        "sm_clock_mhz": None,
        "power_w": None,
        "json_schema_version": 1,
        "torch": torch.__version__,
        "cuda_toolkit": torch.version.cuda,
        "mask": f"{sideaware.mask():#x}",
    }


def demonstrate(torch, sideaware, options):
    """Prints all checks and rates, and files them. Returns whether all results are right."""
    mask = sideaware.mask()
    print(
        f"Side of an address: parity(address & {mask | 1 << 21:#x})"
        if mask
        else "This GPU has no two sides of L2 that can be told: everything runs in ordinary order."
    )
    right, rates = checks(torch, options.elements)
    for name, is_right in right.items():
        print(f"{name}: {'right' if is_right else 'WRONG'}")
    for name, (least, median, most) in rates.items():
        print(f"copy by {name}: {median:.0f} GB/s ({least:.0f} to {most:.0f})")
    in_use, cached, off_rule = sideaware.state()
    print(
        f"The allocator has {in_use >> 20} MiB in use and {cached >> 20} MiB in its cache; "
        f"{off_rule} pages are on another side than their address says."
    )
    if options.out:
        rows = [{"name": name, "right": is_right} for name, is_right in right.items()]
        for name, (least, median, most) in rates.items():
            gbps = {"min": least, "median": median, "max": most}
            rows.append({"name": f"copy by {name}", "gbps": gbps})
        record = {
            "context": context_of(torch, sideaware) | {"elements": options.elements},
            "benchmarks": rows,
        }
        write_whole(options.out, json.dumps(record, indent=1) + "\n")
    return all(right.values())


def run():
    """Demonstrates the module with PyTorch. Returns whether all results are right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=(1 << 26) + 5, help="floats of a tensor")
    parser.add_argument("--out", type=output_path, help="file checks and rates here")
    options = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        raise InputError("PyTorch is not installed. Install it (pip install torch)") from error
    if not torch.cuda.is_available():
        raise InputError("PyTorch sees no GPU. Run this on a machine with one")
    from common.side_aware import sideaware

    try:
        sideaware.use_allocator()
    except OSError as error:
        raise InputError(str(error)) from error
    return demonstrate(torch, sideaware, options)


def main():
    """Reads the command line, and says what is missing."""
    try:
        sys.exit(0 if run() else 1)
    except InputError as error:
        print(f"torch_side_aware.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
