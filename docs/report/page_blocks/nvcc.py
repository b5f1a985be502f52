"""Blocks of the page about nvcc, from bench/results/nvcc/stages.json."""

import pathlib
import re

from bench import results_file
from bench.rungs import rung_of
from docs.report.page_blocks.markdown import code, fenced, table
from docs.report.recorded import MissingFileError

RECORD = pathlib.Path("bench/results/nvcc/stages.json")  # below the root of the sources
COMPILED = pathlib.Path("bench/results/nvcc/architectures.json")
SPACE = r"\s+"


def record_at(path):
    """A recorded file that lies elsewhere than those of the GPU, or MissingFileError."""
    if not path.exists():
        raise MissingFileError(f"{path} is not there")
    return results_file.read(path)


def stages():
    """What bench/record/nvcc_stages.py recorded."""
    return record_at(RECORD)


def provenance(data):
    """Which compilers made the figures."""
    context = data["context"]
    return f"nvcc {context['nvcc']}, {context['host_compiler']}."


def source(name, data):
    """A sample's source."""
    return fenced("cuda", f"// {name}\n{data['sources'][name]}")


def sample_block(*_):
    """The program that all stages work on."""
    return source("scale.cu", stages())


def stages_block(*_):
    """The steps of a plain compilation, in the order of the dry run."""
    data = stages()
    rows = []
    for number, step in enumerate(data["steps"], start=1):
        purpose = step["for"] + (f" ({code(step['arch'])})" if step["arch"] else "")
        rows.append(
            (
                number,
                code(step["tool"]),
                purpose,
                ", ".join(map(code, step["reads"])),
                ", ".join(map(code, step["writes"])),
            )
        )
    return table(("", "tool", "what for", "reads", "writes"), rows) + (
        f"\n\n`nvcc --dryrun --keep {data['context']['arch']} scale.cu -o scale`, "
        f"{provenance(data)}"
    )


def phases_block(*_):
    """The options that stop nvcc after a phase, each of them run."""
    data = stages()
    rows = []
    for row in data["phases"]:
        made = f"{row['bytes']:,} bytes" if row["bytes"] is not None else "nothing"
        if row["status"]:
            made += f"; the program ended with {row['status']}"
        rows.append(
            (
                row["phase"],
                code(" ".join(row["options"])),
                code(" ".join(row["inputs"])),
                code(row["product"]) if "." in row["product"] else row["product"],
                made,
            )
        )
    return table(("phase", "option", "from", "makes", "size"), rows) + (
        f"\n\nEach run with {code(data['context']['arch'])}; {provenance(data)}"
    )


def images_block(*_):
    """What each way to name an architecture compiles and packs."""
    data = stages()
    rows = []
    for row in data["architectures"]:
        images = row["images"] or [f"refused: {row['refused']}"]
        rows.append(
            (
                code(" ".join(row["options"])) or "none",
                ", ".join(map(code, row["compiles"])),
                "<br>".join(images),
            )
        )
    return table(("options", "the source is compiled for", "in the fat binary"), rows) + (
        f"\n\n{provenance(data)}"
    )


def features_block(*_):
    """The instruction of sm_90a, and how each option takes it."""
    data = stages()
    rows = [
        (code(" ".join(row["options"])), "compiles" if row["status"] == 0 else row["said"])
        for row in data["features"]
    ]
    return f"{source('hopper.cu', data)}\n\n" + table(("options", "nvcc"), rows)


def architectures_block(*_):
    """What nvcc made of the rungs that need an architecture of their own."""
    data = record_at(COMPILED)
    rows = []
    for row in data["benchmarks"]:
        spills = "none"
        if row["kernels_that_spill"]:
            which = f" in {row['kernels_that_spill']} of them" if row["kernels"] > 1 else ""
            spills = f"{row['spill_store_bytes']} bytes{which}"
        rows.append(
            (
                rung_of(row["rung"]).label,
                code(f"sm_{row['architecture']}"),
                row["kernels"],
                row["most_registers"],
                spills,
            )
        )
    return table(("rung", "compiled for", "kernels", "registers", "spilled"), rows) + (
        f"\n\n{data['context']['compiler']}. Spilled: stored by a thread that has too few "
        "registers."
    )


def separate_block(*_):
    """Two files that share a device function."""
    data = stages()
    rows = [
        (
            number,
            code(re.sub(r" -L.*-lpthread", " -lcudart_static ...", row["command"])),
            "works" if row["status"] == 0 else code(re.sub(SPACE, " ", row["said"])),
        )
        for number, row in enumerate(data["separate"], start=1)
    ]
    return f"{source('twice.cu', data)}\n\n{source('main.cu', data)}\n\n" + table(
        ("", "command", "outcome"), rows
    )


