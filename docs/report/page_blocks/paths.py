"""Blocks of the pages of the three paths: `path evening`, `weeks` and `lab_weeks` of the course."""

import pathlib
import posixpath

from docs.reading import paths
from docs.report.page_blocks.markdown import table
from docs.report.recorded import FigureError


def hours(minutes):
    """'1 h 25 min'"""
    whole, rest = divmod(minutes, 60)
    return f"{whole} h {rest:02} min" if whole else f"{rest} min"


def path_block(place, arguments):
    """`path evening`: the stops of a path, and how long each takes to read."""
    if arguments not in paths.PATHS:
        raise FigureError(f"'{arguments}' is no path; there are {', '.join(paths.PATHS)}")
    path = paths.PATHS[arguments]
    page = place.page.as_posix()
    rows = [
        (number, paths.link(stop, page), f"{paths.minutes_of(stop)} min")
        for number, stop in enumerate(path.stops, 1)
    ]
    if path.weeks:
        rows = [
            (f"{path.weeks.index(week) + 1}. {week.title}",
             ", ".join(paths.link(stop, page) for stop in week.stops),
             hours(sum(map(paths.minutes_of, week.stops))))
            for week in path.weeks
        ]  # fmt: skip
    total = hours(sum(map(paths.minutes_of, path.stops)))
    heads = ("week", "pages", "to read") if path.weeks else ("stop", "page", "to read")
    return f"{table(heads, rows)}\n\nTogether that is {total} of reading, exercises apart."


def weeks_block(_place, _arguments):
    """What a class does in each week of the course."""
    rows = [
        (number, week.lecture, week.hand_in)
        for number, week in enumerate(paths.PATHS["course"].weeks, 1)
    ]
    return table(("week", "lecture, 90 minutes", "hand in"), rows)


def lab_weeks_block(place, _arguments):
    """After which week of the course each of its labs can be read."""
    page = place.page.as_posix()
    found = [
        (number, ", ".join(lab_link(each, page) for each in paths.labs_after(week)))
        for number, week in enumerate(paths.PATHS["course"].weeks, 1)
    ]
    return table(("after week", "labs"), [row for row in found if row[1]])


def lab_link(lab, page):
    """A link by the lab's name, as `make lab` takes it, with words."""
    name = pathlib.PurePath(lab).stem.replace("_", " ")
    return f"[{name}]({posixpath.relpath(lab, posixpath.dirname(page))})"


BLOCKS = {"path": path_block, "weeks": weeks_block, "lab_weeks": lab_weeks_block}
