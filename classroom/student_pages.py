"""Pages as a class's repository has them: no answers, and only commands and links that are there.

The book's own pages are for readers of the whole ladder. A class has starters instead of kernels,
no grader and no timings, and reads the pages as text.
"""

import posixpath
import re

from classroom.source_text import squeezed

# What a page may name that a class does not have: timings, the grader, and the answers.
MISSING = re.compile(
    r"\bmake (?:grade|diff|bench|compare|roofs|ablate|lab|plot|maths|report|record|install)\b"
    r"|\bmake rung-"
    r"|\bbuild/(?:benchmark|ablation|memory_lab)\b|--device gpu|\bpython3 -m (?:bench|docs)\."
    r"|\bncu --"
)
# Begins a sentence that sends the reader to measure, which a class's programs do not.
ON_A_GPU = re.compile(r"\b(?:With|If\s+you\s+have)\s+a\s+GPU,")
OWN_PROGRAM = re.compile(r"\bbuild/ladder\s+(check(?!.*--json)|trace|run|predict)\s+(\d\d)\b")
OF_THE_LADDER = re.compile(r"\bbuild/ladder (?:check|trace|run|predict|list)\b[^`\n#]*")
OWN_FILE = re.compile(r"`ladder/(\d\d_\w+/(?:kernel\.cuh|launch\.cu))`")
TELLING = 2  # lines of one answer in one block of a page
HIDDEN = "*This code is {exercise}, so the repository of a class does not show it.*"
BLOCK = re.compile(r"^( *)(`{3,})([\w+-]*)\n(.*?)^ *\2`* *$\n?", re.M | re.S)
LINK = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]"
    r"\((?!\w+:|#)(?P<path>[^)\s#]+)(?:#[^)\s]*)?\)",
    re.S,
)
MARKERS = re.compile(r"^ *<!-- (?:begin|end|widget) [^>]*-->\n|<!-- /?value\b[^>]*-->", re.M)
# What is said of a widget right above it: from the first sentence that names it.
OF_A_WIDGET = re.compile(
    r"(?:(?<=\n\n)|(?<=[.!?:]))(?:(?!\n\n|[.!?:]\s).)*\bwidget\b(?:(?!\n\n).)*(?=\n\n<!-- widget )",
    re.S,
)
TABS = re.compile(r'^=== "With a GPU"\n(?:.*\n)*?=== "Without a GPU"\n\n((?: {4}.*\n|\n)+)', re.M)
# Where a lesson says how the ladder's own kernel is changed and brought back.
OWN_COPY = re.compile(r"^Run `make build` after each change in `ladder/`\..*?(?=\n\n)", re.M | re.S)
EXERCISES = "## Exercises\n\n"
IN_A_CLASS = """\
Work on your copy in `work/{folder}`, its `launch.cu` included: `make check`, `make run` and
`make trace` compile it each time. Commit it when it is right, before you change it for the next
exercise: `git checkout work/{folder}` then brings it back."""
RUN_IT = "## Run it\n\n"
AFTER_THE_GAP = """\
These commands, here and further down, take your own kernel in `work/{folder}`. So fill the gap
first (*Exercises*, below). Until then they say WRONG, and count what the starter does; what this
page shows is what the finished kernel gives.

"""
PREDICT = re.compile(r"^Keep your answers before you read on:\n", re.M)
AFTER_A_START = """\
Keep your answers before you read on. That takes a kernel of yours, so
`make start RUNG={number:02d}` first, if you have not; the first prediction also builds, for some
minutes:
"""
TRY_IT = re.compile(r"^## Try it\n\n(?=(?:(?!^## ).*\n)*?.*python3 -m classroom\.student )", re.M)
OWN_KERNELS = """\
Here, `python3 -m classroom.student` takes your own kernels, and compiles them each time: come back
to a question when those that it names are right. Rungs that you do not have need the whole ladder.

"""
OF_THE_BOOK = """\
*This is a page of the whole book. It also names commands that do not work here, such as
`{missing}`: these need the whole ladder.*

"""


