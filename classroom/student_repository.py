"""Writes the repository that students get: it builds, hands out, checks, and holds no answers.

    python3 -m classroom.student_repository OUT [01 02 03]      all rungs, or these

`make classroom OUT=dir RUNGS="01 02 03"` calls it. What stays away: the section of each kernel that
its exercise is about, pages' blocks of code that show it, the grader, and the tests, whose mutants
are answers with one edit.
"""

import argparse
import itertools
import json
import pathlib
import re
import shutil
import subprocess

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import FACTS, own_rungs, rung_of, rung_table
from classroom import copied_tree, starters, student_pages
from classroom.grade import commit
from classroom.kernel_library import sources_of
from classroom.source_text import squeezed

TARGETS = (
    *("help", "rung-given", "own-kernel", "start", "hint", "watch"),
    *("progress", "reset", "submit"),
)
PAGES = ("docs/chapters/*.md", "docs/glass_box.md", "docs/start/your_own_kernel.md")
# Chapters about what a class does not have: recorded evidence, notebooks, the ladder's own tests.
NO_PAGES = {f"docs/chapters/{name}.md" for name in ("claims", "notebooks", "add_a_rung")}
FIGURES = ("docs/figures/*.svg",)
# What `make run` shows beside a prediction.
RECORDED = (
    "bench/results/nvidia-h?00/climb_burst_4096.json",
    "bench/results/nvidia-h?00/profile_[0-9]*.json",
)
OTHERS = (
    ".ci/build",
    ".ci/install",
    ".ci/moved",
    "docs/start/first_kernel.cu",
    *(f"docs/start/own_kernel/{name}.cu" for name in ("reduction", "softmax", "transpose")),
)
# Packages of the grader, and of the program for many GPUs.
NOT_OF_A_CLASS = {"libseccomp-dev", "libopenmpi-dev", "openmpi-bin"}
SHORTEST = 9  # characters of a line that can be an answer
AS_THE_LADDER = ("-c", "user.name=GEMM Ladder", "-c", "user.email=ladder@localhost")
TITLE = "# GEMM Ladder, for a class\n"
MAKEFILE = """\
# GEMM Ladder, for students. `make help` lists what there is.
BUILD_PACKAGES := @packages@
LADDER := build/ladder
STUDENT := python3 -m classroom.student

.DEFAULT_GOAL := help
.PHONY: help ready build rung-given own-kernel start hint check watch trace predict run \\
        glassbox progress reset submit update grade

# Whether a rung was begun is looked for first: a build takes minutes.
WHOSE = $(if $(wildcard work/$(RUNG)_* work/0$(RUNG)_* work/$(RUNG) work/*_$(RUNG)),$(STUDENT))
start hint reset submit: rung-given

ready:
	@.ci/moved
	@.ci/install $(BUILD_PACKAGES)

build: ready ## install what is missing and build what checks your kernels
	@[ -f build/build.ninja ] || cmake --preset cpu -DLADDER_TESTS=OFF --log-level=WARNING
	@[ -x $(LADDER) ] || echo 'The first build takes some minutes.'
	@.ci/build ladder

check: own-kernel build ## your kernel: is it right, has it races? RUNG=03
	@$(STUDENT) check $(RUNG) $(if $(SIZE),--size $(SIZE))

trace: own-kernel build ## what it asks of memory: RUNG=03 [SIZE=512] [HTML=page.html]
	@$(STUDENT) trace $(RUNG) $(if $(SIZE),--size $(SIZE)) $(if $(HTML),--html '$(HTML)')

predict: own-kernel build ## write down what you expect of it: RUNG=03 [ANSWERS=1.5,2]
	@$(STUDENT) predict $(RUNG) $(if $(ANSWERS),--answers '$(ANSWERS)')

run: own-kernel build ## run it, and compare with what you expected: RUNG=03 [SIZE=512]
	@$(STUDENT) run $(RUNG) $(if $(SIZE),--size $(SIZE))

glassbox: ## run any CUDA program without a GPU, and check it: FILE=my.cu [ARGS="1 2"]
	@[ -f '$(FILE)' ] || { echo 'Name a file: make glassbox FILE=my.cu' >&2; exit 2; }
	@$(MAKE) --no-print-directory build
	@.ci/build glassbox
	@build/glassbox '$(FILE)' $(if $(ARGS),-- $(ARGS))

# A pull that neither asks how nor for a message, whatever git is configured to.
update: ## what your teacher has added; your commits and your folder in work/ stay
	@before=$$(git rev-parse HEAD) && git pull --quiet --no-rebase --no-edit && \\
		{ [ "$$before" != "$$(git rev-parse HEAD)" ] || echo 'There is nothing new.'; }
	@$(STUDENT) progress

grade:
	@echo 'Your teacher has the grader; make check and make submit are yours.' >&2
	@exit 2

@blocks@
"""
# What programs write at each call, or for one machine: tracked, it would be in a student's way.
IGNORED = """\
/build/
/*.html
/*.json
!/CMakePresets.json
/work/backup/
/work/*.tar.gz
/work/.progress.json*
/work/compile_flags.txt
/.predictions.json
__pycache__/
"""
README = """\
@title@
Here you write CUDA kernels that multiply matrices, one rung of a ladder after the other. This copy
holds @rungs@.

Each rung computes C = alpha·A·B + beta·C, where A is a matrix of M rows and K columns, B has K
and N, and C has M and N. Their elements are C++'s `float`, which is also called FP32; `double` is
FP64.

You need Linux (or WSL2) and no GPU. Your kernels run on an emulator, which sees every access to
memory and names races, reads beyond an edge and missing barriers.

```sh
make start RUNG=@first@     # hands out a starter, in work/@folder@
make watch RUNG=@first@     # checks your kernel each time you save it
make check RUNG=@first@     # checks it once
make trace RUNG=@first@     # what your kernel asks of memory, line by line
make hint RUNG=@first@      # helps, in three steps
make submit RUNG=@first@    # packs what you hand in: work/@folder@.tar.gz
make progress          # what you have done so far
make update            # brings the rungs that your teacher has added
```

Read first `docs/chapters/kernel_on_a_gpu.md`, and then the lesson of the rung,
`ladder/@folder@/README.md`. Each rung's lesson is the README.md of its folder in `ladder/`; the
chapters of the book are in `docs/chapters/`.

Where a page names a widget, a lab or a rung that is not here, it is in the whole book, whose
address your teacher has. In the table that `make run` prints, *error / bound* is the largest error,
as a share of what rounding may cause. *Barriers* are places where the threads of a block wait for
each other; rung 03 has the first. TFLOP/s are 10¹² floating-point operations per second. They were
recorded on a GPU, with the finished kernel and not with yours; *burst* means that it had rested and
was cool. Where `make check` speaks of *hazards*,
it means races between threads, and accesses to what is not there or was never written.

The first command that checks also builds the emulator, which takes some minutes. If packages are
missing, it says which.

## What this is, and what it is not

It is a part of GEMM Ladder, an open educational project, made for classes from version
@commit@. The kernels in `ladder/` are starters: the section that you are asked to write is empty,
and lessons hide it; chapters do, too, until the starter of a later rung shows it. What times
kernels on a GPU and what grades them stays with your teacher; the times and counters that you see
were recorded on NVIDIA GPUs, with NVIDIA's profiler Nsight Compute (`ncu`).

You may edit everything, but only your folder in `work/` counts, and it is graded with your
teacher's copy of the rest. This folder is a git repository: commit as often as you like.
`git checkout work/@folder@` brings back what you have committed last, and `make update` keeps
your commits and your folder in `work/`.

`make` lists all commands.
"""


