"""Records which addresses the first warp of each rung asks for, from the emulator's trace.

    python3 -m docs.figures.record [build/ladder]            write data/requests.json
    python3 -m docs.figures.record [build/ladder] --check    fail when it is not what the trace says

Of each access of the source the first request is kept. M = N = K = 256, so that a row of A or B is
1024 bytes. Figures need this file alone, and no program.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from bench.rungs import own_rungs

DATA = pathlib.Path(__file__).resolve().parent / "data" / "requests.json"
SIZE = 256
KEPT = ("array", "operation", "access_bytes", "sectors", "lines", "wavefronts", "addresses")


def one_kernel():
    """Rungs with one kernel for all shapes: others pick one of their own for so small a product."""
    return [number for number, rung in own_rungs().items() if len(rung.configurations) <= 1]


def first_requests(ladder, rung):
    """[request] of a rung's block 0, warp 0: the first of each access."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        subprocess.run(
            [ladder, "trace", f"{rung:02}", "--size", str(SIZE), "--warp", "0,0", "--json", path],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        trace = json.loads(path.read_text())
    found = {}
    for entry in trace["warp"]["requests"]:
        found.setdefault(
            (entry["line"], entry["operation"], entry["array"]), {key: entry[key] for key in KEPT}
        )
    return list(found.values())


def main():
    """Writes or checks the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ladder", nargs="?", default="build/ladder", help="the traced program")
    parser.add_argument("--check", action="store_true", help="fail when the file is stale")
    options = parser.parse_args()
    rungs = {f"{rung:02}": first_requests(options.ladder, rung) for rung in one_kernel()}
    entries = [
        f'"{rung}": [\n' + ",\n".join(json.dumps(entry) for entry in found) + "\n]"
        for rung, found in rungs.items()
    ]
    text = "{\n" + ",\n".join(entries) + "\n}\n"
    if options.check:
        stale = f"{DATA} is stale: run python3 -m docs.figures.record"
        sys.exit(0 if DATA.read_text() == text else stale)
    DATA.write_text(text)
    print(f"wrote {DATA}")


if __name__ == "__main__":
    main()
