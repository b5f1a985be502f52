"""Rung 13: tiles of many forms, and which one the model picks for a shape."""

from docs.figures.shapes import Picture
from docs.figures.tiles import RIGHT, hierarchy, paint
from docs.report.by_hand import LANES, SMS
from docs.report.configurations import configurations, picked, tiles_of

FORMS = ("4 x 128, small", "32 x 32, small", "64 x 4, small")
PIXELS = 2.5  # of a row or column of C
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


def named(name):
    """The configuration of this name."""
    return next(each for each in configurations() if each.name == name)


def draw_form(picture, x, y, configuration):
    """A tile to scale with the results of lane 0. Returns its right."""
    t = configuration.template
    rows = t["LANES_M"]
    cols = LANES // rows
    right = x + configuration.BN * PIXELS
    picture.bar(x, y, right, y + configuration.BM * PIXELS, "f2 tint")
    own = [4 * n * cols + i for n in range(t["TN"] // 4) for i in range(4)]
    paint(picture, x, y, PIXELS, [m * rows for m in range(t["TM"])], own, "f2")
    return right


def draw_forms(picture, y):
    """Some of the tiles of the kernel for small and narrow products."""
    x = RIGHT
    for name in FORMS:
        configuration = named(name)
        t = configuration.template
        right = draw_form(picture, x, y, configuration)
        wide = configuration.BN * PIXELS > 100
        at = (x, y + configuration.BM * PIXELS + 22) if wide else (right + 12, y + 12)
        picture.lines(
            *at,
            [
                (f"{configuration.BM} x {configuration.BN}", "strong"),
                f"{t['LANES_M']} x {LANES // t['LANES_M']} lanes",
                f"{t['TM']} x {t['TN']} each",
            ],
            "soft",
        )
        x = right + (30 if wide else 130)


def draw_picks(picture, y):
    """A table of shapes and what the model picks for them."""
    heads = ("M x N x K", "picked", "tiles", "k tiles")
    at = (RIGHT, RIGHT + 190, RIGHT + 470, RIGHT + 570)
    for x, words in zip(at, heads, strict=True):
        picture.text(x, y, words, "strong")
    for i, shape in enumerate(SHAPES):
        configuration = picked(shape)
        tiles, k_tiles = tiles_of(configuration, shape)
        row = (
            " x ".join(map(str, shape)),
            configuration.name,
            f"{tiles}",
            f"{k_tiles} of {configuration.BK}",
        )
        for x, words in zip(at, row, strict=True):
            picture.text(x, y + 25 * (i + 1), words)


def draw():
    """Forms of tiles and picks."""
    known = configurations()
    picks = "; ".join(f"{' x '.join(map(str, shape))}: {picked(shape).name}" for shape in SHAPES)
    forms = ", ".join(
        f"{each.BM} x {each.BN} by {each.template['LANES_M']} x {LANES // each.template['LANES_M']}"
        for each in map(named, FORMS)
    )
    picture = Picture(
        "rung_13",
        600,
        "Rung 13: a tile for each shape, picked by a model",
        f"{len(known)} configurations; the model says what each would take on {SMS} SMs",
        f"Rung 13 has {len(known)} configurations. The lanes of a warp may form any rectangle, so "
        f"that a tile can be as flat or as narrow as C: {forms} lanes. A model computes what each "
        f"configuration would take and picks the quickest. {picks}.",
    )
    hierarchy(picture, 13)
    title = "some tiles of the small kernel to scale, and what lane 0 computes of them"
    picture.text(RIGHT, 94, title, "strong")
    draw_forms(picture, 110)
    picture.line([(RIGHT, 290), (976, 290)], "rule")
    draw_picks(picture, 322)
    picture.text(
        RIGHT,
        picture.height - 24,
        "a tile that fits the product, and enough of them for every SM",
        "large",
    )
    return picture
