"""How much there is to read: words by page, and the minutes that they take.

    python3 -m docs.reading.words               all pages, beside the last edition
    python3 -m docs.reading.words --keep FILE   keep the counts as JSON

Open words are those that nobody has to unfold: no code, no formulas, no generated blocks. The
others are counted apart. A minute is an estimate from the constants below, never a measurement.
"""

import argparse
import json
import math
import os
import pathlib
import re
from dataclasses import asdict, dataclass

from bench import SOURCES, program
from classroom.markdown_text import unfolded

WORDS_PER_MINUTE = 150  # of prose with arithmetic, read with a pencil at hand
MINUTES_PER_FORMULA = 0.5  # on a line of its own: one redoes it
MINUTES_PER_LINE_OF_CODE = 0.05
MINUTES_PER_GENERATED_WORD = 0.002  # of tables, in which one looks for a number
ROUNDED_TO = 5  # minutes
LAST_EDITION = pathlib.Path("docs/reading/second_edition.json")

BLOCK = re.compile(r"^[ ]*<!-- begin (\w+).*?<!-- end \1 -->$", flags=re.M | re.S)
FENCE = re.compile(r"^( *)```.*?^\1```$", flags=re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", flags=re.S)
FORMULA = re.compile(r"^\$\$.*?\$\$$", flags=re.M | re.S)
CALCULATION = re.compile(r"^(?=.* = )(?=.*[·×/]).{8,100}[.,]?$", flags=re.M)


@dataclass(frozen=True)
class Count:
    """What a page holds, in words; code in lines."""

    open: int
    folded: int
    generated: int
    code_lines: int
    formulas: int

    @property
    def minutes(self):
        """What its open part takes to read."""
        return (
            self.open / WORDS_PER_MINUTE
            + self.formulas * MINUTES_PER_FORMULA
            + self.code_lines * MINUTES_PER_LINE_OF_CODE
            + self.generated * MINUTES_PER_GENERATED_WORD
        )


def prose_of(text):
    """A text without blocks, code, formulas and comments."""
    for other in (BLOCK, FENCE, FORMULA, COMMENT):
        text = other.sub("", text)
    return text


def paragraphs(text):
    """The paragraphs of a page's prose."""
    return [part for part in re.split(r"\n\s*\n", prose_of(text)) if part.strip()]


def counted(text):
    """Count of a page's Markdown."""
    whole, shown = text, unfolded(text)
    own = BLOCK.sub("", shown)
    calculations = [part for part in paragraphs(shown) if CALCULATION.fullmatch(part.strip())]
    return Count(
        open=len(prose_of(shown).split()),
        folded=len(prose_of(whole).split()) - len(prose_of(shown).split()),
        generated=sum(len(block[0].split()) for block in BLOCK.finditer(shown)),
        code_lines=sum(block[0].count("\n") - 1 for block in FENCE.finditer(own)),
        formulas=len(FORMULA.findall(own)) + len(calculations),
    )


def minutes_to_read(text):
    """The minutes that a page announces."""
    return ROUNDED_TO * max(1, math.ceil(counted(text).minutes / ROUNDED_TO))


def book():
    """{path: Count} of all pages, paths below the root of the sources."""
    paths = [
        pathlib.Path("README.md"),
        *sorted(pathlib.Path("ladder").glob("[0-9][0-9]_*/README.md")),
        *sorted(pathlib.Path("docs").rglob("*.md")),
    ]
    return {path.as_posix(): counted(path.read_text()) for path in paths}


def listed(now, before):
    """The lines of a table: each page, with what it held in the last edition, and the sums."""
    lines = [
        f"{'page':<42} {'before':>7} {'open':>7} {'folded':>7} {'generated':>9} {'minutes':>7}"
    ]
    for path, count in now.items():
        was = before.get(path, {}).get("open", "")
        lines.append(
            f"{path:<42} {was:>7} {count.open:>7} {count.folded:>7} {count.generated:>9} "
            f"{count.minutes:>7.0f}"
        )
    gone = sum(entry["open"] for path, entry in before.items() if path not in now)
    total = {name: sum(getattr(count, name) for count in now.values()) for name in asdict(count)}
    minutes = sum(count.minutes for count in now.values())
    was = sum(entry["open"] for entry in before.values())
    lines.append(
        f"{'all':<42} {was:>7} {total['open']:>7} {total['folded']:>7} {total['generated']:>9} "
        f"{minutes:>7.0f}"
    )
    if gone:
        lines.append(f"{gone} of the words before were on pages that are no more.")
    return lines


def main():
    """Prints the table, or keeps the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", metavar="FILE", help="write the counts as JSON")
    options = parser.parse_args()
    os.chdir(SOURCES)
    now = book()
    if options.keep:
        data = {path: asdict(count) for path, count in now.items()}
        pathlib.Path(options.keep).write_text(json.dumps(data, indent=1) + "\n")
        return
    print("\n".join(listed(now, json.loads(LAST_EDITION.read_text()))))


if __name__ == "__main__":
    program.run(main)
