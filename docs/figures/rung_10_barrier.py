"""Rungs 09 and 10: what a warp issues around the barrier of a k tile, in machine code."""

from bench import results_file
from docs.figures.shapes import EDGE, Picture
from docs.report.recorded import RESULTS

X, TALL = 110, 40
BEFORE, AFTER = 50, 120  # instructions shown on either side of the barrier
SCALE = 860 / (BEFORE + AFTER + 1)
STYLES = {"FFMA": "f3", "LDS.128": "f1", "BAR": "head"}


def around(rung):
    """[kind] of the instructions around the barrier; the loop begins again where it ends."""
    entries = results_file.read(RESULTS.parent / "sass" / "loops.json")["benchmarks"]
    order = next(e["order"] for e in entries if (e["rung"], e["change"]) == (rung, ""))
    kinds = [kind for kind, count in order for _ in range(count)]
    at = kinds.index("BAR")
    return [kinds[(at + i) % len(kinds)] for i in range(-BEFORE, AFTER + 1)]


def gap(kinds):
    """Instructions between the barrier and the next FFMA."""
    return kinds[BEFORE + 1 :].index("FFMA")


def place(narrow):
    """(left, pixels of an instruction)"""
    return (EDGE, 428 / (BEFORE + AFTER + 1)) if narrow else (X, SCALE)


def draw_strip(picture, y, rung, kinds):
    """Instructions from left to right; the barrier is taller."""
    begin, scale = place(picture.narrow)
    for i, kind in enumerate(kinds):
        left = begin + i * scale
        more = 12 if kind == "BAR" else 0
        style = STYLES.get(kind, "soft-fill")
        picture.bar(left, y - more, left + scale, y + TALL + more, style)
    name = f"rung {rung:02}"
    if picture.narrow:
        picture.text(begin, y - 8, name, "strong")
    else:
        picture.text(X - 14, y + TALL / 2 + 6, name, "strong", "end")


def draw(narrow=False):
    """Two strips with the barrier at the same place."""
    kinds = {rung: around(rung) for rung in (9, 10)}
    gaps = {rung: gap(of_rung) for rung, of_rung in kinds.items()}
    after = kinds[10][BEFORE + 1 :]
    loads = after.index("LDS.128")
    picture = Picture(
        "rung_10_barrier",
        310,
        f"Rung 10 passes the barrier with {loads} multiply-adds that need nothing from memory",
        "machine code of a warp around the barrier of a k tile, in order; each instruction is as "
        "wide as any other",
        f"Machine code around the barrier. In rung 09 a warp issues {gaps[9]} other instructions "
        "after the barrier, with the operand loads among them, before its first multiply-add. In "
        f"rung 10 the barrier is followed by {loads} multiply-adds, and the loads of the next k "
        "are among those after them.",
        narrow,
    )
    left, scale = place(narrow)
    y = picture.top + 22 if narrow else 116
    start = left + (BEFORE + 1) * scale
    picture.text(start - scale / 2, y - 22, "barrier", "strong", "middle")
    for rung, of_rung in kinds.items():
        draw_strip(picture, y, rung, of_rung)
        count, words = (gaps[9], "without an FFMA") if rung == 9 else (loads, "FFMA")
        picture.bracket(start, start + count * scale, y + 54, f"{count} {words}", below=True)
        y += 110 if narrow else 84
    end = picture.legend(
        left if narrow else X + 360,
        y if narrow else 296,
        [("f3", "FFMA"), ("f1", "loads of operands"), ("soft-fill", "all other instructions")],
    )
    if narrow:
        picture.height = end - 8
    return picture
