"""Runs programs for the scripts of this folder; what they complain about ends the script."""

import pathlib
import subprocess
import sys
import tempfile

from bench import results_file


def stop(message):
    """Ends the script with an error."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def output_of(command):
    """Runs a command and returns its standard output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        stop(f"cannot run {command[0]}: {error.strerror}")
    if done.returncode != 0:
        stop(f"{' '.join(command[:4])} ... failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def results_of(ladder, *arguments):
    """What a command of the `ladder` program writes as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.json"
        output_of([ladder, *arguments, "--json", str(path)])
        return results_file.read(path)


def context_of(ladder, device):
    """Machine, versions and commit that the ladder files its own results with."""
    run = ("run", "00", "--size", "64", "--device", device, "--no-timing")
    return results_of(ladder, *run)["context"]


def version_of(tool):
    """The last line of what a tool says of its version."""
    return output_of([tool, "--version"]).strip().splitlines()[-1]
