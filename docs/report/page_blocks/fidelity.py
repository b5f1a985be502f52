"""Blocks of how far the emulator is from the hardware: probes, counters, caches, broken kernels."""

import pathlib
import re

from bench import SOURCES, own_programs, probes_file, results_file
from bench.record.stream_sanitizer import PROGRAMS, variants
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, load, on_gpu, percent, provenance

# Below the root of the sources.
PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")
STREAM_SANITIZER = pathlib.Path("bench/results/nvidia-h100/stream_sanitizer.json")


def probes_block(_rung):
    """How many probes there are, by operation and size."""
    names, made = probes_file.read(PROBES)
    counted = {}
    for name in names:
        kind = re.match(r"(global|shared|async|box)_(load|store|atomic|copy)", name)
        key = f"{kind[1]} {kind[2]}" if kind else "shuffles, structures, runs of loads"
        counted[key] = counted.get(key, 0) + 1
    rows = ["| probes | kernels |", "|---|---:|"]
    rows += [f"| {key} | {counted[key]} |" for key in sorted(counted)]
    rows.append(f"| all | {len(names)} |")
    return "\n".join([*rows, "", "Counted by " + ", ".join(made[2:5]) + "."])


def compared(size):
    """[(rung, what hardware counted, what the emulator counted)] of the rungs that have both."""
    traces = results_file.read(RESULTS.parent / "emulator" / "traces.json")["benchmarks"]
    counted = {
        kernel["rung"]: kernel["metrics"] for kernel in load(f"profile_{size}.json")["benchmarks"]
    }
    return [
        (trace["rung"], counted[trace["rung"]], trace["metrics"])
        for trace in traces
        if trace["m"] == size and trace["rung"] in counted
    ]


def deviation(emulator, hardware):
    """'+1.2 %', or 'equal'."""
    if emulator == hardware:
        return "equal"
    return f"{100 * (emulator / hardware - 1):+.1f} %" if hardware else "-"


def fidelity_block(_rung):
    """Counters of the rungs: how far the emulator is from the hardware."""
    columns = {
        "global requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",),
        "sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),
        "shared instructions": (
            "smsp__inst_executed_op_shared_ld.sum",
            "smsp__inst_executed_op_shared_st.sum",
        ),
        "wavefronts": ("memory_l1_wavefronts_shared",),
        "data-stage loads": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",),
        "data-stage stores": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",),
    }
    rows = [
        "| M = N = K | rung | " + " | ".join(columns) + " |",
        "|---:|---|" + "---:|" * len(columns),
    ]
    for size in (256, 512, 1024, 4096):
        for rung, hardware, emulator in compared(size):
            cells = [
                deviation(sum(emulator[m] for m in names), sum(hardware[m] for m in names))
                for names in columns.values()
            ]
            rows.append(f"| {size} | {rung:02} | " + " | ".join(cells) + " |")
    return "\n".join([*rows, "", provenance("profile_4096.json")])


