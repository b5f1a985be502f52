"""Blocks of the pages about labs: all labs, and what one of them found, written by programs."""

import math

from bench import results_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, described
from docs.report.recorded_labs import file_of, finding, labs, report, series, with_unit

DRAWN = RESULTS.parent / "drawn_systems.json"
VERDICTS = {
    "holds": "✓ holds",
    "condition": "◐ holds with a condition",
    "wrong": "✗ wrong",
    "pending": "… pending",
    "simulated": "simulated, no verdict",
}
NEEDS = {
    "GPU or simulation": "",
    "emulator": " *Needs no GPU; one adds times.*",
    "nvcc": " *Needs the CUDA Toolkit.*",
    "two GPUs or simulation": " *Two GPUs.*",
}


def labs_block(*_):
    """All labs: what each asks, and what it needs beside a GPU or a simulated one."""
    rows = [
        (
            lab["number"],
            f"[{lab['name'].replace('_', ' ')}]({lab['name']}.md)",
            lab["question"] + NEEDS[lab["needs"]],
        )
        for lab in labs()
    ]
    return table(("", "lab", "question"), rows)


def shown(found):
    """A finding's value with its interval, where that is wider than a point."""
    estimate = found["value"]
    if estimate is None:
        return "not found"
    words = with_unit(estimate["value"], found["unit"])
    low, high = (with_unit(estimate[end], found["unit"]) for end in ("low", "high"))
    return words if low == high else f"{words} ({low} to {high})"


def lab_findings_block(_, name):
    """What a lab found, and how."""
    recorded = report(name)
    rows = [(found["name"], shown(found), found["how"]) for found in recorded["findings"]]
    file = file_of(name)
    made = f"{described(recorded['context'], '')}: [{file}](../../{RESULTS}/{file})"
    return "\n".join([table(("what", "found", "how"), rows), "", made])


def lab_claims_block(_, name):
    """What texts claim that the lab tests, and what it says to them."""
    rows = [
        (claim["claimed"], VERDICTS[claim["verdict"]], claim["because"])
        for claim in report(name)["claims"]
    ]
    return table(("claimed", "verdict", "because"), rows)


def drawn_systems_block(*_):
    """What each analysis made of systems drawn at random."""
    drawn = results_file.read(DRAWN)["benchmarks"]
    rows = [
        (
            row["name"],
            row["family"],
            row["systems"],
            row["recovered"],
            row["not_found"],
            row["wrong"],
            # A width of next to nothing: the answer is a count, a name, or a place in a sweep.
            f"{row['width_percent']:.0f} %" if row["width_percent"] else "",
        )
        for row in drawn
    ]
    heads = ("analysis", "of", "systems", "right", "not found", "wrong", "median width")
    every = "all answers", "", "", *(sum(row[i] for row in rows) for i in (3, 4, 5)), ""
    return table(heads, [*rows, every])


def tlb_misses_block(*_):
    """Random reads over more than the last TLB covers: how many of them miss, and misses a second.

    The TLB covers its entries, rounded down to a power of two, times what one of them translates.
    """
    entries = finding("tlb_reach", "tlb_2_entries")["value"]["value"]
    page = finding("tlb_reach", "tlb_2_page_bytes")["value"]["value"]
    covered = 2 ** int(math.log2(entries)) * page
    rows = []
    for region, rate in series("random_sampling", "one pass"):
        if region > covered:
            share = 1 - covered / region
            rows.append(
                (
                    with_unit(region, "bytes"),
                    f"{rate:.1f}",
                    f"{100 * share:.1f} %",
                    f"{share * rate:.2f}",
                )
            )
    return table(("region", "reads, billion/s", "that miss", "misses, billion/s"), rows)


BLOCKS = {
    "lab_findings": lab_findings_block,
    "lab_claims": lab_claims_block,
    "drawn_systems": drawn_systems_block,
    "labs": labs_block,
    "tlb_misses": tlb_misses_block,
}
