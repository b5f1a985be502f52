"""The first page's trace: what a warp of two rungs asks of memory, side by side, load by load.

docs/hooks.py puts it in place of `<!-- opening 01 02 -->`. It is a picture of the first step of k,
which needs no script, and the recorded loads, which docs/assets/opening.js plays. Each side has A
to the left of C and B above it, as the product is drawn on paper; only the corner that the warp
reads is drawn, a row of words to a row of the matrix.
"""

import html
import json
import pathlib
import re

from bench import results_file
from bench.rungs import rung_of
from docs.figures.record import SIZE
from docs.report.recorded import FigureError

STEPS_FILE = pathlib.Path("docs/figures/data/first_steps.json")  # written by docs/figures/record.py
WORD, SECTOR = 4, 32  # bytes
LANES = 32
ROW = SIZE * WORD  # bytes of a row of A or B
CELL = 10  # of the drawing, in its own units: a word with the gap after it
CORNER = LANES * CELL  # the drawn side of a matrix
AT = {"A": (0, CORNER + 24), "B": (CORNER + 24, 0), "C": (CORNER + 24, CORNER + 24)}
WHOLE = 2 * CORNER + 24
LOOP = re.compile(r"(?P<A>gA\[.*?\]) \* (?P<B>gB\[.*\])")


def cell_of(address):
    """(row, column) of a word in its matrix."""
    row, byte = divmod(address, ROW)
    cell = row, byte // WORD
    if max(cell) >= LANES:
        raise FigureError(f"{STEPS_FILE}: byte {address} is not in the corner that is drawn")
    return cell


def rect(row, column, words, style):
    """Words of a row of a matrix, in the coordinates of its group."""
    x, y = column * CELL + 1, row * CELL + 1
    return f'<rect x="{x}" y="{y}" width="{words * CELL - 2}" height="{CELL - 2}" class="{style}"/>'


