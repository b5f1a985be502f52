"""Blocks about products on several GPUs, as build/many_gpus and fused_matmul.py recorded them."""

from bench import SOURCES, results_file
from docs.report.page_blocks.markdown import table
from docs.report.ranks_model import Sample, fitted
from docs.report.recorded import NotRecordedError

RESULTS = SOURCES / "bench" / "results"
KEYS = ("name", "m", "n", "k", "precision")  # what tells one form of one product from others
PREDICTED_FILE = "many_gpus_predicted.json"  # written before the run: see ranks_prediction.py
STEPS = ("in turn", "in pieces", "in the kernel")
# A host of 8 GPUs has a port of 400 Gbit/s of InfiniBand for each: NVIDIA's DGX H100 data sheet.
# The latency is that of a message between hosts.
INFINIBAND_BYTES_PER_MS = 50e6
INFINIBAND_LATENCY_MS = 0.005
PREDICTED = (4, 8)  # ranks on one host
PREDICTED_HOSTS = (1024, 65536)  # (ranks on many hosts, M = N = K)


def recordings_by_file(pattern):
    """[(path, results)] of the files of this name."""
    found = sorted(RESULTS.glob(pattern))
    if not found:
        raise NotRecordedError(f"bench/results/{pattern} is not there")
    return [(path, results_file.read(path)) for path in found]


def recordings(pattern):
    """The results files of this name."""
    return [results for _, results in recordings_by_file(pattern)]


def entries():
    """(context, form) of all that was timed on two ranks or more, small products first."""
    found = [
        (data["context"], form)
        for data in recordings("*/many_gpus_*.json")
        for form in data["benchmarks"]
        if form["measured"] and form["ranks"] > 1
    ]
    return sorted(found, key=lambda entry: order_of(entry[1]))


def order_of(form):
    """Rows of tables: by precision, size and number of ranks."""
    return (form["precision"], work(form), form["ranks"])


def key_of(form, ranks):
    """What two programs that time the same product have in common."""
    return (*(form[key] for key in KEYS), ranks)


def work(form):
    """FLOP."""
    return 2.0 * form["m"] * form["n"] * form["k"]


def peers():
    """{key_of(): speed-up of PyTorch's fused operator}; empty if not recorded."""
    try:
        files = recordings("*/fused_matmul*.json")
    except NotRecordedError:
        return {}
    return {
        key_of(entry, data["context"]["ranks"]): entry["speed_up"]["fused"]
        for data in files
        for entry in data["benchmarks"]
    }


def many_gpus_block(*_):
    """Speed-ups over one GPU of each step, and beside them PyTorch's."""
    fused = peers()
    rows = []
    for _, form in entries():
        measured = form["measured"]
        speed_up = {step["step"]: step["speed_up"] for step in measured["steps"]}
        peer = fused.get(key_of(form, form["ranks"]))
        rows.append(
            (
                f"{form['precision']} {form['m']} x {form['n']} x {form['k']}",
                form["name"],
                form["ranks"],
                f"{measured['one_gpu']['time_ms']:.3f} ms",
                *(f"{speed_up[step]:.2f}" if step in speed_up else "" for step in STEPS),
                f"{peer:.2f}" if peer else "",
                f"{measured['possible']:.2f}",
                f"{measured['link_gbps']:.0f}",
            )
        )
    heads = ("M x N x K", "form", "GPUs", "one GPU", *STEPS, "PyTorch fused", "possible", "GB/s")
    device = ", ".join(sorted({context["device"] for context, _ in entries()}))
    links = ", ".join(sorted({form["links"] for _, form in entries()}))
    return (
        f"{table(heads, rows)}\n\nSpeed-ups over one GPU. {device}, {links}, burst protocol. "
        "GB/s is what each rank receives in NCCL's collective alone."
    )


def sample(form):
    """What the model is fitted to."""
    measured = form["measured"]
    return Sample(
        ranks=form["ranks"],
        flop=work(form),
        received_bytes=measured["received_bytes"],
        one_ms=measured["one_gpu"]["time_ms"],
        compute_ms=measured["compute"]["time_ms"],
        communication_ms=measured["communication"]["time_ms"],
        steps_ms={step["step"]: step["time_ms"] for step in measured["steps"]},
    )


