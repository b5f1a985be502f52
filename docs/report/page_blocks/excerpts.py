"""Code in pages: titled sections of a source, what changes between two rungs, their constants."""

import difflib
import pathlib
import re

from bench.rungs import rung_of
from bench.sections import TITLE, indentation, section_of, sections
from docs.report.page_blocks.markdown import fenced
from docs.report.recorded import FigureError

LANGUAGES = {".cuh": "cuda", ".cu": "cuda", ".hpp": "cpp", ".cpp": "cpp", ".py": "python"}


def shortened(line):
    """A title's line without the dashes that fill it; any other line as it is."""
    title = TITLE.match(line)
    return f"{title['indent']}{title['mark']} -- {title['title']}" if title else line


def moved_left(lines):
    """The lines without the indentation that all of them have."""
    depths = [depth for depth in map(indentation, lines) if depth is not None]
    least = min(depths, default=0)
    return [line if line.startswith("#") else line[least:] for line in lines]


def code_block(place, arguments):
    """`code FILE: TITLE`: a titled section of a file."""
    name, colon, title = arguments.partition(": ")
    if not colon:
        raise FigureError("write 'code FILE: TITLE', such as 'code kernel.cuh: Main loop over K'")
    base = place.folder if place.is_lesson else pathlib.Path()
    path = base / name.strip()
    section = section_of(path, title.strip())
    lines = [shortened(line) for line in moved_left(section.lines)]
    return fenced(LANGUAGES.get(path.suffix, "text"), "\n".join(lines))


def body_of(path):
    """[(section's title, line)] of what is in the file's namespace, without Doxygen's."""
    lines = path.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("namespace ")) + 1
    last = max(i for i, line in enumerate(lines) if line.startswith("}  // namespace"))
    titles = {}
    for section in sections("\n".join(lines)):
        for number in range(section.first, section.first + len(section.lines)):
            titles[number] = section.title
    kept = []
    for number in range(first + 1, last + 1):
        line = lines[number - 1]
        if line.startswith("///") or (not line and (not kept or not kept[-1][1])):
            continue
        kept.append((titles.get(number), shortened(line)))
    while kept and not kept[-1][1]:
        kept.pop()
    return kept


def hunks(old, new):
    """Lines of a diff with one line around each change; hunks are headed by their section."""
    matcher = difflib.SequenceMatcher(
        None, [line for _, line in old], [line for _, line in new], autojunk=False
    )
    lines = []
    for group in matcher.get_grouped_opcodes(1):
        change = next(code for code in group if code[0] != "equal")
        title = old[change[1]][0] if change[0] == "delete" else new[change[3]][0]
        lines.append(f"@@ {title or 'Above the first section'} @@")
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                lines += [f" {line}".rstrip() for _, line in old[old_from:old_to]]
            else:
                lines += [f"-{line}" for _, line in old[old_from:old_to]]
                lines += [f"+{line}" for _, line in new[new_from:new_to]]
    return lines


def device_code_of(rung):
    """Body of a rung's kernel.cuh, behind its producer's where that has a header of its own."""
    paths = [rung.path / name for name in ("producer.cuh", "kernel.cuh")]
    return [line for path in paths if path.is_file() for line in body_of(path)]


def diff_block(place, arguments):
    """`diff`: what a rung's kernel.cuh changes in the one that it builds on."""
    rung = rung_of(place.rung_or(arguments))
    if rung.tile is None:
        return f"Rung {rung.number:02} has no kernel of its own."
    if rung.builds_on is None:
        return f"Rung {rung.number:02} builds on no other rung: all of its lines are new."
    base = rung_of(rung.builds_on)
    paths = [r.path / "kernel.cuh" for r in (base, rung)]
    lines = hunks(*(device_code_of(r) for r in (base, rung)))
    links = [f"[{path.parent.name}]({place.link(path)})" for path in paths]
    more = sorted(path for path in rung.path.glob("*.cuh") if path.name != "kernel.cuh")
    added = ", ".join(f"[{path.name}]({place.link(path)})" for path in more)
    others = f" The rung also has {added}." if more else ""
    text = [
        f"`kernel.cuh` of {links[0]} (-) and of {links[1]} (+), without comments on the file and "
        f"its interface. `make diff RUNG={rung.number:02}` shows these and the launch, "
        f"too.{others}",
        "",
    ]
    return "\n".join([*text, fenced("diff", "\n".join(lines))])


def change_block(place, arguments):
    """`change TITLE`: what a lesson's rung changes in this section of the rung it builds on."""
    if not place.is_lesson:
        raise FigureError("the block needs a lesson: elsewhere write 'diff 03'")
    rung = rung_of(place.rung)
    if rung.builds_on is None:
        raise FigureError(f"rung {rung.number:02} builds on no other rung: it changes nothing")
    codes = [device_code_of(r) for r in (rung_of(rung.builds_on), rung)]
    parts = [
        [(title, line) for title, line in code if title and title.split(":")[0] == arguments]
        for code in codes
    ]
    lines = hunks(*parts)
    if not lines:
        titles = dict.fromkeys(title.split(":")[0] for title, _ in codes[1] if title)
        raise FigureError(f"nothing changes in '{arguments}'; it has {'; '.join(titles)}")
    shown = ["..." if line.startswith("@@ ") else line for line in lines[1:]]
    return fenced("diff", "\n".join(shown))


CONSTANT = re.compile(
    r"^ *(?:\[\[maybe_unused\]\] )?constexpr [\w:]+ (?P<name>\w+) = (?P<value>[^;]+);"
    r"(?: +// (?P<why>.*))?$"
)


def constants_of(text):
    """[(name, value as written, reason)] of the constants of a source; '' where none is given.

    The reason is after the constant, or in the lines of comment above it. The constants of a
    titled section are local to it and left out.
    """
    found = []
    above = []
    for line in text.splitlines():
        if TITLE.match(line):
            break
        constant = CONSTANT.match(line)
        comment = re.match(r" *// (?!-- )(.*)", line)
        if constant:
            why = " ".join([*above, *([constant["why"]] if constant["why"] else [])])
            found.append((constant["name"], constant["value"], why))
        above = [*above, comment[1]] if comment else []
    return found


def value_of(rung, name):
    """The number that a constant has in all kernels of a rung; None where they differ."""
    found = {rung.values(kernel).get(name) for kernel in range(len(rung.kernels))}
    return found.pop() if len(found) == 1 else None


def as_sentence(text):
    """With a capital first letter unless it begins with code, and a full stop."""
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def constants_block(place, arguments):
    """`constants`: the constants that a rung fixes, and why."""
    rung = rung_of(place.rung_or(arguments))
    seen, rows = set(), []
    for path in (rung.path / name for name in ("launch.cu", "producer.cuh", "kernel.cuh")):
        if not path.is_file():
            continue
        for name, value, why in constants_of(path.read_text()):
            if name in seen:
                continue
            seen.add(name)
            number = value_of(rung, name)
            shown = f"`{value}`"
            if number is not None and str(number) != value:
                shown += f" = {number}"
            rows.append(f"| `{name}` | {shown} | {as_sentence(why)} |")
    if not rows:
        return f"Rung {rung.number:02} fixes no constants."
    return "\n".join(["| constant | value | why |", "|---|---|---|", *rows])


BLOCKS = {
    "code": code_block,
    "diff": diff_block,
    "change": change_block,
    "constants": constants_block,
}
