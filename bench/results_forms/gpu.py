"""Forms of what programs measure on a GPU: climbs, profiles, benchmarks, labs, several GPUs."""

from bench.forms import (
    anything,
    count,
    each,
    either,
    expect,
    extent,
    named,
    number,
    one_of,
    or_null,
    positive,
    record,
    results,
    rung_number,
    signed,
    text,
    truth,
)

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
    "launches_per_sample": or_null(positive),
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
L2_PROBES = results(
    record(
        name=text,
        sms=positive,
        what=text,
        cycles_later=count,
        in_l2=truth,
        lines=positive,
        sectors_asked=count,
        sectors_read=count,
    ),
    MACHINE,
)
ROOFS = results(
    record(name=text, value=positive, optional={"unit": text}),
    record(device=text, optional={"cuda_driver": text, "protocol": or_null(text)}),
)
SIDE_TRIALS = results(
    record(
        name=text,
        what=text,
        **SHAPE,
        time_ms=positive,
        tflops=positive,
        ratio_to_best=positive,
        spread=number,
        samples_ms=each(positive),
    ),
    record(
        device=text,
        cuda_driver=text,
        protocol=text,
        sms=positive,
        sms_of_side_1=positive,
        held_out=positive,
        optional={
            "cuda_toolkit": text,
            "cublas": text,
            "sm_clock_mhz": READINGS,
            "power_w": READINGS,
        },
    ),
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
RANKS_PREDICTION = record(
    name=text,
    precision=text,
    ranks=positive,
    one_ms=positive,
    compute_ms=positive,
    communication_ms=positive,
    steps=named(record(ms=positive, speed_up=positive)),
    **SHAPE,
)
RANKS_TIMELINE = record(
    name=text,
    precision=text,
    ranks=positive,
    links=text,
    columns=each(text),
    tracks=each(record(rank=count, intervals=each(anything), dropped=count)),
    **SHAPE,
)
FUSED_MATMUL = record(
    name=text, precision=text, time_ms=named(positive), speed_up=named(positive), **SHAPE
)
SPLIT_PRECISION = record(
    context=MACHINE,
    emulated_sgemm_refused=text,
    benchmarks=each(
        record(
            name=text,
            size=extent,
            outcome=text,
            took=text,
            error_over_bound=or_null(number),
            relative_error=or_null(number),
            **{name: or_null(positive) for name in ("time_ms", "tflops", "over_sgemm")},
        )
    ),
    hard_inputs=each(
        record(
            name=text,
            about=text,
            took=text,
            **{name: or_null(number) for name in ("error", "error_of_sgemm", "error_over_bound")},
        )
    ),
)
INTERVAL = or_null(record(value=positive, low=positive, high=positive))
ENERGY = results(  # bench/benchmark/energy.cpp
    record(
        name=text,
        precision=text,
        inputs=text,
        inputs_are=text,
        **{
            name: INTERVAL
            for name in (
                "time_ms",
                "sm_mhz",
                "power_w",
                "counter_w",
                "joules_by_counter",
                "joules_by_readings",
                "pj_per_flop_by_counter",
                "pj_per_flop_by_readings",
            )
        },
        power_capped=or_null(record(value=number, low=number, high=number)),
        rounds=each(
            record(
                time_ms=positive,
                counter_doubt=text,
                clocks=each(each(number, 2, 2), 0),
                **{
                    name: or_null(number)
                    for name in ("sm_mhz", "power_w", "power_capped", "counter_w")
                },
            )
        ),
        **SHAPE,
    ),
    record(
        device=text,
        cuda_driver=text,
        protocol=text,
        rest_s=number,
        warm_s=number,
        counted_s=positive,
        rounds=positive,
        optional={"cuda_toolkit": text, "sm_clock_mhz": READINGS, "power_w": READINGS},
    ),
)
