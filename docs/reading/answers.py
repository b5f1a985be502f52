"""What the questions of the lessons ask for, as pages would print it.

    python3 -m docs.reading.answers        the recorded answers

A question is worth asking only where its answer does not stand on an earlier page of a path.
"""

import json
import os
import pathlib
import re

from bench import SOURCES, program
from docs.reading import paths
from docs.report.recorded import MissingFileError, NotRecordedError, card_value, climb, profile

QUESTIONS = pathlib.Path("ladder/questions.json")
FIRST_BURST = 2048  # smaller sizes are replayed as a graph
SPEEDS = re.compile(r"<!-- begin ladder -->.*?<!-- end ladder -->", re.DOTALL)
SMALL_PERCENT = 10  # "6 %" says many things, "6.2 %" does not


def count(rung, size, name):
    """A counter of a rung, or what stands for it."""
    if name in ("one", "hundred"):
        return {"one": 1, "hundred": 100}[name]
    if name == "warp_multiply_adds":
        return size**3 / 32
    try:
        counters = profile(rung, size)
    except MissingFileError as error:
        raise NotRecordedError(str(error)) from error
    if name == "dram_bytes_possible":
        return counters["gpu__time_duration.sum"] * 1e-9 * card_value("dram_bytes_per_second")
    if name not in counters:
        raise NotRecordedError(f"the profile of rung {rung} at {size} has no {name}")
    return counters[name]


def recorded(rung, question):
    """The recorded answer, in the unit of the question.

    Of a choice it is the name of the fullest.
    """
    if "speed" in question:
        size, over = question["speed"]["size"], int(question["speed"]["over"])
        entries = climb(size, "graph" if size < FIRST_BURST else "burst")
        if rung not in entries or over not in entries:
            raise NotRecordedError(f"no climb at {size} has rungs {over} and {rung}")
        return entries[over]["time_ms"] / entries[rung]["time_ms"]
    if "fullest" in question:
        size, among = question["fullest"]["size"], question["fullest"]["among"]
        return max(among, key=lambda each: count(rung, size, each["counter"]))["name"]
    asked = question["counter"]

    def ratio(of_rung):
        size = asked["size"]
        return count(of_rung, size, asked["of"]) / count(of_rung, size, asked.get("per", "one"))

    value = ratio(rung) / (ratio(int(asked["over"])) if "over" in asked else 1)
    return 100 * value if question["unit"] == "percent" else value


def printed(rung, question):
    """Patterns of how a page may print the answer; none where it is too short to be recognised."""
    value = recorded(rung, question)
    if isinstance(value, str):
        return []
    if question["unit"] == "percent":
        digits = (1,) if value < SMALL_PERCENT else (0, 1)
        return [rf"(?<![\d.]){value:.{n}f} %" for n in digits]
    if question["unit"] == "times":
        return [rf"(?<![\d.]){value:.2f}(?:x| times)"]
    text = f"{value:.3g}"
    return [rf"(?<![\d.,]){re.escape(text)}"] if "." in text else []


def questions():
    """[(rung, question)] of all rungs that have a lesson."""
    asked = json.loads(QUESTIONS.read_text())
    return [(int(rung), question) for rung in sorted(asked) for question in asked[rung]]


def told_by(text, question):
    """What a page may tell about a question: README's table of speeds tells no counter."""
    if "counter" in question:
        text = SPEEDS.sub("", text)
    return re.sub(r"<!--.*?-->", "", text)


def told_before(name):
    """[(rung, question's id, stop)] of what a path prints before it asks."""
    path, found = paths.PATHS[name], []
    for rung, question in questions():
        lesson = paths.lesson(rung)
        if lesson not in path.stops:
            continue
        try:
            patterns = printed(rung, question)
        except NotRecordedError:
            continue
        earlier = path.stops[: path.stops.index(lesson)]
        texts = [(stop, paths.text_of(stop)) for stop in ("README.md", *earlier)]
        texts.append((lesson, paths.text_of(lesson).partition("\n## Predict\n")[0]))
        for stop, text in texts:
            if any(re.search(pattern, told_by(text, question)) for pattern in patterns):
                found.append((rung, question["id"], stop))
    return found


def main():
    """Prints the recorded answers, and where they stand too early."""
    os.chdir(SOURCES)
    for rung, question in questions():
        try:
            print(f"{rung:02} {question['id']:<34} {recorded(rung, question)}")
        except NotRecordedError as error:
            print(f"{rung:02} {question['id']:<34} not recorded: {error}")
    for name in paths.PATHS:
        for rung, asked, stop in told_before(name):
            print(f"{name}: {stop} prints the answer to '{asked}' of rung {rung:02}")


if __name__ == "__main__":
    program.run(main)
