"""Programs that the glass box runs in tests."""

import os
import pathlib
import subprocess
import tempfile
import textwrap

from tests import SOURCES

GLASSBOX = os.environ.get("GLASSBOX", str(SOURCES / "build" / "glassbox"))


def glassbox(words, folder):
    """Runs build/glassbox in a folder; returns what subprocess.run() does."""
    return subprocess.run(
        [GLASSBOX, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


def outcome(source, *words, verb=(), program_words=(), files=None):
    """What becomes of a program my.cu; further files by their names.

    words: options, such as "--gpu"; verb: ["check"]; program_words: behind --
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"my.cu": source, **(files or {})}.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        own = ["--", *program_words] if program_words else []
        return glassbox([*verb, "my.cu", *words, *own], folder)


def sentences(result):
    """The report as one line, however it was wrapped."""
    return " ".join(result.stderr.split())


def in_main(body, before=""):
    """A program with this body of main()."""
    return f"#include <cstdio>\n{before}\nint main() {{\n{body}\n}}\n"
