"""Pieces of Markdown that blocks are made of."""

import re

NUMBER = re.compile(r"\**[-+]?\d[\d,.]*( ([%=]|[GM]B|[KM]iB|[mu]s|W|MHz|[GT]B/s))?\**")


def table(heads, rows):
    """A Markdown table; columns of numbers stand at the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    marks = [
        "---:" if all(NUMBER.fullmatch(row[i]) for row in cells if row[i]) else "---"
        for i in range(len(heads))
    ]
    lines = [heads, marks, *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace(
        "| " + " | ".join(marks) + " |", "|" + "|".join(marks) + "|", 1
    )


def code(words):
    """Words as code in a table: bars would end the cell."""
    return f"`{words}`" if words else ""


def fenced(language, text):
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"
