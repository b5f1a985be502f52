"""What simulated copies of a paper's cards gave (bench/record/simulated_cards.py), and the paper.

The paper: Karnagel, Ben-Nun, Werner, Habich, Lehner, Big Data causing Big (TLB) Problems, 2017.
"""

from statistics import median

from bench import results_file
from bench.results_file import FigureError
from docs.report.recorded import RESULTS, MissingFileError

CARDS = ("k80", "p100")
MIB, KIB = 2**20, 2**10
TABLE_2 = {  # of each TLB: (reach, memory of an entry, entries, cycles of a miss, who shares it)
    "k80": (
        (2 * MIB, 128 * KIB, 16, 9, "1 SM"),
        (130 * MIB, 2 * MIB, 65, 55, "3 SMs, or 2"),
        (2064 * MIB, 2 * MIB, 1032, 177, "all"),
    ),
    "p100": ((32 * MIB, 2 * MIB, 16, 9, "2 SMs"), (2080 * MIB, 32 * MIB, 65, 110, "10 SMs, or 8")),
}
TABLE_3 = {  # the two SMs of 15 that are switched off: on how many of 256 K80s
    (10, 11): 161,
    (10, 13): 36,
    (10, 12): 23,
    (10, 14): 17,
    (12, 14): 4,
    (11, 14): 4,
    (11, 12): 4,
    (13, 14): 2,
    (11, 13): 2,
    (12, 13): 2,
    (5, 10): 1,
}
K80_SMS, K80_GROUPS = 15, 5
FACTORS = {  # what sections 2 and 6 say of K80 and P100
    "random_fall": ("Random reads: slower over all of memory", 13.3, 4.3),
    "random_cure": ("Random reads: passes over 2 GB win back", 13, 2),
    "grouping_fall": ("Grouping: slower with the largest table", None, 3.3),
    "grouping_cure": ("Grouping: passes over 2 GB and a copy win back", 12.5, 2.5),
    "random_small": ("Random reads: passes over 128 MB win back", "a little", "nothing"),
    "grouping_small": ("Grouping: passes over 128 MB and a copy win back", "a little", "nothing"),
}


def report(card, lab):
    """A recorded report of a simulated card."""
    path = RESULTS.parent / f"simulated_{card}" / f"lab_{lab}.json"
    if not path.exists():
        raise MissingFileError(f"{path} is not there")
    return results_file.read(path)


def found(card, lab, key):
    """A finding's value: {value, low, high}; None where it was not found."""
    for each in report(card, lab)["findings"]:
        if each["key"] == key:
            return each["value"]
    raise FigureError(f"simulated {card}: {lab} has no finding '{key}'")


def series(card, lab, prefix):
    """[(x, median)] of the curve that is named so, or that begins so."""
    curves = report(card, lab)["series"]
    exact = [curve for curve in curves if curve["name"] == prefix]
    for curve in exact or [each for each in curves if each["name"].startswith(prefix)]:
        return [(point["x"], median(point["samples"])) for point in curve["points"]]
    raise FigureError(f"simulated {card}: {lab} has no curve '{prefix}'")
