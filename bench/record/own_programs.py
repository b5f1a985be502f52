"""Records what Nsight Compute counts in ordinary CUDA programs, and what the glass box does.

    python3 -m bench.record.own_programs compile build/own_programs
    python3 -m bench.record.own_programs profile build/own_programs \\
        --out bench/results/nvidia-h200/own_programs.json
    python3 -m bench.record.own_programs trace --out bench/results/emulator/own_programs.json

The programs are those of tests/glassbox/ncu_programs. `compile` needs nvcc and fills a
folder with programs; `profile` needs that folder, a GPU and ncu; `trace` needs neither. The files
have, per program, what it printed, and per launch its counters.
"""

import argparse
import ctypes
import json
import pathlib
import re
import sys
import tempfile
import time

from bench import own_programs, program, results_file
from bench.output_file import output_path, write_whole
from bench.record import cuda_tools, probes
from bench.record.ladder_program import output_of, stop, version_of

ARCHITECTURE = "sm_90"
COMPILED = "compiled.json"  # in the folder: with what, and from which commit


def compile_all(options):
    """Compiles the programs into the folder."""
    nvcc = cuda_tools.find_tool(options.nvcc, "nvcc", ["/usr/local/cuda/bin"], cuda_tools.GET_NVCC)
    context = cuda_tools.context_of(nvcc)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in own_programs.names():
        binary = str(options.folder / name)
        source = str(own_programs.source(name))
        output_of([nvcc, "-std=c++20", f"-arch={ARCHITECTURE}", "-o", binary, source])
        print(binary, flush=True)
    write_whole(options.folder / COMPILED, json.dumps(context, indent=2) + "\n")


def driver_version():
    """The newest CUDA that the driver knows: '13.0'"""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return stop(f"no driver is installed: {error}")
    version = ctypes.c_int()
    if cuda.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return stop("the driver does not tell its version")
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def gpu_context(folder):
    """Which machine counts, and what was compiled with what."""
    compiled = results_file.read(folder / COMPILED)
    name, _driver = probes.gpu()
    return {
        **compiled,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "device": name,
        "cuda_driver": driver_version(),
        "cuda_toolkit": ".".join(re.findall(r"\d+", compiled["compiler"])[:2]),
        "architecture": ARCHITECTURE,
        "profiler": version_of("ncu"),
    }


def extents(cell):
    """[x, y, z] of '(79, 1, 1)'"""
    return [int(extent) for extent in re.findall(r"\d+", cell)]


def profiled(name, folder):
    """What a program prints and, per launch, what ncu counts."""
    binary = str((folder / name).resolve())
    output = output_of([binary])
    done = probes.ncu(own_programs.METRICS, binary, kernels=())
    if done.returncode != 0:
        stop(f"{name}: ncu failed:\n{done.stdout}")
    columns, rows = probes.table_of(done.stdout)
    # Those of instrumented code have no roll-up, and may be left out where they are 0.
    hardware = [metric for metric in own_programs.METRICS if "." in metric]
    missing = [metric for metric in hardware if metric not in columns]
    if missing:
        stop(f"this ncu does not know {', '.join(missing)}")
    launches = []
    for row in rows:
        cells = dict(zip(columns, row))
        launches.append(
            {
                "kernel": re.match(r"(?:void )?(\w+)", cells["Kernel Name"])[1],
                "grid": extents(cells["Grid Size"]),
                "block": extents(cells["Block Size"]),
                "metrics": {
                    metric: probes.count(cells.get(metric, ""), metric, name)
                    for metric in own_programs.METRICS
                },
            }
        )
    print(f"{name}: {output.strip()}", flush=True)
    return {"name": name, "output": output, "launches": launches}


def profile_all(options):
    """Runs and profiles every program on the GPU."""
    context = gpu_context(options.folder)
    entries = [profiled(name, options.folder) for name in own_programs.names()]
    file_all(options.out, context, entries)


def traced(name, glassbox):
    """What a program prints and what the glass box counts; and the context of that."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "found.json"
        words = ["trace", "--gpu", "h200", str(own_programs.source(name)), "--json", str(path)]
        output = output_of([glassbox, *words])
        found = results_file.read(path)
    entry = {"name": name, "output": output, "launches": own_programs.launches_of(found)}
    print(f"{name}: {output.strip()}", flush=True)
    return entry, found["context"]


def trace_all(options):
    """Traces every program."""
    entries, contexts = zip(*(traced(name, options.glassbox) for name in own_programs.names()))
    file_all(options.out, {**contexts[0], "card": "h200"}, entries)


def file_all(out, context, entries):
    """Writes a file of results."""
    results = {"context": context, "benchmarks": entries}
    write_whole(out, json.dumps(results, indent=2) + "\n")


def main():
    """Does what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("compile", help="compile the programs into a folder")
    verb.add_argument("folder", type=pathlib.Path)
    verb.add_argument("--nvcc", help="the compiler")
    verb.set_defaults(does=compile_all)
    verb = verbs.add_parser("profile", help="run them on the GPU, under ncu")
    verb.add_argument("folder", type=pathlib.Path, help="with the compiled programs")
    verb.add_argument("--out", type=output_path, default=own_programs.COUNTED)
    verb.set_defaults(does=profile_all)
    verb = verbs.add_parser("trace", help="run them in the glass box")
    verb.add_argument("--glassbox", default="build/glassbox", help="the program to run")
    verb.add_argument("--out", type=output_path, default=own_programs.EMULATED)
    verb.set_defaults(does=trace_all)
    options = parser.parse_args()
    try:
        options.does(options)
    except cuda_tools.InputError as error:
        sys.exit(f"own_programs.py: {error}")


if __name__ == "__main__":
    program.run(main)
