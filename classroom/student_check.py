"""Checks a student's kernel: is it right, does it do what its rung is about, and if not, where?

check() is one look, watch() one after each save.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from bench import SOURCES
from bench.copies import ROW
from bench.rungs import own_rungs
from classroom import about, progress_file, starters
from classroom.allowed import object_faults
from classroom.compiler_messages import remarks
from classroom.contained import GraderFailedError, closed_folder
from classroom.kernel_library import (
    ROOM,
    WARNINGS,
    CompileError,
    build_libraries,
    sources_of,
    text_of,
)
from classroom.rules import judged_sources
from classroom.student_folder import (
    LADDER,
    MADE,
    digest,
    folder_of,
    made_for,
    now,
    place_of_gap,
    say,
    shown,
    untouched,
)
from classroom.verdicts import (
    MOST_HAZARDS,
    OF_THE_KERNEL,
    findings_of,
    meanings,
    paragraph,
    source_line,
)

GOOD, WRONG, BAD_CALL = 0, 1, 2
FINDINGS = "findings.json"  # of the last check, beside the library that was checked
CHECK_SECONDS = 60
THREAD_ENDED = 89  # the exit code of a program whose kernel has ended its thread, and which says so
HANG_SECONDS = "1"  # of CPU time without progress: a loop without an end
POLL_SECONDS = 0.2
HAS_GRADER = (SOURCES / "classroom" / "grade.py").exists()  # else the teacher has it
MOST_FAULTS = 5
MOST_CONFIGURATIONS = 3  # that check compiles, of a rung that chooses one for each shape


def changed_files(texts, rung):
    """Names of the files that the exercise is about, or that differ from the ladder's, and of those
    that include one of them."""
    original = starters.whole(rung)
    changed = {name for name, text in texts.items() if text != original.get(name)}
    changed.add(starters.exercise_of(rung)["file"])
    includes = {name: f'#include "{ROOM}/{rung.folder}/{name}"' for name in texts}
    while True:
        more = {
            name
            for name, text in texts.items()
            if any(includes.get(other, "\0") in text for other in changed)
        }
        more.discard("launch.cu")  # includes all
        if more <= changed:
            return changed
        changed |= more


def changed_kernels(texts, rung):
    """Names of the rung's kernels that stand in files that have changed."""
    original = starters.whole(rung)
    changed = changed_files(texts, rung) - {"launch.cu"}
    lines = [line.lstrip() for name in changed for line in original.get(name, "").splitlines()]
    functions = {kernel["function"] for kernel in rung.kernels}
    return {each for each in functions if any(line.startswith(f"{each}(") for line in lines)}


