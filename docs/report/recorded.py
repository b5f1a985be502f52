"""Reads bench/results: climbs, profiles, roofs and benchmarks of the recorded GPU.

Figures are of one GPU, and those of a rung that it has not run of another one; see of_rung().
"""

import contextlib
import contextvars
import pathlib
import re
from statistics import median

from bench import SOURCES, results_file
from bench.benchmark import compact
from bench.results_file import FigureError, Record
from bench.rungs import rung_table

GPUS = ("nvidia-h200", "nvidia-h100")  # the first that has run a rung speaks for it
RESULTS = pathlib.Path("bench/results") / GPUS[0]  # below the root of the sources
CARDS = SOURCES / "common" / "devices"
CARD = CARDS / "h200.json"
SHAPES = SOURCES / "bench" / "results" / "shapes.json"  # build/benchmark --list-shapes --json
FIELDS = ("tflops", "ratio_to_best")  # of a benchmark's sample
SIZE = 4096  # of the climb that pages and plots speak of
DRAWN = "drawn_shapes.json"


class MissingFileError(FigureError):
    """A results file that is not there."""


class NotRecordedError(FigureError):
    """A figure of a rung that the recorded files do not have yet."""


_gpu = contextvars.ContextVar("gpu", default=GPUS[0])


def results():
    """The folder of the GPU that figures are of."""
    return RESULTS.parent / _gpu.get()


def card_name():
    """'H200' of that GPU."""
    return _gpu.get().removeprefix("nvidia-").upper()


def gpu_of(rung):
    """The GPU that speaks for a rung; for a rung that none has run, the usual one."""
    for gpu in GPUS:
        path = RESULTS.parent / gpu / f"climb_burst_{SIZE}.json"
        if path.exists() and any(
            entry["rung"] == rung and entry["tflops"] is not None
            for entry in results_file.read(path)["benchmarks"]
        ):
            return gpu
    return GPUS[0]


@contextlib.contextmanager
def on_gpu(gpu):
    """Within it, figures are of a GPU."""
    token = _gpu.set(gpu)
    try:
        yield
    finally:
        _gpu.reset(token)


def of_rung(rung):
    """Within it, figures are of the GPU that speaks for a rung; None: of the usual one."""
    return on_gpu(GPUS[0] if rung is None else gpu_of(rung))


def gaps(size):
    """What says that a figure is not recorded at a size: the rung is missing in the file, or, at
    other sizes than that of the pages, the file."""
    return NotRecordedError if size == SIZE else (NotRecordedError, MissingFileError)


def load(name):
    """A results file; MissingFileError where it is not there. Of another GPU than the usual one
    not all is recorded: NotRecordedError."""
    path = results() / name
    if not path.exists():
        missing = MissingFileError if _gpu.get() == GPUS[0] else NotRecordedError
        raise missing(f"{path} is not there")
    return results_file.read(path)


def precision_of(entry):
    """'FP32' of an entry of a climb; the oldest files have no other and do not say so."""
    return entry.get("precision", "FP32")


def climb(size, protocol="burst"):
    """{rung number: entry} of a recorded climb; the best of cublasLt under None, and what is timed
    of either library in another precision under its name: "00_cublas_bf16"."""
    name = f"climb_{protocol}_{size}.json"
    entries = {
        entry["rung"] if entry["rung"] or precision_of(entry) == "FP32" else entry["name"]: entry
        for entry in load(name)["benchmarks"]
    }
    return Record(entries, results() / name, "its list")


def rungs_of(entries):
    """{rung number: entry} of a climb, lowest first: cuBLAS in FP32 is 0, other libraries none."""
    return {key: entries[key] for key in sorted(key for key in entries if isinstance(key, int))}


def timed_entries(*precisions):
    """The timed rungs of these precisions in the recorded climb, lowest first."""
    return [
        entry
        for rung, entry in rungs_of(climb(SIZE)).items()
        if rung and precision_of(entry) in precisions and entry["tflops"] is not None
    ]


def fp32_entries():
    """The timed FP32 rungs of the recorded climb, lowest first."""
    return timed_entries("FP32")


def title_of(name):
    """'07_wave_swizzle' as '07 wave swizzle'"""
    return name.replace("_", " ")


def profile(rung, size):
    """{ncu metric: value} of a rung."""
    for kernel in load(f"profile_{size}.json")["benchmarks"]:
        if kernel["rung"] == rung:
            return kernel["metrics"]
    raise NotRecordedError(f"{results() / f'profile_{size}.json'} has no rung {rung}")


def traced(rung, size):
    """{ncu metric: value} of a rung, as the emulator counted them."""
    path = RESULTS.parent / "emulator" / "traces.json"
    for kernel in results_file.read(path)["benchmarks"]:
        if (kernel["rung"], kernel["m"]) == (rung, size):
            return kernel["metrics"]
    raise NotRecordedError(f"{path} has no rung {rung} at {size}")


def roofs():
    """{name: value} of the measured roofs, in TFLOP/s and GB/s."""
    found = {entry["name"]: entry["value"] for entry in load("roofs.json")["benchmarks"]}
    return Record(found, results() / "roofs.json", "its list")


def card_value(name):
    """A figure of the device card of the recorded GPU."""
    return results_file.read(CARDS / f"{card_name().lower()}.json")[name]["value"]


def sms():
    """How many SMs the recorded GPU has."""
    return card_value("sms")


def peak_tflops(precision):
    """What the device card computes from the units for a precision and the clock."""
    return card_value(f"{precision.lower()}_tflops")


