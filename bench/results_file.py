"""Reads files of results. What is not in the form of its kind is told in a sentence with its place.

read(path) knows the files of this tree by their names and gives dictionaries that name their file
where a key is missing; read(path, FORM) takes a user's file as one of a kind. A number is finite,
from 0 to 1e18, and above 0 where it is divided by.
"""

import functools
import json
import math
import pathlib

from bench import SOURCES

MOST = 1e18  # of any figure: bytes of the largest trace have 13 digits
EXTENT = 2**31 - 1


class FigureError(Exception):
    """A figure that is asked for but not recorded."""

    def _render_traceback_(self):
        """A notebook shows the sentence alone."""
        return [f"{type(self).__name__}: {self}"]


class ResultsError(FigureError):
    """A file of results that cannot be read, or that says what cannot be."""

    def __init__(self, path, sentence):
        """A file of this tree can be brought back."""
        super().__init__(f"{path}: {sentence}{restore(path)}")


def restore(path):
    """'; `git restore FILE` brings ...' for a file of this tree; else nothing."""
    path = pathlib.Path(path)
    known = not path.is_absolute() or path.resolve().is_relative_to(SOURCES)
    if not known or form_of(path) is None:
        return ""
    return f"; `git restore {path}` brings the committed file back"


class WrongError(Exception):
    """(where in the file, what is wrong)"""


class Record(dict):
    """A dictionary that names its file where somebody asks for a key that it lacks."""

    def __init__(self, values, path, place=""):
        """`place` is where in the file it stands: 'benchmarks[3]'"""
        super().__init__(values)
        self.path, self.place = path, place

    def __missing__(self, key):
        """A key that the file should have."""
        raise ResultsError(self.path, f"{self.place or 'the file'} has no '{key}'")


# A form takes (value, path, place) and gives what readers get, or raises WrongError.


def shown(value):
    """A wrong value in a sentence."""
    kinds = {dict: "an object", list: "a list"}
    if type(value) in kinds:
        return kinds[type(value)]
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def expect(holds, value, place, wanted):
    """Raises WrongError where a value is not what is wanted."""
    if not holds:
        raise WrongError(place, f"is {shown(value)}, and should be {wanted}")


def anything(value, path, place):
    """Any JSON, its dictionaries as Records."""
    if isinstance(value, dict):
        fields = {k: anything(v, path, f"{place}.{k}".lstrip(".")) for k, v in value.items()}
        return Record(fields, path, place)
    if isinstance(value, list):
        return [anything(entry, path, f"{place}[{i}]") for i, entry in enumerate(value)]
    return value


def text(value, _path, place):
    """A string."""
    expect(isinstance(value, str), value, place, "text")
    return value


def one_of(*words):
    """One of these words."""

    def of_words(value, _path, place):
        expect(value in words, value, place, f"one of {', '.join(words)}")
        return value

    return of_words


def truth(value, _path, place):
    """true or false."""
    expect(isinstance(value, bool), value, place, "true or false")
    return value


def numbers(least=0.0, most=MOST, above=None, whole=False):
    """A form of numbers from least to most, or above a limit."""
    kind = "a whole number" if whole else "a number"
    limits = f"above {above:g}" if above is not None else f"from {least:g} on"
    limits = f"from {least} to {most}" if most != MOST else limits

    def form(value, _path, place):
        right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        right = right and -MOST <= value <= MOST and math.isfinite(value)
        right = right and least <= value <= most and (above is None or value > above)
        expect(right, value, place, f"{kind} {limits}")
        return value

    return form


number = numbers()
positive = numbers(above=0)
count = numbers(0, whole=True)
signed = numbers(-MOST)
extent = numbers(1, EXTENT, whole=True)
rung_number = numbers(0, 99, whole=True)


def or_null(form):
    """The form, or null."""
    return lambda value, path, place: None if value is None else form(value, path, place)


def either(*forms):
    """The first form that fits; what the last one says where none does."""

    def form(value, path, place):
        for each in forms[:-1]:
            try:
                return each(value, path, place)
            except WrongError:
                continue
        return forms[-1](value, path, place)

    return form


def either_by(key, having, lacking):
    """A form of objects with a key, and another of those without it."""

    def form(value, path, place):
        chosen = having if isinstance(value, dict) and key in value else lacking
        return chosen(value, path, place)

    return form


