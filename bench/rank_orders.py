#!/usr/bin/env python3
"""Ranks the orders of a rung's multiply-adds by what the compiler makes of them.

    bench/rank_orders.py 11
    bench/rank_orders.py 11 --template 1,1,8,3,4 --only "columns up"

A thread adds TM x TN products per k, and any order of them is right. The order decides which
operands stay in a register's reuse cache and where ptxas must put the sums, so that another
compiler may want another order. This compiles copies of the kernel, one per order, and counts in
the machine code of the innermost loop. It needs nvcc and nvdisasm, and no GPU.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent
AS_IT_STANDS = "(as it stands)"
BANKS = 2  # of the register file: even and odd numbers
STALL_SHIFT, STALL_MASK = 41, 15  # in the second word of an instruction
MANY_SAME_BANK = 1 / 16  # of the FFMA: from here on such pairs are no accident
GET_NVCC = "install the CUDA toolkit, or name its nvcc with --nvcc"
GET_NVDISASM = (
    "it is part of the CUDA toolkit (package cuda-nvdisasm-13-0), `pip install "
    "nvidia-cuda-nvdisasm` has it as well; name it with --nvdisasm"
)
A_GUIDE = (
    "The ranking is a guide and the clock decides: on an H200 the first of the table was not always"
    " the quickest. Time the first few."
)
LOOPS = re.compile(
    r"^(?P<indent> *)for \(int (\w+) = 0; \2 < T[MN]; \+\+\2\) \{\n"
    r"(?: *(?:const int|#pragma unroll)[^\n]*\n)*"
    r" *for \(int (\w+) = 0; \3 < T[MN]; \+\+\3\) \{\n"
    r"(?: *const int [^\n]*\n)*"
    r" *acc\[m\]\[n\] \+= (?P<product>[^\n;]*);\n *\}\n *\}\n",
    re.MULTILINE,
)


class InputError(Exception):
    """A tool or a kernel that cannot be used; the sentence says why."""


@dataclasses.dataclass(frozen=True)
class Order:
    """One order of the TM x TN multiply-adds of a k."""

    columns_outside: bool
    outer_down: bool
    inner_down: bool
    back: bool  # every other pass of the inner loop runs the other way

    def __str__(self):
        outer, inner = ("columns", "rows") if self.columns_outside else ("rows", "columns")
        direction = ("up", "down")
        return (
            f"{outer} {direction[self.outer_down]}, {inner} {direction[self.inner_down]}"
            f"{' and back' if self.back else ''}"
        )

    def loops(self, product, indent):
        """The two loops in CUDA C++, around `acc[m][n] += product`."""
        outer, inner = ("n", "m") if self.columns_outside else ("m", "n")
        pass_index = "i" if self.outer_down else outer
        free = "j" if self.outer_down else "i"
        step = free if self.inner_down or self.back else inner
        lines = [f"for (int {pass_index} = 0; {pass_index} < T{outer.upper()}; ++{pass_index}) {{"]
        if self.outer_down:
            lines.append(f"  const int {outer} = T{outer.upper()} - 1 - i;")
        lines.append(f"  for (int {step} = 0; {step} < T{inner.upper()}; ++{step}) {{")
        ways = [step, f"T{inner.upper()} - 1 - {step}"]
        first, second = reversed(ways) if self.inner_down else ways
        if self.back:
            lines.append(f"    const int {inner} = {pass_index} % 2 == 0 ? {first} : {second};")
        elif self.inner_down:
            lines.append(f"    const int {inner} = {first};")
        lines += [f"    acc[m][n] += {product};", "  }", "}"]
        return "".join(f"{indent}{line}\n" for line in lines)


ORDERS = [Order(*flags) for flags in itertools.product((False, True), repeat=4)]


@dataclasses.dataclass
class Instruction:
    """A line of machine code."""

    text: str
    stall: int  # cycles until the warp may issue the next one


@dataclasses.dataclass
class Counts:
    """What the innermost loop consists of."""

    instructions: int
    ffma: int
    lds: int
    three_fresh: int  # FFMA that read three registers past the reuse cache
    same_bank: int  # FFMA that read two, both of one bank
    pauses: int  # stall counts beyond one
    spills: int = 0  # bytes, of the whole kernel

    @property
    def other(self):
        """Instructions for ring and pointers."""
        return self.instructions - self.ffma - self.lds

    @property
    def cycles(self):
        """Per FFMA, of one scheduler."""
        return (self.instructions + self.three_fresh + self.pauses) / self.ffma

    @property
    def rank(self):
        """Spills and many pairs of one bank come last, else the fewest cycles first."""
        return self.spills > 0, self.same_bank > self.ffma * MANY_SAME_BANK, self.cycles


def parse(disassembly):
    """([Instruction], {label: index}) of what `nvdisasm -hex` prints."""
    instructions, labels = [], {}
    for line in disassembly.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        first = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s+/\* 0x[0-9a-f]+ \*/", line)
        second = re.match(r"\s+/\* 0x([0-9a-f]+) \*/", line)
        if label:
            labels[label[1]] = len(instructions)
        elif first:
            instructions.append(Instruction(first[1], 1))
        elif second and instructions:
            instructions[-1].stall = int(second[1], 16) >> STALL_SHIFT & STALL_MASK
    return instructions, labels


def is_ffma(instruction):
    """Whether this is a multiply-add in FP32."""
    return re.match(r"(@\S+ )?FFMA\b", instruction.text) is not None


def innermost_loop(instructions, labels):
    """The shortest loop that has at least a quarter of the kernel's FFMA."""
    enough = sum(map(is_ffma, instructions)) / 4
    loops = []
    for end, instruction in enumerate(instructions):
        branch = re.search(r"\bBRA\b.*?(\.L_x_\d+)", instruction.text)
        begin = labels.get(branch[1], end + 1) if branch else end + 1
        if begin <= end and sum(map(is_ffma, instructions[begin : end + 1])) >= max(enough, 1):
            loops.append(instructions[begin : end + 1])
    if not loops:
        raise InputError("the machine code has no loop with multiply-adds in FP32 (FFMA)")
    return min(loops, key=len)


