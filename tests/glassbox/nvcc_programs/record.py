"""Asks nvcc for its verdict on each program of this folder, and files it in verdicts.json.

python -m tests.glassbox.nvcc_programs.record
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
VERDICTS = HERE / "verdicts.json"
NVCC = os.environ.get("NVCC", "nvcc")
OPTIONS = ["--expt-relaxed-constexpr", "--extended-lambda"]


def errors_of(program, *options):
    """[line, sentence] of each error that nvcc has; None if it compiles the program."""
    command = [
        NVCC,
        "-std=c++17",
        "-arch=sm_90",
        "-w",
        "-cuda",
        "-o",
        os.devnull,
        *options,
        program.name,
    ]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    pattern = rf"^{re.escape(program.name)}\((\d+)\): error: (.*)$"
    return [
        [int(line), text] for line, text in re.findall(pattern, done.stdout + done.stderr, re.M)
    ]


def verdict_on(program):
    """{"verdict": "accepted", "refused", or "option" where an option of nvcc's decides, ...}"""
    errors = errors_of(program)
    if errors is None:
        return {"verdict": "accepted"}
    with_options = errors_of(program, *OPTIONS)
    verdict = "option" if with_options is None else "refused"
    line, text = (with_options or errors)[0]
    return {"verdict": verdict, "line": line, "error": text}


def main():
    """Writes the file."""
    release = subprocess.run([NVCC, "--version"], capture_output=True, text=True, check=True).stdout
    programs = sorted(HERE.glob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(verdict_on, programs))
    record = {
        "nvcc": re.search(r"V([\d.]+)", release)[1],
        "programs": {
            program.stem: verdict for program, verdict in zip(programs, verdicts, strict=True)
        },
    }
    VERDICTS.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
