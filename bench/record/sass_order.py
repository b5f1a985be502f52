"""Prints in which order loads, stores, barriers and multiply-adds stand in a rung's main loop.

    python3 -m bench.record.sass_order 05 06
    python3 -m bench.record.sass_order 06 --change inner
    python3 -m bench.record.sass_order --out bench/results/sass/loops.json

The order in CUDA C++ is not the order in machine code: ptxas moves loads up and down. This compiles
a kernel, disassembles it, and prints its innermost loop in phases, with registers and spills. With
--out it files all kernels that pages quote. It needs nvcc and nvdisasm, and no GPU.
"""

import argparse
import dataclasses
import itertools
import json
import pathlib
import re
import sys

from bench import program
from bench.copies import copy_as_it_runs, kernel_of, rung_name, with_template
from bench.output_file import write_whole
from bench.record.cuda_tools import InputError, context_of, find_tools
from bench.record.machine_code import arch_of, compiled
from bench.rungs import own_rungs, rung_of

# The parts of a loop; the last three bring a box, wait for or arrive at an mbarrier, and wait for
# products.
PARTS = ("LDG", "LDGSTS", "STS", "BAR", "UTMALDG", "SYNCS", "WARPGROUP")
WORK = ("LDS", "LDSM", "FFMA", "HMMA", "HGMMA")  # what goes on between: loads, multiply-adds
SPILLS = ("LDL", "STL")
LITTLE_WORK = 8  # FFMA or LDS that stand between two stores without parting them

# A dot product per result, in the place of rung 06's loop over k.
INNER_PRODUCT = """\
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < TN; ++n) {
        const int row = m / 4 * 4 * kThreadRows + thread_row * 4 + m % 4;
        const int col = n / 4 * 4 * kThreadCols + thread_col * 4 + n % 4;
        for (int k = 0; k < BK; ++k) {
          acc[m][n] += sA[buffer][k][row] * sB[buffer][k][col];
        }
      }
    }

"""
LOOP_OVER_K = re.compile(
    r"^#pragma unroll\n    for \(int k = 0; k < BK; \+\+k\) \{\n.*?^    \}\n\n",
    re.MULTILINE | re.DOTALL,
)
LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\((.*)\)$", re.MULTILINE)


def inner_product(kernel, pragma_of_k):
    """The edit that makes k the innermost loop; m and n are unrolled if k has a pragma."""
    loops = INNER_PRODUCT
    if pragma_of_k:
        loops = re.sub(r"^ *for \(int [mn] ", r"#pragma unroll\n\g<0>", loops, flags=re.M)
        loops = re.sub(r"^ *for \(int k ", rf"{pragma_of_k}\n\g<0>", loops, flags=re.M)
    found = LOOP_OVER_K.search(kernel)
    if not found or "buffer" not in kernel:
        raise InputError("only rung 06 has the loop over k that --change inner replaces")
    return found[0], loops


def blocks_on_an_sm(kernel, blocks):
    """The edit that leaves so few registers that `blocks` blocks fit on an SM."""
    found = LAUNCH_BOUNDS.search(kernel)
    if not found:
        raise InputError("the kernel has no __launch_bounds__ of its own line")
    return found[0], f"__launch_bounds__({found[1]}, {blocks})"


CHANGES = {
    "": lambda kernel: (),
    "inner": lambda kernel: (inner_product(kernel, "#pragma unroll"),),
    "inner_rolled": lambda kernel: (inner_product(kernel, "#pragma unroll 1"),),
    "inner_plain": lambda kernel: (inner_product(kernel, ""),),
    "3_blocks": lambda kernel: (blocks_on_an_sm(kernel, 3),),
    "4_blocks": lambda kernel: (blocks_on_an_sm(kernel, 4),),
}


def recorded():
    """[(rung, change)] of the loops that pages quote."""
    # A rung that launches several kernels and does not choose among them, as 23 does, has more than
    # one main loop: a name of a rung does not say which of them is meant.
    one = (n for n, rung in own_rungs().items() if len(rung.kernels) == 1 or rung.configurations)
    return [*((rung, "") for rung in one), *((6, change) for change in CHANGES if change)]


@dataclasses.dataclass
class Loop:
    """What a kernel became."""

    rung: int
    change: str
    arch: str
    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    instructions: int  # of the loop
    counts: dict  # {mnemonic: how many in the loop}
    order: list  # [[mnemonic, how many in a row]]

    @property
    def name(self):
        """'06' or '06_inner'"""
        return f"{self.rung:02}" + (f"_{self.change}" if self.change else "")