def fp32_peak_tflops():
    """That of the FP32 units."""
    return peak_tflops("FP32")


def percent(ratio):
    """0.123 as '12.3 %'"""
    return f"{100 * ratio:.1f} %"


def described(context, protocol):
    """Device and versions of a results file in a line."""
    clock = context.get("sm_clock_mhz")
    text = f"{context['device']}, driver CUDA {context['cuda_driver']}"
    if "cuda_toolkit" in context:
        text += f", toolkit {context['cuda_toolkit']}"
    if protocol:
        text += f", {protocol}"
    for tool in ("profiler", "sanitizer"):
        if tool in context:
            version = re.search(r"\d+(\.\d+)+", context[tool])[0]
            text += f", {'Nsight Compute' if tool == 'profiler' else 'compute-sanitizer'} {version}"
    return text + (f", {clock['median']:.0f} MHz" if clock else "")


def provenance(name):
    """Where the figures of a results file are from."""
    context = load(name)["context"]
    return described(context, f"{context['protocol']} protocol" if context["protocol"] else "")


def known_shapes():
    """[(set, (M, N, K), what it stands for)] of the benchmark, in the order of its table."""
    entries = results_file.read(SHAPES)["shapes"]
    return [(entry["set"], tuple(entry["shape"]), entry["reason"]) for entry in entries]


def flop(shape):
    """Operations of a product."""
    m, n, k = shape
    return 2 * m * n * k


def graph_below_flop():
    """The benchmark replays smaller products as a graph unless it is told otherwise."""
    return results_file.read(SHAPES)["graph_below_flop"]


def protocol_for(shape):
    """The protocol that the benchmark takes for a shape when none is named."""
    return "graph" if flop(shape) < graph_below_flop() else "burst"


class Benchmark:
    """All recorded files benchmark_*.json as one table of medians.

    Files may repeat a row: each sample's ratio is of its own run, so that they can stand together.
    """

    def __init__(self, files="benchmark_*.json", folder=RESULTS):
        """Reads the files; MissingFileError where there is none, FigureError where they differ."""
        paths = sorted(folder.glob(files))
        if not paths:
            raise MissingFileError(f"{folder / files} is not there")
        self.context = results_file.read(paths[0])["context"]
        samples = {}
        for path in paths:
            self._collect(path, samples)
        # (rung's name, shape, protocol): (TFLOP/s, ratio to the best library)
        self.rows = {
            key: tuple(median(entry[field] for entry in entries) for field in FIELDS)
            for key, entries in samples.items()
        }
        if not self.rungs():
            raise FigureError(f"{folder / files} holds no row of a rung")

    def _collect(self, path, samples):
        """Adds a file's samples by row."""
        results = compact.load(path)
        for field in ("device", "cublas"):
            if results["context"][field] != self.context[field]:
                raise FigureError(f"{path} has another {field} than the other benchmarks")
        for entry in results["benchmarks"]:
            if entry["run_type"] != "iteration":
                continue
            if entry.get("error_occurred"):
                raise FigureError(f"{path}: {entry['run_name']}: {entry['error_message']}")
            match = re.fullmatch(r"(\w+)/(\d+)x(\d+)x(\d+)/(\w+)", entry["run_name"])
            if not match:
                raise FigureError(f"{path}: '{entry['run_name']}' is no name of a row")
            shape = tuple(int(match[i]) for i in (2, 3, 4))
            samples.setdefault((match[1], shape, match[5]), []).append(entry)

    def rungs(self):
        """Names of the measured FP32 rungs, lowest first."""
        others = {rung.folder for rung in rung_table().values() if rung.precision != "FP32"}
        names = {name for name, _, _ in self.rows if re.match(r"(?!00)\d\d_", name)}
        return sorted(names - others)

    def jobs(self):
        """[(set, shape, protocol)] that were measured, in the order of the benchmark's table."""
        known = {shape: (i, name) for i, (name, shape, _) in enumerate(known_shapes())}
        jobs = {(shape, protocol) for _, shape, protocol in self.rows}
        order = {"graph": 0, "burst": 1, "sustained": 2}
        return [
            (known.get(shape, (0, "others"))[1], shape, protocol)
            for shape, protocol in sorted(
                jobs, key=lambda job: (known.get(job[0], (len(known),))[0], job[0], order[job[1]])
            )
        ]

    def usual_jobs(self):
        """The jobs with the protocol that the benchmark takes when none is named."""
        return [job for job in self.jobs() if job[2] == protocol_for(job[1])]

    def ratio(self, rung, shape, protocol):
        """Time of the best library / time of the rung; None where the rung has no row."""
        row = self.rows.get((rung, shape, protocol))
        return row[1] if row else None

    def library_tflops(self, shape, protocol):
        """The better of cuBLAS and the best of cublasLt; None where a filter left out both rows."""
        keys = [(name, shape, protocol) for name in ("00_cublas", "best_cublaslt")]
        return max((self.rows[key][0] for key in keys if key in self.rows), default=None)


def drawn_benchmarks():
    """What each GPU measured on shapes drawn at random, the newest first: rung 14's table of
    configurations has changed in between, and the newest has today's."""
    found = [
        Benchmark(DRAWN, RESULTS.parent / gpu)
        for gpu in GPUS
        if (RESULTS.parent / gpu / DRAWN).exists()
    ]
    if not found:
        raise MissingFileError(f"{RESULTS / DRAWN} is not there")
    return sorted(found, key=lambda benchmark: benchmark.context["date"], reverse=True)
