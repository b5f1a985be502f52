"""What a verdict of `ladder check` means: what is wrong, where, and which chapter explains it."""

import pathlib
import re
import textwrap

from bench import SOURCES
from classroom.compiler_messages import lines_of

COLUMNS = 80
MOST = 3  # meanings: the rest often follows from the first
MOST_HAZARDS = 4
LESSON = "LESSON"  # stands for the lesson of the rung that is checked
DEBUGGING = "docs/chapters/debugging.md"
GRID = ("docs/chapters/kernel_on_a_gpu.md", "Grid, blocks, threads")
EDGES = (LESSON, "Edge cases")
COPIES = ("ladder/09_async_copy/README.md", "The idea")

# (what a hazard says, what it means, where to read more)
HAZARDS = (
    (r"^race: .*blocks run in any order",
     "Two blocks use the same element, at least one of them stores it, and blocks run in any "
     "order. Do two blocks work on the same tile? Look at how row and column come from "
     "blockIdx.",
     GRID),
    (r"^race: thread \S+ \d+, \d+\) stores C\[",
     "Two threads of a block store the same element of C. Each element belongs to one thread: "
     "look at how its row and column come from threadIdx.", GRID),
    (r"^race:",
     "One thread stores a word of shared memory that another uses, and nothing makes either "
     "wait. All threads must pass a barrier between the two lines. In a loop, think of the next "
     "round too: it must not overwrite what slower threads still read.", (DEBUGGING, "A race")),
    (r"^uninitialised: .* is computed from a local variable",
     "A result comes from a variable that never got a value. Give your sums a first value: 0.",
     (DEBUGGING, "Shared memory that nobody wrote")),
    (r"^uninitialised: .*C\[",
     "C is read, and nobody has written it: when beta is 0, C may hold anything and must not be "
     "read.",
     EDGES),
    (r"^uninitialised:",
     "A thread reads a word of shared memory that no thread has stored. Do the loops that fill "
     "the tiles reach every word? Beyond the edge of A or B, store 0. Is there a barrier between"
     " filling and reading?", (DEBUGGING, "Shared memory that nobody wrote")),
    (r"^out of bounds: .*(?:uses index|of shared memory)",
     "An index leaves the shared array that it belongs to. Compare the order and the extents of "
     "the indices with the declaration of the array.", (DEBUGGING, "An index that stays inside")),
    (r"^out of bounds: (?:a store went|an access) (?:past|before) the (?:end|start) of",
     "A loop stores more into an array of the thread's own than it has room for. Compare its "
     "bounds with the declaration of the array.", (DEBUGGING, "An index that stays inside")),
    (r"^out of bounds:",
     "The access lies outside of the matrix: at an edge, a tile reaches beyond it. Test row, "
     "column and k of each word before you load or store it. Threads that have nothing to load "
     "store 0.",
     EDGES),
    (r"^misaligned:",
     "A float4 must begin at an address that is a multiple of 16: four floats side by side, the"
     " first one at a multiple of 4.", (DEBUGGING, "A misaligned vector")),
    (r"^missing barrier:",
     "Some threads have left the kernel, or the loop, while others wait for them. No thread may "
     "return before the last barrier: let it go on, and skip only its store.",
     (DEBUGGING, "Two barriers that are one")),
    (r"^divergent barrier:",
     "Threads of one block wait at different barriers. A barrier must not be in a branch that"
     " only some of the threads take.", (DEBUGGING, "Two barriers that are one")),
    (r"^deadlock:",
     "Every thread waits for another one. Who should arrive at this barrier, how often, and in"
     " which round?", (DEBUGGING, "A hang")),
    (r"^endless loop:",
     "A loop does not end. Does its variable move towards its end in every round?",
     (DEBUGGING, "A hang")),
    (r"^in flight:|the block has ended while a tma_load",
     "An asynchronous copy may still be on its way when its words are used. Wait for its group"
     " first; then pass a barrier, because other threads have waited for their own copies "
     "only.", COPIES),
    (r"^unfenced:",
     "Ordinary stores and the copy engine do not see each other in order. A fence belongs "
     "between them.",
     COPIES),
    (r"^undefined:|waits for thread",
     "A call for the whole warp names lanes in its mask that do not take part in it.",
     ("docs/chapters/kernel_on_a_gpu.md", "Warps and lanes")),
)  # fmt: skip

# The same for where a result is wrong ...
CASES = (
    (r"copies that arrive late",
     "It is right when copies arrive at once, and wrong when they arrive late: a thread reads a "
     "stage without having waited for it.", COPIES),
    (r"copies that arrive at once",
     "It is wrong when copies arrive at once: a stage is filled again while another thread still"
     " reads it.",
     COPIES),
    (r"wrong for a small one of integers",
     "The kernel is right where tiles fit the matrix exactly, alpha is 1 and beta is 0. In the"
     " problem above tiles do not fit, and alpha and beta have other values. Look at the last "
     "rows, the last columns and the last k tile.", EDGES),
    (r"launch refused|does not fit on",
     "CUDA does not start such a launch. Look at the tile sizes in launch.cu, and at the block and "
     "the arrays that follow from them.", ("docs/chapters/kernel_on_a_gpu.md",
                                           "The streaming multiprocessor")),
    (r"unknown rung",
     "launch.cu no longer defines run() in the namespace of its rung, through which the ladder "
     "calls the kernel.", (LESSON, "The code")),
)  # fmt: skip

