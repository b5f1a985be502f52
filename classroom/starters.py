"""Makes a starter of a rung: its own sources, with the section emptied that its lesson names.

    python3 -m classroom.starters 03 OUT     writes them to the folder OUT

What later code needs to compile stays: declarations, with a neutral value where the value is the
answer, and what ends the loop around the section.
"""

import argparse
import pathlib
import re
import textwrap

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import rung_of
from bench.sections import section_of
from classroom.kernel_library import ROOM, sources_of
from classroom.lesson import Reader

MARK = "// Your turn: "
COLUMNS = 100
# Types whose value a student computes. What is of another type stays as it is.
NUMBERS = re.compile(r"(?:const )?(?:(?:unsigned|long)(?: (?:int|long))?|int|size_t|bool|float)")
NAME = re.compile(r"[A-Za-z_]\w*")
FORMS = re.compile(
    r"^(?P<type>(?:[A-Za-z_][\w:<>, ]*?)[ *&]+(?:const )?)(?P<name>[A-Za-z_]\w*)"
    r"(?P<extents>(?:\[[^\]]*\])*)\s*(?P<value>=.*|\{.*|\(.*|,.*)?;$",
    re.S,
)
LAMBDA = re.compile(r"^const auto (?P<name>\w+) = (?P<head>\[.*?\](?: ?\([^)]*\))?) \{", re.S)
# What stands at the head of a file below its one sentence, up to the code.
EXPLANATION = re.compile(r"(?<=\n)///\n(?:///.*\n)+(?=#)")


def exercise_of(rung):
    """The exercise of a rung's lesson that its starter is for; see classroom/lesson.py."""
    if not rung.tile:
        raise FigureError(f"rung {rung.label} has no kernel of its own: choose another rung")
    reader = Reader(SOURCES / rung.path / "README.md", SOURCES / rung.path)
    found = [each for each in reader.lesson(rung).get("exercises", ()) if each["kind"] == "fill"]
    if not found or not found[0]["section"]:
        reason = f": {reader.wrong[0]}" if reader.wrong else ""
        raise FigureError(f"the lesson of rung {rung.label} has no gap to fill{reason}")
    return found[0]


def task_of(exercise):
    """What is to do, in one paragraph, without the commands that tell whether it is done."""
    paragraph = " ".join(re.sub(r"<!--.*?-->", "", exercise["text"]).split())
    sentences = re.split(r"(?<=[.]) (?=[A-Z`])", paragraph)
    kept = [each for each in sentences if not re.search(r"`(?:make |build/)", each)]
    return " ".join(kept).replace("`", "")


def statements(lines):
    """[(text of a statement that stands at the outermost level of these lines, its lines)]"""
    found, text, depth = [], [], 0
    for line in lines:
        code = re.sub(r"//.*", "", line).rstrip()
        if not code.strip() or code.startswith("#"):
            continue
        text.append(line)
        depth += sum(code.count(c) for c in "{([") - sum(code.count(c) for c in "})]")
        if depth == 0 and code.endswith((";", "}")):
            bare = " ".join(re.sub(r"//.*", "", each).strip() for each in text)
            found.append((bare, text))
            text = []
    return found


def without_comments(lines):
    """The code of some lines."""
    return "\n".join(re.sub(r"//.*", "", line) for line in lines)


def neutral(statement, lines):
    """A declaration that later code needs, without the answer in it."""
    indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
    function = LAMBDA.match(statement)
    if function:
        return [f"{indent}const auto {function['name']} = {function['head']} {{}};"]
    form = FORMS.match(statement)
    comment = re.search(r" +//.*", lines[-1]) if len(lines) == 1 else None
    note = f"  {comment[0].strip()}" if comment else ""
    kind = form["type"].strip()
    if form["extents"] or not (form["value"] or "").startswith("="):
        return lines
    if kind.endswith("*"):  # where an array begins: the way to the thread's place is the answer
        array = NAME.search(form["value"])
        start = array[0] if array else "nullptr"
        return [f"{indent}{form['type']}{form['name']} = {start};{note}"]
    if NUMBERS.fullmatch(kind):
        literal = re.fullmatch(r"=\s*-?[\d.]+f?", form["value"])
        value = form["value"][1:].strip() if literal else "0"
        return [f"{indent}{form['type']}{form['name']} = {value};{note}"]
    return lines


