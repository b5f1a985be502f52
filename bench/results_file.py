"""Reads files of results. What is not in the form of its kind is told in a sentence with its place.

read(path) knows the files of this tree by their names and gives dictionaries that name their file
where a key is missing; read(path, FORM) takes a user's file as one of a kind.
"""

import functools
import json
import pathlib

from bench.forms import WrongError, anything
from bench.records import FigureError, Record, ResultsError
from bench.results_forms import FORMS

__all__ = [
    "FigureError",
    "Record",
    "ResultsError",
    "form_of",
    "in_form",
    "lines_of",
    "read",
    "read_once",
]


@functools.cache
def form_of(path):
    """The form of a file of this tree, by its name; None for others."""
    for pattern, form in FORMS.items():
        if pathlib.PurePath(path).match(pattern):
            return form
    return None


def lines_of(path):
    """A file's text; a sentence where there is none."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ResultsError(path, "holds bytes that are no text") from error


def refused_constant(name):
    """NaN and the like are no JSON."""
    raise ValueError(f"{name} is no number")


def in_form(text_of_file, path, form):
    """JSON text in a form; `path` is what sentences call it."""
    try:
        found = json.loads(text_of_file, parse_constant=refused_constant)
    except RecursionError as error:
        raise ResultsError(path, "is nested too deep") from error
    except ValueError as error:
        what = f"is no JSON ({error}): was its program stopped?"
        what = what if text_of_file.strip() else "is empty"
        raise ResultsError(path, what) from error
    try:
        return form(found, path, "")
    except WrongError as wrong:
        place, what = wrong.args
        raise ResultsError(path, f"{place or 'the file'} {what}") from wrong


@functools.lru_cache(maxsize=64)
def _read(reader, path, more, _folder, _stamp):
    return reader(path, *more)


def read_once(reader, path, *more):
    """reader(path, *more), called again only when the file has changed. Nobody may change what it
    returns. ResultsError where there is no file."""
    path = pathlib.Path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from error
    return _read(
        reader,
        path,
        more,
        str(pathlib.Path.cwd()),
        (status.st_ino, status.st_mtime_ns, status.st_size),
    )


def _read_form(path, form):
    return in_form(lines_of(path), path, form)


def read(path, form=None):
    """A file in its form; ResultsError says what is wrong with it. Files are read once."""
    return read_once(_read_form, path, form or form_of(path) or anything)
