"""Parts of this tree that others get to build: students a repository, Gradescope an autograder.

What builds the emulator and checks a kernel is a small part of the tree: no benchmarks, no tests,
no book.
"""

import ast
import pathlib
import re

from bench import SOURCES
from bench.results_file import FigureError
from bench.rungs import FACTS

FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", FACTS, "classroom/CMakeLists.txt")
FOLDERS = ("common", "emulator", "glassbox", "ladder")  # all but their pages and their modules
RUNGS = pathlib.Path("ladder/CMakeLists.txt")
MANY_GPUS = "many_gpus"  # the folder of a program that builds on several rungs
OTHERS = (".md", ".py", ".pyc")
NOT_TO_BUILD = {"libbenchmark-dev", "git", "python3-venv"}  # packages of make build


def building_files(*modules):
    """[path below the root]: all that a build of the emulator and these modules need."""
    found = {pathlib.Path(name) for name in FILES} | modules_of(*modules)
    for folder in FOLDERS:
        found |= {
            path.relative_to(SOURCES)
            for path in (SOURCES / folder).rglob("*")
            if path.is_file() and not path.is_symlink() and path.suffix not in OTHERS
        }
    return sorted(found)


def file_of(module):
    """Path of a module of this tree; None of any other."""
    path = pathlib.Path(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if (SOURCES / file).is_file():
            return file
    return None


def modules_of(*names):
    """{path} of modules of this tree and of all that they import."""
    found, seen, waiting = set(), set(), list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += [name.rpartition(".")[0]] if "." in name else []
        file = file_of(name)
        if file is None:
            continue
        found.add(file)
        for node in ast.walk(ast.parse((SOURCES / file).read_text())):
            if isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def with_rungs(text, folders):
    """ladder/CMakeLists.txt with these rungs alone, and with what they are compared with."""
    vendor = re.search(r"^set\(LADDER_VENDOR (\w+)\)", text, re.M)
    added = re.findall(r"^add_rung\((\w+)", text, re.M)
    if not vendor or not {vendor[1], *folders} <= set(added):
        raise FigureError(f"{RUNGS} has no add_rung() for each of {', '.join(folders)}")
    kept = {vendor[1], *folders}
    return re.sub(
        r"^add_rung\((\w+)[^)]*\)\n",
        lambda line: line[0] if line[1] in kept else "",
        text,
        flags=re.M,
    )


def without_many_gpus(text):
    """ladder/CMakeLists.txt without the program for many GPUs, whose rungs are complete."""
    line = f"add_subdirectory(program/{MANY_GPUS})\n"
    if line not in text:
        raise FigureError(f"{RUNGS} has no line {line.rstrip()}")
    return text.replace(line, "")


def packages():
    """Debian packages that a build of these files needs, as the Makefile names them."""
    text = (SOURCES / "Makefile").read_text().replace("\\\n", " ")
    named = re.search(r"^BUILD_PACKAGES := (.*)$", text, re.M)
    return [*(name for name in named[1].split() if name not in NOT_TO_BUILD), "python3"]
