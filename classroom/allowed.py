"""What the objects of a student's kernel may hold.

Whoever wants the points without the kernel needs something else: a library, a file, a clock, a
variable that survives a call. The objects say what they call, define and keep. rules.py judges the
sources.
"""

import re
import subprocess

from bench import SOURCES
from classroom import contained

OBJECTS = "build/objects/ladder/CMakeFiles/{0}_objects.dir/{0}.emulated/ladder_{1}_launch_cu.cpp.o"
GPU_OBJECT = "build/objects/ladder/CMakeFiles/gpu_{0}.dir/{0}/launch.cu.o"
LIBRARY_OF = {"plain": "emulated_rungs", "traced": "traced_rungs"}

TOOL_SECONDS = 120
MOST_TOOL_BYTES = 128 << 20  # the code of the largest rung has a tenth of it
MOST_OBJECT_BYTES = 64 << 20

# Undefined symbols, demangled without their parameters.
CALLS = re.compile(
    r"operator (?:new|delete)(?:\[\])?|mem(?:cpy|move|set|cmp)|strlen|snprintf|"
    r"__(?:mem(?:cpy|move|set)|v?snprintf)_chk|"  # what Ubuntu's compiler makes of them
    r"(?:__)?f?printf(?:_chk)?|f?puts|f?putc(?:har)?|fwrite|fflush|stdout|stderr|"  # unread
    r"_Unwind_Resume|_GLOBAL_OFFSET_TABLE_|__gxx_personality_v0|__stack_chk_fail|"
    r"__cxa_(?:\w*exception|throw|rethrow|begin_catch|end_catch|pure_virtual|throw_bad_array_new_"
    r"length|guard_\w+)|__dso_handle|"
    r"vtable for __cxxabiv1::\w+|(?:typeinfo|vtable) for std::\w+|"
    r"std::(?:__throw_\w+|(?:\w+_error|\w*exception|invalid_argument|bad_\w+)::.*|"
    r"__cxx11::basic_string<.*|terminate|__detail::.*|_\w+)|"
    r"(?:std::)?(?:a?(?:sin|cos|tan)h?|atan2|exp(?:2|m1)?|log(?:2|10|1p)?|pow|sqrt|cbrt|ceil|floor|"
    r"round|trunc|rint|nearbyint|fma|fmod|hypot|fabs|f?abs|fm(?:in|ax)|lround|ldexp|frexp|isnan|"
    r"isinf)f?|"
    r"__tsan_(?:func_(?:entry|exit)|init|(?:unaligned_|volatile_)*(?:read|write)(?:\d+|_range)|"
    r"vptr_(?:update|read)|atomic\w+|mem\w+)|__ubsan_handle_out_of_bounds(?:_abort)?|"
    r"ladder_dynamic_shared|ladder::emulator::(?!trace|replay|set_(?!registers\b)|clear_|noted_|"
    r"launched_|whole_|last_run)\w+"
)
# What nvcc's code and launches need beside them.
GPU_CALLS = re.compile(
    r"__cuda\w+|cuda(?:LaunchKernel(?:ExC)?|Func(?:Set|Get)Attributes?|GetErrorName|GetErrorString|"
    r"GetLastError|GetDevice|DeviceGetAttribute|OccupancyMax\w+)|ladder::(?:workspace|ptx::\w+)|"
    r"(?:typeinfo|vtable) for ladder::\w+"
)
FORBIDDEN_CALLS = (
    (re.compile(r"cblas|[sd]gemm|cublas|openblas", re.I), "a library that multiplies matrices"),
    (re.compile(r"dl(?:open|sym|vsym|info)|dladdr"), "loading a library"),
    (
        re.compile(r"fork|exec|system|popen|clone|pthread|std::thread|spawn|kill|wait"),
        "processes and threads",
    ),
    (re.compile(r"sleep|clock|time|rdtsc|std::chrono"), "clocks and waiting"),
    (
        re.compile(
            r"f?open|f?read|write|creat|unlink|std::.*(?:stream|filebuf|ostream)|mmap|"
            r"std::filesystem"
        ),
        "files",
    ),
    (re.compile(r"printf|cout|cerr|perror"), "printing: use printf(), whose output nobody reads"),
    (re.compile(r"getenv|environ|prctl|ptrace|syscall"), "the process and its environment"),
    (re.compile(r"_?exit|_Exit|abort|raise|longjmp|std::terminate"), "leaving the process"),
    (re.compile(r"socket|connect|send|recv"), "the network"),
)
INSTRUCTIONS = re.compile(
    r"\t(syscall|sysenter|int |rdtscp?|rdpmc|rdrand|rdseed|cpuid|in |out |wrfsbase|wrgsbase|"
    r"xbegin|xgetbv|wrpkru|hlt)"
)
TABLE = re.compile(r"::kConfigurations$")  # of a rung that chooses; nothing writes to it
NOT_KEPT = re.compile(
    r"DW\.ref\.|typeinfo|vtable|guard variable for .*::__digits|"
    r"(?:guard variable for )?__device_stub__"  # of nvcc, one for each kernel
)