def answers(rung):
    """{lines that the student has to write}: of the rung's files, and in none of the starter's."""
    whole = {
        squeezed(line)
        for path in sources_of(SOURCES / rung.path)
        for line in path.read_text().splitlines()
    }
    return {line for line in whole - starter_lines(rung) if len(line) >= SHORTEST}


def starter_lines(rung):
    """{lines of what a rung's starter shows}"""
    texts = starters.with_gap(rung).values()
    return {squeezed(line) for text in texts for line in text.splitlines()}


def pages(rungs):
    """{path: text} of the lessons of these rungs and of the chapters.

    A lesson may show what its own starter shows, and a chapter what any starter shows, although
    another rung asks for it.
    """
    every = {rung.number: answers(rung) for rung in own_rungs().values()}

    def secrets(*starts):
        shown = set().union(*map(starter_lines, starts))
        return {number: answer - shown for number, answer in every.items()}

    found = {}
    for rung in rungs:
        text = (SOURCES / rung.path / "README.md").read_text()
        found[rung.path / "README.md"] = student_pages.lesson_page(text, rung, secrets(rung))
    kept = secrets(*rungs)
    numbers = {rung.number for rung in rungs}
    for path in itertools.chain.from_iterable(map(SOURCES.glob, PAGES)):
        name = path.relative_to(SOURCES)
        if str(name) not in NO_PAGES:
            found[name] = student_pages.chapter_page(path.read_text(), kept, numbers)
    return found


def makefile():
    """The students' targets, as the ladder's own Makefile has them."""
    text = (SOURCES / "Makefile").read_text()
    blocks = []
    for target in TARGETS:
        recipe = re.search(rf"^{target}:[^\n]*\n(?:\t[^\n]*\n)+", text, re.M)
        if not recipe:
            raise FigureError(f"the Makefile has no target {target}")
        # All that is missing at once: a student may have to ask somebody for it.
        blocks.append(recipe[0].replace(".ci/install python3", ".ci/install $(BUILD_PACKAGES)"))
    packages = [name for name in copied_tree.packages() if name not in NOT_OF_A_CLASS]
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
        entry["sources"] = ""  # a starter is not what was recorded, but stands for it
        if entry["builds_on"] not in kept:
            entry["builds_on"] = None
    return json.dumps(found) + "\n"


