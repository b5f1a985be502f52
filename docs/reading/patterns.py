"""Finds turns of phrase that this book does not use, in the sentences that programs write.

    python3 -m docs.reading.patterns            where they are

It reads generated blocks of pages, words in figures, questions and claims, and what programs print.
Pages that people write have an editor; what a template writes is read by nobody before it is there.
"""

import html
import json
import os
import pathlib
import re
import sys

from bench import SOURCES, program
from docs.reading import words
from docs.report.report import pages

# (what it finds, what to write)
PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), better)
    for pattern, better in (
        (r"\bbehind (?:the|its|a) (?:flag|last|first|end|command|fence|target|second)\b", "after"),
        (r"\b(?:the|an|in) own\b(?! (?:risk|right))", "its own, the reader's own"),
        (r"\btimes as (?:quick|fast)\b", "2x faster"),
        (r"\bquicker|quickest\b", "faster, fastest"),
        (r"\b(?:anew|dear|for ever|no more than before)\b", "again, expensive, forever"),
        (r"\blets? expect\b", "predicts"),
        (r"\bnot so:", "instead of"),
        (r"\b(?:do|does) not suffice\b", "run out"),
        (r"\bstands? (?:beside|there|at the (?:left|right))\b", "is"),
        (r"\d[\w.%]*, in \d", "two numbers in one breath: a sentence for each"),
        (r"\bmend(?:s|ed)?\b", "repair"),
        (r"\b(?!long\b)(\w{2,}) \1\b", "a word twice"),
        (r"\b[Ww]hat of\b", "what ... of"),
    )
)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CPP = ("ladder", "common", "glassbox", "bench", "classroom")
SUFFIXES = (".cpp", ".hpp", ".cu")


def generated():
    """(where, text) of generated blocks, without code."""
    for path in pages():
        text = path.read_text()
        for block in words.BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            body = words.FENCE.sub("", block[0])
            yield f"{path}:{line}", re.sub(r"`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", " ", body)


def drawn():
    """(where, text) of the words in figures."""
    for path in sorted(pathlib.Path("docs/figures").glob("*.svg")):
        for text in re.findall(r"<(?:text|title|desc)\b[^>]*>([^<]+)<", path.read_text()):
            yield str(path), html.unescape(text)


def asked_and_claimed():
    """(where, text) of questions and claims."""
    for rung, questions in json.loads(pathlib.Path("ladder/questions.json").read_text()).items():
        for question in questions:
            yield f"question of rung {rung}", question["question"]
    for row in json.loads(pathlib.Path("docs/chapters/claims.json").read_text()):
        yield "docs/chapters/claims.json", row["because"]


def printed():
    """(where, text) of what programs print: string literals that hold a part of a sentence."""
    for folder in CPP:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.lstrip().startswith("//") or "#include" in line:
                    continue
                for text in STRING.findall(line.split("  //")[0]):
                    if " " in text.strip():
                        yield f"{path}:{number}", text


def faults(texts):
    """[sentence] of each pattern that a text has."""
    found = []
    for where, text in texts:
        for pattern, better in PATTERNS:
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
                found.append(f"{where}: '...{around}...': {better}")
    return found


def all_texts():
    """(where, text) of all sentences that programs write."""
    for texts in (generated, drawn, asked_and_claimed, printed):
        yield from texts()


def main():
    """Prints what is found."""
    os.chdir(SOURCES)
    found = faults(all_texts())
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    program.run(main)
