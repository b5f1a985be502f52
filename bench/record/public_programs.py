"""Runs public CUDA programs in the glass box as their files stand, and files what becomes of each.

    python3 -m bench.record.public_programs CHECKOUTS --out bench/results/public_programs.json

CHECKOUTS is a folder with a checkout of each repository, OWNER+NAME, and a file OWNER+NAME.commit
with its commit. A program is a .cu file with a main(). Those in an --out file that is there already
are not run again, so a stopped run goes on where it was; --older runs those again that another
build has run, the shortest first, and then the rest. Every program runs in a copy of its folder,
with an empty standard input, and gets the same seconds of CPU time.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from bench import SOURCES, own_programs, program, public_programs
from bench.output_file import output_path, write_whole
from bench.record import program_scope
from bench.record.ladder_program import output_of, stop

MEMORY = 9 << 30  # bytes that a program may use
LACKS = "lacks"  # the group of findings in which the glass box, and not the program, is at fault
NOT_RUN = "not run"
NOT_CUDA = "nvcc does not compile it"  # such as an exercise with gaps to fill


def resident_bytes(session):
    """Memory of all processes of a session."""
    done = subprocess.run(
        ["ps", "-o", "rss=", "--sid", str(session)], capture_output=True, text=True, check=False
    )
    return 1024 * sum(map(int, done.stdout.split()))


def run_limited(words, folder, scratch, seconds):
    """(exit code, output, errors, seconds); in place of the exit code, why it was stopped."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    start = time.monotonic()
    texts = [pathlib.Path(scratch) / name for name in ("output", "errors")]
    with (
        texts[0].open("wb") as output,
        texts[1].open("wb") as errors,
        subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            preexec_fn=limits,
            env={**os.environ, "TMPDIR": str(scratch)},
        ) as process,
    ):
        code = None
        while code is None:
            try:
                code = process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                if time.monotonic() - start > 20 * seconds:  # asleep, or starved by others
                    code = "too long"
                elif resident_bytes(process.pid) > MEMORY:
                    code = "too large"
        if isinstance(code, str):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.terminate()  # it stops the program, and writes what it has found
                process.wait(timeout=60)
        with contextlib.suppress(ProcessLookupError):  # and whatever it has started
            os.killpg(process.pid, signal.SIGKILL)
    if code in (128 + signal.SIGXCPU, -signal.SIGXCPU):
        code = "too long"
    said = [path.read_text(errors="replace") for path in texts]
    return code, *said, round(time.monotonic() - start, 1)


def without_folders(text):
    """A sentence without those of this machine."""
    return re.sub(r"(?<![\w.])/\S*/", "", text)


def first_error(errors):
    """The first line of nvcc's that names an error, without folders."""
    lines = [line for line in errors.splitlines() if line.strip()]
    wanted = [line for line in lines if "error" in line]
    return without_folders((wanted or lines or [""])[0])[:300]


def said_by(finding):
    """The first line of what is wrong, and where, without folders."""
    place = f"{finding['file']}:{finding['line']}: " if "line" in finding else ""
    return without_folders(place + finding["message"].splitlines()[0])[:300]


def error_of_nvcc(files, words_of_both, more, options, scratch):
    """nvcc's first error in a program that the glass box does not compile; None if it has none."""
    for file in files:
        words = [options.nvcc, "-arch=sm_90", "-rdc=true", "-c", str(file)]
        words += ["-o", f"{scratch}/object.o", *words_of_both, *more.get("nvcc", ())]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return first_error(done.stdout + done.stderr)
    return None


def place_in(file, folder, copy):
    """A file of the checkout, as its repository names it."""
    for start in (copy, folder):
        if file and file.startswith(f"{start}/"):
            return file[len(str(start)) + 1 :]
    return file


