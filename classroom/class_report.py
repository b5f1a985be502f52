"""The report on a class: how the points are spread, what is wrong most often, where to look."""

import collections
import statistics
import urllib.parse

from classroom.class_frame import esc, page, table
from classroom.class_table import figure, note_of, students_of
from classroom.points import MAX_POINTS

BINS = 10  # of a histogram
MOST_MISTAKES = 15
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
        "<p>One with a hazard, or wrong for every visible shape, counts for that alone.</p>",
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
