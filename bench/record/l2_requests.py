"""Files what Nsight Compute counts in L2 while a program of bench/programs runs. Needs a GPU.

    RESULTS=bench/results/nvidia-h100
    python3 -m bench.record.l2_requests l2_strides --out $RESULTS/l2_strides_requests.json
    python3 -m bench.record.l2_requests kv_pipeline --out $RESULTS/kv_pipeline_requests.json

l2_strides: requests to the slices of L2 at each stride. kv_pipeline: sectors that SMs ask for, that
they receive, and that the slices look up, while all SMs read an array again and again.

--text takes what ncu printed before in place of running it, and --beside the report of a lab that
ran on the same GPU: its context then stands for that of this machine.
"""

import argparse
import csv
import io
import json
import pathlib

from bench import SOURCES, program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop
from bench.record.memory_programs import OTHER, other_of
from bench.results_forms.gpu import LAB

RUNS = 5  # of a stride, in l2_strides
LAPS = 50  # of an array, in kv_pipeline
SECTOR = 32
REQUESTS = "lts__t_requests"
SECTORS = {
    "asked": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "received": "l1tex__m_xbar2l1tex_read_sectors.sum",
    "looked_up": "lts__t_sectors_srcunit_tex_op_read.sum",
    "from_other_side": "lts__t_sectors_srcunit_ltcfabric.sum",
}
PROGRAMS = {  # name: (words after it, kernel, metrics)
    "l2_strides": ([], "read_lines", [f"{REQUESTS}.{of}" for of in ("min", "avg", "max", "sum")]),
    "kv_pipeline": (["32"], "read_again", list(SECTORS.values())),
}


def launches_of(text):
    """[{column or metric: value}] of each launch in what `ncu --csv` printed."""
    rows = csv.DictReader(
        io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))
    )
    launches = {}
    for row in rows:
        launch = launches.setdefault(
            row["ID"], {key: row[key] for key in ("Grid Size", "Block Size")}
        )
        launch[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return list(launches.values())


def extent(text):
    """'(256, 1, 1)' as a number."""
    product = 1
    for each in text.strip("()").split(","):
        product *= int(each)
    return product


def of_strides(text):
    """Requests to the slices, at each stride: means of its launches."""
    launches = launches_of(text)
    strides = [line.split()[0::4] for line in text.splitlines() if line.endswith("of it")]
    strides = [int(word) for words in strides for word in words[:2]]
    if not launches or len(launches) != RUNS * len(strides):
        stop(f"ncu counted {len(launches)} launches at {len(strides)} strides")
    entries = []
    for index, stride in enumerate(strides):
        runs = launches[RUNS * index : RUNS * (index + 1)]
        least, mean, most, all_of_them = (
            sum(run[f"{REQUESTS}.{of}"] for run in runs) / RUNS
            for of in ("min", "avg", "max", "sum")
        )
        threads = extent(runs[0]["Grid Size"]) * extent(runs[0]["Block Size"])
        entries.append(
            {
                "stride_bytes": stride,
                "slices": round(all_of_them / mean),
                "least": round(least),
                "mean": round(mean),
                "most": round(most),
                "threads": threads,
            }
        )
    return entries


def of_reads(text):
    """Sectors of the launches that kv_pipeline times, with what it says of each."""
    lines = [OTHER.fullmatch(line) for line in map(str.strip, text.splitlines())]
    said = [other_of(line) for line in lines if line]
    arrays = {each["array_mib"] * 2**20 * LAPS / SECTOR for each in said}
    launches = [each for each in launches_of(text) if each[SECTORS["asked"]] in arrays]
    said = said[-len(launches) :]  # where ncu runs the program once for each pass, it says it again
    if not launches or len(said) != len(launches):
        stop(f"ncu counted {len(launches)} launches, and kv_pipeline tells of {len(said)}")
    return [
        {
            "set_aside_mib": each["set_aside_mib"],
            "array_mib": each["array_mib"],
            "line_cycles": each["line_cycles"],
            **{name: launch[metric] for name, metric in SECTORS.items()},
        }
        for each, launch in zip(said, launches, strict=True)
    ]


READERS = {"l2_strides": of_strides, "kv_pipeline": of_reads}


def counted(name):
    """What ncu prints of a program. It runs the program once for each pass: what L2 holds stays."""
    words, kernel, metrics = PROGRAMS[name]
    options = ["--csv", "--replay-mode", "application", "--cache-control", "none"]
    options += ["--clock-control", "none", "-k", f"regex:{kernel}", "--metrics", ",".join(metrics)]
    return output_of(["ncu", *options, str(SOURCES / "build" / name), *words])


def main():
    """Runs it, or reads what ncu printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--text", type=pathlib.Path, help="what ncu printed before")
    parser.add_argument("--beside", type=pathlib.Path, help="a lab's report from the same GPU")
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    options = parser.parse_args()
    text = options.text.read_text() if options.text else counted(options.program)
    context = (
        results_file.read(options.beside, LAB)["context"]
        if options.beside
        else context_of(options.ladder, "gpu")
    )
    results = {"context": dict(context), "benchmarks": READERS[options.program](text)}
    write_whole(options.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    program.run(main)
