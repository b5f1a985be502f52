"""The three paths through the book: which pages, in which order, and what each of them needs.

This table is the only place where that is written. The site says it at the top of each page
(docs/hooks.py), lessons in their appendix, and the pages of the paths list their stops.
"""

import functools
import pathlib
import posixpath
import re
from dataclasses import dataclass

from bench.results_file import FigureError
from bench.rungs import rung_of
from docs.reading import words

HOME = pathlib.Path(__file__).resolve().parent.parent.parent
START = "docs/start/without_a_gpu.md"
EVENING = "docs/start/evening.md"
WEEKEND = "docs/start/weekend.md"
COURSE = "docs/start/course.md"
REFERENCE = "docs/reference.md"
CLIMB = "docs/chapters/climb.md"
BESIDE = ("docs/labs/", "docs/widgets/")  # pages to do something after a lesson or chapter


def chapter(name):
    """The path of a chapter."""
    return f"docs/chapters/{name}.md"


@functools.cache
def lesson(number):
    """The path of a rung's lesson."""
    (folder,) = (HOME / "ladder").glob(f"{number:02}_*")
    return f"ladder/{folder.name}/README.md"


def lessons():
    """The paths of all lessons, in their order."""
    pages = (HOME / "ladder").glob("[0-9][0-9]_*/README.md")
    return tuple(sorted(page.relative_to(HOME).as_posix() for page in pages))


@dataclass(frozen=True)
class Week:
    """A week of the course."""

    title: str
    stops: tuple  # paths of pages
    lecture: str
    hand_in: str


@dataclass(frozen=True)
class Path:
    """A way through the book. A stop is the path of a page, or of a section of one."""

    name: str
    door: str  # the page that it begins with
    stops: tuple
    weeks: tuple = ()


WEEKS = (
    Week(
        "Addresses",
        (START, chapter("kernel_on_a_gpu"), lesson(1), lesson(2), chapter("coalescing")),
        "warps, lanes, sectors, wavefronts; the widget of coalescing",
        "rungs 01 and 02",
    ),
    Week(
        "Reuse",
        (
            lesson(3),
            chapter("shared_memory"),
            lesson(4),
            chapter("registers"),
            chapter("path_of_a_byte"),
        ),
        "barriers: take one out, and let the class predict what `make check RUNG=03` says; words "
        "per multiply-add, and the widget of tiles",
        "rung 03 or 04",
    ),
    Week(
        "Time",
        (lesson(5), lesson(6), chapter("outer_product"), chapter("roofline"), lesson(0)),
        "latency and software pipelining; what a roofline does not say",
        "rung 05 or 06",
    ),
    Week(
        "The last tenth",
        (
            lesson(7),
            chapter("l2"),
            chapter("waves"),
            chapter("measuring"),
            lesson(8),
            lesson(9),
            lesson(10),
            chapter("nvcc"),
        ),
        "why a counter may improve and the time may not; what the machine code says",
        "rung 07 or 09",
    ),
    Week(
        "Every SM, every shape",
        (
            lesson(11),
            chapter("profiling"),
            lesson(12),
            lesson(13),
            lesson(14),
            chapter("why_cublas_loses"),
            CLIMB,
        ),
        "rings, phases and parities; reading the profile of somebody else's kernel",
        "one page: a prediction, a measurement, and the reason for the difference",
    ),
    Week(
        "Tensor cores",
        (
            lesson(15),
            chapter("numerics"),
            *lessons()[lessons().index(lesson(16)) :],
            chapter("joules"),
            chapter("splitting"),
            chapter("debugging"),
        ),
        "fragments, swizzles, descriptors; what a correct result is",
        "rung 15 or 16, or a project",
    ),
)

PATHS = {
    "evening": Path("An evening", EVENING, (START, lesson(1), lesson(2), lesson(3))),
    "weekend": Path(
        "A weekend",
        WEEKEND,
        (
            START,
            lesson(1),
            lesson(2),
            lesson(3),
            lesson(4),
            f"{WEEKEND}#from-04-to-06",
            lesson(6),
            lesson(7),
            f"{WEEKEND}#from-07-to-16",
            lesson(16),
            f"{WEEKEND}#from-16-to-17",
            lesson(17),
            f"{WEEKEND}#from-17-to-the-climb",
            CLIMB,
        ),
    ),
    "course": Path("A course", COURSE, tuple(stop for week in WEEKS for stop in week.stops), WEEKS),
}

# What a page needs, where that is not the lesson of the rung below.
NEEDS = {
    START: (),
    "docs/start/with_a_gpu.md": (),
    lesson(0): (),
    lesson(1): (),
    lesson(17): (lesson(16), lesson(11)),
    lesson(18): (lesson(17), lesson(11)),
    lesson(19): (lesson(18), lesson(13)),
    lesson(20): (lesson(19), lesson(12), lesson(7)),
    lesson(21): (lesson(20), chapter("l2")),
    lesson(22): (lesson(20), lesson(14), lesson(12)),
    chapter("kernel_on_a_gpu"): (),
    chapter("coalescing"): (lesson(2),),
    chapter("shared_memory"): (lesson(3),),
    chapter("registers"): (lesson(4),),
    chapter("path_of_a_byte"): (chapter("kernel_on_a_gpu"),),
    chapter("outer_product"): (chapter("registers"), lesson(6)),
    chapter("roofline"): (chapter("path_of_a_byte"),),
    chapter("measuring"): (lesson(2),),
    chapter("l2"): (chapter("path_of_a_byte"), chapter("coalescing")),
    chapter("waves"): (lesson(7), chapter("l2")),
    chapter("nvcc"): (lesson(1),),
    chapter("profiling"): (lesson(3),),
    chapter("why_cublas_loses"): (lesson(11),),
    CLIMB: (lesson(7),),
    chapter("numerics"): (lesson(1),),
    chapter("joules"): (lesson(22), chapter("measuring")),
    chapter("splitting"): (lesson(23), chapter("numerics")),
    chapter("debugging"): (lesson(3),),
    # Many GPUs have no rung of their own in the rungs' table.
    lesson(24): (lesson(12),),
}