def hosts_block(*_):
    """Which host compiler nvcc starts."""
    rows = [
        (
            code(row["how"]) or "neither",
            code(row["compiles"] or ""),
            code(row["links"] or ""),
            code(row["said"]),
        )
        for row in stages()["hosts"]
    ]
    return table(("option or variable", "compiles with", "links with", "or says"), rows) + (
        f"\n\n{provenance(stages())}"
    )


def macros_block(*_):
    """Which macros are defined when."""
    rows = []
    found = stages()["macros"]
    for name in found[0]["macros"]:
        rows.append((code(name), *(row["macros"][name] or "not defined" for row in found)))
    heads = [code("nvcc -E " + " ".join(row["arguments"])) for row in found]
    return table(("macro", *heads), rows)


def suffixes_block(*_):
    """What nvcc does with a file, by its suffix."""
    groups = {}
    for row in stages()["suffixes"]:
        if row["refused"] and "Don't know" in row["refused"]:
            what = "refused: nvcc does not know the suffix"
        elif row["refused"]:
            wanted = re.sub(r" \(-\w+\)", "", row["refused"].partition(" with ")[2])
            what = "refused for a program; taken with " + ", ".join(
                dict.fromkeys(map(code, re.findall(r"--[\w-]+", wanted)))
            )
        elif "cicc" in row["tools"]:
            what = "split: device code to `cicc`, the rest to the host compiler"
        elif row["tools"][0] == "gcc":
            what = "given to the host compiler"
        else:
            what = "given to the linkers, `nvlink` and the host's"
        groups.setdefault(what, []).append(f"`.{row['suffix']}`")
    return table(
        ("suffix", "nvcc, asked for a program"),
        [(" ".join(names), what) for what, names in groups.items()],
    )


def registers_block(*_):
    """ptxas's report, and how it reads for kernels that lack registers."""
    data = stages()
    rows = [
        (
            code(re.search(r"[a-z]{4,}", row["kernel"])[0].removesuffix("if")),
            row["registers"],
            row["stack"],
            row["spill_stores"],
            row["spill_loads"],
        )
        for row in data["registers"]["kernels"]
    ]
    return "\n\n".join(
        [
            fenced("text", "\n".join(data["registers"]["text"])),
            source("scratch.cu", data),
            table(
                (
                    "kernel",
                    "registers",
                    "stack, bytes",
                    "spill stores, bytes",
                    "spill loads, bytes",
                ),
                rows,
            ),
            f"{code('nvcc -Xptxas -v ' + data['context']['arch'])}, {provenance(data)}",
        ]
    )


def debug_block(*_):
    """What options for debugging do to the code."""
    rows = [
        (
            code(" ".join(row["options"])) or "neither",
            row["loc_lines"],
            row["code_bytes"],
            " ".join(map(code, row["debug_sections"])),
        )
        for row in stages()["debug"]
    ]
    return table(
        ("option", "`.loc` lines in the PTX", "bytes of machine code", "sections about the source"),
        rows,
    )


def ptx_block(*_):
    """The sample as PTX."""
    return fenced("text", "\n".join(stages()["inside"]["ptx"]))


def inside_block(*_):
    """Where the machine code lies in the object, and what could not be looked at."""
    inside = stages()["inside"]
    rows = [(code("scale.o"), code(name), size) for name, size in inside["scale.o"].items()]
    rows += [
        (code("scale.cubin"), code(name), size)
        for name, size in inside["scale.cubin"].items()
        if name.startswith((".text", ".nv.constant", ".nv.info."))
    ]
    text = table(("file", "section", "bytes"), rows)
    if inside["sass"]:
        text += "\n\n".join(
            [
                "",
                "`cuobjdump -lelf -lptx scale.o`:",
                fenced("text", "\n".join(inside["images"])),
                "`cuobjdump -sass scale.cubin`, without the NOPs at the end:",
                fenced("text", "\n".join(inside["sass"])),
            ]
        )
    elif inside["left_out"]:
        missing = " and ".join(map(code, inside["left_out"]))
        text += f"\n\nThe machine that recorded this had no {missing}: the listing is left out."
    return text


BLOCKS = {
    "stages": stages_block,
    "nvcc_sample": sample_block,
    "nvcc_phases": phases_block,
    "nvcc_images": images_block,
    "nvcc_architectures": architectures_block,
    "nvcc_features": features_block,
    "nvcc_separate": separate_block,
    "nvcc_hosts": hosts_block,
    "nvcc_macros": macros_block,
    "nvcc_suffixes": suffixes_block,
    "nvcc_registers": registers_block,
    "nvcc_debug": debug_block,
    "nvcc_ptx": ptx_block,
    "nvcc_inside": inside_block,
}
