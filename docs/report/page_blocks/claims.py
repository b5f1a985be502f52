"""The page of claims: docs/chapters/claims.json, rendered by group."""

import pathlib
import re

from bench import SOURCES, probes_file, results_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import card_value, load, roofs
from docs.report.rung_figures import or_not_yet, value

CLAIMS = pathlib.Path("docs/chapters/claims.json")  # below the root of the sources
PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")
VERDICTS = {  # of a claim: (sign, words); the site gives each a colour (docs/assets/claims.css)
    "holds": ("✓", "holds"),
    "condition": ("◐", "holds with a condition"),
    "wrong": ("✗", "wrong"),
    None: ("…", "pending"),
}
COUNTERS = {
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "wavefronts": "memory_l1_wavefronts_shared",
}


def probe(name, counter):
    """What a recorded probe kernel counted."""
    counted = probes_file.read(SOURCES / PROBES)[0]
    return f"{float(counted[name][COUNTERS[counter]] or 0):.0f}"


def found_of_gallery(file):
    """'2 of 7': kernels of a file of the gallery that a tool of compute-sanitizer finds."""
    found = {}
    for run in load("gallery.json")["benchmarks"]:
        if (run["fault_at"] or "").startswith(f"{file}:"):
            found[run["name"]] = found.get(run["name"], False) or run["at_the_fault"]
    return f"{sum(found.values())} of {len(found)}"


def filled_in(text):
    """Text with its figures: `{02:gain_4096}` is a value of docs/report/rung_figures.py, and
    `{probe NAME COUNTER}`, `{gallery FILE}`, `{roof NAME}`, `{card NAME}` are of recorded files.
    """

    def figure(match):
        words = match[1].split()
        if words[0] == "probe":
            return probe(words[1], words[2])
        if words[0] == "gallery":
            return found_of_gallery(words[1])
        if words[0] == "roof":
            return f"{roofs()[words[1]]:,.0f}"
        if words[0] == "card":
            return f"{card_value(words[1]):,}"
        return or_not_yet(value, match[1], None)

    return re.sub(r"\{([^{}]+)\}", figure, text)


def claims():
    """All rows."""
    return results_file.read(SOURCES / CLAIMS)


def link(evidence):
    """A piece of evidence as a link of the page."""
    target = evidence["at"]
    if not re.match(r"https?:", target):
        target = (
            target.removeprefix("docs/chapters/")
            if target.startswith("docs/chapters/")
            else f"../../{target}"
        )
    return f"[{evidence['text']}]({target})"


def verdict(row):
    """A claim's verdict with its sign, and what is missing where there is none."""
    sign, words = VERDICTS[row["verdict"]]
    marked = f'<strong class="verdict {row["verdict"] or "pending"}">{sign} {words}</strong>'
    return marked if row["verdict"] else f"{marked}: {row['needs']}"


def claims_block(*_):
    """One table per group."""
    groups = {}
    for row in claims():
        groups.setdefault(row["group"], []).append(row)
    parts = []
    for group, rows in groups.items():
        cells = []
        for row in rows:
            cells.append(
                (
                    f"{filled_in(row['claim'])}<br>*({row['who']})*",
                    verdict(row),
                    filled_in(row["because"]),
                    ", ".join(map(link, row["evidence"])),
                )
            )
        parts += [
            f"## {group}",
            table(("claim (who says so)", "verdict", "what was seen", "evidence"), cells),
        ]
    return "\n\n".join(parts)


def claims_count_block(*_):
    """How many there are of each verdict."""
    rows = claims()
    counted = {
        f"{sign} {words}": sum(row["verdict"] == key for row in rows)
        for key, (sign, words) in VERDICTS.items()
    }
    return table((*counted, "all"), [(*map(str, counted.values()), str(len(rows)))])


BLOCKS = {"claims": claims_block, "claims_count": claims_count_block}
