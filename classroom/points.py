"""From what the judge saw to points: the published formula.

builds 10, visible 25, hidden 25, memory 20, and on a machine with a GPU speed 20. A test has all
of its points or none; a counter of the memory part has them in proportion to what it exceeds the
reference rung's by, and a time by its logarithm.
"""

import dataclasses
import math
import pathlib
import statistics

from classroom import plain_text

MAX_POINTS = {"builds": 10, "visible": 25, "hidden": 25, "memory": 20, "speed": 20}
NAMES = {
    "builds": "It builds",
    "visible": "Right for the visible shapes",
    "hidden": "Right for hidden shapes, edges, alpha and beta",
    "memory": "Memory traffic, compared with the reference",
    "speed": "Speed, compared with the reference",
}
# Of the memory part: what the rung is about has half of the points, so that a kernel without the
# rung's idea gets no more than the other half.
OWN_POINTS = 10
ORDER_POINTS = 8  # for the order of events, of rungs that load ahead; 4 where they share a half
LOADS_AHEAD = 0.3  # hidden() of a rung that does
FULL_AT, NONE_AT = 1.05, 1.5  # yours / reference of a counter
FULL_SPEED_AT, NO_SPEED_AT = 1.2, 10  # your time / the reference's
DRAM = "dram_read_bytes"
ORDER = "order"
# What the rung is about, as bench.rungs.Rung.about names it: the counter that shows it.
OWN = {
    "sectors_per_load": "global_load_sectors",
    "global_loads": "global_load_requests",
    "wavefronts": "shared_load_wavefronts",
    "shared_stores": "shared_store_requests",
    "hidden_loads": ORDER,
    "dram_bytes": DRAM,
}
OWN_ALONE = {"shared_store_requests"}  # says nothing of a rung that is not about it
# Stores to shared memory for each load from it, where the reference stores nothing.
FEW_STORES, MANY_STORES = 0.005, 0.02
# What each counter says when it is too high, and where to read on.
COUNTERS = {
    "global_load_requests": (
        "Loads from global memory, instructions of warps",
        "load each tile once per block, and four floats at a time where rows allow it (chapter "
        "Coalescing)",
    ),
    "global_load_sectors": (
        "Loads from global memory, sectors of 32 bytes",
        "neighbouring threads should read neighbouring words, and a block should load each element "
        "of its tiles once (chapter Coalescing)",
    ),
    "global_store_sectors": (
        "Stores to global memory, sectors of 32 bytes",
        "neighbouring threads should write neighbouring words of C, each once (chapter Coalescing)",
    ),
    "shared_load_wavefronts": (
        "Loads from shared memory, wavefronts",
        "words in the same bank take turns, and a value that is used often belongs in a register "
        "(chapter Shared memory)",
    ),
    "shared_store_wavefronts": (
        "Stores to shared memory, wavefronts",
        "words in the same bank take turns: look at the tile's layout (chapter Shared memory)",
    ),
    "shared_store_requests": (
        "Stores to shared memory by threads, instructions of warps",
        "let asynchronous copies bring the tiles, past the registers (lesson 09)",
    ),
    DRAM: (
        "DRAM, bytes read on a GPU with a small L2",
        "blocks that run together should share rows of A and columns of B (chapter L2)",
    ),
}
FATAL = {
    "archive",
    "missing_file",
    "forbidden_include",
    "forbidden_word",
    "forbidden_symbol",
    "forbidden_instruction",
    "forbidden_section",
    "forbidden_call",
    "kept_state",
    "tampering",
    "not_the_kernel",
    "shape_list",
    "protocol",
}
ENDED = ("killed", "forbidden_call", "timeout", "protocol")
# What is said of a hidden test besides the titles of what was found.
OF_STATUS = {
    "wrong": "The result is wrong.",
    "refused": "run() does not take a shape that the rung takes.",
    "failed": "run() has thrown an exception.",
    "killed": "The process that ran the kernel was ended: it has crashed, or has used too much "
    "memory.",
    "forbidden_call": "The kernel's code asked the system for something that it may not have, or "
    "ended the process it runs in.",
    "timeout": "The kernel had not come to an end when it was stopped.",
    "protocol": "The kernel's process has sent the judge something else than results.",
    "not_the_kernel": "C is right, but something other than the kernels has computed it.",
    "skip": "Not run: the kernel was stopped too often.",
    "uncounted": "What is read or written past the counters cannot be graded.",
}
WRONG_FOR_MEMORY = "A kernel whose result is wrong gets no points for memory"
UNCOUNTED = "No points for memory"
# Tests that a kernel passes which knows more than the visible shapes.
OF_SHAPES = (
    "hidden-near_visible",
    "hidden-ragged",
    "hidden-below_one_tile",
    "hidden-long_sums",
    "hidden-wide",
    "hidden-tall",
)