def each(form, least=1, most=None):
    """A list of at least so many; most: and of at most so many."""

    def of_list(value, path, place):
        expect(isinstance(value, list), value, place, "a list")
        if len(value) < least or most is not None and len(value) > most:
            raise WrongError(
                place,
                f"has {len(value)} entries, and should have "
                + (f"{least}" if most == least else f"{least} or more"),
            )
        return [form(entry, path, f"{place}[{i}]") for i, entry in enumerate(value)]

    return of_list


def named(form, least=1):
    """An object with a value of this form under every name."""

    def of_object(value, path, place):
        expect(isinstance(value, dict), value, place, "an object")
        if len(value) < least:
            raise WrongError(place, "is empty")
        fields = {k: form(v, path, f"{place}.{k}".lstrip(".")) for k, v in value.items()}
        return Record(fields, path, place)

    return of_object


def pair(first, second):
    """A list of two values."""

    def of_pair(value, path, place):
        expect(isinstance(value, list) and len(value) == 2, value, place, "a list of two values")
        forms = zip((first, second), value, strict=True)
        return [form(entry, path, f"{place}[{i}]") for i, (form, entry) in enumerate(forms)]

    return of_pair


def record(optional=None, **needed):
    """An object with these fields; others may be anything."""
    optional = optional or {}

    def of_object(value, path, place):
        expect(isinstance(value, dict), value, place, "an object")
        lacks = [name for name in needed if name not in value]
        if lacks:
            raise WrongError(place, f"has no '{lacks[0]}'")
        forms = {**optional, **needed}
        fields = {
            name: forms.get(name, anything)(entry, path, f"{place}.{name}".lstrip("."))
            for name, entry in value.items()
        }
        return Record(fields, path, place)

    return of_object


def results(entry, context=None, least=1):
    """What our programs write: who made the figures, and a list of them."""
    return record(context=context or record(device=text), benchmarks=each(entry, least))


READINGS = or_null(record(optional={"min": number, "median": number, "max": number}))
MACHINE = record(
    device=text,
    cuda_driver=text,
    protocol=or_null(text),
    optional={
        "cuda_toolkit": text,
        "cublas": text,
        "sm_clock_mhz": READINGS,
        "power_w": READINGS,
        "profiler": text,
        "sanitizer": text,
    },
)
METRICS = named(number)
SHAPE = {"m": extent, "n": extent, "k": extent}
TIMED = {
    "time_ms": or_null(positive),
    "tflops": or_null(positive),
    "ratio_to_cublas": or_null(positive),
    "ratio_to_best": or_null(positive),
    "spread": or_null(number),
    "samples_ms": or_null(each(positive)),
    "sm_clock_mhz": READINGS,
    "power_w": READINGS,
    "error_over_bound": or_null(number),
    "difference_to_cublas": or_null(number),
    "outcome": text,
    "note": text,
    "seed": count,
    "verified": truth,
}


def timed(value, path, place):
    """A climb's entry: what was timed has all figures."""
    entry = record(name=text, rung=or_null(rung_number), **SHAPE, optional=TIMED)(
        value, path, place
    )
    if entry.get("time_ms") is None and entry.get("tflops") is None:
        return entry
    for name in ("time_ms", "tflops", "ratio_to_best"):
        expect(entry.get(name) is not None, entry.get(name), f"{place}.{name}", "a figure")
    return entry


CLIMB = results(timed, MACHINE)
PROFILE = results(
    record(rung=rung_number, metrics=METRICS, optional={"configuration": text}, **SHAPE), MACHINE
)
PREDICATES = results(
    record(
        rung=rung_number,
        instruction=text,
        predicate=text,
        executed=positive,
        tag_requests=count,
        wavefronts=count,
        wavefronts_ideal=count,
        **SHAPE,
    ),
    MACHINE,
)
ROOFS = results(
    record(name=text, value=positive, optional={"unit": text}),
    record(device=text, optional={"cuda_driver": text, "protocol": or_null(text)}),
)
SAMPLES = either(positive, each(positive))
BENCHMARKED = record(device=text, optional={"protocol": text, "cublas": text})
ROWS = record(
    context=BENCHMARKED,
    rows=each(
        record(
            name=text,
            ms=each(positive),
            launches_per_sample=positive,
            spread=number,
            power_w=or_null(SAMPLES),
            sm_mhz=or_null(SAMPLES),
            cpu_time=anything,
            optional={"precision": text, "roof_tflops": positive},
        )
    ),
)
SAMPLE = record(
    run_name=text,
    run_type=text,
    optional={
        "name": text,
        "real_time": positive,
        "tflops": positive,
        "ratio_to_cublas": positive,
        "ratio_to_best": positive,
        "label": text,
        "share_of_measured_roof": positive,
        "spread": number,
        "launches_per_sample": positive,
        "repetition_index": count,
    },
)
NO_SAMPLE = record(
    run_name=text, run_type=text, optional={"error_occurred": truth, "error_message": text}
)


