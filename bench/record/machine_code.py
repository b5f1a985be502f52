"""What nvcc makes of a copy of a rung: its launch.cu is compiled, which instantiates the kernel."""

import dataclasses
import pathlib
import re
import tempfile

from bench import SOURCES
from bench.copies import source_of
from bench.record.cuda_tools import InputError, output_of
from bench.record.main_loop import innermost_loop, parse
from bench.rungs import rung_of

OPTIONS = ["-cubin", "-std=c++20", "--expt-relaxed-constexpr", "-w", "-Xptxas", "-v"]
KERNEL = re.compile(r"\.text\.(_Z\w+)")


def arch_of(rung):
    """What a rung is compiled for: '90' or '90a'."""
    return rung_of(rung).architecture.removeprefix("sm_")


@dataclasses.dataclass(frozen=True)
class MachineCode:
    """Of one kernel."""

    kernel: str  # its symbol
    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    loop: list  # [Instruction] of its innermost loop

    @property
    def arguments(self):
        """Those of its template, as '2, 4'."""
        return ", ".join(re.findall(r"L[a-z](\d+)E", self.kernel))


def read(name, said, disassembly):
    """The MachineCode of what ptxas said of a copy and nvdisasm printed."""
    kernels = sorted(set(KERNEL.findall(disassembly)))
    if len(kernels) != 1:
        raise InputError(f"{name} has {len(kernels)} kernels in machine code, and not one")
    numbers = [
        re.search(rf"{before}(\d+){behind}", said)
        for before, behind in (
            ("Used ", " registers"),
            ("", " bytes stack frame"),
            ("", " bytes spill stores"),
            ("", " bytes spill loads"),
        )
    ]
    found = [int(number[1]) if number else 0 for number in numbers]
    return MachineCode(kernels[0], *found, innermost_loop(*parse(disassembly)))


def compiled(copy, arch, tools):
    """The MachineCode of a copy that has one kernel."""
    nvcc, nvdisasm = tools
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name) / "copy.cu"
        cubin = source.with_suffix(".cubin")
        source.write_text(source_of(copy))
        target = ["-gencode", f"arch=compute_{arch},code=sm_{arch}", f"-I{SOURCES}"]
        said = output_of([nvcc, *OPTIONS, *target, source, "-o", cubin])
        return read(copy.name, said, output_of([nvdisasm, "-c", "-hex", cubin]))
