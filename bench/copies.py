"""Edited copies of rungs: mutants of the tests, ablations, orders of multiply-adds.

A copy is a rung's launch.cu with the rung's own headers in it, and those that it shares with others
(SHARED), in a namespace of its own, and with some of its text replaced. Every edit must match
exactly once, wherever in the rung's files its text stands, so that none is lost when the rung
changes. main() is what bench/copies.cmake runs.
"""

import argparse
import dataclasses
import pathlib
import re
import sys

from bench import SOURCES
from bench.record.cuda_tools import InputError

LADDER = SOURCES / "ladder"
LAUNCH, KERNEL = "launch.cu", "kernel.cuh"
HEADERS = (".cuh", ".hpp")
SHARED = (SOURCES / "common" / "stream_k_schedule.cuh",)  # a part of several rungs
ROW = re.compile(r'\n    \w+<[^>]*>\("([^"]*)".*\),')  # of a table of configurations


@dataclasses.dataclass(frozen=True)
class Copy:
    """A copy of a rung."""

    name: str  # of its namespace below ladder, and of its file
    rung: str  # "03_shared_tile"
    edits: tuple = ()  # (text that the rung's files hold once, what takes its place)
    configuration: str = ""  # of a rung that chooses, the only one that is left
    table: str = ""  # the file that holds its edits
    preamble: str = ""  # stands in front


def rung_name(number):
    """'03_shared_tile' of 3."""
    folders = list(LADDER.glob(f"{number:02}_*"))
    if not folders:
        raise InputError(f"there is no rung {number:02} in {LADDER}")
    return folders[0].name


def namespace_of(rung):
    """'shared_tile' of '03_shared_tile'."""
    return rung[3:]


def paths(rung):
    """launch.cu of a rung, its headers, and those of SHARED that they include."""
    folder = LADDER / rung
    headers = sorted(path for path in folder.iterdir() if path.suffix in HEADERS)
    own = [folder / LAUNCH, *headers]
    text = "".join(path.read_text() for path in own if path.exists())
    return [*own, *(path for path in SHARED if include_of(path) in text)]


def include_of(shared):
    """The line that includes a header of SHARED."""
    return f'#include "{shared.relative_to(SOURCES)}"\n'


def texts(rung):
    """{file: text} of a rung's files; what it shares with others as if it were its own."""
    files = {path.name: path.read_text() for path in paths(rung)}
    for path in SHARED:
        if path.name in files:
            own = {include_of(path): f'#include "ladder/{rung}/{path.name}"\n'}
            own["namespace ladder {"] = f"namespace ladder::{namespace_of(rung)} {{"
            for text, replacement in own.items():
                files = {name: of.replace(text, replacement) for name, of in files.items()}
    return files


def configurations(rung):
    """Names in the table of a rung that chooses, in its order."""
    return [name for text in texts(rung).values() for name in ROW.findall(text)]


def edited(files, copy):
    """{file: text} after the edits."""
    files = dict(files)
    for text, replacement in copy.edits:
        found = {file: of.count(text) for file, of in files.items() if text in of}
        if sum(found.values()) != 1:
            places = ", ".join(f"{file}: {count}" for file, count in found.items())
            raise InputError(
                f"{copy.name}: the files of ladder/{copy.rung} must hold this text once, and hold "
                f"it {sum(found.values())} times{f' ({places})' if found else ''}. If the rung has "
                f"changed for good, change the edit{f' in {copy.table}' if copy.table else ''}:\n"
                f"{text}"
            )
        [file] = found
        files[file] = files[file].replace(text, replacement)
    return files


def with_one_configuration(files, copy):
    """{file: text} with one row of the table of configurations."""
    rows = [name for text in files.values() for name in ROW.findall(text)]
    if rows.count(copy.configuration) != 1:
        raise InputError(
            f"{copy.name}: ladder/{copy.rung} has {rows.count(copy.configuration)} configurations "
            f"called '{copy.configuration}', and one is needed. Its table has: {', '.join(rows)}"
        )

    def left(row):
        return row[0] if row[1] == copy.configuration else ""

    return {file: ROW.sub(left, text) for file, text in files.items()}


def joined(files, rung, first=LAUNCH):
    """One text of `first` and what it includes of its rung, each once and at its first place."""
    own = re.compile(rf'#include "ladder/{rung}/(\w+\.(?:cuh|hpp))"\n')
    done = set()

    def inserted(include):
        if include[1] in done:
            return ""
        done.add(include[1])
        return own.sub(inserted, files[include[1]].replace("#pragma once\n", ""))

    return own.sub(inserted, files[first])


