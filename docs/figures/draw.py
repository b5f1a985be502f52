"""Draws the figures of the book into docs/figures.

    python3 -m docs.figures.draw [NAME ...]    write them, or some
    python3 -m docs.figures.draw --check       fail and name those that are stale
    python3 -m docs.figures.draw --words       print what each shows, as alternative text

Each figure is a module of its name with a function draw(); if that takes `narrow`, there is a
second picture for phones, NAME_narrow.svg. They take their numbers from the constants of the
kernels, the device cards, recorded results and recorded traces (record.py). Plots of results alone
are drawn by docs/report/plots.py.
"""

import argparse
import importlib
import inspect
import os
import pathlib
import sys

from bench import SOURCES, program
from bench.rungs import rung_table
from docs.figures import ranks_timeline
from docs.report.generated import keep, told
from docs.report.recorded import FigureError

FOLDER = pathlib.Path(__file__).parent
NARROW = "_narrow"  # ends the names of pictures for phones
OF_CHAPTERS = (
    "banks_before_after",
    "wave_order",
    "pipeline_timeline",
    "memory_path",
    "coalescing",
    "sm",
    "occupancy",
    "outer_product",
    "kernel_launch",
    "roofline_gpus",
    "l2_sweep",
    "l2_hot",
    "numerics",
    "splitting",
    "nvcc_paths",
    "protocols",
    "hot_and_rested",
    "sustained_windows",
    "rung_03_barriers",
    "rung_04_spread",
    "rung_05_slots",
    "rung_06_code",
    "rung_09_passes",
    "rung_10_barrier",
    "rung_10_slots",
    "rung_11_fill",
    "rung_11_phases",
    "rung_12_fixup",
    "rung_14_ablations",
    "rung_19_pair",
    "rung_20_drift",
    "rung_22_tail",
    "rung_01_product",
    "rung_02_warps",
    "rung_08_reads",
)


def of_rungs():
    """{'rung_03': its Rung} of all rungs: each has a figure of its own."""
    return {f"rung_{number:02}": rung for number, rung in rung_table().items()}


def names():
    """Names of all figures that there are."""
    ours = [name for name in of_rungs() if (FOLDER / f"{name}.py").exists()]
    recorded = ("ranks_timeline",) if ranks_timeline.is_recorded() else ()
    wide = (*ours, *OF_CHAPTERS, *recorded)
    return (*wide, *(f"{name}{NARROW}" for name in wide if has_narrow(name)))


def has_narrow(name):
    """Whether there is a picture for phones, too."""
    return "narrow" in inspect.signature(program_of(name)).parameters


def program_of(name):
    """What draws a figure."""
    return importlib.import_module(f"docs.figures.{name}").draw


def drawn(name):
    """A figure."""
    wide = name.removesuffix(NARROW)
    return program_of(wide)() if wide == name else program_of(wide)(narrow=True)


def made(wanted=()):
    """({picture: its text}, [what is wrong]) of the figures that are named, or of all."""
    texts, wrong = {}, []
    for name in wanted or names():
        try:
            texts[pathlib.Path("docs/figures") / f"{name}.svg"] = str(drawn(name))
        except FigureError as error:
            wrong.append(told(f"{name}.svg", error))
    for name, rung in {} if wanted else of_rungs().items():
        path = f"docs/figures/{name}.py"
        if not (FOLDER / f"{name}.py").exists():
            wrong.append(f"rung {rung.label} has no figure: {path} is not there")
    return texts, wrong


def main():
    """Writes, checks or describes figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures; all if none is named")
    parser.add_argument("--check", action="store_true", help="fail when a figure is stale")
    parser.add_argument("--words", action="store_true", help="print what each figure shows")
    parser.add_argument("--root", default=SOURCES, help="folder of the sources")
    options = parser.parse_args()
    unknown = set(options.names) - set(names())
    if unknown:
        sys.exit(f"draw.py: no figure {', '.join(sorted(unknown))}: there are {', '.join(names())}")
    os.chdir(options.root)
    if options.words:
        for name in options.names or names():
            print(f"![{drawn(name).description}]({name}.svg)\n")
        return
    sys.exit(0 if keep(*made(options.names), options.check) else 1)


if __name__ == "__main__":
    program.run(main)
