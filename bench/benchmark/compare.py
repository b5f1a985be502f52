"""Compares two results of the benchmark, or two of a climb, row by row.

    python3 -m bench.benchmark.compare base.json new.json

Ends with 0, with 1 when a row got slower beyond the noise, or with 2 when the files cannot be
compared. Absolute times of two runs differ by what the GPU's clock did that day. So each sample is
first divided by the cuBLAS sample of its own round, and these ratios are compared.
"""

import argparse
import pathlib
import sys
from statistics import median

from bench import program, results_file
from bench.benchmark import compact
from bench.results_file import ResultsError
from bench.results_forms.gpu import CLIMB

WHY_RATIOS = (
    "Ratios to cuBLAS of the same run: times of two runs differ by what clocks and power did."
)
REFERENCES = ("00_cublas", "best_cublaslt")  # what the rows are compared with, in any precision
NOT_TIMED = ("refused", "left out")  # outcomes in a climb
SAME = {"device": "GPU", "protocol": "protocol", "cublas": "cuBLAS"}


HOW = (
    "Write files to compare with `make bench OUT=FILE`, or with `build/ladder climb --json FILE` "
    "on a GPU"
)
NO_TIMES = f"holds no times beside cuBLAS. {HOW}"


class InputError(Exception):
    """Files that cannot be compared; the sentence says why."""


def form_of(results):
    """The form of what the benchmark writes, or of what a climb does."""
    entries = results.get("benchmarks") if isinstance(results, dict) else None
    first = entries[0] if isinstance(entries, list) and entries else None
    return compact.FORM if not isinstance(first, dict) or "run_name" in first else CLIMB


def in_its_form(value, path, place):
    """A results file that can be compared."""
    return form_of(value)(value, path, place)


def samples_of(path, entry, vendor_ms, protocol):
    """(row, its ratios to cuBLAS) of an entry of the benchmark, or of a climb."""
    if "run_name" in entry:
        return entry["run_name"], [entry["ratio_to_cublas"]]
    row = f"{entry['name']}/{entry['m']}x{entry['n']}x{entry['k']}/{protocol}"
    if vendor_ms is None or entry.get("samples_ms") is None:
        raise ResultsError(path, NO_TIMES)
    if len(vendor_ms) != len(entry["samples_ms"]):
        raise ResultsError(
            path,
            f"{row} has {len(entry['samples_ms'])} samples, and "
            f"{REFERENCES[0]} {len(vendor_ms)}",
        )
    return row, [vendor / ms for vendor, ms in zip(vendor_ms, entry["samples_ms"], strict=True)]


def load(path):
    """(context, {row: its samples}) of a results file."""
    try:
        results = compact.expanded(results_file.read(path, in_its_form))
    except (ResultsError, compact.FormError) as error:
        named = "" if isinstance(error, ResultsError) else f"{path}: "
        raise InputError(f"{named}{error}. {HOW}") from error
    rows = {}
    entries = results["benchmarks"]
    context = {field: results["context"][field] for field in SAME}
    if not context["protocol"]:
        raise ResultsError(path, NO_TIMES)
    # A climb takes the samples of all rungs in rounds, rung 00's too.
    vendor_ms = next((e.get("samples_ms") for e in entries if e["name"] == REFERENCES[0]), None)
    for entry in entries:
        if entry.get("run_type", "iteration") != "iteration":
            continue
        if entry["name"].startswith(REFERENCES) or entry.get("outcome") in NOT_TIMED:
            continue
        if entry.get("error_occurred") or entry.get("verified") is False:
            why = entry.get("error_message") or entry["note"]
            raise InputError(f"{path}: {entry['name']}: {why}")
        row, samples = samples_of(path, entry, vendor_ms, context["protocol"])
        rows.setdefault(row, []).extend(samples)
    if not rows:
        raise InputError(f"{path} holds no row of a rung")
    return context, rows


