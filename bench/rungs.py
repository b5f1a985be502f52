"""The rungs, as bench/results/rungs.json records them: what programs in Python know of C++.

    build/ladder list --json bench/results/rungs.json     renews the file; ladder/program/
                                                          rung_facts.hpp says what is in it

No program of ours reads the sources for such facts, and none writes numbers of rungs down.
"""

import dataclasses
import pathlib
import subprocess
from dataclasses import dataclass

from bench import SOURCES, results_file
from bench.results_file import FigureError

FACTS = pathlib.Path("bench/results/rungs.json")  # below the root of the sources
PROGRAM = pathlib.Path("build/ladder")
FORM = results_file.form_of(FACTS)
ELEMENT_BYTES = {"FP32": 4, "TF32": 4, "BF16": 2}  # of A, B and C in memory


@dataclass(frozen=True)
class Rung:
    """A line of the table, and what its sources fix."""

    number: int
    name: str  # "shared_tile"
    folder: str  # "03_shared_tile"
    idea: str
    sources: str  # their fingerprint, by which the program knows an edited kernel
    builds_on: int | None
    precision: str  # "FP32", "TF32" or "BF16": what is multiplied; sums are FP32
    compute_capability: int  # 75 means 7.5
    needs: str  # "compute capability 7.5 or higher"
    architectures: tuple  # it is compiled for: ("75", "80", "90"); code for "90a" is for 9.0 alone
    architecture: str | None  # what the recorded GPU's code is compiled for: "sm_90a"
    multiple_of: int  # of N and K
    tile: tuple | None  # (rows, columns) of C per block
    about: dict | None  # what it changes: {counter, words, value, text, below, below_text}
    constants: dict
    kernels: tuple  # of dictionaries, as all that follow
    launches: tuple
    configurations: tuple  # of a rung that chooses by shape
    plans: tuple  # what it chooses

    @property
    def label(self):
        """'03 shared_tile'"""
        return f"{self.number:02} {self.name}"

    @property
    def path(self):
        """Its folder, below the root of the sources."""
        return pathlib.Path("ladder") / self.folder

    @property
    def element_bytes(self):
        """Of an element of A, B or C in memory."""
        return ELEMENT_BYTES[self.precision]

    @property
    def tensor_cores(self):
        """Whether its precision is that of tensor cores, whose peak is its own."""
        return self.precision != "FP32"

    @property
    def architecture_specific(self):
        """Whether it runs on those GPUs alone that it is compiled for."""
        return all(name.endswith("a") for name in self.architectures)

    def runs_on(self, compute_capability):
        """Whether a GPU of this compute capability, 90 for 9.0, runs it."""
        return any(code_runs_on(name, compute_capability) for name in self.architectures)

    @property
    def takes(self):
        """'any M; N and K multiples of 4'"""
        if self.multiple_of == 1:
            return "any M, N, K"
        return f"any M; N and K multiples of {self.multiple_of}"

    @property
    def main_kernel(self):
        """The first that multiplies; others of the rung prepare its inputs."""
        return next(
            (each for each in self.kernels if each["function"] == "kernel"), self.kernels[0]
        )

    @property
    def shared_bytes(self):
        """Of a block of its main kernel."""
        return sum(self.main_kernel[f"{kind}_shared_bytes"] for kind in ("static", "dynamic"))

    def values(self, kernel=0):
        """{name: whole number} of all constants, as one of its kernels sees them."""
        of_kernel = self.kernels[kernel]
        return {**self.constants, **of_kernel["locals"], **of_kernel["template"]}

    def configuration(self, name):
        """One of its configurations by its name."""
        for configuration in self.configurations:
            if configuration["name"] == name:
                return configuration
        raise FigureError(f"rung {self.label} has no configuration called '{name}'")

    def plan(self, shape):
        """How it works on (M, N, K): recorded, or else as the program says; None: no choice."""
        if not self.configurations:
            return None
        for plan in self.plans:
            if tuple(plan["shape"]) == shape:
                return plan
        return planned(self.number, shape)


def code_runs_on(architecture, compute_capability):
    """Whether code for "80" or "90a" runs on a GPU; the latter on this compute capability alone."""
    own = int(architecture.rstrip("a"))
    return compute_capability == own if architecture.endswith("a") else compute_capability >= own


def planned(number, shape):
    """The plan of a rung for a shape that is not recorded, from the program."""
    if len(set(shape)) > 1 or not PROGRAM.exists():
        raise FigureError(
            f"{FACTS} has no plan of rung {number:02} for {' x '.join(map(str, shape))}"
            f"{'' if PROGRAM.exists() else f', and {PROGRAM} is not built: run make build'}"
        )
    listing = [PROGRAM, "list", "--size", str(shape[0]), "--json", "/dev/stdout"]
    done = subprocess.run(listing, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FigureError(f"{PROGRAM} list failed: {done.stderr.strip()}")
    facts = results_file.in_form(done.stdout, f"what {PROGRAM} list says", FORM)
    return read(facts, f"what {PROGRAM} list says")[number].plans[0]


def read(facts, path):
    """{number: Rung} of what `ladder list --json` wrote."""
    found = results_file.Record({}, path, "its list")
    for entry in facts["rungs"]:
        fields = {field.name: entry[field.name] for field in dataclasses.fields(Rung)}
        for name in ("architectures", "kernels", "launches", "configurations", "plans"):
            fields[name] = tuple(entry[name])
        fields["tile"] = tuple(entry["tile"]) if entry["tile"] else None
        if entry["number"] in found:
            raise results_file.ResultsError(path, f"rung {entry['number']} is there twice")
        found[entry["number"]] = Rung(**fields)
    for rung in found.values():
        if rung.builds_on is not None and rung.builds_on not in found:
            raise results_file.ResultsError(
                path, f"rung {rung.number} builds on rung {rung.builds_on}, which is not there"
            )
    return found


def _table_of(path):
    return read(results_file.read(path), path)


def rung_table():
    """{number: Rung} of all rungs: of the sources in this folder, or else of those of this file."""
    path = next((path for path in (FACTS, SOURCES / FACTS) if path.exists()), None)
    if path is None:
        raise FigureError(f"{FACTS} is not there: run {PROGRAM} list --json {FACTS}")
    return results_file.read_once(_table_of, path)


def own_rungs():
    """{number: Rung} of the rungs with a kernel of their own: all but the library."""
    return {number: rung for number, rung in rung_table().items() if rung.tile}


def rung_of(number):
    """A Rung by its number."""
    table = rung_table()
    if number not in table:
        raise FigureError(
            f"there is no rung {number:02}; there are " + ", ".join(f"{n:02}" for n in table)
        )
    return table[number]


def rung_named(name):
    """A Rung by its name."""
    for rung in rung_table().values():
        if rung.name == name:
            return rung
    raise FigureError(f"there is no rung {name}")