def source_of(copy):
    """A copy as one source that nvcc compiles, and g++ for the emulator."""
    files = edited(texts(copy.rung), copy)
    if copy.configuration:
        files = with_one_configuration(files, copy)
    source = joined(files, copy.rung)
    namespace = namespace_of(copy.rung)
    source = source.replace(f"ladder::{namespace}", f"ladder::{copy.name}")
    return copy.preamble + source.replace(f" {namespace}::", f" {copy.name}::")


def copy_as_it_runs(rung, edits=()):
    """A copy under the rung's own name, of its first configuration if it chooses: one kernel."""
    first = next(iter(configurations(rung)), "")
    return Copy(namespace_of(rung), rung, edits, first)


def kernel_of(rung):
    """The text of kernel.cuh and of what it includes of its rung."""
    if not (LADDER / rung / KERNEL).exists():
        raise InputError(f"ladder/{rung} has no {KERNEL}: try 08 to 14")
    return joined(texts(rung), rung, KERNEL)


def with_template(rung, arguments):
    """Edits that give the kernel other template arguments than launch.cu does."""
    launches = re.findall(r"launch\(kernel<[^>]*>", texts(rung)[LAUNCH])
    return tuple((launch, f"launch(kernel<{arguments}>") for launch in launches)


def element_of(rung):
    """'bfloat16' or 'float': what the matrices hold that its run() takes."""
    return re.search(r"void run\(const Gemm<(\w+)>", texts(rung)[LAUNCH])[1]


def table_of(function, header, row, rows, declared=""):
    """The C++ source of a function in `header` that returns a span of `row`.

    rows: [(copy, its fields)]; declared: what each copy has beside run().
    """
    copies = "".join(
        f"namespace ladder::{copy.name} {{\n"
        f"void run(const Gemm<{element_of(copy.rung)}>&, Stream);\n{declared}}}\n"
        for copy, _ in rows
    )
    fields = "".join(f"    {{{text}}},\n" for _, text in rows)
    namespace, name = function.rsplit("::", 1)
    return (
        f'#include <array>\n\n#include "{header}"\n\n{copies}namespace {namespace} {{\n'
        f"namespace {{\nconst auto kRows = std::to_array<{row}>({{\n{fields}}});\n}}\n"
        f"std::span<const {row}> {name}() {{ return kRows; }}\n}}\n"
    )


def write(path, text):
    """Writes a file that differs: what was compiled from the same text stays."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def own_modules():
    """Paths of the modules of this project that are loaded."""
    files = (getattr(module, "__file__", None) for module in sys.modules.values())
    return {pathlib.Path(file) for file in files if file and file.startswith(f"{SOURCES}/")}


def text_to_compile(copy):
    """Its source, or what stops the compiler and says why there is none."""
    try:
        return source_of(copy)
    except InputError as error:
        return "#error " + str(error).replace("\n", "\\n") + "\n"


def write_all(lists, tables, options):
    """Writes all copies and tables that differ, and a depfile of what they are made of."""
    made = {copy.name: copy for copies in lists.values() for copy in copies}
    for copy in made.values():
        write(options.folder / f"{copy.name}{options.suffix}", text_to_compile(copy))
    for name, text in tables.items():
        write(options.folder / name, text)
    read = own_modules().union(*(paths(copy.rung) for copy in made.values()))
    target, *names = (str(path).replace(" ", "\\ ") for path in (options.target, *sorted(read)))
    (options.folder / "written.d").write_text(f"{target}: {' '.join(names)}\n")


def main(lists, tables, listed_by=()):
    """Does what bench/copies.cmake asks of a module with copies.

    lists: {name: copies that are compiled together}; tables: {file name: text} of the sources that
    list them; listed_by: rungs whose configurations decide which copies there are.
    """
    parser = argparse.ArgumentParser(description="Edited copies of rungs.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the names of all copies, list by list")
    writer = commands.add_parser("write", help="write all that are out of date")
    writer.add_argument("folder", type=pathlib.Path)
    writer.add_argument("suffix", help=".cu or .cpp")
    writer.add_argument("target", help="what the depfile calls the files")
    options = parser.parse_args()
    if options.command == "list":
        for name, copies in lists.items():
            print(name, *(copy.name for copy in copies))
        read = own_modules().union(*map(paths, listed_by))
        print("listed_by", *(path.relative_to(SOURCES) for path in sorted(read)))
    else:
        write_all(lists, tables, options)