class UnreadableError(Exception):
    """An object that a tool of binutils cannot read, or has far too much to say about."""


def _lines_of(*command):
    """What a tool of binutils prints about the file that is its last word.

    Contained as compilers are, where the grader is built: a file may be made to harm the tool.
    """
    wrap = contained.words(read=command[-1:]) if contained.PROGRAM.exists() else ()
    code, said = contained.call(
        (*wrap, *command), "/", TOOL_SECONDS, MOST_TOOL_BYTES, errors=subprocess.DEVNULL
    )
    if code != 0 or len(said) >= MOST_TOOL_BYTES:
        raise UnreadableError(command[0])
    return said.splitlines()


def symbols_of(path):
    """[(type letter of nm, demangled name)]"""
    rows = (line[17:] for line in _lines_of("nm", "--demangle", str(path)))  # behind the address
    return [(row[0], row[2:]) for row in rows if len(row) > 2]


def reference_object(rung, flavour):
    """The object of the rung itself in this build."""
    if flavour == "gpu":
        return SOURCES / GPU_OBJECT.format(rung.folder)
    unit = re.sub(r"\W", "_", rung.folder)
    return SOURCES / OBJECTS.format(LIBRARY_OF[flavour], unit)


def _object_faults(path, rung, flavour, counters):
    """[(kind, sentence)]: what the object of a student's kernel calls, defines or keeps."""
    mine = symbols_of(path)
    reference = reference_object(rung, flavour)  # a student's repository has built none
    theirs = set(symbols_of(reference)) if reference.exists() else set()
    kept = kept_variables(path)
    faults = []
    for kind, name in mine:
        if (kind, name) in theirs:
            continue
        bare = re.sub(r"\(.*", "", name)
        own = f"ladder::{rung.name}::" in name
        if kind in "Uvw":
            gpu = flavour == "gpu" and GPU_CALLS.fullmatch(bare)
            if not own and not gpu and not CALLS.fullmatch(bare):
                faults.append(
                    (
                        "forbidden_symbol",
                        f"the kernel uses {_short(name)}{_about(name)}. "
                        "A kernel may not: remove it.",
                    )
                )
        elif name in kept and _only_counts(name, counters):
            continue
        elif name in kept and not NOT_KEPT.match(name) and not (own and TABLE.search(name)):
            faults.append(
                (
                    "kept_state",
                    f"the variable {_short(name)} keeps its value from call "
                    "to call. A kernel may not: remove it.",
                )
            )
        elif kind in "TDBRi" and not own:
            faults.append(
                (
                    "tampering",
                    f"the sources define {_short(name)}, outside of "
                    f"ladder::{rung.name}. Remove it.",
                )
            )
        elif kind in "WVu" and re.match(r"(?:\w+ )*ladder::emulator::|ladder::rungs|__tsan", name):
            if not re.search(r"run_grid<|CombineRequest<|::\{lambda|_FUN|Vector<|answer", name):
                faults.append(
                    (
                        "tampering",
                        f"the sources define {_short(name)}, which belongs to "
                        "the emulator. Remove it.",
                    )
                )
    faults += _section_faults(path, rung, flavour)
    for line in _lines_of("objdump", "-d", "--no-show-raw-insn", str(path)):
        bad = INSTRUCTIONS.search(line)
        if bad:
            faults.append(
                (
                    "forbidden_instruction",
                    f"the object has the instruction {bad[1]}, " "which no kernel needs.",
                )
            )
            break
    return faults


