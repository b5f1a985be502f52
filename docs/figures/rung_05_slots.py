"""Rungs 04 and 05: what the instructions of the main loop do."""

from bench import results_file
from docs.figures.shapes import EDGE, Picture, text_width
from docs.report.recorded import RESULTS

X, WIDTH, TALL = 150, 820, 44
KINDS = (
    ("FFMA", "multiply-adds", "f3"),
    ("loads", "loads from shared memory", "f1"),
    ("copies", "global loads, shared stores, barriers", "f0"),
    ("other", "addresses, guards, loop", "soft-fill"),
)


def counts_of(rung):
    """{kind: instructions} of a rung's main loop in machine code."""
    entries = results_file.read(RESULTS.parent / "sass" / "loops.json")["benchmarks"]
    counts = next(e["counts"] for e in entries if (e["rung"], e["change"]) == (rung, ""))
    found = dict.fromkeys((kind for kind, _, _ in KINDS), 0)
    kind_of = {"FFMA": "FFMA", "LDS": "loads", **dict.fromkeys(("LDG", "STS", "BAR"), "copies")}
    for name, count in counts.items():
        found[kind_of.get(name.split(".")[0], "other")] += count
    return found


def draw(narrow=False):
    """One bar per rung, an instruction as wide as any other."""
    counts = {rung: counts_of(rung) for rung in (4, 5)}
    totals = {rung: sum(kinds.values()) for rung, kinds in counts.items()}
    words = " ".join(
        f"Rung {rung:02} has {totals[rung]}: {kinds['FFMA']} multiply-adds, {kinds['loads']} loads "
        f"from shared memory, {kinds['copies']} that copy tiles or are barriers, and "
        f"{kinds['other']} for addresses, guards and the loop."
        for rung, kinds in counts.items()
    )
    picture = Picture(
        "rung_05_slots",
        322,
        f"{totals[4]} instructions become {totals[5]}, for the same {counts[4]['FFMA']} FFMA",
        "machine code of the main loop: what a warp issues for one k tile, each instruction as "
        "wide as any other",
        f"Instructions of the main loop of machine code, per warp and k tile. {words}",
        narrow,
    )
    left, width = (EDGE, picture.width - 2 * EDGE) if narrow else (X, WIDTH)
    top, step = (picture.top + 14, 98) if narrow else (92, 78)
    scale = width / max(totals.values())
    for i, (rung, kinds) in enumerate(counts.items()):
        x, y = left, top + step * i
        at = (left, y - 8) if narrow else (X - 14, y + TALL / 2 + 6, "end")
        picture.text(*at[:2], f"rung {rung:02}", "strong", *at[2:])
        for kind, _, style in KINDS:
            extent = kinds[kind] * scale
            label = str(kinds[kind]) if text_width(str(kinds[kind])) + 3 < extent else ""
            on = "plain" if style == "soft-fill" else "on"
            picture.cell(x, y, extent, TALL, style, label, on)
            x += extent
        ratio = totals[rung] / kinds["FFMA"]
        picture.text(
            left,
            y + TALL + 19,
            f"{totals[rung]} / {kinds['FFMA']} = {ratio:.2f} " "instructions per FFMA",
            "soft",
        )
    if narrow:
        y += TALL + 52
        for kind, name, style in KINDS:
            words = f"{name}: {counts[4][kind]}, then {counts[5][kind]}"
            y = picture.legend(left, y, [(style, words)])
        picture.height = y - 8
        return picture
    y = 270
    named = [
        (style, f"{name}: {counts[4][kind]}, then {counts[5][kind]}") for kind, name, style in KINDS
    ]
    picture.legend(X, y, named[:2])
    picture.legend(X, y + 28, named[2:])
    return picture