def ragged_block(_rung):
    """The same at ragged shapes: at how many of them a counter is equal, and the worst one."""
    loads, stores = (f"l1tex__t_{{}}_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st"))
    columns = {
        "global requests": (loads.format("requests"), stores.format("requests")),
        "sectors": (loads.format("sectors"), stores.format("sectors")),
        "lines": (loads.format("set_accesses"), stores.format("set_accesses")),
        "shared instructions": (
            "smsp__inst_executed_op_shared_ld.sum",
            "smsp__inst_executed_op_shared_st.sum",
        ),
        "wavefronts": ("memory_l1_wavefronts_shared",),
    }
    profile = load("profile_ragged.json")["benchmarks"]
    trace = results_file.read(RESULTS.parent / "emulator" / "traces_ragged.json")
    counted = {place(entry): entry["metrics"] for entry in profile}
    pairs = {}
    for entry in trace["benchmarks"]:
        if place(entry) in counted:
            pair = (entry["metrics"], counted[place(entry)])
            pairs.setdefault(entry["rung"], []).append(pair)
    rows = ["| rung | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for rung, of_rung in pairs.items():
        cells = [agreement(names, of_rung) for names in columns.values()]
        rows.append(f"| {rung:02} | " + " | ".join(cells) + " |")
    shapes = dict.fromkeys(place(entry)[1:] for entry in profile)
    listed = ", ".join(" × ".join(str(extent) for extent in shape) for shape in shapes)
    return "\n".join([*rows, "", f"M × N × K: {listed}. {provenance('profile_ragged.json')}"])


def l2_probes_block(_rung):
    """How often L2 looks up a line that several SMs of an H100 read."""
    with on_gpu("nvidia-h100"):
        probes = load("l2_probes.json")["benchmarks"]
        of_card = provenance("l2_probes.json")

    def look_ups(name, later=0, *, in_l2=True, what="ca"):
        wanted = (name, later, in_l2, what)
        one = next(
            one
            for one in probes
            if (one["name"], one["cycles_later"], one["in_l2"], one["what"]) == wanted
        )
        return f"{one['sectors_read'] / one['lines'] / 4:.2f}"

    together = ["one SM", "two SMs of a TPC", "two TPCs of a GPC", "two GPCs"]
    together += [f"{count} SMs of a GPC" for count in (3, 4, 6, 8, 16)]
    together += ["one SM of each TPC", "all SMs"]
    rows = ["| at the same time | L2 looks a line up |", "|---|---:|"]
    rows += [f"| {name} | {look_ups(name)} |" for name in together]
    rows += ["", "| two TPCs of a GPC, cycles apart | L2 has the line | it comes from DRAM |"]
    rows += ["|---:|---:|---:|"]
    rows += [
        f"| {later} | {look_ups('two TPCs of a GPC', later)} "
        f"| {look_ups('two TPCs of a GPC', later, in_l2=False)} |"
        for later in (20, 40, 80, 120, 280, 400, 500, 600, 800, 1000)
    ]
    return "\n".join([*rows, "", of_card])


def merging_block(_rung):
    """Sectors that L2 looks up: the model and its bounds, beside what an H100 counted twice."""
    total = "lts__t_sectors_srcunit_tex.sum"
    asked = ("l1tex__m_xbar2l1tex_read_sectors.sum", "lts__t_sectors_srcunit_tex_op_write.sum")
    with on_gpu("nvidia-h100"):
        counted, again = (
            {place(entry): entry["metrics"] for entry in load(name)["benchmarks"]}
            for name in ("profile_merging.json", "profile_merging_again.json")
        )
        of_card = provenance("profile_merging.json")
    path = RESULTS.parent / "emulator" / "traces_merging.json"
    traces = {place(entry): entry["metrics"] for entry in results_file.read(path)["benchmarks"]}
    shapes = dict.fromkeys(entry[1:] for entry in counted)
    rows = [
        "| rung | " + " | ".join(" × ".join(map(str, shape)) for shape in shapes) + " |",
        "|---|" + "---:|" * len(shapes),
    ]
    for rung in dict.fromkeys(entry[0] for entry in counted):
        cells = (
            deviation(traces[rung, *shape][total], counted[rung, *shape][total]) for shape in shapes
        )
        rows.append(f"| {rung:02} | " + " | ".join(cells) + " |")

    def off(emulator, hardware):
        return abs(emulator / hardware - 1)

    model, unmerged, repeated, asks, outside = [], [], [], [], []
    for at, metrics in counted.items():
        trace, hardware = traces[at], metrics[total]
        least, most = trace["l2_sectors_least"], trace["l2_sectors_most"]
        model.append(off(trace[total], hardware))
        unmerged.append(off(most, hardware))
        repeated.append(off(again[at][total], hardware))
        asks.append(off(most, sum(metrics[name] for name in asked)))
        if not least <= hardware <= most:
            outside.append(min(off(least, hardware), off(most, hardware)))
    cases = len(model)
    text = (
        f"The model is within 5 % in {sum(one <= 0.05 for one in model)} of these {cases} cases "
        f"and within 10 % in {sum(one <= 0.1 for one in model)}; on average it is off by "
        f"{percent(sum(model) / cases)}, and {percent(sum(unmerged) / cases)} if nothing were "
        f"merged. The GPU's own second run differs by up to {percent(max(repeated))}. The bounds "
        f"contain its count in {cases - len(outside)} cases, and miss it by at most "
        f"{percent(max(outside, default=0))} in the others. What leaves the L1s, before anything "
        f"is merged, is within {percent(sorted(asks)[cases * 9 // 10])} in nine cases out of ten."
    )
    return "\n".join([*rows, "", text, "", of_card])


def copies_block(_rung):
    """What ncu counts for copies of the same addresses with different predicates."""
    copies = {}
    recorded = load("copy_predicates.json")["benchmarks"]
    most = max(copy["executed"] for copy in recorded)
    for copy in recorded:
        if copy["executed"] == most:  # in the loop over all of K
            counted = copies.setdefault(copy["tag_requests"], {"P0": set(), "others": set()})
            column = copy["predicate"] if copy["predicate"] in counted else "others"
            counted[column].add(f"{copy['wavefronts'] / copy['executed']:.1f}")
    rows = ["| lines of the copy | wavefronts with P0 | with P1 to P6 |", "|---:|---:|---:|"]
    for tags, counted in sorted(copies.items()):
        if all(counted.values()):
            cells = [", ".join(sorted(values)) for values in counted.values()]
            rows.append(f"| {tags / most:.1f} | " + " | ".join(cells) + " |")
    rung, *shape = (recorded[0][key] for key in ("rung", "m", "n", "k"))
    profile = {place(entry): entry for entry in load("profile_ragged.json")["benchmarks"]}
    metrics = profile[(rung, *shape)]["metrics"]
    text = (
        f"In the same profile, ncu's {metrics['memory_l1_wavefronts_shared']:,.0f} wavefronts of "
        f"shared memory at {' × '.join(str(extent) for extent in shape)} are more than the "
        f"{metrics['l1tex__data_pipe_lsu_wavefronts.sum']:,.0f} that it counts for the whole data "
        "stage, of which they are a part. So this counter is off, and not the emulator."
    )
    return "\n".join([*rows, "", text, "", provenance("copy_predicates.json")])


def place(entry):
    """Which rung at which shape."""
    return entry["rung"], entry["m"], entry["n"], entry["k"]


def agreement(names, pairs):
    """'equal', or '9 of 12, worst -3.1 %': of the sums of these counters."""
    sums = [tuple(sum(counts[name] for name in names) for counts in pair) for pair in pairs]
    differ = [(emulator, hardware) for emulator, hardware in sums if emulator != hardware]
    if not differ:
        return "equal"
    worst = max(differ, key=lambda pair: abs(pair[0] / pair[1] - 1))
    return f"{len(sums) - len(differ)} of {len(sums)}, worst {deviation(*worst)}"


def own_programs_block(_rung):
    """Ordinary programs: how many of their counters are equal, and how far the others are off."""
    emulated = {
        entry["name"]: entry for entry in results_file.read(own_programs.EMULATED)["benchmarks"]
    }
    rows = [
        "| program | launches | counters compared | equal | not equal |",
        "|---|---:|---:|---:|---|",
    ]
    for entry in load(own_programs.COUNTED.name)["benchmarks"]:
        name, launches = entry["name"], entry["launches"]
        others = emulated[name]["launches"]
        compared, differ = 0, []
        for hardware, emulator in zip(launches, others, strict=True):
            pairs = own_programs.compared(hardware, emulator)
            compared += len(pairs)
            differ += [
                f"{counter} {deviation(emulated_count, counted)}"
                for counter, (counted, emulated_count) in pairs.items()
                if counted != emulated_count
            ]
        link = f"[{name}](../{own_programs.source(name).relative_to(SOURCES)})"
        rows.append(
            f"| {link} | {len(launches)} | {compared} | {compared - len(differ)} "
            f"| {', '.join(differ)} |"
        )
    return "\n".join([*rows, "", provenance(own_programs.COUNTED.name)])


def caches_block(_rung):
    """L2 and DRAM of the rungs, by the emulator's model and by hardware."""
    rows = [
        "| M = N = K | rung | DRAM, H200 | model | | L2 hits, H200 | model | points |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    hit = "lts__t_sectors_srcunit_tex_lookup_hit.sum"
    miss = "lts__t_sectors_srcunit_tex_lookup_miss.sum"
    read, written = "dram__bytes_read.sum", "dram__bytes_write.sum"
    for size in (1024, 2048, 4096, 8192, 16384):
        for rung, hardware, emulator in compared(size):
            if emulator[read] is None:
                continue
            real, model = hardware[read] + hardware[written], emulator[read] + emulator[written]
            rates = [m[hit] / (m[hit] + m[miss]) for m in (hardware, emulator)]
            rows.append(
                f"| {size} | {rung:02} | {real / 1e6:.0f} MB | {model / 1e6:.0f} MB "
                f"| {deviation(model, real)} | {percent(rates[0])} | {percent(rates[1])} "
                f"| {100 * (rates[1] - rates[0]):+.1f} |"
            )
    return "\n".join([*rows, "", provenance("profile_4096.json")])


def found_by(runs):
    """What compute-sanitizer's tools make of a kernel, in words: {tool: run}."""
    if any(run["killed_after_s"] is not None for run in runs.values()):
        return "hangs"
    at_the_fault = [tool for tool, run in runs.items() if run["at_the_fault"]]
    elsewhere = [tool for tool, run in runs.items() if run["count"]]
    return ", ".join(at_the_fault) or ", ".join(f"{tool}, elsewhere" for tool in elsewhere)


def gallery_block(_rung):
    """Broken kernels: what the tools of compute-sanitizer find of what the emulator finds."""
    cases = {}
    for run in load("gallery.json")["benchmarks"]:
        if run["fault"] is not None:
            cases.setdefault((run["name"], run["fault"]), {})[run["tool"]] = run
    words = {case: found_by(runs) for case, runs in cases.items()}
    found = sum(any(run["at_the_fault"] for run in runs.values()) for runs in cases.values())
    hang = list(words.values()).count("hangs")
    rows = [(*case, said or "nothing") for case, said in words.items()]
    return (
        f"Its tools find {found} of the {len(cases)} faults where they are, and {hang} of the "
        "kernels hang in it.\n\n<details markdown>\n<summary>The kernels, one by one</summary>\n\n"
        + table(("kernel", "fault", "found by"), rows)
        + f"\n\n{provenance('gallery.json')}\n\n</details>"
    )


def stream_sanitizer_block(_rung):
    """What compute-sanitizer says of the programs without an order between streams."""
    data = results_file.read(STREAM_SANITIZER)
    entries = data["benchmarks"]
    broken = [entry for entry in entries if not entry["sound"]]
    sound = [entry for entry in entries if entry["sound"]]
    found = [entry for entry in broken if entry["found_by"]]
    alarms = [entry for entry in sound if entry["found_by"]]
    named = ", ".join(f"`{one['name']}`: {', '.join(one['found_by'])}" for one in found)
    known = {entry["name"] for entry in entries}
    names = dict.fromkeys(name for name, _ in variants(PROGRAMS))
    newer = [f"`{name}`" for name in names if name not in known]
    of_which = f"{len(broken)} of these" if newer else f"these {len(broken)}"
    unrun = f" It has not been run on the newer ones: {', '.join(newer)}." if newer else ""
    return (
        f"compute-sanitizer's four tools report something in {len(found)} of {of_which} "
        f"programs{f' ({named})' if named else ''}, and in {len(alarms) or 'none'} of "
        f"the {len(sound)} sound ones: their twins, and {len(sound) - len(broken)} that only look "
        f"wrong ({data['context']['device']}).{unrun}"
    )


BLOCKS = {
    "stream_sanitizer": stream_sanitizer_block,
    "probes": probes_block,
    "fidelity": fidelity_block,
    "ragged": ragged_block,
    "copies": copies_block,
    "l2_probes": l2_probes_block,
    "merging": merging_block,
    "own_programs": own_programs_block,
    "caches": caches_block,
    "gallery": gallery_block,
}
