"""Blocks of the pages about labs: all labs, and what one of them found, written by programs."""

import math
import re

from bench import results_file
from docs.report.judged_again import claims_of
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, described
from docs.report.recorded_labs import (
    CARDS,
    cards_of,
    file_of,
    finding,
    folder_of,
    labs,
    series,
    with_unit,
)

DRAWN = RESULTS.parent / "drawn_systems.json"
VERDICTS = {
    "holds": "✓ holds",
    "condition": "◐ holds with a condition",
    "wrong": "✗ wrong",
    "pending": "… pending",
    "simulated": "simulated, no verdict",
}
AGAIN = " †"
AGAIN_MEANS = (
    "† The recorded run gave another verdict. This one follows from what it measured, by the rule "
    "that the lab has now."
)
NEEDS = {
    "GPU or simulation": "",
    "GPU of compute capability 9.0": " *A GPU of compute capability 9.0.*",
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


def finding_rows(reports):
    """[(its name, what each card found, how)] of all findings, in the order of the last report.

    Of a finding that more than one card has, the name and the how are the last report's: its
    sentences have that card's figures.
    """
    of_cards = [{found["key"]: found for found in each["findings"]} for each in reports]
    keys = list(of_cards[-1]) + [key for key in of_cards[0] if key not in of_cards[-1]]
    rows = []
    for key in keys:
        found = [of_card.get(key) for of_card in of_cards]
        cells = [shown(each) if each else "" for each in found]
        known = [each for each in found if each]
        rows.append((name_of(known), *cells, known[-1]["how"]))
    return rows


def name_of(found):
    """The name of a finding, with the sizes of each card where only these differ."""
    names = list(dict.fromkeys(each["name"] for each in found))
    parts = [re.split(r"(\d[\d.]*)", name) for name in names]
    if len({tuple(words[::2]) for words in parts}) == 1:
        return "".join(" / ".join(dict.fromkeys(same)) for same in zip(*parts))
    sizes = {tuple(words[1::2]) for words in parts}
    return names[-1] if len(sizes) == 1 else " / ".join(names)


def lab_findings_block(_, name):
    """What a lab found, card beside card, and how."""
    reports = cards_of(name)
    heads = [card.upper() for card in reports] if len(reports) > 1 else ["found"]
    how = f"how ({heads[-1]})" if len(reports) > 1 else "how"
    made = [
        f"{described(each['context'], '')}: "
        + f"[{file_of(name)}](../../{folder_of(card)}/{file_of(name)})"
        for card, each in reports.items()
    ]
    rows = finding_rows(list(reports.values()))
    return "\n".join([table(("what", *heads, how), rows), "", "<br>\n".join(made)])


def lab_claims_block(_, name):
    """What texts claim that the lab tests, and what it says to them."""
    reports = cards_of(name)
    of_cards = {card.upper(): numbered(claims_of(each)) for card, each in reports.items()}
    keys = list(dict.fromkeys(key for claims in of_cards.values() for key in claims))
    rows = []
    for key in keys:
        cells = {card: claims[key] for card, claims in of_cards.items() if key in claims}
        words = next(iter(cells.values()))["claimed"]
        verdicts = {card: given_verdict(claim) for card, claim in cells.items()}
        reasons = {card: claim["because"] for card, claim in cells.items()}
        named = len(of_cards) > 1
        rows.append((words, side_by_side(verdicts, named), side_by_side(reasons, named)))
    shown_claims = table(("claimed", "verdict", "because"), rows)
    return f"{shown_claims}\n\n{AGAIN_MEANS}" if AGAIN in shown_claims else shown_claims


def given_verdict(claim):
    """A verdict in words, marked where the recorded run gave another one."""
    return VERDICTS[claim["verdict"]] + (AGAIN if claim.get("again") else "")


def numbered(claims):
    """{(row of the table of claims, which one of that row): claim}"""
    rows = [claim["row"] for claim in claims]
    return {(row, rows[:i].count(row)): claims[i] for i, row in enumerate(rows)}


def side_by_side(of_cards, named):
    """What cards say: once where all say the same, else each with its name."""
    if not named or len(of_cards) > 1 and len(set(of_cards.values())) == 1:
        return next(iter(of_cards.values()))
    return "<br>".join(f"{card}: {words}" for card, words in of_cards.items())


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


MOVES = 0.05  # a twentieth; runs of one card differ by less
COMPARED = {  # what pages compare of two cards: findings of labs
    "device_card": ("sms", "l2_bytes", "dram_bytes", "dram_bytes_per_second"),
    "latency": ("l1_cycles", "l1_bytes", "l2_cycles", "plateau_2_cycles", "dram_cycles"),
    "sectors": ("l1_fetch_bytes", "l2_fetch_bytes"),
    "l2_bandwidth": ("l2_read_gbps", "printed_gbps", "l2_knee_bytes"),
    "memory_bandwidth": ("read_gbps", "write_gbps", "copy_gbps", "loaded_latency_ns"),
    "set_aside": ("most_set_aside_bytes", "all_protected_bytes"),
    "l2_sides": ("penalty_cycles", "sms_of_side_1", "mask", "granularity_bytes"),
    "near_memory": ("copy_right_over_off_speed_percent", "copy_right_over_off_power_percent"),
    "tlb_reach": (
        "tlb_1_reach_bytes",
        "tlb_1_page_bytes",
        "tlb_2_reach_bytes",
        "tlb_2_page_bytes",
        "tlb_2_miss_cycles",
    ),
    "tlb_sharing": ("tlb_1_groups",),
    "shared_memory": ("cycles_per_wavefront", "ffma_latency_cycles", "ffma_per_cycle"),
    "random_sampling": ("best_reads",),
    "roofline": ("fp32_tflops", "ridge_flop_per_byte"),
}


def compared_rows():
    """[(whether it moves, cells)] of all findings that both cards have."""
    rows = []
    for lab, keys in COMPARED.items():
        for key in keys:
            here, there = (finding(f"{lab}@{card}", key) for card in CARDS)
            values = [each["value"]["value"] for each in (here, there)]
            moves = (
                values[0] != values[1]
                if there["unit"] == "mask"
                else abs(values[1] / values[0] - 1) > MOVES
            )
            ratio = "" if there["unit"] == "mask" else f"{values[1] / values[0]:.2f}"
            name = f"[{there['name']}]({lab}.md)"
            shown_values = (with_unit(v, there["unit"]) for v in values)
            rows.append((moves, (name, *shown_values, ratio)))
    return rows


def cards_compared_block(*_):
    """What moves from one card to the other, and what does not."""
    heads = ("", *(card.upper() for card in CARDS), "ratio")
    rows = compared_rows()
    parts = []
    for title, wanted in (("**These move:**", True), ("**These do not:**", False)):
        parts += [title, table(heads, [cells for moves, cells in rows if moves == wanted])]
    return "\n\n".join(parts)


BLOCKS = {
    "cards_compared": cards_compared_block,
    "lab_findings": lab_findings_block,
    "lab_claims": lab_claims_block,
    "drawn_systems": drawn_systems_block,
    "labs": labs_block,
    "tlb_misses": tlb_misses_block,
}
