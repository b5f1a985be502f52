"""Blocks about FP32 products from parts of lower precision: rung 23 beside cuBLAS on a GPU, on
inputs that are hard to split, and long sums of the emulator's tensor cores."""

import math
import re

from bench import SOURCES, results_file
from docs.report.page_blocks.markdown import code, table
from docs.report.recorded import GPUS, FigureError, NotRecordedError, described

RESULTS = SOURCES / "bench" / "results"
FILE = "split_precision.json"
SUMS = RESULTS / "emulator" / "splitting.json"
RUNG, SGEMM = "split_precision", "cublas"
BESIDE = {RUNG: "rung 23", "cublas_tf32": "TF32", "cublas_bf16x9": "BF16x9"}
WAYS = {  # of adding up a long sum
    "fp32": "FP32",
    "large_first": "one sum, large first",
    "small_first": "one sum, small first",
    "chunk_512": "chunks of 512",
    "parts": "parts alone",
}
CHUNKS = (128, 256, 512, 1024, 2048, 4096)
UNIT = 2.0**-24
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def recording():
    """The results of the first GPU that has them."""
    for gpu in GPUS:
        path = RESULTS / gpu / FILE
        if path.exists():
            return results_file.read(path)
    raise NotRecordedError(f"no GPU has {FILE}")


def by_size(data):
    """{size: {name: entry}}, lowest size first."""
    found = {}
    for entry in data["benchmarks"]:
        found.setdefault(entry["size"], {})[entry["name"]] = entry
    return dict(sorted(found.items()))


def cell(value, form):
    """A figure; nothing where there is none."""
    return "" if value is None else format(value, form)


def over_sgemm(entries, name):
    """How many times as fast as SGEMM a product is, as text."""
    return cell(entries[name]["over_sgemm"], ".2f") if name in entries else ""


def relative_error(entries, name):
    """In u, as text."""
    error = entries[name]["relative_error"] if name in entries else None
    return cell(error and error / UNIT, ".0f")


def emulated_words(data):
    """What became of cuBLAS's own emulation."""
    if data["emulated_sgemm_refused"]:
        return f"cuBLAS has no BF16x9 here: {data['emulated_sgemm_refused']}."
    fields = ("relative_error", "error_over_bound")
    same = all(
        all(entries["cublas_bf16x9"][field] == entries[SGEMM][field] for field in fields)
        for entries in by_size(data).values()
    )
    if not same:
        return "BF16x9 is cuBLAS's own FP32 from nine products of BF16 parts."
    return (
        "BF16x9 is cuBLAS's own FP32 from nine products of BF16 parts. cuBLAS accepted the "
        "request, but its errors are those of its SGEMM to the last digit: on this GPU it "
        "multiplied in FP32 all the same."
    )


def split_times_block(*_):
    """`split_times`: speed over SGEMM, and errors against FP64."""
    data = recording()
    rows = [
        (
            size,
            cell(entries[SGEMM]["tflops"], ".1f"),
            *(over_sgemm(entries, name) for name in BESIDE),
            *(relative_error(entries, name) for name in (SGEMM, *BESIDE)),
        )
        for size, entries in by_size(data).items()
    ]
    titles = BESIDE.values()
    heads = (
        "M = N = K",
        "SGEMM, TFLOP/s",
        *(f"{title} / SGEMM" for title in titles),
        *(f"error, {title}" for title in ("SGEMM", *titles)),
    )
    return table(heads, rows) + (
        "\n\nSpeeds, splitting included; errors against FP64 of the first 128 rows of C, in "
        "u = 2⁻²⁴: "
        f"the root of the sum of squares, over that of the exact product. {emulated_words(data)} "
        f"{described(data['context'], data['context']['protocol'] + ' protocol')}."
    )


def split_hard_block(*_):
    """`split_hard`: inputs that are hard to split, what the rung takes, and its errors."""
    data = recording()
    rows = [
        (
            code(entry["name"]),
            re.sub(r"\^(-?\d+)", lambda power: power[1].translate(RAISED), entry["about"]),
            entry["took"].split(" parts")[0],
            cell(entry["error"], ".2g"),
            cell(entry["error_of_sgemm"], ".2g"),
            cell(entry["error_over_bound"] and 100 * entry["error_over_bound"], ".2g") + " %",
        )
        for entry in data["hard_inputs"]
    ]
    closer = sum(
        None not in (entry["error"], entry["error_of_sgemm"])
        and entry["error"] < entry["error_of_sgemm"]
        for entry in data["hard_inputs"]
    )
    heads = ("input", "numbers", "parts", "error, in u", "of SGEMM", "of the bound")
    return table(heads, rows) + (
        "\n\nThe largest error of any element, in units of u times its sum of magnitudes. "
        f"Rung 23 is closer than SGEMM on {closer} of {len(rows)}. "
        f"{described(data['context'], '')}."
    )


def experiments(positive):
    """The recorded long sums with one kind of numbers, shortest first."""
    found = results_file.read(SUMS)["benchmarks"]
    return [entry for entry in found if entry["positive"] == positive]


def error_of(entry, way):
    """In u*S of numbers with mean 0; in u*sum |a*b| of positive ones, where that is the measure."""
    return entry["error"][way] / (entry["sum_over_scale"] if entry["positive"] else 1)


def split_sums_block(_, arguments):
    """`split_sums normal`, `split_sums positive`: errors over K, way by way."""
    if arguments not in ("normal", "positive"):
        raise FigureError("the block needs 'normal' or 'positive'")
    entries = experiments(arguments == "positive")
    rows = [(entry["k"], *(digits(error_of(entry, way)) for way in WAYS)) for entry in entries]
    unit = "u\\*sum" if arguments == "positive" else "u\\*S"
    return table(("K", *WAYS.values()), rows) + (
        f"\n\nRoot mean square of the error of {entries[0]['sums']} sums, in {unit}. "
        "`build/split_precision --sums`, on the emulator's tensor cores."
    )


def split_chunks_block(*_):
    """`split_chunks`: errors of the longest sums over the length of a chunk."""
    longest = [experiments(positive)[-1] for positive in (False, True)]
    rows = [
        (chunk, *(digits(error_of(entry, f"chunk_{chunk}")) for entry in longest))
        for chunk in CHUNKS
    ]
    rows.append(("SGEMM's chain", *(digits(error_of(entry, "fp32")) for entry in longest)))
    k = longest[0]["k"]
    return table(("chunk", "normal numbers, in u\\*S", "positive numbers, in u\\*sum"), rows) + (
        f"\n\nK = {k}."
    )


def digits(value):
    """Two of them, and all in front of the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.{1 - math.floor(math.log10(value))}f}"


BLOCKS = {
    "split_times": split_times_block,
    "split_hard": split_hard_block,
    "split_sums": split_sums_block,
    "split_chunks": split_chunks_block,
}