def kept_variables(path):
    """Names of the variables that a call could leave changed; __shared__ ones are thread-local."""
    sections = {}
    for line in _lines_of("readelf", "--sections", "--wide", str(path)):
        match = re.match(r"\s*\[\s*(\d+)\] (\S+)", line)
        if match:
            sections[match[1]] = match[2]
    found = set()
    for line in _lines_of("readelf", "--symbols", "--wide", "--demangle", str(path)):
        words = line.split(None, 7)
        section = sections.get(words[6], "") if len(words) == 8 else ""
        if re.match(r"\.(?:data|bss)(?!\.rel\.ro)", section) or (
            len(words) == 8 and words[6] == "COM"
        ):
            found.add(words[7].strip())
    return found - set(sections.values())


def _only_counts(name, counters):
    """Whether a variable, by its whole name, is one that only counts."""
    return re.sub(r".*::|\s*\[clone .*|\.\d+$", "", name) in counters


# What the instrumentation itself brings, where no rung is built to compare with, as in a class.
OF_THE_TRACER = {"plain": {}, "traced": {".init_array.00099": 8}}


def _section_faults(path, rung, flavour):
    """Code that runs before anybody calls the kernel."""

    def constructors(file):
        rows = (
            line.split("]", 1)[-1].split()
            for line in _lines_of("readelf", "--sections", "--wide", str(file))
            if "] ." in line
        )
        return {
            row[0]: int(row[4], 16)
            for row in rows
            if row
            and re.match(r"\.(?:init|fini|preinit)(?:_array)?|\.[cd]tors", row[0])
            and int(row[4], 16) > 0
        }

    reference = reference_object(rung, flavour)
    known = constructors(reference) if reference.exists() else OF_THE_TRACER[flavour]
    return [
        (
            "forbidden_section",
            "a constructor or destructor runs outside of the kernel's calls: "
            "remove objects with one that stand outside of functions.",
        )
        for section, size in constructors(path).items()
        if size > known.get(section, 0)
    ]


def _short(name):
    """A symbol for a sentence."""
    return name if len(name) <= 80 else name[:77] + "..."


def _about(name):
    """', which is ...'"""
    bare = re.sub(r"\(.*", "", name)
    for pattern, what in FORBIDDEN_CALLS:
        if pattern.search(bare):
            return f" ({what})"
    return ""


def defines_run(path, rung):
    """Whether an object has the function that the table of rungs calls."""
    begins = f"ladder::{rung.name}::run(ladder::Gemm<"
    return any(
        kind in "TW" and name.startswith(begins) and name.partition(",")[0].endswith("const&")
        for kind, name in symbols_of(path)
    )


def object_faults(objects, rung, counters=frozenset()):
    """[(kind, sentence)], each once: what the objects of a student's kernel call, define or keep.

    objects: {flavour: path}; counters: names of variables that may survive a call
    """
    faults = []
    for flavour, path in objects.items():
        try:
            if path.stat().st_size > MOST_OBJECT_BYTES:
                raise UnreadableError
            faults += _object_faults(path, rung, flavour, counters)
        except UnreadableError:
            faults.append(
                (
                    "forbidden_section",
                    "what the compiler makes of the kernel is too large, or has names too long, "
                    "to be looked at: no kernel needs that.",
                )
            )
    return list(dict.fromkeys(faults))
