"""Forms of what the emulator counts, and of what it says of programs by others."""

from bench.forms import (
    count,
    each,
    extent,
    named,
    number,
    numbers,
    one_of,
    or_null,
    positive,
    record,
    rung_number,
    signed,
    text,
)
from bench.results_forms.gpu import SHAPE

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

TRACED = record(
    rung=rung_number,
    metrics=named(or_null(number)),
    launch=record(),
    optional={"arithmetic_intensity_dram": or_null(number)},
    **SHAPE,
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
STEP = record(
    array=text,
    operation=text,
    line=positive,
    sectors=count,
    addresses=each(numbers(-1, whole=True)),
)