def outside_of_blocks(page, change):
    """A page whose text outside of blocks of code is changed."""
    parts, end = [], 0
    for block in BLOCK.finditer(page):
        parts += [change(page[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(page[end:])])


def told_by(block, secrets):
    """Number of the rung whose answer a block shows most of: some lines, or all of a short one."""
    lines = {squeezed(re.sub(r"^[+-] ?", " ", line)) for line in block.splitlines()}
    told = {
        number: len(lines & answer)
        for number, answer in secrets.items()
        if answer and len(lines & answer) >= min(TELLING, len(answer))
    }
    return max(told, key=lambda number: (told[number], -number), default=None)


def without_answers(page, secrets, own=None):
    """A page whose blocks of code show no answer. secrets: {rung: lines that it asks for}; own: the
    rung whose lesson it is."""

    def hidden(block):
        number = told_by(block[4], secrets)
        if number is None:
            return block[0]
        added = re.sub(r"^-.*\n", "", block[4], flags=re.M)  # of a change, what the rung below had
        if block[3] == "diff" and told_by(added, secrets) is None:
            return f"{block[1]}{block[2]}diff\n{added}{block[1]}{block[2]}\n"
        mine = own is not None and told_by(block[4], {own: secrets.get(own)}) is not None
        exercise = "your exercise" if mine else f"the exercise of rung {number:02}"
        return f"{block[1]}{HIDDEN.format(exercise=exercise)}\n"

    return BLOCK.sub(hidden, page)


def with_own_program(text, numbers=None):
    """A text where a student's kernel takes the place of a rung of the ladder. numbers: of rungs
    that a class has; None: all"""

    def own(command):
        if numbers is not None and int(command[2]) not in numbers:
            return command[0]
        return f"python3 -m classroom.student {command[1]} {command[2]}"

    return OWN_PROGRAM.sub(own, text)


def with_own_commands(page):
    """A lesson that names only commands of a class's repository, which has no rung built."""

    def shortened(block):
        body = re.sub(r"\\\n", "\0", block[4])  # a line and those that it goes on in
        kept = [line for line in body.splitlines(True) if not MISSING.search(line)]
        if not "".join(kept).strip():
            return ""
        text = "".join(kept).replace("\0", "\\\n")
        return f"{block[1]}{block[2]}{block[3]}\n{text}{block[1]}{block[2]}\n"

    page = outside_of_blocks(page, lambda text: without_sentences(text, MISSING))
    return with_own_program(BLOCK.sub(shortened, page))


def without_sentences(text, unwanted):
    """Prose without the sentences in which something unwanted stands."""
    paragraphs = []
    for paragraph in re.split(r"(\n{2,})", text):
        if unwanted.search(paragraph):
            sentences = re.split(r"(?<=[.!?:])(?=\s)", paragraph)
            paragraph = "".join(each for each in sentences if not unwanted.search(each))
            paragraph = paragraph if paragraph.isspace() else paragraph.lstrip()
        paragraphs.append(paragraph)
    return "".join(paragraphs)


def without_times(page):
    """A page that does not send its reader to measure on a GPU."""
    return outside_of_blocks(page, lambda text: without_sentences(text, ON_A_GPU))


def without_a_gpu(page):
    """A lesson without the tab of those who have a GPU: a class's commands all run on the CPU."""
    return TABS.sub(lambda tab: re.sub(r"^ {4}", "", tab[1], flags=re.M), page)


def lesson_page(text, rung, secrets):
    """A rung's lesson. secrets: as without_answers() takes them."""
    text = OF_A_WIDGET.sub("", text)
    text = OWN_COPY.sub("", text).replace(EXERCISES + "\n\n", EXERCISES)
    text = text.replace(EXERCISES, f"{EXERCISES}{IN_A_CLASS.format(folder=rung.folder)}\n\n")
    page = without_times(without_a_gpu(text))
    page = PREDICT.sub(AFTER_A_START.format(number=rung.number), page)
    page = page.replace(RUN_IT, RUN_IT + AFTER_THE_GAP.format(folder=rung.folder))
    return MARKERS.sub("", without_answers(with_own_commands(page), secrets, rung.number))


def spared(build):
    """What stays of a command that a class does not need, and of the "and" after it."""
    return " and" if build[0].startswith(",") else ""


def chapter_page(text, secrets, numbers=None):
    """Any other page; it says so where it names what a class does not have. secrets, numbers: as
    without_answers() and with_own_program() take them"""
    text = without_times(OF_A_WIDGET.sub("", text))
    page = MARKERS.sub("", without_answers(with_own_program(text, numbers), secrets))
    page = TRY_IT.sub(lambda heading: heading[0] + OWN_KERNELS, page)
    page = OWN_FILE.sub(r"`work/\1`", page)
    page = re.sub(r",? (?:run )?`make build`,? and(?= )", spared, page)
    missing = MISSING.search(page) or OF_THE_LADDER.search(page)
    if not missing:
        return page
    note = OF_THE_BOOK.format(missing=missing[0].rstrip())
    return re.sub(r"\A(# .*\n\n)", lambda title: title[0] + note, page, count=1)


def with_living_links(page, path, tree):
    """A page whose links all lead to something; where nothing is, the words alone stay.

    path: of the page; tree: paths of all files and folders, as POSIX texts.
    """
    folder = posixpath.dirname(path)

    def living(link):
        if link["code"] or posixpath.normpath(posixpath.join(folder, link["path"])) in tree:
            return link[0]
        return "" if link["picture"] else link["text"]

    return outside_of_blocks(page, lambda text: LINK.sub(living, text))
