"""Records the labs of a paper on simulated copies of the cards that it used.

    python3 -m bench.record.simulated_cards            write bench/results/simulated_*/lab_*.json
    python3 -m bench.record.simulated_cards --check    fail where a record is not what they give now

docs/labs/tlb_paper.md shows what is recorded. A simulated card is made of the paper's figures, so
that no claim about a real one follows. It needs build/memory_lab, and no GPU.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from bench import SOURCES, program
from bench.output_file import write_all

MEMORY_LAB = SOURCES / "build" / "memory_lab"
CARDS = ("k80", "p100")
SCOPES = ("128MiB", "256MiB", "512MiB", "1GiB", "2GiB", "4GiB", "8GiB")
LABS = {
    "tlb_reach": (),
    "tlb_sharing": (),
    "random_sampling": ("--paper", "--scope", *SCOPES),
    "hash_grouping": ("--paper",),
}
CHANGES = ("seconds", "context")  # from run to run


def path_of(card, lab):
    """Where a lab of a card is recorded."""
    return SOURCES / "bench" / "results" / f"simulated_{card}" / f"lab_{lab}.json"


def command_of(card, lab):
    """What a reader types for it, without the program."""
    return ["run", lab, "--simulate", card, "--quick", *LABS[lab]]


def run(card, lab, memory_lab=MEMORY_LAB):
    """A lab's file on a card, as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lab.json"
        subprocess.run(
            [memory_lab, *command_of(card, lab), "--json", path],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
        return path.read_text()


def lasting(text):
    """What a file says, without what changes from run to run."""
    return {key: value for key, value in json.loads(text).items() if key not in CHANGES}


def stale(memory_lab=MEMORY_LAB):
    """Records that the program would write otherwise."""
    return [
        path_of(card, lab)
        for card in CARDS
        for lab in LABS
        if lasting(path_of(card, lab).read_text()) != lasting(run(card, lab, memory_lab))
    ]


def main():
    """Writes or checks all records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail where a record is stale")
    if parser.parse_args().check:
        found = stale()
        for path in found:
            print(f"{path.relative_to(SOURCES)} is stale", file=sys.stderr)
        sys.exit(1 if found else 0)
    texts = {path_of(card, lab): run(card, lab) for card in CARDS for lab in LABS}
    for path in texts:
        path.parent.mkdir(exist_ok=True)
    write_all(texts)


if __name__ == "__main__":
    program.run(main)
