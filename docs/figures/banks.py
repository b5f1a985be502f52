"""A warp's access to shared memory as wavefronts: which lane is served by which bank, and when."""

from docs.figures.shapes import text_width
from docs.report.wavefronts import BANKS, LANES, lanes_at_once, wavefronts

CELL = 20.8


def passes(words, floats):
    """[{bank: lanes}] of each wavefront: a bank gives a word to all lanes that want it."""
    at_once = lanes_at_once(words, floats)
    found = []
    for first in range(0, LANES, at_once):
        in_bank = {}  # bank: {word: lanes}
        for lane in range(first, first + at_once):
            for i in range(floats):
                word = words[lane] + i
                in_bank.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        for turn in range(max(len(of_words) for of_words in in_bank.values())):
            found.append(
                {
                    bank: list(of_words.values())[turn]
                    for bank, of_words in in_bank.items()
                    if turn < len(of_words)
                }
            )
    assert len(found) == wavefronts(words, floats)
    return found


def words_of(entry):
    """(first word of each lane, words per lane) of a recorded request."""
    return [address // 4 for address in entry["addresses"]], entry["access_bytes"] // 4


def listed(lanes):
    """Lanes in words: '0-15', '0, 4'."""
    ranges = []
    for lane in lanes:
        if ranges and ranges[-1][1] == lane - 1:
            ranges[-1][1] = lane
        else:
            ranges.append([lane, lane])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def draw_pass(picture, x, y, one, color, cell=CELL, banks=BANKS):
    """A wavefront in its banks; neighbours that serve the same lanes are one cell."""
    bank, shade = 0, 0
    while bank < banks:
        lanes = one.get(bank)
        end = bank + 1
        while lanes and end < banks and one.get(end) == lanes and end % 4:
            end += 1
        if not lanes:
            picture.cell(x + bank * cell, y, cell, 24)
        else:
            width = (end - bank) * cell
            label = listed(lanes)
            if text_width(label) > width:
                label = str(lanes[0]) if text_width(str(lanes[0])) <= width + 1 else ""
            style = f"f{color} tint" if shade % 2 else f"f{color} half"
            picture.cell(x + bank * cell, y, width, 24, style, label)
            shade += 1
        bank = end


def draw_halves(picture, x, y, one, color):
    """A wavefront on a phone: banks 0 to 15, and below them the others."""
    half = BANKS // 2
    for first in (0, half):
        banks = {bank - first: lanes for bank, lanes in one.items()}
        picture.text(x, y + 17, f"{first}-{first + half - 1}", "soft")
        draw_pass(picture, x + 52, y, banks, color, 23, half)
        y += 26
    return y + 6


def draw_access(picture, x, y, words, floats, color, cell=CELL):
    """All wavefronts of an access below each other; returns where they end."""
    for one in passes(words, floats):
        if picture.narrow:
            y = draw_halves(picture, x, y, one, color)
            continue
        draw_pass(picture, x, y, one, color, cell)
        y += 28
    return y


def bank_scale(picture, x, y, cell=CELL):
    """Numbers of some banks above their cells; in a narrow picture what those at the left are."""
    if picture.narrow:
        picture.text(x, y, "banks", "soft")
        return
    picture.text(x, y, "bank 0", "soft")
    for bank in (8, 16, 24, 31):
        picture.text(x + (bank + 0.5) * cell, y, str(bank), "soft", "middle")
