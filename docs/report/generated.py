"""Files that programs write from what is recorded, and that tests find stale.

Such a program has a function made(): ({path: its text, or None where there is to be none},
[what is wrong]). A gap, such as a rung without a question, is named and the rest is written; where
a file cannot be read or written, which is a Failure, none is.
"""

import argparse
import os
import pathlib
import sys

from bench import SOURCES
from bench.output_file import write_all
from bench.results_file import ResultsError


class Failure(str):
    """What is wrong with a file: nothing is written then."""


def told(prefix, error):
    """An error as a sentence: a Failure, if it is about a file."""
    kind = Failure if isinstance(error, (ResultsError, OSError)) else str
    return kind(f"{prefix}: {error}")


def begin(description):
    """Reads --check and --root, and goes to the root of the sources: is it only a check?"""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="fail when a file is stale")
    parser.add_argument("--root", default=SOURCES, help="folder of the sources")
    options = parser.parse_args()
    os.chdir(options.root)
    return options.check


def text_at(path):
    """What is in a file; None: there is none."""
    return path.read_text() if path.exists() else None


def keep(texts, wrong, check):
    """Writes the files that differ, all or none; returns whether all is as it should be.

    check: names them instead.
    """
    program = pathlib.Path(sys.argv[0]).name
    for sentence in wrong:
        print(f"{program}: {sentence}", file=sys.stderr)
    stale = {path: text for path, text in texts.items() if text != text_at(path)}
    if check:
        for path in stale:
            print(f"{program}: {path} is stale: run make report", file=sys.stderr)
        return not wrong and not stale
    if any(isinstance(sentence, Failure) for sentence in wrong):
        print(f"{program}: nothing is written", file=sys.stderr)
        return False
    for path in stale:
        path.parent.mkdir(exist_ok=True)
    write_all(stale)
    for path, text in stale.items():
        print(f"{'removed' if text is None else 'wrote'} {path}")
    return not wrong


def main_of(description, made):
    """main() of such a program."""
    check = begin(description.splitlines()[0])
    sys.exit(0 if keep(*made(), check) else 1)
