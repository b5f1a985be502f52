"""Titled sections of a source.

A title is a comment `// -- Main loop over K ------`, in Python with `#`. Its section ends at the
next title, or where the block of code that it is in ends. Pages include by title, exercises empty
by title.
"""

import re
from dataclasses import dataclass

from bench.results_file import FigureError

TITLE = re.compile(r"^(?P<indent> *)(?P<mark>//|#) -- (?P<title>.+?) -{3,}$")


@dataclass(frozen=True)
class Section:
    """A titled section of a source file."""

    title: str
    first: int  # number of its title's line
    lines: tuple  # from the title on, as they stand in the file, without blank lines at the end


def indentation(line):
    """Blanks at its beginning; None for lines that have no say: blank ones and `#pragma`."""
    return None if not line.strip() or line.startswith("#") else len(line) - len(line.lstrip(" "))


def sections(text):
    """All titled sections of a source, in its order."""
    lines = text.splitlines()
    found = []
    for i, line in enumerate(lines):
        title = TITLE.match(line)
        if not title:
            continue
        end = i + 1
        while end < len(lines) and not TITLE.match(lines[end]):
            depth = indentation(lines[end])
            if depth is not None and depth < len(title["indent"]):
                break
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        found.append(Section(title["title"], i + 1, tuple(lines[i:end])))
    return found


def section_of(path, title):
    """The section of a file with this title; `Epilogue` will do for `Epilogue: C = ...`."""
    if not path.is_file():
        raise FigureError(f"there is no file {path}")
    known = sections(path.read_text())
    found = [s for s in known if s.title == title]
    found = found or [s for s in known if s.title.split(":")[0] == title]
    if len(found) == 1:
        return found[0]
    titles = "; ".join(s.title for s in known)
    if found:
        raise FigureError(f"{path} has {len(found)} sections '{title}'")
    raise FigureError(
        f"{path} has no section '{title}'; it has " + (titles or "no titled section at all")
    )
