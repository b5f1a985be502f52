"""Shapes that several figures share: cells, arrows, brackets, legends, and how wide words are.

Colours mean the same in all figures: A is f0, B is f1, C and its sums are f2, arithmetic is f3.
"""

import re

from bench import SOURCES, results_file
from docs.report.svg import WIDTH, Drawing, number, text_width

A, B, C, WORK = range(4)  # colours
NARROW, EDGE = 460, 16  # a picture for phones, and its margin


def wrapped(words, room, style=""):
    """Lines of words that are no wider than `room`."""
    lines = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", style) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class Picture(Drawing):
    """A drawing of WIDTH pixels with the shapes of the book, or one of NARROW pixels for phones."""

    def __init__(self, name, height, title, subtitle, description, narrow=False):
        """name: of the file; description: what the figure shows, for those who cannot see it.

        A narrow picture is as high as it becomes: conclude() sets its height.
        """
        id_of = name.replace("_", "-") + ("-narrow" if narrow else "")
        width = NARROW if narrow else WIDTH
        super().__init__(id_of, width, height, title, subtitle, description)
        self.narrow = narrow
        self.top = 94  # base line of the first words below the title
        if narrow:
            self.elements.clear()
            y = self.paragraph(EDGE, 34, title, "title", 25)
            self.top = self.paragraph(EDGE, y, subtitle, "soft", 20) + 14

    def paragraph(self, x, y, words, style="", gap=21):
        """Words that go on below each other at the edge; returns the base line below them."""
        lines = wrapped(words, self.width - EDGE - x, style)
        self.lines(x, y, lines, style, gap)
        return y + gap * len(lines)

    def extent(self, left, names):
        """(left, right) of what has names at its left, so many pixels wide."""
        return left + names, (self.width - EDGE if self.narrow else 976)

    def conclude(self, x, y, words):
        """What the figure says, at its bottom; below y if the picture is narrow."""
        if self.narrow:
            self.height = self.paragraph(x, y, words, "large", 24) - 4
        else:
            self.text(x, self.height - 24, words, "large")

    def cell(self, x, y, width, height, style="soft-fill", words="", text_style="plain"):
        """A rectangle from its left upper corner, with words in its middle."""
        self.bar(x, y, x + width, y + height, f"{style} edge")
        if words != "":
            self.text(x + width / 2, y + height / 2 + 5.5, str(words), text_style, "middle")

    def frame(self, x, y, width, height, style="line soft-line"):
        """An outline."""
        self.bar(x, y, x + width, y + height, style)

    def row(self, x, y, size, styles, words=None, height=None):
        """A row of cells: a style and perhaps a word for each."""
        for i, style in enumerate(styles):
            word = "" if words is None else words[i]
            on = {"tint", "soft-fill", "half"} & set(style.split())
            self.cell(x + i * size, y, size, height or size, style, word, "plain" if on else "on")

    def arrow(self, points, style="lead", head=6):
        """A line through points with a head at its end; level or upright at the end."""
        (x0, y0), (x1, y1) = points[-2:]
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        base = (x1 - 1.6 * head * dx, y1 - 1.6 * head * dy)
        self.line([*points[:-1], base], style)
        corners = [
            (x1, y1),
            (base[0] - head * dy, base[1] + head * dx),
            (base[0] + head * dy, base[1] - head * dx),
        ]
        path = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
        fill = re.search(r"\bl(\d)", style)
        self.elements.append(
            f'<polygon class="{f"f{fill[1]}" if fill else "head"}" points="{path}"/>'
        )

    def bracket(self, left, right, y, words, style="soft", below=False):
        """The extent of something level, with words over (or below) it."""
        tip = y - 6 if below else y + 6
        self.line([(left, tip), (left, y), (right, y), (right, tip)], "lead")
        self.text((left + right) / 2, y + 18 if below else y - 7, words, style, "middle")

    def upright(self, x, top, bottom, words=(), style="soft"):
        """The extent of something upright, with lines of words at its right."""
        self.line([(x - 6, top), (x, top), (x, bottom), (x - 6, bottom)], "lead")
        first = (top + bottom) / 2 + 5 - 10 * (len(words) - 1)
        for i, line in enumerate(words):
            self.text(x + 8, first + 20 * i, line, style)

    def legend(self, x, y, entries, gap=26):
        """Swatches with words in a row, from (style, words); returns where it ends.

        In a narrow picture it goes on below, and the end is the base line below it.
        """
        first = x
        for style, words in entries:
            if self.narrow and x > first and x + 21 + text_width(words) > self.width - EDGE:
                x, y = first, y + 24
            self.cell(x, y - 12, 15, 15, style)
            self.text(x + 21, y, words)
            x += 21 + text_width(words) + gap
        return y + 24 if self.narrow else x

    def lines(self, x, y, lines, style="", gap=21, anchor="start"):
        """Lines of words below each other; a line may bring its own style as (words, style)."""
        for i, line in enumerate(lines):
            words, own = (line, style) if isinstance(line, str) else line
            if words:
                self.text(x, y + gap * i, words, own, anchor)


def plural(count, noun):
    """'1 sector', '2 sectors'"""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def card(name="h200"):
    """{entry: value} of a device card."""
    path = SOURCES / "common" / "devices" / f"{name}.json"
    return {key: entry["value"] for key, entry in results_file.read(path).items()}


def requests(rung):
    """What a warp of a rung asked of memory, as the emulator traced it (record.py)."""
    path = SOURCES / "docs" / "figures" / "data" / "requests.json"
    return results_file.read(path)[f"{rung:02}"]


def request(rung, array, operation):
    """The first recorded request of an operation on an array."""
    return next(
        entry
        for entry in requests(rung)
        if entry["array"] == array and entry["operation"] == operation
    )
