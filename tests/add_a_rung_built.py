"""Builds a copy of the tree with more rungs as a contributor would: program, tests of rungs, site.

It takes minutes; `make test-all` runs it.

    python3 -m tests.add_a_rung_built [FOLDER]       keeps the copy where a folder is given
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench.rungs import FACTS
from tests import SOURCES
from tests.add_a_rung import folder_of, numbered, write_tree

PYTHON = SOURCES / "build" / "python" / "bin" / "python"


def run(root, *command, expected=0):
    """What a command says; ends the program where its exit code is another one."""
    print("$", *command, flush=True)
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != expected or "Traceback" in done.stdout:
        sys.exit(f"add_a_rung_built.py: exit code {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def build_and_test(root):
    """Everything in the order of CONTRIBUTING.md."""
    write_tree(root)
    run(root, "cmake", "--preset", "cpu", "-DLADDER_TESTS=ON", "--log-level=WARNING")
    run(root, "cmake", "--build", "build", "--target", "ladder", "rung_tests")
    run(root, "build/ladder", "list", "--json", str(FACTS))
    entries = json.loads((root / FACTS).read_text())["rungs"]
    for number, addition in numbered():
        if entries[number]["folder"] != folder_of(number, addition):
            sys.exit(f"add_a_rung_built.py: {FACTS} lacks rung {number:02}")
        run(root, "build/ladder", "run", f"{number:02}", "--size", "130", "--device", "cpu")
        run(root, "build/ladder", "check", f"{number:02}")
    run(root, "build/tests/rung_tests")
    run(root, "make", "report", expected=2)
    run(root, str(PYTHON), "-m", "mkdocs", "build", "--quiet")
    for number, addition in numbered():
        page = root / "build" / "site" / "ladder" / folder_of(number, addition) / "README.html"
        if not page.exists() and not page.with_name("index.html").exists():
            sys.exit(f"add_a_rung_built.py: the site has no {page.parent}")


def main():
    """Builds in the folder of the command line, or in one that goes away."""
    if len(sys.argv) > 1:
        build_and_test(pathlib.Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            build_and_test(pathlib.Path(folder))
    print("A tree with another rung builds, and what it lacks has a name.")


if __name__ == "__main__":
    main()
