"""A warp's 32 lanes over memory, at strides of 1 to 32 floats."""

from docs.figures.shapes import EDGE, A, Picture, plural
from docs.report.wavefronts import LANES

STRIDES = (1, 2, 4, 8, 32)
WORDS = 64  # of memory that are drawn: two lines
CELL = 10.3
LINE, SECTOR, WORD = 128, 32, 4  # bytes


def counted(stride):
    """(sectors, lines) that the lanes of a warp touch."""
    addresses = [lane * stride * WORD for lane in range(LANES)]
    return tuple(len({address // size for address in addresses}) for size in (SECTOR, LINE))


def draw(narrow=False):
    """Touched words, and the sectors that come with them."""
    counts = {stride: counted(stride) for stride in STRIDES}
    listed = ", ".join(
        f"stride {stride}: {sectors} sectors in {plural(lines, 'line')}"
        for stride, (sectors, lines) in counts.items()
    )
    picture = Picture(
        "coalescing",
        540,
        "The same 32 words cost 4 to 32 sectors",
        f"a warp loads 32 floats, lane l at l x stride; drawn are the first {WORDS * WORD} bytes",
        f"A warp loads 32 floats of 4 bytes. Memory moves in sectors of 32 bytes; {listed}. Of the "
        "bytes moved, 128 are used.",
        narrow,
    )
    left, cell = (EDGE, 6.4) if narrow else (24, CELL)
    top, step = (picture.top + 22, 82) if narrow else (104, 72)
    for line in range(WORDS * WORD // LINE):
        x = left + line * LINE // WORD * cell
        picture.bracket(x + 2, x + LINE // WORD * cell - 2, top, f"line {line}, 128 bytes")
    for i, (stride, (sectors, lines)) in enumerate(counts.items()):
        y = top + 38 + step * i
        words = {lane * stride for lane in range(LANES)}
        near = {word * WORD // SECTOR for word in words}
        styles = []
        for word in range(WORDS):
            in_sector = word * WORD // SECTOR in near
            styles.append(f"f{A}" if word in words else f"f{A} tint" if in_sector else "soft-fill")
        picture.text(left, y - 6, f"stride {stride}", "strong")
        picture.row(left, y, cell, styles, height=24)
        for sector in range(1, WORDS * WORD // SECTOR):
            x = left + sector * SECTOR // WORD * cell
            picture.line([(x, y - 3), (x, y + 27)], "axis")
        if stride * LANES > WORDS:
            picture.text(left + WORDS * cell + 6, y + 17, "...", "strong")
        used = 100 * LANES * WORD / (sectors * SECTOR)
        words = f"{plural(lines, 'line')}, {used:g} % of bytes used"
        if narrow:
            picture.text(left + 90, y - 6, f"{sectors} sectors", "strong")
            picture.text(left, y + 44, words, "soft")
        else:
            picture.text(724, y + 9, f"{sectors} sectors", "large")
            picture.text(724, y + 31, words, "soft")
    end = picture.legend(
        left,
        y + 78 if narrow else 516,
        [
            (f"f{A}", "word that a lane wants"),
            (f"f{A} tint", "comes along in its sector"),
            ("soft-fill", "not moved"),
        ],
    )
    if narrow:
        picture.text(left, end, "lines between: sectors", "soft")
        picture.height = end + 18
    else:
        picture.text(976, 516, "lines between: sectors", "soft", "end")
    return picture
