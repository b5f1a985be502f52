"""nvcc and nvdisasm for scripts that read machine code, and what their files say of both."""

import datetime
import pathlib
import re
import shutil
import subprocess

from bench import SOURCES

GET_NVCC = "install the CUDA toolkit, or name its nvcc with --nvcc"
GET_NVDISASM = (
    "it is part of the CUDA toolkit (package cuda-nvdisasm-13-0), `pip install "
    "nvidia-cuda-nvdisasm` has it as well; name it with --nvdisasm"
)


class InputError(Exception):
    """A tool or a kernel that cannot be used; the sentence says why."""


def find_tool(named, name, folders, how_to_get):
    """The path of a tool: as named, on the PATH or in one of the folders."""
    path = shutil.which(named) if named else shutil.which(name)
    for folder in () if named else folders:
        path = path or shutil.which(name, path=folder)
    if not path:
        raise InputError(f"cannot find {named or name}: {how_to_get}")
    return path


def find_tools(options):
    """The paths of nvcc and nvdisasm, as --nvcc and --nvdisasm name them or where they are."""
    nvcc = find_tool(options.nvcc, "nvcc", ["/usr/local/cuda/bin"], GET_NVCC)
    beside = str(pathlib.Path(nvcc).resolve().parent)
    return nvcc, find_tool(options.nvdisasm, "nvdisasm", [beside], GET_NVDISASM)


def output_of(command):
    """What a tool prints, both streams; raises InputError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        name = pathlib.Path(command[0]).name
        raise InputError(f"{name} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout + done.stderr


def commit():
    """The commit of the sources, or 'unknown'."""
    command = ["git", "-C", SOURCES, "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine_code_context(compiler):
    """What a file of machine code by a compiler ("nvcc 13.0.88") says of where it is from."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "device": "none: machine code",
        "compiler": compiler,
        "commit": commit(),
        "protocol": None,
        "sm_clock_mhz": None,
        "power_w": None,
        "json_schema_version": 1,
    }


def context_of(nvcc):
    """machine_code_context() of this nvcc."""
    version = re.search(r"release [\d.]+, V([\d.]+)", output_of([nvcc, "--version"]))
    if not version:
        raise InputError(f"{nvcc} --version names no release: is it the nvcc of a CUDA toolkit?")
    return machine_code_context(f"nvcc {version[1]}")
