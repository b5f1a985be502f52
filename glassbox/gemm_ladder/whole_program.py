"""Makes a whole program of a cell that has kernels and a few lines of host code."""

import re

# How a definition or a directive begins. What begins otherwise is host code, from there on.
DEFINITION = re.compile(
    r"(#|template\b|__\w+__\b|static\b|inline\b|constexpr\b|const\b|struct\b|class\b|enum\b|union\b|"
    r"namespace\b|using\b|typedef\b|extern\b)"
)
# "float sum(const float* x, int n) {": a function; "for (...) {" is none.
FUNCTION = re.compile(r"(?!(?:for|if|while|do|switch)\b)[\w:<>,*&\s]+\s[*&]*\w+\s*\([^;{}]*\)\s*\{")
MAIN = re.compile(r"\bmain\s*\(")
SKIPPED = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)

# In a file of its own: the program's lines are those of the cell.
HEADER = "cell.hpp"
HEADER_TEXT = "#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"


def skipped(text, at, only_blanks=False):
    """Where blanks and comments, and strings, that begin at this place end."""
    while found := SKIPPED.match(text, at):
        if only_blanks and found.group()[0] in "\"'":
            break
        at = found.end()
    return at


def end_of_item(text, at):
    """Where the directive ends, or the definition with its braces or its semicolon."""
    if text[at] == "#":
        while (end := text.find("\n", at)) > 0 and text[end - 1] == "\\":
            at = end + 1
        return len(text) if end < 0 else end
    depth = 0
    while (at := skipped(text, at)) < len(text):
        depth += text[at] in "({["
        depth -= text[at] in ")}]"
        is_end = depth == 0 and (text[at] == ";" or text[at] == "}")
        at += 1
        if is_end:
            after = skipped(text, at, only_blanks=True)
            return after + 1 if text[after : after + 1] == ";" else at
    return len(text)


def start_of_host_code(text):
    """Where the first statement begins that is no definition; the text's length: nowhere."""
    at = 0
    while (at := skipped(text, at, only_blanks=True)) < len(text):
        if not DEFINITION.match(text, at) and not FUNCTION.match(text, at):
            return at
        at = end_of_item(text, at)
    return at


def whole_program(cell):
    """The cell as a program. Lines keep their numbers, and the magic's own line is the first."""
    if MAIN.search(cell):
        return f"\n{cell}"
    begin = start_of_host_code(cell)
    return f'#include "{HEADER}"\n{cell[:begin]}int main() {{ {cell[begin:]}\nreturn 0;\n}}\n'
