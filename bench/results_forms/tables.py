"""Forms of tables that programs of this tree read: rungs, device cards, claims, questions."""

from bench.forms import (
    count,
    each,
    extent,
    named,
    number,
    or_null,
    positive,
    record,
    rung_number,
    signed,
    text,
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
    l2_merging_gpcs=record(value=count),
    tf32_tflops=NOT_EVERY_GPU,
    bf16_tflops=NOT_EVERY_GPU,
)
QUESTION = record(id=text, question=text, unit=text)
