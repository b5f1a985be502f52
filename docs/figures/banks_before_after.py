"""Wavefronts of the inner loop's loads: rung 04, rungs 05 to 07, rung 08."""

from docs.figures.banks import bank_scale, draw_access, words_of
from docs.figures.shapes import EDGE, A, B, Picture, request
from docs.figures.tiles import tile_constants

X = 310


def loads(rung):
    """[(array, colour, how it is read, loads per k, recorded request)] of a thread for one k."""
    c = tile_constants(rung)
    found = []
    for array, color, extent in (("sA", A, c["TM"]), ("sB", B, c["TN"])):
        entry = request(rung, array, "shared load")
        floats = entry["access_bytes"] // 4
        found.append((array, color, f"{4 * floats} bytes a lane", extent / floats, entry))
    return found


def draw_narrow(picture, sections, total):
    """For phones: the words above the wavefronts."""
    y = picture.top
    for rung, name, how in sections:
        many, passes = total[rung]
        picture.lines(EDGE, y, [(name, "strong"), (how, "soft")])
        picture.text(EDGE, y + 46, f"{many:g} loads, {passes:g} wavefronts per k", "large")
        y += 62
        for _, color, _, _, entry in loads(rung):
            y = draw_access(picture, EDGE, y, *words_of(entry), color) + 8
        y += 30
    picture.height = y - 28
    return picture


def draw(narrow=False):
    """What the banks serve in each wavefront."""
    sections = [
        (4, "rung 04", "sA by rows: a load brings four k"),
        (5, "rungs 05 to 07", "sA transposed, all as float4"),
        (8, "rung 08", "lanes in 8 rows and 4 columns"),
    ]
    total = {
        rung: (
            sum(count for *_, count, _ in loads(rung)),
            sum(count * entry["wavefronts"] for *_, count, entry in loads(rung)),
        )
        for rung, _, _ in sections
    }
    words = "; ".join(
        f"{name}: {total[rung][0]:g} loads and {total[rung][1]:g} wavefronts per k"
        for rung, name, _ in sections
    )
    picture = Picture(
        "banks_before_after",
        640,
        "float4 saves loads, not wavefronts",
        "one load of warp 0 from sA (blue) and sB (orange): a row is a wavefront, a cell a bank, "
        "numbers are lanes",
        f"Wavefronts of the loads in the inner loop, for 64 multiply-adds per thread. {words}. "
        "Loads of 16 bytes are served by quarters of the warp, or by halves where neighbours share "
        "an address. No load has a bank conflict.",
        narrow,
    )
    if narrow:
        return draw_narrow(picture, sections, total)
    y = 104
    bank_scale(picture, X, y - 10)
    for rung, name, how in sections:
        picture.lines(24, y + 18, [(name, "strong"), (how, "soft")])
        many, passes = total[rung]
        picture.text(24, y + 72, f"{many:g} loads per k", "large")
        picture.text(24, y + 98, f"{passes:g} wavefronts per k", "large")
        for _, color, _, _, entry in loads(rung):
            y = draw_access(picture, X, y, *words_of(entry), color) + 10
        y = max(y, 0) + (34 if rung == 4 else 12)
        if rung != 8:
            picture.line([(24, y - 14), (976, y - 14)], "rule")
    return picture
