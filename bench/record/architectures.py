"""What nvcc makes of the rungs that need an architecture of their own: registers and spills, for
each architecture of the table.

    python3 -m bench.record.architectures --out bench/results/nvcc/architectures.json

A rung that is compiled for a GPU may never have run there; that it compiles, and what it spills, is
known without one. All of them take some minutes.
"""

import argparse
import json
import tempfile

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.record.cuda_tools import GET_NVCC, InputError, context_of, find_tool, output_of
from bench.record.nvcc_text import read_ptxas
from bench.rungs import own_rungs

OPTIONS = ("-c", "-O3", "-std=c++20", "--expt-relaxed-constexpr", "-w", "-Xptxas", "-v")


def wanted():
    """[(Rung, architecture)], in the order of the table."""
    return [
        (rung, architecture)
        for rung in own_rungs().values()
        if rung.architecture_specific
        for architecture in rung.architectures
    ]


def compiled(rung, architecture, nvcc):
    """What nvcc made of a rung for one architecture, all kernels together."""
    target = f"arch=compute_{architecture},code=sm_{architecture}"
    with tempfile.TemporaryDirectory() as folder:
        said = output_of(
            [
                nvcc,
                *OPTIONS,
                "-gencode",
                target,
                f"-I{SOURCES}",
                SOURCES / rung.path / "launch.cu",
                "-o",
                f"{folder}/launch.o",
            ]
        )
    return summary(rung.number, architecture, read_ptxas(said))


def summary(number, architecture, kernels):
    """One line of the record, of what ptxas said of the kernels."""
    if not kernels:
        raise InputError(f"nvcc reports no kernel of rung {number:02}")
    return {
        "rung": number,
        "architecture": architecture,
        "kernels": len(kernels),
        "most_registers": max(kernel["registers"] for kernel in kernels),
        "kernels_that_spill": sum(kernel["spill_stores"] > 0 for kernel in kernels),
        "spill_store_bytes": sum(kernel["spill_stores"] for kernel in kernels),
        "spill_load_bytes": sum(kernel["spill_loads"] for kernel in kernels),
    }


def main():
    """Compiles the rungs and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--nvcc", help="of a CUDA toolkit that knows all of the architectures")
    options = parser.parse_args()
    lines = []
    try:
        nvcc = find_tool(options.nvcc, "nvcc", ["/usr/local/cuda/bin"], GET_NVCC)
        for rung, architecture in wanted():
            print(f"{rung.label} for {architecture}", flush=True)
            lines.append(compiled(rung, architecture, nvcc))
        record = {"context": context_of(nvcc), "benchmarks": lines}
        write_whole(options.out, json.dumps(record, indent=1) + "\n")
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    program.run(main)