def kept_of(section, before, after):
    """Lines of a section that code after it needs, and that end the loop around it."""
    depth = len(section[0]) - len(section[0].lstrip())
    later = set(NAME.findall(without_comments(after)))
    condition = set()
    for line in reversed(before):
        loop = re.match(r" *while \((.*)\) \{", line)
        if loop and len(line) - len(line.lstrip()) < depth:
            condition = set(NAME.findall(loop[1]))
            break
    declarations, ends = [], []
    for statement, lines in statements(section[1:]):
        form = LAMBDA.match(statement) or FORMS.match(statement)
        target = re.match(r"(\w+)(?:\.\w+)? [-+]?= ", statement)
        if form and not statement.startswith("return"):
            if form["name"] in later:
                declarations += neutral(statement, lines)
        elif target and target[1] in condition:
            ends += lines
    return declarations, ends


def comment(task, number, indent):
    """The lines that say what is to do."""
    rung = f"RUNG={number:02}"
    commands = f"// `make hint {rung}` helps; `make check {rung}` tells you whether it is right."
    room = COLUMNS - len(indent)
    first = textwrap.wrap(
        MARK + task, room, subsequent_indent="// ", break_long_words=False, break_on_hyphens=False
    )
    return [indent + line for line in [*first, commands]]


def emptied(text, section, task, number):
    """A source's text without what stands in a section; task says what to write there."""
    lines = text.splitlines()
    first, last = section.first - 1, section.first - 1 + len(section.lines)
    declarations, ends = kept_of(section.lines, lines[:first], lines[last:])
    indent = " " * (len(lines[first]) - len(lines[first].lstrip()))
    if declarations:
        declarations.insert(0, f"{indent}// Replace these: the code below uses their names.")
    if ends:
        ends.insert(0, f"{indent}// This ends the loop around.")
    new = [lines[first], *comment(task, number, indent), *declarations, *ends]
    return "\n".join(lines[:first] + new + lines[last:]) + "\n"


def in_room(text, rung):
    """A source as one of the student's folder."""
    return text.replace(f'"ladder/{rung.folder}/', f'"{ROOM}/{rung.folder}/').replace(
        f"\\file  ladder/{rung.folder}/", f"\\file  {ROOM}/{rung.folder}/"
    )


def with_gap(rung):
    """{name of a file: its text} of a rung in its own folder, with the section emptied, and without
    what the file's head says of the idea."""
    exercise = exercise_of(rung)
    texts = {path.name: path.read_text() for path in sources_of(SOURCES / rung.path)}
    section = section_of(SOURCES / rung.path / exercise["file"], exercise["section"])
    name = exercise["file"]
    gap = emptied(texts[name], section, task_of(exercise), rung.number)
    texts[name] = EXPLANATION.sub("", gap, count=1)
    return texts


def starter(rung):
    """{name of a file: its text} of what a student gets for a rung."""
    return {name: in_room(text, rung) for name, text in with_gap(rung).items()}


def has_gap(rung):
    """Whether this tree itself has no answer, as a student's repository."""
    return any(MARK in path.read_text() for path in sources_of(SOURCES / rung.path))


def whole(rung):
    """{name of a file: its text} of a rung as a student who has found everything hands it in."""
    return {path.name: in_room(path.read_text(), rung) for path in sources_of(SOURCES / rung.path)}


def write_to(folder, texts):
    """Writes files into a folder, which it makes."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


def main():
    """Writes a starter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rung", type=int)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    write_to(options.out, starter(rung_of(options.rung)))


if __name__ == "__main__":
    program.run(main)