def words_and_sectors(load):
    """The rectangles of a load: sectors that move, and above them the words that lanes want."""
    addresses = load["addresses"]
    sectors = sorted({address // SECTOR * SECTOR for address in addresses})
    if len(sectors) != load["sectors"]:
        raise FigureError(f"{STEPS_FILE}: {load['sectors']} sectors were counted, not these")
    wide = SECTOR // WORD
    return [rect(*cell_of(sector), wide, "sent") for sector in sectors] + [
        rect(*cell_of(address), 1, "read") for address in sorted(set(addresses))
    ]


def results(loads):
    """[(row, column)] of the element of C that each lane computes: A's row and B's column."""
    first = {load["array"]: load["addresses"] for load in loads[:2]}
    pairs = zip(first["A"], first["B"], strict=True)
    return [(cell_of(of_a)[0], cell_of(of_b)[1]) for of_a, of_b in pairs]


def matrix(name, array, live):
    """A matrix's corner: its words, in sectors where they travel so, and what a load does there."""
    x, y = AT[array]
    grid = f"{name}-{'word' if array == 'C' else 'sector'}"
    return (
        f'<g class="{array}" transform="translate({x} {y})">'
        f'<rect width="{CORNER}" height="{CORNER}" fill="url(#{grid})"/>'
        f'<g class="before"></g><g class="live">{"".join(live)}</g>'
        f'<text x="{CORNER - 12}" y="{CORNER - 16}" class="array">{array}</text></g>'
    )


def pattern(name, words):
    """A grid of cells, each of some words."""
    width = words * CELL
    return (
        f'<pattern id="{name}" patternUnits="userSpaceOnUse" width="{width}" height="{CELL}">'
        f'{rect(0, 0, words, "still")}</pattern>'
    )


def picture(rung, loads):
    """A side's drawing after the first step of k."""
    name = f"opening-{rung:02}"
    of = {load["array"]: load for load in loads[:2]}
    words = (
        f"For one step of k, the warp's load of A touches {of['A']['sectors']} sectors of 32 "
        f"bytes, and its load of B {of['B']['sectors']}."
    )
    live = {array: words_and_sectors(load) for array, load in of.items()}
    live["C"] = [rect(row, column, 1, "lane") for row, column in results(loads)]
    return "\n".join(
        [
            f'<svg viewBox="0 0 {WHOLE} {WHOLE}" role="img" aria-label="{words}">',
            f"<defs>{pattern(f'{name}-sector', SECTOR // WORD)}{pattern(f'{name}-word', 1)}</defs>",
            *(matrix(name, array, live[array]) for array in AT),
            '<g class="pointed"></g>',
            f'<text x="0" y="{CORNER // 2 + 30}" class="count">'
            f"{sum(load['sectors'] for load in of.values())}</text>",
            f'<text x="4" y="{CORNER // 2 + 78}" class="unit">sectors</text>',
            "</svg>",
        ]
    )


def code_of(rung):
    """{number: line} of a kernel's code, without comments."""
    path = pathlib.Path("ladder") / rung_of(rung).folder / "kernel.cuh"
    lines = enumerate(path.read_text().splitlines(), 1)
    code = {number: re.sub(r"\s*//.*", "", line) for number, line in lines}
    return {number: line.strip() for number, line in code.items() if line.startswith("  ")}


def marked(line, other):
    """A line as HTML; marked is what another line has not."""
    ours, theirs = (re.findall(r"[\w.]+|\W", text) for text in (line, other))
    if len(ours) != len(theirs):
        raise FigureError(f"'{line}' and '{other}' differ in more than words")
    pairs = zip(ours, theirs, strict=True)
    return "".join(
        html.escape(word) if word == instead else f"<mark>{html.escape(word)}</mark>"
        for word, instead in pairs
    )


def changed_lines(rungs):
    """{rung: [(number, HTML)]}: the lines in which two kernels differ."""
    one, other = (list(code_of(rung).items()) for rung in rungs)
    if len(one) != len(other):
        raise FigureError(f"rungs {rungs[0]:02} and {rungs[1]:02} differ in more than some lines")
    found = {rung: [] for rung in rungs}
    for (at, line), (other_at, other_line) in zip(one, other, strict=True):
        if line != other_line:
            found[rungs[0]].append((at, marked(line, other_line)))
            found[rungs[1]].append((other_at, marked(other_line, line)))
    return found


def loop_line(rungs, steps):
    """The line with both loads, the same in all rungs; each load is an element of its own."""
    lines = {code_of(rung)[steps[f"{rung:02}"][0]["line"]] for rung in rungs}
    match = LOOP.search(next(iter(lines)))
    if len(lines) != 1 or not match:
        raise FigureError(f"the loads of these rungs are not in one and the same line: {lines}")
    parts = [match.string[: match.start()], " * ", match.string[match.end() :]]
    before, between, after = map(html.escape, parts)
    loads = [f'<span class="load {each}">{html.escape(match[each])}</span>' for each in "AB"]
    return f"{before}{loads[0]}{between}{loads[1]}{after}"


def side(rung, lines, loads):
    """One of the two rungs: its lines and its drawing."""
    label = rung_of(rung).label
    number, _, name = label.partition(" ")
    code = "\n".join(f'<span class="number">{at}</span> {line}' for at, line in lines)
    link = f'<a href="ladder/{rung_of(rung).folder}/index.html"><b>{number}</b> {name}</a>'
    return (
        f'<section class="opening-side" aria-label="Rung {label}">\n'
        f'<p class="opening-name">{link}</p>\n'
        f'<pre data-rung="{label}"><code>{code}</code></pre>\n{picture(rung, loads)}\n</section>'
    )


def note(rungs):
    """Which loads these are, and where the time is explained."""
    folder = rung_of(rungs[1]).folder
    return (
        f'<p class="opening-note">Warp 0 of block 0, at M = N = K = {SIZE}. The time is that of an '
        f'H200 at 4096; <a href="ladder/{folder}/index.html">lesson {rungs[1]:02}</a> tells why it '
        "falls by more than the sectors do.</p>"
    )


def block(rungs):
    """The whole as HTML; rungs: the two that are compared."""
    steps = results_file.read(STEPS_FILE)
    loads = {rung: steps[f"{rung:02}"] for rung in rungs}
    lines = changed_lines(rungs)
    sides = "\n".join(side(rung, lines[rung], loads[rung]) for rung in rungs)
    totals = [sum(load["sectors"] for load in loads[rung][:2]) for rung in rungs]
    one, other = (f"{rung:02}" for rung in rungs)
    data = {
        "drawing": {"cell": CELL, "row": ROW, "at": AT},
        "sides": [
            {
                "rung": f"{rung:02}",
                "results": results(loads[rung]),
                "loads": [
                    {key: load[key] for key in ("array", "sectors", "addresses")}
                    for load in loads[rung]
                ],
            }
            for rung in rungs
        ],
    }
    said = (
        f"1 step of k: rung {one} touches {totals[0]} sectors of {SECTOR} bytes, and rung {other} "
        f"touches {totals[1]}."
    )
    packed = json.dumps(data, separators=(",", ":"))
    return (
        '<div class="opening" data-search-exclude>\n'
        f'<div class="opening-sides">\n{sides}\n</div>\n'
        f'<p class="opening-loop"><span>Both run</span> <code>{loop_line(rungs, steps)}</code> '
        f'<span class="opening-k">k = 0</span></p>\n'
        f'<p class="opening-said" role="status">{said}</p>\n{note(rungs)}\n'
        f'<script type="application/json">{packed}</script>\n</div>'
    )
