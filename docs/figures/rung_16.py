"""Rung 16: where the swizzle puts the pieces of rows, and what an ldmatrix meets in the banks."""

from docs.figures.shapes import A, B, Picture, requests
from docs.figures.tiles import hierarchy, tile_constants
from docs.report.wavefronts import BANKS, LANES, wavefronts

PIECE = 4  # words: 8 elements of BF16, what a lane names
PIECES = BANKS // PIECE  # of a line of 128 bytes
ROWS = 8  # of a tile of ldmatrix
WIDE, NARROW_WIDE, TALL = 35, 39, 24  # a cell


def named():
    """[first word of each lane], counted from its array, of the first ldmatrix of B and of A."""
    c = tile_constants(16)
    of_b, of_a = (entry for entry in requests(16) if entry["operation"] == "shared load")
    first_b = 2 * c["BM"] * c["BK"]  # B is behind A
    return (
        [(address - first_b) // 4 for address in of_b["addresses"]],
        [address // 4 for address in of_a["addresses"]],
    )


def without_swizzle(words, row):
    """The same rows, with each piece where the matrix has it; `row`: words of a row."""
    # The first 16 lanes name the first piece of 16 rows, the others the second.
    return [word // row * row + lane // 16 * PIECE for lane, word in enumerate(words)]


def piece_at(words, row, place):
    """(row, piece) that lies at a piece's place in memory, from what the lanes name."""
    swizzled = {word // row: word % row // PIECE for word in words[: LANES // 2]}
    m, at = divmod(place * PIECE, row)
    return m, (at // PIECE) ^ swizzled[m]


def draw_lines(picture, x, y, words, row, color):
    """Lines of 128 bytes with the pieces of rows; dark: what 8 lanes name, a tile of 8 x 8."""
    wide = NARROW_WIDE if picture.narrow else WIDE
    dark = {word // PIECE for word in words[:ROWS]}
    shown = range(0, ROWS * row, max(row, BANKS))  # a line per row, or per two rows
    for i, first in enumerate(shown):
        rows = [first // row + n for n in range(max(1, BANKS // row))]
        picture.text(x - 8, y + i * TALL + 17, ", ".join(map(str, rows)), "soft", "end")
        for j in range(PIECES):
            _, piece = piece_at(words, row, first // PIECE + j)
            own = first // PIECE + j in dark
            style = f"f{color}" if own else f"f{color} tint"
            at = x + j * wide, y + i * TALL
            picture.cell(*at, wide, TALL, style, piece, "on" if own else "plain")
    return y + len(shown) * TALL


def draw_pair(picture, x, y, name, words, row, color):
    """Rows as they are, and swizzled, beside each other or below."""
    plain = without_swizzle(words, row)
    step = 0 if picture.narrow else 346
    bottom = y
    for i, (how, lanes) in enumerate((("as it is", plain), ("swizzled", words))):
        left = x + 42 + i * step
        top = bottom if picture.narrow else y
        count = wavefronts(lanes)
        picture.text(left - 42, top, f"{name}, {how}: {count} wavefronts", f"strong f{color}")
        bottom = draw_lines(picture, left, top + 12, lanes, row, color) + 34
    return bottom


def draw(narrow=False):
    """Tiles of A and of B with and without the swizzle."""
    c = tile_constants(16)
    of_b, of_a = named()
    row_a, row_b = c["BK"] // 2, c["BN"] // 2  # words
    counts = [
        wavefronts(lanes)
        for words, row in ((of_a, row_a), (of_b, row_b))
        for lanes in (without_swizzle(words, row), words)
    ]
    picture = Picture(
        "rung_16",
        560,
        "Rung 16: a swizzle spreads 8 rows of a column over all 32 banks",
        "lines of 128 bytes in shared memory, a cell is a piece of 8 elements, 4 banks wide",
        f"Rung 16. ldmatrix reads four tiles, each of 8 rows of 16 bytes. As the matrix has them, "
        f"these pieces of A lie in two groups of banks, and a load takes {counts[0]} wavefronts; "
        f"those of B lie in one group, and it takes {counts[2]}. The kernel stores piece p of row "
        f"m of A at p xor m / 2 % 4, and piece p of row k of B at p xor k % 8: the 8 pieces of a "
        f"tile are in 32 banks, and a load takes {counts[1]} wavefronts, one for each tile.",
        narrow,
    )
    left, y = hierarchy(picture, 16)
    y = draw_pair(picture, left, y, "A", of_a, row_a, A)
    y = draw_pair(picture, left, y + 4, "B", of_b, row_b, B)
    words = (
        "A number is the piece of its row; dark: the 8 pieces of a tile that ldmatrix reads first."
    )
    y = picture.paragraph(left, y + 2, words)
    picture.paragraph(left, y, "At the left the rows that a line holds.", "soft")
    words = (
        f"{counts[1]} wavefronts instead of {counts[0]} and {counts[2]}, without a byte of padding"
    )
    picture.conclude(left, y + 34, words)
    return picture