def model_block(*_):
    """The fitted model, its error, and what it predicts."""
    chosen = [form for _, form in entries() if form["precision"] == "FP32"]
    fewest = min(form["ranks"] for form in chosen)
    fitted_to = [form for form in chosen if form["ranks"] == fewest]
    model = fitted([sample(form) for form in fitted_to])
    largest = max(fitted_to, key=work)
    rows = [
        prediction(model, ranks, tuple(largest[key] for key in ("m", "n", "k")), "one host")
        for ranks in PREDICTED
    ]
    ranks, size = PREDICTED_HOSTS
    network = model.on_network(INFINIBAND_BYTES_PER_MS, INFINIBAND_LATENCY_MS)
    rows.append(prediction(network, ranks, (size, size, size), "hosts on InfiniBand"))
    ways = "; ".join(
        f"{step} {100 * way.overlap:.0f} % are hidden, and the product takes {way.slower:.2f} "
        "times as long as alone"
        for step, way in model.ways.items()
    )
    heads = ("GPUs", "M x N x K", "links", "product", "copies", *model.ways)
    return (
        f"Fitted to {fewest} GPUs, in FP32: {model.flop_per_ms * 1e-9:.1f} TFLOP/s for each, "
        f"{model.bytes_per_ms * 1e-6:.0f} GB/s received, {model.latency_ms * 1e3:.0f} µs of "
        f"latency. Of the copies, {ways}. The model misses the times that it was fitted to by "
        f"{100 * model.error:.1f} % at most. These are **predictions**, in ms, and speed-ups over "
        f"one GPU:\n\n{table(heads, rows)}"
    )


def prediction(model, ranks, shape, links):
    """A row: gathered A, on so many ranks."""
    m, n, k = shape
    flop = 2.0 * m * n * k
    received = 4.0 * m * k * (ranks - 1) / ranks
    one = model.compute_ms(flop, 1)
    steps = (one / model.step_ms(step, flop, received, ranks) for step in model.ways)
    return (
        ranks,
        f"{m} x {n} x {k}",
        links,
        f"{model.compute_ms(flop, ranks):.2f}",
        f"{model.communication_ms(received, ranks):.2f}",
        *(f"{speed_up:.1f} x" for speed_up in steps),
    )


def predicted_block(*_):
    """What was foretold before a run on more GPUs, and what was then measured."""
    foretold = recordings(PREDICTED_FILE)[0]
    context = foretold["context"]
    measured = {
        key_of(form, form["ranks"]): {
            step["step"]: step["speed_up"] for step in form["measured"]["steps"]
        }
        for _, form in entries()
    }
    rows = []
    for form in sorted(foretold["benchmarks"], key=order_of):
        found = measured.get(key_of(form, form["ranks"]), {})
        cells = [
            f"{form['steps'][step]['speed_up']:.2f}"
            + (f" / **{found[step]:.2f}**" if step in found else "")
            for step in STEPS
        ]
        product = f"{form['precision']} {form['m']} x {form['n']} x {form['k']}"
        rows.append((product, form["name"], form["ranks"], *cells))
    misses = " and ".join(
        f"{100 * error:.0f} % in {name}" for name, error in sorted(context["error"].items())
    )
    assumed = [
        f"In {precision}, {' and '.join(steps)} was not timed on fewer GPUs: the model takes what "
        "it found in FP32."
        for precision, steps in context["as_in_fp32"].items()
        if steps
    ]
    ran = (
        "first what was foretold, then **what was measured**" if measured_any(rows) else "foretold"
    )
    return (
        f"{table(('M x N x K', 'form', 'GPUs', *STEPS), rows)}\n\n"
        f"Speed-ups over one GPU, {ran}. The file was written on {context['date'][:10]}, before "
        f"any run on so many GPUs; the model misses what it was fitted to by at most {misses}. "
        f"{' '.join(assumed)}".rstrip()
    )


def measured_any(rows):
    """Whether a row has more than a prediction."""
    return any("**" in cell for row in rows for cell in row[3:])


def timeline_block(*_):
    """The figure of stamps, if a GPU has recorded some."""
    if not any(RESULTS.glob("*/ranks_timeline_*.json")):
        return "No GPU has recorded its stamps yet."
    words = (
        "The share of a rank's blocks that multiply, and that travel, over the time of a product"
    )
    return f"![{words}](../../docs/figures/ranks_timeline.svg)"


BLOCKS = {
    "many_gpus_timeline": timeline_block,
    "many_gpus": many_gpus_block,
    "many_gpus_model": model_block,
    "many_gpus_predicted": predicted_block,
}