def mnemonic(text):
    """'LDS.128' of an instruction's text; 'other' where it is nothing that pages speak of."""
    words = re.sub(r"^@\S+ ", "", text).split(None, 1)[0].split(".")
    if words[0] not in (*PARTS, *WORK, *SPILLS):
        return "other"
    wide = [word for word in words[1:] if word in ("64", "128")]
    return ".".join([words[0], *wide])


def phases(order):
    """[{mnemonic: count}]: work, what stands together of one kind, work; the rest is left out."""
    parts = []
    for name, count in order:
        kind = name.split(".")[0]
        if kind in (*WORK, *PARTS):
            parts.append(("work" if kind in WORK else kind, {name: count}))
    parts = joined(parts)
    for index in range(1, len(parts) - 1):
        before, after = parts[index - 1][0], parts[index + 1][0]
        little = parts[index][0] == "work" and sum(parts[index][1].values()) <= LITTLE_WORK
        if little and before == after:
            parts[index] = (before, parts[index][1])
    return [counts for _, counts in joined(parts)]


def joined(parts):
    """[(kind, {mnemonic: count})] with neighbours of one kind as one."""
    found = []
    for kind, counts in parts:
        if not found or found[-1][0] != kind:
            found.append((kind, {}))
        for name, count in counts.items():
            found[-1][1][name] = found[-1][1].get(name, 0) + count
    return found


def ffma_between(order, first, last):
    """FFMA from the last `first` to the `last` that comes next, round the loop."""
    kinds = [name.split(".")[0] for name, _ in order]
    if first not in kinds or last not in kinds:
        return None
    start = len(kinds) - 1 - kinds[::-1].index(first)
    total = 0
    for name, count in [*order[start:], *order[:start]]:
        if name.split(".")[0] == last:
            return total
        total += count if name == "FFMA" else 0
    return None


def order_of(loop):
    """[[mnemonic, count]] of a loop."""
    names = [mnemonic(instruction.text) for instruction in loop]
    return [[name, len(list(run))] for name, run in itertools.groupby(names)]


def one_size(rung):
    """Edits that leave one kernel of a rung that picks among tile sizes of one template."""
    facts = rung_of(rung)
    template = facts.kernels[0]["template"]
    if "ROWS" not in template:
        return ()
    arguments = ", ".join(map(str, template.values()))
    return with_template(rung_name(rung), arguments)


def compile_loop(rung, change, tools):
    """The Loop of a rung, unchanged or changed."""
    arch = arch_of(rung)
    name = rung_name(rung)
    edits = (*CHANGES[change](kernel_of(name)), *one_size(rung))
    code = compiled(copy_as_it_runs(name, edits), arch, tools)
    order = order_of(code.loop)
    counts = {}
    for mnemonic_, count in order:
        counts[mnemonic_] = counts.get(mnemonic_, 0) + count
    return Loop(
        rung,
        change,
        arch,
        code.registers,
        code.stack_bytes,
        code.spill_store_bytes,
        code.spill_load_bytes,
        len(code.loop),
        counts,
        order,
    )


def listing(order):
    """The phases as lines of text."""
    return [
        ", ".join(f"{count} {name}" for name, count in sorted(part.items()))
        for part in phases(order)
    ]


def show(loop):
    """Prints a Loop."""
    print(
        f"{loop.name}: {loop.registers} registers, {loop.spill_store_bytes} bytes of spill stores, "
        f"{loop.instructions} instructions in the loop"
    )
    for line in listing(loop.order):
        print(f"    {line}")


def record(path, loops, nvcc):
    """Files the loops as the other results are filed."""
    entries = [{"name": loop.name, **dataclasses.asdict(loop)} for loop in loops]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"context": context_of(nvcc), "benchmarks": entries}) + "\n")


def main():
    """Compiles and prints what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rungs", nargs="*", type=int, help="numbers of rungs, such as 06")
    parser.add_argument("--change", choices=CHANGES, default="", help="what to change before")
    parser.add_argument("--out", type=pathlib.Path, help="file all that pages quote")
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    options = parser.parse_args()
    wanted = recorded() if options.out else [(rung, options.change) for rung in options.rungs]
    if not wanted:
        parser.error("name a rung, for instance 06")
    try:
        tools = find_tools(options)
        loops = []
        for rung, change in wanted:
            loops.append(compile_loop(rung, change, tools))
            show(loops[-1])
        if options.out:
            record(options.out, loops, tools[0])
    except InputError as error:
        print(f"sass_order.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
