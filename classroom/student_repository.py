"""Writes the repository that students get: it builds, hands out, checks, and holds no answers.

    python3 -m classroom.student_repository OUT [01 02 03]      all rungs, or these

`make classroom OUT=dir RUNGS="01 02 03"` calls it. What stays away: the section of each kernel that
its exercise is about, pages' blocks of code that show it, the grader, and the tests, whose mutants
are answers with one edit.
"""

import argparse
import json
import pathlib
import re

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import FACTS, own_rungs, rung_of, rung_table
from classroom import copied_tree, starters
from classroom.grade import commit
from classroom.kernel_library import sources_of

TARGETS = ("help", "rung-given", "start", "hint", "watch", "progress", "reset", "submit")
PAGES = ("docs/chapters",)
FIGURES = ("docs/figures",)
SCRIPTS = (".ci/install",)
SHORTEST = 9  # characters of a line that can be an answer
TELLING = 2  # lines of one answer in one block of a page
HIDDEN = "*This code is your exercise, so the repository of a class does not show it.*"
BLOCK = re.compile(r"^( *)(`{3,})([\w+-]*)\n(.*?)^ *\2`* *$\n?", re.M | re.S)

MAKEFILE = """\
# GEMM Ladder, for students. `make help` lists what there is.
BUILD_PACKAGES := @packages@
LADDER := build/ladder
STUDENT := python3 -m classroom.student

.DEFAULT_GOAL := help
.PHONY: help ready build rung-given start hint check watch progress reset submit

start hint check watch reset submit: rung-given

ready:
	@.ci/install $(BUILD_PACKAGES)

build: ready ## install what is missing and build what checks your kernels
	@[ -f build/build.ninja ] || cmake --preset cpu -DLADDER_TESTS=OFF --log-level=WARNING
	@[ -x $(LADDER) ] || echo 'The first build takes some minutes.'
	@cmake --build build --target ladder

check: build ## your kernel: is it right, has it races? RUNG=03
	@$(STUDENT) check $(RUNG) $(if $(SIZE),--size $(SIZE))

@blocks@
"""
IGNORED = "/build/\n/work/backup/\n__pycache__/\n"
README = """\
# GEMM Ladder, for a class

Here you write CUDA kernels that multiply matrices, one rung of a ladder after the other. This copy
holds @rungs@.

You need Linux (or WSL2) and no GPU. Your kernels run on an emulator, which sees every access to
memory and names races, reads beyond an edge and missing barriers.

```sh
make start RUNG=@first@     # hands out a starter, in work/@folder@
make watch RUNG=@first@     # checks your kernel each time you save it
make hint RUNG=@first@      # helps, in three steps
make submit RUNG=@first@    # packs what you hand in: work/@folder@.tar.gz
make progress         # what you have done so far
```

The first command that checks also builds the emulator, which takes some minutes. If packages are
missing, it says which. Each rung's lesson is the README.md of its folder in `ladder/`; the chapters
of the book are in `docs/chapters/`.

## What this is, and what it is not

It is a part of GEMM Ladder, an open educational project, made for classes from version
@commit@. The kernels in `ladder/` are starters: the section that you are asked to write is empty,
and so are pages' blocks of code that would show it. Benchmarks, timings and the grader stay with
your teacher, so of the commands in a lesson, `make run`, `make trace`, `make predict` and the other
ones that are not above need the whole project.

You may edit everything, but only your folder in `work/` counts, and it is graded with your
teacher's copy of the rest. Commit it as often as you like.
"""


def squeezed(line):
    """A line of code without comment and blanks at its sides."""
    return " ".join(re.sub(r"//.*", "", line).split())


def answers(rung):
    """{lines that the student has to write}: of the rung's files, and in none of the starter's."""
    gap = starters.with_gap(rung)
    left = {squeezed(line) for text in gap.values() for line in text.splitlines()}
    whole = {
        squeezed(line)
        for path in sources_of(SOURCES / rung.path)
        for line in path.read_text().splitlines()
    }
    return {line for line in whole - left if len(line) >= SHORTEST}


def tells(block, found):
    """Whether a block of a page shows an answer: some of its lines, or all of a short one."""
    lines = {squeezed(re.sub(r"^[+-] ?", " ", line)) for line in block.splitlines()}
    return any(len(lines & answer) >= min(TELLING, len(answer)) for answer in found if answer)


def without_answers(page, found):
    """A page whose blocks of code show no answer."""
    return BLOCK.sub(
        lambda block: f"{block[1]}{HIDDEN}\n" if tells(block[4], found) else block[0], page
    )


