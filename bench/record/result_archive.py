"""Measures this machine's GPU, checks what came out, and packs it into one file to send.

    python3 -m bench.record.result_archive gpu            says whether there is a GPU to measure
    python3 -m bench.record.result_archive run [--full]   climbs, labs, device card (make record)
    python3 -m bench.record.result_archive pack FOLDER    checks result files and packs them

The archive has what a folder of bench/results/ has, a device card, and machine.json: commit,
compilers and system. A file in another form, of another GPU or of another commit is refused.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile

from bench import SOURCES, program, results_file
from bench.output_file import write_whole
from bench.results_file import FigureError

BUILD = pathlib.Path("build")
ROOM = BUILD / "record"
CARD, MACHINE, ASKED = "card.json", "machine.json", "lab_device_card.json"
CLIMBS = (("burst", 4096), ("graph", 1024))


class ArchiveError(FigureError):
    """What cannot be measured or sent; the sentence says why."""


def why_no_gpu():
    """None where the driver shows a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "there is no NVIDIA driver (libcuda.so.1)"
    count = ctypes.c_int(0)
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status != 0:
        return f"the NVIDIA driver gives error {status} when it is asked for its GPUs"
    return None if count.value > 0 else "the NVIDIA driver shows no GPU"


def require_gpu():
    """ArchiveError where there is none."""
    if why := why_no_gpu():
        raise ArchiveError(f"make record measures a GPU, and {why}. Run it on a machine with one")


def said_by(*command):
    """The first line that a command prints, or None where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=SOURCES)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else None


def nvcc_release():
    """'13.0.88', or None."""
    nvcc = said_by(str(SOURCES / ".ci/cuda"), "nvcc")
    done = nvcc and subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    found = done and re.search(r"release [\d.]+, V([\d.]+)", done.stdout)
    return found[1] if found else None


def machine(context):
    """What machine.json says, of the context of a climb."""
    return {
        "device": context["device"],
        "commit": context["commit"],
        "nvcc": nvcc_release(),
        "compiler": said_by(os.environ.get("CXX", "c++"), "--version") or "unknown",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def measure(folder, full):
    """Runs the programs; fills the folder."""

    def run(*command):
        print("$", *command, flush=True)
        subprocess.run(command, check=True)

    for protocol, size in CLIMBS:
        run(
            BUILD / "ladder",
            "climb",
            "--device",
            "gpu",
            "--protocol",
            protocol,
            "--size",
            str(size),
            "--json",
            folder / f"climb_{protocol}_{size}.json",
        )
    run(BUILD / "memory_lab", "run", "all", *([] if full else ["--quick"]), "--json", folder)
    run(BUILD / "memory_lab", "card", folder, folder / CARD)
    context = results_file.read(folder / f"climb_{CLIMBS[0][0]}_{CLIMBS[0][1]}.json")["context"]
    write_whole(folder / MACHINE, json.dumps(machine(context), indent=1) + "\n")


def form_of(name):
    """The form of a file of the archive, or ArchiveError."""
    place = f"common/devices/{name}" if name == CARD else f"bench/results/gpu/{name}"
    form = results_file.form_of(place)
    if form is None:
        raise ArchiveError(f"{name} is no result that an archive has: take it out of the folder")
    return form


def checked(folder):
    """{file name: its contents} of a folder whose files agree; ArchiveError, ResultsError."""
    found = {
        path.name: results_file.read(path, form_of(path.name)) for path in sorted(folder.iterdir())
    }
    for name in (CARD, MACHINE, ASKED):
        if name not in found:
            raise ArchiveError(f"{folder} has no {name}")
    if not any(name.startswith("climb_") for name in found):
        raise ArchiveError(f"{folder} has no climb")
    wanted = found[MACHINE]
    for name, contents in found.items():
        context = contents if name == MACHINE else contents.get("context", wanted)
        for key in ("device", "commit"):
            if context.get(key) != wanted[key]:
                raise ArchiveError(
                    f"{folder / name} is of {key} {context.get(key)}, and {MACHINE} "
                    f"of {wanted[key]}: measure all of them again"
                )
    return found


def slug(text):
    """'nvidia-b200'"""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def pack(folder, out=None):
    """Checks the files of a folder; returns the path of the archive that holds them."""
    if not folder.is_dir():
        raise ArchiveError(f"there is no folder {folder}")
    found = checked(folder)
    named = found[MACHINE]
    room = slug(named["device"])
    out = out or ROOM / f"{room}_{slug(named['commit'])}.tar.gz"
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(out.name + ".part")
    try:
        with tarfile.open(part, mode="w:gz") as archive:
            for name in found:
                archive.add(folder / name, arcname=f"{room}/{name}", recursive=False)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return out


def main():
    """Does what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("gpu")
    commands.add_parser("run").add_argument(
        "--full", action="store_true", help="whole labs, which take minutes, not the quick ones"
    )
    packed = commands.add_parser("pack")
    packed.add_argument("folder", type=pathlib.Path)
    packed.add_argument("--out", type=pathlib.Path, help="the archive (build/record/...)")
    options = parser.parse_args()
    if options.command == "pack":
        out = pack(options.folder, options.out)
    else:
        require_gpu()
        if options.command == "gpu":
            return
        folder = ROOM / "files"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        measure(folder, options.full)
        out = pack(folder)
    print(
        f"Packed into {out}: {out.stat().st_size // 1024 + 1} KB, checked.\n"
        "To send it, open an issue where you got the ladder from and attach this file.\n"
        "It names your GPU, driver, compilers and kernel, and nothing else of your machine."
    )


if __name__ == "__main__":
    program.run(main)
