"""Profiles rungs with Nsight Compute and files the counters as JSON.

    python3 -m bench.record.ncu_profile --size 4096 \\
        --out bench/results/nvidia-h200/profile_4096.json 01 02 03
    python3 -m bench.record.ncu_profile --shapes 333x420x260 129x132x68 \\
        --out bench/results/nvidia-h200/profile_ragged.json 01 02 03

One launch of each rung's kernel is profiled while `ladder run --no-timing` verifies it; of rung 00
cuBLAS's. The file has the context of a results file and, per rung and shape, {ncu metric: value in
base units}. What an existing file of the same GPU, driver and ncu has and is not asked for stays.
"""

import argparse
import csv
import io
import json

from bench import program, results_file, rungs
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop, version_of
from bench.results_forms.gpu import PROFILE

STALLS = (
    "long_scoreboard",
    "short_scoreboard",
    "barrier",
    "dispatch_stall",
    "lg_throttle",
    "mio_throttle",
    "math_pipe_throttle",
    "not_selected",
    "wait",
)

LADDER_KERNEL = "regex:^((small|thin)_)?kernel$"
VENDOR_KERNEL = "regex:gemm_f32f32|sgemm"

METRICS = (
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "launch__registers_per_thread",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.sum",
    "smsp__inst_executed.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "l1tex__m_xbar2l1tex_read_sectors.sum",
    "lts__t_requests_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    *(f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS),
)


def counters(ladder, profiled, extents):
    """{rung: {metric: value}} of the first launch of each rung's kernel."""
    m, n, k = extents
    vendor = profiled == ["00"]
    text = output_of(
        [
            "ncu",
            "--clock-control",
            "none",
            "--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--print-kernel-base",
            "mangled",  # with its namespace, which names the rung
            "--kernel-name",
            VENDOR_KERNEL if vendor else LADDER_KERNEL,
            *(["--launch-count", "1"] if len(profiled) == 1 else []),
            "--section",
            "SourceCounters",  # computes the memory_ figures
            "--metrics",
            ",".join(METRICS),
            ladder,
            "run",
            *profiled,
            *("--m", str(m), "--n", str(n), "--k", str(k)),
            "--device",
            "gpu",
            "--no-timing",
        ]
    )
    rows = list(
        csv.reader(
            io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))
        )
    )
    names = rows[0] if rows else []
    found = {}
    for values in rows[2:]:
        table = dict(zip(names, values))
        rung = profiled[0] if vendor else rung_of(table["Kernel Name"], profiled)
        if rung is None:
            continue
        missing = [metric for metric in METRICS if metric not in table]
        if missing:
            stop(f"this ncu does not know {', '.join(missing)}")
        found.setdefault(
            rung, {metric: float(table[metric].replace(",", "")) for metric in METRICS}
        )
    for rung in profiled:
        if rung not in found:
            stop(f"ncu profiled no kernel of rung {rung}:\n{text}")
    return found


def rung_of(kernel, profiled):
    """The rung whose name is the namespace of a kernel, as in _ZN6ladder11shared_tile6kernel...; or
    None: cuBLAS, which verifies the rungs, has kernels of the same name."""
    for rung in profiled:
        name = rungs.rung_of(int(rung)).name
        if f"ladder{len(name)}{name}" in kernel:
            return rung
    return None


def main():
    """Profiles the rungs named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rungs", nargs="+")
    sizes = parser.add_mutually_exclusive_group(required=True)
    sizes.add_argument("--size", type=int, help="M = N = K")
    sizes.add_argument("--shapes", nargs="+", type=shape, help="several MxNxK")
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="the program to profile")
    options = parser.parse_args()
    context = {**context_of(options.ladder, "gpu"), "profiler": version_of("ncu")}
    results = {"context": context, "benchmarks": others(options, context)}
    for m, n, k in shapes_of(options):
        for rung, metrics in counters(options.ladder, options.rungs, (m, n, k)).items():
            entry = {"name": f"profile_{rung}", "rung": int(rung), "m": m, "n": n, "k": k}
            results["benchmarks"].append({**entry, "metrics": metrics})
    results["benchmarks"].sort(key=place)
    write_whole(options.out, json.dumps(results, indent=2) + "\n")


def shape(text):
    """(M, N, K) from MxNxK."""
    return tuple(int(extent) for extent in text.split("x", 2))


def shapes_of(options):
    """The shapes to profile."""
    return options.shapes or [(options.size,) * 3]


def place(entry):
    """Where an entry of the file stands: shape by shape, rung by rung."""
    return entry["m"], entry["n"], entry["k"], entry["rung"]


def others(options, context):
    """Entries of the existing file for rungs and shapes that are not profiled now."""
    if not options.out.exists():
        return []
    old = results_file.read(options.out, PROFILE)
    for key in ("device", "cuda_driver", "profiler"):
        if old["context"].get(key) != context.get(key):
            stop(
                f"{options.out} was recorded with {key} {old['context'].get(key)}, this is "
                f"{context.get(key)}: give another file, or name all rungs and remove it"
            )
    new = {(*extents, int(rung)) for extents in shapes_of(options) for rung in options.rungs}
    return [entry for entry in old["benchmarks"] if place(entry) not in new]


if __name__ == "__main__":
    program.run(main)
