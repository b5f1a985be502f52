"""Findings are data: no program takes a sentence apart, and no test of behaviour depends on one.

Programs may print what text_of() and what() give, and may put it into a file for people. Tests of
wording are in files named *_wording_test.
"""

import re
import unittest

from tests import SOURCES

ROOMS = (
    "emulator",
    "common",
    "ladder",
    "glassbox",
    "bench",
)  # the others join when they are converted
TESTS = ("tests/emulator", "tests/common", "tests/ladder", "tests/glassbox", "tests/gallery")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".h")
# Where a program reads what others say, who have no codes.
FOREIGN = {
    "common/json_file.hpp": "nlohmann::json's message, without its name and number",
    "glassbox/front_end_output.cpp": "what nvcc and clang say of a program",
    "glassbox/runtime/variable_names.cpp": "the program's own lines",
}

MADE = r"(?:\bwhat\(\)|\b(?:text|note)_of\()"  # what makes a sentence of a finding
SENTENCE = rf"{MADE}|\b(?:message|sentence|complaint)\b"
TAKEN_APART = r"\.(?:r?find(?:_\w+)?|contains|starts_with|ends_with|substr|compare)\("
DIRECTLY = re.compile(rf"(?:{MADE}[^;{{}}]*?\)?|\b(?:message|sentence|complaint)\b){TAKEN_APART}")
BY_REGEX = re.compile(rf"regex_(?:search|match|replace)\([^;]*?(?:{SENTENCE})")
COMPARED = re.compile(rf"(?:{MADE}[^;()]*\)|\b(?:message|sentence|complaint)\b)\s*==\s*\"")
NAMED = re.compile(rf"\bstd::string(?:_view)?&?\s+(\w+)\s*(?:=|\()[^;]*?{MADE}")


def code_of(path):
    """A source without its comments, so that lines keep their numbers."""
    text = path.read_text()
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return re.sub(r"//.*", "", text)


def taken_apart(text):
    """[line numbers] where a sentence is searched, cut or compared."""
    found = [
        match.start()
        for pattern in (DIRECTLY, BY_REGEX, COMPARED)
        for match in pattern.finditer(text)
    ]
    for name in {match.group(1) for match in NAMED.finditer(text)}:
        inside = re.compile(rf"(?<![\w.]){name}{TAKEN_APART}|regex_\w+\(\s*{name}\b")
        found += [match.start() for match in inside.finditer(text)]
    return sorted({text.count("\n", 0, at) + 1 for at in found})


def sources(folders):
    """All C++ of the folders."""
    for folder in folders:
        for path in sorted((SOURCES / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


class Sentences(unittest.TestCase):
    """Nobody reads them but people."""

    def test_no_program_takes_one_apart(self):
        for path in sources(ROOMS):
            name = str(path.relative_to(SOURCES))
            if name in FOREIGN:
                continue
            with self.subTest(name):
                self.assertEqual(taken_apart(code_of(path)), [])

    def test_tests_of_behaviour_read_codes(self):
        pattern = re.compile(
            r"(?:contains\(|HasSubstr\(|EXPECT_(?:STR)?(?:EQ|NE)\()[^;<]*?"
            r"(?:text_of\(\*?(?:hazard|fault|verdict|found|wrong|finding|refusal)|note_of\()"
        )
        for path in sources(TESTS):
            if path.stem.endswith("_wording_test"):
                continue
            name = str(path.relative_to(SOURCES))
            with self.subTest(name):
                text = code_of(path)
                lines = [text.count("\n", 0, match.start()) + 1 for match in pattern.finditer(text)]
                self.assertEqual(lines, [])

    def test_every_sentence_of_a_finding_passes_one_function(self):
        writers = (
            "emulator/run/fault_text.cpp",
            "common/wrong_text.cpp",
            "common/refusal.cpp",
            "common/findings/finding.cpp",
            "common/findings/call_text.cpp",
            "common/findings/source_error.cpp",
            "common/terminal/access_verdict.cpp",
        )
        for name in writers:
            text = (SOURCES / name).read_text()
            bodies = re.findall(r"^std::string text_of\([^;{]*\{(.*?)^\}", text, re.S | re.M)
            with self.subTest(name):
                self.assertIn("sentence(", text)
                for body in bodies:
                    self.assertRegex(body, r"sentence\(|text_of\(")

    def test_this_test_sees_them(self):
        for text in (
            'if (error.what().find("cooperative") != npos) {}',
            "const std::string text = text_of(fault);\nif (text.starts_with(x)) {}",
            'std::string said = error.what();\nreturn said.find("race");',
            "std::regex_search(hazard.message, pattern)",
            'if (sentence == "race") {}',
        ):
            self.assertTrue(taken_apart(text), text)
        for text in (
            "fmt::print(text_of(fault));",
            "const std::string text = file.read();",
            "names.find(code_of(fault.kind));",
        ):
            self.assertFalse(taken_apart(text), text)


if __name__ == "__main__":
    unittest.main()
