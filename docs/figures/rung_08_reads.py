"""Rung 08: which registers each FFMA of a small thread tile reads afresh, in two orders."""

from docs.figures.shapes import EDGE, A, B, C, Picture

SIDE = 3  # of the thread tile that is drawn; the kernel's is larger
WIDTH, TALL = 84, 30  # of a cell
LEFT = 150
BANKS = 2  # each gives a register in a cycle


def order(turning):
    """(row, column) of the FFMAs of a k."""
    found = []
    for m in range(SIDE):
        cols = range(SIDE) if m % 2 == 0 or not turning else range(SIDE - 1, -1, -1)
        found += [(m, n) for n in cols]
    return found


def reads(places):
    """[((name, fresh) of a, of b, of the sum)] for each FFMA; a new k brings new words."""
    found = []
    before = (None, None)
    for m, n in places:
        found.append(((f"a{m}", m != before[0]), (f"b{n}", n != before[1]), (f"c{m}{n}", True)))
        before = (m, n)
    return found


def fresh_of(operands):
    """How many registers the banks have to give."""
    return sum(fresh for _, fresh in operands)


def draw_order(picture, y, name, turning):
    """An FFMA per column: what it reads, and how much of that is fresh."""
    picture.text(EDGE if picture.narrow else 24, y, name, "strong")
    left, width, gap = (102, 34, 4) if picture.narrow else (LEFT, WIDTH, 6)
    for i, operands in enumerate(reads(order(turning))):
        x = left + i * (width + gap)
        number = str(i) if picture.narrow else f"FFMA {i}"
        picture.text(x + width / 2, y + 26, number, "soft", "middle")
        for j, (color, (word, fresh)) in enumerate(zip((A, B, C), operands, strict=True)):
            style = f"f{color}" if fresh else "soft-fill"
            on = "on" if fresh else "soft"
            picture.cell(x, y + 36 + j * (TALL + 4), width, TALL, style, word, on)
        needs = fresh_of(operands)
        picture.text(
            x + width / 2,
            y + 36 + 3 * (TALL + 4) + 17,
            str(needs) if picture.narrow else f"{needs} fresh",
            "strong" if needs > BANKS else "soft",
            "middle",
        )
    if picture.narrow:
        picture.text(left - 10, y + 26, "FFMA", "soft", "end")
        picture.text(left - 10, y + 36 + 3 * (TALL + 4) + 17, "fresh", "soft", "end")
    for j, word in enumerate(("word of A", "word of B", "sum")):
        picture.text(left - 12, y + 36 + j * (TALL + 4) + 20, word, "", "end")


def draw(narrow=False):
    """Row by row, and in serpentine order."""
    count = SIDE * SIDE
    totals = [sum(map(fresh_of, reads(order(turning)))) for turning in (False, True)]
    named = [f"{total} fresh reads, at least {total / BANKS:g} cycles" for total in totals]
    picture = Picture(
        "rung_08_reads",
        504,
        "Rung 08: a serpentine order reads fewer fresh registers",
        f"the {count} FFMAs of one k in a thread tile of {SIDE} x {SIDE}; two banks give "
        f"{BANKS} registers per cycle",
        f"Rung 08. A thread tile of {SIDE} x {SIDE} has {count} FFMAs per k; each reads a word of "
        "A, a word of B and a sum. Row by row, the word of A stays along a row, but at each new "
        "row all three registers are fresh: "
        f"{named[0]}. In serpentine order every other row runs backwards, so the word of B "
        f"stays at each turn, and only the first FFMA has three fresh registers: {named[1]}.",
        narrow,
    )
    top = picture.top + 10
    draw_order(picture, top, f"row by row: {named[0]}", turning=False)
    draw_order(picture, top + 190, f"serpentine: {named[1]}", turning=True)
    fresh = [("f0", "fresh word of A"), ("f1", "fresh word of B"), ("f2", "fresh sum")]
    if narrow:
        entries = [*fresh, ("soft-fill", "kept from the FFMA before")]
        picture.height = picture.legend(EDGE, top + 390, entries) - 8
        return picture
    x = picture.legend(24, picture.height - 22, fresh)
    picture.legend(x, picture.height - 22, [("soft-fill", "kept from the FFMA before")])
    return picture
