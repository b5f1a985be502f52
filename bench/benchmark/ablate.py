"""Makes copies of rungs from which something was taken away, and looks at their machine code.

    python3 -m bench.benchmark.ablate list                   all copies, and what they lack
    python3 -m bench.benchmark.ablate source 14_copy         one of them, as a source
    python3 -m bench.benchmark.ablate count [13_copy ...]    registers, spills, and main loops
    python3 -m bench.benchmark.ablate count --out bench/results/sass/ablations.json

`make ablate` times them on a GPU. To count, nvcc and nvdisasm are needed, and no GPU. It fails
where a main loop no longer has the multiply-adds, or the loads, that the copy should have.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import sys

from bench import program
from bench.benchmark.ablations import ABLATIONS, Ablation, ablation
from bench.copies import source_of
from bench.output_file import output_path, write_whole
from bench.record import main_loop
from bench.record.cuda_tools import InputError, context_of, find_tools
from bench.record.machine_code import arch_of, compiled
from bench.rungs import rung_of


@dataclasses.dataclass
class MachineCode:
    """What a kernel became."""

    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    instructions: int  # of the main loop
    ffma: int
    lds_128: int
    three_fresh: int
    cycles_per_ffma: float  # as bench/record/rank_orders.py counts them


def unchanged(rung):
    """The rung itself, in the form of its copies."""
    configurations = rung_of(rung).configurations
    configuration = configurations[0]["name"] if len(configurations) > 1 else ""
    return Ablation(rung, "unchanged", "nothing", (), configuration=configuration, right=True)


def machine_code(entry, tools):
    """The MachineCode of a copy."""
    code = compiled(entry.copy, arch_of(entry.rung), tools)
    counts = main_loop.count(code.loop)
    return MachineCode(
        code.registers,
        code.stack_bytes,
        code.spill_store_bytes,
        code.spill_load_bytes,
        counts.instructions,
        counts.ffma,
        sum("LDS.128" in instruction.text for instruction in code.loop),
        counts.three_fresh,
        round(counts.cycles, 4),
    )


def complaint(entry, code, whole):
    """What is wrong with a copy's main loop beside that of the whole rung; empty: nothing."""
    if code.ffma != whole.ffma:
        return f"{entry.id}: {code.ffma} FFMA in the main loop, and not {whole.ffma}"
    lds = whole.lds_128 if entry.loads else 0
    if code.lds_128 != lds:
        return f"{entry.id}: {code.lds_128} LDS.128 in the main loop, and not {lds}"
    return ""


def count(entries, tools):
    """{Ablation: MachineCode} with the rungs themselves in front of their copies."""
    wanted = []
    for entry in entries:
        if unchanged(entry.rung) not in wanted:
            wanted.append(unchanged(entry.rung))
        wanted.append(entry)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda entry: machine_code(entry, tools), wanted))
    return dict(zip(wanted, codes, strict=True))


def counted_text(counted):
    """The lines of the table of machine code."""
    lines = ["registers  spills  instr  FFMA  LDS.128  3 fresh  cycles/FFMA  copy"]
    for entry, code in counted.items():
        lines.append(
            f"{code.registers:9} {code.spill_store_bytes:7} {code.instructions:6} {code.ffma:5} "
            f"{code.lds_128:8} {code.three_fresh:8} {code.cycles_per_ffma:12.4f}  {entry.id}"
        )
    return "\n".join(lines)


def count_command(options):
    """Prints or files machine code; ends with 1 where a copy lacks too much."""
    entries = [ablation(name) for name in options.names] or ABLATIONS
    tools = find_tools(options)
    counted = count(entries, tools)
    print(counted_text(counted))
    wrong = [
        complaint(entry, code, counted[unchanged(entry.rung)]) for entry, code in counted.items()
    ]
    for line in filter(None, wrong):
        print(f"ablate.py: {line}", file=sys.stderr)
    if options.out and not any(wrong):
        entries = [
            {
                "name": entry.id,
                "rung": entry.rung,
                "taken_away": entry.taken_away,
                **dataclasses.asdict(code),
            }
            for entry, code in counted.items()
        ]
        results = {"context": context_of(tools[0]), "benchmarks": entries}
        write_whole(options.out, json.dumps(results, indent=1) + "\n")
        print(f"wrote {options.out}")
    return 1 if any(wrong) else 0


def run(options):
    """Does what the command line asks for; returns the exit code."""
    if options.command == "list":
        for entry in ABLATIONS:
            print(f"{entry.id:24} {entry.taken_away}")
    elif options.command == "count":
        return count_command(options)
    elif len(options.names) != 1:
        raise InputError("source: name one copy; python3 -m bench.benchmark.ablate list has them")
    else:
        print(source_of(ablation(options.names[0]).copy), end="")
    return 0


def main():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("list", "source", "count"))
    parser.add_argument("names", nargs="*", help="copies, such as 14_idle_producers")
    parser.add_argument("--out", type=output_path, help="file to write what was counted into")
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    options = parser.parse_args()
    try:
        sys.exit(run(options))
    except InputError as error:
        print(f"ablate.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
