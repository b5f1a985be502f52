"""Makes copies of rungs from which something was taken away, and looks at their machine code.

    python3 -m bench.benchmark.ablate list                   all copies, and what they lack
    python3 -m bench.benchmark.ablate source 13_copy         one of them, as a source
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
import pathlib
import sys
import tempfile

from bench import SOURCES
from bench.benchmark.ablation_sources import source_of, table_of
from bench.benchmark.ablations import ABLATIONS, Ablation, ablation
from bench.output_file import output_path, write_whole
from bench.record import main_loop, sass_order
from bench.record.cuda_tools import InputError, context_of, find_tools, output_of
from bench.record.rank_orders import rung_folder
from bench.rungs import rung_of

OPTIONS = ["-O3", "-std=c++20", "-lineinfo", "--expt-relaxed-constexpr", "-w", "-Xptxas", "-v"]


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
    pauses: int
    cycles_per_ffma: float  # as bench/record/rank_orders.py counts them


def unchanged(rung):
    """The rung itself, in the form of its copies."""
    ways = rung_of(rung).ways
    configuration = ways[0]["name"] if len(ways) > 1 else ""
    return Ablation(rung, "unchanged", "nothing", (), configuration=configuration, right=True)


def arch_of(rung):
    """What a rung is compiled for, as in ladder/CMakeLists.txt."""
    return rung_of(rung).architecture.removeprefix("sm_")


def machine_code(entry, tools):
    """The MachineCode of a copy."""
    nvcc, nvdisasm = tools
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "copy.cu").write_text(source_of(entry))
        arch = arch_of(entry.rung)
        target = ["-gencode", f"arch=compute_{arch},code=sm_{arch}", f"-I{SOURCES}"]
        here = [folder / "copy.cu", "-o", folder / "cubin"]
        said = output_of([nvcc, "-cubin", *OPTIONS, *target, *here])
        text = output_of([nvdisasm, "-hex", "-c", folder / "cubin"])
    loop = main_loop.innermost_loop(*main_loop.parse(text))
    counts = main_loop.count(loop)
    lds_128 = sum("LDS.128" in instruction.text for instruction in loop)
    found = [
        sass_order.number_in(said, pattern)
        for pattern in (r"Used (\d+) registers", r"(\d+) bytes stack", r"(\d+) bytes spill stores",
                        r"(\d+) bytes spill loads")
    ]
    return MachineCode(*found, counts.instructions, counts.ffma, lds_128, counts.three_fresh,
                       counts.pauses, round(counts.cycles, 4))


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
    lines = ["registers  spills  instr  FFMA  LDS.128  3 fresh  pauses  cycles/FFMA  copy"]
    for entry, code in counted.items():
        lines.append(
            f"{code.registers:9} {code.spill_store_bytes:7} {code.instructions:6} {code.ffma:5} "
            f"{code.lds_128:8} {code.three_fresh:8} {code.pauses:7} {code.cycles_per_ffma:12.4f}  "
            f"{entry.id}"
        )
    return "\n".join(lines)


def count_command(options):
    """Prints or files machine code; ends with 1 where a copy lacks too much."""
    entries = [ablation(name) for name in options.names] or ABLATIONS
    tools = find_tools(options)
    counted = count(entries, tools)
    print(counted_text(counted))
    wrong = [complaint(entry, code, counted[unchanged(entry.rung)])
             for entry, code in counted.items()]
    for line in filter(None, wrong):
        print(f"ablate.py: {line}", file=sys.stderr)
    if options.out and not any(wrong):
        entries = [{"name": entry.id, "rung": entry.rung, "taken_away": entry.taken_away,
                    **dataclasses.asdict(code)} for entry, code in counted.items()]
        results = {"context": context_of(tools[0]), "benchmarks": entries}
        write_whole(options.out, json.dumps(results, indent=1) + "\n")
        print(f"wrote {options.out}")
    return 1 if any(wrong) else 0


def write(path, text):
    """Writes a text into a file, or prints it."""
    if path is None:
        print(text, end="")
    elif not path.exists() or path.read_text() != text:
        path.write_text(text)


def run(options):
    """Does what the command line asks for; returns the exit code."""
    if options.command == "list":
        for entry in ABLATIONS:
            print(f"{entry.id:24} {entry.taken_away}")
    elif options.command == "names":
        print(";".join(
            f"{entry.id}:{arch_of(entry.rung)}:{rung_folder(entry.rung).name}"
            for entry in ABLATIONS
        ))
    elif options.command == "table":
        write(options.out, table_of(ABLATIONS, "emulated_ablations" if options.emulated
                                    else "ablations"))
    elif options.command == "count":
        return count_command(options)
    elif len(options.names) != 1:
        raise InputError("source: name one copy; python3 -m bench.benchmark.ablate list has them")
    else:
        write(options.out, source_of(ablation(options.names[0])))
        if options.out:
            options.out.touch()
    return 0


def main():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("list", "names", "source", "table", "count"))
    parser.add_argument("names", nargs="*", help="copies, such as 13_idle_producers")
    parser.add_argument("--out", type=output_path, help="file to write")
    parser.add_argument("--emulated", action="store_true", help="the table for the emulator")
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    options = parser.parse_args()
    try:
        sys.exit(run(options))
    except InputError as error:
        print(f"ablate.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
