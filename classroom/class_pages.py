"""What a class's grades say: class.csv, a page of feedback for each student, and the report.

Pages hold names and messages that come from students' files, so all text is escaped. They bring
their own style, with a light and a dark half, and load nothing.
"""

import collections
import csv
import html
import io
import json
import statistics
import urllib.parse

from classroom import plain_text
from classroom.points import MAX_POINTS, WRONG_FOR_MEMORY
from classroom.verdicts import LESSON, in_telling_order, meaning_of

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
BINS = 10  # of a histogram
MOST_MISTAKES = 15
MOST_LINES = 12  # of a message
FLAGS = {  # what a mistake is called that has a flag
    "archive": "An archive that cannot be opened",
    "missing_file": "A file is missing",
    "forbidden_include": "Includes what no kernel may",
    "forbidden_word": "Uses a word that no kernel may",
    "forbidden_symbol": "Calls what no kernel may",
    "forbidden_instruction": "Uses an instruction that no kernel may",
    "forbidden_section": "Runs code before the kernel",
    "forbidden_call": "Calls the operating system",
    "kept_state": "Keeps results between calls",
    "tampering": "Tampers with the emulator or the grader",
    "not_the_kernel": "Computes outside of the kernel",
    "shape_list": "Knows the list of visible shapes",
    "protocol": "Sends the judge something else than results",
    "killed": "Crashes, or uses too much memory",
    "timeout": "Does not come to an end",
}
HAZARDS = {  # groups of codes that have another name on a page
    "out-of-bounds": "out of bounds",
    "alignment": "misaligned",
    "copy": "copy without a wait",
    "hang": "no end",
    "warp": "incomplete warp",
    "registers": "setmaxnreg",
    "wgmma": "wgmma",
    "stop": "thread stopped",
    "launch": "launch refused",
}
STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1f2328; --soft: #59636e;
  --rule: #d8dee4; --tint: #f6f8fa; --bar: #0b5fc0; --good: #12733a; --bad: #b3530b; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #f0f3f6; --soft: #a6b1bc;
  --rule: #30363d; --tint: #161b22; --bar: #6cb0ff; --good: #5fd184; --bad: #f2a15f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 0.3rem; }
