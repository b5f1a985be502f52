"""Keeps the benchmark's results in a tenth of the room, with every sample.

    python3 -m bench.benchmark.compact new.json bench/results/nvidia-h200/benchmark_all.json

Google Benchmark writes an entry per sample and repeats in each what all samples of a row share. The
compact form has an entry per row with a list of its samples. What follows from other numbers
(TFLOP/s, ratios, means) is left out, and expanded() computes it again.
"""

import argparse
import json
import pathlib
import re
import statistics

from bench import program, results_file
from bench.forms import either_by
from bench.output_file import output_path, write_whole
from bench.results_forms.gpu import ROWS, SAMPLED

ROW = re.compile(r"(\w+)/(\d+)x(\d+)x(\d+)/(\w+)")
FORM = either_by("rows", ROWS, SAMPLED)
LIBRARIES = ("00_cublas", "best_cublaslt")  # in other precisions "00_cublas_bf16", ...
SHARED = ("launches_per_sample", "spread")  # by all samples of a row
SAMPLED = ("power_w", "sm_mhz", "cpu_time")  # beside its time


class FormError(Exception):
    """Results in a form that cannot be compacted; the sentence says why."""


def compact(results):
    """The compact form of what Google Benchmark wrote; of the compact form, itself."""
    if "rows" in results:
        return results
    rows = {}
    for entry in results["benchmarks"]:
        if entry["run_type"] != "iteration":
            continue
        if entry.get("error_occurred"):
            raise FormError(f"{entry['run_name']}: {entry['error_message']}")
        row = rows.setdefault(
            entry["run_name"],
            {"name": entry["run_name"]} | {key: entry[key] for key in SHARED} | {"ms": []},
        )
        row["ms"].append(entry["real_time"])
        for key in SAMPLED:
            row.setdefault(key, []).append(entry[key])
        if entry.get("share_of_measured_roof"):
            row["roof_tflops"] = entry["tflops"] / entry["share_of_measured_roof"]
        if entry.get("label"):
            row["precision"] = entry["label"]
    for row in rows.values():
        for key in SAMPLED:
            if len(set(row[key])) == 1:
                row[key] = row[key][0]
    if not rows:
        raise FormError("holds no sample")
    return {"context": results["context"], "rows": list(rows.values())}


def expanded(results):
    """The same with an entry per sample in "benchmarks", as Google Benchmark writes it."""
    if "rows" not in results:
        return results
    times = {row["name"]: row["ms"] for row in results["rows"]}
    entries = []
    for row in results["rows"]:
        match = ROW.fullmatch(row["name"])
        if not match:
            raise FormError(f"'{row['name']}' is no name of a row")
        lengths = {key: len(row[key]) for key in SAMPLED if isinstance(row[key], list)}
        for key, length in lengths.items():
            if length != len(row["ms"]):
                raise FormError(f"{row['name']} has {len(row['ms'])} times and {length} of {key}")
        job = row["name"].partition("/")[2]
        flop = 2.0 * int(match[2]) * int(match[3]) * int(match[4])
        suffix = "_" + row["precision"].lower() if "precision" in row else ""  # of FP32 none
        rivals = [f"{name}{suffix}/{job}" for name in LIBRARIES]
        libraries = [times[name] for name in rivals if name in times]
        if not libraries:
            raise FormError(f"{row['name']} has no row of {rivals[0]} beside it")
        if {len(library) for library in libraries} != {len(row["ms"])}:
            raise FormError(f"{row['name']} has other samples than the rows of cuBLAS beside it")
        best = min(libraries, key=statistics.median)
        for i, ms in enumerate(row["ms"]):
            entry = {"name": row["name"], "run_name": row["name"], "run_type": "iteration"}
            entry |= {"repetitions": len(row["ms"]), "repetition_index": i, "time_unit": "ms"}
            entry |= {key: row[key] for key in SHARED}
            entry |= {key: _sample(row[key], i) for key in SAMPLED}
            entry |= {"real_time": ms, "tflops": flop / ms * 1e-9}
            entry |= {"ratio_to_cublas": libraries[0][i] / ms, "ratio_to_best": best[i] / ms}
            if "precision" in row:
                entry["label"] = row["precision"]
            if "roof_tflops" in row:  # measured by `make roofs`
                entry["share_of_measured_roof"] = entry["tflops"] / row["roof_tflops"]
            entries.append(entry)
    return {"context": results["context"], "benchmarks": entries}


def _sample(values, i):
    """One of several samples; a number alone stands for all of them."""
    return values[i] if isinstance(values, list) else values


def load(path):
    """The results in a file of either form, expanded. Files are read once."""
    return results_file.read_once(_load, path)


def _load(path):
    try:
        return expanded(results_file.read(path, FORM))
    except FormError as error:
        raise results_file.ResultsError(path, str(error)) from error


def text_of(results):
    """The compact form as text, a row a line."""
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in results["rows"])
    context = json.dumps(results["context"], indent=1)
    return f'{{"context": {context},\n"rows": [\n{rows}\n]}}\n'


def main():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="a file that the benchmark wrote")
    parser.add_argument("out", type=output_path, help="file to write")
    options = parser.parse_args()
    try:
        results = compact(results_file.read(options.results, FORM))
        expanded(results)  # so that nothing is filed that nobody can read
    except FormError as error:
        raise results_file.ResultsError(options.results, str(error)) from error
    write_whole(options.out, text_of(results))


if __name__ == "__main__":
    program.run(main)
