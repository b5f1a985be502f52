"""%%glassbox: the cell is a CUDA program, or kernels and a few lines of host code."""

import html
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display

from gemm_ladder.commands import program
from gemm_ladder.whole_program import HEADER, HEADER_TEXT, whole_program

VERBS = ("run", "check", "trace")
STYLE = (
    "<style>.glassbox{font-family:monospace;white-space:pre;line-height:1.45}"
    ".glassbox b{background:#c62828;color:#fff;box-shadow:0 0 0 .25em #c62828}"
    ".glassbox span{display:block}.glassbox .wrong{background:#c6282822}"
    ".glassbox i{color:#c62828;font-style:normal;white-space:normal;display:block;padding-left:8ch}"
    "</style>"
)


def findings_by_line(found):
    """{line of the cell: sentences}, each sentence once."""
    lines = {}
    findings = [one for launch in found["subjects"] for one in launch["findings"]]
    for one in findings + found["findings"]:
        if one.get("level") == "note" or not str(one.get("file", "")).endswith("cell.cu"):
            continue
        sentences = lines.setdefault(one["line"], [])
        if one["message"] not in sentences:
            sentences.append(one["message"])
    return lines


def marked_source(cell, lines):
    """The cell as HTML, with each finding below its line."""
    rows = []
    for number, text in enumerate(cell.splitlines(), start=2):
        sentences = lines.get(number, [])
        mark = f"<b>{number}</b>" if sentences else f"{number}"
        kind = ' class="wrong"' if sentences else ""
        left = " " * (4 - len(str(number)))
        rows.append(f"<span{kind}>{left}{mark}  {html.escape(text)}</span>")
        rows += [f"<i>{html.escape(sentence)}</i>" for sentence in sentences]
    return f'{STYLE}<div class="glassbox">{"".join(rows)}</div>'


def page_in_frame(page):
    """A whole page within the notebook's."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" width="100%" height="640" '
        'style="border:1px solid #8888"></iframe>'
    )


def show(text, what):
    """Below the cell; where no HTML is shown, its name."""
    display({"text/html": text, "text/plain": what}, raw=True)


@magics_class
class GlassboxMagics(Magics):
    """The magic itself."""

    @cell_magic
    def glassbox(self, line, cell):
        """%%glassbox [run|check|trace] [options of the command] [-- words for the program]

        The answer is the program's output, the report, and what is wrong at its lines; of a trace
        also the page. Line 1 is that of %%glassbox.
        """
        words = shlex.split(line)
        verb = words[:1] if words and words[0] in VERBS else []
        words = words[len(verb) :]
        split = words.index("--") if "--" in words else len(words)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "cell.cu").write_text(whole_program(cell))
            (folder / HEADER).write_text(HEADER_TEXT)
            options = ["--json", "found.json"]
            if verb == ["trace"]:
                options += ["--html", "page.html"]
            done = subprocess.run(
                [program("glassbox"), *verb, "cell.cu", *words[:split], *options, *words[split:]],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            sys.stdout.write(done.stdout)
            told = [row for row in done.stderr.splitlines(True) if " written to " not in row]
            sys.stderr.write("".join(told))
            found = folder / "found.json"
            if found.exists():
                lines = findings_by_line(json.loads(found.read_text()))
                if lines:
                    show(marked_source(cell, lines), "findings")
            page = folder / "page.html"
            if page.exists():
                show(page_in_frame(page.read_text()), "page of the trace")