@dataclasses.dataclass
class Flags:
    """What a teacher should look at, each sentence once."""

    rows: list = dataclasses.field(default_factory=list)

    def add(self, kind, message):
        """Adds a flag; its kind decides whether the score is 0."""
        row = {"kind": kind, "message": plain_text.message(message), "fatal": kind in FATAL}
        if row not in self.rows:
            self.rows.append(row)

    @property
    def fatal(self):
        """Whether the score is 0."""
        return any(row["fatal"] for row in self.rows)


def part(name, tests=(), message="", skipped=False, codes=()):
    """A part of the grade, of its tests. codes: of what kept it from being tested."""
    most = MAX_POINTS[name]
    points = round(sum(test["points"] for test in tests), 2)
    status = "skip" if skipped else "pass" if points == most else "part" if points > 0 else "fail"
    return {
        "id": name,
        "name": NAMES[name],
        "points": points,
        "max_points": most,
        "status": status,
        "message": plain_text.message(message),
        "codes": list(codes),
        "tests": list(tests),
    }


def row(identity, name, points, most, visible=True, message="", data=None, skipped=False, codes=()):
    """A test of a part. codes: see codes_of()."""
    status = "skip" if skipped else "pass" if points == most else "part" if points > 0 else "fail"
    return {
        "id": identity,
        "name": name,
        "status": status,
        "visibility": "visible" if visible else "hidden",
        "points": points,
        "max_points": most,
        "message": plain_text.message(message),
        "codes": list(codes),
        "data": data or {},
    }


def builds(message="", lines=()):
    """The first part. lines: what stops the build; empty if nothing does."""
    most = MAX_POINTS["builds"]
    test = row(
        "builds-1",
        "The kernel compiles, plain and traced",
        0 if lines else most,
        most,
        message="\n".join(lines),
    )
    return part("builds", [test], message)


def nothing_after(why):
    """The parts that were not reached."""
    return [part(name, message=why, skipped=True) for name in ("visible", "hidden", "memory")]


def speed_not_graded(why):
    """The part `speed` of a machine that cannot time the rung: null, not zero."""
    message = f"Speed was not graded: {why}. The maximum is 80."
    return {**part("speed", message=message, skipped=True), "points": None, "max_points": None}


def speed_share(ratio):
    """Share of the points for a time / the reference's: equal factors cost equal points."""
    share = math.log(NO_SPEED_AT / ratio) / math.log(NO_SPEED_AT / FULL_SPEED_AT)
    return min(1.0, max(0.0, share))


def speed(problems=(), message="Timed in turn with the reference rung, on this machine's GPU."):
    """The part `speed`. problems: as judge_speed() in judging.hpp returns them; those that it did
    not reach are missing."""
    rows = []
    for number, problem in enumerate(problems, 1):
        worth = MAX_POINTS["speed"] / len(problems)
        if problem["status"] != "right":
            rows.append(
                row(
                    f"speed-{number}",
                    problem["id"],
                    0,
                    worth,
                    message=problem["message"],
                    codes=codes_of(problem),
                )
            )
            continue
        pairs = zip(problem["yours"], problem["reference"], strict=True)
        ratio = statistics.median(mine / theirs for mine, theirs in pairs)
        mine, theirs = (statistics.median(problem[whose]) for whose in ("yours", "reference"))
        points = round(worth * speed_share(ratio), 2)
        said = f"{mine:.3f} ms where the reference takes {theirs:.3f} ms: {ratio:.2f}x the time."
        rows.append(
            row(
                f"speed-{number}",
                problem["id"],
                points,
                worth,
                message="" if points == worth else said,
                data={"ms": mine, "reference_ms": theirs, "ratio": ratio},
            )
        )
    return part("speed", rows, message)


