"""Draws what a lab found, as SVG for a page and as PNG for a slide.

    python3 -m docs.report.own_plot --lab latency              what was recorded on an H200
    python3 -m docs.report.own_plot --json mine.json --out .   what `make lab OUT=mine.json` kept

Drawings of your own report are named after its file, so that two reports give two drawings.
rsvg-convert makes the PNG; without it, there is the SVG alone. It knows no CSS variables, so it
gets the colours of the light theme.
"""

import argparse
import contextlib
import pathlib
import re
import shutil
import subprocess

from bench import program
from bench.output_file import write_whole
from bench.results_file import FigureError
from docs.report import plot_labs, recorded_labs

WIDTH = 2000  # pixels of a PNG: twice those of the SVG
DARK = re.compile(r"\s*@media \(prefers-color-scheme: dark\) \{.*?\}\s*\}", re.S)
COLOUR = re.compile(r"(--\w+): ([^;]+);")


def light(svg):
    """A drawing in the colours of the light theme, without variables."""
    svg = DARK.sub("", svg)
    colours = dict(COLOUR.findall(svg))
    return re.sub(r"var\((--\w+)\)", lambda use: colours[use[1]], svg)


def charts_of(lab):
    """The functions that draw a lab's curves; most labs have one, some several."""
    recorded_labs.lab_of(lab)
    drawn = {}
    for make in plot_labs.CHARTS:
        drawn.setdefault(plot_labs.LAB_OF.get(make, make.__name__), []).append(make)
    if lab not in drawn:
        raise FigureError(
            f"lab '{lab}' has no curves to draw; those with curves are " + ", ".join(drawn)
        )
    return drawn[lab]


def name_of(make, report):
    """Of a drawing's files: after the lab, or after one's own report and the lab."""
    name = f"lab_{make.__name__}"
    if report is None or report.stem == name:
        return name
    return f"{report.stem}_{make.__name__}"


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", help="which lab; of a file, the one that wrote it")
    parser.add_argument("--json", type=pathlib.Path, help="your own report, not the recorded one")
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path(), help="folder for both files"
    )
    options = parser.parse_args()
    if not options.lab and not options.json:
        parser.error("name a lab (--lab latency), or a report (--json mine.json)")
    if not options.out.is_dir():
        parser.error(f"there is no folder {options.out}: make it first")
    tool = shutil.which("rsvg-convert")
    with contextlib.ExitStack() as own:
        lab = options.lab
        if options.json:
            lab = own.enter_context(recorded_labs.instead_of_recorded(options.json))
            if options.lab and options.lab != lab:
                parser.error(f"{options.json} is of lab {lab}, not of {options.lab}")
        for make in charts_of(lab):
            name = name_of(make, options.json)
            svg = str(plot_labs.picture(make, plot_labs.chart.WIDTH))
            write_whole(options.out / f"{name}.svg", svg)
            if not tool:
                print(
                    f"{options.out / name}.svg. There is no rsvg-convert to make a PNG: "
                    "apt-get install librsvg2-bin"
                )
                continue
            subprocess.run(
                [tool, "--width", str(WIDTH), "--output", options.out / f"{name}.png"],
                input=light(svg),
                text=True,
                check=True,
            )
            print(f"{options.out / name}.svg and .png")


if __name__ == "__main__":
    program.run(main)
