"""Records what Nsight Compute counts for the probes, for the emulator to be compared with.

    python3 -m bench.record.probes --out tests/fidelity/probes_h200.csv

ncu profiles the kernels of `probe_gpu`, a hundred per process. The file has a line for each probe
and a column for each metric; lines with # say on which GPU and with which tools it was made. With
--missing only probes that it does not have are recorded, by the same metrics: so goes on what was
stopped.
"""

import argparse
import csv
import io
import pathlib
import re
import subprocess

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import output_of, stop, version_of

GLOBAL_OPERATIONS = ("ld", "st", "atom", "red")
SHARED_OPERATIONS = ("ld", "st", "atom")

METRICS = (
    *(f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in GLOBAL_OPERATIONS),
    *(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in GLOBAL_OPERATIONS),
    *(f"l1tex__t_set_accesses_pipe_lsu_mem_global_op_{op}.sum" for op in GLOBAL_OPERATIONS),
    *(f"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_{op}.sum" for op in GLOBAL_OPERATIONS),
    *(f"smsp__inst_executed_op_shared_{op}.sum" for op in SHARED_OPERATIONS),
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    *(
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
        for op in (*SHARED_OPERATIONS, "misc")
    ),
    *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in SHARED_OPERATIONS),
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l1_tag_requests_global",
    # cp.async of 4 bytes, also among loads; and the tensor memory accelerator
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
)

# Probes of one process of ncu; the file is written after each.
BATCH = 100


# Computes the memory_ and derived__memory_ figures, with instrumented code.
SOURCE_COUNTERS = ("--section", "SourceCounters")


def ncu(
    metrics,
    program,
    *arguments,
    kernels=("--kernel-name", "regex:^probe_"),
    sections=SOURCE_COUNTERS,
):
    """Profiles the program's kernels; returns the finished process, standard error included.

    kernels: options that choose some of them; () is all
    sections: options for whole groups of figures
    """
    return subprocess.run(
        [
            "ncu",
            "--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--clock-control",
            "none",
            "--cache-control",
            "all",
            "--kernel-name-base",
            "function",
            *kernels,
            *sections,
            "--metrics",
            ",".join(metrics),
            program,
            *arguments,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def table_of(text):
    """Names and rows of ncu's raw page; other lines of its output have no quotes around them."""
    rows = list(
        csv.reader(
            io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))
        )
    )
    if len(rows) < 3:
        stop(f"ncu profiled no kernel:\n{text}")
    names, _units, *values = rows
    return names, values


def known_metrics(program, probe):
    """The metrics that this ncu has on this GPU, found with one probe."""
    listed = set(re.findall(r"^(\w+__\w+)\s", output_of(["ncu", "--query-metrics"]), re.MULTILINE))
    # The list has hardware counters without their roll-up (.sum), and none of the counters that
    # instrumented code makes; those have no roll-up, and are tried.
    metrics = [name for name in METRICS if "." not in name or name.split(".")[0] in listed]
    while metrics:
        done = ncu(metrics, program, probe)
        if done.returncode == 0:
            names, _values = table_of(done.stdout)
            return [metric for metric in metrics if metric in names]
        complaints = "\n".join(line for line in done.stdout.splitlines() if "==ERROR==" in line)
        unknown = [name for name in metrics if is_named(name, complaints)]
        if not unknown:
            stop(f"ncu failed:\n{done.stdout}")
        metrics = [name for name in metrics if name not in unknown]
    return stop("this ncu knows none of the metrics")


def is_named(metric, text):
    """Whether the text names just this metric, not one that begins or ends like it."""
    return re.search(rf"(?<![\w.]){re.escape(metric)}(?!\w|\.\w)", text) is not None


def count(cell, metric, probe):
    """A cell of the raw page as a whole number; 0 where ncu saw nothing to count."""
    if cell.strip() in ("", "n/a"):
        return 0
    try:
        number = float(cell.replace(",", ""))
    except ValueError:
        return stop(f"{probe}: {metric} is {cell!r}, which is no number")
    if number < 0 or number != int(number):
        stop(f"{probe}: {metric} is {cell}, which is no count")
    return int(number)


