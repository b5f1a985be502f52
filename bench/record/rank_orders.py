"""Ranks the orders of a rung's multiply-adds by what the compiler makes of them.

    python3 -m bench.record.rank_orders 13
    python3 -m bench.record.rank_orders 13 --template 1,1,8,3,4 --only "columns up"
    python3 -m bench.record.rank_orders --out bench/results/sass/orders.json

A thread adds TM x TN products per k, and any order of them is right. The order decides which
operands stay in a register's reuse cache and where ptxas must put the sums, so that another
compiler may want another order. This compiles copies of the kernel, one per order, and counts in
the machine code of the innermost loop, for which main_loop.py computes the cycles of a scheduler.
With --out it files the rungs named, or all that pages quote. It needs nvcc and nvdisasm, and no
GPU.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import re
import sys

from bench import program
from bench.copies import copy_as_it_runs, kernel_of, rung_name, with_template
from bench.output_file import output_path, write_whole
from bench.record.cuda_tools import InputError, context_of, find_tools
from bench.record.machine_code import compiled
from bench.record.main_loop import count
from bench.rungs import own_rungs

AS_WRITTEN = "(as written)"
A_GUIDE = (
    "The ranking is a guide and the clock decides: on an H200 the first of the table was not always"
    " the fastest. Time the first few."
)
LOOPS = re.compile(
    r"^(?P<indent> *)for \(int (\w+) = 0; \2 < T[MN]; \+\+\2\) \{\n"
    r"(?: *(?:const int|#pragma unroll)[^\n]*\n)*"
    r" *for \(int (\w+) = 0; \3 < T[MN]; \+\+\3\) \{\n"
    r"(?: *const int [^\n]*\n)*"
    r" *acc\[m\]\[n\] \+= (?P<product>[^\n;]*);\n *\}\n *\}\n",
    re.MULTILINE,
)


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


def recorded():
    """The rungs whose orders pages quote: those whose threads compute several results."""
    return [n for n, rung in own_rungs().items() if "TM" in rung.values()]


def find_loops(rung):
    """Where the two loops of the multiply-adds stand in the text of a rung's kernel."""
    found = list(LOOPS.finditer(kernel_of(rung)))
    if len(found) != 1:
        raise InputError(
            f"the kernel of ladder/{rung} has {len(found)} pairs of loops over TM and TN around "
            "`acc[m][n] += ...;`, and one is needed: try 04 to 14"
        )
    return found[0]


def counts_of(code):
    """The Counts of a kernel in machine code."""
    counts = count(code.loop)
    counts.spills, counts.registers = code.spill_store_bytes, code.registers
    return counts


def copies(rung, loops, options):
    """{name: copy of a rung with that order}, and the rung as written."""
    template = with_template(rung, options.template) if options.template else ()
    found = {AS_WRITTEN: copy_as_it_runs(rung, template)}
    for order in ORDERS:
        if options.only in str(order):
            edit = loops[0], order.loops(loops["product"], loops["indent"])
            found[str(order)] = copy_as_it_runs(rung, (edit, *template))
    if len(found) == 1:
        raise InputError(f"no order has '{options.only}' in its name; one is called '{ORDERS[0]}'")
    return found


def table(ranked):
    """The lines of [(name, Counts)]."""
    lines = ["cycles/FFMA  instr  FFMA  LDS  other  3 fresh  same bank  spills  order"]
    for name, c in ranked:
        lines.append(
            f"{c.cycles:11.4f} {c.instructions:6} {c.ffma:5} {c.lds:4} {c.other:6} "
            f"{c.three_fresh:8} {c.same_bank:10} {c.spills:7}  {name}"
        )
    return lines


@dataclasses.dataclass
class Ranking:
    """A rung's orders, the best first."""

    rung: int
    folder: str  # its name
    arguments: str  # of the template
    arch: str
    ranked: list  # [(name of the order, Counts)]
    loops: re.Match  # where the multiply-adds stand in the kernel

    def show(self):
        """Prints the table, and the best of the 16 orders as loops."""
        print(f"{self.folder}: kernel<{self.arguments}> for sm_{self.arch}")
        print("\n".join(table(self.ranked)))
        best = next(name for name, _ in self.ranked if name != AS_WRITTEN)
        order = next(order for order in ORDERS if str(order) == best)
        print(f"\n{best}:\n\n{order.loops(self.loops['product'], '  ')}\n{A_GUIDE}")

    def entries(self):
        """What a file of results says of each order, in their ranking."""
        return [
            {
                "name": f"{self.rung:02}_{re.sub('[^a-z]+', '_', name).strip('_')}",
                "rung": self.rung,
                "order": name,
                "arguments": self.arguments,
                "arch": self.arch,
                **dataclasses.asdict(counts),
            }
            for name, counts in self.ranked
        ]


def rank_orders(number, options, tools):
    """The Ranking of a rung: compiles all its orders."""
    rung = rung_name(number)
    loops = find_loops(rung)
    made = copies(rung, loops, options)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda copy: compiled(copy, options.arch, tools), made.values()))
    counted = zip(made, map(counts_of, codes), strict=True)
    ranked = sorted(counted, key=lambda entry: entry[1].rank)
    return Ranking(number, rung, codes[0].arguments, options.arch, ranked, loops)


def run(options):
    """Ranks and files what the command line asks for."""
    tools = find_tools(options)
    context = context_of(tools[0]) if options.out else None
    entries = []
    for rung in options.rungs or recorded():
        ranking = rank_orders(rung, options, tools)
        ranking.show()
        entries += ranking.entries()
    if options.out:
        results = {"context": context, "benchmarks": entries}
        write_whole(options.out, json.dumps(results, indent=1) + "\n")
        print(f"wrote {options.out}")


def main():
    """Ranks the orders of the rungs named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rungs", nargs="*", type=int, help="numbers of rungs: 04 to 14")
    parser.add_argument("--template", help="template arguments, instead of those of launch.cu")
    parser.add_argument("--only", default="", help="only orders with this in their name")
    parser.add_argument("--out", type=output_path, help="file them, without a rung 04 to 14")
    parser.add_argument("--arch", default="90a", help="compute capability (%(default)s)")
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    options = parser.parse_args()
    if not options.rungs and not options.out:
        parser.error("name a rung, for instance 13")
    if options.out and (options.template or options.only):
        parser.error("--out files all orders of the kernels that run: no --template, no --only")
    if options.template and len(options.rungs) > 1:
        parser.error("--template is for one rung")
    try:
        run(options)
    except InputError as error:
        print(f"rank_orders.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
