"""Programs that the glass box runs in tests."""

import json
import os
import pathlib
import subprocess
import tempfile
import textwrap

from tests import SOURCES

GLASSBOX = os.environ.get("GLASSBOX_PROGRAM", str(SOURCES / "build" / "glassbox"))


def glassbox(words, folder):
    """Runs build/glassbox in a folder; returns what subprocess.run() does."""
    return subprocess.run(
        [GLASSBOX, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


def outcome(source, *words, verb=(), program_words=(), files=None):
    """What becomes of a program my.cu; further files by their names.

    words: options, such as "--gpu"; verb: ["check"]; program_words: behind --
    The result's `found` is what --json has written, or None.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"my.cu": source, **(files or {})}.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        own = ["--", *program_words] if program_words else []
        result = glassbox([*verb, "my.cu", *words, "--json", ".found.json", *own], folder)
        found = pathlib.Path(folder, ".found.json")
        result.found = json.loads(found.read_text()) if found.exists() else None
        return result


def launches(result, traced=True):
    """The launches of a program that were traced, or all that are listed."""
    return [launch for launch in result.found["subjects"] if launch["traced"] or not traced]


def faults(result):
    """What kernels and launches did wrong, each with its kernel and CUDA's error."""
    found = [
        {**fault, "kernel": launch["kernel"], "cuda_error": launch.get("cuda_error")}
        for launch in launches(result, traced=False)
        for fault in launch["findings"]
    ]
    return found + [one for one in result.found["findings"] if one["family"] == "fault"]


def fault_codes(result):
    """The codes of all faults, each once."""
    return {fault["code"] for fault in faults(result)}


def fault(result, code):
    """The first fault with this code; one without any, to show what there is."""
    return next(
        (one for one in faults(result) if one["code"] == code),
        {"missing": code, "element": {}, "fields": {}, "found": fault_codes(result)},
    )


def calls(result, group="call"):
    """{(function, reason): fields of the last} of calls that fail."""
    return {
        (one["function"], one["reason"]): {**one["fields"], "line": one.get("line")}
        for one in result.found["findings"]
        if one["family"] == "call" and one["group"] == group
    }


def lacks(result):
    """What the glass box does not have: the reasons or codes."""
    found = [*faults(result), *result.found["findings"]]
    return {one.get("reason", one["code"]) for one in found if one["group"] == "lacks"}


def notes(result):
    """What is good to know: the reasons, as often as they are told."""
    return [one["reason"] for one in result.found["findings"] if one["level"] == "note"]


def never_freed(result):
    """{array: bytes} of what nobody gave back."""
    return {
        one["fields"]["array"]: one["fields"]["bytes"]
        for one in result.found["findings"]
        if one["group"] == "leak"
    }


def sentences(result):
    """The report as one line, however it was wrapped: for tests of wording."""
    return " ".join(result.stderr.split())


def in_main(body, before=""):
    """A program with this body of main()."""
    return f"#include <cstdio>\n{before}\nint main() {{\n{body}\n}}\n"


def expect_sound(test, programs):
    """Nothing is found in any of {name: (what it prints, source)}."""
    for name, (printed, source) in programs.items():
        with test.subTest(name):
            result = outcome(source, verb=["check"])
            test.assertEqual((result.returncode, fault_codes(result)), (0, set()), result.stderr)
            test.assertEqual(result.stdout, printed)
