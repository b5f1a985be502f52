"""Figures of the programs in bench/programs that ran on an H100, and of curves of its labs."""

import math

from bench import results_file
from docs.report.page_blocks.markdown import fenced, table
from docs.report.recorded import RESULTS, FigureError, described, percent
from docs.report.recorded_labs import finding, series, with_unit

WAYS = {  # of running the pipeline, as kv_pipeline names them
    "plain": "plain",
    "window": "window",
    "fused": "fused",
    "staying": "attention by one block per SM",
    "persistent": "persistent",
    "persistent_window": "persistent, with the window",
}
FOLDER = RESULTS.with_name("nvidia-h100")
MIB = 2**20
SLICES = 12  # of L2, as the text has it that speaks of them


def entries(program):
    """What a program measured."""
    return results_file.read(FOLDER / f"{program}.json")["benchmarks"]


def pipeline(way, what):
    """'95.3 us': attention, or all kernels of a token, in a way of running the pipeline. `saved`:
    the share that the window takes off. 'not recorded', if the record has no such way.
    """
    times = {each["name"]: each for each in entries("kv_pipeline") if "attention_us" in each}

    def of_way(name):
        all_kernels = times[name]["products_us"] if what == "all" else 0
        return times[name]["attention_us"] + all_kernels

    if way == "saved":
        return percent(1 - of_way("window") / of_way("plain"))
    if way not in WAYS:
        raise FigureError(f"kv_pipeline has no way '{way}'")
    if way not in times:
        return "not recorded"
    return with_unit(of_way(way), "us")


def aside(what, array="", part=""):
    """How fast another array of so many MiB is read beside the largest set-aside, or none."""
    rows = [each for each in entries("kv_pipeline") if "set_aside_mib" in each]
    most = max(each["set_aside_mib"] for each in rows)
    if what == "most":
        return f"{most:g}"
    wanted = (most if part == "most" else 0, float(array))
    for each in rows:
        if (each["set_aside_mib"], each["array_mib"]) == wanted:
            return with_unit(each["gbps"], "GB/s")
    raise FigureError(
        f"kv_pipeline.json has no array of {array} MiB with {wanted[0]} MiB set aside"
    )


def strides(what, l2_gbps):
    """Rates at strides of powers of two beside those with a line more.

    what: least, most: of their ratios; gbps: the rates; slice: what one slice of L2 could give;
    room: how often a slice could be asked more than the others before it showed
    """
    rows = entries("l2_strides")
    ratios = [each["gbps"] / each["other_gbps"] for each in rows]
    rates = [each["gbps"] for each in rows]
    return {
        "least": f"{min(ratios):.2f}",
        "most": f"{max(ratios):.2f}",
        "gbps": f"{min(rates):,.0f} to {max(rates):,.0f}",
        "slice": f"{l2_gbps / SLICES:,.0f}",
        "room": f"{l2_gbps / min(rates):.1f}",
    }[what]


def streams(what):
    """What a stream leaves of an array of an eighth of L2 (lab sectors, H100).

    size, share, random: a stream as large as L2, what it leaves, and what it would leave if lines
    left at random; safe, safe_stream, safe_total: the largest share that a stream leaves, that
    stream, and it together with the array;
    begin: of array and stream together, where lines begin to leave
    """
    l2 = finding("device_card@h100", "l2_bytes")["value"]["value"]
    curve = series("sectors@h100", "lines that were read whole")
    begin = next(stream for stream, share in curve if share < 99) + l2 / 8
    safe_stream, safe = max(curve, key=lambda point: point[1])
    return {
        "safe": f"{safe:.1f} %",
        "safe_stream": with_unit(safe_stream, "bytes"),
        "safe_total": with_unit(safe_stream + l2 / 8, "bytes"),
        "size": with_unit(l2, "bytes"),
        "share": f"{next(share for stream, share in curve if stream >= l2):.0f} %",
        "random": f"{100 * math.exp(-1):.0f} %",
        "begin": with_unit(begin, "bytes"),
    }[what]