def sample(value, path, place):
    """An entry of Google Benchmark; a mean of samples or a failed one may have any figures."""
    entry = NO_SAMPLE(value, path, place)
    if entry["run_type"] != "iteration" or entry.get("error_occurred"):
        return entry
    return SAMPLE(value, path, place)


SAMPLED = record(context=BENCHMARKED, benchmarks=each(sample, 0))
ESTIMATE = record(value=signed, low=signed, high=signed)
VERDICT = one_of("holds", "condition", "wrong", "pending", "simulated")
LAB = record(  # bench/labs/report_json.cpp
    context=record(device=text),
    lab=text,
    quick=truth,
    seed=count,
    seconds=number,
    findings=each(record(key=text, name=text, value=or_null(ESTIMATE), unit=text, how=text), 0),
    claims=each(record(row=text, claimed=text, because=text, verdict=VERDICT), 0),
    notes=each(text, 0),
    series=each(
        record(
            name=text,
            x_name=text,
            x_unit=text,
            y_name=text,
            y_unit=text,
            points=each(record(x=signed, samples=each(signed))),
        ),
        0,
    ),
)
TOOL_RUN = record(
    name=text,
    tool=text,
    fault=or_null(text),
    fault_at=or_null(text),
    at_the_fault=truth,
    count=or_null(count),
    cuda=or_null(text),
    killed_after_s=or_null(number),
    message=or_null(text),
    places=each(text, 0),
)
PLACE_OF_LAUNCH = {"kernel": text, "grid": each(extent, 3, 3), "block": each(extent, 3, 3)}
COUNTED_PROGRAM = record(
    name=text, output=text, launches=each(record(metrics=named(count), **PLACE_OF_LAUNCH))
)
EMULATED_PROGRAM = record(
    name=text,
    output=text,
    launches=each(
        record(
            operations=named(record(requests=count, sectors=count, lines=count, wavefronts=count)),
            **PLACE_OF_LAUNCH,
        )
    ),
)
FOUND = {"kind": text, "file": text, "line": count, "message": text, "times": positive}
PUBLIC_PROGRAM = record(
    repository=text,
    path=text,
    scope=or_null(text),
    optional={
        "outcome": text,
        "said": text,
        "exit_code": signed,
        "told": or_null(text),
        "files": each(text),
        "arguments": each(text),
        "definitions": each(text),
        "nvcc": each(text),
        "seconds": number,
        "launches": count,
        "traced": count,
        "requests": count,
        "never_freed": count,
        "commit": text,
        "hazards": each(record(kernel=text, array=text, other_line=or_null(count), **FOUND), 0),
        "calls": each(record(**FOUND), 0),
    },
)
JUDGEMENT = record(
    repository=text,
    path=text,
    lines=each(count),
    why=text,
    verdict=one_of("bug", "harmless", "meant", "false"),
)
LOOP = record(
    name=text,
    rung=rung_number,
    change=text,
    registers=count,
    stack_bytes=count,
    spill_store_bytes=count,
    spill_load_bytes=count,
    instructions=positive,
    counts=named(count),
    order=each(pair(text, count)),
)
COUNTED_LOOP = {"three_fresh": count, "instructions": positive, "ffma": positive}
COPY = record(
    name=text,
    rung=rung_number,
    taken_away=text,
    registers=count,
    stack_bytes=count,
    spill_store_bytes=count,
    lds_128=count,
    cycles_per_ffma=positive,
    **COUNTED_LOOP,
)
COPY_TIME = {
    "time_ms": positive,
    "tflops": positive,
    "ratio_to_best": positive,
    "ratio_to_unchanged": or_null(positive),
}


