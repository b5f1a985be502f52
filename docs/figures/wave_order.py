"""The first wave over a large C in row order and in band order, and what it reads."""

from docs.figures.shapes import EDGE, Picture, card
from docs.figures.tiles import tile_constants
from docs.figures.waves import by_bands, by_rows, draw_wave, panels
from docs.report.recorded import profile

SIZE = 16384
BLOCKS_PER_SM = 2
MIB = 1 << 20


def draw(narrow=False):
    """Two orders, their panels and bytes, and L2."""
    c, of_card = tile_constants(7), card()
    tiles, band = SIZE // c["BM"], c["BAND"]
    wave = BLOCKS_PER_SM * of_card["sms"]
    orders = [
        ("row order (rung 06)", [by_rows(i, tiles) for i in range(wave)]),
        (f"bands of {band} rows (rung 07)", [by_bands(i, tiles, band) for i in range(wave)]),
    ]
    counts = [tuple(map(len, panels(places))) for _, places in orders]
    panel_mib = c["BM"] * SIZE * 4 / MIB
    reads = [(rows + cols) * panel_mib for rows, cols in counts]
    counters = [profile(rung, SIZE) for rung in (6, 7)]
    dram = [values["dram__bytes_read.sum"] * 1e-9 for values in counters]
    picture = Picture(
        "wave_order",
        610,
        f"In bands, a wave reads {reads[1]:.0f} MiB of A and B instead of {reads[0]:.0f}",
        f"the first {wave} blocks over C of {SIZE} x {SIZE}, in tiles of {c['BM']} x {c['BN']}",
        f"The {wave} blocks that run at a time, over C of {SIZE} x {SIZE}. In the order of rows "
        f"they read {counts[0][0]} panels of A and {counts[0][1]} of B, each {panel_mib:.0f} MiB: "
        f"{reads[0]:.0f} MiB. In bands of {band} rows of tiles they read {counts[1][0]} + "
        f"{counts[1][1]} panels: {reads[1]:.0f} MiB. L2 holds {of_card['l2_bytes'] / MIB:.0f} MiB. "
        f"For the whole product Nsight Compute counts {dram[0]:.1f} GB read from DRAM in rung 06 "
        f"and {dram[1]:.1f} GB in rung 07.",
        narrow,
    )
    edge, apart, cell = (EDGE, 220, 1.4) if narrow else (24, 320, 2)
    top = picture.top
    for i, (title, places) in enumerate(orders):
        x = edge + apart * i
        rows, cols = counts[i]
        picture.text(x, top, title.split(" (")[0] if narrow else title, "strong")
        bottom = draw_wave(picture, x, top + 14, cell, tiles, places)
        at = (x + 22 + tiles * cell / 2, top + 150) if narrow else (x + 150, 290)
        picture.text(*at, f"C, {tiles} x {tiles} tiles", "soft plain", "middle")
        picture.lines(
            x,
            bottom + 28,
            [
                (f"{rows} panels of A", "f0"),
                (f"{cols} panels of B", "f1"),
                (f"ncu: {dram[i]:.1f} GB {'' if narrow else 'read '}from DRAM", "soft"),
            ],
        )
    picture.lines(
        *((edge, bottom + 110) if narrow else (676, top)),
        [
            ("what a wave reads", "strong"),
            "(panels of A + panels of B)",
            f"x {c['BM']} x K x 4 bytes",
            "",
            f"a panel: {c['BM']} rows or columns,",
            f"{panel_mib:.0f} MiB at K = {SIZE}",
            "",
            f"rows: ({counts[0][0]} + {counts[0][1]}) x {panel_mib:.0f} = {reads[0]:.0f} MiB",
            f"bands: ({counts[1][0]} + {counts[1][1]}) x {panel_mib:.0f} = {reads[1]:.0f} MiB",
            "",
            "Blocks of a wave walk along K",
            "together, so L2 need not hold",
            "whole panels, but what one",
            "reads must still be there when",
            "the next one asks.",
        ],
    )
    left, scale = (edge + 120, 220 / reads[0]) if narrow else (160, 700 / reads[0])
    first = bottom + 110 + 21 * 15 + 10 if narrow else 490
    for i, (name, mib, style) in enumerate(
        (
            ("row order", reads[0], "f2 half"),
            ("bands", reads[1], "f2 half"),
            ("L2 of the H200", of_card["l2_bytes"] / MIB, "f3"),
        )
    ):
        y = first + 34 * i
        picture.text(left - 10, y + 19, name, "", "end")
        picture.bar(left, y, left + mib * scale, y + 26, style)
        picture.text(left + mib * scale + 10, y + 19, f"{mib:.0f} MiB", "strong")
    if narrow:
        picture.height = y + 44
    return picture
