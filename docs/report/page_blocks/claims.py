"""The page of claims: docs/chapters/claims.json, rendered by group.

A row has a claim, who says so, a verdict (null if nothing recorded decides it, and then what it
`needs`), a reason and evidence. `rows` are the names under which the labs test it.
"""

import pathlib
import re

from bench import SOURCES, probes_file, results_file
from docs.report.page_blocks.markdown import table
from docs.report.page_blocks.memory_programs import (
    aside,
    last_region,
    lines_of_a_stride,
    on_curve,
    pipeline,
    slices,
    streams,
    strides,
)
from docs.report.page_blocks.near_loops import recorded as near_loops
from docs.report.recorded import CARD, RESULTS, FigureError, load, roofs
from docs.report.recorded_labs import CARDS, finding, lab_value, plain_number, report, with_unit
from docs.report.rung_figures import or_not_yet, value

CLAIMS = pathlib.Path("docs/chapters/claims.json")  # below the root of the sources
PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")
VERDICTS = {  # of a claim: (sign, words); the site gives each a colour (docs/assets/claims.css)
    "holds": ("✓", "holds"),
    "condition": ("◐", "holds with a condition"),
    "wrong": ("✗", "wrong"),
    None: ("…", "pending"),
}
# Texts with many claims, as `who` names them. All others are in one line of the table.
TEXTS = (
    "a post on H100's L2",
    "a project page on L2 sides",
    "an essay on HBM",
    "a paper of 2017 (K80, P100)",
    "course notes on nvcc and GEMM",
)
OTHERS = "tutorials, manuals, forums and others"
H100_ROOFS = RESULTS.parent / "nvidia-h100" / "roofs.json"
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


def h100_roof(name):
    """A roof that was measured on an H100, in GB/s or TFLOP/s."""
    for entry in results_file.read(H100_ROOFS)["benchmarks"]:
        if entry["name"] == name:
            return entry["value"]
    raise FigureError(f"{H100_ROOFS} has no roof '{name}'")


def card(name, device="h200"):
    """A figure of a device card."""
    return results_file.read(CARD.with_name(f"{device}.json"))[name]["value"]


def machine_code(rung, field, change=""):
    """What a rung's main loop has in machine code, as written or with a change of it."""
    path = RESULTS.parent / "sass" / "loops.json"
    for entry in results_file.read(path)["benchmarks"]:
        if (entry["rung"], entry["change"]) == (int(rung), change):
            return str({**entry, **entry["counts"]}[field])
    raise FigureError(f"{path} has no rung {rung} with the change '{change}'")


def number(name):
    """A recorded number: lab:NAME:FINDING, roof:NAME, h100:NAME or card:NAME:DEVICE."""
    kind, *words = name.split(":")
    if kind == "lab" and len(words) == 2:
        estimate = finding(*words)["value"]
        if estimate is None:
            raise FigureError(f"'{name}' was not found, so it has no value")
        return estimate["value"]
    reads = {"roof": lambda which: roofs()[which], "h100": h100_roof, "card": card}
    if kind not in reads or not words:
        raise FigureError(f"'{name}' is no name of a number")
    return reads[kind](*words)


SAME = "H100: the same"


def both(lab, key, part=""):
    """'281 cycles (H100: 276 cycles)': what the H200 found, and the H100 if it looked for it."""
    here = lab_value(lab, key, part)
    other = next((f for f in report(f"{lab}@h100")["findings"] if f["key"] == key), None)
    if other is None:
        return here
    there = lab_value(f"{lab}@h100", key, part) if other["value"] else "not found"
    return f"{here} ({SAME if here == there else f'H100: {there}'})"


def change(lab, key):
    """'-6.29 % (-6.68 to -5.89)': a change in per cent, with its interval."""
    estimate = finding(lab, key)["value"]
    value, low, high = (plain_number(estimate[end]) for end in ("value", "low", "high"))
    return f"{value} % ({low} to {high})"


def passed(what):
    """'120 MiB (H100: 100 MiB)': sizes that the lab of interference chose by the card's L2.

    what: array (keys and values), or weights
    """
    sizes = []
    for card in CARDS:
        found = finding(f"interference@{card}", "none_share")
        pattern = {"array": r"^Of (.+? MiB);", "weights": r"; (.+? MiB) of weights"}[what]
        sizes.append(re.search(pattern, found["how"])[1])
    return f"{sizes[0]} ({CARDS[1].upper()}: {sizes[1]})"


