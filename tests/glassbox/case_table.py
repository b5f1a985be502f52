"""Programs of tests/glassbox/cases, and what the glass box has to find in each."""

import dataclasses
import pathlib
import unittest

from tests.glassbox.own_program import outcome

CASES = pathlib.Path(__file__).parent / "cases"


@dataclasses.dataclass(frozen=True)
class Case:
    """One run of `glassbox check`.

    file: below cases/, without ".cu"; options: such as "-D SOUND"; words: for the program
    found: all that has to be found, as found_in() writes it, and nothing else
    output: what the program prints, where that tells right from wrong
    exit_code: 1 if there is anything in `found` that counts as wrong, else 0
    """

    file: str
    options: str = ""
    found: tuple = ()
    words: tuple = ()
    output: str | None = None
    exit_code: int | None = None

    @property
    def name(self):
        """For the test's method."""
        parts = " ".join([self.file, self.options.replace("-D ", ""), *self.words])
        return "".join(c if c.isalnum() else "_" for c in parts.lower())


def twins(file, *found, **more):
    """A program that is wrong, and its sound twin."""
    return [Case(file, found=found, **more), Case(file, options="-D SOUND")]


def line_of(finding):
    """ "12", or "12-15" with the line of the other access or call."""
    line = str(finding.get("line", ""))
    other = finding.get("other") or {}
    return f"{line}-{other['line']}" if other.get("line") else line


def array_of(finding):
    """The array's name; empty if there is none."""
    element = finding.get("element") or {}
    return element.get("array") or finding["fields"].get("array", "")


def remark_on(finding):
    """What else tells one sentence from another: where an index comes from, a lost update."""
    fields = finding["fields"]
    if fields.get("updates"):
        return "updates"
    if "index_line" in fields:
        return f"index:{fields['index_line']}"
    return "index:local" if fields.get("why") == "local" else ""


def found_in(result):
    """Faults, failing calls, leaks and notes about calls, each once: {"race-in-shared-memory 12-15 s"}.

    Code or reason, line, line of the other access, array; and see remark_on().
    """
    findings = [one for launch in result.found["subjects"] for one in launch["findings"]]
    findings += [one for one in result.found["findings"] if one["level"] != "note" or "line" in one]
    texts = (
        [one.get("reason", one["code"]), line_of(one), array_of(one), remark_on(one)]
        for one in findings
    )
    return {" ".join(part for part in parts if part) for parts in texts}


class CaseTest(unittest.TestCase):
    """What all tables of cases are tested by."""

    def check(self, case):
        """Runs it; compares."""
        source = (CASES / f"{case.file}.cu").read_text()
        headers = {path.name: path.read_text() for path in (CASES / case.file).parent.glob("*.h")}
        result = outcome(
            source, *case.options.split(), verb=["check"], files=headers, program_words=case.words
        )
        self.assertIsNotNone(result.found, result.stderr)
        self.assertEqual(found_in(result), set(case.found), result.stderr)
        wrong = any(not text.startswith("never-freed ") for text in case.found)
        expected = int(wrong) if case.exit_code is None else case.exit_code
        self.assertEqual(result.returncode, expected, result.stderr)
        if case.output is not None:
            self.assertEqual(result.stdout, case.output)


def tests_of(cases, doc):
    """A class with a test for each case."""
    methods = {}
    for case in cases:
        name = f"test_{case.name}"
        if name in methods:
            raise ValueError(f"two cases are called {name}")
        methods[name] = lambda self, case=case: self.check(case)
    return type("Cases", (CaseTest,), {"__doc__": doc, **methods})