def copy_time(value, path, place):
    """A rung's copy with its time; a library may have none."""
    entry = record(name=text, rung=or_null(rung_number), taken_away=or_null(text), m=extent)(
        value, path, place
    )
    return entry if entry["rung"] is None else record(**COPY_TIME)(entry, path, place)


COMPILER = record(compiler=text)
WAYS = named(number)
TRACED = record(
    rung=rung_number,
    metrics=named(or_null(number)),
    launch=record(),
    optional={"arithmetic_intensity_dram": or_null(number)},
    **SHAPE,
)
KERNEL = record(
    function=text,
    threads=positive,
    registers=or_null(positive),
    registers_at=or_null(extent),
    blocks_per_sm=or_null(positive),
    limits=or_null(text),
    static_shared_bytes=count,
    dynamic_shared_bytes=count,
    locals=named(signed, 0),
    template=named(signed, 0),
)
TRIPLE = each(extent, 3, 3)
LAUNCH = record(shape=TRIPLE, grid=each(positive, 3, 3), kernel=count, cluster=positive)
CONFIGURATION = record(
    name=text,
    BM=positive,
    BN=positive,
    BK=positive,
    blocks_per_sm=positive,
    cluster=positive,
    fan_in=count,
    kernels=each(count),
)
PLAN = record(
    shape=TRIPLE,
    configuration=text,
    optional={name: count for name in ("tiles", "whole_tiles", "ranks", "share", "longer")}
    | {"k_tiles": positive},
)
RUNG = record(
    number=rung_number,
    name=text,
    folder=text,
    idea=text,
    sources=text,
    builds_on=or_null(rung_number),
    precision=text,
    compute_capability=positive,
    needs=text,
    architectures=each(text),
    architecture=or_null(text),
    multiple_of=positive,
    tile=or_null(each(extent, 2, 2)),
    about=or_null(
        record(counter=text, words=text, value=number, text=text, below=number, below_text=text)
    ),
    constants=named(signed, 0),
    kernels=each(KERNEL, 0),
    launches=each(LAUNCH, 0),
    configurations=each(CONFIGURATION, 0),
    plans=each(PLAN, 0),
)
REQUEST = record(
    array=text,
    operation=text,
    access_bytes=positive,
    sectors=count,
    lines=count,
    wavefronts=count,
    addresses=each(numbers(-1, whole=True), 0),
)
LINE = record(line=positive, operation=text, requests=count, sectors=count, ideal_sectors=count)
OPTIONS = {"options": each(text, 0)}
KERNEL_REPORT = record(
    kernel=text, registers=count, stack=count, spill_stores=count, spill_loads=count
)
STAGES = record(
    context=record(nvcc=text, host_compiler=text, arch=text),
    sources=named(text),
    steps=each(
        record(
            tool=text,
            arch=or_null(text),
            reads=each(text, 0),
            writes=each(text, 0),
            optional={"for": text},
        )
    ),
    phases=each(
        record(
            phase=text,
            inputs=each(text),
            product=text,
            bytes=or_null(count),
            status=count,
            **OPTIONS,
        )
    ),
    architectures=each(
        record(compiles=each(text, 0), images=each(text, 0), refused=or_null(text), **OPTIONS)
    ),
    features=each(record(status=count, said=text, **OPTIONS)),
    separate=each(record(command=text, status=count, said=text)),
    macros=each(record(arguments=each(text), macros=named(or_null(text)))),
    suffixes=each(record(suffix=text, refused=or_null(text), tools=each(text, 0))),
    registers=record(text=each(text), kernels=each(KERNEL_REPORT)),
    debug=each(record(loc_lines=count, code_bytes=count, debug_sections=each(text, 0), **OPTIONS)),
    inside=record(
        ptx=each(text),
        sass=or_null(each(text, 0)),
        left_out=or_null(each(text, 0)),
        images=or_null(each(text, 0)),
        **{"scale.o": named(count), "scale.cubin": named(count)},
    ),
)
CLAIM = record(
    group=text,
    claim=text,
    who=text,
    verdict=or_null(text),
    because=text,
    evidence=each(record(text=text, at=text)),
    optional={"needs": text},
)
CARD_NUMBER = record(value=positive)
CARD_NUMBERS = (
    "compute_capability",
    "sms",
    "sm_clock_mhz",
    "max_threads_per_sm",
    "max_warps_per_sm",
    "max_blocks_per_sm",
    "registers_per_sm",
    "register_allocation_unit",
    "shared_bytes_per_sm",
    "shared_allocation_unit_bytes",
    "max_shared_bytes_per_block",
    "l1_and_shared_bytes_per_sm",
    "l2_bytes",
    "l2_ways",
    "l2_partitions",
    "dram_bytes",
    "dram_bytes_per_second",
    "fp32_tflops",
)
NOT_EVERY_GPU = record(value=or_null(positive))
CARD = record(
    name=record(value=text),
    **dict.fromkeys(CARD_NUMBERS, CARD_NUMBER),
    shared_bytes_reserved_per_block=record(value=count),
    tf32_tflops=NOT_EVERY_GPU,
    bf16_tflops=NOT_EVERY_GPU,
)
QUESTION = record(id=text, question=text, unit=text)

