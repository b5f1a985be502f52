"""Forms of what compilers make: loops in SASS, copies of rungs, the stages of nvcc."""

from bench.forms import count, each, named, or_null, pair, positive, record, rung_number, text

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

COMPILER = record(compiler=text)

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
    hosts=each(record(how=text, compiles=or_null(text), links=or_null(text), said=text)),
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
