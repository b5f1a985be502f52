"""Rungs 09 and 10: what a warp issues for the same number of multiply-adds."""

from bench import results_file
from docs.figures.shapes import EDGE, Picture
from docs.report.recorded import RESULTS

X, WIDTH, TALL = 130, 840, 40
KINDS = (
    ("loads", "loads of operands", "f1"),
    ("copies", "copies, what ptxas puts in front of them, barriers", "f0"),
    ("other", "addresses, edge tests, loop", "soft-fill"),
)


def counts_of(rung):
    """{kind: instructions} of a rung's main loop in machine code."""
    entries = results_file.read(RESULTS.parent / "sass" / "loops.json")["benchmarks"]
    counts = next(e["counts"] for e in entries if (e["rung"], e["change"]) == (rung, ""))
    kind_of = {"FFMA": "FFMA", "LDS.128": "loads", "other": "other"}  # all else moves a tile
    found = dict.fromkeys(("FFMA", *(kind for kind, _, _ in KINDS)), 0)
    for name, count in counts.items():
        found[kind_of.get(name, "copies")] += count
    return found


def draw(narrow=False):
    """The instructions that are no FFMA, as one bar per rung."""
    counts = {rung: counts_of(rung) for rung in (9, 10)}
    ffma = counts[10]["FFMA"]
    trips = {rung: ffma // kinds["FFMA"] for rung, kinds in counts.items()}
    shown = {
        rung: {kind: count * trips[rung] for kind, count in kinds.items() if kind != "FFMA"}
        for rung, kinds in counts.items()
    }
    totals = {rung: sum(kinds.values()) for rung, kinds in shown.items()}
    words = " ".join(
        f"Rung {rung:02} issues {totals[rung]}: {kinds['loads']} loads of operands, "
        f"{kinds['copies']} for copies and barriers, {kinds['other']} others."
        for rung, kinds in shown.items()
    )
    picture = Picture(
        "rung_10_slots",
        316,
        f"{ffma:,} FFMAs come with {totals[9]} other instructions in rung 09, {totals[10]} here",
        "machine code of the main loop: all instructions of a warp that are no FFMA",
        f"Instructions beside {ffma} multiply-adds, per warp. {words}",
        narrow,
    )
    left, width = (EDGE, picture.width - 2 * EDGE) if narrow else (X, WIDTH)
    top, step = (picture.top + 14, 98) if narrow else (92, 76)
    scale = width / max(totals.values())
    for i, (rung, kinds) in enumerate(shown.items()):
        x, y = left, top + step * i
        trip = "one k tile" if trips[rung] == 1 else f"{trips[rung]} k tiles"
        name = f"rung {rung:02}"
        if narrow:
            picture.text(left, y - 8, f"{name}, {trip}", "strong")
        else:
            picture.text(X - 14, y + TALL / 2 + 6, name, "strong", "end")
        for kind, _, style in KINDS:
            on = "plain" if style == "soft-fill" else "on"
            picture.cell(x, y, kinds[kind] * scale, TALL, style, kinds[kind], on)
            x += kinds[kind] * scale
        ratio = (ffma + totals[rung]) / ffma
        words = f"({ffma:,} + {totals[rung]}) / {ffma:,} = {ratio:.2f} instructions per FFMA"
        words = words if narrow else f"{trip}: {words}"
        picture.text(left, y + TALL + 19, words, "soft")
    named = [(style, name) for _, name, style in KINDS]
    if narrow:
        picture.height = picture.legend(left, y + TALL + 52, named) - 8
        return picture
    picture.legend(X, 270, [named[0], named[2]])
    picture.legend(X, 298, named[1:2])
    return picture
