"""Reads a lesson, ladder/NN_name/README.md, as data for graders and the site.

    python3 -m classroom.lesson 03    JSON: title, question, card, sections, exercises, quiz

What is not in the form of a lesson is named with file and line, all of it at once.
"""

import argparse
import json
import os
import pathlib
import re
import sys

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import rung_of
from bench.sections import section_of
from classroom.markdown_text import figures_of, folded, items, parts_of, unfolded

HEADINGS = (
    "The idea",
    "The code",
    "Predict",
    "The maths",
    "Run it",
    "Measured, and why",
    "Edge cases",
    "When it does not help",
    "Exercises",
    "Quiz",
    "What we gained, and what limits us now",
    "Appendix",
)
APPENDIX = "Card, full diff, constants and counters"
EXERCISES = {
    "Fill the gap": "fill",
    "Predict and measure": "measure",
    "Break it": "break",
    "Open": "open",
}
HINTS = 3
QUESTIONS = 3


def question_of(above):
    """The paragraphs between a lesson's title and its first heading, as one line."""
    lines = [text.strip() for _, text in above]
    return " ".join(text for text in lines if text and not figures_of(text))


class Reader:
    """One lesson; `wrong` collects what is not in the form."""

    def __init__(self, path, folder=None):
        """Reads the file; sources are looked up in `folder`, else beside it."""
        self.path = pathlib.Path(path)
        self.folder = pathlib.Path(folder) if folder else self.path.parent
        self.lines = list(enumerate(self.path.read_text().splitlines(), 1))
        self.wrong = []

    def complain(self, line, text):
        """Notes something that is wrong."""
        self.wrong.append(f"{self.path}:{line}: {text}")

    def lesson(self, rung):
        """The lesson as data."""
        _, whole = parts_of(self.lines, 1)
        if len(whole) != 1:
            self.complain(1, f"{len(whole)} titles '# ...' instead of one")
            return {}
        title = whole[0]
        if not title.title.startswith(f"{rung.label}: "):
            self.complain(title.line, f"the title does not begin with '{rung.label}: '")
        above, parts = parts_of(title.lines, 2)
        self.check_opening(title.line, above)
        self.check_headings(parts)
        found = {part.title: part for part in parts}
        return {
            "rung": rung.number,
            "title": title.title,
            "question": question_of(above),
            "card": self.card(found["Appendix"]) if "Appendix" in found else {},
            "headings": [part.title for part in parts],
            "sections": {part.title: part.text() for part in parts},
            "code": self.code(found["The code"]) if "The code" in found else [],
            "exercises": self.exercises(found["Exercises"], rung) if "Exercises" in found else [],
            "quiz": self.quiz(found["Quiz"]) if "Quiz" in found else [],
        }

    def check_opening(self, line, above):
        """A lesson opens with the question that its reader has, and a figure."""
        if "?" not in question_of(above):
            self.complain(line, "no question in the paragraphs below the title")
        if not figures_of("\n".join(text for _, text in above)):
            self.complain(line, "no figure between the title and the first heading")

    def check_headings(self, parts):
        """Exactly the headings of the form, in their order."""
        titles = [part.title for part in parts]
        missing = [heading for heading in HEADINGS if heading not in titles]
        if missing:
            self.complain(1, f"no heading {', '.join(missing)}")
        for i, part in enumerate(parts):
            if part.title not in HEADINGS:
                self.complain(part.line, f"'## {part.title}' is no heading of a lesson")
            elif part.title in titles[:i]:
                self.complain(part.line, f"'## {part.title}' is there more than once")
            elif not part.text():
                self.complain(part.line, f"'## {part.title}' is empty")
        known = [part for part in parts if part.title in HEADINGS]
        for one, next_one in zip(known, known[1:]):
            if HEADINGS.index(one.title) > HEADINGS.index(next_one.title):
                self.complain(next_one.line, f"'{next_one.title}' belongs above '{one.title}'")

    def card(self, part):
        """{'before', 'time', 'objectives'} of the appendix, which is one fold."""
        text = part.text()
        fold = f"<details markdown><summary>{APPENDIX}</summary>"
        if not text.startswith(fold) or not text.endswith("</details>") or unfolded(text).strip():
            self.complain(part.line, f"the appendix is not one fold '{fold}'")
        text = re.sub(r"<!--.*?-->", "", text)
        before = re.search(r"\*\*Before this\*\*:?\s*(.*?)(?=\n\s*\n|\*\*Time\*\*|\Z)", text, re.S)
        time = re.search(r"\*\*Time\*\*:?\s*(.*?)(?=\n\s*\n|\*\*Afterwards|\Z)", text, re.S)
        can = re.search(r"\*\*Afterwards you can\*\*:?((?:\s*\n[-* ].*)*)", text)
        minutes = dict(re.findall(r"(read|code|measure)\w* (\d+)", time[1])) if time else {}
        objectives = items(can[1]) if can else []
        if not before:
            self.complain(part.line, "the appendix has no '**Before this**:'")
        if len(minutes) != 3:
            self.complain(
                part.line, "the appendix has no '**Time**: read 15 min, code 30, measure 15'"
            )
        if len(objectives) != 3:
            self.complain(
                part.line, f"{len(objectives)} objectives below '**Afterwards you can**:', not 3"
            )
        return {
            "before": " ".join(before[1].split()) if before else "",
            "minutes": {name: int(count) for name, count in minutes.items()},
            "objectives": objectives,
        }

    def code(self, part):
        """Titles of the pieces of code."""
        _, parts = parts_of(part.lines, 3)
        if not 1 <= len(parts) <= 6:
            self.complain(part.line, f"{len(parts)} pieces of code '### ...', not 1 to 6")
        return [each.title for each in parts]

    def exercises(self, part, rung):
        """[{'kind', 'title', 'file', 'section', 'text', 'hints'}]"""
        _, parts = parts_of(part.lines, 3)
        found = [self.exercise(each) for each in parts]
        needed = EXERCISES.values() if rung.tile else ("measure", "open")
        for kind in needed:
            if kind not in [exercise["kind"] for exercise in found]:
                name = next(words for words, other in EXERCISES.items() if other == kind)
                self.complain(part.line, f"no exercise '### {name}: ...'")
        return found

    def exercise(self, part):
        """One exercise."""
        name, _, title = part.title.partition(": ")
        if name not in EXERCISES or not title:
            known = ", ".join(f"'{name}: ...'" for name in EXERCISES)
            self.complain(part.line, f"'{part.title}' is none of {known}")
        outside, folds = folded(part, self.complain)
        if [summary for summary, _ in folds] != [f"Hint {i}" for i in range(1, HINTS + 1)]:
            self.complain(part.line, f"'{part.title}' has not exactly the folds Hint 1 to {HINTS}")
        for summary, text in folds:
            if not text:
                self.complain(part.line, f"{summary} of '{part.title}' is empty")
        file = section = None
        if EXERCISES.get(name) == "fill":
            file, section, outside = self.gap(part, outside)
        text = "\n".join(line for _, line in outside).strip()
        if not text:
            self.complain(part.line, f"'{part.title}' has no text")
        return {
            "kind": EXERCISES.get(name),
            "title": title,
            "file": file,
            "section": section,
            "text": text,
            "hints": [text for _, text in folds],
        }

    def gap(self, part, outside):
        """(file, whole title of the section, the other lines) of an exercise to fill in."""
        for number, text in outside:
            line = re.fullmatch(r"Section: `([^`]+)` of `([^`]+)`\.", text.strip())
            if not line:
                continue
            rest = [entry for entry in outside if entry[0] != number]
            try:
                return line[2], section_of(self.folder / line[2], line[1]).title, rest
            except FigureError as error:
                self.complain(number, str(error))
                return line[2], line[1], rest
        self.complain(part.line, "no line 'Section: `Main loop over K` of `kernel.cuh`.'")
        return None, None, outside

    def quiz(self, part):
        """[{'question', 'options', 'answer', 'reason'}]"""
        _, parts = parts_of(part.lines, 3)
        names = [f"Question {i}" for i in range(1, QUESTIONS + 1)]
        if [each.title for each in parts] != names:
            self.complain(part.line, f"the quiz has not exactly {', '.join(names)}")
        return [self.question(each) for each in parts]

    def question(self, part):
        """One question of the quiz."""
        outside, folds = folded(part, self.complain)
        text = "\n".join(line for _, line in outside).strip()
        first = re.search(r"^- [a-z]\) ", text, flags=re.M)
        options = dict(re.findall(r"^- ([a-z])\) (.*(?:\n +.*)*)", text, flags=re.M))
        options = {letter: " ".join(option.split()) for letter, option in options.items()}
        if not first or not text[: first.start()].strip():
            self.complain(part.line, f"{part.title} has no question above options '- a) ...'")
        if len(options) < 2 or list(options) != [chr(97 + i) for i in range(len(options))]:
            self.complain(part.line, f"{part.title} has no options a), b), ...")
        answer = re.match(r"([a-z])\)\s+(.*)", folds[0][1], re.S) if len(folds) == 1 else None
        if not answer or folds[0][0] != "Answer" or answer[1] not in options:
            self.complain(
                part.line, f"{part.title} has no fold Answer that begins with an option's letter"
            )
        return {
            "question": " ".join(text[: first.start()].split()) if first else "",
            "options": options,
            "answer": answer[1] if answer else None,
            "reason": " ".join(answer[2].split()) if answer else "",
        }


def read_lesson(number, path=None):
    """(a rung's lesson as data, [what is not in the form])"""
    rung = rung_of(number)
    reader = Reader(path or rung.path / "README.md", rung.path)
    return reader.lesson(rung), reader.wrong


def main():
    """Prints a lesson as JSON, or what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rung", type=int)
    options = parser.parse_args()
    os.chdir(SOURCES)
    lesson, wrong = read_lesson(options.rung)
    if wrong:
        sys.exit("\n".join(wrong))
    print(json.dumps(lesson, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    program.run(main)
