"""Writes all that is made from recorded results: pages, plots, figures and the widgets' data.

    python3 -m docs.everything            write them (`make report`)
    python3 -m docs.everything --check    fail when one is stale

All files or none: where a file cannot be read or written, all stay as they are. A gap, such as a
rung without a question, is named, and the rest is written.
"""

import pathlib

from bench import program
from docs.figures import draw
from docs.report import generated, plots, report, widget_data

PROGRAMS = (report, plots, draw, widget_data)


def made():
    """({path: its text}, [what is wrong]) of all of them."""
    texts, wrong = {}, []
    for module in PROGRAMS:
        some, sentences = module.made()
        texts |= some
        name = pathlib.Path(module.__file__).stem
        wrong += [type(sentence)(f"{name}: {sentence}") for sentence in sentences]
    return texts, wrong


def main():
    """Writes or checks all files."""
    generated.main_of(__doc__, made)


if __name__ == "__main__":
    program.run(main)