def record(program, probes, metrics):
    """[[name, count of each metric]] for these probes."""
    done = ncu(metrics, program, *probes)
    if done.returncode != 0:
        stop(f"ncu failed:\n{done.stdout}")
    names, kernels = table_of(done.stdout)
    if len(kernels) != len(probes):
        stop(f"ncu profiled {len(kernels)} kernels of {len(probes)} probes")
    rows = []
    for probe, kernel in zip(probes, kernels):
        cells = dict(zip(names, kernel))
        rows.append([probe, *(count(cells[metric], metric, probe) for metric in metrics)])
    return rows


def gpu():
    """Its name and the driver's version."""
    found = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    name, driver = found.strip().splitlines()[0].split(", ")
    return name, driver


def context():
    """What the counters depend on beside the probes, in lines."""
    name, driver = gpu()
    version = version_of("ncu")
    return [f"{name}, driver {driver}", f"Nsight Compute: {version}"]


def recorded(path, notes):
    """The notes, metrics and whole rows by name of a file that was made with the tools of now."""
    if not path.exists():
        stop(f"{path} is not there: record all probes, without --missing")
    lines = results_file.lines_of(path).splitlines()
    then = [line.lstrip("# ") for line in lines if line.startswith("#")][2:]
    for note in notes:
        if note not in then:
            stop(f"{path} was not recorded with '{note}': record all probes, without --missing")
    table = list(csv.reader(line for line in lines if line.strip() and not line.startswith("#")))
    if not table or any(len(row) != len(table[0]) for row in table):
        stop(f"{path} is no whole table of probes: record all probes, without --missing")
    header, *rows = table
    tried = {*header, *(name for note in then for name in re.split("[ ,]+", note))}
    untried = [metric for metric in METRICS if metric not in tried]
    if untried:
        stop(
            f"{path} was recorded without {len(untried)} metrics of now, {untried[0]} for one: "
            "record all probes, without --missing"
        )
    # An empty cell is a metric that was not asked for: that probe is recorded again.
    return then, header[1:], {row[0]: row for row in rows if all(row)}


def main():
    """Records all probes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=output_path, default=pathlib.Path("tests/fidelity/probes_h200.csv")
    )
    parser.add_argument(
        "--program", default="build/tests/probe_gpu", help="the program that launches the probes"
    )
    parser.add_argument(
        "--missing", action="store_true", help="only probes that the file does not have yet"
    )
    options = parser.parse_args()

    listing = output_of([options.program, "--list"]).splitlines()
    probes = [line for line in listing if not line.startswith("#")]
    compiler = [line.lstrip("# ") for line in listing if line.startswith("#")]
    notes = [*context(), *compiler]
    rows = {}
    if options.missing:
        notes, metrics, rows = recorded(options.out, notes)
    else:
        metrics = known_metrics(options.program, probes[0])
        dropped = [metric for metric in METRICS if metric not in metrics]
        notes.append(f"Unknown there: {', '.join(dropped) or 'nothing'}")
    new = [probe for probe in probes if probe not in rows]
    for begin in range(0, max(len(new), 1), BATCH):
        batch = new[begin : begin + BATCH]
        rows |= {row[0]: row for row in record(options.program, batch, metrics)} if batch else {}
        with io.StringIO() as file:
            file.write("# What hardware counts for tests/fidelity/probes.cpp, a kernel a line.\n")
            file.write("# Written by bench/record/probes.py.\n")
            file.writelines(f"# {note}\n" for note in notes)
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["probe", *metrics])
            writer.writerows(rows[probe] for probe in probes if probe in rows)
            write_whole(options.out, file.getvalue())
    print("\n".join(notes))
    print(f"{len(new)} of {len(probes)} probes, {len(metrics)} metrics: {options.out}")


if __name__ == "__main__":
    program.run(main)
