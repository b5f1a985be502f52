"""Calls compilers, and tools that inspect what they made, where a submission can do no harm.

words(...) are words in front of a call: build/contained_call runs it as another user, with its own
view of the files and with limits. call(...) runs such a call and takes of what it says what a
person could read.

What stops a call may be the submission's doing, or the machine's: then it is a GraderFailedError,
which costs no student a point.
"""

import functools
import json
import os
import pathlib
import selectors
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time

from bench import SOURCES, program

BUILD = SOURCES / "build"
PROGRAM = BUILD / "contained_call"
CANNOT_CONTAIN = 125
NOBODY = 65534
SYSTEM = (
    *("/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/alternatives", "/etc/ld.so.cache"),
)
HEADERS = ("common", "emulator", "ladder/ladder.hpp")  # that a kernel may include
MOST_OUTPUT_BYTES = 1 << 20
WALL_SECONDS = 1200  # of a contained call, whose time is limited by what it computes
ENOUGH = ({"view", "user"}, {"files", "user"})  # either keeps a submission from the machine


class GraderFailedError(Exception):
    """The grader failed, and not the student; the sentence says at what."""


class TooLongError(Exception):
    """A call outside of a containment that was not done in time."""


@functools.cache
def holds():
    """What this machine can contain, as words: view, user, network, processes, files, ..."""
    if not PROGRAM.exists():
        return ()
    found = subprocess.run(
        [PROGRAM, *words()[1:-1], "--holds"], capture_output=True, text=True, check=False
    )
    return tuple(json.loads(found.stdout or "[]"))


def is_enough(held):
    """Whether these words keep a submission from all other files of the machine."""
    return any(needed <= set(held) for needed in ENOUGH)


def what_is_missing():
    """A sentence about what this machine cannot contain; empty where nothing is missing."""
    if is_enough(holds()):
        return ""
    return (
        "This machine cannot contain a submission: it has no user namespaces, and only root could "
        "do without. Its code runs as you, so it could reach "
        + ("what you have started." if "files" in holds() else "your files.")
    )


def has_view():
    """Whether a call has its own view of the files; before the build, whether it may have one."""
    if PROGRAM.exists():
        return "view" in holds()
    try:
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    except OSError:
        return True  # the grader finds out


def closed_folder():
    """A folder on the way to the sources that the user of a contained call may not enter.

    None where there is none, or where a call has its own view of the files.
    """
    if os.geteuid() != 0 or has_view():
        return None
    way = (SOURCES, *SOURCES.parents)
    return next((each for each in way if not each.stat().st_mode & stat.S_IXOTH), None)


def entry_refused(closed):
    """Why no call can be contained below a closed folder, and what to do."""
    return (
        f"it runs compilers as another user, who may not enter {closed}: allow that with "
        f"`chmod a+x {closed}`, or move GEMM Ladder elsewhere, where make builds it again"
    )


def words(read=(), write=(), cpu_seconds=110):
    """Words in front of a call.

    read    files and folders that it sees beside the system's and the headers
    write   folders that it may write to
    """
    shown = [*SYSTEM, *(SOURCES / name for name in HEADERS), *read]
    real = dict.fromkeys(
        each for path in shown for each in (str(path), str(pathlib.Path(path).resolve()))
    )
    return (
        str(PROGRAM),
        *(word for path in real for word in ("--read", path)),
        *(word for path in write for word in ("--write", str(path))),
        "--cpu",
        str(cpu_seconds),
        "--",
    )


def folder_to_write(path):
    """Makes a folder that a contained call may write to."""
    path.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    return path


class Running:
    """The calls that run now, in whatever thread."""

    def __init__(self):
        """None yet."""
        self.guard, self.processes = threading.Lock(), set()

    def start(self, command, **options):
        """A process in a session of its own."""
        with self.guard:
            process = subprocess.Popen(command, start_new_session=True, **options)
            self.processes.add(process)
        return process

    def end(self, process):
        """Ends one, and what it has started, if it still runs."""
        with self.guard:
            self.processes.discard(process)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()

    def end_all(self):
        """Ends all: their callers see the end."""
        with self.guard:
            for process in self.processes:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)


RUNNING = Running()


def call(command, folder, seconds, most_bytes=MOST_OUTPUT_BYTES, errors=subprocess.STDOUT):
    """(exit code, what it says, cut off at so many bytes).

    seconds  of the clock; a contained call has its own, and computes as long as words() allow
    errors   where standard error goes

    Raises TooLongError, GraderFailedError.
    """
    contained = str(command[0]) == str(PROGRAM)
    if contained and (closed := closed_folder()):
        raise GraderFailedError(entry_refused(closed))
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"}
    process = RUNNING.start(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    try:
        limit = WALL_SECONDS if contained else seconds
        said = _said_by(process, time.monotonic() + limit, most_bytes)
        code = process.wait()
    except TooLongError:
        if not contained:
            raise
        raise GraderFailedError(f"a call was not done after {WALL_SECONDS} s") from None
    finally:
        RUNNING.end(process)
    text = said.decode(errors="replace")
    if contained and code in (CANNOT_CONTAIN, 128 + signal.SIGKILL):
        raise GraderFailedError(f"it could not contain a call: {text.strip()[-300:] or code}")
    return code, text


def _said_by(process, ends, most_bytes):
    """What a process writes until it closes its output: the first bytes; the rest is dropped."""
    kept = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0, ends - time.monotonic())):
                raise TooLongError
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                return bytes(kept)
            kept += data[: most_bytes - len(kept)]


def main():
    """Ends with 2, and says what to do, where a grader that is not built yet could not work."""
    if closed := closed_folder():
        print(
            textwrap.fill(
                f"The grader cannot work here: {entry_refused(closed)}.",
                80,
                break_long_words=False,
                break_on_hyphens=False,
            ),
            file=sys.stderr,
        )
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