# What the labs need that belong to the course, which names them after the week that has it.
LABS = {
    "coalescing": (chapter("coalescing"),),
    "latency": (chapter("path_of_a_byte"),),
    "sectors": (chapter("coalescing"), chapter("path_of_a_byte")),
    "memory_bandwidth": (chapter("path_of_a_byte"),),
    "shared_memory": (chapter("shared_memory"), chapter("registers")),
    "roofline": (chapter("roofline"),),
}


def lab(name):
    """The path of a lab's page."""
    return f"docs/labs/{name}.md"


def labs_after(week):
    """Paths of the labs of the course that need a page of this week, and none of a later one."""
    weeks = PATHS["course"].weeks
    read = {stop for each in weeks[: weeks.index(week) + 1] for stop in each.stops}
    return tuple(
        lab(name)
        for name, needs in LABS.items()
        if read.issuperset(needs) and not set(week.stops).isdisjoint(needs)
    )


def needs_of(page):
    """The pages that a page needs; None: the table does not know it."""
    if page in NEEDS:
        return NEEDS[page]
    match = re.fullmatch(r"ladder/(\d\d)_\w+/README\.md", page)
    if not match:
        return None
    below = rung_of(int(match[1])).builds_on
    return () if below is None else (lesson(below),)


def places_of(page):
    """[(Path, the number of the stop from 1 on, Week or None)] of a page."""
    found = []
    for path in PATHS.values():
        if page not in path.stops:
            continue
        week = next((each for each in path.weeks if page in each.stops), None)
        found.append((path, path.stops.index(page) + 1, week))
    return found


@functools.cache
def title_of(page):
    """The heading of a page, or of a section of it, in Markdown's words."""
    name, _, anchor = page.partition("#")
    text = (HOME / name).read_text()
    if not anchor:
        return re.search(r"^# (.+)$", text, flags=re.M)[1].split(":")[0]
    for heading in re.findall(r"^##+ (.+)$", text, flags=re.M):
        if re.sub(r"[^\w]+", "-", heading.lower()).strip("-") == anchor:
            return heading
    raise FigureError(f"{name} has no heading that would be #{anchor}")


def text_of(stop):
    """The Markdown of a page, or of the section that a stop names."""
    name, _, anchor = stop.partition("#")
    text = (HOME / name).read_text()
    if not anchor:
        return text
    heading = re.escape(f"## {title_of(stop)}")
    return re.search(rf"^{heading}\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)[1]


def minutes_of(stop):
    """What a stop takes to read."""
    return words.minutes_to_read(text_of(stop))


def open_words(stops):
    """How many words there are to read on a path, without what is folded, generated or code."""
    return sum(words.counted(text_of(stop)).open for stop in stops)


def link(page, source):
    """A Markdown link to a page, as it is written in another one."""
    name, _, anchor = page.partition("#")
    target = posixpath.relpath(name, posixpath.dirname(source) or ".")
    return f"[{title_of(page)}]({target}{'#' + anchor if anchor else ''})"


def needs_text(page):
    """'[rung 02](...) and [waves](...)' of what a page needs."""
    pages = needs_of(page)
    if pages is None:
        raise FigureError(f"docs/reading/paths.py does not say what {page} needs")
    links = [link(other, page) for other in pages]
    return " and ".join(filter(None, [", ".join(links[:-1]), *links[-1:]])) or "some C++"


def next_of(path, page):
    """The stop of a path after a page; None after the last."""
    at = path.stops.index(page) + 1
    return path.stops[at] if at < len(path.stops) else None


@functools.cache
def leads_to():
    """{page: the first lesson or chapter of the course that links to it}"""
    found = {}
    for stop in PATHS["course"].stops:
        if stop == START:  # it shows the whole house
            continue
        for target in re.findall(r"\]\((?!\w+:|#)([^)\s#]+\.md)", text_of(stop)):
            page = posixpath.normpath(posixpath.join(posixpath.dirname(stop), target))
            found.setdefault(page, stop)
    return found


def signpost(page):
    """What the site says below the title of a page; nothing where the page has no place."""
    if needs_of(page) is None:
        needs = LABS.get(posixpath.basename(page)[:-3]) if page.startswith(BESIDE[0]) else None
        if needs:
            first = " and ".join(link(other, page) for other in needs)
            return f"**Beside the paths.** Read {first} first."
        if not page.startswith(BESIDE) or page not in leads_to():
            return ""
        return f"**Beside the paths.** Read {link(leads_to()[page], page)} first: it leads here."
    lines = [f"**You need** {needs_text(page)}. **To read** {minutes_of(page)} min."]
    for path, number, week in places_of(page):
        name = f"[{path.name}]({posixpath.relpath(path.door, posixpath.dirname(page))})"
        where = f"week {path.weeks.index(week) + 1}" if week else f"{number} of {len(path.stops)}"
        before = path.stops[number - 2] if number > 1 else ""
        where += f", after {link(before, page)}" if "#" in before else ""  # what it skips, in short
        after = next_of(path, page)
        onward = f", next {link(after, page)}" if after else ", the last stop"
        lines.append(f"**{name}** {where}{onward}.")
    return "\n".join(lines)
