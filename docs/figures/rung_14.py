"""Rung 14: tiles of many forms, and which one the model picks for a shape."""

import math

from bench.rungs import rung_named
from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, paint
from docs.report.recorded import sms

PIXELS, NARROW_PIXELS = 2.5, 2  # of a row or column of C
SHAPES = (
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (4096, 4096, 4096),
    (4, 2048, 2048),
    (2048, 4, 2048),
    (128, 128, 16384),
    (4096, 4096, 16),
)


def forms_of(rung):
    """Constants of the kernel for small products with its flattest, squarest and narrowest tile.

    One of a single row is too wide to draw.
    """
    alone = [each for each in rung.configurations if each["cluster"] == 1]
    kernels = [configuration["kernels"][0] for configuration in alone]
    small = [kernel for kernel in kernels if rung.kernels[kernel]["function"] == "small_kernel"]

    def slope(c):
        return math.log(c["BN"] / c["BM"])

    values = [rung.values(kernel) for kernel in small]
    known = sorted((c for c in values if c["BM"] > 1), key=slope)
    return known[-1], min(known, key=lambda c: abs(slope(c))), known[0]


def lanes_of(c):
    """'4 x 8': how the lanes of a warp lie."""
    return f"{c['LANES_M']} x {c['LANES_N']}"


def draw_form(picture, x, y, c, pixels):
    """A tile to scale with the results of lane 0. Returns its right."""
    right = x + c["BN"] * pixels
    picture.bar(x, y, right, y + c["BM"] * pixels, "f2 tint")
    own = [4 * n * c["LANES_N"] + i for n in range(c["TN"] // 4) for i in range(4)]
    paint(picture, x, y, pixels, [m * c["LANES_M"] for m in range(c["TM"])], own, "f2")
    return right


def draw_forms(picture, x, y, rung):
    """Some of the tiles of the kernel for small and narrow products."""
    pixels = NARROW_PIXELS if picture.narrow else PIXELS
    for c in forms_of(rung):
        right = draw_form(picture, x, y, c, pixels)
        wide = c["BN"] * pixels > 90  # then the words stand below
        at = (x, y + c["BM"] * pixels + 22) if wide else (right + 12, y + 12)
        picture.lines(
            *at,
            [
                (f"{c['BM']} x {c['BN']}", "strong"),
                f"{lanes_of(c)} lanes",
                f"{c['TM']} x {c['TN']} each",
            ],
            "soft",
        )
        x = right + (30 if wide else 130)


def picks(rung):
    """(shape, configuration, tiles, k tiles) of each shape, in words."""
    for shape in SHAPES:
        plan = rung.plan(shape)
        depth = rung.configuration(plan["configuration"])["BK"]
        yield (
            " x ".join(map(str, shape)),
            plan["configuration"],
            f"{plan['tiles']}",
            f"{plan['k_tiles']} of {depth}",
        )


def draw_picks(picture, left, y, rung):
    """A table of shapes and what the model picks for them."""
    heads = ("M x N x K", "picked", "tiles", "k tiles")
    at = (left, left + 190, left + 470, left + 570)
    for x, words in zip(at, heads, strict=True):
        picture.text(x, y, words, "strong")
    for i, row in enumerate(picks(rung)):
        for x, words in zip(at, row, strict=True):
            picture.text(x, y + 25 * (i + 1), words)


def draw_narrow_picks(picture, left, y, rung):
    """The same with two lines for each shape. Returns the base line below them."""
    for shape, configuration, tiles, k_tiles in picks(rung):
        picture.text(left, y, shape, "strong")
        picture.text(left, y + 20, f"{configuration}: {tiles} tiles; k tiles: {k_tiles}")
        y += 48
    return y


def draw(narrow=False):
    """Forms of tiles and picks."""
    rung = rung_named("every_shape")
    known = len(rung.configurations)
    picked = "; ".join(
        f"{' x '.join(map(str, shape))}: {rung.plan(shape)['configuration']}" for shape in SHAPES
    )
    forms = ", ".join(f"{c['BM']} x {c['BN']} by {lanes_of(c)}" for c in forms_of(rung))
    picture = Picture(
        "rung_14",
        620,
        "Rung 14: a tile for each shape, picked by a model",
        f"{known} configurations; the model says what each would take on {sms()} SMs",
        f"Rung 14 has {known} configurations. The lanes of a warp may form any rectangle, so "
        f"that a tile can be as flat or as narrow as C: {forms} lanes. A model computes what each "
        f"configuration would take and picks the fastest. {picked}.",
        narrow,
    )
    left, y = hierarchy(picture, 14)
    title = "some tiles of the small kernel to scale, and what lane 0 computes of them"
    y = picture.paragraph(left, y, title, "strong") - 5
    draw_forms(picture, left, y, rung)
    if narrow:
        y = draw_narrow_picks(picture, left, y + 206, rung)
    else:
        picture.line([(left, 306), (976, 306)], "rule")
        draw_picks(picture, left, 338, rung)
    words = "a tile that fits the product, and enough of them for every SM"
    picture.conclude(left, y + 12, words)
    return picture
