"""L20: what nvcc makes of the ladder on this machine. `memory_lab run L20` runs this.

    python3 -m bench.labs.toolchain [--nvcc PATH] [--nvdisasm PATH]

Prints the lab's report as JSON. No GPU is needed; what needs a tool that is missing stays open, and
the report says how to get it. Stages and machine code are read by bench/record.
"""

import argparse
import json
import re
import shutil
import tempfile

from bench import program, results_file
from bench.record.cuda_tools import GET_NVCC, GET_NVDISASM, InputError, find_tools
from bench.record.nvcc_samples import ARCH
from bench.record.nvcc_stages import RECORD, Workshop
from bench.record.nvcc_stages import record as record_stages
from bench.record.nvcc_text import form_of
from bench.record.sass_order import compile_loop

VECTOR_RUNGS = (4, 5)  # before and after float4
NVCC_PLACES = ("nvcc", "/usr/local/cuda/bin/nvcc")


def finding(key, name, value, unit, how):
    """A number of the report; None: looked for and not found."""
    estimate = None if value is None else {"value": value, "low": value, "high": value}
    return {"key": key, "name": name, "value": estimate, "unit": unit, "how": how}


def claim(row, claimed, holds, because):
    """What a text says; `holds` is a verdict, or whether it holds."""
    verdict = holds if isinstance(holds, str) else "holds" if holds else "wrong"
    return {"row": row, "claimed": claimed, "verdict": verdict, "because": because}


def kept_files(nvcc):
    """Names of the files that `nvcc --keep` leaves of one source, without the source."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(folder, nvcc)
        before = {path.name for path in shop.folder.iterdir()}
        shop.compile(ARCH, "--keep", "-c", "scale.cu", "-o", "scale.o")
        return sorted({path.name for path in shop.folder.iterdir()} - before)


def stage_findings(stages, recorded, kept):
    """Findings about the stages that ran here, beside those of the record."""
    made, wanted = form_of(json.loads(json.dumps(stages))), form_of(recorded)
    differing = sorted(name for name, form in made.items() if form != wanted[name])
    version, before = stages["context"]["nvcc"], recorded["context"]["nvcc"]
    how = f"nvcc {version} here, {before} there"
    return [
        finding(
            "stage_groups",
            "Groups of stages whose form was compared",
            len(made),
            "",
            "; ".join(sorted(made)),
        ),
        finding(
            "differing_groups",
            "Groups that differ from the record",
            len(differing),
            "",
            f"{how}{': ' if differing else ''}{', '.join(differing)}",
        ),
        finding(
            "kept_files", "Files that --keep leaves of one source", len(kept), "", ", ".join(kept)
        ),
    ]


def suffix_of(stages, suffix):
    """What nvcc does with a file of this suffix."""
    return next(row for row in stages["suffixes"] if row["suffix"] == suffix)


def verb(row):
    """What became of a command."""
    return "works" if row["status"] == 0 else "fails"


def stage_claims(stages, kept):
    """Verdicts that the stages decide."""
    tools = [step["tool"] for step in stages["steps"]]
    macros = stages["macros"][0]["macros"]
    separate_macros = stages["macros"][1]["macros"]
    linked = [suffix_of(stages, suffix) for suffix in ("o", "a", "res")]
    refused = [row["suffix"] for row in stages["suffixes"] if row["refused"]]
    broken = [row["phase"] for row in stages["phases"] if row["bytes"] is None]
    plain, compiled, alone, linked_code, joined, whole = stages["separate"]
    default = next(row for row in stages["architectures"] if not row["options"])
    order = ["cudafe++", "cicc", "ptxas", "fatbinary", "nvlink"]
    places = [tools.index(tool) for tool in order if tool in tools]
    kinds = ("ptx", "cubin", "fatbin", "stub.c", "cudafe1.cpp")
    return [
        claim(
            "R200",
            "nvcc splits a source: device code to PTX, cubin and fatbin, and host code "
            "with a stub",
            len(places) == len(order)
            and places == sorted(places)
            and all(any(name.endswith(kind) for name in kept) for kind in kinds),
            f"{len(tools)} steps, in this order: {', '.join(tools)}; --keep leaves {len(kept)} "
            "files",
        ),
        claim(
            "R201",
            "__NVCC__, __CUDACC__ and __CUDACC_RDC__ are defined",
            bool(
                macros["__NVCC__"]
                and macros["__CUDACC__"]
                and not macros["__CUDACC_RDC__"]
                and separate_macros["__CUDACC_RDC__"]
            )
            and "condition",
            "The first two always; __CUDACC_RDC__ with -rdc=true alone",
        ),
        claim(
            "R202",
            "nvcc takes files of eleven suffixes",
            "condition" if refused else "holds",
            f"{len(stages['suffixes']) - len(refused)} of {len(stages['suffixes'])} can stand "
            f"where a program is asked for{'; not: ' + ', '.join(refused) if refused else ''}",
        ),
        claim(
            "R203",
            "Each phase has an option that stops there and leaves its file",
            not broken,
            f"{len(stages['phases']) - len(broken)} of {len(stages['phases'])} did"
            f"{'; not: ' + ', '.join(broken) if broken else ''}",
        ),
        claim(
            "R204",
            ".o, .a and .res are passed on to the link alike",
            all(row["tools"] == linked[0]["tools"] and not row["refused"] for row in linked),
            "; ".join(
                f".{row['suffix']}: {row['refused'] or ', '.join(row['tools'])}" for row in linked
            ),
        ),
        claim(
            "R205",
            "-dc, -dlink and g++ build a program of files that share device code",
            all(row["status"] == 0 for row in (compiled, linked_code, joined)),
            f"With the object of -dlink g++ {verb(joined)}, without it {verb(alone)}. One "
            f"command without options {verb(plain)}, with -rdc=true {verb(whole)}",
        ),
        claim(
            "R207",
            "Without -arch, nvcc compiles for compute_52",
            default["compiles"] == ["compute_52"],
            f"nvcc {stages['context']['nvcc']} compiles for {', '.join(default['compiles'])}",
        ),
    ]


def kernel_claims(stages):
    """Verdicts that ptxas's report decides."""
    kernels = {row["kernel"]: row for row in stages["registers"]["kernels"]}
    scratch = next(row for name, row in kernels.items() if "scratch" in name)
    squeezed = next(row for name, row in kernels.items() if "squeezed" in name)
    return [
        claim(
            "R115",
            "An array of 64 floats that is indexed at run time lies in local memory",
            scratch["stack"] >= 256 and not scratch["spill_stores"],
            f"ptxas gives each thread a stack of {scratch['stack']} bytes; nothing is spilled",
        ),
        claim(
            "R224",
            "Too many registers in a thread defeat double buffering",
            "condition" if squeezed["spill_stores"] else "wrong",
            f"What does not fit is spilled: 48 sums in {squeezed['registers']} registers cost "
            f"{squeezed['spill_stores']} bytes of stores and {squeezed['spill_loads']} of loads, "
            "and a tile that was fetched ahead would go the same way",
        ),
    ]