def fresh_reads(ffma, cache):
    """([registers that an FFMA reads past the reuse cache], {slot: register} that it leaves)."""
    fresh, kept = [], {}
    for slot, operand in enumerate(ffma.text.split(",")[1:]):
        register = re.match(r" *[-|]*R(\d+)\|?(\.reuse)?", operand)
        if not register:
            continue
        number = int(register[1])
        if cache.get(slot) != number:
            fresh.append(number)
        if register[2]:
            kept[slot] = number
    return fresh, kept


def count(loop):
    """The Counts of a loop."""
    counts = Counts(len(loop), 0, 0, 0, 0, 0)
    cache = {}  # {slot of an operand: register} that the FFMA before left
    for instruction in loop:
        counts.pauses += max(instruction.stall - 1, 0)
        counts.lds += re.match(r"(@\S+ )?LDS\b", instruction.text) is not None
        if is_ffma(instruction):
            counts.ffma += 1
            fresh, cache = fresh_reads(instruction, cache)
            counts.three_fresh += len(fresh) == 3
            counts.same_bank += len(fresh) == 2 and fresh[0] % BANKS == fresh[1] % BANKS
    return counts


def rung_folder(rung):
    """The folder of a rung, given by its number."""
    folders = list(SOURCES.glob(f"ladder/{rung:02}_*"))
    if not folders:
        raise InputError(f"there is no rung {rung:02} in {SOURCES / 'ladder'}")
    return folders[0]


def find_loops(kernel, name):
    """Where the two loops of the multiply-adds stand in the kernel's text."""
    found = list(LOOPS.finditer(kernel))
    if len(found) != 1:
        raise InputError(
            f"ladder/{name}/kernel.cuh has {len(found)} pairs of loops over TM and TN around "
            "`acc[m][n] += ...;`, and one is needed: try 08, 09, 10 or 11"
        )
    return found[0]


def template_arguments(launch, name):
    """What launch.cu instantiates the kernel with; of a family of tiles the first, as "2, 4"."""
    values = dict(re.findall(r"constexpr int (\w+) = (\d+);", launch))
    for parameters, function in re.findall(r"template <([^>]*)>\nvoid (\w+)\(", launch):
        used = re.search(rf"\b{function}<([\d, ]+)>", launch)
        names = [parameter.split()[-1] for parameter in parameters.split(",")]
        if used and len(names) == len(used[1].split(",")):
            values = dict(zip(names, used[1].split(", "), strict=True)) | values
    kernel = re.search(r"launch\(kernel<([^>]*)>", launch)
    if not kernel:
        raise InputError(f"ladder/{name}/launch.cu launches no `kernel<...>`")
    missing = [argument for argument in kernel[1].split(", ") if argument not in values]
    if missing:
        raise InputError(
            f"ladder/{name}/launch.cu gives {missing[0]} no number: give all with --template"
        )
    return ", ".join(values[argument] for argument in kernel[1].split(", "))