RANKS_TIME = record(time_ms=positive, samples_ms=each(positive))
RANKS_STEP = record(
    step=text,
    time_ms=positive,
    samples_ms=each(positive),
    speed_up=positive,
    share_of_possible=positive,
)
RANKS_FORM = record(
    name=text,
    precision=text,
    rung=text,
    ranks=positive,
    hosts=positive,
    links=text,
    verdicts=each(record(step=text, ran=truth), 0),
    measured=or_null(
        record(
            one_gpu=RANKS_TIME,
            compute=RANKS_TIME,
            communication=RANKS_TIME,
            received_bytes=number,
            link_gbps=number,
            possible=positive,
            steps=each(RANKS_STEP),
        )
    ),
    **SHAPE,
)
FUSED_MATMUL = record(
    name=text, precision=text, time_ms=named(positive), speed_up=named(positive), **SHAPE
)

# The files of this tree, by the end of their path; the first that fits.
FORMS = {
    "bench/results/*/climb_*.json": CLIMB,
    "bench/results/*/profile_*.json": PROFILE,
    "bench/results/*/roofs.json": ROOFS,
    "bench/results/*/benchmark_*.json": either_by("rows", ROWS, SAMPLED),
    "bench/results/*/drawn_shapes.json": either_by("rows", ROWS, SAMPLED),
    "bench/results/emulator/gallery.json": record(
        benchmarks=each(record(name=text, reported=each(text, 0)))
    ),
    "bench/results/drawn_systems.json": record(
        benchmarks=each(
            record(
                name=text,
                family=text,
                systems=positive,
                recovered=count,
                not_found=count,
                wrong=count,
                width_percent=or_null(number),
            )
        )
    ),
    "bench/results/*/copy_predicates.json": PREDICATES,
    "bench/results/emulator/own_programs.json": results(EMULATED_PROGRAM),
    "bench/results/*/own_programs.json": results(COUNTED_PROGRAM, MACHINE),
    "bench/results/emulator/traces*.json": results(TRACED),
    "bench/results/public_programs.json": record(
        context=record(commits=named(text), seconds=positive), programs=each(PUBLIC_PROGRAM)
    ),
    "bench/results/public_programs_judged.json": record(judgements=each(JUDGEMENT)),
    "bench/results/sass/ablations.json": results(COPY, COMPILER),
    "bench/results/sass/loops.json": results(LOOP, COMPILER),
    "bench/results/sass/near_loops.json": results(
        record(
            name=text,
            instructions=positive,
            loads=positive,
            stores=count,
            popc=count,
            loop=each(text),
        ),
        COMPILER,
    ),
    "bench/results/sass/orders.json": results(
        record(
            rung=rung_number,
            order=text,
            same_bank=count,
            lds=count,
            spills=count,
            registers=count,
            **COUNTED_LOOP,
        ),
        COMPILER,
    ),
    "bench/results/*/torch_side_aware.json": results(
        record(
            name=text,
            optional={"right": truth, "gbps": record(min=positive, median=positive, max=positive)},
        ),
        record(device=text, torch=text, mask=text, elements=positive),
    ),
    "bench/results/*/many_gpus_*.json": results(RANKS_FORM, MACHINE),
    "bench/results/*/fused_matmul*.json": results(
        FUSED_MATMUL, record(device=text, torch=text, nccl=text, ranks=positive)
    ),
    "bench/results/*/machine.json": record(
        device=text, commit=text, nvcc=or_null(text), compiler=text, system=text
    ),
    "bench/results/nvcc/stages.json": STAGES,
    "bench/results/nvcc/architectures.json": results(
        record(
            rung=rung_number,
            architecture=text,
            kernels=positive,
            most_registers=positive,
            kernels_that_spill=count,
            spill_store_bytes=count,
            spill_load_bytes=count,
        ),
        COMPILER,
    ),
    "bench/results/*/ablations.json": results(copy_time, MACHINE),
    "bench/results/*/configuration_times.json": anything,
    "bench/results/*/cuda_gdb.json": results(
        record(name=text, shows=text, steps=each(record(command=text, output=each(text, 0)))),
        record(device=text, cuda_toolkit=text),
    ),
    "bench/results/*/gallery.json": results(TOOL_RUN, MACHINE),
    "bench/results/*/stream_sanitizer.json": results(
        record(name=text, sound=truth, found_by=each(text, 0), summaries=named(text))
    ),
    "bench/results/*/kv_pipeline.json": results(anything),
    "bench/results/*/l2_strides.json": results(
        record(
            stride_bytes=positive, gbps=positive, other_stride_bytes=positive, other_gbps=positive
        )
    ),
    "bench/results/*/speed_points.json": results(
        record(
            rung=rung_number, version=text, runs=each(record(points=number, ratios=each(number)))
        ),
        MACHINE,
    ),
    "bench/results/*/lab_*.json": LAB,
    "bench/results/emulator/raster_orders_h200.json": LAB,
    "bench/results/*/raster_orders.json": results(
        record(
            size=extent,
            order=text,
            parts=positive,
            read_bytes=number,
            written_bytes=number,
            l2_hit_rate=number,
            ms=number,
        ),
        MACHINE,
    ),
    "bench/results/*/sanitizer.json": results(record(name=text, clean=truth, **SHAPE), MACHINE),
    "bench/results/rounding.json": results(
        record(
            k=extent,
            positive=truth,
            trials=positive,
            error=WAYS,
            largest=WAYS,
            sum_over_scale=positive,
        ),
        record(seed=count),
    ),
    "bench/results/labs.json": each(
        record(number=text, name=text, question=text, needs=text, quick_seconds=number)
    ),
    "bench/results/rungs.json": record(rungs=each(RUNG)),
    "bench/results/shapes.json": record(
        graph_below_flop=positive, shapes=each(record(set=text, shape=TRIPLE, reason=text))
    ),
    "common/devices/*.json": CARD,
    "docs/figures/data/requests.json": named(each(REQUEST)),
    "docs/figures/data/lines.json": named(each(LINE)),
    "docs/chapters/claims.json": each(CLAIM),
    "ladder/questions.json": named(each(QUESTION)),
}


