"""Runs every stage of nvcc on small sources and files what each made as JSON.

    python3 -m bench.record.nvcc_stages --out bench/results/nvcc/stages.json
    python3 -m bench.record.nvcc_stages --check    run all; fail where the form is not the record's

The form is: which tools run, which files come out, what is refused. Bytes may differ. No GPU is
needed; what needs cuobjdump or nvdisasm is left out where they are missing, and the file says so.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.record.nvcc_samples import ARCH, ARCHITECTURES, PHASES, SOURCES, SUFFIXES
from bench.record.nvcc_text import (
    compiled_for,
    defined_macros,
    form_of,
    read_images,
    read_ptxas,
    read_steps,
    sections_of,
)

RECORD = pathlib.Path(__file__).resolve().parent.parent / "results" / "nvcc" / "stages.json"


class Workshop:
    """A folder with the sources, in which commands run."""

    def __init__(self, folder, nvcc):
        """Writes the sources into the folder."""
        self.folder, self.nvcc = pathlib.Path(folder), nvcc
        for name, text in SOURCES.items():
            (self.folder / name).write_text(text)

    def run(self, command, **environment):
        """(exit status, standard output, standard error)"""
        done = subprocess.run(
            command,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        return done.returncode, done.stdout, done.stderr

    def compile(self, *arguments):
        """nvcc with these arguments."""
        return self.run([self.nvcc, *arguments])

    def dry_run(self, *arguments):
        """What nvcc would do."""
        return self.compile("--dryrun", "--keep", *arguments)[2]


def first_words(shop, text):
    """The first line of an error, without the folder."""
    return text.strip().splitlines()[0].replace(f"{shop.folder}/", "") if text.strip() else ""


def phases(shop):
    """Every phase that nvcc documents, run."""
    shop.compile(ARCH, "-dc", "main.cu", "twice.cu")
    rows = []
    for phase, options, inputs, product in PHASES:
        target = shop.folder / product
        if product not in inputs and target.exists():
            target.unlink()
        status, out, error = shop.compile(ARCH, *options, *inputs)
        row = {
            "phase": phase,
            "options": options,
            "inputs": inputs,
            "product": product,
            "status": status,
            "bytes": None,
            "said": first_words(shop, error),
        }
        if product == "standard output":
            row["bytes"] = len(out)
        elif target.exists():
            row["bytes"] = target.stat().st_size
        rows.append(row)
    return rows


def architectures(shop):
    """What each way to name an architecture makes."""
    rows = []
    for options in ARCHITECTURES:
        text = shop.dry_run(*options, "-c", "scale.cu")
        refused = re.search(r"nvcc fatal\s*: (.*)", text)
        rows.append(
            {
                "options": options,
                "compiles": compiled_for(text),
                "images": read_images(text),
                "refused": refused[1] if refused else None,
            }
        )
    return rows


def suffixes(shop):
    """What nvcc would do first with a file of each suffix, when asked for a program."""
    rows = []
    for suffix in SUFFIXES:
        name = f"file.{suffix}"
        (shop.folder / name).write_text("")
        text = shop.dry_run(name, "-o", "program")
        refused = re.search(r"nvcc fatal\s*: (.*)", text)
        steps = read_steps(text)
        rows.append(
            {
                "suffix": suffix,
                "tools": [step["tool"] for step in steps],
                "refused": refused[1] if refused else None,
            }
        )
    return rows


def separate(shop):
    """Two files that share a device function: without and with relocatable device code."""
    objects = ["main.o", "twice.o"]
    cuda = pathlib.Path(os.path.realpath(shop.nvcc)).parent.parent / "lib64"
    host = [
        "g++",
        *objects,
        f"-L{cuda}",
        "-lcudart_static",
        "-ldl",
        "-lrt",
        "-lpthread",
        "-o",
        "program",
    ]
    commands = (
        [shop.nvcc, ARCH, "main.cu", "twice.cu", "-o", "program"],
        [shop.nvcc, ARCH, "-dc", "main.cu", "twice.cu"],
        host,
        [shop.nvcc, ARCH, "-dlink", *objects, "-o", "linked.o"],
        [*host[:3], "linked.o", *host[3:]],
        [shop.nvcc, ARCH, "-rdc=true", "main.cu", "twice.cu", "-o", "program"],
    )
    rows = []
    for command in commands:
        status, out, error = shop.run(command)
        line = re.search(r".*(?:fatal|undefined reference).*", out + error)
        said = re.sub(r"tmpxft\S+?_(?=main|twice)", "", line[0]) if line else ""
        shown = " ".join(command).replace(shop.nvcc, "nvcc").replace(str(cuda), "CUDA/lib64")
        rows.append({"command": shown, "status": status, "said": said.strip()})
    return rows


def features(shop):
    """An instruction that only sm_90a has, under three ways to name the architecture."""
    rows = []
    for options in (
        ["-arch=sm_90"],
        ["-arch=sm_90a"],
        ["-gencode", "arch=compute_90a,code=sm_90a"],
    ):
        status, _, error = shop.compile(*options, "-c", "hopper.cu")
        said = re.search(r"error\s*: (.*)", error)
        rows.append({"options": options, "status": status, "said": said[1] if said else ""})
    return rows


def calls(shop):
    """Two ways that texts give to keep data in L2: which of them CUDA has."""
    rows = []
    for name in ("window_call.cu", "window_attribute.cu"):
        status, _, error = shop.compile("-c", name, "-o", "window.o")
        said = re.search(r"error: (.*)", error)
        rows.append({"source": name, "status": status, "said": said[1] if said else ""})
    return rows


def hosts(shop):
    """Which host compiler nvcc starts, by option, by environment, and where there is none."""
    compiler = pathlib.Path(shutil.which("g++"))
    rows = []
    for shown, options, environment in (
        ("", [], {}),
        ("-ccbin g++", ["-ccbin", "g++"], {}),
        ("-ccbin FOLDER", ["-ccbin", str(compiler.parent)], {}),
        ("NVCC_CCBIN=g++", [], {"NVCC_CCBIN": "g++"}),
        ("-ccbin cl.exe", ["-ccbin", "cl.exe"], {}),
        ("PATH without a compiler", [], {"PATH": str(shop.folder)}),
    ):
        command = [shop.nvcc, *options, ARCH, "--dryrun", "scale.cu", "-o", "scale"]
        status, _, error = shop.run(command, **environment)
        said = error.replace(f"{compiler.parent}", "FOLDER").replace('"', "")
        compiles = re.search(r"^#\$ (\S+) .*-E ", said, re.M)
        links = re.search(r"^#\$ (\S+) .*--start-group ", said, re.M)
        rows.append(
            {
                "how": shown,
                "compiles": compiles[1] if compiles else None,
                "links": links[1] if links else None,
                "said": first_words(shop, error) if status else "",
            }
        )
    return rows


def macros(shop):
    """Which of nvcc's macros are defined when it preprocesses."""
    rows = []
    for arguments in (["macros.cu"], ["-rdc=true", "macros.cu"], ["macros.cpp"]):
        rows.append(
            {
                "arguments": arguments,
                "macros": defined_macros(shop.compile(ARCH, "-E", *arguments)[1]),
            }
        )
    return rows


