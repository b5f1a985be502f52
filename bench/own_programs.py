"""Ordinary CUDA programs of which a GPU and the glass box count the same: what is compared."""

import pathlib

from bench import SOURCES

PROGRAMS = SOURCES / "tests" / "glassbox" / "ncu_programs"
RESULTS = pathlib.Path("bench/results")  # below the root of the sources
COUNTED = RESULTS / "nvidia-h200" / "own_programs.json"
EMULATED = RESULTS / "emulator" / "own_programs.json"

COUNTS = ("requests", "sectors", "lines", "wavefronts")  # of the glass box, of each operation


def _global(count, *operations):
    """Nsight Compute's names."""
    return tuple(f"l1tex__t_{count}_pipe_lsu_mem_global_op_{op}.sum" for op in operations)


def _shared(operation):
    """The wavefronts of one operation on shared memory."""
    return (f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum",)


# {counter: (metrics of Nsight Compute, operations of the glass box, count)}; sums are compared.
COMPARED = {
    "global load requests": (_global("requests", "ld"), ("global load",), "requests"),
    "global load sectors": (_global("sectors", "ld"), ("global load",), "sectors"),
    "global load lines": (_global("set_accesses", "ld"), ("global load",), "lines"),
    "global store requests": (_global("requests", "st"), ("global store",), "requests"),
    "global store sectors": (_global("sectors", "st"), ("global store",), "sectors"),
    "global store lines": (_global("set_accesses", "st"), ("global store",), "lines"),
    # An atomic whose old value nobody reads is a reduction to the hardware.
    "global atomic requests": (_global("requests", "atom", "red"), ("global atomic",), "requests"),
    "global atomic sectors": (_global("sectors", "atom", "red"), ("global atomic",), "sectors"),
    "shared load wavefronts": (_shared("ld"), ("shared load",), "wavefronts"),
    "shared store wavefronts": (_shared("st"), ("shared store",), "wavefronts"),
    "shared atomic wavefronts": (_shared("atom"), ("shared atomic",), "wavefronts"),
    # By instrumented code, which no collision of two clients disturbs.
    "shared wavefronts": (
        ("memory_l1_wavefronts_shared",),
        ("shared load", "shared store", "shared atomic"),
        "wavefronts",
    ),
}

# What is recorded; the last ones explain differences.
METRICS = (
    *dict.fromkeys(metric for metrics, _, _ in COMPARED.values() for metric in metrics),
    *_global("output_wavefronts", "ld"),
    *_global("output_wavefronts", "st"),
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
)


def names():
    """Of all programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.cu"))


def source(name):
    """The file of a program."""
    return PROGRAMS / f"{name}.cu"


def traced_in(found):
    """The launches that were traced, in a file of the glass box."""
    return [launch for launch in found["subjects"] if launch["traced"]]


def launches_of(found):
    """[{kernel, grid, block, operations: {operation: counts}}] of a file of `glassbox trace`."""
    launches = []
    for launch in sorted(traced_in(found), key=lambda launch: launch["number"]):
        operations = {}
        for line in launch["lines"]:
            counts = operations.setdefault(line["operation"], dict.fromkeys(COUNTS, 0))
            for count in COUNTS:
                counts[count] += line[count]
        launches.append(
            {key: launch[key] for key in ("kernel", "grid", "block")} | {"operations": operations}
        )
    return launches


def compared(hardware, emulator):
    """{counter: (what a GPU counted, what the glass box did)} of one launch, where either is not 0.

    hardware: its entry of COUNTED; emulator: one of launches_of()
    """
    pairs = {}
    for name, (metrics, operations, count) in COMPARED.items():
        counted = sum(hardware["metrics"][metric] for metric in metrics)
        emulated = sum(
            counts[count] for op, counts in emulator["operations"].items() if op in operations
        )
        if counted or emulated:
            pairs[name] = counted, emulated
    return pairs
