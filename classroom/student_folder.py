"""Where a student works on a rung, and what can be said of the files there."""

import contextlib
import hashlib
import os
import pathlib
import time

from bench import SOURCES
from bench.rungs import own_rungs
from bench.sections import sections
from classroom import starters
from classroom.kernel_library import ROOM, sources_of, text_of

LADDER = SOURCES / "build" / "ladder"
# Tests have rooms of their own.
WORK = pathlib.Path(os.environ.get("LADDER_WORK") or SOURCES / ROOM)
MADE = pathlib.Path(os.environ.get("LADDER_CLASSROOM") or SOURCES / "build" / "classroom")


class CannotDoError(Exception):
    """What cannot be done, why, and what to do instead."""


def say(*lines):
    """Prints lines at once, so that a watching terminal shows them."""
    print("\n".join(lines), flush=True)


def rung_called(name):
    """A Rung by '3', '03', 'shared_tile' or '03_shared_tile'."""
    table = own_rungs()
    for number, rung in table.items():
        if name in (str(number), f"{number:02}", rung.name, rung.folder):
            return rung
    known = " ".join(f"{number:02}" for number in table)
    raise CannotDoError(f"There is no rung {name!r} to work on. RUNG is one of {known}.")


def folder_of(rung):
    """Where a student works on a rung."""
    return WORK / rung.folder


def shown(path):
    """A path as it is typed in the folder of the ladder."""
    path = pathlib.Path(path)
    return str(path.relative_to(SOURCES)) if path.is_relative_to(SOURCES) else str(path)


def made_for(rung):
    """The folder of a rung where a student has started; CannotDoError elsewhere."""
    folder = folder_of(rung)
    if not folder.is_dir():
        raise CannotDoError(
            f"There is no {shown(folder)} yet. `make start RUNG={rung.number:02}` " f"makes it."
        )
    return folder


def digest(folder):
    """A fingerprint of the kernel's files."""
    whole = hashlib.sha256()
    for path in sources_of(folder):
        whole.update(f"{path.name}\n{path.stat().st_size}\n".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def place_of_gap(folder, exercise):
    """'section "Main loop over K" of kernel.cuh, line 38'"""
    path = folder / exercise["file"]
    title = exercise["section"]
    for section in sections(text_of(path)) if path.is_file() else ():
        if section.title == title:
            return f'section "{title.split(":")[0]}" of {exercise["file"]}, line {section.first}'
    return f'section "{title.split(":")[0]}" of {exercise["file"]}'


def untouched(rung, folder):
    """Whether the folder is as it was handed out."""
    with contextlib.suppress(OSError):
        texts = starters.starter(rung)
        return all(text_of(folder / name) == text for name, text in texts.items())
    return False


def now():
    """The time as files record it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
