"""Draws the figures of the book into docs/figures.

    python3 -m docs.figures.draw [NAME ...]    write them, or some
    python3 -m docs.figures.draw --check       fail and name those that are stale
    python3 -m docs.figures.draw --words       print what each shows, as alternative text

Each figure is a module of its name with a function draw(). They take their numbers from the
constants of the kernels, the device cards, recorded results and recorded traces (record.py). Plots
of results alone are drawn by docs/report/plots.py.
"""

import argparse
import importlib
import os
import pathlib
import sys

from bench import SOURCES
from bench.rungs import rung_table
from docs.report.recorded import FigureError

FOLDER = pathlib.Path(__file__).parent
OF_RUNGS = {f"rung_{number:02}": rung for number, rung in rung_table().items()}
WITHOUT = [name for name in OF_RUNGS if not (FOLDER / f"{name}.py").exists()]
NAMES = (
    *(name for name in OF_RUNGS if name not in WITHOUT),
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
    "nvcc_roads",
    "protocols",
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
    "rung_13_share_k",
    "rung_13_ablations",
    "rung_01_product",
    "rung_02_warps",
    "rung_08_reads",
)


def drawn(name):
    """A figure."""
    try:
        return importlib.import_module(f"docs.figures.{name}").draw()
    except FigureError as error:
        sys.exit(f"draw.py: {name}.svg: {error}")


def main():
    """Writes, checks or describes figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures; all if none is named")
    parser.add_argument("--check", action="store_true", help="fail when a figure is stale")
    parser.add_argument("--words", action="store_true", help="print what each figure shows")
    parser.add_argument("--root", default=SOURCES, help="folder of the sources")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        sys.exit(f"draw.py: no figure {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}")
    os.chdir(options.root)
    stale = []
    for name in options.names or NAMES:
        path = pathlib.Path("docs/figures") / f"{name}.svg"
        picture = drawn(name)
        if options.words:
            print(f"![{picture.description}]({path.name})\n")
        elif not path.exists() or path.read_text() != str(picture):
            if options.check:
                stale.append(str(path))
            else:
                path.write_text(str(picture))
                print(f"wrote {path}")
    for name in () if options.names else WITHOUT:
        path = f"docs/figures/{name}.py"
        print(f"draw.py: rung {OF_RUNGS[name].label} has no figure: {path} is not there",
              file=sys.stderr)
    if stale:
        sys.exit(f"draw.py: stale, run make report: {' '.join(stale)}")
    sys.exit(1 if WITHOUT and not options.names else 0)


if __name__ == "__main__":
    main()
