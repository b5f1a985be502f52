"""The text of a source, whatever editor a student has saved it with."""

import codecs
import pathlib
import re

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE_BYTES = 1000


def decoded(data):
    """The text of bytes: UTF-8, or UTF-16 as Windows writes it, with a byte order mark or without.

    What is neither keeps its ASCII, and has a replacement character for anything else.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode(_unmarked(data[:SAMPLE_BYTES]), "replace")


def _unmarked(sample):
    """The encoding of bytes without a mark: in UTF-16, every other byte of ASCII is 0."""
    most = len(sample) // 3
    if sample[1::2].count(0) > most and 0 not in sample[::2]:
        return "utf-16-le"
    if sample[::2].count(0) > most and 0 not in sample[1::2]:
        return "utf-16-be"
    return "utf-8"


def text_of(path):
    """The text of a source; line ends stay as they are."""
    return decoded(pathlib.Path(path).read_bytes())


def squeezed(line):
    """A line of code without comment and blanks at its sides."""
    return " ".join(re.sub(r"//.*", "", line).split())