def codes_of(run):
    """[{code, group, where, places}] of what the judge has found, for grade.json."""
    kept = ("code", "group", "where", "places")
    return [{key: each[key] for key in kept if key in each} for each in run["findings"]]


def place_text(place):
    """'kernel.cuh:53'"""
    return f"{pathlib.PurePath(place['file']).name}:{place['line']}"


def hidden_message(run):
    """What a student reads about a hidden test, made from codes and from places in their source.

    The judge keeps the sentences of hidden tests, so that no number of a problem can be in it.
    """
    sentences = [OF_STATUS[run["status"]]] if run["status"] in OF_STATUS else []
    for finding in run["findings"]:
        named = map(place_text, finding.get("places", ()))
        places = " and ".join(dict.fromkeys(named))  # two threads may be at the same line
        sentences.append(finding["title"] + (f": {places}." if places else "."))
        if "where_title" in finding:
            sentences.append(f"{finding['where_title']}.")
    return " ".join(dict.fromkeys(sentences))


def without_places(run):
    """A run of the judge's, without lines: which line fails may depend on the shape."""
    findings = [
        {key: value for key, value in found.items() if key != "places"} for found in run["findings"]
    ]
    return {**run, "findings": findings}


def correctness(name, tests, judged, flags, lines=True):
    """The part `visible` or `hidden`. judged: {id: runs} of the judge; lines: whether hidden tests
    name lines of the student's files."""
    rows = []
    for test in tests:
        runs = judged.get(test.id, [])
        bad = next((run for run in runs if run["status"] != "right"), None)
        skipped = not runs or (bad is not None and bad["status"] == "skip")
        points = test.points if runs and bad is None else 0
        message, data, codes = "", {}, []
        if bad is not None and not (test.visible or lines):
            bad = without_places(bad)
        if bad is not None:
            message = bad["message"] if test.visible else hidden_message(bad)
            data, codes = {"kind": bad["status"]}, codes_of(bad)
            note(bad, test, message, flags)
        if test.visible:
            first = test.runs[0]
            data |= dict(zip("mnk", first["shape"], strict=True))
            data |= {"alpha": first["alpha"], "beta": first["beta"]}
        rows.append(
            row(
                test.id, test.name, points, test.points, test.visible, message, data, skipped, codes
            )
        )
    passed = sum(each["status"] == "pass" for each in rows)
    return part(name, rows, f"{passed} of {len(rows)} tests are right.")


def note(run, test, message, flags):
    """Flags what a run that is not right says about the submission."""
    where = test.name if test.visible else "a hidden test"
    if run["status"] == "hazard":
        flags.add("hazard", f"{where}: {message.splitlines()[0]}")
    elif run["status"] in (*ENDED, "not_the_kernel"):
        flags.add(run["status"], f"{where}: {message}")


def knows_the_list(tests, judged):
    """Whether a kernel is right for the visible shapes and for none of the others."""
    visible = [judged.get(test.id, []) for test in tests if test.visible]
    hidden = [judged.get(name, []) for name in OF_SHAPES]
    return all(runs and all(run["status"] == "right" for run in runs) for runs in visible) and all(
        any(run["status"] == "wrong" for run in runs) for runs in hidden
    )


def share(yours, reference, none_at=NONE_AT):
    """Share of a counter's points: all up to 1.05 of the reference, none from none_at on."""
    ratio = yours / reference
    return min(1.0, max(0.0, (none_at - ratio) / (none_at - FULL_AT)))


def share_of_nothing(counts, name):
    """The same, where the reference has nothing of a counter: against the loads of the kernel."""
    ratio = counts[name] / max(1, counts["shared_load_wavefronts"])
    return min(1.0, max(0.0, (MANY_STORES - ratio) / (MANY_STORES - FEW_STORES)))


def none_from(about):
    """From which multiple of the reference on a rung's own counter gives nothing: where the rung
    below is, if that is nearer than elsewhere."""
    if not about or about["value"] <= 0:
        return NONE_AT
    return min(NONE_AT, max(FULL_AT + 0.05, about["below"] / about["value"]))


