"""The rung table of ladder/ladder.cpp, for everything that is not C++."""

import pathlib
import re
from dataclasses import dataclass

from docs.report.recorded import FigureError

TABLE = pathlib.Path("ladder/ladder.cpp")  # below the root of the sources
ENTRY = re.compile(
    r'\{(?P<number>\d+),\s*"(?P<name>\w+)",\s*"(?P<idea>[^"]*)",\s*(?P<builds_on>-?\d+),'
    r"\s*k\w+,\s*(?P<capability>\d+),\s*(?P<multiple>\d+),\s*\{(?:(?P<rows>\d+), (?P<cols>\d+))?\},"
)


@dataclass(frozen=True)
class Rung:
    """A line of the table."""

    number: int
    name: str  # "shared_tile"
    idea: str
    builds_on: int | None
    capability: int  # 75 means 7.5; 90 means 9.0 alone, for its code is compiled for sm_90a
    multiple: int  # of N and K
    tile: tuple | None  # (rows, columns) of C per block

    @property
    def folder(self):
        """'03_shared_tile'"""
        return f"{self.number:02}_{self.name}"

    @property
    def label(self):
        """'03 shared_tile'"""
        return f"{self.number:02} {self.name}"

    @property
    def path(self):
        """Its folder, below the root of the sources."""
        return pathlib.Path("ladder") / self.folder

    @property
    def needs(self):
        """'compute capability 7.5 or higher'"""
        version = f"compute capability {self.capability / 10:.1f}"
        return f"{version} exactly" if self.capability == 90 else f"{version} or higher"

    @property
    def takes(self):
        """'any M; N and K multiples of 4'"""
        if self.multiple == 1:
            return "any M, N, K"
        return f"any M; N and K multiples of {self.multiple}"


def rung_table():
    """{number: Rung} of all rungs."""
    text = TABLE.read_text()
    entries = list(ENTRY.finditer(text))
    lines = len(re.findall(r"^    \{\d+,", text, flags=re.M))
    if not entries or len(entries) != lines:
        raise FigureError(f"{TABLE}: {len(entries)} of {lines} lines of the table can be read")
    found = {}
    for entry in entries:
        base = int(entry["builds_on"])
        found[int(entry["number"])] = Rung(
            number=int(entry["number"]),
            name=entry["name"],
            idea=entry["idea"],
            builds_on=None if base < 0 else base,
            capability=int(entry["capability"]),
            multiple=int(entry["multiple"]),
            tile=(int(entry["rows"]), int(entry["cols"])) if entry["rows"] else None,
        )
    return found


def rung_of(number):
    """A Rung by its number."""
    table = rung_table()
    if number not in table:
        raise FigureError(
            f"there is no rung {number:02}; there are " + ", ".join(f"{n:02}" for n in table)
        )
    return table[number]
