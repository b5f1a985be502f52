"""Rung 15: which lane holds which element of A, B and C in one mma.sync m16n8k8."""

from docs.figures.shapes import A, B, C, Picture, requests
from docs.figures.tiles import hierarchy, results_of, tile_constants

ROWS, COLUMNS, DEPTH = 16, 8, 8  # of C, and of K, in one mma
WIDE, TALL, NARROW_WIDE = 33, 21, 25  # a cell


def loaded():
    """{(k, n): lane} and {(m, k): lane} of the warp's first loads of B and of A."""
    c = tile_constants(15)
    of_b, of_a = (entry for entry in requests(15) if entry["operation"] == "shared load")
    words = [[address // 4 for address in entry["addresses"]] for entry in (of_b, of_a)]
    first_b = c["BM"] * c["BK"]  # B comes after A

    def of_swizzled(word, row_length, moved):
        row, col = divmod(word, row_length)
        return row, (col // 4 ^ moved(row)) * 4 + col % 4

    named = [of_swizzled(word, c["BK"], lambda m: m // 2 % 4) for word in words[1]]
    return (
        {
            of_swizzled(word - first_b, c["BN"], lambda k: k % 4 * 2): lane
            for lane, word in enumerate(words[0])
        },
        # ldmatrix: of each row that a lane names, four lanes get a word.
        {(m, k + i): name % 8 * 4 + i for name, (m, k) in enumerate(named) for i in range(4)},
    )


def draw_matrix(picture, x, y, extents, lane_at, piece_at, color):
    """A matrix with the lane that holds each element; each register of a lane has a shade."""
    rows, cols = extents
    wide = NARROW_WIDE if picture.narrow else WIDE
    for i in range(rows):
        for j in range(cols):
            lane = lane_at(i, j)
            shade = "" if lane == 0 else (" tint", " half")[piece_at(i, j) % 2]
            text = "on" if lane == 0 else "plain"
            at = x + j * wide, y + i * TALL
            picture.cell(*at, wide, TALL, f"f{color}{shade}", lane, text)
    return x + cols * wide, y + rows * TALL


def draw(narrow=False):
    """A at the left, B above and C where they meet, as in a product on paper."""
    of_b, of_a = loaded()
    sums = {
        (row, col): lane
        for lane in range(32)
        for row in results_of(15, lane)[0][:2]
        for col in results_of(15, lane)[1][:2]
    }
    picture = Picture(
        "rung_15",
        690,
        "Rung 15: one mma.sync multiplies 16 x 8 by 8 x 8 words that 32 lanes hold",
        "the number in a cell is the lane whose register holds the element",
        "Rung 15. mma.sync m16n8k8 multiplies 16 x 8 elements of A by 8 x 8 of B and adds them to "
        "16 x 8 sums. Lane l holds four elements of A, in rows l / 4 and l / 4 + 8 and columns "
        "l % 4 and l % 4 + 4; two of B, in rows l % 4 and l % 4 + 4 of column l / 4; and four "
        "sums, in rows l / 4 and l / 4 + 8 and columns l % 4 * 2 and the next. One ldmatrix brings "
        "A to the warp, and each load one half of B.",
        narrow,
    )
    left, y = hierarchy(picture, 15)
    wide, gap = (NARROW_WIDE, 22) if narrow else (WIDE, 40)
    right = left + DEPTH * wide + gap
    y += 8
    middle = y + DEPTH * TALL + 38
    picture.text(right, y - 12, "B: 8 of K, 8 columns", f"strong f{B}")
    draw_matrix(
        picture, right, y, (DEPTH, COLUMNS), lambda k, n: of_b[k % 4, n], lambda k, _: k // 4, B
    )
    picture.text(left, middle - 12, "A: 16 rows, 8 of K", f"strong f{A}")
    draw_matrix(
        picture,
        left,
        middle,
        (ROWS, DEPTH),
        lambda m, k: of_a[m, k],
        lambda m, k: m // 8 + k // 4,
        A,
    )
    picture.text(right, middle - 12, "C: 16 x 8 sums", f"strong f{C}")
    _, bottom = draw_matrix(
        picture, right, middle, (ROWS, COLUMNS), lambda m, n: sums[m, n], lambda m, _: m // 8, C
    )
    words = (
        "dark: lane 0 holds",
        "4 words of A,",
        "2 of B and 4 sums.",
        "Tiles of ldmatrix and",
        "loads of B have shades.",
    )
    picture.lines(left, y + 14, words, "soft")
    words = f"{ROWS * COLUMNS * DEPTH:,} multiply-adds in one instruction of a warp"
    picture.conclude(left, bottom + 40, words)
    return picture
