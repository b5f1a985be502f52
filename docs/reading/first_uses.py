"""Finds terms that a path uses before it has said what they mean.

    python3 -m docs.reading.first_uses            all paths
    python3 -m docs.reading.first_uses evening    one of them

The terms are the headings of docs/chapters/vocabulary.md. A page says what a term means where it
has it in *emphasis*, or where it links the term to the vocabulary or to a page that is about it. Of
each page the open prose counts: code, folds, headings and generated blocks do not.
"""

import argparse
import functools
import os
import re
import sys

from bench import SOURCES, program
from docs.reading import paths, words

VOCABULARY = "docs/chapters/vocabulary.md"
# Words that sentences use in their plain sense, too: nothing tells a program which is meant.
EVERYDAY = {
    "alpha", "beta", "box", "burst", "configuration", "divergence", "event", "focus", "footprint",
    "graph", "home", "host", "launch", "line", "packed", "page", "peer", "phase", "pipe",
    "protocol", "race", "ragged", "rank", "reach", "request", "rung", "slice", "split", "spread",
    "stage", "stream", "sustained", "tail", "word",
}  # fmt: skip
ALSO = {  # what else a term is called
    "asynchronous copy": ("cp.async",),
    "bank conflict": ("bank conflicts", "conflict"),
    "block tile": ("tile of the block",),
    "coalescing": ("coalesced",),
    "double buffering": ("double buffer", "double buffers", "double buffered"),
    "FFMA": ("FFMAs",),
    "grid-constant": ("__grid_constant__",),
    "persistent kernel": ("persistent block", "persistent blocks"),
    "predication": ("predicate", "predicated"),
    "prefetch": ("prefetches", "prefetched"),
    "rasterisation": ("rasterization",),
    "serpentine order": ("serpentine",),
    "spill": ("spilled", "spills"),
    "swizzle": ("swizzling", "swizzled"),
    "vector access": ("float4",),
}
EMPHASIS = re.compile(r"(?<![*\w])(\*\*?)(?=\S)([^*\n]+(?:\n[^*\n]+)?)(?<=\S)\1(?![*\w])")
HEADING = "\f"  # in the place of one
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


@functools.cache
def terms():
    """{term: the pattern of its forms}"""
    text = (paths.HOME / VOCABULARY).read_text()
    found = {}
    for heading in re.findall(r"^### (.+)$", text, flags=re.M):
        for term in heading.split(", "):
            if term not in EVERYDAY:
                found[term] = pattern_of(term)
    return found


def pattern_of(term):
    """Matches a term, its plural, and what else it is called."""
    forms = []
    for form in (term, *ALSO.get(term, ())):
        words_of_form = [re.escape(word) for word in re.split(r"[ -]", form)]
        text = r"[\s-]".join(words_of_form) + ("s?" if form[-1].isalpha() else "")
        forms.append(f"[{text[0]}{text[0].upper()}]{text[1:]}" if text[0].islower() else text)
    forms.sort(key=len, reverse=True)
    flags = 0 if term.isupper() or any(c.isupper() for c in term[1:]) else re.IGNORECASE
    return re.compile(rf"(?<![\w.`-])(?:{'|'.join(forms)})(?![\w`])", flags)


def prose(text):
    """What a reader of a page meets, with lines kept: blanks in place of all else."""

    def blank(match):
        return "\n" * match[0].count("\n")

    kept, depth = [], 0
    for line in text.splitlines():  # as unfolded() does, and lines keep their numbers
        depth += line.count("<details")
        kept.append("" if depth else line)
        depth -= line.count("</details>")
    text = "\n".join(kept)
    for other in (words.BLOCK, words.FENCE, words.FORMULA):
        text = other.sub(blank, text)
    text = re.sub(r"<!-- value [\w:]+ -->([^<]*)<!-- /value -->", r"\1", text)
    text = words.COMMENT.sub(blank, text)
    text = re.sub(r"^##.*$", HEADING, text, flags=re.M)
    text = re.sub(r"^(?:#|!\[|\|).*$", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def meanings(text):
    """[(where, words)] of what a text emphasises or links."""
    found = [(match.start(2), match[2]) for match in EMPHASIS.finditer(text)]
    return found + [(match.start(1), match[1]) for match in LINK.finditer(text)]


def first_uses(stop, text, known):
    """[(line, term)] that a page uses and `known` has not; adds to it what the page says."""
    text = prose(text)
    said = meanings(text)
    plain = LINK.sub(lambda match: match[1].ljust(len(match[0])), text)
    opening = text.find(HEADING)
    found = []
    for term, pattern in terms().items():
        if term in known:
            continue
        used = pattern.search(plain)
        if used and used.start() < opening:  # a page may open with what it is going to explain
            below = [at for at, phrase in said if at > opening and pattern.search(phrase)]
            used = pattern.search(plain, opening) if below else used
        told = min((at for at, phrase in said if pattern.search(phrase)), default=None)
        if told is not None:
            known.add(term)
        if used:
            known.add(term)  # is told once
            # A paragraph may use a term and say what it means at its end.
            begin = text.rfind("\n\n", 0, used.start())
            end = text.find("\n\n", used.start())
            if told is None or not begin < told < (end if end >= 0 else len(text)):
                if told is None or told > used.start():
                    found.append((text.count("\n", 0, used.start()) + 1, term))
    return sorted(found)


def of_path(name):
    """[(stop, line, term)] of a path."""
    known, found = set(), []
    for stop in paths.PATHS[name].stops:
        text = paths.text_of(stop)
        found += [(stop, line, term) for line, term in first_uses(stop, text, known)]
    return found


def main():
    """Prints what is found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="*", choices=[*paths.PATHS, []])
    options = parser.parse_args()
    os.chdir(SOURCES)
    wrong = 0
    for name in options.path or paths.PATHS:
        for stop, line, term in of_path(name):
            print(f"{name}: {stop}:{line}: '{term}' is not explained yet")
            wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    program.run(main)
