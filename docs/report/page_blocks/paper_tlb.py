"""Blocks of the page that goes through a paper about TLBs: its tables and figures beside ours."""

import math

from bench import SOURCES, results_file
from bench.record import simulated_cards
from docs.report import recorded_labs
from docs.report.page_blocks.claims import CLAIMS, VERDICTS
from docs.report.page_blocks.markdown import table
from docs.report.recorded_cards import (
    CARDS,
    FACTORS,
    K80_GROUPS,
    K80_SMS,
    TABLE_2,
    TABLE_3,
    found,
    report,
)
from docs.report.recorded_labs import with_unit

H200 = "h200"
NAMES = {"k80": "K80", "p100": "P100"}
FIGURES = (  # of the paper: what it shows, the lab, rows of the claims
    (
        "1a, 10",
        "random reads over more and more memory, and in passes",
        "random_sampling",
        ("R150", "R151", "R154", "R178", "R179", "R181"),
    ),
    ("1b, 9, 11", "the same with a hash table", "hash_grouping", ("R152", "R177", "R180")),
    (
        "2, 3, 4",
        "latency by distance, for several strides",
        "tlb_reach",
        ("R158", "R161", "R162", "R163", "R164", "R165"),
    ),
    (
        "5, 6, 7, 12",
        "which SMs share a TLB, and which are missing",
        "tlb_sharing",
        ("R171", "R185"),
    ),
    ("table 3", "256 K80s", "tlb_sharing", ("R170",)),
    ("section 4.4", "fewer than 1000 threads", "hash_grouping", ("R173",)),
    ("section 4.5", "16 neighbouring pages", "tlb_reach", ("R168", "R169")),
)


def signs(rows):
    """Verdicts of the claims that stand for some rows."""
    claims = results_file.read(SOURCES / CLAIMS)
    return " ".join(
        VERDICTS[claim["verdict"]][0] for claim in claims if set(claim.get("rows", ())) & set(rows)
    )


def paper_figures_block(*_):
    """Each figure: what it shows, how to make it, and what our claims say."""
    rows = []
    for figure, shows, lab, claims in FIGURES:
        words = " ".join(str(word) for word in simulated_cards.command_of("k80", lab))
        rows.append(
            (
                figure,
                shows,
                f"`build/memory_lab {words}`",
                f"[{signs(claims)}](../chapters/claims.md)",
            )
        )
    return table(("figure", "shows", "ours, without a GPU", "claims"), rows)


def finding_of(card, key):
    """A finding of tlb_reach of a simulated card, or of the recorded H200."""
    if card == H200:
        value = recorded_labs.finding("tlb_reach", key)["value"]
    else:
        value = found(card, "tlb_reach", key)
    return None if value is None else value["value"]


def groups_of(card, level):
    """'13 groups of 1 SM'"""
    key = f"tlb_{level}_groups"
    if card == H200:
        how = recorded_labs.finding("tlb_sharing", key)["how"]
    else:
        how = next(
            each["how"] for each in report(card, "tlb_sharing")["findings"] if each["key"] == key
        )
    return how.split(";")[0]


def paper_tlbs_block(*_):
    """Table 2 and what the labs find on cards that are made of it; the recorded H200 below."""
    rows = []
    for card in (*CARDS, H200):
        for level in range(1, (len(TABLE_2[card]) if card in TABLE_2 else 2) + 1):
            ours = [
                with_unit(finding_of(card, f"tlb_{level}_{key}"), unit)
                for key, unit in (
                    ("reach_bytes", "bytes"),
                    ("page_bytes", "bytes"),
                    ("entries", ""),
                    ("miss_cycles", "cycles"),
                )
            ]
            if card in TABLE_2:
                reach, page, entries, cycles, shared = TABLE_2[card][level - 1]
                theirs = (
                    f"{with_unit(reach, 'bytes')}, {entries} × {with_unit(page, 'bytes')}, "
                    f"{cycles} cycles; {shared}"
                )
                name = f"{NAMES[card]}, TLB {level}"
            else:
                theirs, name = "-", f"H200, TLB {level}, recorded"
            reach, page, entries, cycles = ours
            rows.append(
                (name, theirs, f"{reach}, {entries} × {page}, {cycles}; {groups_of(card, level)}")
            )
    return table(("", "the paper", "our labs"), rows)


def ratio_of(card, lab, above, below):
    """One finding over another."""
    if card == H200:
        top, bottom = (recorded_labs.finding(lab, key)["value"] for key in (above, below))
    else:
        top, bottom = (found(card, lab, key) for key in (above, below))
    return f"{top['value'] / bottom['value']:.1f}x"


def paper_factors_block(*_):
    """What the paper lost and won, and what ours do."""
    keys = {  # of the simulated cards, and of the H200's own passes
        "random_fall": ("random_sampling", "best_reads", "largest_reads"),
        "random_cure": ("random_sampling", "cure_5", "largest_reads"),
        "grouping_fall": ("hash_grouping", "best_tuples", "largest_tuples"),
        "grouping_cure": ("hash_grouping", "cure_spill_2048_mib", "largest_tuples"),
        "random_small": ("random_sampling", "cure_1", "largest_reads"),
        "grouping_small": ("hash_grouping", "cure_spill_128_mib", "largest_tuples"),
    }
    own = {"random_cure": "cure_2", "grouping_cure": "cure_spill_4"}
    rows = []
    for key, (words, *theirs) in FACTORS.items():
        lab, above, below = keys[key]
        cells = []
        for card, factor in zip(CARDS, theirs, strict=True):
            told = factor if isinstance(factor, str) else f"{factor}x" if factor else "-"
            cells += [told, ratio_of(card, lab, above, below)]
        small = key.endswith("small")  # no pass of the H200's was as small
        cells.append("-" if small else ratio_of(H200, lab, own.get(key, above), below))
        rows.append((words, *cells))
    return table(
        ("", "K80, paper", "simulated", "P100, paper", "simulated", "H200, recorded"), rows
    )


def same_group(a, b):
    """Whether two SMs of a full K80 share a TLB: numbers go to the groups in turn."""
    return a % K80_GROUPS == b % K80_GROUPS


def paper_k80s_block(*_):
    """Table 3, and what it would be if chance chose the SMs."""
    cards = sum(TABLE_3.values())
    together = sum(count for pair, count in TABLE_3.items() if same_group(*pair))
    pairs = math.comb(K80_SMS, 2)
    alike = K80_GROUPS * math.comb(K80_SMS // K80_GROUPS, 2)
    rows = [
        ("cards", str(cards), ""),
        ("different pairs", str(len(TABLE_3)), f"{pairs}"),
        ("most frequent pair", f"{max(TABLE_3.values()) / cards:.1%}", f"{1 / pairs:.1%}"),
        ("both of one group", f"{together / cards:.1%}", f"{alike / pairs:.1%}"),
        (
            "pairs with a number below 10",
            str(sum(min(pair) < K80_SMS - K80_GROUPS for pair in TABLE_3)),
            str(pairs - math.comb(K80_GROUPS, 2)),
        ),
    ]
    return table(("SMs that are switched off", "table 3", "possible, or by chance"), rows)


BLOCKS = {
    "paper_figures": paper_figures_block,
    "paper_tlbs": paper_tlbs_block,
    "paper_factors": paper_factors_block,
    "paper_k80s": paper_k80s_block,
}