def registers(shop):
    """ptxas's report of the samples."""
    text = shop.compile(ARCH, "-Xptxas", "-v", "-c", "scale.cu", "-o", "scale.o")[2]
    more = shop.compile(ARCH, "-Xptxas", "-v", "-c", "scratch.cu", "-o", "scratch.o")[2]
    lines = [line for line in text.splitlines() if "Compile time" not in line]
    return {"text": lines, "kernels": read_ptxas(text) + read_ptxas(more)}


def debug_information(shop):
    """What options for debugging do to machine code."""
    rows = []
    for options in ([], ["-lineinfo"], ["-O0"], ["-Xptxas", "-O0"], ["-G"]):
        shop.compile(ARCH, *options, "--ptx", "scale.cu", "-o", "lines.ptx")
        shop.compile(ARCH, *options, "--cubin", "scale.cu", "-o", "lines.cubin")
        sections = sections_of(shop.run(["readelf", "-SW", "lines.cubin"])[1])
        rows.append(
            {
                "options": options,
                "loc_lines": (shop.folder / "lines.ptx").read_text().count(".loc"),
                "code_bytes": sum(
                    size for name, size in sections.items() if name.startswith(".text")
                ),
                "debug_sections": sorted(
                    name for name in sections if re.match(r"\.(nv_)?debug", name)
                ),
            }
        )
    return rows


