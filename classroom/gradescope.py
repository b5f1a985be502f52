"""Gradescope's autograder of one rung: the archive that a teacher uploads, and what runs in it.

    python3 -m classroom.gradescope pack 03 --out autograder.zip [--secret-file F]
    python3 -m classroom.gradescope check        in the archive: does the ladder's rung get all?
    python3 -m classroom.gradescope grade        in the archive: grades what was handed in

https://gradescope-autograders.readthedocs.io/en/latest/specs/ says what the archive has to hold:
setup.sh, which runs once when the image is built, and run_autograder, which runs for each
submission.
"""

import argparse
import io
import json
import os
import pathlib
import secrets
import sys
import tempfile
import time
import zipfile

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.rungs import rung_of
from classroom import adapters, copied_tree, starters
from classroom.grade import NoGradeError, commit, grade, write

ROOM = "gemm-ladder"  # of the sources, inside of the archive
SETTINGS = "settings.json"
SECRET = "secret"
ARCHIVES = (".tar.gz", ".tgz", ".zip")
DEEPEST = 4  # folders, in which a submission may lie
LONG_AGO = (1980, 1, 1, 0, 0, 0)

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: it installs packages, builds the
# grader and lets it grade the ladder's own rung. Nothing needs the network afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
chmod 600 secret
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends @packages@ >/dev/null
# Ubuntu 22.04 has an older g++ and an older CMake.
compiler=g++
if [ "$(g++ -dumpversion | cut -d. -f1)" -lt 12 ]; then
  apt-get install -y -qq --no-install-recommends g++-12 >/dev/null
  compiler=g++-12
fi
if ! printf '3.25\\n%s\\n' "$(cmake --version | sed -n '1s/.* //p')" | sort -C -V; then
  apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
  python3 -m venv /opt/cmake
  /opt/cmake/bin/pip install --quiet cmake==3.31.6
  PATH=/opt/cmake/bin:$PATH
fi
cd gemm-ladder
cmake --preset cpu -DCMAKE_CXX_COMPILER="$compiler" -DLADDER_TESTS=OFF --log-level=WARNING
cmake --build build --target grader
python3 -m classroom.gradescope check
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission, in /autograder. It needs no network.
cd "$(dirname "${BASH_SOURCE[0]}")"
[ ! -d source ] || cd source
cd gemm-ladder && exec python3 -m classroom.gradescope grade
"""
README = """\
GEMM Ladder: autograder of rung @label@, for Gradescope

Upload this archive under "Configure Autograder". The assignment is worth @points@ points: speed is
not graded, for want of a GPU. Students hand in the archive that `make submit RUNG=@number@` packs,
or their files.

setup.sh takes packages from the image's distribution: Debian 12, on which it was tried, or newer;
or Ubuntu 22.04 or newer.
Give a submission 10 minutes and 6 GB of memory at most; one usually needs about a minute.

