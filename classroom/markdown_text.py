"""Markdown as lines: headings and what is below them, folds, lists, words, figures."""

import re
from dataclasses import dataclass, field

FOLD = re.compile(r"<details markdown><summary>(.*)</summary>$")


@dataclass
class Part:
    """A heading and the lines below it, up to the next heading of its level or above."""

    title: str
    line: int  # of the heading
    lines: list = field(default_factory=list)  # [(number, text)]

    def text(self):
        """The lines as one text."""
        return "\n".join(line for _, line in self.lines).strip()


def parts_of(lines, level):
    """(lines above the first heading of this level, [Part]); fenced code has no headings."""
    above, parts, fence = [], [], ""
    mark = "#" * level + " "
    for number, text in lines:
        opened = re.match(r" *(`{3,}|~{3,})", text)
        if opened and not fence:
            fence = opened[1]
        elif fence and text.strip() == fence:
            fence = ""
        if not fence and text.startswith(mark):
            parts.append(Part(text.removeprefix(mark).strip(), number))
        elif parts:
            parts[-1].lines.append((number, text))
        else:
            above.append((number, text))
    return above, parts


def folded(part, complain):
    """(lines outside of <details>, [(summary, text)]); complain(line, text) hears what is wrong."""
    outside, folds, open_at = [], [], None
    for number, text in part.lines:
        summary = FOLD.match(text.strip())
        if summary:
            if open_at is not None:
                complain(number, "<details> within <details>")
            folds.append((summary[1], []))
            open_at = number
        elif text.strip() == "</details>":
            open_at = None
        elif "<details" in text:
            complain(number, "write '<details markdown><summary>Hint 1</summary>'")
        elif open_at is not None:
            folds[-1][1].append(text)
        else:
            outside.append((number, text))
    if open_at is not None:
        complain(open_at, "<details> without </details>")
    return outside, [(summary, "\n".join(lines).strip()) for summary, lines in folds]


def unfolded(text):
    """The text without what <details> fold away."""
    kept, depth = [], 0
    for line in text.splitlines():
        depth += line.count("<details")
        if not depth:
            kept.append(line)
        depth -= line.count("</details>")
    return "\n".join(kept)


def figures_of(text):
    """Figures and widgets of a text, each as its line."""
    return re.findall(r"^(?:!\[.*|<!-- widget .*)$", text, flags=re.M)


def items(text):
    """The points of a Markdown list, each in one line."""
    found = re.findall(r"^(?:[-*]|\d+\.) (.*(?:\n {2,}.*)*)", text, flags=re.M)
    return [" ".join(item.split()) for item in found]
