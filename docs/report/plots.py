"""Draws the recorded results as SVG into docs/figures.

    python3 -m docs.report.plots            write the pictures
    python3 -m docs.report.plots --check    fail when a picture is stale

A picture whose results are not recorded is left out, and a sentence says so. SVG is written without
matplotlib: its bytes change with its version, and its pictures know one background alone.
"""

import pathlib
import sys

from bench import program
from docs.report import generated, plot_labs, plot_paper
from docs.report.plot_ratio import ratio_by_size
from docs.report.plot_roofline import roofline
from docs.report.plot_shapes import all_shapes
from docs.report.plot_staircase import staircase, staircase_narrow
from docs.report.recorded import FigureError, MissingFileError

FIGURES = pathlib.Path("docs/figures")
PLOTS = {
    "staircase": staircase,
    "staircase_narrow": staircase_narrow,
    "all_shapes": all_shapes,
    "ratio_by_size": ratio_by_size,
    "roofline": roofline,
    **plot_labs.PLOTS,
    **plot_paper.PLOTS,
}


def drawn(name):
    """A picture as text; None where its results are not recorded."""
    try:
        drawing = PLOTS[name]()
    except MissingFileError as error:
        print(f"plots.py: no {name}.svg: {error}", file=sys.stderr)
        return None
    for sentence in drawing.lacks:
        print(f"plots.py: {name}.svg is not complete: {sentence}", file=sys.stderr)
    return str(drawing)


def made():
    """({picture: its text}, [what is wrong])"""
    texts, wrong = {}, []
    for name in PLOTS:
        path = FIGURES / f"{name}.svg"
        try:
            texts[path] = drawn(name)
        except FigureError as error:
            wrong.append(generated.told(path.name, error))
    return texts, wrong


def main():
    """Writes or checks all pictures."""
    generated.main_of(__doc__, made)


if __name__ == "__main__":
    program.run(main)
