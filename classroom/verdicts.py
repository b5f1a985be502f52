"""What a finding of `ladder check` means: what is wrong, where, and which chapter explains it.

Findings are known by their codes alone, as `--json` has them; their sentences are for people.
"""

import itertools
import pathlib
import textwrap

from bench import SOURCES
from classroom.compiler_messages import in_columns, lines_of
from classroom.finding_meanings import CASES, LESSON, MEANINGS, UNKNOWN
from classroom.kernel_library import ROOM

COLUMNS = 80
MOST = 3  # meanings: the rest often follows from the first
MOST_HAZARDS = 4
MOST_PLACES = 3
NEARLY_ALL = 0.99  # of the elements: some are right by chance
_OUTSIDE = {MEANINGS[code][0] for code in MEANINGS if code.startswith(("out-of-bounds", "index"))}
_OF_SHARED = ("out-of-bounds-shared", "out-of-bounds-dynamic-shared", "index-out-of-bounds")
_OF_GLOBAL = ("out-of-bounds-matrix", "out-of-bounds-global", "address-in-no-array")
# [(accesses out of bounds, what they cause in the same memory)]
CONSEQUENCES = (
    (
        _OF_GLOBAL,
        (
            "race-between-blocks",
            "race-in-global-memory",
            "uninitialised-matrix",
            "uninitialised-global",
        ),
    ),
    (_OF_SHARED, ("race-in-shared-memory", "uninitialised-shared")),
)
FIRST_THIS = "The other hazards may follow from it: repair it first, and check again."
FACTOR_CODES = ("wrong-beta", "wrong-factor")  # they say it themselves
EDGE_CODES = ("last-tile-row", "last-tile-column", "last-tiles")
# Of these the ladder says that there was no launch, but it is the kernel that is wrong.
OF_THE_KERNEL = {code for code in MEANINGS if code.startswith("launch-")} | {
    "block-does-not-fit",
    "unknown-rung",
}


def paragraph(text, indent="  "):
    """Its lines in a terminal."""
    return in_columns(text, indent)


def findings_of(report):
    """All findings of what `ladder check --json` wrote, in its order."""
    subjects = [subject["findings"] for subject in report["subjects"]]
    return list(itertools.chain(report["findings"], *subjects))


def telling_code(code, where=None):
    """The code by which a finding is explained. where: the code of where its elements are.

    At an edge, what the elements hold says less; but nobody stores what was never written.
    """
    return where if where in EDGE_CODES and code != "never-written" else code


def meaning_of(code, where=None):
    """(what a finding means, where to read more), whatever its code is."""
    return MEANINGS.get(telling_code(code, where), UNKNOWN)


def source_line(at, folder):
    """'  kernel.cuh:53: acc += ...' of a place in a student's file; None of any other."""
    path = pathlib.PurePath(at.get("file", ""))
    if path.parts[:1] != (ROOM,):
        return None
    code = lines_of(pathlib.Path(folder) / path.name)
    text = code[at["line"] - 1].strip() if at["line"] <= len(code) else ""
    line = f"{path.name}:{at['line']}: {text}"
    return "  " + textwrap.shorten(line, COLUMNS - 2, placeholder=" ...")


def places(findings, folder):
    """Each line of the student's that findings name, as source_line() has it."""
    named = [
        at
        for finding in findings
        for at in (finding, finding.get("other", {}), *finding.get("thread_groups", ()))
    ]
    lines = [line for at in named if (line := source_line(at, folder))]
    return list(dict.fromkeys(lines))[:MOST_PLACES]


def reading(where, rung):
    """['  Read "A race" in docs/chapters/debugging.md.'], or [] where no section speaks of it."""
    if where is None:
        return []
    path, heading = where
    page = rung.path / "README.md" if path == LESSON else path
    here = "" if (SOURCES / page).exists() else ", in the whole ladder"  # a class has some lessons
    return paragraph(f'Read "{heading}" in {page}{here}.')


def in_telling_order(findings):
    """Findings as one explains them: an access out of bounds also causes races and undefined
    values, so it comes first."""
    return sorted(findings, key=lambda finding: meaning_of(finding["code"])[0] not in _OUTSIDE)


def rows_of(finding):
    """[(what it means, where to read more)]: the problem's first where it is not the usual one."""
    code = finding["code"]
    nearly_all = NEARLY_ALL * finding.get("elements", 1)
    if code == "some-elements-wrong" and finding.get("wrong_elements", 0) >= nearly_all:
        code = "every-element-wrong"
    rows = [meaning_of(code, finding.get("where", {}).get("code"))]
    if "case" in finding:
        copies = finding["case"].get("copies")
        of_the_edges = finding["family"] == "wrong-result" and code not in FACTOR_CODES
        if copies or of_the_edges:
            rows.insert(0, CASES[copies])
    return rows


def consequences(findings):
    """{codes that an access out of bounds among the findings can cause}"""
    codes = {finding["code"] for finding in findings}
    return {code for causes, caused in CONSEQUENCES if codes & set(causes) for code in caused}


def meanings(findings, folder, rung):
    """Lines that explain what a check found: hazards first, because results follow from them, and
    of hazards no consequences."""
    faulty = any(each["family"] == "fault" and each["level"] == "error" for each in findings)
    caused = consequences(findings)
    explained = {}  # {(what it means, where to read more): its findings}
    for finding in in_telling_order(findings):
        if (faulty and finding["family"] != "fault") or finding["code"] in caused:
            continue  # a kernel with a hazard may do anything
        for row in rows_of(finding):
            explained.setdefault(row, []).append(finding)
    lines = []
    for (meaning, where), found in list(explained.items())[:MOST]:
        lines += [""] * bool(lines)
        lines += [*places(found, folder), *paragraph(meaning), *reading(where, rung)]
    if any(finding["code"] in caused for finding in findings):
        lines += ["", *paragraph(FIRST_THIS)]
    return lines


def readings():
    """All (path, heading) that verdicts name; those of lessons hold for every rung."""
    return {where for _, where in (*MEANINGS.values(), *CASES.values(), UNKNOWN)} - {None}
