"""A public ladder of kernels for tensor cores, beside ours on the same GPU."""

from bench.rungs import own_rungs
from docs.report.page_blocks.markdown import table
from docs.report.recorded import climb, described, load, of_rung, percent

FILE = "fast_cu_8192.json"
SIZE = 8192
PRECISION = "BF16"  # of all its kernels

# What its author says of each step.
STEPS = {
    2: "tensor cores, boxes by TMA",
    3: "larger tiles",
    4: "a producer and a consumer",
    5: "two consumers, a larger tile",
    6: "persistent blocks, an order of tiles for L2",
    7: "faster barriers",
    8: "clusters with multicast",
    9: "smaller changes",
    10: "results stored by TMA",
    11: "tiles along a Hilbert curve",
    12: "`stmatrix`",
}


def public_ladder_block(_place, _arguments):
    """Its steps and our rungs, each as a share of cuBLAS in its own run."""
    rungs = [number for number, rung in own_rungs().items() if rung.precision == PRECISION]
    with of_rung(min(rungs)):
        recorded, ours = load(FILE), climb(SIZE)
    theirs = {int(entry["name"].split("_")[-1]): entry for entry in recorded["benchmarks"]}
    library = theirs[0]["tflops"]
    rows = [
        (f"fast.cu, kernel {step}", words, *cells(theirs[step]["tflops"], library))
        for step, words in STEPS.items()
    ]
    own = ours[f"00_cublas_{PRECISION.lower()}"]["tflops"]
    for rung in sorted(rungs):
        if rung not in ours:
            continue
        entry = ours[rung]
        name = entry["name"].replace("_", " ")
        rows.append((f"rung {name}", "", *cells(entry["tflops"], own)))
    head = ("kernel", "what is new in it", f"TFLOP/s at {SIZE}", "of cuBLAS")
    source = described(recorded["context"], f"{recorded['context']['protocol']} protocol")
    text = table(head, rows)
    return (
        f"{text}\n\nShares are of cuBLAS in the same process, {library:.1f} and {own:.1f} TFLOP/s, "
        f"and not of the best of cublasLt. fast.cu takes B by columns, our rungs by rows. "
        f"Its revision {recorded['context']['revision']}; {source}."
    )


def cells(tflops, library):
    """What a kernel reached, and its share of the library."""
    return f"{tflops:.1f}", percent(tflops / library)


BLOCKS = {"public_ladder": public_ladder_block}
