"""How fast hot kernels are, against their bursts: the mean of the windows, and all of them."""

from docs.figures.shapes import EDGE, Picture
from docs.report.page_blocks.joules import SIZE, flop, hot_entries, name_of, this_gpu, window_ms
from docs.report.recorded import NotRecordedError, card_name, climb, precision_of
from docs.report.svg import Scale

COLOURS = {"FP32": 0, "TF32": 1, "BF16": 2}
LOW, HIGH = 70, 105  # percent


def rested(entry):
    """The entry of the same kernel in the burst climb."""
    for other in climb(SIZE).values():
        if other["name"] == entry["name"] and other["time_ms"]:
            return other
    raise NotRecordedError(f"climb_burst_{SIZE}.json has no {entry['name']}")


def shares(entry):
    """(slowest window, mean, fastest) in percent of the burst's speed."""
    burst = 100 * rested(entry)["time_ms"]
    times = entry["samples_ms"]
    return burst / max(times), burst / window_ms(entry), burst / min(times)


def tflops(ms):
    """Of a product."""
    return flop(SIZE) / ms * 1e-9


def draw(narrow=False):
    """A line for each kernel: from its slowest window to its fastest."""
    with this_gpu():
        entries, gpu = hot_entries(), card_name()
        found = [(entry, shares(entry), rested(entry)["time_ms"]) for entry in entries]
    fp32, bf16 = (
        [share for entry, share, _ in found if precision_of(entry) == kind]
        for kind in ("FP32", "BF16")
    )
    says = (
        f"FP32 keeps {min(mean for _, mean, _ in fp32):.0f} to "
        f"{max(mean for _, mean, _ in fp32):.0f} %, BF16 "
        f"{min(mean for _, mean, _ in bf16):.0f} to {max(mean for _, mean, _ in bf16):.0f} %"
    )
    picture = Picture(
        "hot_and_rested",
        210 + 30 * len(found),
        "What is left of a burst's speed when the GPU is hot",
        f"{gpu}, M = N = K = {SIZE}; dots: mean of the second after one second of heat; lines: its "
        "windows of 50 ms",
        f"Sustained speed as a share of the burst's: {says}. "
        + ", ".join(f"{name_of(entry)} {mean:.0f} %" for entry, (_, mean, _), _ in found)
        + ".",
        narrow,
    )
    left, right = (210, 460 - EDGE - 8) if narrow else (250, 800)
    top = picture.top + 8
    bottom = top + 30 * len(found)
    x = Scale((LOW, HIGH), (left, right))
    for tick in range(LOW, HIGH, 10):
        picture.line([(x(tick), top - 6), (x(tick), bottom)], "rule")
        picture.text(x(tick), bottom + 18, f"{tick} %", "soft", "middle")
    for i, (entry, (slowest, mean, fastest), burst_ms) in enumerate(found):
        y, colour = top + 14 + 30 * i, COLOURS[precision_of(entry)]
        picture.text(left - 10, y + 5, name_of(entry), "", "end")
        picture.line([(x(slowest), y), (x(fastest), y)], f"line l{colour}")
        picture.dot(x(mean), y, f"f{colour}", f"{mean:.1f} %")
        if not narrow:
            words = f"{tflops(burst_ms):.0f} → {tflops(window_ms(entry)):.0f} TFLOP/s"
            picture.text(right + 20, y + 5, words, "soft")
    x_of = EDGE if narrow else 24
    after = picture.legend(
        x_of if narrow else left, bottom + 44, [(f"f{c}", kind) for kind, c in COLOURS.items()]
    )
    picture.conclude(x_of, after + 6 if narrow else 0, says)
    return picture
