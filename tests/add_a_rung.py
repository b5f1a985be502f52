"""Adds rungs to a copy of the tree: a folder, an add_rung() line and a line of the table each.

python3 -m tests.add_a_rung folders              their folders, with semicolons between
python3 -m tests.add_a_rung sources OUT          what a build needs of them
python3 -m tests.add_a_rung tree OUT             the whole tree with them
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from bench.rungs import rung_named
from tests import SOURCES

TABLE = pathlib.Path("ladder/ladder.cpp")
BUILD = pathlib.Path("ladder/CMakeLists.txt")
LESSON = """\
# Rung {number:02}: {name}

It reaches <!-- value best_4096 -->x<!-- /value -->
and gains <!-- value gain_4096 -->x<!-- /value -->.
{blocks}
"""
BLOCKS = ("card", "predict", "maths", "diff", "constants", "measured", "profile")


@dataclass(frozen=True)
class Addition:
    """A rung that is a copy of another."""

    base: str  # the other's name
    name: str
    edits: tuple = ()  # ((text of its sources or of its line of the table, what stands there now))


# Rung 02 for matrices of BF16, with sums in FP32.
IN_BF16 = (
    ("const float* ", "const __nv_bfloat16* "),
    ("float* C)", "__nv_bfloat16* C)"),
    ("float* gC", "__nv_bfloat16* gC"),
    ("acc += gA[k] * gB[", "acc += __bfloat162float(gA[k]) * __bfloat162float(gB["),
    ("(k) * N];", "(k) * N]);"),
    (
        "*gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;",
        "*gC = __float2bfloat16(alpha * acc + (beta == 0.0f ? 0.0f : beta * __bfloat162float(*gC)));",
    ),
    ("Gemm<float>", "Gemm<bfloat16>"),
    (
        "part.A, part.B, part.beta, part.C",
        "reinterpret_cast<const __nv_bfloat16*>(part.A), "
        "reinterpret_cast<const __nv_bfloat16*>(part.B), part.beta, "
        "reinterpret_cast<__nv_bfloat16*>(part.C)",
    ),
    (".tile =", ".precision = kBf16,\n     .tile ="),
)
ADDITIONS = (
    Addition("shared_tile", "copied_tile"),
    Addition("coalesced", "bf16_coalesced", IN_BF16),
)


def numbered():
    """[(number, Addition)], the next free numbers."""
    taken = [int(path.name[:2]) for path in (SOURCES / "ladder").glob("[0-9][0-9]_*")]
    return list(enumerate(ADDITIONS, max(taken) + 1))


def folder_of(number, addition):
    """'14_copied_tile'"""
    return f"{number:02}_{addition.name}"


def renamed(text, number, addition):
    """A source of the other rung as one of the new one."""
    base = rung_named(addition.base)
    text = text.replace(base.folder, folder_of(number, addition))
    text = text.replace(base.label, f"{number:02} {addition.name}")
    text = re.sub(rf"\b{base.name}\b", addition.name, text)
    for old, new in addition.edits:
        text = text.replace(old, new)
    return text


def with_table_line(text, number, addition):
    """ladder.cpp with the declarations and the line of the table."""
    base = rung_named(addition.base)
    declared = re.search(
        rf"^namespace ladder::{base.name} \{{(?: [^\n]*|\n.*?^\}}[^\n]*)\n", text, re.M | re.S
    )
    line = re.search(
        rf"^    \{{\.number = {base.number},.*?(?=^    \{{|^\}}\);)", text, re.M | re.S
    )
    ours = renamed(line[0], number, addition)
    ours = ours.replace(f"number = {base.number},", f"number = {number},", 1)
    ours = ours.replace(base.idea, f"as rung {base.number:02}, again")  # ideas are unique
    text = text.replace(
        "\nnamespace ladder {\n",
        f"{renamed(declared[0], number, addition)}" "\nnamespace ladder {\n",
        1,
    )
    return re.sub(r"^\}\);", lambda end: ours + end[0], text, count=1, flags=re.M)


def write_sources(out):
    """The table and the folders of the new rungs."""
    table = (SOURCES / TABLE).read_text()
    for number, addition in numbered():
        table = with_table_line(table, number, addition)
        folder = out / "ladder" / folder_of(number, addition)
        folder.mkdir(parents=True, exist_ok=True)
        for path in (SOURCES / rung_named(addition.base).path).glob("*.cu*"):
            write(folder / path.name, renamed(path.read_text(), number, addition))
    write(out / TABLE, table)


def write(path, text):
    """A file that stays as it is if it is so already, so that nothing is compiled anew."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def copy_tree(out):
    """All files of the tree, those included that are not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        edited = name in (str(TABLE), str(BUILD))
        if (SOURCES / name).is_file() and not edited:  # and not deleted
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCES / name, out / name)  # with its time: what was built stays so


def write_tree(out):
    """The tree with the new rungs and stubs of their lessons."""
    copy_tree(out)
    write_sources(out)
    build = (SOURCES / BUILD).read_text()
    for number, addition in numbered():
        base = rung_named(addition.base).folder
        line = re.search(rf"^add_rung\({base}.*\)\n", build, re.M)[0]
        last = re.findall(r"^add_rung\(.*\)\n", build, re.M)[-1]
        ours = line.replace(base, folder_of(number, addition))
        build = build.replace(last, last + ours)
        blocks = "\n".join(f"<!-- begin {name} -->\n<!-- end {name} -->\n" for name in BLOCKS)
        lesson = LESSON.format(number=number, name=addition.name, blocks=blocks)
        (out / "ladder" / folder_of(number, addition) / "README.md").write_text(lesson)
    write(out / BUILD, build)


def main():
    """Writes what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("folders", "sources", "tree"))
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if options.what == "folders":
        print(";".join(folder_of(*each) for each in numbered()), end="")
    elif options.out is None:
        sys.exit(f"add_a_rung.py: {options.what} needs a folder")
    else:
        {"sources": write_sources, "tree": write_tree}[options.what](options.out.resolve())


if __name__ == "__main__":
    main()
