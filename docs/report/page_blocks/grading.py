"""Block of the page about grading: how much points for speed differ from run to run."""

from bench.rungs import rung_of
from docs.report.recorded import load, provenance

RECORD = "speed_points.json"


def span(values, digits):
    """'1.50 to 1.54', or one number where they are equal."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def speed_points_block(*_):
    """A row for each version of a rung that was timed several times."""
    rows = ["| kernel | your time / the reference's | points of 20 |", "|---|---:|---:|"]
    entries = load(RECORD)["benchmarks"]
    for entry in entries:
        shapes = zip(*(run["ratios"] for run in entry["runs"]), strict=True)
        ratios = ", ".join(span(shape, 2) for shape in shapes)
        points = span([run["points"] for run in entry["runs"]], 1)
        label = f"{rung_of(entry['rung']).label}, {entry['version'].replace(' x ', ' × ')}"
        rows.append(f"| {label} | {ratios} | {points} |")
    times = len(entries[0]["runs"])
    return "\n".join(
        [
            *rows,
            "",
            f"The lowest and the highest of {times} gradings each; rungs 12 "
            f"and 14 are timed at two shapes. {provenance(RECORD)}, recorded "
            "by `classroom/speed_spread.py`.",
        ]
    )


BLOCKS = {"speed_points": speed_points_block}
