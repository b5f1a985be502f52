"""How the errors of long sums grow with K: an FP32 chain, and three ways through tensor cores."""

from docs.figures.shapes import EDGE, Picture
from docs.report.page_blocks.split import digits, error_of, experiments
from docs.report.svg import Scale

CURVES = (  # way, colour, words beside its end
    ("large_first", 1, "one sum, large product first"),
    ("small_first", 2, "one sum, small products first"),
    ("fp32", 0, "FP32, one after the other"),
    ("chunk_512", 3, "chunks of 512"),
)


def draw(narrow=False):
    """Curves of recorded sums."""
    entries = experiments(positive=False)
    lengths = [entry["k"] for entry in entries]
    ends = {way: error_of(entries[-1], way) for way, *_ in CURVES}
    picture = Picture(
        "splitting",
        500,
        "Sums that tensor cores cut off go wrong like K, unless they are kept short",
        f"two FP16 parts, three products; {entries[0]['sums']} sums of normal numbers on the "
        "emulator's tensor cores",
        "Errors of long sums over K, in units of u*S. At K = "
        f"{lengths[-1]}: "
        + ", ".join(f"{words} {digits(ends[way])}" for way, _, words in CURVES)
        + ".",
        narrow,
    )
    left, right = (62, 460 - EDGE) if narrow else (90, 690)
    top, bottom = picture.top + 6, picture.top + (240 if narrow else 300)
    x = Scale((lengths[0], lengths[-1]), (left, right), logarithmic=True)
    y = Scale((1, 2000), (bottom, top), logarithmic=True)
    picture.grid(y, (1, 10, 100, 1000), left, right)
    for k in lengths:
        picture.text(x(k), bottom + 22, str(k), "soft", "end" if k == lengths[-1] else "middle")
    picture.text((left + right) / 2, bottom + 46, "K", "strong", "middle")
    below = bottom + 72
    for way, color, words in CURVES:
        points = [(x(entry["k"]), y(error_of(entry, way))) for entry in entries]
        picture.line(points, f"line thick l{color}")
        label = f"{words}: {digits(ends[way])}"
        if narrow:
            picture.text(EDGE, below, label, f"strong f{color}")
            below += 22
        else:
            picture.text(right + 12, points[-1][1] + 5, label, f"strong f{color}")
    times = ends["fp32"] / ends["chunk_512"]
    words = f"at K = {lengths[-1]} chunks are {times:.1f} times more exact than FP32"
    picture.conclude(EDGE if narrow else 24, below + 8, words)
    return picture
