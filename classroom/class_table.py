"""What a class's grades are in a table: class.csv, and the roster that a teacher gives."""

import csv
import io

from classroom import plain_text
from classroom.points import MAX_POINTS

COLUMNS = (
    "student",
    "rung",
    "name",
    "file",
    "status",
    "score",
    "max_score",
    *MAX_POINTS,
    "hints_used",
    "flags",
    "note",
    "sha256",
)


def cell(value):
    """A cell in one line that no spreadsheet takes for a formula."""
    return plain_text.cell(" ".join(str(value).split()))


def students_of(rows):
    """Everybody who has handed something in."""
    return sorted({row.entry.student for row in rows} - {""})


def figure(value):
    """12.5, 80, or nothing."""
    return "" if value is None else f"{value:g}"


def note_of(row):
    """The sentence of a row: why there is no grade, or why its score is 0."""
    if row.grade is None:
        return row.note
    return next((flag["message"] for flag in row.grade["flags"] if flag["fatal"]), "")


def csv_of(rows):
    """One line for each row."""
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    out.writerow(COLUMNS)
    for row in rows:
        entry, grade = row.entry, row.grade
        number = "" if entry.number is None else f"{entry.number:02}"
        if grade is None:
            known = {
                "student": cell(entry.student),
                "rung": number,
                "file": cell(entry.name),
                "status": "not graded",
                "note": cell(row.note),
            }
            out.writerow(known.get(column, "") for column in COLUMNS)
            continue
        points = {part["id"]: figure(part["points"]) for part in grade["parts"]}
        out.writerow(
            [
                cell(entry.student),
                number,
                grade["rung"]["name"],
                cell(entry.name),
                "graded",
                figure(grade["score"]),
                figure(grade["max_score"]),
                *(points[name] for name in MAX_POINTS),
                figure(grade["hints_used"]),
                " ".join(sorted({flag["kind"] for flag in grade["flags"]})),
                cell(note_of(row)),
                grade["submission"]["sha256"],
            ]
        )
    return file.getvalue()


def names_in(text):
    """The students of a roster, in its order."""
    rows = [row for row in csv.reader(io.StringIO(text)) if any(each.strip() for each in row)]
    heads = [each.strip().lower() for each in rows[0]] if rows else []
    if not heads:
        raise ValueError("it is empty")
    column = heads.index("student") if "student" in heads else 0
    named = rows[1:] if "student" in heads else rows
    names = [row[column].strip() for row in named if len(row) > column and row[column].strip()]
    return list(dict.fromkeys(names))