def lines_of_a_stride(*_):
    """How many lines at a stride all stayed in L2, at every stride that was tried (H100)."""
    curve = series("sectors@h100", "lines at a stride that stay in L2")
    return f"{min(lines for _, lines in curve):.0f}"


def last_region(lab):
    """The largest region of a lab's first curve on an H100."""
    return with_unit(series(f"{lab}@h100", "one pass")[-1][0], "bytes")


def on_curve(lab, prefix, x):
    """A curve's bandwidth at the place nearest to x."""
    return with_unit(min(series(lab, prefix), key=lambda at: abs(at[0] - float(x)))[1], "GB/s")


def kv_pipeline_block(*_):
    """The ways of running the pipeline, and what is left of L2 for another array."""
    times = [
        (words, pipeline(way, "attention"), pipeline(way, "all")) for way, words in WAYS.items()
    ]
    rows = [each for each in entries("kv_pipeline") if "set_aside_mib" in each]
    arrays = list(dict.fromkeys(each["array_mib"] for each in rows))
    told = {
        (each["set_aside_mib"], each["array_mib"]): f"{with_unit(each['gbps'], 'GB/s')}, "
        f"{each['line_cycles']['p90']} cycles"
        for each in rows
    }
    others = [
        (f"{kept:g} MiB", *(told[kept, array] for array in arrays))
        for kept in dict.fromkeys(each["set_aside_mib"] for each in rows)
    ]
    path = FOLDER / "kv_pipeline.json"
    made = f"{described(results_file.read(path)['context'], '')}: [{path.name}](../../{path})"
    return "\n\n".join(
        [
            table(("way", "attention", "the whole token"), times),
            table(
                ("set aside, and full", *(f"another array: {mib:g} MiB" for mib in arrays)), others
            ),
            made,
        ]
    )


def set_aside_held(rows):
    """Whether less of L2 was left for the largest array: its lines take longer than without."""
    largest = max(each["array_mib"] for each in rows)
    cycles = {
        each["set_aside_mib"]: each["line_cycles"]["p90"]
        for each in rows
        if each["array_mib"] == largest
    }
    return cycles[max(cycles)] > 1.1 * cycles[0]


def requests_block(*_):
    """What SMs ask for and receive, and what the slices of L2 look up for it."""
    path = FOLDER / "kv_pipeline_requests.json"
    recorded = results_file.read(path)["benchmarks"]
    held = set_aside_held(recorded)
    rows = [
        (
            f"{each['set_aside_mib']:g} MiB",
            f"{each['array_mib']:g} MiB",
            percent(each["l1_hits"] / each["asked"]),
            percent(each["received"] / each["asked"]),
            percent(each["looked_up"] / each["asked"]),
        )
        for each in recorded
        if held or each["set_aside_mib"] == 0
    ]
    names = ("set aside", "array", "hits in L1", "received by the SMs", "looked up in L2")
    note = "Under the profiler a set-aside did not hold, so that its effect is not counted.\n\n"
    made = f"{described(results_file.read(path)['context'], '')}: [{path.name}](../../{path})"
    return "\n\n".join([table(names, rows), made if held else note + made])


def reads_of_slices():
    """{stride: (least, most)} of what a slice is asked, in shares of the mean; most is None where
    the slice of the sum gets an addition from each thread, too.
    """
    shares = {}
    for each in results_file.read(FOLDER / "l2_strides_requests.json")["benchmarks"]:
        added = each["threads"] if each["most"] >= each["threads"] else 0
        mean = each["mean"] - added / each["slices"]
        shares[each["stride_bytes"]] = (
            each["least"] / mean,
            None if added else each["most"] / mean,
        )
    return shares


