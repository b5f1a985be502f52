"""Looks at a student's kernel with the ladder's own commands: trace, predict and run."""

import difflib
import subprocess

from classroom import progress_file, starters
from classroom.kernel_library import FLAVOURS, CompileError, sources_of, text_of
from classroom.student_check import WRONG, compiled, environment_with, whose, your_turn
from classroom.student_folder import LADDER, MADE, folder_of, made_for, say, untouched


def changed_lines(old, new):
    """Numbers of the lines of a text that are not in an older one, from 1."""
    before, after = (text.splitlines() for text in (old, new))
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = {block.b + i for block in blocks for i in range(block.size)}
    return [number + 1 for number in range(len(after)) if number not in kept]


def marks(rung):
    """Words that mark on a page what differs from the starter."""
    starter = starters.starter(rung)
    words = []
    for path in sources_of(folder_of(rung)):
        lines = changed_lines(starter.get(path.name, ""), text_of(path))
        if lines:
            words += ["--mark", f"{path.name}:{','.join(map(str, lines))}"]
    return words


def with_own_kernel(rung, command, words, flavours):
    """Runs a command of the ladder's program with the student's libraries."""
    folder = made_for(rung)
    say(whose(rung, command), "")
    try:
        with progress_file.alone_in(MADE / rung.folder):
            libraries, _, _ = compiled(rung, folder, flavours)
            asked = [LADDER, command, f"{rung.number:02}", *words]
            done = subprocess.run(asked, env=environment_with(libraries), check=False)
    except CompileError as error:
        say("It does not compile yet.", "", *error.lines)
        return WRONG
    if command != "predict" and untouched(rung, folder):  # its counters would puzzle a reader
        say("", *your_turn(rung, folder))
    return WRONG if done.returncode < 0 else done.returncode


def trace(rung, shape=(), page=None):
    """What the student's kernel asks of memory; on a page, with their own lines marked."""
    words = [*shape, *(("--html", page, *marks(rung)) if page else ())]
    return with_own_kernel(rung, "trace", words, ("traced",))


def run(rung, shape=()):
    """Runs the student's kernel, and compares with what was predicted."""
    own = () if "--device" in shape else ("--device", "cpu")  # nvcc has not compiled this kernel
    code = with_own_kernel(rung, "run", (*own, *shape), FLAVOURS)
    if own and not code:
        say("", "TFLOP/s, and the share of cuBLAS, were recorded with the ladder's own kernel.")
    return code


def predict(rung, answers=None):
    """Asks what the student expects of their kernel."""
    words = ("--answers", answers) if answers else ()
    return with_own_kernel(rung, "predict", words, FLAVOURS)