def readme(rungs):
    """What the repository is."""
    first = rungs[0]
    words = {
        "title": TITLE,
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
    # A rung that was not asked for may be the answer to one that was, whose lines it builds on.
    kept = {
        rung.folder for rung in [*rungs, *rung_table().values()] if rung in rungs or not rung.tile
    }
    others = {path.name for path in SOURCES.glob("ladder/[0-9][0-9]_*")} - kept
    files = {
        pathlib.Path("README.md"): readme(rungs),
        pathlib.Path("Makefile"): makefile(),
        pathlib.Path(".gitignore"): IGNORED,
        pathlib.Path("COMMIT"): commit() + "\n",
    }
    for path in copied_tree.building_files("classroom.student"):
        if not (others | {copied_tree.MANY_GPUS}) & set(path.parts):
            files[path] = (SOURCES / path).read_bytes()
    for name in OTHERS:
        files[pathlib.Path(name)] = (SOURCES / name).read_bytes()
    for rung in rungs:
        files |= {rung.path / name: text for name, text in starters.with_gap(rung).items()}
    files |= pages(rungs)
    for path in itertools.chain.from_iterable(map(SOURCES.glob, FIGURES + RECORDED)):
        files[path.relative_to(SOURCES)] = path.read_bytes()
    build = copied_tree.RUNGS  # students' kernels come from work/, so no rung is built
    text = copied_tree.without_many_gpus((SOURCES / build).read_text())
    files[build] = copied_tree.with_rungs(text, [])
    files[pathlib.Path(FACTS)] = facts(rungs)
    tree = {str(each) for path in files for each in (path, *path.parents)}
    for path, text in files.items():
        if path.suffix == ".md":
            files[path] = student_pages.with_living_links(text, str(path), tree)
    return files


def early(rungs):
    """Sentences about starters, and chapters, that show much of what an earlier rung asks for."""
    said = []
    starts = [(rung.number, rung.label, starter_lines(rung)) for rung in rungs]
    last = max(rung.number for rung in rungs) + 1
    for path, text in pages(rungs).items():
        if path.parts[0] == "docs":
            blocks = student_pages.BLOCK.finditer(text)
            shown = {squeezed(line) for block in blocks for line in block[4].splitlines()}
            starts.append((last, str(path), shown))
    for rung in rungs:
        answer = answers(rung)
        for number, name, text in starts:
            shown = len(answer & text)
            if number > rung.number and 2 * shown >= len(answer):
                said.append(f"  {name}: {shown} of {len(answer)} lines of {rung.label}")
    return said


def is_ours(out):
    """Whether a folder holds what an earlier call has written, for rungs to be added."""
    readme = out / "README.md"
    return (out / "COMMIT").is_file() and readme.is_file() and readme.read_text().startswith(TITLE)


def export(out, rungs):
    """Writes the repository into a folder: a new one, one that holds nothing but .git, or one that
    an earlier call has written, where work/ stays as it is."""
    held = {path.name for path in out.iterdir()} - {".git"} if out.is_dir() else set()
    if (out.exists() and not out.is_dir()) or (held and not is_ours(out)):
        raise FigureError(
            f"{out} holds something already: name a folder that is not there, one that holds "
            "nothing but .git, or one that an earlier make classroom has written"
        )
    if SOURCES in (out.resolve(), *out.resolve().parents):
        raise FigureError(f"{out} lies in the ladder's own folder: name one outside")
    files = repository(rungs)
    for path, content in files.items():
        file = out / path
        data = content if isinstance(content, bytes) else content.encode()
        if file.is_file() and file.read_bytes() == data:
            continue  # a build does not make it again
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        if str(path).startswith(".ci/"):
            file.chmod(0o755)
    if shutil.which("git"):
        commit_files(out, rungs, files)


def commit_files(out, rungs, files):
    """Makes the folder a git repository if it is none, and commits what was written: nothing else,
    because a teacher may have tried the exercises there, and staged what they tried."""

    def git(*words):
        return subprocess.run(["git", "-C", out, *words], check=True, stdout=subprocess.PIPE)

    git("init", "--quiet")  # does nothing where there is one
    git("add", "--force", "--", *files)
    if git("diff", "--cached", "--name-only", "--", *files).stdout:
        names = " ".join(f"{rung.number:02}" for rung in rungs)
        git(
            *AS_THE_LADDER,
            "commit",
            "--quiet",
            "-m",
            f"Starters of {names}",
            "--only",
            "--",
            *files,
        )


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
    starts = "1 starter, its lesson" if len(rungs) == 1 else f"{len(rungs)} starters, their lessons"
    print(f"{options.out} holds {starts} and what checks them; no answers.")
    said = early(rungs)
    if said:
        print(
            "\nRungs build on each other, so this shows what an earlier one asks for:",
            *said,
            "To keep that back, leave the later rungs out, and add them with the same command",
            "when they are due: into the same folder, with all rungs so far. Chapters show a",
            "section only if a starter of this copy shows it, too.",
            sep="\n",
        )


if __name__ == "__main__":
    program.run(main)
