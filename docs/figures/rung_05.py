"""Rung 05: float4 from global memory, stored transposed, read as float4."""

from docs.figures.banks import bank_scale, draw_access, words_of
from docs.figures.shapes import A, Picture, request
from docs.figures.tiles import hierarchy, tile_constants

SMALL = 26
SHOWN = 9  # columns of sA
COLUMN = 4  # that receives the float4


def loads_per_k(rung):
    """Load instructions of a thread for one k."""
    c = tile_constants(rung)
    if rung == 4:
        return c["TN"] + c["TM"] // 4  # A: 16 bytes of four k at once
    return c["TN"] // 4 + c["TM"] // 4


def draw_transpose(picture, x, y, c):
    """A row of A as float4, and the column of sA that it becomes. Returns where banks begin."""
    grid_x, grid_y = (x + 22, y + 126) if picture.narrow else (x + 300, y - 12)
    picture.text(x, y - 34, "A in global memory, row m", "strong f0")
    picture.text(x, y - 12, "one load of 16 bytes", "soft")
    picture.row(x, y, 34, ["f0"] * 4, ["k0", "k1", "k2", "k3"], 28)
    picture.row(x + 4 * 34, y, 34, ["f0 tint"] * 2, height=28)
    picture.text(grid_x, grid_y - 22, f"sA, transposed: {c['BK']} rows of k", "strong f0")
    for k in range(c["BK"]):
        picture.text(grid_x - 8, grid_y + k * SMALL + 18, str(k), "soft", "end")
        styles = ["f0" if col == COLUMN and k < 4 else "f0 tint" for col in range(SHOWN)]
        words = [f"k{k}" if col == COLUMN and k < 4 else "" for col in range(SHOWN)]
        picture.row(grid_x, grid_y + k * SMALL, 30, styles, words, SMALL)
        picture.text(grid_x + SHOWN * 30 + 14, grid_y + k * SMALL + 18, "...", "soft")
    picture.frame(grid_x + COLUMN * 30, grid_y, 4 * 30, SMALL, "line thick l3")
    bottom = grid_y + c["BK"] * SMALL
    picture.text(grid_x + (COLUMN + 0.5) * 30, bottom + 17, "m", "strong", "middle")
    if picture.narrow:
        way = [(x + 3 * 34, y + 36), (x + 3 * 34, y + 84)]
        stores, loads, below = (x + 126, y + 54), (x, bottom + 42), bottom + 106
    else:
        way = [(x + 6 * 34 + 8, y + 14), (grid_x - 30, y + 14)]
        stores, loads, below = (x, y + 62), (x, y + 125), 390
    picture.arrow(way, "lead l0")
    words = [("in: four stores of 4 bytes,", "strong"), f"a row of {c['BM']} + 4 words apart"]
    picture.lines(*stores, words)
    words = [("out: 4 neighbouring rows of A", "strong f3"), "are one load of 16 bytes"]
    picture.lines(*loads, words)
    return below


def draw(narrow=False):
    """The transposed store, with and without padding, and the loads that it saves."""
    c = tile_constants(5)
    store = request(5, "sA", "shared store")
    padded, _ = words_of(store)
    row = c["BM"] + 4
    unpadded = [word // row * c["BM"] + word % row for word in padded]
    before, after = loads_per_k(4), loads_per_k(5)
    picture = Picture(
        "rung_05",
        620,
        f"Rung 05: {after} loads of 16 bytes per k, where rung 04 needs {before} loads",
        "A is transposed on its way into shared memory, so that rows of A become neighbours",
        f"Rung 05. A thread loads four k of a row of A as one float4 and stores them into four "
        f"rows of sA, which holds A transposed. Eight rows of A for one k are then two loads of "
        f"16 bytes: {after} load instructions per k and thread instead of {before} in rung 04, for "
        f"the same 64 multiply-adds. With rows of {c['BM']} words the transposing store would take "
        "2 wavefronts, as lanes meet in 16 banks; with 4 words of padding it takes "
        f"{store['wavefronts']}.",
        narrow,
    )
    left, y = hierarchy(picture, 5)
    y = draw_transpose(picture, left, y + 36, c)
    words = "banks that one store of a warp meets, with lane numbers"
    y = picture.paragraph(left, y - 12, words, "strong") - 9
    bank_scale(picture, left, y + 14)
    for title, lanes in (
        (f"rows of {c['BM']} words: 2 wavefronts", unpadded),
        (f"rows of {c['BM']} + 4 words: 1 wavefront", padded),
    ):
        picture.text(left, y + 40, title, "f0")
        y = draw_access(picture, left, y + 50, lanes, 1, A) - 10
    words = f"the same 64 multiply-adds with {after} loads instead of {before}"
    picture.conclude(left, y + 50, words)
    return picture
