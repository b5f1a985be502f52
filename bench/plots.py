#!/usr/bin/env python3
"""Draws the recorded results as SVG into docs/figures.

    bench/plots.py            write the pictures
    bench/plots.py --check    fail when a picture is stale

A picture whose results are not recorded is left out, and a sentence says so. SVG is written without
matplotlib: its bytes change with its version, and its pictures know one background alone.
"""

import argparse
import os
import pathlib
import sys

from plot_ratio import ratio_by_size
from plot_roofline import roofline
from plot_staircase import staircase
from recorded import FigureError, MissingFileError

FIGURES = pathlib.Path("docs/figures")
PLOTS = {"staircase": staircase, "ratio_by_size": ratio_by_size, "roofline": roofline}


def drawn(name):
    """A picture as text; None where its results are not recorded."""
    try:
        drawing = PLOTS[name]()
    except MissingFileError as error:
        print(f"plots.py: no {name}.svg: {error}", file=sys.stderr)
        return None
    except FigureError as error:
        sys.exit(f"plots.py: {name}.svg: {error}")
    for sentence in drawing.lacks:
        print(f"plots.py: {name}.svg is not complete: {sentence}", file=sys.stderr)
    return str(drawing)


def main():
    """Writes or checks all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail when a picture is stale")
    parser.add_argument(
        "--root",
        default=pathlib.Path(__file__).resolve().parent.parent,
        help="folder of the sources",
    )
    options = parser.parse_args()
    os.chdir(options.root)
    stale = False
    for name in PLOTS:
        path = FIGURES / f"{name}.svg"
        old = path.read_text() if path.exists() else None
        new = drawn(name)
        if new == old:
            continue
        if options.check:
            print(f"plots.py: {path} is stale: run make report", file=sys.stderr)
            stale = True
        elif new is None:
            path.unlink()
            print(f"removed {path}")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(new)
            print(f"wrote {path}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
