"""Starts grader_judge, which runs and times submissions in processes of their own."""

import json
import subprocess

from bench import SOURCES
from classroom.contained import HEADERS
from classroom.kernel_library import BUILD

JUDGE_SECONDS = 3600  # by the clock; a submission may compute for 600 s, see judging.cpp
# That the worker may read: libraries, and no source but the headers and the submission's own.
SYSTEM = ("/usr", "/lib", "/lib64", "/proc/self", "/etc/alternatives", "/etc/ld.so.cache")


class NoGradeError(Exception):
    """Why there is no grade at all; the sentence says what to do."""


def judged(job):
    """What grader_judge says about a job; judge.cpp and judging.hpp say what it may hold."""
    judge = BUILD / "grader_judge"
    if not judge.exists():
        raise NoGradeError(f"{judge.name} is not built: run `make build`, then grade again.")
    try:
        process = subprocess.run(
            [judge],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=JUDGE_SECONDS,
            env={"PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise NoGradeError(
            f"This machine is too busy: the judge was not done after {JUDGE_SECONDS} s. Grade "
            "again when less runs beside it."
        ) from None
    if process.returncode != 0:
        raise NoGradeError(f"The judge stopped: {process.stderr.strip() or process.returncode}")
    return json.loads(process.stdout)


def job_of(rung, work, worker, folder):
    """What all jobs have in common.

    work    "grade" or "speed"
    worker  the program that runs the submission: "grader_worker"
    folder  holds the libraries of the submission
    """
    return {
        "do": work,
        "number": rung.number,
        "precision": rung.precision,
        "tile": list(rung.tile),
        "multiple_of": rung.multiple_of,
        "worker": str(BUILD / worker),
        "folders": [
            *SYSTEM,
            *(str(SOURCES / name) for name in HEADERS),
            *(str(path) for path in BUILD.glob("lib/*.so*")),
            str(folder),
        ],
    }