def slices(what):
    """Of the slices of L2: how many there are (count); and what the least or the most of them is
    asked, in shares of the mean, at the strides of powers of two from 2 KiB on.
    """
    if what == "count":
        path = FOLDER / "l2_strides_requests.json"
        return str(results_file.read(path)["benchmarks"][0]["slices"])
    found = [
        share
        for stride, share in reads_of_slices().items()
        if stride >= 2048 and stride & (stride - 1) == 0
    ]
    if what == "least":
        return percent(min(least for least, _ in found))
    most = [most for _, most in found]
    if None in most:
        return "was not counted, because one slice also had the program's sum"
    return f"is {percent(max(most))}"


def slices_block(*_):
    """The least and the most that a slice of L2 is asked, beside the mean."""
    path = FOLDER / "l2_strides_requests.json"
    shares = reads_of_slices()

    def told(stride):
        least, most = shares[stride]
        return percent(least) if most is None else f"{percent(least)} to {percent(most)}"

    rows = [
        (with_unit(each["stride_bytes"], "bytes"), *map(told, (each["stride_bytes"], other)))
        for each in entries("l2_strides")
        for other in [each["other_stride_bytes"]]
        if each["stride_bytes"] in shares and other in shares
    ]
    asked, left_out = "least to most", ""
    if any(most is None for _, most in shares.values()):
        threads = results_file.read(path)["benchmarks"][0]["threads"]
        asked = "least"
        left_out = (
            "The most is left out: one slice has the sum, to which each of "
            f"{threads:,} threads added in this run.\n\n"
        )
    made = f"{described(results_file.read(path)['context'], '')}: [{path.name}](../../{path})"
    names = ("stride", f"{asked} of {slices('count')} slices, beside the mean", "with a line more")
    return "\n\n".join([table(names, rows), left_out + made])


def side_boost_rope_block(*_):
    """What the example of side-aware memory in raw C++ printed."""
    path = FOLDER / "side_boost_rope.json"
    recorded = results_file.read(path)
    each = recorded["benchmarks"][0]
    printed = (
        f"{each['wrong']} of {each['pairs']} pairs are wrong; "
        f"{each['ms']:.3f} ms, {each['gbps']:.0f} GB/s"
    )
    made = f"{described(recorded['context'], '')}: [{path.name}](../../{path})"
    return "\n\n".join([fenced("text", printed), made])


def l2_strides_block(*_):
    """Each power of two beside the stride that has a line more."""
    rows = [
        (
            with_unit(each["stride_bytes"], "bytes"),
            with_unit(each["gbps"], "GB/s"),
            with_unit(each["other_gbps"], "GB/s"),
            f"{each['gbps'] / each['other_gbps']:.2f}",
        )
        for each in entries("l2_strides")
    ]
    path = FOLDER / "l2_strides.json"
    made = f"{described(results_file.read(path)['context'], '')}: [{path.name}](../../{path})"
    return "\n\n".join([table(("stride", "rate", "with a line more", "ratio"), rows), made])


def torch_side_aware_block(*_):
    """What PyTorch's operators on side-aware memory gave, and how fast they copy."""
    path = FOLDER / "torch_side_aware.json"
    recorded = results_file.read(path)
    rows = []
    for each in recorded["benchmarks"]:
        if "right" in each:
            rows.append((each["name"], "right" if each["right"] else "**wrong**"))
        else:
            least, middle, most = (
                with_unit(each["gbps"][key], "GB/s") for key in ("min", "median", "max")
            )
            rows.append((each["name"], f"{middle} ({least} to {most})"))
    context = recorded["context"]
    made = (
        f"{context['device']}, toolkit {context['cuda_toolkit']}, PyTorch {context['torch']}: "
        f"[{path.name}](../../{path})"
    )
    return "\n\n".join([table(("asked", "answer"), rows), made])


BLOCKS = {
    "kv_pipeline": kv_pipeline_block,
    "l2_strides": l2_strides_block,
    "l2_strides_requests": slices_block,
    "kv_pipeline_requests": requests_block,
    "side_boost_rope": side_boost_rope_block,
    "torch_side_aware": torch_side_aware_block,
}
