"""Charts beside the figures of a paper of 2017: its cards simulated, and its experiments."""

import functools
import re

from docs.report import chart, recorded_labs
from docs.report.chart import Axis, Chart, Curve
from docs.report.recorded import described
from docs.report.recorded_cards import report, series

BYTES = "bytes"
NAMES = {"k80": "K80", "p100": "P100"}
STRIDES = {  # of figures 3 and 4
    "k80": ("128 KiB", "1 MiB", "2 MiB", "4 MiB"),
    "p100": ("2 MiB", "16 MiB", "32 MiB", "64 MiB"),
}


def chosen(card, lab, *pairs):
    """Curves of a card: (its recorded name, its name in the chart)."""
    return [Curve(words, series(card, lab, name)) for name, words in pairs]


def sampling(card):
    """Figures 1a and 10."""
    return {
        "title": f"Simulated {NAMES[card]}: random reads of 4 bytes, by the region",
        "curves": chosen(
            card,
            "random_sampling",
            ("one pass", "one pass"),
            ("passes over 128 MiB", "passes over 128 MiB"),
            ("passes over 2 GiB", "passes over 2 GiB"),
        ),
        "x": Axis("region", BYTES, logarithmic=True),
        "y": Axis("reads", "billions per second"),
    }


def grouping(card):
    """Figures 1b and 11."""
    return {
        "title": f"Simulated {NAMES[card]}: keys counted in a hash table, by its size",
        "curves": chosen(
            card,
            "hash_grouping",
            ("one pass", "one pass"),
            ("passes over 128 MiB, the", "over 128 MiB, copied"),
            ("passes over 2 GiB", "over 2 GiB, read again"),
            ("passes over 2 GiB, the", "over 2 GiB, copied"),
        ),
        "x": Axis("table", BYTES, logarithmic=True),
        "y": Axis("keys", "billions per second"),
    }


def reach(card):
    """Figures 3 and 4."""
    return {
        "title": f"Simulated {NAMES[card]}: latency by distance and stride",
        "curves": chosen(
            card,
            "tlb_reach",
            *((f"stride {stride}", f"stride {stride}") for stride in STRIDES[card]),
        ),
        "x": Axis("distance", BYTES, logarithmic=True),
        "y": Axis("latency", "cycles", least=200),
    }


def pairs_of(groups):
    """[(SM, SM)] that share, of [(SM, group)]."""
    return [(a, b) for a, group in groups for b, other in groups if group == other]


def shares(title, groups):
    """Which SMs share, as a matrix: figures 5 to 7 and 12."""
    return {
        "title": title,
        "curves": [Curve(name, pairs_of(members), dots=True) for name, members in groups],
        "x": Axis("SM"),
        "y": Axis("the SM that it can slow down"),
    }


def sharing(card):
    """Figures 5 and 6: the level whose groups are neither one SM nor all, and the first."""
    levels = {"k80": ("TLB of 130 MiB",), "p100": ("TLB of 2.031 GiB", "TLB of 32 MiB")}[card]
    return shares(
        f"Simulated {NAMES[card]}: who shares a TLB with whom",
        [(name, series(card, "tlb_sharing", name)) for name in levels],
    )


def full_layout(groups, missing):
    """[(number on the full chip, group)] of SMs that are there, and of those that are missing.

    groups: [(SM, group)], as the chip at hand numbers its SMs
    missing: numbers on the full chip; one of them has the group whose turn it is there
    """
    groups = dict(groups)
    full = [number for number in range(len(groups) + len(missing)) if number not in missing]
    there = {number: groups[sm] for sm, number in enumerate(full)}
    turn = next(n for n in full if n > 0 and there[n] == there[0] and there[n - 1] != there[0])
    return list(there.items()), [(number, there[number - turn]) for number in missing]


def layout(card):
    """Figures 7 and 12: the sharing of all SMs, with those that are switched off."""
    level = {"k80": "TLB of 130 MiB", "p100": "TLB of 2.031 GiB"}[card]
    found = next(f for f in report(card, "tlb_sharing")["findings"] if f["key"] == "tlb_2_off")
    words = re.findall(r"([\d and]+) of the full chip", found["how"])
    missing = [int(number) for word in words for number in re.findall(r"\d+", word)]
    there, off = full_layout(series(card, "tlb_sharing", level), missing)
    whole = pairs_of(sorted(there + off))
    return {
        **shares(f"Full {NAMES[card]}, as the lab completes it: who shares the {level}", []),
        "curves": [
            Curve("SMs that are there", [p for p in whole if not set(p) & set(missing)], dots=True),
            Curve(
                "with one that is switched off",
                [p for p in whole if set(p) & set(missing)],
                dots=True,
            ),
        ],
    }


def sharing_h200():
    """The same of the recorded H200."""
    return {
        **shares(
            "H200: who shares the last TLB with whom",
            [("last TLB", recorded_labs.series("tlb_sharing", "TLB of 55"))],
        ),
        "source": described(recorded_labs.report("tlb_sharing")["context"], ""),
    }


def neighbours():
    """The 16 pages of section 4.5."""
    return {
        "title": "Simulated P100: two loads, of which the first misses, by their distance",
        "curves": chosen(
            "p100",
            "tlb_reach",
            ("pairs, TLB of 2.031 GiB, from 0", "first at the beginning of an entry"),
            ("pairs, TLB of 2.031 GiB, from half", "first in its middle"),
        ),
        "x": Axis("distance", BYTES),
        "y": Axis("latency", "cycles", least=300),
    }


def threads():
    """Section 4.4's fifth point."""
    curves = []
    for card, name in NAMES.items():
        points = series(card, "hash_grouping", "threads")
        curves.append(Curve(f"simulated {name}", [(x, 100 * y / points[-1][1]) for x, y in points]))
    return {
        "title": "Keys counted in the largest table, by how many threads do it",
        "curves": curves,
        "x": Axis("threads", logarithmic=True),
        "y": Axis("rate, of that with all threads", "%"),
    }


CHARTS = {
    **{
        f"paper_{make.__name__}_{card}": functools.partial(make, card)
        for make in (sampling, grouping, reach, sharing, layout)
        for card in NAMES
    },
    "paper_sharing_h200": sharing_h200,
    "paper_neighbours": neighbours,
    "paper_threads": threads,
}


def picture(name, width):
    """A chart as a drawing."""
    parts = {"source": "simulated from the paper's table 2; no evidence about a real card"}
    parts |= CHARTS[name]()
    height = 420 if "sharing" in name or "layout" in name else 250
    return chart.drawn(Chart(name=name.replace("_", "-"), **parts), width, height)


PLOTS = {
    f"{name}{suffix}": functools.partial(picture, name, width)
    for name in CHARTS
    for suffix, width in (("", chart.WIDTH), ("_narrow", chart.NARROW))
}
