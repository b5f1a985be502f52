"""A student's room of its own for a test: commands as a student gives them, kernels as written."""

import os
import pathlib
import subprocess
import sys
import tempfile

from bench.rungs import own_rungs
from classroom import starters
from tests import SOURCES


class Classroom:
    """Folders instead of work/ and build/classroom, as long as it is open."""

    def __init__(self):
        """Both are empty."""
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name, "work")
        self.made = pathlib.Path(self.folder.name, "made")
        self.environment = {
            **os.environ,
            "LADDER_WORK": str(self.work),
            "LADDER_CLASSROOM": str(self.made),
            "LADDER_PREDICTIONS": str(pathlib.Path(self.folder.name, "predictions.json")),
        }

    def __enter__(self):
        """The room itself."""
        return self

    def __exit__(self, *_):
        """Removes both folders."""
        self.folder.cleanup()

    def command(self, *words):
        """How a student's command is started."""
        return [sys.executable, "-m", "classroom.student", *map(str, words)]

    def student(self, *words):
        """(exit code, what is printed, errors included)"""
        done = subprocess.run(
            self.command(*words),
            cwd=SOURCES,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def write(self, number, *edits):
        """A finished kernel of a rung, with edits: (text that is there once, what takes its "
        "place)."""
        rung = own_rungs()[number]
        texts = starters.whole(rung)
        for old, new in edits:
            [name] = [name for name, text in texts.items() if text.count(old) == 1]
            texts[name] = texts[name].replace(old, new)
        folder = self.work / rung.folder
        starters.write_to(folder, texts)
        return folder
