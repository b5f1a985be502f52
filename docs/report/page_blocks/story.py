"""The block `story`: what a rung gains by one model, beside what was measured.

Where all rungs multiply with FFMAs and each SM has the same number to do, the time is cycles per
FFMA, by the machine code of the loop, over the share of the launch in which an SM has work.
"""

from bench.rungs import rung_of
from docs.report.by_hand import by_hand
from docs.report.page_blocks.markdown import table
from docs.report.recorded import SIZE, NotRecordedError, profile, provenance, sms
from docs.report.recorded_orders import AS_WRITTEN, order
from docs.report.rung_figures import NOT_YET, busy_cycles_per_ffma, or_not_yet, timed


def filled(rung, size):
    """The share of a launch in which an SM has a tile to work on."""
    hand = by_hand(rung, size)
    if "waves" in hand:  # the rung splits the last one
        return 1 / hand["waves"]
    rows, cols = hand["tile"]
    tiles = -(-size // rows) * -(-size // cols)
    at_once = sms() * hand["blocks"]
    return tiles / (-(-tiles // at_once) * at_once)


def measured_cells(rung):
    """(cycles per FFMA while SMs have work, share of the FP32 peak) of a rung, as text."""
    cycles = or_not_yet(lambda: f"{busy_cycles_per_ffma(profile(rung, SIZE), SIZE):.3f}")
    share = or_not_yet(lambda: f"{100 * timed(rung, SIZE)['share_of_roof']:.0f} %")
    return cycles, share


def story_block(place, arguments):
    """`story`: a rung and the one below, predicted and measured."""
    rung = place.rung_or(arguments)
    below = rung_of(rung).builds_on
    cycles, share, rows = {}, {}, []
    for each in (below, rung):
        cycles[each], share[each] = order(each, AS_WRITTEN)[1].cycles, filled(each, SIZE)
        rows.append(
            (
                f"{each:02}",
                f"{cycles[each]:.3f}",
                f"{100 * share[each]:.1f} %",
                f"{100 * share[each] / cycles[each]:.0f} %",
                *measured_cells(each),
            )
        )
    predicted = cycles[below] / cycles[rung] * share[rung] / share[below]
    try:
        gained = f"{timed(below, SIZE)['time_ms'] / timed(rung, SIZE)['time_ms']:.2f}x"
    except NotRecordedError:
        gained = NOT_YET
    heads = (
        "rung",
        "cycles per FFMA, computed",
        "SMs with work, computed",
        "of the FP32 peak: at most",
        "cycles per FFMA, measured",
        "of the FP32 peak: measured",
    )
    return (
        f"{table(heads, rows)}\n\n**Predicted gain {predicted:.2f}x, measured {gained}**, at "
        f"{SIZE}. {provenance(f'profile_{SIZE}.json')}."
    )


BLOCKS = {"story": story_block}
