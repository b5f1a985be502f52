"""Profiles rungs with Nsight Compute and files the counters as JSON.

    python3 -m bench.record.ncu_profile --size 4096 \\
        --out bench/results/nvidia-h200/profile_4096.json 01 02 03

One launch of each rung's kernel is profiled while `ladder run --no-timing` verifies it; of rung 00
cuBLAS's. The file has the context of a results file and, per rung, {ncu metric: value in base
units}. Rungs that an existing file of the same GPU, driver and ncu has and that are not named stay.
"""

import argparse
import csv
import io
import json

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop, version_of

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
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    *(f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS),
)


def counters(ladder, rung, size):
    """{metric: value} of the first launch of the rung's kernel."""
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
            "--kernel-name",
            VENDOR_KERNEL if int(rung) == 0 else LADDER_KERNEL,
            "--launch-count",
            "1",
            "--section",
            "SourceCounters",  # computes the memory_ figures
            "--metrics",
            ",".join(METRICS),
            ladder,
            "run",
            rung,
            "--size",
            str(size),
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
    if len(rows) < 3:
        stop(f"ncu profiled no kernel of rung {rung}:\n{text}")
    names, _units, values = rows[:3]
    table = dict(zip(names, values))
    missing = [metric for metric in METRICS if metric not in table]
    if missing:
        stop(f"this ncu does not know {', '.join(missing)}")
    return {metric: float(table[metric].replace(",", "")) for metric in METRICS}


def main():
    """Profiles the rungs named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rungs", nargs="+")
    parser.add_argument("--size", type=int, required=True, help="M = N = K")
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="the program to profile")
    options = parser.parse_args()
    context = {**context_of(options.ladder, "gpu"), "profiler": version_of("ncu")}
    results = {"context": context, "benchmarks": others(options, context)}
    for rung in options.rungs:
        results["benchmarks"].append(
            {
                "name": f"profile_{rung}",
                "rung": int(rung),
                "m": options.size,
                "n": options.size,
                "k": options.size,
                "metrics": counters(options.ladder, rung, options.size),
            }
        )
    results["benchmarks"].sort(key=lambda entry: entry["rung"])
    write_whole(options.out, json.dumps(results, indent=2) + "\n")


def others(options, context):
    """Entries of the existing file for rungs that are not profiled now."""
    if not options.out.exists():
        return []
    old = results_file.read(options.out, results_file.PROFILE)
    for key in ("device", "cuda_driver", "profiler"):
        if old["context"].get(key) != context.get(key):
            stop(
                f"{options.out} was recorded with {key} {old['context'].get(key)}, this is "
                f"{context.get(key)}: give another file, or name all rungs and remove it"
            )
    rungs = {int(rung) for rung in options.rungs}
    return [entry for entry in old["benchmarks"] if entry["rung"] not in rungs]


if __name__ == "__main__":
    program.run(main)