def order_share(yours, reference):
    """Share of the points for the order of events: as much hidden, as far ahead."""
    shares = [
        min(1.0, yours[name] / (0.9 * reference[name]))
        for name in ("hidden", "steps_ahead")
        if reference[name] > 0
    ]
    return min(shares, default=1.0)


def _counts(judged, whose):
    """All counters of the runs of memory_runs() together, and the order of events."""
    runs = {run["id"]: run[whose] for run in judged}
    counted = [runs[name] for name in ("counts", "few") if name in runs]
    found = {name: sum(run[name] for run in counted) for name in COUNTERS if name != DRAM}
    last = runs.get("waves", runs["counts"])
    return {**found, DRAM: last.get(DRAM), "order": runs["counts"]["order"]}


def worths(counted, own, ahead):
    """{counter: points} of the memory part. own: the counter of what the rung is about, or None;
    ahead: whether the order of events counts."""
    if own is None:
        most = MAX_POINTS["memory"] - ORDER_POINTS * ahead
        return {**spread(most, counted), **({ORDER: ORDER_POINTS} if ahead else {})}
    rest = MAX_POINTS["memory"] - OWN_POINTS
    others = [name for name in counted if name != own]
    if own == ORDER or not ahead:
        return {**spread(rest, others), own: OWN_POINTS}
    of_order = ORDER_POINTS / 2
    return {**spread(rest - of_order, others), own: OWN_POINTS, ORDER: of_order}


def spread(most, names):
    """{name: its part of the points}: equal ones that add up, rounding included."""
    found, spent = {}, 0
    for index, name in enumerate(names, 1):
        found[name] = round(most / len(names) * index - spent, 2)
        spent = round(spent + found[name], 2)
    return found


def memory(judged, flags, lines=True, about=None):
    """The part `memory`: counters, and the order of events where the reference loads ahead.

    Its shapes are hidden ones. lines: as correctness() takes them; about: Rung.about
    """
    bad = next((run for run in judged if run["status"] != "right"), None)
    if bad is not None:
        status = bad["status"]
        bad = bad if lines else without_places(bad)
        said = hidden_message(bad)
        if status in ENDED:
            flags.add(status, f"memory: {said}")
        if status == "uncounted":
            return part("memory", message=f"{UNCOUNTED}: {said}", codes=codes_of(bad))
        return part("memory", message=f"{WRONG_FOR_MEMORY}. {said}", codes=codes_of(bad))
    yours, reference = _counts(judged, "yours"), _counts(judged, "reference")
    own = OWN[about["counter"]] if about else None
    counted = [
        name for name in COUNTERS if name == own or (reference.get(name) and name not in OWN_ALONE)
    ]
    ahead = own == ORDER or reference["order"]["hidden"] >= LOADS_AHEAD
    worth = worths(counted, own, ahead)
    rows = []
    for name in counted:
        mine, theirs = yours.get(name) or 0, reference.get(name) or 0
        if theirs:
            part_of = share(mine, theirs, none_from(about) if name == own else NONE_AT)
        else:
            part_of = share_of_nothing(yours, name)
        points = round(worth[name] * part_of, 2)
        title, advice = COUNTERS[name]
        figures = f"{mine:,} where the reference has {theirs:,}"
        rows.append(
            row(
                f"memory-{name}",
                title,
                points,
                worth[name],
                message="" if points == worth[name] else f"{figures}: {advice}.",
                data={"metric": name, "yours": mine, "reference": theirs},
            )
        )
    if ahead:
        points = round(worth[ORDER] * order_share(yours["order"], reference["order"]), 2)
        mine, theirs = yours["order"], reference["order"]
        text = (
            f"{mine['hidden']:.0%} of a tile's loads are hidden behind the computing of the "
            f"tile before, {theirs['hidden']:.0%} in the reference; they start "
            f"{mine['steps_ahead']:.1f} steps ahead, there {theirs['steps_ahead']:.1f}. Start "
            "the next tile's loads before you compute this one, and store them after it "
            "(lesson 06)."
        )
        rows.append(
            row(
                "memory-order",
                "Order of events: loads run ahead of computing",
                points,
                worth[ORDER],
                message="" if points == worth[ORDER] else text,
                data={"yours": mine, "reference": theirs},
            )
        )
    return part("memory", rows, "Counted on the emulator, like the reference rung.")
