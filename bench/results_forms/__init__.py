"""The form of every file of results of this tree, by its name."""

from bench.forms import (
    anything,
    count,
    each,
    either_by,
    extent,
    named,
    number,
    or_null,
    positive,
    record,
    results,
    rung_number,
    text,
    truth,
)
from bench.results_forms.compiler import COMPILER, COPY, COUNTED_LOOP, LOOP, STAGES
from bench.results_forms.emulator import (
    COUNTED_PROGRAM,
    EMULATED_PROGRAM,
    JUDGEMENT,
    PUBLIC_PROGRAM,
    REQUEST,
    STEP,
    TRACED,
)
from bench.results_forms.gpu import (
    CLIMB,
    ENERGY,
    FUSED_MATMUL,
    L2_PROBES,
    LAB,
    MACHINE,
    PREDICATES,
    PROFILE,
    RANKS_FORM,
    RANKS_PREDICTION,
    RANKS_TIMELINE,
    ROOFS,
    ROWS,
    SAMPLED,
    SHAPE,
    SIDE_TRIALS,
    SPLIT_PRECISION,
    TOOL_RUN,
    copy_time,
)
from bench.results_forms.tables import CARD, CLAIM, QUESTION, RUNG, TRIPLE

# The files of this tree, by the end of their path; the first that fits.
FORMS = {
    "bench/results/*/climb_*.json": CLIMB,
    "bench/results/*/profile_*.json": PROFILE,
    "bench/results/*/roofs.json": ROOFS,
    "bench/results/*/side_trials.json": SIDE_TRIALS,
    "bench/results/*/energy.json": ENERGY,
    "bench/results/*/tensor_shapes.json": results(
        record(name=text, rung=rung_number, **SHAPE, tflops=positive, best_tflops=positive), MACHINE
    ),
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
    "bench/results/*/l2_probes.json": L2_PROBES,
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
    "bench/results/many_gpus_predicted.json": results(
        RANKS_PREDICTION,
        record(fitted_to=each(text), error=named(number), as_in_fp32=named(each(text, 0))),
    ),
    "bench/results/*/ranks_timeline_*.json": results(RANKS_TIMELINE, record(device=text)),
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
    "bench/results/*/size_times.json": anything,
    "bench/results/*/cuda_gdb.json": results(
        record(name=text, shows=text, steps=each(record(command=text, output=each(text, 0)))),
        record(device=text, cuda_toolkit=text),
    ),
    "bench/results/cuda_gdb_host.json": results(
        record(
            name=text,
            shows=text,
            cuda_gdb=text,
            words=each(text, 0),
            steps=each(record(command=text, output=each(text, 0))),
        ),
        record(),
    ),
    "bench/results/*/gallery.json": results(TOOL_RUN, MACHINE),
    "bench/results/*/stream_sanitizer.json": results(
        record(name=text, sound=truth, found_by=each(text, 0), summaries=named(text))
    ),
    "bench/results/*/kv_pipeline.json": results(anything),
    "bench/results/*/side_boost_rope.json": results(
        record(name=text, pairs=positive, wrong=count, ms=positive, gbps=positive)
    ),
    "bench/results/*/l2_strides_requests.json": results(
        record(
            stride_bytes=positive,
            slices=positive,
            least=positive,
            mean=positive,
            most=positive,
            threads=positive,
        )
    ),
    "bench/results/*/kv_pipeline_requests.json": results(
        record(
            array_mib=positive,
            asked=positive,
            received=positive,
            looked_up=positive,
            l1_hits=number,
            from_other_side=number,
        )
    ),
    "bench/results/*/l2_strides.json": results(
        record(
            stride_bytes=positive, gbps=positive, other_stride_bytes=positive, other_gbps=positive
        )
    ),
    "bench/results/*/split_precision.json": SPLIT_PRECISION,
    "bench/results/emulator/splitting.json": results(
        record(
            k=extent, positive=truth, sums=positive, error=named(number), sum_over_scale=positive
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
            error=named(number),
            largest=named(number),
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
    "docs/figures/data/first_steps.json": named(each(STEP)),
    "docs/chapters/claims.json": each(CLAIM),
    "ladder/questions.json": named(each(QUESTION)),
}