The hidden tests follow from the file `secret`. Keep this archive to yourself, and use the same one
for the whole class.
"""


def in_place(text, **words):
    """A template with its @words@."""
    for name, value in words.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def archive(rung, secret, hidden):
    """The bytes of the archive; the same whenever these are the same."""
    words = {
        "label": rung.label,
        "number": f"{rung.number:02}",
        "points": 80,
        "packages": " ".join(copied_tree.packages()),
    }
    settings = {"rung": rung.number, "hidden": hidden}
    files = {
        "setup.sh": in_place(SETUP, **words),
        "run_autograder": RUN,
        "README.txt": in_place(README, **words),
        SETTINGS: json.dumps(settings) + "\n",
        SECRET: secret,
        f"{ROOM}/COMMIT": commit() + "\n",
    }
    grader = [
        path.relative_to(SOURCES)
        for ending in ("cpp", "hpp", "ld", "map")
        for path in (SOURCES / "classroom").glob(f"*.{ending}")
    ]
    for path in [*copied_tree.building_files("classroom.gradescope"), *grader]:
        data = (SOURCES / path).read_bytes()
        if path == copied_tree.RUNGS:
            data = copied_tree.with_rungs(data.decode(), [rung.folder])
        files[f"{ROOM}/{path}"] = data
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            runs = name in ("setup.sh", "run_autograder")
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            packed.writestr(entry, data)
    return out.getvalue()


def pack(options):
    """Writes the archive for a teacher."""
    rung = rung_of(options.rung)
    if not rung.tile:
        raise NoGradeError(f"Rung {rung.label} has no kernel of its own: choose another one.")
    secret = (
        options.secret_file.read_bytes()
        if options.secret_file
        else secrets.token_hex(32).encode() + b"\n"
    )
    data = archive(rung, secret, options.hidden)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    part = options.out.with_name(f".{options.out.name}.part")
    part.write_bytes(data)
    part.chmod(0o600)
    part.replace(options.out)
    print(
        f"{options.out}: {len(data) / 1e6:.1f} MB, grades rung {rung.label}.\n"
        'Upload it to Gradescope under "Configure Autograder". Its hidden tests follow\n'
        "from the secret inside: keep the archive, and keep it to yourself."
    )


class Harness:
    """The folders that Gradescope has set up around the sources."""

    def __init__(self):
        """They are known by where this file lies: /autograder/source/gemm-ladder/..."""
        self.source = SOURCES.parent
        self.root = self.source.parent
        try:
            self.settings = json.loads((self.source / SETTINGS).read_text())
        except OSError:
            raise NoGradeError(
                f"There is no {self.source / SETTINGS}: `check` and `grade` run in the archive "
                "that `make gradescope RUNG=03` packs."
            ) from None
        self.rung = rung_of(self.settings["rung"])

    def grade(self, submission, student=None):
        """The grade of a folder or an archive."""
        secret = (self.source / SECRET).read_bytes()
        return grade(submission, self.rung.number, secret, student)

    def students(self):
        """'Ada, Grace', from submission_metadata.json; None where it has no names."""
        try:
            found = json.loads((self.root / "submission_metadata.json").read_text())
            return ", ".join(user["name"] for user in found["users"]) or None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def submission(self):
        """What was handed in: the folder with launch.cu, else the one archive, else all of it."""
        room = self.root / "submission"
        folders, archives = [], []
        for folder, inner, names in os.walk(room):
            path = pathlib.Path(folder)
            if len(path.relative_to(room).parts) >= DEEPEST:
                inner.clear()
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
            if "launch.cu" in names:
                folders.append(path)
            archives += [
                path / name
                for name in sorted(names)
                if name.endswith(ARCHIVES)
                and (path / name).is_file()
                and not (path / name).is_symlink()
            ]
        wanted = [path for path in folders if path.name == self.rung.folder] or folders
        if len(wanted) == 1:
            return wanted[0]
        if not folders and len(archives) == 1:
            return archives[0]
        return room


def check(_options):
    """Grades the ladder's own rung, which has to get all points."""
    harness = Harness()
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder, harness.rung.folder)
        starters.write_to(room, starters.whole(harness.rung))
        found = harness.grade(room)
    print(adapters.headline(found))
    if found["score"] != found["max_score"] or found["flags"]:
        parts = json.dumps(found["parts"], indent=1)
        raise NoGradeError(
            "The ladder's own rung has to get all points without a flag: something "
            f"is wrong with this image:\n{parts}"
        )


def grade_submission(_options):
    """Grades what was handed in; writes results.json for Gradescope, and grade.json beside it."""
    began = time.monotonic()
    harness = Harness()
    found = harness.grade(harness.submission(), harness.students())
    results = adapters.gradescope(found, harness.settings["hidden"])
    results["execution_time"] = round(time.monotonic() - began, 1)
    room = harness.root / "results"
    room.mkdir(exist_ok=True)
    write(room / "grade.json", found)
    write_whole(room / "results.json", adapters.as_json(results))
    print(adapters.headline(found))


def main():
    """Does one of the three."""
    parser = argparse.ArgumentParser(
        prog="gradescope", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    packing = commands.add_parser("pack")
    packing.set_defaults(do=pack)
    packing.add_argument("rung", type=int)
    packing.add_argument("--out", type=output_path, required=True)
    packing.add_argument("--secret-file", type=pathlib.Path)
    packing.add_argument(
        "--hidden", choices=adapters.VISIBILITIES, default=adapters.VISIBILITIES[0]
    )
    commands.add_parser("check").set_defaults(do=check)
    commands.add_parser("grade").set_defaults(do=grade_submission)
    options = parser.parse_args()
    try:
        options.do(options)
    except NoGradeError as error:
        print(f"gradescope: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