def instantiation(kernel, arguments):
    """A source that compiles the kernel of the kernel.cuh beside it once."""
    namespace = re.search(r"^namespace (\S+) \{", kernel, re.MULTILINE)[1]
    parameters = re.search(r"\bkernel\(([^)]*)\) \{", kernel)[1]
    return (
        '#include "kernel.cuh"\n'
        f"namespace {namespace} {{\n"
        f"template __global__ void kernel<{arguments}>({parameters});\n"
        "}\n"
    )


def find_tool(named, name, folders, how_to_get):
    """The path of a tool: as named, on the PATH or in one of the folders."""
    path = shutil.which(named) if named else shutil.which(name)
    for folder in () if named else folders:
        path = path or shutil.which(name, path=folder)
    if not path:
        raise InputError(f"cannot find {named or name}: {how_to_get}")
    return path


def output_of(command):
    """What a tool prints, both streams; raises InputError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        name = pathlib.Path(command[0]).name
        raise InputError(f"{name} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout + done.stderr


def compile_and_count(kernel, source, tools, arch):
    """The Counts of one copy of the kernel."""
    nvcc, nvdisasm = tools
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernel.cuh").write_text(kernel)
        (folder / "kernel.cu").write_text(source)
        cubin = folder / "kernel.cubin"
        architecture = f"arch=compute_{arch},code=sm_{arch}"
        command = [nvcc, "-cubin", "-std=c++20", "-gencode", architecture, "-Xptxas", "-v"]
        said = output_of([*command, f"-I{SOURCES}", folder / "kernel.cu", "-o", cubin])
        counts = count(innermost_loop(*parse(output_of([nvdisasm, "-hex", "-c", cubin]))))
    counts.spills = sum(map(int, re.findall(r"(\d+) bytes spill stores", said)))
    return counts


def copies(kernel, loops, only):
    """{name: the kernel with that order}, and the kernel as it stands."""
    found = {AS_IT_STANDS: kernel}
    for order in ORDERS:
        if only in str(order):
            text = order.loops(loops["product"], loops["indent"])
            found[str(order)] = kernel[: loops.start()] + text + kernel[loops.end() :]
    if len(found) == 1:
        raise InputError(f"no order has '{only}' in its name; one is called '{ORDERS[0]}'")
    return found


def table(ranked):
    """The lines of [(name, Counts)]."""
    lines = ["cycles/FFMA  instr  FFMA  LDS  other  3 fresh  same bank  pauses  spills  order"]
    for name, c in ranked:
        lines.append(
            f"{c.cycles:11.4f} {c.instructions:6} {c.ffma:5} {c.lds:4} {c.other:6} "
            f"{c.three_fresh:8} {c.same_bank:10} {c.pauses:7} {c.spills:7}  {name}"
        )
    return lines


def rank_orders(options):
    """Compiles all orders and prints the table."""
    folder = rung_folder(options.rung)
    try:
        kernel = (folder / "kernel.cuh").read_text()
    except FileNotFoundError as error:
        raise InputError(f"ladder/{folder.name} has no kernel.cuh: try 08, 09, 10 or 11") from error
    loops = find_loops(kernel, folder.name)
    launch = (folder / "launch.cu").read_text()
    arguments = options.template or template_arguments(launch, folder.name)
    source = instantiation(kernel, arguments)
    nvcc = find_tool(options.nvcc, "nvcc", ["/usr/local/cuda/bin"], GET_NVCC)
    beside = str(pathlib.Path(nvcc).resolve().parent)
    tools = nvcc, find_tool(options.nvdisasm, "nvdisasm", [beside], GET_NVDISASM)
    kernels = copies(kernel, loops, options.only)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(
            lambda text: compile_and_count(text, source, tools, options.arch), kernels.values()
        )
        ranked = sorted(zip(kernels, counted, strict=True), key=lambda entry: entry[1].rank)
    print(f"{folder.name}: kernel<{arguments}> for sm_{options.arch}")
    print("\n".join(table(ranked)))
    best = next(name for name, _ in ranked if name != AS_IT_STANDS)
    order = next(order for order in ORDERS if str(order) == best)
    print(f"\n{best}:\n\n{order.loops(loops['product'], '  ')}\n{A_GUIDE}")


def main():
    """Ranks the orders of the rung named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rung", type=int, help="number of the rung: 08, 09, 10 or 11")
    parser.add_argument("--template", help="template arguments, instead of those of launch.cu")
    parser.add_argument("--only", default="", help="only orders with this in their name")
    parser.add_argument("--arch", default="90a", help="compute capability (%(default)s)")
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    try:
        rank_orders(parser.parse_args())
    except InputError as error:
        print(f"rank_orders.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
