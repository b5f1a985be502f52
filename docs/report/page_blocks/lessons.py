"""Blocks of a lesson from the rung table, the sources and the recordings: card, peaks, predict."""

import pathlib
import re

from bench import results_file
from bench.record import ncu_profile
from bench.rungs import rung_of
from docs.report.recorded import (
    RESULTS,
    FigureError,
    NotRecordedError,
    card_name,
    fp32_peak_tflops,
    provenance,
    roofs,
)
from docs.report.rung_figures import NOT_YET

QUESTIONS = pathlib.Path("ladder/questions.json")  # below the root of the sources
SIZES = (4096, 2048, 1024, 8192)  # of profiles, the preferred first
HIT = "lts__t_sectors_srcunit_tex_lookup_hit.sum"
MISS = "lts__t_sectors_srcunit_tex_lookup_miss.sum"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


def trace(rung, size):
    """What the emulator counted for a rung: its entry in the recorded traces."""
    entries = results_file.read(RESULTS.parent / "emulator" / "traces.json")["benchmarks"]
    for entry in entries:
        if (entry["rung"], entry["m"]) == (rung, size):
            return entry
    raise NotRecordedError(f"the emulator's traces have no rung {rung} at {size}")


def resources(rung):
    """[(label, text)] of what a block takes of an SM; where a rung chooses, at its first shape."""
    kernel = rung.main_kernel
    shape = rung.launches[0]["shape"]
    at = f" (at M = N = K = {shape[0]})" if len(rung.configurations) > 1 else ""
    regs = held = NOT_YET
    if kernel["registers"] is not None:
        regs = f"{kernel['registers']} (Nsight Compute, at {kernel['registers_at']})"
        if "setmaxnreg_inc<" in (rung.path / "kernel.cuh").read_text():
            regs += " at launch; later the producer warps give some to the consumer warps"
        held = f"{kernel['blocks_per_sm']}, limited by {kernel['limits']}"
    shared = rung.shared_bytes
    return [
        ("Threads per block", f"{kernel['threads']}"),
        ("Registers per thread", regs),
        ("Shared memory per block", f"{shared / 1024:.4g} KiB{at}" if shared else "none"),
        (f"Blocks on an SM of an {card_name()}", held),
    ]


def card_block(place, arguments):
    """`card`: a rung's facts in a table."""
    rung = rung_of(place.rung_or(arguments))
    base = rung_of(rung.builds_on) if rung.builds_on is not None else None
    rows = [
        ("Idea", rung.idea),
        ("Builds on", f"[{base.label}]({place.link(base.path / 'README.md')})" if base else "-"),
        ("Needs", f"a GPU of {rung.needs}; or no GPU, on the emulator"),
        ("Takes", rung.takes),
    ]
    if rung.tile:
        rows.append(("Block tile", f"{rung.tile[0]} x {rung.tile[1]} of C"))
        rows += resources(rung)
    lines = [f"| Rung | {rung.label} |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {text} |" for name, text in rows)])


def stalls(counters):
    """[(stall reason, warps per issued instruction)], the highest first."""
    found = {stall: counters.get(STALL.format(stall), 0.0) for stall in ncu_profile.STALLS}
    return sorted(found.items(), key=lambda entry: -entry[1])


def peaks_block(_place, _arguments):
    """`peaks`: what an H200 has to give, and what small programs got of it."""
    peak = fp32_peak_tflops()
    measured = roofs()
    return "\n".join(
        [
            "| NVIDIA H200 | |",
            "|---|---:|",
            f"| FP32 peak, lanes times clock | {peak:.1f} TFLOP/s |",
            f"| reached by multiply-adds alone | {measured['ffma']:.1f} TFLOP/s |",
            "| reached by one order of multiply-adds, operands from shared memory | "
            f"{measured['fed_ffma']:.1f} TFLOP/s |",
            f"| reached by reading from L2 | {measured['l2_read']:.0f} GB/s |",
            f"| reached by copying in DRAM, both ways | {measured['dram_copy']:.0f} GB/s |",
            "",
            f"{provenance('roofs.json')}.",
        ]
    )


def plain(text):
    """A text whose asterisks are asterisks in Markdown, too."""
    return text.replace("*", r"\*")


def predict_block(place, arguments):
    """`predict`: the questions of a rung, without their answers."""
    number = place.rung_or(arguments)
    asked = results_file.read(QUESTIONS).get(f"{rung_of(number).number:02}")
    if not asked:
        raise FigureError(f"{QUESTIONS} asks nothing of rung {number:02}")
    lines = []
    for i, question in enumerate(asked, 1):
        text, unit = question["question"], question["unit"]
        among = question.get("fullest", {}).get("among", [])
        if among:
            said = ", ".join(f"{n} {resource['name']}" for n, resource in enumerate(among, 1))
            lines.append(f"{i}. {plain(text)} {said}.")
            continue
        said = re.search(rf"\b{re.escape(unit)}\b", text)
        lines.append(f"{i}. {plain(text)}{'' if said else f' (In {unit}.)'}")
    return "\n".join(
        [*lines, "", "Keep your answers before you read on:", "", "```sh"]
        + [f"make predict RUNG={number:02}", "```"]
    )


BLOCKS = {"card": card_block, "peaks": peaks_block, "predict": predict_block}
