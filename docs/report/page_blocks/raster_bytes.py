"""What each order of a product's tiles moves to and from DRAM: by the formula, by the emulator, and
as Nsight Compute counts it (bench/record/raster_orders.py)."""

from bench import results_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, MissingFileError, described

COUNTED = RESULTS / "raster_orders.json"
EMULATED = RESULTS.parent / "emulator" / "raster_orders_h200.json"
SMALL, LARGE = 4096, 8192
GIB = 2**30
NAMES = {
    "column_major": "column by column",
    "row_major": "row by row",
    "hilbert": "along Hilbert's curve",
    "parts_of_k": "row by row, in {} parts of K",
}


def read(path):
    """A file that has to be there."""
    if not path.exists():
        raise MissingFileError(f"{path} is not there")
    return results_file.read(path)


def counted():
    """({size: {order: entry}}, context) of the GPU."""
    data = read(COUNTED)
    found = {}
    for entry in data["benchmarks"]:
        found.setdefault(entry["size"], {})[entry["order"]] = entry
    return found, data["context"]


def emulated():
    """({order: bytes by the formula}, {order: bytes that the emulator counts}) at SMALL."""
    lab = read(EMULATED)
    widest = SMALL // 32
    orders = {1: "column_major", widest: "row_major"}
    traffic = {}
    for series in lab["series"]:
        if series["y_unit"] == "bytes":
            traffic[series["name"]] = {
                orders.get(point["x"], f"group_{point['x']:.0f}"): point["samples"][0]
                for point in series["points"]
            }
    values = {found["key"]: found["value"]["value"] for found in lab["findings"]}
    more = {"hilbert": values["hilbert_bytes"], "parts_of_k": values["chunked_bytes"]}
    return traffic["formula"], {**traffic["counted"], **more}


def moved(entry):
    """Bytes of an order, both ways."""
    return entry["read_bytes"] + entry["written_bytes"]


def raster_bytes_block(*_):
    """All orders at both sizes."""
    sizes, context = counted()
    formula, emulator = emulated()
    rows = []
    for order, small in sizes[SMALL].items():
        large = sizes[LARGE][order]
        name = NAMES.get(order, f"groups of {order.rpartition('_')[2]}")
        parts = " and ".join(dict.fromkeys(str(entry["parts"]) for entry in (small, large)))
        rows.append(
            (
                name.format(parts),
                f"{formula[order] / GIB:.2f}" if order in formula else "",
                f"{emulator[order] / GIB:.2f}",
                f"{moved(small) / GIB:.2f}",
                f"{100 * (emulator[order] / moved(small) - 1):+.0f} %",
                f"{small['ms']:.2f}",
                f"{moved(large) / GIB:.2f}",
                f"{large['ms']:.1f}",
            )
        )
    heads = (
        "order",
        f"formula, GiB at {SMALL}",
        "emulator, GiB",
        "H200, GiB",
        "emulator against H200",
        "H200, ms",
        f"H200, GiB at {LARGE}",
        "H200, ms",
    )
    made = (
        f"{described(context, '')}: [{COUNTED.name}](../../{COUNTED}), "
        f"[{EMULATED.name}](../../{EMULATED})"
    )
    return "\n".join([table(heads, rows), "", made])


BLOCKS = {"raster_bytes": raster_bytes_block}
