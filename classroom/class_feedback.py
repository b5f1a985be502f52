"""The page of feedback for each student."""

import json

from classroom.class_frame import esc, page, table
from classroom.class_table import figure
from classroom.points import WRONG_FOR_MEMORY
from classroom.verdicts import LESSON, in_telling_order, meaning_of

MOST_LINES = 12  # of a message


def explanation(test):
    """What is wrong and where to read on, as verdicts has it for the codes; empty without any."""
    for found in in_telling_order(test.get("codes", ())):
        meaning, where = meaning_of(found["code"], found.get("where"))
        if where is None:
            return meaning
        page_of, heading = where
        place = "the lesson" if page_of == LESSON else page_of
        return f"{meaning} Read “{heading}” in {place}."
    return ""


def gist(test):
    """What two tests have in common that say the same: codes and lines, or else the message."""
    codes = test.get("codes")
    return json.dumps([test["data"].get("kind"), codes]) if codes else test["message"]


def failed(part):
    """[[tests that say the same]]"""
    groups = {}
    for test in part["tests"]:
        if test["status"] in ("fail", "part"):
            groups.setdefault(gist(test), []).append(test)
    return list(groups.values())


def lines_of(message):
    """A message without an endless rest."""
    lines = message.strip().splitlines()
    more = len(lines) - MOST_LINES
    return "\n".join(lines[:MOST_LINES] + ([f"... and {more} lines more"] if more > 0 else []))


def part_text(part, above):
    """What a part has to say, as HTML. above: {what the page has said of a rung: of which test}"""
    text = [
        f'<h3>{esc(part["name"])}: {figure(part["points"])} of '
        f'{figure(part["max_points"])}</h3>'
    ]
    if not part["tests"]:
        why = f"{WRONG_FOR_MEMORY}." if part["id"] == "memory" else part["message"]
        text.append(f"<p>{esc(why)}</p>")  # the rest of it is above
    for tests in failed(part):
        first = tests[0]
        worth = f"{sum(t['points'] for t in tests):g} of {sum(t['max_points'] for t in tests):g}"
        names = "; ".join(esc(test["name"]) for test in tests)
        text.append(f"<p>{names} <span class='soft'>({worth})</span></p>")
        if gist(first) in above:
            text.append(f"<p>The same as for “{esc(above[gist(first)])}”, above.</p>")
        elif first["message"].strip():
            text.append(f"<pre>{esc(lines_of(first['message']))}</pre>")
        meaning = explanation(first) if part["id"] in ("visible", "hidden") else ""
        if meaning and meaning not in above:
            text.append(f"<p>{esc(meaning)}</p>")
        above |= {gist(first): first["name"], meaning: first["name"]}
    return text


def rung_text(row):
    """A rung of one student's page."""
    entry, grade = row.entry, row.grade
    if grade is None:
        what = "A submission" if entry.number is None else f"Rung {entry.number:02}"
        return [
            f"<h2>{what}</h2>",
            "<p class='bad'>It has no grade yet.</p>",
            f"<p>{esc(row.note)}</p>",
        ]
    best = grade["score"] == grade["max_score"]
    text = [
        f'<h2>{esc(grade["rung"]["label"])}</h2>',
        f'<p class="score{" good" if best else ""}">{figure(grade["score"])} of '
        f'{figure(grade["max_score"])} points</p>',
    ]
    for flag in grade["flags"]:
        if flag["fatal"]:
            text.append(f"<p class='bad'>The score is 0: {esc(flag['message'])}</p>")
    rows = [
        (esc(part["name"]), figure(part["points"]) or "-", figure(part["max_points"]) or "-")
        for part in grade["parts"]
    ]
    text.append(table(("part", "points", "of"), rows, numbers=(1, 2)))
    if best:
        text.append("<p>All of it is right. Well done.</p>")
    above = {}
    for part in grade["parts"]:
        if part["max_points"] is not None and part["status"] in ("fail", "part"):
            text += part_text(part, above)
    if grade["hints_used"]:
        text.append(f"<p class='soft'>Hints read: {grade['hints_used']}.</p>")
    return text


def feedback(student, rows):
    """A student's page."""
    text = []
    for row in rows:
        text += rung_text(row)
    return page(f"Feedback for {student}", text)