def require_same_conditions(base_context, new_context):
    """Raises InputError where machine, protocol or library differ."""
    for field, name in SAME.items():
        old, new = base_context[field], new_context[field]
        if old != new:
            raise InputError(f"the {name} differs: {old} in the base, {new} in the new file")


def common_rows(base, new, only_common):
    """Names that both have, in the order of the base."""
    for rows, others, place in ((base, new, "the base"), (new, base, "the new file")):
        alone = [name for name in rows if name not in others]
        if not alone or only_common:
            continue
        shown = ", ".join(alone[:5]) + (f" and {len(alone) - 5} more" if len(alone) > 5 else "")
        hint = "--only-common compares the others"
        for name in alone:
            if any(other.rpartition("/")[0] == name.rpartition("/")[0] for other in others):
                hint = "the other file has it with another protocol"
        raise InputError(f"only {place} has {shown}: {hint}")
    common = [name for name in base if name in new]
    if not common:
        raise InputError("the files have no row in common")
    return common


def u_test(xs, ys):
    """Two-sided p of the Mann-Whitney U test, exact also where values are equal.

    Under the null hypothesis each choice of len(xs) ranks is equally likely; how many choices give
    each sum of ranks is counted one rank after the other. Ranks are doubled, so that the mean rank
    of equal values is whole.
    """
    pooled = sorted(xs + ys)
    doubled = {value: pooled.index(value) * 2 + pooled.count(value) + 1 for value in pooled}
    ways = [{0: 1}] + [{} for _ in xs]
    for value in pooled:
        for taken in range(len(xs) - 1, -1, -1):
            for total, count in ways[taken].items():
                more = total + doubled[value]
                ways[taken + 1][more] = ways[taken + 1].get(more, 0) + count
    mean = len(xs) * (len(pooled) + 1)
    distance = abs(sum(doubled[x] for x in xs) - mean)
    sums = ways[len(xs)]
    extreme = sum(count for total, count in sums.items() if abs(total - mean) >= distance)
    return extreme / sum(sums.values())


def verdict(base, new, options):
    """(change in percent, "slower", "faster" or "noise")."""
    percent = 100 * (median(new) / median(base) - 1)
    if abs(percent) < options.least or u_test(base, new) > options.alpha:
        return percent, "noise"
    return percent, "faster" if percent > 0 else "slower"


def compare(options):
    """Prints the comparison. Returns whether a row got slower."""
    base_context, base = load(options.base)
    new_context, new = load(options.new)
    require_same_conditions(base_context, new_context)
    names = common_rows(base, new, options.only_common)
    for name in names:
        if min(len(base[name]), len(new[name])) < 5:
            raise InputError(f"{name} has fewer than 5 samples: no test tells them from noise")
    print(WHY_RATIOS)
    print(f"{'row':<39} {'base':>7} {'new':>7} {'change':>9}  beyond noise?")
    slower = False
    for name in names:
        percent, word = verdict(base[name], new[name], options)
        slower = slower or word == "slower"
        print(
            f"{name:<39} {median(base[name]):7.3f} {median(new[name]):7.3f} {percent:+7.2f} %"
            f"  {word}"
        )
    print(
        f"Noise: less than {options.least:g} %, or more than {options.alpha:g} in the"
        " Mann-Whitney U test."
    )
    return slower


def limited(text, most):
    """A number from 0 to `most`."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 to {most:g}")
    return value


def share(text):
    """Type of --alpha."""
    return limited(text, 1)


def percentage(text):
    """Type of --least."""
    return limited(text, 1e6)


def main():
    """Compares the files named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument(
        "--alpha", type=share, default=0.01, help="largest p that counts (%(default)s)"
    )
    parser.add_argument(
        "--least",
        type=percentage,
        default=0.5,
        help="smallest change that counts, in percent (%(default)s)",
    )
    parser.add_argument("--only-common", action="store_true", help="leave out rows of one file")
    try:
        sys.exit(1 if compare(parser.parse_args()) else 0)
    except (InputError, ResultsError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
