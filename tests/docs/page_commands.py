"""Commands that pages show: whether make, the program and the scripts know them."""

import pathlib
import re
import subprocess

from bench.rungs import rung_table
from classroom import student_repository

SHELLS = ("", "sh", "bash", "shell", "console", "text")  # fences that may hold commands


def flags_of_program(program):
    """{subcommand: its flags}; the program's own under ''."""

    def output(*words):
        done = subprocess.run(
            [program, *words, "--help"], capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout

    listed = re.search(r"Subcommands:\n((?: +\w+ .*\n?)+)", output())
    names = re.findall(r"^ {2}(\w+) ", listed[1], flags=re.M)
    found = {"": {"--help", "-h"}}
    for name in names:
        found[name] = set(re.findall(r"(?<!\S)(--?[\w-]+)", output(name).replace(",", " ")))
    return found


class Commands:
    """What can be typed: make targets, here or in a class's repository, the program's subcommands
    with flags, scripts."""

    def __init__(self, program):
        """Asks the program for its flags; without one they are None, and not looked at."""
        makefile = pathlib.Path("Makefile").read_text() + student_repository.MAKEFILE
        self.targets = set(re.findall(r"^([a-z][\w-]*%?):", makefile, flags=re.M))
        self.rungs = {f"{number:02}" for number in rung_table()}
        self.flags = flags_of_program(program) if program.is_file() else None

    def faults(self, command):
        """What is wrong with one command of a page."""
        words = command.split()
        while words and re.fullmatch(r"\w+=\S*|sudo|time|nice|\$", words[0]):
            words.pop(0)
        if not words:
            return []
        if words[0] == "make":
            return self.make_faults(words[1:])
        if words[0] == "build/ladder":
            return self.program_faults(words[1:])
        return self.script_faults(words)

    def make_faults(self, words):
        """Of `make TARGET... NAME=value...`"""
        wrong = []
        for word in words:
            known = word in self.targets or re.sub(r"\d\d$", "%", word) in self.targets
            if re.fullmatch(r"[a-z][\w-]*", word) and not known:
                wrong.append(f"there is no target '{word}'")
            rung = re.fullmatch(r"RUNG=(\d+)", word)
            if rung and rung[1] not in self.rungs:
                wrong.append(f"there is no rung {rung[1]}")
            if not re.match(r"[a-z]|[A-Z_]+=|-", word):
                break  # words behind the command
        return wrong

    def program_faults(self, words):
        """Of `build/ladder SUBCOMMAND ... --flag ...`"""
        if self.flags is None or not words:
            return []
        if words[0].startswith("-"):
            return [] if words[0] in self.flags[""] else [f"there is no flag '{words[0]}'"]
        if words[0] not in self.flags:
            known = ", ".join(name for name in self.flags if name)
            return [f"there is no subcommand '{words[0]}'; there are {known}"]
        wrong = []
        for word in words[1:]:
            flag = word.split("=")[0]
            if re.match(r"--?[a-zA-Z]", flag) and flag not in self.flags[words[0]]:
                wrong.append(f"'{words[0]}' has no flag '{flag}'")
            if re.fullmatch(r"\d\d", word) and word not in self.rungs:
                before = words[words.index(word) - 1]
                wrong += [] if before.startswith("-") else [f"there is no rung {word}"]
        return wrong

    def script_faults(self, words):
        """Of `python3 -m bench.x --flag ...`, and of a file that is only named: `bench/x.py`"""
        path = r"(?:bench|tests|docs)/[\w/]+\.py"
        named = [word for word in words if re.fullmatch(path, word)]
        if named and words != named[:1]:
            module = named[0].removesuffix(".py").replace("/", ".")
            return [f"it runs as python3 -m {module}"]
        if not named and re.fullmatch(r"(?:\S*/)?python3?", words[0]) and words[1:2] == ["-m"]:
            named, words = [f"{word.replace('.', '/')}.py" for word in words[2:3]], words[1:]
        if not named or not re.fullmatch(path, named[0]):
            return []
        script = pathlib.Path(named[0])
        if not script.is_file():
            return [f"there is no {script}"]
        text = script.read_text()
        if "generated.main_of(" in text:  # where these read their flags
            text += pathlib.Path("docs/report/generated.py").read_text()
        flags = [word.split("=")[0] for word in words[2:] if re.match(r"--[a-z]", word)]
        return [f"{script} has no flag '{flag}'" for flag in flags if f'"{flag}"' not in text]


def commands_of(text):
    """[(line, command)] of what stands in code, inline or fenced, and looks like a command."""
    found, fence, start, joined = [], "", 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        opened = re.match(r" *(`{3,}|~{3,})(.*)", line)
        if opened and not fence:
            fence = opened[1]
            shell = opened[2].strip().split(" ")[0] in SHELLS
        elif opened and opened[1] == fence and not opened[2]:
            fence = ""
        elif fence:
            if shell:
                start = start if joined else number
                joined += line.removeprefix("$ ").rstrip("\\")
                if not line.endswith("\\"):
                    found.append((start, re.split(r" #| {2,}", joined.strip())[0]))
                    joined = ""
        else:
            found += [(number, span.strip()) for span in re.findall(r"`([^`]+)`", line)]
    return [
        (number, part.strip())
        for number, command in found
        for part in re.split(r"&&|\|\||;|(?<=\S) \| ", command)
        if re.match(r"(\$ |\w+=\S* )*(make( |$)|build/ladder\b|\S*python3? |\w+/\S+\.py\b)", part)
    ]


FENCED = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", re.M | re.S)
SPAN = re.compile(r"(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.S)  # of code, in a paragraph
STARTS = re.compile(r"(?:make|git|head|chmod|ncu|gdb|python3|\S*build/\S+)(?:\s|$)")


def broken_commands(text):
    """Commands in a page's prose that go on in its next line: copied from there, they are two."""
    spans = [span[2].strip() for span in SPAN.finditer(FENCED.sub("", text))]
    return [" ".join(span.split()) for span in spans if "\n" in span and STARTS.match(span)]


def command_faults(path, commands):
    """What is wrong with the commands of a page."""
    text = path.read_text()
    return [
        f"{path}:{number}: `{command}`: {fault}"
        for number, command in commands_of(text)
        for fault in commands.faults(command)
    ] + [f"{path}: `{command}` is broken over two lines" for command in broken_commands(text)]
