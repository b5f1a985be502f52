"""How many warps an SM holds by registers per thread, and how fast the rungs are there."""

from bench.rungs import own_rungs
from docs.figures.shapes import Picture, card
from docs.report.page_blocks.sass import loops
from docs.report.recorded import climb

SIZE = 2048
LANES, SCHEDULERS = 32, 4
UNIT = 256  # registers are given to a warp in units of 256
MOST = 255  # registers of a thread
LIFTS = (-8, 170, 110, 60, 60)  # pixels from a dot to its label, in turn
APART = 10  # registers: rungs closer to each other share a label


def warps(registers, of_card):
    """Warps on an SM that registers and places leave room for."""
    of_warp = -(-registers * LANES // UNIT) * UNIT
    places = of_card["max_warps_per_sm"] // SCHEDULERS
    return SCHEDULERS * min(places, of_card["registers_per_sm"] // SCHEDULERS // of_warp)


def rungs():
    """[(number, registers, TFLOP/s)] of the rungs that the chapter's table compares."""
    compiled, _ = loops()
    timed = climb(SIZE, "graph")
    return [
        (number, compiled[f"{number:02}"]["registers"], timed[number]["tflops"])
        for number, rung in own_rungs().items()
        if rung.shared_bytes and not rung.configurations
        if number in timed and not rung.tensor_cores
    ]


def groups(of_card):
    """[[rungs]] whose dots are side by side, by registers."""
    found = []
    for rung in sorted(rungs(), key=lambda entry: entry[1]):
        last = found[-1][-1] if found else None
        near = last and rung[1] - last[1] < APART
        if near and warps(rung[1], of_card) == warps(last[1], of_card):
            found[-1].append(rung)
        else:
            found.append([rung])
    return found


def label(group):
    """(names of the rungs, their speeds)"""
    group = sorted(group)
    names = ", ".join(f"{number:02}" for number, _, _ in group)
    speeds = sorted(tflops for _, _, tflops in group)
    to = "" if len(group) == 1 else f" to {speeds[-1]:.1f}"
    return f"rung{'s' if len(group) > 1 else ''} {names}", f"{speeds[0]:.1f}{to} TFLOP/s"


def draw():
    """A staircase that falls with the registers, and the rungs on it."""
    of_card = card()
    found = groups(of_card)
    words = "; ".join(
        f"{name}: {group[0][1]} registers"
        + (f" to {group[-1][1]}" if group[-1][1] != group[0][1] else "")
        + f", {warps(group[0][1], of_card)} warps, {speeds}"
        for group in found
        for name, speeds in (label(group),)
    )
    picture = Picture(
        "occupancy",
        500,
        "Fewer warps, more registers for each thread, and more speed",
        f"warps that an SM of an H200 holds; TFLOP/s at M = N = K = {SIZE}",
        "Warps that the registers of an SM leave room for, by registers per thread: "
        f"{warps(32, of_card)} at 32, {warps(64, of_card)} at 64, {warps(128, of_card)} at 128, "
        f"{warps(168, of_card)} at 168, {warps(MOST, of_card)} at {MOST}. The rungs at {SIZE}: "
        f"{words}. Rung 03 has the most warps and is the slowest of them.",
    )
    left, right, top, bottom = 90, 900, 96, 430
    ticks = (0, 8, 16, 32, 48, 64)
    for tick in ticks:
        y = bottom - (bottom - top) * tick / ticks[-1]
        picture.line([(left, y), (right, y)], "rule")
        picture.text(left - 10, y + 5, str(tick), "soft", "end")

    def at(registers, count):
        return (
            left + (right - left) * registers / 256,
            bottom - (bottom - top) * count / ticks[-1],
        )

    steps, before = [], None
    for registers in range(16, MOST + 1):
        count = warps(registers, of_card)
        if before is not None and count != before:
            steps += [at(registers - 1, before), at(registers - 1, count)]
        elif before is None:
            steps.append(at(registers, count))
        before = count
    picture.line([*steps, at(MOST, before)], "line thick l0")
    for tick in (32, 64, 96, 128, 160, 192, 224, 255):
        picture.text(at(tick, 0)[0], bottom + 22, str(tick), "soft", "middle")
    picture.text((left + right) / 2, bottom + 50, "registers per thread", "strong", "middle")
    for i, group in enumerate(found):
        lift = LIFTS[i % len(LIFTS)]
        for number, registers, tflops in group:
            x, y = at(registers, warps(registers, of_card))
            picture.dot(x, y, "f1", f"rung {number:02}: {tflops:.1f} TFLOP/s", 7)
        if lift > 0:
            picture.line([(x, y - 12), (x, y - lift)], "lead")
        name, speeds = label(group)
        right_of = 7 if lift > 0 else 16
        picture.lines(x + right_of, y - lift + 12, [(name, "strong"), (speeds, "soft")])
    return picture
