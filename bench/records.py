"""What a file of results gives its readers: records that name their file where a key is missing."""

import pathlib

from bench import SOURCES

RECORDED = ("bench/results", "common/devices", "docs", "ladder")  # where committed files lie


class FigureError(Exception):
    """A figure that is asked for but not recorded."""

    def _render_traceback_(self):
        """A notebook shows the sentence alone."""
        return [f"{type(self).__name__}: {self}"]


class ResultsError(FigureError):
    """A file of results that cannot be read, or that says what cannot be."""

    def __init__(self, path, sentence):
        """A file of this tree can be brought back."""
        super().__init__(f"{path}: {sentence}{restore(path)}")


def restore(path):
    """'; `git restore FILE` brings ...' for a file of this tree; else nothing."""
    path = pathlib.Path(path)
    file = path.resolve() if path.is_absolute() else SOURCES / path
    if file.suffix != ".json" or not any(file.is_relative_to(SOURCES / at) for at in RECORDED):
        return ""
    return f"; `git restore {path}` brings the committed file back"


class Record(dict):
    """A dictionary that names its file where somebody asks for a key that it lacks."""

    def __init__(self, values, path, place=""):
        """`place` is where in the file it stands: 'benchmarks[3]'"""
        super().__init__(values)
        self.path, self.place = path, place

    def __missing__(self, key):
        """A key that the file should have."""
        raise ResultsError(self.path, f"{self.place or 'the file'} has no '{key}'")
