"""Sources of copies: a rung in one file, edited and in a namespace of its own, and their table."""

import re

from bench.benchmark.ablations import LAUNCH
from bench.record import rank_orders
from bench.record.cuda_tools import InputError
from bench.record.rank_orders import rung_folder

SOURCES = (".cu", ".cuh", ".hpp")


def edited(texts, entry):
    """{file: text} after the edits; an edit that does not match exactly once is an error."""
    texts = dict(texts)
    for file, text, replacement in entry.edits:
        found = texts[file].count(text)
        if found != 1:
            raise InputError(
                f"{entry.id}: ladder/{rung_folder(entry.rung).name}/{file} must hold this text "
                f"once, and holds it {found} times. If the rung has changed for good, change the "
                f"edit in bench/benchmark/ablations.py:\n{text}"
            )
        texts[file] = texts[file].replace(text, replacement)
    return texts


def with_one_configuration(launch, entry):
    """launch.cu with one row of the table of configurations."""
    rows = re.findall(r'\n    \{"[^}]*\},', launch)
    left = [row for row in rows if row.startswith(f'\n    {{"{entry.configuration}"')]
    if len(left) != 1:
        raise InputError(
            f"{entry.id}: launch.cu has {len(left)} configurations called '{entry.configuration}'"
        )
    for row in rows:
        if row not in left:
            launch = launch.replace(row, "")
    return launch


def source_of(entry):
    """One source with launch.cu and what it includes of the rung, in a namespace of its own."""
    folder = rung_folder(entry.rung)
    texts = {path.name: path.read_text() for path in folder.iterdir() if path.suffix in SOURCES}
    texts = edited(texts, entry)
    arguments = rank_orders.template_arguments(texts[LAUNCH], folder.name)
    if entry.configuration:
        texts[LAUNCH] = with_one_configuration(texts[LAUNCH], entry)
    own = re.compile(rf'#include "ladder/{folder.name}/(\w+\.(?:cuh|hpp))"\n')
    done = set()

    def inserted(match):
        if match[1] in done:
            return ""
        done.add(match[1])
        return own.sub(inserted, texts[match[1]].replace("#pragma once\n", ""))

    source = own.sub(inserted, texts[LAUNCH])
    name = folder.name[3:]
    source = source.replace(f"ladder::{name}", f"ladder::ablation_{entry.id}")
    source = source.replace(f" {name}::", f" ablation_{entry.id}::")
    return (
        f"// Written by bench/benchmark/ablate.py: {folder.name} without {entry.taken_away}.\n"
        f"{source}\n"
        "#ifdef __CUDACC__\n"
        '#include "bench/benchmark/ablation.hpp"\n\n'
        f"namespace ladder::ablation_{entry.id} {{\n"
        "bench::KernelResources resources() {\n"
        "  cudaFuncAttributes found = {};\n"
        f"  check(cudaFuncGetAttributes(&found, kernel<{arguments}>));\n"
        "  return {found.numRegs, static_cast<int>(found.localSizeBytes)};\n"
        "}\n"
        f"}}  // namespace ladder::ablation_{entry.id}\n"
        "#endif\n"
    )


def table_of(entries, function):
    """The source that lists copies behind `function`, for bench/benchmark/ablation.hpp."""
    declarations = "".join(
        f"namespace ladder::ablation_{entry.id} {{\n"
        "void run(const Gemm<float>&, Stream);\n"
        "bench::KernelResources resources();\n"
        "}\n"
        for entry in entries
    )
    gpu = function == "ablations"
    rows = "".join(
        f'    {{"{rung_folder(entry.rung).name}", "{entry.id}", "{entry.taken_away}",\n'
        f"     {str(entry.right).lower()}, ablation_{entry.id}::run,\n"
        f"     {f'ablation_{entry.id}::resources' if gpu else 'nullptr'}}},\n"
        for entry in entries
    )
    return (
        "// Written by bench/benchmark/ablate.py.\n#include <array>\n\n"
        f'#include "bench/benchmark/ablation.hpp"\n\n{declarations}\n'
        "namespace ladder::bench {\nnamespace {\n"
        f"const auto kAblations = std::to_array<Ablation>({{\n{rows}}});\n"
        "}  // namespace\n\n"
        f"std::span<const Ablation> {function}() {{\n  return kAblations;\n}}\n"
        "}  // namespace ladder::bench\n"
    )
