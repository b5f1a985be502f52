"""What the model of lesson 24 foretells for a number of GPUs that has not been run.

    python3 -m docs.report.ranks_prediction 4 bench/results/many_gpus_predicted.json

It is fitted to what has been recorded on fewer, and names these files. It is written down before
the run, so that the lesson can show both side by side.
"""

import argparse
import datetime
import json

from bench import program
from bench.output_file import output_path, write_whole
from bench.record.cuda_tools import commit
from docs.report.page_blocks.many_gpus import RESULTS, recordings_by_file, sample
from docs.report.ranks_model import fitted

SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384), (8192, 28672, 8192)]
ELEMENT_BYTES = {"FP32": 4, "BF16": 2}


def samples_of(precision):
    """({path}, [Sample]) of the fewest ranks that were timed."""
    found = [
        (path, form)
        for path, data in recordings_by_file("*/many_gpus_*.json")
        for form in data["benchmarks"]
        if form["measured"] and form["ranks"] > 1 and form["precision"] == precision
    ]
    fewest = min(form["ranks"] for _, form in found)
    chosen = [(path, form) for path, form in found if form["ranks"] == fewest]
    return {path for path, _ in chosen}, [sample(form) for _, form in chosen]


def received_bytes(form, shape, precision, ranks):
    """By each rank, from the others."""
    m, n, k = shape
    return ELEMENT_BYTES[precision] * m * (k if form == "gather" else n) * (ranks - 1) / ranks


def entry(model, form, shape, precision, ranks):
    """What the model says of one form of one product."""
    m, n, k = shape
    flop = 2.0 * m * n * k
    received = received_bytes(form, shape, precision, ranks)
    one = model.compute_ms(flop, 1)
    steps = {step: model.step_ms(step, flop, received, ranks) for step in model.ways}
    return {
        "name": form,
        "m": m,
        "n": n,
        "k": k,
        "precision": precision,
        "ranks": ranks,
        "one_ms": one,
        "compute_ms": model.compute_ms(flop, ranks),
        "communication_ms": model.communication_ms(received, ranks),
        "steps": {step: {"ms": ms, "speed_up": one / ms} for step, ms in steps.items()},
    }


def predictions(ranks):
    """The whole file."""
    files, models, assumed = set(), {}, {}
    for precision in ELEMENT_BYTES:
        paths, samples = samples_of(precision)
        files |= paths
        models[precision] = fitted(samples)
    # A step that was not timed in a precision comes together as it does in FP32.
    for precision, model in models.items():
        missing = {s: way for s, way in models["FP32"].ways.items() if s not in model.ways}
        model.ways.update(missing)
        assumed[precision] = sorted(missing)
    return {
        "context": {
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": commit(),
            "json_schema_version": 1,
            "fitted_to": sorted(path.relative_to(RESULTS).as_posix() for path in files),
            "error": {precision: model.error for precision, model in models.items()},
            "as_in_fp32": assumed,
        },
        "benchmarks": [
            entry(model, form, shape, precision, ranks)
            for precision, model in models.items()
            for shape in SHAPES
            for form in ("gather", "scatter")
        ],
    }


def main():
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("ranks", type=int, help="number of GPUs")
    parser.add_argument("out", type=output_path, help="file")
    options = parser.parse_args()
    write_whole(options.out, json.dumps(predictions(options.ranks), indent=2) + "\n")


if __name__ == "__main__":
    program.run(main)