def findings_in(found, place):
    """Hazards and failed calls; each place once, however many launches came by."""
    hazards = {}
    calls = [finding_of(call, place) for call in found["findings"] if call["level"] == "error"]
    for launch in found["subjects"]:
        for hazard in launch["findings"]:
            if hazard["group"] == "launch":
                calls.append(finding_of(hazard, place) | {"kind": launch["cuda_error"]})
                continue
            array = hazard.get("element", {}).get("array", "")
            other_line = hazard.get("other", {}).get("line", 0)
            key = (hazard["code"], hazard.get("line"), other_line, array, launch["kernel"])
            first = finding_of(hazard, place) | {
                "kernel": launch["kernel"],
                "array": array,
                "other_line": other_line,
                "times": 0,
            }
            hazards.setdefault(key, first)["times"] += hazard["times"]
    return list(hazards.values()), calls


def finding_of(found, place):
    """What hazards and failed calls have in common."""
    return {
        "kind": found["code"],
        "file": place(found.get("file", "")),
        "line": found.get("line", 0),
        "message": without_folders(found["message"]),
        "times": found["times"],
    }


def told(output):
    """The last line in which a program says whether its result is right."""
    lines = [line.strip() for line in output.splitlines()]
    words = r"(?i)\b(pass|success|correct|match|fail|error|mismatch|wrong|ok|verif|equal)"
    saying = (line for line in reversed(lines) if re.search(words, line))
    return next((without_folders(line)[:200] for line in saying), None)


def tried(repository, path, options):
    """One program's entry."""
    folder = (options.checkouts / repository).resolve()
    source = folder / path
    more = public_programs.MORE.get(f"{repository}/{path}", {})
    folders = program_scope.folders_of(source, options.checkouts.resolve())
    folders += [
        folder / name
        for name in (*public_programs.FOLDERS.get(repository, ()), *more.get("folders", ()))
    ]
    files = program_scope.files_of(source, more)
    scope = program_scope.out_of_scope(files, folders)
    entry = {"repository": repository, "path": path, "scope": scope}
    if len(files) > 1:
        entry["files"] = [str(file.relative_to(source.parent)) for file in files[1:]]
    entry |= {name: more[name] for name in ("definitions", "nvcc", "arguments") if name in more}
    if entry["scope"]:
        return entry
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        copy = pathlib.Path(scratch) / "copy"
        shutil.copytree(source.parent, copy, ignore_dangling_symlinks=True)
        record = pathlib.Path(scratch) / "found.json"
        # As if for a terminal, so that a program that is stopped has printed all that it said.
        words = ["stdbuf", "-oL", str(options.glassbox.resolve()), *map(str, files)]
        words_of_both = [word for name in folders for word in ("-I", str(name))]
        words_of_both += [f"-D{word}" for word in more.get("definitions", ())]
        words += [*words_of_both, "--json", str(record)]
        words += ["--", *more["arguments"]] if "arguments" in more else []
        code, output, errors, entry["seconds"] = run_limited(words, copy, scratch, options.seconds)
        found = json.loads(record.read_text()) if record.exists() else None
        if found is None or "launches" not in found:
            entry |= not_begun(code, errors, found)
            if options.nvcc and entry["outcome"] in ("refused", "not compiled"):
                error = error_of_nvcc(files, words_of_both, more, options, scratch)
                entry |= {"scope": NOT_CUDA, "said": error} if error else {}
            return entry
        place = lambda file: place_in(file, folder, copy)  # noqa: E731
        hazards, calls = findings_in(found, place)
    lacks = [finding for finding in all_findings(found) if finding["group"] == LACKS]
    if lacks:  # at run time, such as dynamic parallelism
        return entry | {"outcome": "refused", "said": without_folders(lacks[0]["message"])}
    entry |= {"hazards": hazards, "calls": calls}
    traced = own_programs.traced_in(found)
    lines = [line for launch in traced for line in launch["lines"]]
    return entry | {
        **({"outcome": code} if isinstance(code, str) else {"outcome": "ran", "exit_code": code}),
        "told": told(output),
        "launches": found["launches"],
        "traced": len(traced),
        "requests": sum(line["requests"] for line in lines),
        "never_freed": sum(finding["group"] == "leak" for finding in found["findings"]),
    }