def share(loop):
    """FFMA among the instructions of a loop."""
    return loop.counts.get("FFMA", 0) / loop.instructions


def loop_findings(loops):
    """Findings and claims about the machine code of rungs' main loops."""
    findings, claims = [], []
    for loop in loops:
        local = sum(count for name, count in loop.counts.items() if re.match("LDL|STL", name))
        loads = {name: count for name, count in loop.counts.items() if name.startswith("LDG")}
        shown = ", ".join(f"{count} {name}" for name, count in sorted(loads.items()))
        findings += [
            finding(
                f"ffma_share_{loop.name}",
                f"FFMA in the main loop of rung {loop.name}",
                100 * share(loop),
                "%",
                f"{loop.counts.get('FFMA', 0)} of "
                f"{loop.instructions} instructions; loads: {shown}",
            ),
            finding(
                f"local_{loop.name}",
                f"LDL and STL in the main loop of rung {loop.name}",
                local,
                "",
                f"{loop.spill_store_bytes} bytes are spilled in the whole kernel",
            ),
        ]
    scalar, vector = (loop.counts for loop in loops)
    wide, narrow = vector.get("LDG.128", 0), scalar.get("LDG", 0)
    claims.append(
        claim(
            "R122",
            "float4 makes LDG.E.128 of the loads, a quarter of the instructions",
            wide > 0 and narrow == 4 * wide and "LDG" not in vector,
            f"{narrow} LDG in rung {loops[0].name}'s loop, {wide} LDG.E.128 in rung "
            f"{loops[1].name}'s",
        )
    )
    return findings, claims


def report(options):
    """The lab's report: findings, claims, notes."""
    found = {"series": [], "findings": [], "claims": [], "notes": []}
    nvcc = next(
        filter(None, map(shutil.which, [options.nvcc] if options.nvcc else NVCC_PLACES)), None
    )
    if not nvcc:
        found["findings"].append(
            finding("stage_groups", "Stages of nvcc", None, "", f"There is no nvcc: {GET_NVCC}")
        )
        found["notes"].append(
            "Without nvcc nothing was checked here. "
            "bench/results/nvcc/stages.json has what was recorded elsewhere."
        )
        return found
    stages, kept = record_stages(nvcc), kept_files(nvcc)
    found["findings"] += stage_findings(stages, results_file.read(RECORD), kept)
    found["claims"] += stage_claims(stages, kept) + kernel_claims(stages)
    try:
        tools = find_tools(options)
        findings, claims = loop_findings([compile_loop(rung, "", tools) for rung in VECTOR_RUNGS])
        found["findings"] += findings
        found["claims"] += claims
    except InputError as error:
        found["findings"].append(
            finding(
                "ffma_share_05",
                "FFMA in the main loop of rung 05",
                None,
                "%",
                str(error).splitlines()[0],
            )
        )
        found["claims"].append(
            claim(
                "R122",
                "float4 makes LDG.E.128 of the loads, a quarter of the instructions",
                "pending",
                f"Machine code was not read, for want of nvdisasm: {GET_NVDISASM}",
            )
        )
    found["notes"].append(
        "cuda-gdb, Compute Sanitizer and Nsight need a GPU; bench/record has "
        "scripts that run them and file what they say."
    )
    return found


def main():
    """Prints the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", help="its path, if not on the PATH or in /usr/local/cuda")
    parser.add_argument("--nvdisasm", help="its path, if not on the PATH or beside nvcc")
    print(json.dumps(report(parser.parse_args())))


if __name__ == "__main__":
    program.run(main)
