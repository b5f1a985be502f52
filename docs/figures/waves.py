"""Which tiles of C the blocks of a wave work on, and which panels of A and B they read."""

from docs.figures.shapes import A, B


def by_rows(block, tiles):
    """(row, column) of a block in the order of a plain grid."""
    return block // tiles, block % tiles


def by_bands(block, tiles, band):
    """(row, column) in rung 07: down a column of `band` tiles, then the next column."""
    in_band = block % (band * tiles)
    return block // (band * tiles) * band + in_band % band, in_band // band


def panels(places):
    """(rows of tiles, columns of tiles) that some blocks touch."""
    return {row for row, _ in places}, {col for _, col in places}


def draw_wave(picture, x, y, cell, tiles, places, path=0):
    """C in tiles with those of a wave; panels of A at its left, of B above. Returns the bottom.

    path: so many blocks are joined in their order.
    """
    rows, cols = panels(places)
    side = tiles * cell
    strip = 16
    picture.bar(
        x + strip + 6, y + strip + 6, x + strip + 6 + side, y + strip + 6 + side, "soft-fill"
    )
    for row, in_row in by_row(places).items():
        top = y + strip + 6 + row * cell
        left = x + strip + 6 + min(in_row) * cell
        right = x + strip + 6 + (max(in_row) + 1) * cell
        picture.bar(left, top, right, top + cell, "f2 half")
    if cell > 4:
        for i in range(1, tiles):
            at = strip + 6 + i * cell
            picture.line([(x + at, y + strip + 6), (x + at, y + strip + 6 + side)], "edge")
            picture.line([(x + strip + 6, y + at), (x + strip + 6 + side, y + at)], "edge")
    extent(
        picture, rows, y + strip + 6, cell, lambda a, b: picture.bar(x, a, x + strip, b, f"f{A}")
    )
    extent(
        picture, cols, x + strip + 6, cell, lambda a, b: picture.bar(a, y, b, y + strip, f"f{B}")
    )
    if path:
        at = [
            (x + strip + 6 + (col + 0.5) * cell, y + strip + 6 + (row + 0.5) * cell)
            for row, col in places[:path]
        ]
        picture.arrow(at, "line ink", 5)
    return y + strip + 6 + side


def by_row(places):
    """{row: columns}"""
    found = {}
    for row, col in places:
        found.setdefault(row, []).append(col)
    return found


def extent(picture, numbers, first, cell, draw):
    """Draws the run of panels that some numbers cover; they follow each other."""
    draw(first + min(numbers) * cell, first + (max(numbers) + 1) * cell)