def not_run(repository, path):
    """The entry of a program that is still to be run."""
    return {"repository": repository, "path": path, "scope": None, "outcome": NOT_RUN}


def all_findings(found):
    """Those of all launches, and those of none."""
    return [finding for launch in found["subjects"] for finding in launch["findings"]] + found[
        "findings"
    ]


def not_begun(code, errors, found):
    """What is filed of a program that the glass box did not start.

    found: what it has written, if anything
    """
    if isinstance(code, str):
        return {"outcome": code, "said": "before its first launch had ended"}
    if found is None:  # it broke down, which it does not do
        return {"outcome": "not compiled", "said": first_error(errors)}
    lacks = [finding for finding in found["findings"] if finding["group"] == LACKS]
    first = (lacks or found["findings"])[0]
    kind = "several files" if first["code"] == "linker-error" else "not compiled"
    return {"outcome": "refused" if lacks else kind, "said": said_by(first)}


def main():
    """Runs what is not recorded yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=pathlib.Path, help="folder with OWNER+NAME folders")
    parser.add_argument("--out", type=output_path, default=public_programs.RECORD)
    parser.add_argument("--glassbox", type=pathlib.Path, default=SOURCES / "build" / "glassbox")
    parser.add_argument(
        "--nvcc",
        default=shutil.which("nvcc"),
        help="asked of programs that the glass box does not compile",
    )
    parser.add_argument("--seconds", type=int, default=30, help="of CPU time, for one program")
    parser.add_argument("--jobs", type=int, default=2, help="programs side by side")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder for copies")
    parser.add_argument("--only", default="", help="run programs with this in their path, again")
    parser.add_argument(
        "--older",
        action="store_true",
        help="run programs again that another build has run, the shortest first",
    )
    parser.add_argument(
        "--again", default=NOT_RUN, help="run programs that ended so, such as " "refused, again"
    )
    options = parser.parse_args()
    if not options.glassbox.exists():
        stop(f"{options.glassbox} is missing: run `make build` first")
    results = public_programs.read(options.out) if options.out.exists() else {"programs": []}
    entries = {
        (entry["repository"], entry["path"]): entry
        for entry in results["programs"]
        if entry.get("outcome") not in (NOT_RUN, options.again)
    }
    programs = program_scope.find_programs(options.checkouts)
    commits = {
        name: (options.checkouts / f"{name}.commit").read_text().strip()
        for name in public_programs.REPOSITORIES
    }
    folder = str(options.glassbox.resolve().parent)
    commit = output_of(["git", "-C", folder, "rev-parse", "--short", "HEAD"]).strip()
    context = {
        "commits": commits,
        "seconds": options.seconds,
        "memory": MEMORY,
        "card": "classroom",
    }
    lock = threading.Lock()

    def record(key):
        entry = tried(*key, options)
        if not entry["scope"]:
            entry["commit"] = commit
        with lock:
            entries[key] = entry
            kept = [entries.get(key, not_run(*key)) for key in programs]
            write_whole(
                options.out, json.dumps({"context": context, "programs": kept}, indent=1) + "\n"
            )
            outcome = entry["scope"] or entry["outcome"]
            found = len(entry.get("hazards", ())) + len(entry.get("calls", ()))
            print(f"{'/'.join(key)}: {outcome}, {found} findings", flush=True)

    if options.only:
        wanted = [key for key in programs if options.only in "/".join(key)]
    else:
        wanted = [key for key in programs if key not in entries]
    if options.older:
        older = [
            key
            for key in programs
            if key in entries and not entries[key]["scope"] and entries[key].get("commit") != commit
        ]
        wanted = sorted(older, key=lambda key: entries[key].get("seconds", 0)) + wanted
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(record, wanted))


if __name__ == "__main__":
    program.run(main)
