"""Rung 01: one element of C is a row of A times a column of B."""

from docs.figures.shapes import EDGE, Picture

ROW_OF, COL_OF = 1, 2  # the element that is drawn
A = ((1, 0, 2, 1), (2, 1, 0, 3), (0, 1, 1, 2))
B = ((1, 2, 4), (0, 1, 5), (3, 1, 1), (2, 0, 2))
CELL, NARROW_CELL = 46, 40


def grid(picture, x, y, cell, numbers, style_of, words):
    """A matrix with its numbers; style_of(row, column) is a cell's colour."""
    picture.text(x, y - 12, words, "strong")
    for i, row in enumerate(numbers):
        styles = [style_of(i, j) for j in range(len(row))]
        picture.row(x, y + i * cell, cell, styles, row)


def draw(narrow=False):
    """A, B above C, and the sum that makes one element."""
    product = [[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A]
    pairs = [(A[ROW_OF][k], B[k][COL_OF]) for k in range(len(B))]
    terms = " + ".join(f"{a} * {b}" for a, b in pairs)
    result = product[ROW_OF][COL_OF]
    picture = Picture(
        "rung_01_product",
        492,
        "One element of C needs a row of A and a column of B",
        f"A is {len(A)} x {len(B)}, B is {len(B)} x {len(B[0])}, C is {len(A)} x {len(B[0])}: "
        f"M = {len(A)}, N = {len(B[0])}, K = {len(B)}",
        f"Three matrices of small whole numbers, B above C and A at the left of C. Row {ROW_OF} of "
        f"A and column {COL_OF} of B are marked; they meet at the element of C that they make: "
        f"{terms} = {result}.",
        narrow,
    )
    left, cell = (EDGE, NARROW_CELL) if narrow else (60, CELL)
    top = picture.top + (22 if narrow else 4)
    right = left + cell * len(B) + 50
    below = top + cell * len(B) + 46
    grid(picture, right, top, cell, B, lambda i, j: "f1" if j == COL_OF else "f1 tint", "B")
    grid(picture, left, below, cell, A, lambda i, j: "f0" if i == ROW_OF else "f0 tint", "A")
    grid(
        picture,
        right,
        below,
        cell,
        product,
        lambda i, j: "f2" if (i, j) == (ROW_OF, COL_OF) else "f2 tint",
        "C",
    )
    if narrow:
        half = terms.index(" +", len(terms) // 2 - 2)
        lines = (
            (f"C[{ROW_OF}][{COL_OF}]", "strong"),
            ("rows, columns from 0", "soft"),
            f"= {terms[:half]}",
            f"   {terms[half + 1:]}",
            (f"= {result}", "large"),
        )
        picture.lines(left, top - 12, lines, gap=25)
        y = below + cell * len(A) + 34
        words = f"K = {len(B)} multiply-adds, 2K words read; no other element of C is needed: "
        picture.height = picture.paragraph(left, y, f"{words} a thread can do it", "soft") - 2
        return picture
    x = right + cell * len(B[0]) + 40
    picture.text(x, below - 12, f"C[{ROW_OF}][{COL_OF}], rows and columns from 0", "strong")
    picture.text(x, below + 18, f"= {terms}")
    picture.text(x, below + 48, f"= {result}", "large")
    picture.text(x, below + 86, f"K = {len(B)} multiply-adds, 2K words read", "soft")
    picture.text(x, below + 110, "no other element of C is needed: a thread can do it", "soft")
    return picture