def fewer_configurations(texts, rung):
    """(texts, (compiled, all)) of a rung with a table of configurations.

    Some stay: lines of the table that are not the ladder's, and some configurations of the kernels
    that the student has changed. All take too long to wait for.
    """
    launch = texts["launch.cu"]
    rows = list(ROW.finditer(launch))
    if len(rows) <= MOST_CONFIGURATIONS:
        return texts, None
    known = {
        each["name"]: rung.kernels[each["kernels"][0]]["function"] for each in rung.configurations
    }
    original = {row[0] for row in ROW.finditer(starters.whole(rung)["launch.cu"])}
    kept = [row for row in rows if row[0] not in original or row[1] not in known]
    groups = {}
    for row in rows:
        if row not in kept:
            groups.setdefault(known[row[1]], []).append(row)
    changed = changed_kernels(texts, rung) & set(groups) or set(groups)
    room = max(len(changed), MOST_CONFIGURATIONS - len(kept))  # one of each at least
    for kernel in sorted(changed):
        group = groups[kernel]
        count = min(len(group), room // len(changed))
        kept += [group[i * (len(group) - 1) // max(1, count - 1)] for i in range(count)]
    names = {row[1] for row in kept}
    thinned = ROW.sub(lambda row: row[0] if row[1] in names else "\n", launch)  # lines keep numbers
    return {**texts, "launch.cu": thinned}, (len(names), len(rows))


def kernel_to_check(rung, folder):
    """(folder to compile, note about what is left out)"""
    texts = {path.name: text_of(path) for path in sources_of(folder)}
    if "launch.cu" not in texts:
        return folder, None
    texts, counts = fewer_configurations(texts, rung)
    if counts is None:
        return folder, None
    smaller = MADE / rung.folder / "fewer" / rung.folder
    shutil.rmtree(smaller, ignore_errors=True)
    starters.write_to(smaller, texts)
    return smaller, (
        f"Checked with {counts[0]} of its {counts[1]} configurations, to save you the "
        "wait; the grade is for all of them."
    )


@dataclasses.dataclass(frozen=True)
class Checked:
    """What came of a check."""

    code: int  # GOOD, WRONG or BAD_CALL
    output: str  # for the student
    findings: tuple = ()  # as `ladder check --json` has them
    facts: dict = dataclasses.field(default_factory=dict)  # of the rung, from the same file


def environment_with(libraries):
    """The environment in which the ladder's program takes a student's libraries for its own."""
    known = os.environ.get("LD_LIBRARY_PATH")
    path = f"{libraries}:{known}" if known else str(libraries)
    return {
        "LADDER_HANG_SECONDS": HANG_SECONDS,
        **os.environ,
        "LADDER_CHECK": "python3 -m classroom.student check",
        "LD_LIBRARY_PATH": path,
    }


def run_check(rung, libraries, shape):
    """What `ladder check` says with the student's library in front: a Checked."""
    report = pathlib.Path(libraries, FINDINGS)
    report.unlink(missing_ok=True)
    process = subprocess.Popen(
        [
            LADDER,
            "check",
            f"{rung.number:02}",
            *shape,
            "--hazards",
            str(MOST_HAZARDS),
            "--json",
            report,
        ],
        cwd=SOURCES,
        env=environment_with(libraries),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    try:
        output, _ = process.communicate(timeout=CHECK_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Checked(
            WRONG,
            f"The kernel was not done after {CHECK_SECONDS} s, and was stopped. "
            "Is there a loop without an end, or far too much work?\n",
        )
    except BaseException:
        process.kill()
        raise
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return Checked(
            WRONG,
            f"The kernel's program was ended by {name}. Look at launch.cu: "
            "outside of a kernel, nobody can say where.\n",
        )
    return checked(process.returncode, output, report)


def checked(code, output, path):
    """A Checked of a program that has ended with this code and has written this report, or not."""
    try:
        report = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        if code == BAD_CALL:  # it did not understand what it was asked for
            return Checked(code, output)
        if code == THREAD_ENDED:
            return Checked(WRONG, output)
        return Checked(
            WRONG,
            f"{output}The program ended before it had judged the kernel. Look at " "launch.cu.\n",
        )
    findings = tuple(findings_of(report))
    outcomes = {subject["outcome"] for subject in report["subjects"]}
    facts = report["subjects"][0] if report["subjects"] else {}
    if code == GOOD == report["exit_code"] and outcomes == {"right"}:
        return Checked(GOOD, output, facts=facts)
    if code == GOOD or any(each["code"] in OF_THE_KERNEL for each in report["findings"]):
        code = WRONG
    return Checked(code, output, findings, facts)


def compiled(rung, folder, flavours=("traced",)):
    """(where the libraries lie, lines about them, lines about what no grader takes)"""
    out = MADE / rung.folder
    sources, note = kernel_to_check(rung, folder)
    faults, counters = judged_sources(sources, rung, out)
    build_libraries(sources, rung, out, flavours=flavours, look=True)
    said = (out / WARNINGS).read_text()
    notes = [*remarks(said, out / ROOM / rung.folder), *paragraph(note or "", "")]
    try:
        faults = faults or object_faults({"traced": out / "traced" / "launch.o"}, rung, counters)
    except GraderFailedError:
        notes.append("The rules of a grader were not looked at: make grade says why.")
    return out, notes, refused(faults)


def refused(faults):
    """Lines about what makes the score 0."""
    if not faults:
        return []
    return [
        "",
        "A grader does not run this, and gives it no points:",
        *(line for _, sentence in faults[:MOST_FAULTS] for line in paragraph(sentence)),
    ]


def is_edited(folder, root=SOURCES):
    """Whether a folder of a git repository differs from its last commit; no if nobody knows."""
    done = subprocess.run(
        ["git", "-C", root, "status", "--porcelain", "--", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0 and bool(done.stdout.strip())


def whose(rung, command):
    """Which kernel a command takes, and how to see the ladder's own."""
    yours = f"Your kernel: {shown(folder_of(rung))}"
    if starters.has_gap(rung):  # a class does not have the ladder's own
        return yours
    own = f"build/ladder {command} {rung.number:02}"
    if is_edited(f"ladder/{rung.folder}"):
        return f"{yours}\nYour changes in ladder/{rung.folder}: make build, then {own}"
    return f"{yours} (the ladder's own: {own})"


def check(rung, progress, shape=()):
    """Compiles and checks a student's kernel; says what is wrong, or what is still missing."""
    folder = made_for(rung)
    began = time.monotonic()
    say(whose(rung, "check"))
    of_files = digest(folder)
    with progress.change(rung) as entry:
        entry.setdefault("started", now())
        entry["checks"] = entry.get("checks", 0) + 1
    empty = [path.name for path in sources_of(folder) if not text_of(path).strip()]
    if empty:
        say(f"Nothing is in {', '.join(empty)}. `make reset RUNG={rung.number:02}` begins again.")
        return WRONG
    try:
        with progress_file.alone_in(MADE / rung.folder):
            libraries, notes, faults = compiled(rung, folder)
            result = run_check(rung, libraries, shape)
    except CompileError as error:
        say("It does not compile yet.", "", *error.lines, "", stuck(rung, began))
        return WRONG
    say(result.output.rstrip("\n"))
    if result.code != GOOD:
        explain(rung, folder, result)
    if notes:
        say("", *notes)
    if faults:
        say(*faults)
        result = dataclasses.replace(result, code=max(result.code, WRONG))
    if result.code != GOOD:
        say("", stuck(rung, began))
        return result.code
    there = is_there(rung, result.facts)
    if not shape:
        with progress.change(rung) as entry:
            entry["right_files"] = of_files
            entry["with_the_idea"] = (
                there  # these files; `right` stays when a later try has lost it
            )
            entry.setdefault("right" if there else "computes", now())
    say("", *(next_steps(rung, began) if there else not_there(rung, result.facts, began)))
    return GOOD


def is_there(rung, facts):
    """Whether a right kernel does what its rung is about; of a rung that no counter shows, it does.

    Where nothing was counted, because memory was short, nobody knows, and another check may.
    """
    if not rung.about:
        return True
    return "about" in facts and about.reached(rung.about, facts["about"]["value"])


def not_there(rung, facts, began):
    """The last lines of a check of a kernel that is right, and without the rung's idea."""
    if "about" not in facts:
        return [
            *paragraph("Right; what the rung is about was not counted. Check again.", ""),
            stuck(rung, began),
        ]
    question = about.question(rung)
    return [
        f"Right, but without what rung {rung.number:02} is about: {rung.idea}.",
        *about.figures(rung, facts["about"]["text"]),
        *most_of_it(rung, facts["about"]),
        *(paragraph(f"The rung's question: {question}", "") if question else ()),
        stuck(rung, began),
    ]


def most_of_it(rung, counted):
    """The line from which most of the figure comes."""
    line = source_line(counted, folder_of(rung)) if "line" in counted else None
    if not line:
        return []
    return [
        "These are the loads to hide:"
        if about.grows(rung.about)
        else "Most of it comes from this line:",
        line,
    ]


def explain(rung, folder, result):
    """What the findings mean."""
    if untouched(rung, folder):
        exercise = starters.exercise_of(rung)
        say(
            "",
            "This is the starter as it was handed out. Your turn:",
            f"  {place_of_gap(folder, exercise)}",
            *paragraph(starters.task_of(exercise)),
        )
        return
    lines = meanings(result.findings, folder, rung)
    if lines:
        say("", "What this means", *lines)
    if "stores" in result.facts and not any(each["family"] == "fault" for each in result.findings):
        line = source_line(result.facts["stores"], folder)
        if line:
            say("", "What is wrong is stored here; follow it back from there:", line)


def stuck(rung, began):
    """The last line of a check that ends with work to do."""
    return f"({time.monotonic() - began:.1f} s) Stuck? make hint RUNG={rung.number:02}"


def next_steps(rung, began):
    """The last lines of a check that is passed."""
    number = f"{rung.number:02}"
    steps = ["grade", "submit"] if HAS_GRADER and not closed_folder() else ["submit"]
    following = ", ".join(f"make {step} RUNG={number}" for step in steps)
    lines = [f"({time.monotonic() - began:.1f} s) Well done. Next: {following}"]
    above = [other for other in own_rungs().values() if other.number > rung.number]
    if above:
        higher = min(above, key=lambda other: other.number)
        question = about.question(higher)
        lines[-1] += ","
        going_on = "watch" if folder_of(higher).is_dir() else "start"
        lines.append(f"or climb on: make {going_on} RUNG={higher.number:02}")
        lines += paragraph(question, "  ") if question else []
    return lines


def watch(rung, progress, shape=()):
    """Checks a kernel again whenever one of its files has been saved, until Ctrl-C.

    An editor may empty a file before it fills it: what is checked has not changed for a while.
    """
    made_for(rung)
    checked_state = before = None
    try:
        while True:
            state = files_state(folder_of(rung))
            if state and state == before and state != checked_state:
                if checked_state is not None:
                    say("", "-" * 40 + time.strftime(" %H:%M:%S"))
                checked_state = state
                try:
                    check(rung, progress, shape)
                except OSError as error:  # a file that is being replaced at this moment
                    say(f"cannot read {error.filename}: {error.strerror}")
                say("Waiting for you to save. Ctrl-C ends this.")
            before = state
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        say("")
        return GOOD


def files_state(folder):
    """What changes when a file is saved."""
    try:
        found = [(path.name, path.stat()) for path in sources_of(folder)]
        return [(name, status.st_mtime_ns, status.st_size) for name, status in found]
    except OSError:
        return None