@functools.cache
def form_of(path):
    """The form of a file of this tree, by its name; None for others."""
    for pattern, form in FORMS.items():
        if pathlib.PurePath(path).match(pattern):
            return form
    return None


def lines_of(path):
    """A file's text; a sentence where there is none."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ResultsError(path, "holds bytes that are no text") from error


def refused_constant(name):
    """NaN and the like are no JSON."""
    raise ValueError(f"{name} is no number")


def in_form(text_of_file, path, form):
    """JSON text in a form; `path` is what sentences call it."""
    try:
        found = json.loads(text_of_file, parse_constant=refused_constant)
    except RecursionError as error:
        raise ResultsError(path, "is nested too deep") from error
    except ValueError as error:
        what = f"is no JSON ({error}): was its program stopped?"
        what = what if text_of_file.strip() else "is empty"
        raise ResultsError(path, what) from error
    try:
        return form(found, path, "")
    except WrongError as wrong:
        place, what = wrong.args
        raise ResultsError(path, f"{place or 'the file'} {what}") from wrong


@functools.lru_cache(maxsize=64)
def _read(reader, path, more, _folder, _stamp):
    return reader(path, *more)


def read_once(reader, path, *more):
    """reader(path, *more), called again only when the file has changed. Nobody may change what it
    returns. ResultsError where there is no file."""
    path = pathlib.Path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from error
    return _read(
        reader,
        path,
        more,
        str(pathlib.Path.cwd()),
        (status.st_ino, status.st_mtime_ns, status.st_size),
    )


def _read_form(path, form):
    return in_form(lines_of(path), path, form)


def read(path, form=None):
    """A file in its form; ResultsError says what is wrong with it. Files are read once."""
    return read_once(_read_form, path, form or form_of(path) or anything)
