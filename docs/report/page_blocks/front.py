"""Blocks of the site's first page: all shapes, and a race that the emulator found."""

import re
import textwrap

from bench import results_file
from bench.rungs import own_rungs, rung_of, rung_table
from docs.report import plot_shapes
from docs.report.page_blocks.debugging import GALLERY, emulated
from docs.report.page_blocks.markdown import fenced, table
from docs.report.recorded import RESULTS, FigureError

COLUMNS = 76  # of a report


def all_shapes_block(place, _arguments):
    """The picture of docs/report/plot_shapes.py."""
    return f"![{plot_shapes.shapes_words()}]({place.link('docs/figures/all_shapes.svg')})"


def numbered(path, first, lines):
    """Lines under one that says where they are; the site numbers them."""
    return fenced("cuda", "\n".join([f"// {path}, line {first}", *lines]))


def loop_of(name):
    """(file, number of the first line, lines) of the loop of a kernel of the gallery."""
    for path in sorted(GALLERY.glob("*.cu")):
        text = path.read_text()
        kernel = re.search(rf"^__global__ void {name}\(.*?^}}$", text, re.M | re.S)
        if not kernel:
            continue
        loop = re.search(r"^  for .*?^  }$", kernel[0], re.M | re.S)
        if not loop:
            raise FigureError(f"{name} of {path} has no loop")
        first = text[: kernel.start() + loop.start()].count("\n") + 1
        return path, first, textwrap.dedent(loop[0]).splitlines()
    raise FigureError(f"{GALLERY} has no kernel {name}")


def race_block(_place, name):
    """The loop of a faulty kernel, and the emulator's first sentence on it."""
    path, first, lines = loop_of(name)
    lines = [line.partition("  //")[0] for line in lines]  # the gallery tells where its fault is
    said = textwrap.fill(emulated(name)[0], COLUMNS, subsequent_indent="  ")
    return f"{numbered(path, first, lines)}\n\n{fenced('text', said)}"


def recorded_on():
    """{rung: [compute capabilities, 90 for 9.0]} of the GPUs that a climb was recorded on."""
    found = {}
    for path in sorted(RESULTS.parent.glob("*/climb_*.json")):
        climb = results_file.read(path)
        version = climb["context"].get("compute_capability")
        for entry in climb["benchmarks"]:
            if version and entry["tflops"] is not None and rung_table().get(entry["rung"]):
                found.setdefault(entry["rung"], set()).add(round(10 * float(version)))
    return found


def spans(numbers):
    """'01 to 08, 10' of sorted numbers of rungs."""
    words = []
    for number in numbers:
        if words and words[-1][-1] == number - 1:
            words[-1].append(number)
        else:
            words.append([number])
    return ", ".join(
        f"{run[0]:02} to {run[-1]:02}" if len(run) > 2 else ", ".join(f"{n:02}" for n in run)
        for run in words
    )


def versions(numbers):
    """'9.0, 10.0 and 10.3' of compute capabilities."""
    words = [f"{number / 10:.1f}" for number in sorted(numbers)]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def gpus_block(place, _arguments):
    """Which GPUs the recorded rungs run on, and on which of those nobody has run them yet."""
    groups = {}
    seen = recorded_on()
    for number in sorted(seen.keys() & own_rungs().keys()):
        groups.setdefault(rung_of(number).needs, []).append(number)
    rows = [
        (spans(numbers), needs, f"on {versions(set.union(*(seen[n] for n in numbers)))}")
        for needs, numbers in groups.items()
    ]
    text = table(("rungs", "need a GPU of", "recorded"), rows)
    for numbers in groups.values():
        compiled = {
            int(name.rstrip("a"))
            for number in numbers
            for name in rung_of(number).architectures
            if name.endswith("a")
        }
        if missing := compiled - set.union(*(seen[number] for number in numbers)):
            link = place.link("docs/start/with_a_gpu.md") + "#6-send-us-your-result"
            text += (
                f"\n\nRungs {spans(numbers)} are compiled for {versions(missing)}, too, but "
                f"have not run there yet. If you have such a GPU, [send us a result]({link})."
            )
    return text


BLOCKS = {"all_shapes": all_shapes_block, "race": race_block, "gpus": gpus_block}
