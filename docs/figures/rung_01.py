"""Rungs 01 and 02: 32 rows of A against one line of B."""

from bench.rungs import rung_of
from docs.figures.shapes import A, B, Picture, plural, request
from docs.figures.tiles import hierarchy
from docs.report.wavefronts import BANKS, global_wavefronts

LINE, SECTOR, WORD = 128, 32, 4  # bytes
CELL = 17


def lines_of(entry):
    """{line: {word in the line: [lanes]}} of a recorded request."""
    found = {}
    for lane, address in enumerate(entry["addresses"]):
        words = found.setdefault(address // LINE, {})
        words.setdefault(address % LINE // WORD, []).append(lane)
    return found


def grid(picture, left):
    """(where the first of 32 words is, pixels of a word)"""
    return (left + 66, 11) if picture.narrow else (left + 76, CELL)


def draw_line(picture, x, y, cell, height, words, color):
    """A line of 32 words: those that are read, and the sectors that come with them."""
    sectors = {word * WORD // SECTOR for word in words}
    styles = []
    for word in range(LINE // WORD):
        near = word * WORD // SECTOR in sectors
        styles.append(f"f{color}" if word in words else f"f{color} tint" if near else "soft-fill")
    picture.row(x, y, cell, styles, height=height)


def draw_request(picture, left, y, entry, color):
    """A request's lines below each other; returns where the next may begin."""
    x, cell = grid(picture, left)
    found = list(lines_of(entry).values())
    height = 20 if len(found) < 4 else 10
    for i, words in enumerate(found):
        lanes = [lane for lanes in words.values() for lane in lanes]
        label = f"lane {lanes[0]}" if len(lanes) == 1 else f"{lanes[0]} to {lanes[-1]}"
        if i in (0, len(found) - 1):
            picture.text(x - 10, y + i * height + height / 2 + 5, label, "soft", "end")
        draw_line(picture, x, y + i * height, cell, height, words, color)
    bottom = y + len(found) * height
    for sector in range(1, LINE // SECTOR):
        at = x + sector * SECTOR // WORD * cell
        picture.line([(at, y - 2), (at, bottom + 2)], "axis")
    return bottom


def compare(picture, left, y, counts):
    """Wavefronts for one multiply-add as bars: [(words, wavefronts)]. Returns the bottom."""
    x, cell = grid(picture, left)
    longest = max(count for _, count in counts)
    picture.text(left, y, "wavefronts for one multiply-add of a warp", "strong")
    for i, (words, count) in enumerate(counts):
        top = y + 16 + 32 * i
        length = 32 * cell * count / longest * 0.93
        picture.text(x - 10, top + 15, words, "soft", "end")
        picture.bar(x, top, x + length, top + 20, "f3")
        picture.text(x + length + 8, top + 15, f"{count:g}", "strong")
    return y + 16 + 32 * len(counts)


def words_of(entry):
    """The word that each lane of a recorded request reads."""
    return [address // WORD for address in entry["addresses"]]


def words_between_rows():
    """K of the recorded requests."""
    words = words_of(request(1, "A", "global load"))
    return words[1] - words[0]


def passes(entry):
    """Wavefronts of a recorded request: words of one bank leave it one after the other."""
    return global_wavefronts(words_of(entry))


def counted(entry):
    """'32 words in 32 sectors and 1 bank: 32 wavefronts'"""
    words = set(words_of(entry))
    banks = {word % BANKS for word in words}
    return (
        f"{plural(len(words), 'word')} in {plural(entry['sectors'], 'sector')} and "
        f"{plural(len(banks), 'bank')}: {plural(passes(entry), 'wavefront')}"
    )


def access_map(name, rung, title, words, narrow):
    """The figure of rung 01 or 02."""
    of_a, of_b = request(rung, "A", "global load"), request(rung, "B", "global load")
    sectors = of_a["sectors"] + of_b["sectors"]
    wavefronts = passes(of_a) + passes(of_b)
    picture = Picture(
        name,
        572,
        title,
        f"one load of A and one of B by warp 0, for one k, at K = {words_between_rows()}; a row of "
        "cells is a line of 128 bytes",
        f"Rung {rung:02}. {words} For one k a load of A reads {counted(of_a)}; a load of B "
        f"{counted(of_b)}. Together {sectors} sectors and {wavefronts} wavefronts for one "
        "multiply-add of the warp.",
        narrow,
    )
    left, y = hierarchy(picture, rung)
    x, cell = grid(picture, left)
    for letter, entry, color in (("A", of_a, A), ("B", of_b, B)):
        picture.text(left, y, f"load of {letter}", f"strong f{color}")
        if narrow:
            y = picture.paragraph(left, y + 21, counted(entry)) - 21
        else:
            picture.text(x + 32 * cell, y, counted(entry), "strong", "end")
        y = draw_request(picture, left, y + 10, entry, color) + 30
    base = rung_of(rung).builds_on
    if base is not None:
        below = sum(passes(request(base, letter, "global load")) for letter in "AB")
        counts = [(f"rung {base:02}", below), (f"rung {rung:02}", wavefronts)]
        bottom = compare(picture, left, y if narrow else 262, [*counts, ("budget", 0.25)])
        y = picture.paragraph(
            left,
            bottom + 18,
            "budget: an SM starts 4 multiply-adds of warps per cycle and passes 1 wavefront",
            "soft",
        )
    entries = [("f0", "A read"), ("f1", "B read"), ("soft-fill", "not touched")]
    near = ("f0 tint", "comes along: sectors of 8 words")
    if narrow:
        y = picture.legend(left, y + 8, [*entries, near])
    else:
        picture.legend(left, picture.height - 58, entries)
        picture.legend(left + 330, picture.height - 58, [near])
    words = f"{sectors} sectors and {wavefronts} wavefronts for one multiply-add of the warp"
    picture.conclude(left, y + 14, words)
    return picture


def draw(narrow=False):
    """A warp in 32 rows of A."""
    return access_map(
        "rung_01",
        1,
        "Rung 01: neighbouring lanes are in 32 different rows of A",
        "Each lane computes one element of C; a warp is a column of 32.",
        narrow,
    )
