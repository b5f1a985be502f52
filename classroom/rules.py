"""What a student's sources may hold: the same for `make check`, `make submit` and the grader.

Nothing is judged that the compiler does not take: not comments, not strings, not what stands
between #if 0 and #endif. preprocessed.py says what the compiler takes.
"""

import itertools
import re

from bench import SOURCES
from classroom.counters import counters_in
from classroom.kernel_library import ROOM, preprocessed, sources_of
from classroom.preprocessed import code_faults, constants_of, directive_faults, own_code, own_rows
from classroom.source_text import text_of

CUDA = "emulator/cuda_headers"
OURS = re.compile(
    r"common/(?:device|launch)\.cuh|common/(?:gemm|work_plan|workspace|precision|bfloat16)\.hpp|"
    r"common/ptx/\w+\.(?:cuh|hpp)|ladder/ladder\.hpp"
)
# The standard library without files, threads, clocks and what runs code before main().
STANDARD = set(
    "algorithm any array bit bitset cassert cctype cfloat charconv cinttypes climits cmath compare "
    "complex concepts cstdbool cstddef cstdint cstdio cstdlib cstring cwchar deque exception "
    "forward_list functional initializer_list iosfwd iterator limits list map memory new numbers "
    "numeric optional queue ranges ratio set source_location span stack stdexcept string "
    "string_view tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray "
    "variant vector version "
    "assert.h ctype.h float.h inttypes.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h "
    "stdlib.h string.h".split()
)
INSTEAD = {
    "iostream": "To look at a value, print it with printf() of <cstdio>",
    "chrono": "The grader measures time, and `make trace` tells where it goes",
    "thread": "What runs in parallel is the kernel's grid",
}
REPLACED = re.compile(r"^(?:ladder_traced_|__builtin_)(?=mem(?:cpy|move|set|cmp)$)")  # or not
PRINTS = re.compile(r"f?printf|f?puts|f?putc(?:har)?|fwrite")
INCLUDE = re.compile(r'\s*#\s*(?:include|include_next|import)\s*(<[^>]*>|"[^"]*")')


def source_faults(folder, rung, out, wrap=()):
    """[(kind, sentence)] of a student's folder, each once; see judged_sources()."""
    return judged_sources(folder, rung, out, wrap)[0]


def judged_sources(folder, rung, out, wrap=()):
    """([(kind, sentence)], {name of a variable that may survive a call}) of a student's folder.

    A variable may that only counts, and a __constant__ one, which no kernel writes.

    out, wrap  as build_libraries() takes them. Raises CompileError, NotBuilt.
    """
    faults = [
        fault for path in sources_of(folder) for fault in directive_faults(path.name, text_of(path))
    ]
    if faults:
        return faults, set()
    texts, folders = preprocessed(folder, rung, out, wrap)
    files = {path.name for path in sources_of(folder)}
    for flavour, text in texts.items():
        faults += include_faults(text, folders, rung, files)
        faults += kept_by_a_thread(text, folders)
        faults += declared_by_hand(text, folders)
        faults += code_faults(text, folders, traced=flavour == "traced")
    faults += difference(texts.values(), folders)
    counters = [counters_in(own_code(text, folders)) for text in texts.values()]
    constants = {name for path in sources_of(folder) for name in constants_of(text_of(path))}
    return list(dict.fromkeys(faults)), set.intersection(*counters) | constants


def include_faults(text, folders, rung, files):
    """What a student's files include and may not. text: of g++ -E -dI; files: names of theirs."""
    theirs = {
        match[1]
        for path in sources_of(SOURCES / rung.path)
        for match in map(INCLUDE.match, path.read_text().splitlines())
        if match
    }
    own = {f'"{ROOM}/{rung.folder}/{name}"' for name in files}
    own |= {f'"{name}"' for name in files} | {f'"./{name}"' for name in files}
    faults = []
    for row, file, line in own_rows(text, folders):
        match = INCLUDE.match(row)
        if not match or match[1] in own:
            continue
        name = match[1][1:-1]
        if match[1] in theirs and not name.startswith("ladder/"):
            continue
        if OURS.fullmatch(name) or name in STANDARD or (SOURCES / CUDA / name).is_file():
            continue
        instead = INSTEAD.get(
            name,
            "The grader has a kernel's own files, common/, CUDA's headers, and of the standard "
            "library what has no files, threads or clocks",
        )
        faults.append(
            (
                "forbidden_include",
                f"{file}:{line}: #include {match[1]} is not there for a kernel. {instead}: remove "
                "the line.",
            )
        )
    return faults


def kept_by_a_thread(text, folders):
    """thread_local variables, other than those that `__shared__` stands for."""
    tokens = list(own_code(text, folders))
    shared = ["__attribute__", "(", "(", "aligned"]
    return [
        (
            "forbidden_word",
            f"{token.file}:{token.line}: {token.text} is not allowed: a variable that survives "
            "the call. Remove it.",
        )
        for at, token in enumerate(tokens)
        if token.text in ("thread_local", "__thread")
        and [each.text for each in tokens[at + 1 : at + 5]] != shared
    ]


def declared_by_hand(text, folders):
    """Functions that print, and that no header has declared."""
    tokens = list(own_code(text, folders))
    faults = []
    for at, token in enumerate(tokens):
        if token.text != "extern" or tokens[at + 1 : at + 2] == [] or tokens[at + 1].text != '"C"':
            continue
        ends = itertools.takewhile(lambda each: each.text not in (";", "{"), tokens[at + 2 :])
        faults += [
            (
                "forbidden_symbol",
                f"{each.file}:{each.line}: {each.text} is declared by hand: printing belongs to "
                "<cstdio>. Remove it.",
            )
            for each in ends
            if PRINTS.fullmatch(each.text)
        ]
    return faults


def difference(texts, folders):
    """The first place where the code differs between how it runs and how it is traced."""
    codes = [own_code(text, folders) for text in texts]
    for tokens in itertools.zip_longest(*codes):
        if len({token and REPLACED.sub("", token.text) for token in tokens}) > 1:
            token = next(token for token in tokens if token)
            return [
                (
                    "forbidden_word",
                    f"{token.file}:{token.line}: from here on, other code is compiled where "
                    "accesses are counted than where the kernel runs. It has to be the same: "
                    "remove the #if or #ifdef, or the macro.",
                )
            ]
    return []
