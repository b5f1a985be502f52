"""Reads tables of counted probes, such as tests/fidelity/probes_h200.csv."""

import csv

from bench.forms import shown
from bench.results_file import Record, ResultsError, lines_of, read_once


def read(path):
    """({probe: its counters as text}, [comment]) of a table of counted probes. It is read once."""
    return read_once(_read, path)


def _read(path):
    lines = lines_of(path).splitlines()
    notes = [line[2:] for line in lines if line.startswith("# ")]
    rows = csv.reader(line for line in lines if not line.startswith("#"))
    try:
        header, *found = rows
    except (csv.Error, ValueError) as error:
        raise ResultsError(path, "has no line of names") from error
    if header[:1] != ["probe"] or len(notes) < 5:
        raise ResultsError(
            path,
            "is no table of probes: its first lines say who made it, and the "
            "next one begins with 'probe'",
        )
    table = {}
    for number_of_row, row in enumerate(found, 1):
        place = f"row {number_of_row}" + (f" ({row[0]})" if row else "")
        if len(row) != len(header):
            raise ResultsError(path, f"{place} has {len(row)} cells, and should have {len(header)}")
        for name, cell in zip(header[1:], row[1:], strict=True):
            if cell and not (cell.isascii() and cell.isdigit() and len(cell) <= 18):
                raise ResultsError(path, f"{place}: {name} is {shown(cell)}, which is no count")
        if row[0] in table:
            raise ResultsError(path, f"{place} is there more than once")
        table[row[0]] = Record(dict(zip(header, row, strict=True)), path, place)
    if not table:
        raise ResultsError(path, "has no row of a probe")
    return Record(table, path, "the table"), notes
