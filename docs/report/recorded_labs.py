"""Reads what the labs recorded: the table of labs, and each lab's findings, claims and curves."""

import contextlib
from statistics import median

from bench import SOURCES, results_file
from bench.results_file import FigureError
from bench.results_forms.gpu import LAB
from docs.report.recorded import RESULTS, MissingFileError, NotRecordedError, load

LABS = SOURCES / "bench" / "results" / "labs.json"  # build/memory_lab list --json
OWN = {}  # a lab's name: its report, in place of the recorded one
CARDS = ("h200", "h100")  # the first one is that of all other pages
BINARY_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class LabNotRecordedError(MissingFileError, NotRecordedError):
    """A lab that has run on no card."""


def labs():
    """The table of labs: number, name, question, what it needs, seconds of a quick run."""
    return results_file.read(LABS)


def lab_of(name):
    """A line of that table, by its name."""
    for lab in labs():
        if lab["name"] == name:
            return lab
    raise FigureError(
        f"there is no lab '{name}'; the labs are " + ", ".join(lab["name"] for lab in labs())
    )


def file_of(name):
    """The name of a lab's recorded file."""
    return f"lab_{lab_of(name)['name']}.json"


@contextlib.contextmanager
def instead_of_recorded(path):
    """Within this, a report that `make lab OUT=path` wrote stands for the recorded one."""
    own = results_file.read(path, LAB)
    OWN[lab_of(own["lab"])["name"]] = own
    try:
        yield own["lab"]
    finally:
        OWN.clear()


def report(name):
    """A lab's report: the recorded one, unless another stands for it.

    name: "latency" of the H200, "latency@h100" of another card
    """
    lab, _, card = name.partition("@")
    if card:
        return results_file.read(path_of(lab, card))
    if lab in OWN:
        return OWN[lab]
    try:
        return load(file_of(lab))
    except MissingFileError:  # the first card that has run it speaks for it
        return next(iter(cards_of(lab).values()))


def folder_of(card):
    """Where a card's results are; "": those of the first card."""
    return RESULTS.with_name(f"nvidia-{card}") if card else RESULTS


def path_of(name, card):
    """A lab's recorded file of a card, as it is named from the root; MissingFileError without."""
    path = folder_of(card) / file_of(name)
    if not path.exists():
        raise MissingFileError(f"{path} is not there")
    return path


def cards_of(name):
    """{card: report} of the cards that a lab was recorded on; {"": the report} of one's own."""
    if name in OWN:
        return {"": OWN[name]}
    found = {}
    for card in CARDS:
        with contextlib.suppress(MissingFileError):
            found[card] = results_file.read(path_of(name, card))
    if not found:
        path = folder_of(CARDS[0]) / file_of(name)
        raise LabNotRecordedError(f"{path} is not there: no GPU has run this lab")
    return found


def finding(name, key):
    """One of a lab's findings."""
    for found in report(name)["findings"]:
        if found["key"] == key:
            return found
    keys = ", ".join(found["key"] for found in report(name)["findings"])
    raise FigureError(f"{file_of(name.partition('@')[0])} has no finding '{key}'; there are {keys}")


def series(name, prefix, unit=None):
    """[(x, median)] of the first curve whose name begins so (and whose values have this unit)."""
    for curve in report(name)["series"]:
        if curve["name"].startswith(prefix) and unit in (None, curve["y_unit"]):
            return [(point["x"], median(point["samples"])) for point in curve["points"]]
    raise FigureError(f"{file_of(name)} has no curve '{prefix}'")


def plain_number(value):
    """Three digits; all those of a whole number: 0.272, 4.47, 32.3, 281, 9216"""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:.0f}"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def with_unit(value, unit):
    """A figure as people write it: '239 KiB', '281 cycles', '9.22 TB/s', '66'"""
    if unit == "bytes":
        step = 0
        while abs(value) >= 1024 and step < len(BINARY_UNITS) - 1:
            value, step = value / 1024, step + 1
        return f"{plain_number(value)} {BINARY_UNITS[step]}"
    if unit == "mask":
        return f"{int(value):#x}"
    if unit == "bytes per second":
        value, unit = value / 1e9, "GB/s"
    if unit == "GB/s" and abs(value) >= 1000:
        return f"{value / 1000:.2f} TB/s"
    if unit.startswith("10^9/"):
        return f"{plain_number(value)} billion per second"
    number = plain_number(value)
    return f"{number} {'cycle' if (number, unit) == ('1', 'cycles') else unit}".rstrip()


def lab_value(name, key, part=""):
    """A finding for a sentence.

    part: "low" or "high" end of its interval, "plain" without its unit, "hex" as a mask of bits
    """
    found = finding(name, key)
    estimate = found["value"]
    if estimate is None:
        file = file_of(name.partition("@")[0])
        raise FigureError(f"{file}: '{key}' was not found, so it has no value")
    if part == "hex":
        return f"{int(estimate['value']):#x}"
    if part == "plain":
        return plain_number(estimate["value"])
    if part not in ("", "low", "high"):
        raise FigureError(f"'{part}' is no part of a finding; there are low, high, plain and hex")
    return with_unit(estimate[part or "value"], found["unit"])
