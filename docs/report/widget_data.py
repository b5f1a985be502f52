"""Writes docs/widgets/data.js: the device cards and the recorded climbs, for the book's widgets.

python3 -m docs.report.widget_data            write the file
python3 -m docs.report.widget_data --check    fail when it is stale
"""

import json
import pathlib
import re

from bench import program, results_file
from docs.report import generated
from docs.report.recorded import (
    RESULTS,
    FigureError,
    MissingFileError,
    NotRecordedError,
    described,
    load,
    precision_of,
    profile,
    roofs,
)

CARDS = pathlib.Path("common/devices")  # below the root of the sources
DATA = pathlib.Path("docs/widgets/data.js")
HEAD = """\
// Written by docs/report/widget_data.py (`make report`) from common/devices and
// bench/results: figures of GPUs, and what the rungs reached. Sources of the figures stand in the
// files there.
"""
CARD_FIRST = "h200"


def cards():
    """[{figure: value}] of all device cards, the recorded GPU first."""
    found = []
    for path in sorted(CARDS.glob("*.json"), key=lambda path: (path.stem != CARD_FIRST, path.stem)):
        figures = {name: figure["value"] for name, figure in results_file.read(path).items()}
        found.append({"id": path.stem, **figures})
    return found


def dram_bytes(rung, size):
    """What Nsight Compute counted of a rung; None where it was not profiled at this size."""
    try:
        counters = profile(rung, size)
    except (NotRecordedError, MissingFileError):
        return None
    return counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]


def points():
    """[{rung, name, size, protocol, tflops, dram_bytes}] of the recorded climbs, in FP32."""
    climbs = []
    for path in RESULTS.glob("climb_*.json"):
        match = re.fullmatch(r"climb_(burst|graph)_(\d+)\.json", path.name)
        if match:
            climbs.append((int(match[2]), match[1], path.name))
    found = []
    for size, protocol, name in sorted(climbs):
        for entry in load(name)["benchmarks"]:
            if entry["tflops"] is None or precision_of(entry) != "FP32":
                continue
            found.append(
                {
                    "rung": entry["rung"],
                    "name": entry["name"],
                    "size": size,
                    "protocol": protocol,
                    "tflops": float(f"{entry['tflops']:.5g}"),
                    "dram_bytes": dram_bytes(entry["rung"], size),
                }
            )
    return found


def measured():
    """Measured roofs of the recorded GPU: TFLOP/s of FFMA, and the better GB/s of DRAM."""
    found = roofs()
    return {
        "ffma_tflops": float(f"{found['ffma']:.5g}"),
        "dram_gbps": float(f"{max(found['dram_copy'], found['dram_memcpy']):.5g}"),
    }


def data():
    """The file as text: one card or point to a line."""
    lists = {"cards": cards(), "points": points()}
    lines = [HEAD + "window.ladderData = {"]
    for name, entries in lists.items():
        rows = ",\n".join(f"    {json.dumps(entry)}" for entry in entries)
        lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ],")
    context = load("climb_burst_4096.json")["context"]
    recorded = {
        "card": CARD_FIRST,
        "provenance": described({**context, "sm_clock_mhz": None}, ""),
        "roofs": measured(),
    }
    lines.append(f'  "recorded": {json.dumps(recorded)}')
    return "\n".join([*lines, "};"]) + "\n"


def made():
    """({the file: its text}, [what is wrong])"""
    try:
        return {DATA: data()}, []
    except FigureError as error:
        return {}, [generated.told(DATA.name, error)]


def main():
    """Writes or checks the file."""
    generated.main_of(__doc__, made)


if __name__ == "__main__":
    program.run(main)