# ... and for what is wrong with it.
RESULTS = (
    (r"never written",
     "No thread stores these elements. Does every element of C have one thread, and does that "
     "thread reach its store?", GRID),
    (r"Memory outside of",
     "Something was stored beyond the end of a matrix. Test row and column before you store.",
     EDGES),
    (r"The input . was changed",
     "A and B belong to the caller: a kernel only reads them.", EDGES),
    (r"\(is the guard in ([MN]) right\?\)",
     "Only the last tile is wrong, the one that reaches beyond the matrix. Load 0 for what is "
     "outside, and store only what is inside.", EDGES),
    (r"off by .* times the C from before",
     "C = alpha*A*B + beta*C: look at how beta and the old C come in.", EDGES),
    (r"right but for a factor",
     "Everything is too large or too small by the same factor: is alpha applied once, and is "
     "each k added once?", (LESSON, "The maths")),
    (r"NaN",
     "NaN comes from words that nobody has set: shared memory that is read too early, a load "
     "beyond A or B, or C that is read although beta is 0.",
     (DEBUGGING, "Shared memory that nobody wrote")),
    (r"all of them 0",
     "All results are 0: the products are never added up, or the sums never reach C.",
     (LESSON, "The idea")),
    (r"transposed|too far (?:to the|up|down)",
     "The values are right, and lie in the wrong place: look at row, column and stride of the "
     "store, and at where this thread works.", (LESSON, "The code")),
    (r"low precision", "Some values were rounded on the way: keep the sums in float.",
     ("docs/chapters/numerics.md", "Many operations: a random walk")),
    (r"every element is wrong",
     "No element is right, so it is not an edge: check which words of A and B are multiplied, "
     "and that every k is added once.", (LESSON, "The code")),
    (r"Pattern:",
     "Some elements are right. What do the wrong ones have in common: a row, a column, a "
     "thread, the last k tile?", (LESSON, "Edge cases")),
)  # fmt: skip


def unwrapped(output):
    """[paragraphs] of a program that breaks its lines; hazards begin with '- '."""
    found = []
    for line in output.splitlines():
        if line.startswith("  ") and found and not re.match(r"  \d\d \w+ took its", line):
            found[-1] += " " + line.strip()
        elif line.strip():
            found.append(line.strip())
    return found


def paragraph(text, indent="  "):
    """Its lines in a terminal."""
    return textwrap.wrap(text, COLUMNS, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


def places(message, folder):
    """'  kernel.cuh:53  acc += ...' for each line of the student's that a message names."""
    lines = []
    for file, number in re.findall(r"work/\w+/([\w.]+):(\d+)", message):
        path = pathlib.Path(folder) / file
        code = lines_of(path)
        text = code[int(number) - 1].strip() if int(number) <= len(code) else ""
        line = textwrap.shorten(f"{file}:{number}: {text}", COLUMNS - 2, placeholder=" ...")
        if f"  {line}" not in lines:
            lines.append(f"  {line}")
    return lines[:2]


def reading(where, rung):
    """'Read "A race" in docs/chapters/debugging.md.'"""
    path, heading = where
    return f'Read "{heading}" in {rung.path / "README.md" if path == LESSON else path}.'


def shortened(output):
    """Lines of a verdict with its first hazards: many are the same in other words."""
    lines, hazards = [], 0
    for message in unwrapped(output):
        if message.startswith("- "):
            hazards += 1
            if hazards > MOST_HAZARDS:
                continue
        elif hazards > MOST_HAZARDS:
            lines.append(f"- and {hazards - MOST_HAZARDS} more")
            hazards = 0
        lines += textwrap.wrap(message, COLUMNS, subsequent_indent="  ", break_long_words=False,
                               break_on_hyphens=False)  # fmt: skip
    if hazards > MOST_HAZARDS:
        lines.append(f"- and {hazards - MOST_HAZARDS} more")
    return lines


def meanings(output, folder, rung):
    """Lines that explain what a check found: hazards first, because results follow from them."""
    found, used = [], []
    for message in unwrapped(output):
        hazard = message.startswith("- ")
        if not hazard and any(row in HAZARDS for row in used):
            continue  # a kernel with a hazard may do anything
        if not hazard and not re.search("wrong|launch refused|does not fit|unknown rung", message):
            continue
        for table in (HAZARDS,) if hazard else (CASES, RESULTS):
            text = message.removeprefix("- ")
            row = next((row for row in table if re.search(row[0], text)), None)
            if row is None or row in used or len(used) == MOST:
                continue
            used.append(row)
            _, meaning, where = row
            read = f"  {reading(where, rung)}"
            found.append([*places(message, folder), *paragraph(meaning), read])
    lines = []
    for block in found:
        lines += [""] * bool(lines) + block
    return lines


def readings():
    """All (path, heading) that verdicts name; those of lessons hold for every rung."""
    return {row[2] for row in (*HAZARDS, *CASES, *RESULTS)}


def headings(path):
    """The headings of a page."""
    text = (SOURCES / path).read_text()
    return set(re.findall(r"^#+ (.*)$", text, flags=re.M))
