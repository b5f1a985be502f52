"""The four lines of maths that every lesson has: for its page, or for a size of your choice.

    python3 -m docs.report.maths 03 --size 2048      also as make maths RUNG=03 SIZE=2048

The page of a rung holds what this prints for M = N = K = 4096.
"""

import argparse
import os
import sys
import textwrap

from bench import SOURCES, program
from bench.rungs import rung_of
from docs.report.by_hand import by_hand
from docs.report.recorded import (
    SIZE,
    FigureError,
    card_name,
    gaps,
    of_rung,
    profile,
    protocol_for,
    sms,
)
from docs.report.rung_figures import (
    CLOCK_HZ,
    NOT_YET,
    bounds,
    milliseconds,
    or_not_yet,
    predicted,
    timed,
)

COLUMNS = 80  # of a terminal


def time_ms(rung, size):
    """The measured time."""
    return timed(rung, size, protocol_for((size,) * 3))["time_ms"]


def outcome(rung, size):
    """What the slowest resource predicts, and what was measured."""
    limit, expected = predicted(rung, size)
    measured = time_ms(rung, size)
    return (
        f"The slowest, {limit}, predicts **{milliseconds(expected)}**; "
        f"measured **{milliseconds(measured)}** "
        f"({100 * (measured / expected - 1):+.0f} %)."
    )


def incomplete(rung, size):
    """What takes the place of the outcome until all of it is recorded."""
    missing = []
    for name, figure in (("Issue slots", predicted), ("time", time_ms)):
        try:
            figure(rung, size)
        except gaps(size):
            missing.append(name)
    words = " and ".join(missing)
    verb = "is" if missing == ["time"] else "are"
    return f"{words[0].upper()}{words[1:]} {verb} {NOT_YET}."


def digits(figure, places):
    """A figure with so many decimals; one that is smaller than these, with two digits."""
    return f"{figure:.{places}f}" if figure >= 10**-places else f"{figure:.2g}"


def resources(rung, size):
    """What each resource takes."""
    return ", ".join(f"{name} {milliseconds(ms)}" for name, ms in bounds(rung, size))


def maths_block(rung, size=SIZE):
    """The four lines for a rung at M = N = K = size."""
    if rung_of(rung).tile is None:
        raise FigureError(f"rung {rung:02} is a library: its traffic is not ours")
    warp_fmas = size**3 / 32
    hand = by_hand(rung, size)
    rows, cols = hand["tile"]
    element = rung_of(rung).element_bytes
    loaded_bytes = hand.get("loaded_bytes", element)
    loaded = loaded_bytes * size**3 * (1 / rows + 1 / cols)
    intensity = 2 * size**3 / loaded
    try:
        passed = profile(rung, size)["l1tex__data_pipe_lsu_wavefronts.sum"]
        counted = f"Nsight Compute counts {passed / warp_fmas:.3g}"
    except gaps(size):
        counted = f"Nsight Compute's count is {NOT_YET}"
    try:
        result = outcome(rung, size)
    except gaps(size):
        result = incomplete(rung, size)
    return "\n".join(
        [
            f"At M = N = K = {size}, for the {card_name()}'s {sms()} SMs at "
            f"{CLOCK_HZ / 1e6:.0f} MHz:",
            "",
            f"1. Work: 2MNK = {digits(2 * size**3 * 1e-9, 1)} GFLOP, or "
            f"{digits(warp_fmas * 1e-6, 0)} million "
            "multiply-adds of whole warps.",
            f"2. Traffic: {hand['wavefronts']:.3g} wavefronts of the L1 and shared-memory pipe per "
            f"multiply-add of a warp ({hand['how']}); {counted}. Blocks "
            f"load {loaded_bytes}MNK(1/{rows} + 1/{cols}) = {digits(loaded * 1e-9, 2)} GB, "
            f"and C takes {digits(element * size**2 * 1e-9, 2)} GB.{hand.get('more', '')}",
            f"3. Intensity: a {rows} x {cols} {hand.get('owner', 'block')} loads {rows + cols} "
            f"{'floats' if loaded_bytes == 4 else 'elements'} per k for "
            f"{2 * rows * cols} FLOP: {intensity:.3g} FLOP per byte.",
            f"4. Bound: {or_not_yet(resources, rung, size)}. {result}",
        ]
    )


def not_recorded(rung, size):
    """[what the lines for this size lack, and why]"""
    missing = []
    for what, call in (
        (
            "line 2 lacks ncu's count of wavefronts, line 4 the issue slots and the prediction",
            lambda: profile(rung, size),
        ),
        ("line 4 lacks the measured time", lambda: time_ms(rung, size)),
    ):
        try:
            call()
        except gaps(size) as error:
            missing.append(f"{what}: {error}")
    return missing


def main():
    """Prints the lines; fails where one is incomplete."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rung", type=int, help="01 to the last")
    parser.add_argument("--size", type=int, default=SIZE, help=f"M = N = K, {SIZE} if not given")
    options = parser.parse_args()
    os.chdir(SOURCES)
    if options.size < 1:
        raise FigureError(f"M = N = K = {options.size} is no size")
    with of_rung(options.rung):  # figures of the GPU that has timed it, as on the lesson's page
        text = maths_block(options.rung, options.size).replace("**", "")
        missing = not_recorded(options.rung, options.size)
    for line in text.splitlines():
        indent = "   " if line[:1].isdigit() else ""
        print(textwrap.fill(line, COLUMNS, subsequent_indent=indent, break_on_hyphens=False))
    if len(rung_of(options.rung).configurations) > 1:
        print(
            f"\nRung {options.rung} picks a configuration by shape. What it could take:\n"
            f"  build/ladder run {options.rung} --size {options.size} --explain"
        )
    for line in missing:
        print(f"maths.py: {line}", file=sys.stderr)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    program.run(main)
