"""Blocks of the page about profiling: what Nsight Compute counted, rung by rung."""

from bench.record import ncu_profile
from bench.rungs import rung_of
from docs.report.page_blocks.markdown import code, table
from docs.report.page_blocks.measuring import title_of
from docs.report.recorded import FigureError, climb, load, provenance

SIZES = (4096, 2048)  # the first that has a rung is taken
OF_PEAK = {
    "issue slots": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "FP32 pipe": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "L1 and shared memory": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "warps, of 64": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
MEANING = {
    "gpu__time_duration.sum": "time of the kernel, ns",
    "sm__cycles_elapsed.max": "clocks of the SM that ran longest",
    "launch__registers_per_thread": "registers, as ptxas gave them out",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy that was reached",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "clocks in which a scheduler issued",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": "clocks of the FP32 pipe in use",
    "smsp__inst_executed.sum": "warp instructions",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": "FFMAs of threads: MNK and a few",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global loads of warps",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors of 32 bytes that they touch",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum": "lines of 128 bytes that they touch",
    "l1tex__t_sector_hit_rate.pct": "sectors that L1 had",
    "l1tex__data_pipe_lsu_wavefronts.sum": "wavefronts of L1 and shared memory, all kinds",
    "memory_l1_wavefronts_shared": "wavefronts of shared loads and stores, by instruction",
    "memory_l1_wavefronts_shared_ideal": "what they would be without bank conflicts",
    "smsp__inst_executed_op_shared_ld.sum": "shared loads of warps",
    "lts__t_sectors_srcunit_tex.sum": "sectors looked up in L2 for the L1s",
    "lts__t_sector_hit_rate.pct": "sectors that L2 had, copies between its halves counted too",
    "dram__bytes_read.sum": "bytes read from DRAM",
    "dram__bytes_write.sum": "bytes written to DRAM",
}


def profiles():
    """[(rung, size, {metric: value})] of all FP32 rungs with a profile, lowest first."""
    found = {}
    for size in SIZES:
        for kernel in load(f"profile_{size}.json")["benchmarks"]:
            found.setdefault(kernel["rung"], (size, kernel["metrics"]))
    fp32 = [rung for rung in sorted(found) if rung and not rung_of(rung).tensor_cores]
    return [(rung, *found[rung]) for rung in fp32]


def speed_of_light_block(*_):
    """How much of each resource's peak a rung used."""
    rows = [
        (f"{rung:02}", size, *(f"{metrics[name]:.0f} %" for name in OF_PEAK.values()))
        for rung, size, metrics in profiles()
    ]
    return table(("rung", "M = N = K", *OF_PEAK), rows) + f"\n\n{provenance('profile_4096.json')}."


def stalls_block(*_):
    """Warps that wait, per issued instruction, by reason."""
    rows = []
    for rung, size, metrics in profiles():
        waits = [metrics[STALL.format(stall)] for stall in ncu_profile.STALLS]
        longest = max(range(len(waits)), key=lambda i: waits[i])
        cells = [
            f"**{wait:.2f}**" if i == longest else f"{wait:.2f}" for i, wait in enumerate(waits)
        ]
        rows.append((f"{rung:02}", size, *cells))
    return table(("rung", "M = N = K", *ncu_profile.STALLS), rows)


def profiled_time_block(*_):
    """The kernel's time under the profiler and in a climb."""
    timed = climb(4096)
    rows = []
    for kernel in load("profile_4096.json")["benchmarks"]:
        entry = timed[kernel["rung"]]
        ncu_ms = kernel["metrics"]["gpu__time_duration.sum"] * 1e-6
        rows.append(
            (
                title_of(entry["name"]),
                f"{entry['time_ms']:.3f}",
                f"{ncu_ms:.3f}",
                f"{100 * (ncu_ms / entry['time_ms'] - 1):+.1f} %",
            )
        )
    return table(("4096", "burst, ms", "ncu, ms", "difference"), rows)


def metric_names_block(*_):
    """The counters that bench/record/ncu_profile.py asks for, and what they are."""
    known = set(ncu_profile.METRICS)
    unknown = set(MEANING) - known
    if unknown:
        raise FigureError(f"bench/record/ncu_profile.py does not ask for {unknown}")
    return table(
        ("metric", "what it counts"), [(code(name), meaning) for name, meaning in MEANING.items()]
    )


BLOCKS = {
    "speed_of_light": speed_of_light_block,
    "stalls": stalls_block,
    "profiled_time": profiled_time_block,
    "metric_names": metric_names_block,
}
