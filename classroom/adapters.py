"""Re-shapes grade.json for the places that collect grades.

    python3 -m classroom.adapters gradescope grade.json --out results.json
    python3 -m classroom.adapters junit grade.json      JUnit XML, for CI
    python3 -m classroom.adapters csv grade.json        a header and one row per grade
    python3 -m classroom.adapters markdown grade.json   a summary, for CI
    python3 -m classroom.adapters classroom50 grade.json

Nothing is graded here, and no point is added or lost. Several grades go into one csv or junit file;
the other forms take one. What only the teacher may know, the figures of hidden tests, is left out.
"""

import argparse
import csv
import io
import json
import os
import re
import sys
from xml.etree import ElementTree

from bench import program
from bench.output_file import output_path, write_whole
from classroom.plain_text import cell, plain

SCHEMA = "gemm-ladder/grade/v1"
PARTS = ("builds", "visible", "hidden", "memory", "speed")
COLUMNS = (
    "student",
    "rung",
    "score",
    "max_score",
    *PARTS,
    "hints_used",
    "flags",
    "sha256",
    "generated_at",
)
# Visibilities of Gradescope. A student from whom points are held back sees no total.
VISIBILITIES = ("visible", "after_due_date", "after_published")
# classroom50 gives these to an autograder by its environment.
OF_CLASSROOM50 = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}


class NotAGradeError(Exception):
    """A file that is no grade; the sentence names it."""


def read(path):
    """A grade from its file."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise NotAGradeError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise NotAGradeError(f"{path} is not JSON ({error}): grade again") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise NotAGradeError(
            f"{path} is no grade: its schema is {schema!r} and not '{SCHEMA}'. "
            "`python3 -m classroom.grade ... --json` writes one"
        )
    return found


def number(value):
    """Points as people write them: 25 and not 25.0."""
    return int(value) if float(value).is_integer() else value


def tests_of(grade):
    """[(part, test)] with points. A part that was not reached stands as one test."""
    found = []
    for part in grade["parts"]:
        if part["max_points"] is None:
            continue
        itself = {
            "id": part["id"],
            "name": "Not tested",
            "status": part["status"],
            "visibility": "visible",
            "points": part["points"],
            "max_points": part["max_points"],
            "message": part["message"],
            "data": {},
        }
        found += [(part, test) for test in part["tests"] or [itself]]
    return found


def fatal_flags(grade):
    """Sentences that say why the score is 0."""
    return [flag["message"] for flag in grade["flags"] if flag["fatal"]]


def headline(grade):
    """'03 shared_tile: 71 of 80 points'"""
    return (
        f"{grade['rung']['label']}: {number(grade['score'])} of {number(grade['max_score'])} "
        "points"
    )


def overview(grade):
    """What holds for the whole submission, for the student."""
    lines = [headline(grade)]
    lines += [f"The score is 0: {message}" for message in fatal_flags(grade)]
    for part in grade["parts"]:
        if part["message"] and part["max_points"] is None:
            lines.append(f"{part['name']}: {part['message']}")
    return plain("\n".join(lines))


def gradescope(grade, hidden="visible"):
    """results.json; hidden: when students see the hidden tests, which name no shape.

    https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    tests = []
    count = {}
    for part, test in tests_of(grade):
        place = PARTS.index(part["id"]) + 1
        count[place] = count.get(place, 0) + 1
        tests.append(
            {
                "name": plain(f"{part['name']}: {test['name']}"),
                "number": f"{place}.{count[place]}",
                "score": number(test["points"]),
                "max_score": number(test["max_points"]),
                "status": "passed" if test["status"] == "pass" else "failed",
                "output": plain(test["message"]),
                "output_format": "text",
                "tags": [part["id"]],
                "visibility": "visible" if test["visibility"] == "visible" else hidden,
            }
        )
    return {
        "score": number(grade["score"]),
        "output": overview(grade),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            key: grade[key]
            for key in (
                "schema",
                "generated_at",
                "tool",
                "machine",
                "rung",
                "submission",
                "flags",
                "hints_used",
            )
        },
    }


def classroom50(grade, environment=os.environ):
    """result.json of Classroom 50, schema classroom50/result/v1, one test for each part.

    A score of 0 that a flag has given keeps no points in any test.
    """
    missing = [name for name in OF_CLASSROOM50.values() if not environment.get(name)]
    if missing:
        raise NotAGradeError(
            f"{', '.join(missing)} not in the environment: run it where Classroom "
            "50 calls the autograder"
        )
    tests = []
    for part in grade["parts"]:
        if part["max_points"] is None:
            continue
        points = 0 if fatal_flags(grade) else part["points"]
        tests.append(
            {
                "test-name": part["name"],
                "passed": points == part["max_points"],
                "score": number(points),
                "max-score": number(part["max_points"]),
            }
        )
    return {
        "schema": "classroom50/result/v1",
        **{key: environment[name] for key, name in OF_CLASSROOM50.items()},
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": grade["generated_at"],
        "score": number(grade["score"]),
        "max-score": number(grade["max_score"]),
        "tests": tests,
    }