FIGURES = {  # {NAME ARGUMENTS} in a claim: what it makes of them
    "both": both,
    "of": lab_value,
    "change": change,
    "passed": passed,
    "curve": on_curve,
    "last": last_region,
    "pipeline": pipeline,
    "aside": aside,
    "streams": streams,
    "slices": slices,
    "lines_of_a_stride": lines_of_a_stride,
    "strides": lambda what: strides(what, h100_roof("l2_read")),
    "probe": probe,
    "gallery": found_of_gallery,
    "roof": lambda name: f"{roofs()[name]:,.0f}",
    "h100": lambda name: f"{h100_roof(name):,.0f}",
    "card": lambda *names: f"{card(*names):,}",
    "ratio": lambda of, to: plain_number(number(of) / number(to)),
    "sum": lambda unit, *names: with_unit(sum(map(number, names)), unit),
    "drain": lambda size, rate: with_unit(1000 * number(size) / number(rate), "ms"),
    "loop": lambda operation, field: str(near_loops()[0][operation][field]),
    "sass": machine_code,
}


def filled_in(text):
    """Text with its figures: `{02:gain_4096}` is a value of docs/report/rung_figures.py, and
    `{probe NAME COUNTER}`, `{card NAME}` and all others of FIGURES are of recorded files.

    That an H100 shows the same is said once, at the end, of a text that has no other figures and
    does not speak of one.
    """

    def figure(match):
        kind, *words = match[1].split()
        if kind in FIGURES:
            return FIGURES[kind](*words)
        return or_not_yet(value, match[1], None)

    filled = re.sub(r"\{([^{}]+)\}", figure, text)
    of_both = {kind.split()[0] for kind in re.findall(r"\{([^{}]+)\}", text)} == {"both"}
    if not of_both or "H100" in text or filled.count("(H100:") != filled.count(f"({SAME})"):
        return filled
    return filled.replace(f" ({SAME})", "") + " An H100 shows the same."


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


def text_of(row):
    """Which of the texts makes a claim."""
    return next((text for text in TEXTS if text in row["who"]), OTHERS)


def grouped(key):
    """{key of a row: rows}, in the order of the file."""
    groups = {}
    for row in claims():
        groups.setdefault(key(row), []).append(row)
    return groups


def counts(rows):
    """How many rows there are of each verdict, and in all."""
    return [*(sum(row["verdict"] == key for row in rows) for key in VERDICTS), len(rows)]


def summary(rows):
    """'12 claims: 3 hold, ...' in signs: '12 claims: 3 ✓, 5 ◐, 4 ✗'"""
    found = zip(counts(rows), VERDICTS.values(), strict=False)
    signs = ", ".join(f"{count} {sign}" for count, (sign, _) in found if count)
    return f"{len(rows)} claims: {signs}"


def claims_block(*_):
    """One table per group, below how many of its claims have which verdict."""
    parts = []
    for group, rows in grouped(lambda row: row["group"]).items():
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
            summary(rows),
            table(("claim (who says so)", "verdict", "what was seen", "evidence"), cells),
        ]
    return "\n\n".join(parts)


def anchor(heading):
    """What the site calls a heading in an address."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def count_table(first, groups):
    """Verdicts of each group, and of all."""
    signs = [sign for sign, _ in VERDICTS.values()]
    rows = [(name, *map(str, counts(of_group))) for name, of_group in groups.items()]
    return table((first, *signs, "all"), [*rows, ("all", *map(str, counts(claims())))])


def claims_count_block(*_):
    """How many there are of each verdict, by text and by group, and what the signs say."""
    texts = grouped(text_of)
    by_text = {text: texts[text] for text in (*TEXTS, OTHERS) if text in texts}
    of_groups = {
        f"[{group}](#{anchor(group)})": rows
        for group, rows in grouped(lambda row: row["group"]).items()
    }
    return "\n\n".join(
        [
            ", ".join(f"{sign} {words}" for sign, words in VERDICTS.values()) + ":",
            count_table("who says so", by_text),
            count_table("group", of_groups),
        ]
    )


BLOCKS = {"claims": claims_block, "claims_count": claims_count_block}
