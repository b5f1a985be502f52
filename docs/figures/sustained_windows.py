"""A second under the power limit, window by window: what the speed does."""

from itertools import accumulate

from docs.figures.hot_and_rested import rested
from docs.figures.shapes import EDGE, Picture
from docs.report.page_blocks.joules import SIZE, hot_entries, name_of, this_gpu
from docs.report.recorded import NotRecordedError, card_name
from docs.report.svg import Scale

CURVES = {"10_wide_tile": 0, "17_wgmma": 1, "22_hopper_summit": 2, "best_cublaslt_bf16": 3}
HEATED = 1.0  # seconds before the first window
LOW, HIGH = 75, 103  # percent of the burst's speed


def points(entry):
    """[(seconds since the kernel began, percent of the burst's speed)] of its windows."""
    times, launches = entry["samples_ms"], entry["launches_per_sample"]
    ends = accumulate(times, initial=0.0)
    burst = rested(entry)["time_ms"]
    return [
        (HEATED + (before + ms / 2) * launches * 1e-3, 100 * burst / ms)
        for before, ms in zip(ends, times)
    ]


def draw(narrow=False):
    """A curve for each kernel."""
    with this_gpu():
        entries, gpu = {entry["name"]: entry for entry in hot_entries()}, card_name()
        curves = {name: points(entries[name]) for name in CURVES if name in entries}
    rungs = [name for name in curves if entries[name]["rung"]]
    if not rungs:
        raise NotRecordedError(f"climb_sustained_{SIZE}.json has none of {', '.join(CURVES)}")
    ends = {
        name: (max(share for _, share in curve), curve[-1][1]) for name, curve in curves.items()
    }
    picture = Picture(
        "sustained_windows",
        500,
        "A second under the power limit, window by window",
        f"{gpu}, M = N = K = {SIZE}, after a second of heat; speed of windows of 50 ms, "
        "as a share of the burst's",
        "Speed of windows of 50 ms as a share of the burst's speed, over the time since the kernel "
        "began to run. Fastest window and last window: "
        + ", ".join(
            f"{name_of(entries[name])} {best:.0f} and {last:.0f} %"
            for name, (best, last) in ends.items()
        )
        + ".",
        narrow,
    )
    left, right = (62, 460 - EDGE) if narrow else (90, 720)
    top, bottom = picture.top + 6, picture.top + (240 if narrow else 300)
    x = Scale((0.98, 2.02), (left, right))
    y = Scale((LOW, HIGH), (bottom, top))
    picture.grid(y, range(80, HIGH, 10), left, right, lambda tick: f"{tick} %")
    for second in (1.0, 1.2, 1.4, 1.6, 1.8, 2.0):
        picture.text(x(second), bottom + 22, f"{second:.1f}", "soft", "middle")
    picture.text((left + right) / 2, bottom + 46, "seconds", "strong", "middle")
    below, labels = bottom + 72, []
    for name, curve in curves.items():
        colour, drawn = CURVES[name], [(x(at), y(share)) for at, share in curve]
        picture.line(drawn, f"line l{colour}")
        for at in drawn:
            picture.dot(*at, f"f{colour}", radius=3)
        words = name_of(entries[name])
        if narrow:
            picture.text(EDGE, below, words, f"strong f{colour}")
            below += 22
        else:
            labels.append((drawn[-1][0] + 6, drawn[-1][1], words, f"strong f{colour}"))
    picture.labels(labels, right + 20, top, bottom)
    best, last = ends[rungs[-1]]
    says = f"{name_of(entries[rungs[-1]])}: up to {best:.0f} %, and {last:.0f} % in the last window"
    picture.conclude(EDGE if narrow else 24, below + 8, says)
    return picture