a { color: var(--bar); } .soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; } .wide table { overflow-wrap: normal; }
table { border-collapse: collapse; } caption { text-align: left; color: var(--soft); }
th, td { padding: 0.25rem 0.7rem 0.25rem 0; border-bottom: 1px solid var(--rule);
  text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { margin: 0.3rem 0; padding: 0.6rem; background: var(--tint); overflow-x: auto;
  white-space: pre-wrap; font-size: 0.82rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
  gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; } svg rect { fill: var(--bar); }
svg line { stroke: var(--rule); }
.score { font-size: 1.3rem; font-weight: 600; }
meter { width: 5rem; max-width: 30%; }
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def esc(text):
    """Text as HTML."""
    return html.escape(str(text))


def page(title, parts):
    """A page of its own."""
    return PAGE.format(title=esc(title), style=STYLE, body="\n".join(parts))


def table(heads, rows, numbers=()):
    """An HTML table of cells that are HTML already. numbers: columns that stand to the right."""

    def cells(tag, row):
        kind = [' class="number"' if column in numbers else "" for column in range(len(row))]
        return "".join(f"<{tag}{each}>{cell}</{tag}>" for each, cell in zip(kind, row, strict=True))

    lines = [f"<tr>{cells('td', row)}</tr>" for row in rows]
    return (
        '<div class="wide"><table><thead><tr>'
        + cells("th", heads)
        + "</tr></thead><tbody>\n"
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


# -- class.csv


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


# -- Feedback


def explanation(test):
    """What is wrong and where to read on, as verdicts has it for the codes; empty without any."""
    for found in in_telling_order(test.get("codes", ())):
        meaning, (page_of, heading) = meaning_of(found["code"], found.get("where"))
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
    """What a part has to say, as HTML. above: what the page has said of this rung already."""
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
            text.append("<p>The same as above.</p>")
        elif first["message"].strip():
            text.append(f"<pre>{esc(lines_of(first['message']))}</pre>")
        meaning = explanation(first) if part["id"] in ("visible", "hidden") else ""
        if meaning and meaning not in above:
            text.append(f"<p>{esc(meaning)}</p>")
        above |= {gist(first), meaning}
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
    above = set()
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


# -- Report


def mistakes_of(grade):
    """Names of what is wrong with a submission, each once."""
    fatal = {flag["kind"] for flag in grade["flags"] if flag["fatal"]}
    if fatal:
        return {FLAGS.get(kind, kind) for kind in fatal}
    parts = {part["id"]: part for part in grade["parts"]}
    if parts["builds"]["status"] != "pass":
        return {"It does not compile"}
    found = {FLAGS[flag["kind"]] for flag in grade["flags"] if flag["kind"] in FLAGS}
    bad = [
        test
        for name in ("visible", "hidden")
        for test in parts[name]["tests"]
        if test["status"] in ("fail", "part")
    ]
    hazards = {
        code["group"]
        for test in bad
        if test["data"].get("kind") == "hazard"
        for code in test.get("codes", ())[:1]
    }
    if hazards:  # such a kernel may do anything, so the rest says little
        return found | {f"Hazard: {HAZARDS.get(group, group)}" for group in hazards}
    wrong = [test for test in bad if test["data"].get("kind") == "wrong"]
    visible = [test for test in wrong if test["visibility"] == "visible"]
    if visible and len(visible) == len(parts["visible"]["tests"]):
        return found | {"Wrong for every visible shape"}
    if visible:
        found.add("Wrong for some visible shapes")
    found |= {f"Wrong: {test['name']}" for test in wrong if test["visibility"] == "hidden"}
    found |= {
        f"Memory: {test['name']}"
        for test in parts["memory"]["tests"]
        if test["status"] in ("fail", "part")
    }
    return found


def histogram(label, shares):
    """How many submissions lie in each tenth of the points, as a figure."""
    bins = [0] * BINS
    for share in shares:
        bins[min(BINS - 1, int(share * BINS + 1e-9))] += 1
    width, height, base, top = 28, 70, 92, max(bins)
    drawn = []
    for index, count in enumerate(bins):
        if count:
            tall = height * count / top
            x = index * width + 6
            drawn.append(
                f'<rect x="{x}" y="{base - tall:.1f}" width="{width - 4}" ' f'height="{tall:.1f}"/>'
            )
            drawn.append(
                f'<text x="{x + width / 2 - 2:g}" y="{base - tall - 4:.1f}" '
                f'text-anchor="middle">{count}</text>'
            )
    for tenth in range(0, BINS + 1, 2):
        drawn.append(
            f'<text x="{tenth * width + 4}" y="{base + 14}" text-anchor="middle">'
            f"{tenth * 100 // BINS}</text>"
        )
    tenths = ", ".join(
        f"{count} from {index * 100 // BINS} %" for index, count in enumerate(bins) if count
    )
    return (
        f'<figure><figcaption>{esc(label)}</figcaption><svg viewBox="-6 0 304 110" role="img" '
        f'aria-label="{esc(label)}, submissions by share of the points: {tenths}">'
        f'<line x1="0" y1="{base}" x2="{BINS * width + 8}" y2="{base}"/>{"".join(drawn)}</svg>'
        '</figure>'
    )


def share_of(grade):
    """0 to 1."""
    return grade["score"] / grade["max_score"]


def rung_rows(graded):
    """[(label, its grades)] by number."""
    by_rung = collections.defaultdict(list)
    for row in graded:
        by_rung[row.grade["rung"]["label"]].append(row.grade)
    return sorted(by_rung.items())


def mean_points(grades, name):
    """'12.5', the mean of a part's points; '-' of a part that nobody was graded for."""
    found = [part["points"] for grade in grades for part in grade["parts"] if part["id"] == name]
    given = [points for points in found if points is not None]
    return f"{statistics.mean(given):.1f}" if given else "-"


def rungs_part(graded):
    """A table and a histogram for each rung."""
    rows, plots = [], []
    for label, grades in rung_rows(graded):
        scores = [grade["score"] for grade in grades]
        means = [mean_points(grades, name) for name, most in MAX_POINTS.items() if most is not None]
        full = sum(grade["score"] == grade["max_score"] for grade in grades)
        figures = (statistics.median(scores), statistics.mean(scores))
        told = (*(f"{each:.1f}" for each in figures), *means)
        rows.append((esc(label), len(grades), full, *told))
        plots.append(histogram(label, [share_of(grade) for grade in grades]))
    heads = (
        "rung",
        "graded",
        "full points",
        "median",
        "mean",
        *(name for name, most in MAX_POINTS.items() if most is not None),
    )
    return [
        "<h2>Scores</h2>",
        "<p>The last columns are the mean points of each part.</p>",
        table(heads, rows, numbers=range(1, len(heads))),
        "<h2>How they are spread</h2>",
        "<p>Submissions by their share of the points, in percent.</p>",
        f'<div class="plots">{"".join(plots)}</div>',
    ]


def mistakes_part(graded):
    """The commonest mistakes, with the rungs that have them."""
    counts, where = collections.Counter(), collections.defaultdict(set)
    for row in graded:
        for mistake in mistakes_of(row.grade):
            counts[mistake] += 1
            where[mistake].add(f"{row.entry.number:02}")
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if not common:
        return ["<h2>Commonest mistakes</h2>", "<p>There are none.</p>"]
    rows = [
        (esc(name), count, " ".join(sorted(where[name]))) for name, count in common[:MOST_MISTAKES]
    ]
    rest = len(common) - len(rows)
    return [
        "<h2>Commonest mistakes</h2>",
        table(("mistake", "submissions", "rungs"), rows, numbers=(1,)),
        *([f"<p class='soft'>{rest} others are rarer.</p>"] if rest > 0 else []),
    ]


def link(student):
    """To the student's page; nothing where nobody is named."""
    return student and f'<a href="feedback/{urllib.parse.quote(student)}.html">{esc(student)}</a>'


def look_part(rows):
    """What a teacher should look at: rows without a grade, and scores of 0 because of a flag."""
    without = [row for row in rows if row.grade is None]
    zero = [row for row in rows if row.grade and note_of(row)]
    parts = []
    for title, found in (("Without a grade", without), ("Score 0 because of a flag", zero)):
        if found:
            listed = [
                (
                    link(row.entry.student) or esc(row.entry.name),
                    _number(row.entry),
                    esc(note_of(row)),
                )
                for row in found
            ]
            parts += [f"<h2>{title}</h2>", table(("submission", "rung", "why"), listed)]
    return parts


def _number(entry):
    """'03', or a dash."""
    return "-" if entry.number is None else f"{entry.number:02}"


def same_part(graded):
    """Archives that are the same to the last byte."""
    by_digest = collections.defaultdict(list)
    for row in graded:
        digest = row.grade["submission"]["sha256"]
        by_digest[digest, row.entry.number].append(row.entry.student)
    same = sorted((number, names) for (_, number), names in by_digest.items() if len(names) > 1)
    if not same:
        return []
    listed = [(f"{number:02}", ", ".join(map(link, names))) for number, names in same]
    return [
        "<h2>The same files</h2>",
        "<p>These are equal to the last byte. Untouched starters are, too; talk before you "
        "conclude.</p>",
        table(("rung", "students"), listed),
    ]


def roster_part(rows, roster):
    """Who has handed in nothing, on the whole or of a rung that others have handed in."""
    if roster is None:
        return []
    done = {(row.entry.student, row.entry.number) for row in rows}
    students = set(students_of(rows))
    parts = ["<h2>Who has no submission</h2>"]
    nothing = [name for name in roster if name not in students]
    listed = [("nothing at all", ", ".join(map(esc, nothing)))] if nothing else []
    for number in sorted({number for _, number in done if number is not None}):
        names = [name for name in roster if name in students and (name, number) not in done]
        if names:
            listed.append((f"rung {number:02}", ", ".join(map(link, names))))
    parts.append(
        table(("", "students"), listed) if listed else "<p>Everybody has handed in everything.</p>"
    )
    unknown = sorted(students - set(roster))
    if unknown:
        parts.append(f"<p>The roster does not have {', '.join(map(link, unknown))}.</p>")
    return parts


def everybody_part(rows):
    """Scores of all students."""
    numbers = sorted({row.entry.number for row in rows if row.entry.number is not None})
    by_student = collections.defaultdict(dict)
    for row in rows:
        score = figure(row.grade["score"]) if row.grade else "none"
        if row.entry.student:
            by_student[row.entry.student][row.entry.number] = score
    listed = [
        (link(student), *(scores.get(number, "") for number in numbers))
        for student, scores in sorted(by_student.items())
    ]
    heads = ("student", *(f"{number:02}" for number in numbers))
    return ["<h2>Everybody</h2>", table(heads, listed, numbers=range(1, len(heads)))]


def report(rows, roster=None, gone=()):
    """The class report. gone: names of grades whose submission is not there any more."""
    graded = [row for row in rows if row.grade]
    body = [
        f"<p>{len(rows)} submissions of {len(students_of(rows))} students, {len(graded)} of "
        'them with a grade. <a href="class.csv">class.csv</a> has them all.</p>'
    ]
    if graded:
        commits = sorted({row.grade["tool"]["commit"] for row in graded})
        last = max(row.grade["generated_at"] for row in graded)
        body.append(
            f"<p class='soft'>The latest grade was made at {esc(last)}. Grader: "
            f"{esc(', '.join(commits))}.</p>"
        )
        if len(commits) > 1:
            body.append(
                "<p class='bad'>Several versions of the grader made these grades. To "
                "compare them, grade again into another folder.</p>"
            )
        body += rungs_part(graded) + mistakes_part(graded)
    body += look_part(rows) + roster_part(rows, roster) + same_part(graded) + everybody_part(rows)
    if gone:
        body.append(
            f"<p>Grades without a submission, kept in <code>grades/</code> and not counted "
            f"here: {esc(', '.join(gone))}.</p>"
        )
    return page("Class report", body)
