"""Slides for lectures: one HTML file each, from the Markdown of this folder and the book's figures.

    python3 -m docs.talks.slides OUT      write them into a folder

A line `---` ends a slide. Figures are those of the lessons, inside of the file, and what was
measured is written into the Markdown by docs/report/report.py: slides are as current as the pages.
"""

import argparse
import html
import pathlib
import re

import markdown

from bench import program

FOLDER = pathlib.Path(__file__).resolve().parent
FIGURE = re.compile(r"^!\[\]\(([^)\s]+\.svg)\)$", re.M)


def talks():
    """The Markdown of all lectures."""
    return sorted(FOLDER.glob("*.md"))


def slides_of(text):
    """The Markdown of each slide."""
    return [slide.strip() for slide in re.split(r"^---$", text, flags=re.M)]


def deck(path):
    """A lecture as one file of HTML."""
    text = re.sub(r"<!--.*?-->", "", path.read_text())

    def drawn(match):
        return (path.parent / match[1]).read_text()

    sections = []
    for slide in slides_of(text):
        figures = "".join(drawn(match) for match in FIGURE.finditer(slide))
        body = markdown.markdown(FIGURE.sub("", slide), extensions=["tables", "sane_lists"])
        sections.append(f"<section>\n{body}\n{figures}\n</section>")
    title = re.search(r"^# (.+)$", text, re.M)[1]
    frame = (FOLDER / "deck.html").read_text()
    return frame.replace("TITLE", html.escape(title)).replace("SLIDES", "\n".join(sections))


def main():
    """Writes all lectures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in talks():
        (options.out / f"{path.stem}.html").write_text(deck(path))
        print(f"wrote {options.out / path.stem}.html")


if __name__ == "__main__":
    program.run(main)
