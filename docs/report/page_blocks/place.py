"""Where a block is."""

import os
import pathlib
import re
from dataclasses import dataclass

from docs.report.recorded import FigureError


@dataclass(frozen=True)
class Place:
    """Where a block is: the page's path below the root, and its rung if it is a lesson."""

    page: pathlib.Path
    rung: int | None

    @property
    def is_lesson(self):
        """Whether the page is a rung's README."""
        return self.rung is not None

    @property
    def folder(self):
        """The page's folder."""
        return self.page.parent

    def rung_or(self, arguments):
        """The lesson's rung, or the one that the arguments name."""
        if re.fullmatch(r"\d\d", arguments):
            return int(arguments)
        if arguments:
            raise FigureError(f"'{arguments}' is no number of a rung, such as 03")
        if self.rung is None:
            raise FigureError("outside of lessons the block needs a rung, such as 'diff 03'")
        return self.rung

    def link(self, path):
        """A path below the root, as a link of this page."""
        return pathlib.PurePosixPath(os.path.relpath(path, self.folder)).as_posix()