def makefile():
    """The students' targets, as the ladder's own Makefile has them."""
    text = (SOURCES / "Makefile").read_text()
    blocks = []
    for target in TARGETS:
        recipe = re.search(rf"^{target}:[^\n]*\n(?:\t[^\n]*\n)+", text, re.M)
        if not recipe:
            raise FigureError(f"the Makefile has no target {target}")
        blocks.append(recipe[0])
    packages = [name for name in copied_tree.packages() if name != "libseccomp-dev"]
    return MAKEFILE.replace("@packages@", " ".join(packages)).replace(
        "@blocks@", "\n".join(blocks).rstrip()
    )


def facts(rungs):
    """bench/results/rungs.json with these rungs and the library alone."""
    kept = {rung.number for rung in rungs}
    kept |= {number for number, rung in rung_table().items() if not rung.tile}
    found = json.loads((SOURCES / FACTS).read_text())
    found["rungs"] = [entry for entry in found["rungs"] if entry["number"] in kept]
    for entry in found["rungs"]:
        if entry["builds_on"] not in kept:
            entry["builds_on"] = None
    return json.dumps(found) + "\n"


def readme(rungs):
    """What the repository is."""
    first = rungs[0]
    words = {
        "rungs": f"rung {first.label}"
        if len(rungs) == 1
        else f"{len(rungs)} rungs, from {first.label} to {rungs[-1].label}",
        "first": f"{first.number:02}",
        "folder": first.folder,
        "commit": commit(),
    }
    text = README
    for name, value in words.items():
        text = text.replace(f"@{name}@", value)
    return text


def repository(rungs):
    """{path: text or bytes} of all files."""
    found = [answers(rung) for rung in own_rungs().values()]
    folders = {rung.folder for rung in rungs}
    others = {rung.folder for rung in own_rungs().values()} - folders
    files = {
        pathlib.Path("README.md"): readme(rungs),
        pathlib.Path("Makefile"): makefile(),
        pathlib.Path(".gitignore"): IGNORED,
        pathlib.Path("COMMIT"): commit() + "\n",
    }
    for path in copied_tree.building_files("classroom.student"):
        if not others & set(path.parts):
            files[path] = (SOURCES / path).read_bytes()
    for name in SCRIPTS:
        files[pathlib.Path(name)] = (SOURCES / name).read_bytes()
    for rung in rungs:
        files |= {rung.path / name: text for name, text in starters.with_gap(rung).items()}
        files[rung.path / "README.md"] = (SOURCES / rung.path / "README.md").read_text()
    for folder in PAGES:
        files |= {
            path.relative_to(SOURCES): path.read_text() for path in (SOURCES / folder).glob("*.md")
        }
    for folder in FIGURES:
        files |= {
            path.relative_to(SOURCES): path.read_bytes()
            for path in (SOURCES / folder).glob("*.svg")
        }
    for path, text in files.items():
        if path.suffix == ".md":
            files[path] = without_answers(text, found)
    build = copied_tree.RUNGS  # students' kernels come from work/, so no rung is built
    files[build] = copied_tree.with_rungs((SOURCES / build).read_text(), [])
    files[pathlib.Path(FACTS)] = facts(rungs)
    return files


def early(rungs):
    """Sentences about starters that show much of what an earlier rung asks for."""
    said = []
    starts = [
        (
            rung,
            {
                squeezed(line)
                for text in starters.with_gap(rung).values()
                for line in text.splitlines()
            },
        )
        for rung in rungs
    ]
    for rung in rungs:
        answer = answers(rung)
        for later, text in starts:
            shown = len(answer & text)
            if later.number > rung.number and 2 * shown >= len(answer):
                said.append(f"  {later.label}: {shown} of {len(answer)} lines of {rung.label}")
    return said


def export(out, rungs):
    """Writes the repository into a folder, which may hold nothing but .git."""
    if out.exists() and (not out.is_dir() or {path.name for path in out.iterdir()} - {".git"}):
        raise FigureError(
            f"{out} holds something already: name a folder that is not there, or "
            "one that holds nothing but .git"
        )
    if SOURCES in (out.resolve(), *out.resolve().parents):
        raise FigureError(f"{out} lies in the ladder's own folder: name one outside")
    for path, content in repository(rungs).items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if str(path) in SCRIPTS:
            file.chmod(0o755)


def main():
    """Writes the repository and says what a teacher has to know."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("rungs", nargs="*", type=int)
    options = parser.parse_args()
    rungs = [rung_of(number) for number in sorted(set(options.rungs))] or [*own_rungs().values()]
    for rung in rungs:
        starters.exercise_of(rung)
    export(options.out, rungs)
    print(f"{options.out} holds {len(rungs)} starters, lessons and what checks them; no answers.")
    said = early(rungs)
    if said:
        print(
            "\nRungs build on each other, so some starters show what earlier ones ask for.",
            'Hand these out later, with RUNGS="01 02 ...":',
            *said,
            sep="\n",
        )


if __name__ == "__main__":
    program.run(main)
