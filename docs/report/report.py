"""Writes recorded figures into README and lessons, between markers.

    python3 -m docs.report.report            rewrite the blocks
    python3 -m docs.report.report --check    fail when a block is stale

`<!-- begin NAME [ARGUMENTS] -->` ... `<!-- end NAME -->` is a block, `<!-- value NAME -->x<!--
/value -->` a figure in a sentence; `06:NAME` asks for another rung's. Everything comes from
bench/results, the rung table and the sources:

    code FILE: TITLE     a titled section; in lessons of the rung, elsewhere with a path
    change TITLE         what the lesson's rung changes in a section of the one it builds on
    card, predict, maths, diff, constants, measured, profile
                         of the lesson's rung; elsewhere with a number: diff 03
    profile 1024         the counters at another size than the usual one
    ablations            what the rung gains when parts of it are taken away
    side_trials          rung 21 with SMs on the right sides of L2, and on others
    lab_findings latency, lab_claims latency
                         what a lab found, and what it says to claims; labs: all of them
    orders as written; worst; 10: as written
                         what the compiler makes of orders of the multiply-adds
"""

import pathlib
import re

from bench import program
from docs.report import generated
from docs.report.maths import maths_block
from docs.report.page_blocks import (
    ablations,
    benchmark,
    climbs,
    counters,
    craft,
    excerpts,
    fidelity,
    front,
    grading,
    hot_and_cold,
    joules,
    labs,
    lessons,
    machine,
    many_gpus,
    memory_programs,
    near_loops,
    near_product,
    orders,
    paper_tlb,
    paths,
    public_ladder,
    public_programs,
    raster_bytes,
    side_trials,
    split,
    story,
)
from docs.report.page_blocks.place import Place
from docs.report.recorded import FigureError, NotRecordedError, of_rung
from docs.report.rung_figures import NOT_YET, or_not_yet, value

# Of a rung.
RUNG_BLOCKS = {"maths": maths_block, "measured": climbs.measured_block}

# Of all rungs.
BLOCKS = {
    "small_sizes": climbs.graph_block,
    **fidelity.BLOCKS,
    **benchmark.BLOCKS,
    **craft.BLOCKS,
    **grading.BLOCKS,
    **public_programs.BLOCKS,
}

# Of a place, with arguments.
PLACED_BLOCKS = {
    "ladder": climbs.ladder_block,
    **excerpts.BLOCKS,
    **lessons.BLOCKS,
    **counters.BLOCKS,
    **machine.BLOCKS,
    **ablations.BLOCKS,
    **side_trials.BLOCKS,
    **orders.BLOCKS,
    **paper_tlb.BLOCKS,
    **paths.BLOCKS,
    **public_ladder.BLOCKS,
    **front.BLOCKS,
    **hot_and_cold.BLOCKS,
    **joules.BLOCKS,
    **labs.BLOCKS,
    **many_gpus.BLOCKS,
    **memory_programs.BLOCKS,
    **near_loops.BLOCKS,
    **near_product.BLOCKS,
    **raster_bytes.BLOCKS,
    **split.BLOCKS,
    **story.BLOCKS,
}

BEGIN = r"<!-- begin (?P<name>\w+)(?: (?P<arguments>[^\n]*?))? -->"
BLOCK = re.compile(rf"^{BEGIN}\n(?:.*?\n)??<!-- end (?P=name) -->$", flags=re.S | re.M)


def block_text(place, name, arguments):
    """What a block says, in the figures of the GPU that speaks for the page's rung."""
    with of_rung(place.rung):
        return block_of(place, name, arguments)


def block_of(place, name, arguments):
    """What a block says, in the figures of the GPU at hand."""
    if name in PLACED_BLOCKS:
        try:
            return PLACED_BLOCKS[name](place, arguments)
        except NotRecordedError as error:
            return f"{NOT_YET.capitalize()}: {error}."
    if name in RUNG_BLOCKS:
        return RUNG_BLOCKS[name](place.rung_or(arguments))
    if name not in BLOCKS:
        known = ", ".join(sorted([*PLACED_BLOCKS, *RUNG_BLOCKS, *BLOCKS]))
        raise FigureError(f"'{name}' is no name of a block; there are {known}")
    if arguments:
        raise FigureError("the block takes no arguments")
    return BLOCKS[name](place.rung)


def filled(text, place):
    """(the text with all blocks and figures rewritten, [what is wrong with the others])"""
    wrong = []

    def block(match):
        marker = match[0].splitlines()[0]
        name, arguments = match["name"], match["arguments"] or ""
        try:
            return f"{marker}\n{block_text(place, name, arguments)}\n<!-- end {name} -->"
        except (FigureError, OSError) as error:
            wrong.append(generated.told(marker, error))
            return match[0]

    def figure(match):
        try:
            found = or_not_yet(value, match[1], place.rung)
        except FigureError as error:
            wrong.append(generated.told(f"<!-- value {match[1]} -->", error))
            return match[0]
        return f"<!-- value {match[1]} -->{found}<!-- /value -->"

    text, blocks = BLOCK.subn(block, text)
    begun = re.findall(rf"^{BEGIN}$", text, flags=re.M)
    if len(begun) != blocks:
        names = sorted(
            name
            for name in {name for name, _ in begun}
            if len(re.findall(rf"^<!-- end {name} -->$", text, flags=re.M))
            != len([1 for other, _ in begun if other == name])
        )
        wrong.append(f"'begin' without an 'end' on a line of its own: {', '.join(names)}")
    if re.search(r"^[ >]*<!-- value", text, flags=re.M):  # Markdown would end the paragraph there
        wrong.append("a line begins with '<!-- value': move it to the end of the line before")
    return re.sub(r"<!-- value ([\w:]+) -->[^<]*<!-- /value -->", figure, text), wrong


def pages():
    """All pages with blocks."""
    return [
        pathlib.Path("README.md"),
        *sorted(pathlib.Path("docs").rglob("*.md")),
        *sorted(pathlib.Path("ladder").glob("[0-9][0-9]_*/README.md")),
    ]


def made():
    """({page: its text}, [what is wrong])"""
    texts, wrong = {}, []
    for path in pages():
        number = re.match(r"(\d\d)_", path.parent.name)
        place = Place(path, int(number[1]) if number else None)
        texts[path], lines = filled(path.read_text(), place)
        wrong += [type(line)(f"{path}: {line}") for line in lines]
    return texts, wrong


def main():
    """Rewrites or checks all files."""
    generated.main_of(__doc__, made)


if __name__ == "__main__":
    program.run(main)
