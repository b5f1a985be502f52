"""Records what Nsight Compute counts in DRAM for each order of a product's tiles.

    python3 -m bench.record.raster_orders --out bench/results/nvidia-h200/raster_orders.json

Profiles the lab raster_orders of build/memory_lab on the GPU, at 4096 and at 8192. The lab launches
the kernel for one order after the other, equally often; the host loop over parts of K comes last.
The file has the medians of each order's launches, and of the loop the sum over its parts.
"""

import argparse
import json
import pathlib
import tempfile
from statistics import median

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import stop, version_of
from bench.record.probes import count, ncu, table_of
from bench.results_forms.gpu import LAB

READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
ASKED = "lts__t_sectors_srcunit_tex_op_read.sum"
HIT = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"
TIME = "gpu__time_duration.sum"
METRICS = (READ, WRITTEN, ASKED, HIT, TIME)


def orders_of(lab):
    """(orders as they were launched, launches of each) by the lab's own report."""
    (times,) = (series for series in lab["series"] if series["y_name"] == "time")
    groups = [int(point["x"]) for point in times["points"]]  # the widest is row by row
    names = ["column_major" if group == 1 else f"group_{group}" for group in groups[:-1]]
    warm_up = 1
    return [*names, "row_major", "hilbert"], warm_up + len(times["points"][0]["samples"])


def costs(launches):
    """Medians over an order's launches."""
    return {
        "read_bytes": median(launch[READ] for launch in launches),
        "written_bytes": median(launch[WRITTEN] for launch in launches),
        "l2_hit_rate": median(launch[HIT] / launch[ASKED] for launch in launches),
        "ms": median(launch[TIME] for launch in launches) / 1e6,
    }


def sums(launches):
    """One after the other."""
    return {metric: sum(launch[metric] for launch in launches) for metric in METRICS}


def profiled(lab_program, *quick):
    """(an entry for each order, the lab's context)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lab.json"
        words = ("run", "raster_orders", *quick, "--json", str(path))
        done = ncu(
            METRICS, lab_program, *words, kernels=("--kernel-name", "tiled_product"), sections=()
        )
        if done.returncode != 0:
            stop(f"ncu failed:\n{done.stdout}")
        lab = results_file.read(path, LAB)
    columns, rows = table_of(done.stdout)
    launches = [
        {metric: count(row[columns.index(metric)], metric, "tiled_product") for metric in METRICS}
        for row in rows
    ]
    orders, times = orders_of(lab)
    single, rest = launches[: times * len(orders)], launches[times * len(orders) :]
    parts = len(rest) // times
    if parts == 0 or len(rest) != parts * times:
        stop(
            f"{len(launches)} launches are not {times} of each of {len(orders)} orders and of "
            "the parts of K"
        )
    size = 4096 if quick else 8192
    entries = [
        {"size": size, "order": order, "parts": 1, **costs(single[at * times : (at + 1) * times])}
        for at, order in enumerate(orders)
    ]
    whole = [sums(rest[at * parts : (at + 1) * parts]) for at in range(times)]
    entries.append({"size": size, "order": "parts_of_k", "parts": parts, **costs(whole)})
    return entries, lab["context"]


def main():
    """Records both sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", default="build/memory_lab", help="the program to profile")
    parser.add_argument("--out", type=output_path, required=True)
    options = parser.parse_args()
    small, _ = profiled(options.lab, "--quick")
    large, context = profiled(options.lab)
    results = {"context": {**context, "profiler": version_of("ncu")}, "benchmarks": small + large}
    write_whole(options.out, json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    program.run(main)
