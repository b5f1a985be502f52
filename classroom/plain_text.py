"""Text that JSON, XML, a page and a terminal can show, whatever a submission has put into it."""

import re

MOST = 4000  # characters of a message
# Control characters, and those that turn the direction of what follows.
UNSHOWN = re.compile(
    "[^\\t\\n\\x20-\\x7e\\xa0-\\u2029\\u202f-\\u2065\\u206a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd"
    "\\U00010000-\\U0010ffff]"
)


def plain(text):
    """The text without such characters."""
    return UNSHOWN.sub("?", text)


def message(text):
    """The same of a message, and the beginning of one without end."""
    return plain(text if len(text) <= MOST else f"{text[:MOST]} ...")


# How a cell begins that a spreadsheet computes, or splits; full-width twins, too.
FORMULA = re.compile(
    r"\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\u2212\ufe62-\ufe66\ufe6a\ufe6b]|[\t\r\n]"
)


def cell(value):
    """A cell of a CSV: what a spreadsheet would take for a formula gets a ' in front."""
    if not isinstance(value, str):
        return value
    return f"'{plain(value)}" if FORMULA.match(value) else plain(value)
