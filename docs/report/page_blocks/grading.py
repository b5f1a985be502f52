"""Blocks of the page about grading: how much points for speed differ from run to run, and which
mistakes check and grade find."""

import csv

from bench import SOURCES
from bench.rungs import rung_of
from docs.report.recorded import load, provenance

RECORD = "speed_points.json"
MUTANTS = SOURCES / "tests/classroom/mutants.csv"


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


def mutants_block(*_):
    """How many of the recorded mistakes each command finds, and those that check lets pass."""
    with MUTANTS.open(encoding="utf-8") as file:
        mutants = list(csv.DictReader(file))
    unseen = [row for row in mutants if row["check"] == "no"]
    parts = {"visible": 25, "hidden": 25, "memory": 20}
    graded = [
        row
        for row in mutants
        if any(row[part] and float(row[part]) < most for part, most in parts.items())
    ]
    rows = [
        "| command | finds |",
        "|---|---:|",
        f"| `ladder check`, `make check` | {len(mutants) - len(unseen)} of {len(mutants)} |",
        f"| `make grade` | {len(graded)} of {len(mutants)} |",
        "",
        "Those that check lets pass:",
        "",
        "| mistake | rung | visible | hidden | memory | found |",
        "|---|---|---:|---:|---:|---|",
    ]
    for row in unseen:
        points = (
            float(row[part]) if row[part] else None for part in ("visible", "hidden", "memory")
        )
        cells = ("" if each is None else f"{each:g}" for each in points)
        name = row["mutant"].replace("_", " ")
        rows.append(f"| {name} | {row['rung'][:2]} | {' | '.join(cells)} | {row['why']} |")
    return "\n".join(rows)


BLOCKS = {"mutants_caught": mutants_block, "speed_points": speed_points_block}