def inside(shop):
    """Sections of the object and of the machine code; the disassembly where there is a tool."""
    shop.compile(ARCH, "-c", "scale.cu", "-o", "scale.o")
    shop.compile(ARCH, "--cubin", "scale.cu", "-o", "scale.cubin")
    found = {
        name: sections_of(shop.run(["readelf", "-SW", name])[1])
        for name in ("scale.o", "scale.cubin")
    }
    found["scale.o"] = {
        name: size
        for name, size in found["scale.o"].items()
        if "nv" in name.lower() and not name.startswith(".rela")
    }
    shop.compile(ARCH, "--ptx", "scale.cu")
    ptx = (shop.folder / "scale.ptx").read_text().splitlines()
    start = next(i for i, line in enumerate(ptx) if line.startswith(".version"))
    found["ptx"] = [line for line in ptx[start:] if line.strip() and line.strip() != "//"]
    tool = shutil.which("cuobjdump")
    found["sass"] = None
    if tool:
        text = shop.run([tool, "-sass", "scale.cubin"])[1]
        code = re.findall(r"/\*([0-9a-f]{4})\*/\s+(.*?;)", text)
        found["sass"] = [f"/*{at}*/  {line}" for at, line in code if not line.startswith("NOP")]
        listed = shop.run([tool, "-lelf", "-lptx", "scale.o"])[1]
        found["images"] = [
            re.sub(r"tmpxft\S+?_(?=scale)", "", line.strip())
            for line in listed.splitlines()
            if " file " in line
        ]
    found["left_out"] = [name for name in ("cuobjdump", "nvdisasm") if not shutil.which(name)]
    return found


def record(nvcc):
    """Everything, as the record has it."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(folder, nvcc)
        version = re.search(r"V(\d+\.\d+\.\d+)", shop.compile("--version")[1])[1]
        host = re.search(r"\d+\.\d+\.\d+", shop.run(["g++", "--version"])[1])[0]
        return {
            "context": {"nvcc": version, "host_compiler": f"g++ {host}", "arch": ARCH},
            "sources": SOURCES,
            "steps": read_steps(shop.dry_run(ARCH, "scale.cu", "-o", "scale")),
            "phases": phases(shop),
            "architectures": architectures(shop),
            "suffixes": suffixes(shop),
            "separate": separate(shop),
            "features": features(shop),
            "calls": calls(shop),
            "hosts": hosts(shop),
            "macros": macros(shop),
            "registers": registers(shop),
            "debug": debug_information(shop),
            "inside": inside(shop),
        }


def main():
    """Writes or checks the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, default=RECORD)
    parser.add_argument("--check", action="store_true", help="compare the form with the record")
    options = parser.parse_args()
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        sys.exit("nvcc_stages.py: there is no nvcc: install the CUDA Toolkit 12.8 or newer")
    data = record(nvcc)
    if not options.check:
        write_whole(options.out, json.dumps(data, indent=1) + "\n")
        print(f"wrote {options.out}")
        return
    made, recorded = form_of(json.loads(json.dumps(data))), form_of(results_file.read(RECORD))
    for name, form in made.items():
        if form != recorded[name]:
            sys.exit(f"nvcc_stages.py: {name} differ from {RECORD}:\n{form}\n{recorded[name]}")
    print(f"{len(data['phases'])} phases and {len(data['steps'])} steps as recorded")


if __name__ == "__main__":
    program.run(main)
