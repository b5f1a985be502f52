"""Rungs 05 and 06: where in the machine code of a k tile the loads and the stores stand."""

from bench import results_file
from docs.figures.shapes import EDGE, Picture
from docs.report.recorded import RESULTS

X, TALL = 110, 40
SCALE = 1.46  # pixels an instruction
STYLES = {"FFMA": "f3 tint", "LDS": "f3 tint", "LDG": "f0", "STS": "f1", "BAR": "head"}


def order_of(rung):
    """[(kind, count)] of the main loop, in the order of the machine code."""
    entries = results_file.read(RESULTS.parent / "sass" / "loops.json")["benchmarks"]
    order = next(e["order"] for e in entries if (e["rung"], e["change"]) == (rung, ""))
    return [(kind.split(".")[0], count) for kind, count in order]


def between(order):
    """FFMA from the last load from global memory to the first store to shared memory."""
    kinds = [kind for kind, count in order for _ in range(count)]
    last = max(i for i, kind in enumerate(kinds) if kind == "LDG")
    first = next(i for i, kind in enumerate(kinds) if kind == "STS")
    return kinds[last:first].count("FFMA"), last, first


def place(narrow):
    """(left, pixels of an instruction)"""
    return (EDGE, 0.73) if narrow else (X, SCALE)


def draw_strip(picture, y, rung):
    """The loop from left to right; what moves a tile is taller."""
    at = 0
    begin, scale = place(picture.narrow)
    for kind, count in order_of(rung):
        left, right = begin + at * scale, begin + (at + count) * scale
        more = 10 if kind in ("LDG", "STS", "BAR") else 0
        picture.bar(
            left, y - more, max(right, left + 2), y + TALL + more, STYLES.get(kind, "soft-fill")
        )
        at += count
    name = f"rung {rung:02}"
    if picture.narrow:
        picture.text(begin, y - 18, name, "strong")
    else:
        picture.text(X - 14, y + TALL / 2 + 6, name, "strong", "end")


def draw(narrow=False):
    """Two loops below each other."""
    found = {rung: between(order_of(rung)) for rung in (5, 6)}
    picture = Picture(
        "rung_06_code",
        330,
        f"{found[6][0]} multiply-adds between asking and using, where rung 05 has {found[5][0]}",
        "machine code of the main loop, one k tile, first instruction at the left; every "
        "instruction is as wide as any other",
        "Machine code of the main loops in order. In rung 05 the loads from global memory are "
        "followed at once by the stores that need their words, then a barrier, all multiply-adds, "
        "and a barrier. In rung 06 the loads come after a third of the multiply-adds, and "
        f"{found[6][0]} multiply-adds lie between them and the stores; one barrier ends the tile.",
        narrow,
    )
    left, scale = place(narrow)
    y = picture.top + 20 if narrow else 110
    below = y + (120 if narrow else 98)
    draw_strip(picture, y, 5)
    draw_strip(picture, below, 6)
    _, last, first = found[6]
    on_the_way = f"on their way: {found[6][0]} FFMA"
    ends = left + last * scale, left + first * scale
    picture.bracket(*ends, below + 56, on_the_way, "strong", below=True)
    _, last, first = found[5]
    picture.text(left, y + 74, f"load, wait, store: {found[5][0]} FFMA between", "strong")
    end = picture.legend(
        left,
        below + 108,
        [
            ("f0", "global loads"),
            ("f1", "shared stores"),
            ("head", "barrier"),
            ("f3 tint", "FFMA and shared loads"),
            ("soft-fill", "other"),
        ],
    )
    if narrow:
        picture.height = end - 8
    return picture
