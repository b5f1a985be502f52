"""Times a submission in turn with the reference rung, on this machine's GPU.

The judge owns the clock. It sends the matrices to the process that holds the submission, which
copies them to the GPU and says that it is ready; the time runs from "go" to "done", between which
the kernel is launched and waited for. So the student's code sees no clock, and no input before the
time runs. Each round has new inputs, and each result is verified.
"""

import contextlib
import fcntl

from classroom.allowed import object_faults
from classroom.judge_program import job_of, judged
from classroom.kernel_library import BUILD, build_gpu_library, has_gpu_code

ROUNDS = 15  # after one to warm up; the ratio is the median of so many pairs
SMALL_TILE = 64  # with tiles below, a rung is so slow that less will do
SLOW_SIDE, SIDE = 2048, 4096
FEW_RESULTS = (512, 512, 131_072)  # for a rung that divides K among warps and blocks


def why_not(rung):
    """(None, the GPU) if this machine can grade the speed of a rung, else (why not, None)."""
    if not has_gpu_code():
        return "this build has no code for GPUs", None
    gpu = judged({"do": "gpu"})
    if "why" in gpu:
        return gpu["why"], None
    has = gpu["compute_capability"]
    if not rung.runs_on(has):
        return f"{gpu['name']} has compute capability {has / 10:.1f}; {rung.needs} is needed", None
    return None, gpu


def shapes_of(rung):
    """The shapes that are timed: large ones, whose kernels take at least a millisecond."""
    side = SLOW_SIDE if max(rung.tile) < SMALL_TILE else SIDE
    return [(side, side, side), *([FEW_RESULTS] if rung.configurations else [])]


@contextlib.contextmanager
def gpu_alone():
    """Waits until no other grader of this machine uses the GPU."""
    with (BUILD / "gpu.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def speed_job(rung, secret, libraries, reference, folder, *, device, worker, shapes, rounds=ROUNDS):
    """What judge_speed() reads; see judging.hpp.

    secret     problems.Secret; the inputs follow from it
    libraries  of the submission, reference: of the rung itself, as the worker takes them
    """
    stream = secret.stream("speed")
    return {
        **job_of(rung, "speed", worker, folder),
        "device": device,
        "submission": [str(path) for path in libraries],
        "reference": [str(path) for path in reference],
        "rounds": rounds,
        "problems": [
            {
                "id": " x ".join(map(str, shape)),
                "shape": list(shape),
                "seed": stream.getrandbits(48),
            }
            for shape in shapes
        ],
    }


def library_for_gpu(sources, rung, folder, gpu, wrap=(), kept=frozenset()):
    """(the library of a submission, what its object may not hold).

    folder  of the caller's, for the library; wrap: words in front of the compiler
    kept    names of variables that may survive a call

    Raises CompileError if nvcc does not compile what g++ compiles.
    """
    library = build_gpu_library(sources, rung, folder, gpu["compute_capability"], wrap)
    return library, object_faults({"gpu": folder / "gpu" / "launch.o"}, rung, kept)


def timed_on_gpu(library, rung, secret):
    """The judge's {"problems": ..., "holds": ...} of a submission's library."""
    job = speed_job(
        rung,
        secret,
        [library],
        [BUILD / "lib" / library.name],
        library.parent,
        device="gpu",
        worker="grader_gpu_worker",
        shapes=shapes_of(rung),
    )
    with gpu_alone():
        return judged(job)