def junit(grades):
    """JUnit XML: a suite for each grade, a case for each test."""
    root = ElementTree.Element("testsuites", name="GEMM Ladder")
    for grade in grades:
        student = grade["submission"]["student"]
        name = plain(" ".join(filter(None, (student, grade["rung"]["label"]))))
        suite = ElementTree.SubElement(
            root, "testsuite", name=name, timestamp=grade["generated_at"]
        )
        properties = ElementTree.SubElement(suite, "properties")
        for key in ("score", "max_score"):
            ElementTree.SubElement(properties, "property", name=key, value=str(number(grade[key])))
        numbers = {"tests": 0, "failures": 0, "skipped": 0, "errors": 0}
        for part, test in tests_of(grade):
            case = ElementTree.SubElement(
                suite,
                "testcase",
                name=plain(test["name"]),
                classname=f"{grade['rung']['name']}.{part['id']}",
            )
            numbers["tests"] += 1
            message = plain(test["message"])
            if test["status"] == "skip":
                numbers["skipped"] += 1
                ElementTree.SubElement(case, "skipped", message=first_line(message))
            elif test["status"] != "pass":
                numbers["failures"] += 1
                worth = f"{number(test['points'])} of {number(test['max_points'])} points"
                failure = ElementTree.SubElement(
                    case, "failure", type=test["status"], message=first_line(f"{worth}: {message}")
                )
                failure.text = message
        for sentence in fatal_flags(grade):
            case = ElementTree.SubElement(
                suite,
                "testcase",
                name="nothing but a kernel",
                classname=f"{grade['rung']['name']}.flags",
            )
            ElementTree.SubElement(
                case, "failure", type="fatal", message=first_line(plain(sentence))
            )
            numbers["tests"] += 1
            numbers["failures"] += 1
        suite.attrib.update({key: str(value) for key, value in numbers.items()})
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def first_line(text):
    """Of a message."""
    return text.splitlines()[0] if text else ""


def csv_row(grade):
    """{column: value}"""
    points = {part["id"]: part["points"] for part in grade["parts"]}
    return {
        "student": grade["submission"]["student"] or "",
        "rung": f"{grade['rung']['number']:02}",
        "score": number(grade["score"]),
        "max_score": number(grade["max_score"]),
        **{name: "" if points[name] is None else number(points[name]) for name in PARTS},
        "hints_used": "" if grade["hints_used"] is None else grade["hints_used"],
        "flags": " ".join(dict.fromkeys(flag["kind"] for flag in grade["flags"])),
        "sha256": grade["submission"]["sha256"],
        "generated_at": grade["generated_at"],
    }


def csv_text(rows):
    """A header and the rows. What a spreadsheet would take for a formula gets a ' in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: cell(value) for key, value in row.items()})
    return out.getvalue()


def fenced(text):
    """A message as a block of Markdown that it cannot leave."""
    longest = max([2, *map(len, re.findall(r"`+", text))])
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def in_line(text):
    """Text without what Markdown and HTML would make of it."""
    return re.sub(r"([\\`*_{}\[\]<>|#~&])", r"\\\1", plain(text).replace("\n", " "))


def markdown(grade):
    """A summary for the page of a CI job: what counts is above, messages unfold below."""
    marks = {"pass": "✓", "part": "~", "fail": "✗", "skip": "–"}
    student = grade["submission"]["student"]
    lines = [f"## {in_line(headline(grade))}" + (f", {in_line(student)}" if student else ""), ""]
    for sentence in fatal_flags(grade):
        lines += [f"**The score is 0:** {in_line(sentence)}", ""]
    lines += ["| | part | points | of |", "|---|---|---:|---:|"]
    for part in grade["parts"]:
        points, most = (
            ("–" if value is None else number(value))
            for value in (part["points"], part["max_points"])
        )
        lines.append(f"| {marks[part['status']]} | {in_line(part['name'])} | {points} | {most} |")
    lines.append("")
    for part, test in tests_of(grade):
        if test["status"] == "pass" or not test["message"]:
            continue
        worth = f"{number(test['points'])} of {number(test['max_points'])}"
        summary = in_line(f"{part['name']}: {test['name']} ({worth})")
        lines += [
            f"<details><summary>{summary}</summary>",
            "",
            fenced(plain(test["message"])),
            "",
            "</details>",
            "",
        ]
    lines += [
        in_line(f"{part['name']}: {part['message']}")
        for part in grade["parts"]
        if part["max_points"] is None and part["message"]
    ]
    return "\n".join(lines).rstrip() + "\n"


def as_json(found):
    """JSON as a file."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def adapted(options):
    """The text of the form that the command line names."""
    grades = [read(path) for path in options.grades]
    if options.form == "csv":
        return csv_text(csv_row(grade) for grade in grades)
    if options.form == "junit":
        return junit(grades)
    if len(grades) != 1:
        raise NotAGradeError(f"{options.form} takes one grade; csv and junit take several")
    if options.form == "gradescope":
        return as_json(gradescope(grades[0], options.hidden))
    if options.form == "classroom50":
        return as_json(classroom50(grades[0]))
    return markdown(grades[0])


def main():
    """Writes one form."""
    parser = argparse.ArgumentParser(
        prog="adapters", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("form", choices=("gradescope", "junit", "csv", "markdown", "classroom50"))
    parser.add_argument("grades", nargs="+", metavar="grade.json")
    parser.add_argument("--out", type=output_path, help="write to this file")
    parser.add_argument(
        "--hidden",
        choices=VISIBILITIES,
        default=VISIBILITIES[0],
        help="gradescope: when students see the hidden tests",
    )
    options = parser.parse_args()
    try:
        text = adapted(options)
    except NotAGradeError as error:
        print(f"adapters: {error}.", file=sys.stderr)
        sys.exit(2)
    if options.out:
        write_whole(options.out, text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    program.run(main)
