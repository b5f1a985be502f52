"""What a student has done so far: work/.progress.json, written whole or not at all."""

import contextlib
import fcntl
import json
import os
import pathlib
import sys

from bench.output_file import write_whole

NAME = ".progress.json"
SCHEMA = "gemm-ladder/progress/v1"


def text_of(entries):
    """The text of a file with these entries."""
    whole = {"schema": SCHEMA, "rungs": dict(sorted(entries.items()))}
    return json.dumps(whole, indent=1) + "\n"


@contextlib.contextmanager
def alone_in(folder):
    """One command at a time works in a folder, which it makes."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


class ProgressFile:
    """{folder of a rung: what was done there}; one command at a time changes it."""

    def __init__(self, folder):
        """The folder is made when something is written."""
        self.folder = pathlib.Path(folder)
        self.path = self.folder / NAME

    def read(self):
        """All entries; a file that cannot be read is kept under another name."""
        try:
            found = json.loads(self.path.read_text())
            entries = found["rungs"]
            whole = all(isinstance(entry, dict) for entry in entries.values())
            if found["schema"] != SCHEMA or not whole:
                raise ValueError(f"its schema is not {SCHEMA}")
            return entries
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            kept = self._put_aside()
            print(
                f"{self.path} cannot be read ({error}). It is kept as {kept.name}, and your "
                "progress starts again; your kernels are not touched.",
                file=sys.stderr,
            )
            return {}

    def _put_aside(self):
        """Gives a broken file a name of its own."""
        number = 1
        while (kept := self.folder / f"{NAME}.broken-{number}").exists():
            number += 1
        self.path.rename(kept)
        return kept

    @contextlib.contextmanager
    def change(self, rung):
        """The entry of a rung, to be changed; written if nothing was raised."""
        with alone_in(self.folder):
            entries = self.read()
            entry = entries.setdefault(rung.folder, {})
            yield entry
            write_whole(self.path, text_of(entries))

    def grade(self, rung, report):
        """Files the points of a grade.json."""
        found = json.loads(pathlib.Path(report).read_text())
        with self.change(rung) as entry:
            entry["grade"] = [found["score"], found["max_score"]]
