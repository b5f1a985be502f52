"""Takes a student's submission: a folder, or an archive that may hold anything.

An archive is read without unpacking what does not belong to a kernel: no links, no paths that lead
elsewhere, few files, few bytes.
"""

import dataclasses
import hashlib
import io
import json
import pathlib
import re
import stat
import tarfile
import zipfile
import zlib

from classroom.kernel_library import NAME as SOURCE_NAME
from classroom.kernel_library import ROOM

MOST_FILES = 64
MOST_FILE_BYTES = 256 * 1024
MOST_ARCHIVE_BYTES = 16 * 1024 * 1024
MOST_UNPACKED_BYTES = 64 * 1024 * 1024
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for gigabytes
LAUNCH = "launch.cu"
RECORD = ".progress.json"  # of hints, where the archive has it
NAME = re.compile(r"^(?P<student>.+?)[_/](?P<rung>\d\d)(?:_\w+)?(?:\.tar\.gz|\.tgz|\.zip)?/?$")


class BadSubmissionError(Exception):
    """A submission that cannot be graded; the sentence is for the student.

    kind: of the flag that the grade gets.
    """

    def __init__(self, kind, sentence):
        """See the schema for kinds."""
        super().__init__(sentence)
        self.kind = kind


@dataclasses.dataclass(frozen=True)
class Submission:
    """Sources of one kernel, in memory."""

    files: dict  # name without folders -> bytes
    sha256: str
    hints: int | None = None

    def write_to(self, folder):
        """Writes the sources to a folder of the grader's."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


class UnreadableError(Exception):
    """What an archive may not be; read_submission() makes a sentence of it."""


def _checked_path(name):
    """A path inside of an archive."""
    path = pathlib.PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise UnreadableError(f"it has the path {name[:80]!r}, which leads out of its folder")
    return path


def _from_tar(data):
    """[(path, size, function that reads it)] of a tar archive; None reads what is no file."""
    # The whole is unpacked in memory, up to a limit: a bomb never gets further.
    unpack = zlib.decompressobj(31)
    plain = unpack.decompress(data, MOST_UNPACKED_BYTES + 1) if data[:2] == b"\x1f\x8b" else data
    if len(plain) > MOST_UNPACKED_BYTES:
        raise UnreadableError(f"unpacked it is larger than {MOST_UNPACKED_BYTES >> 20} MiB")
    archive = tarfile.open(fileobj=io.BytesIO(plain), mode="r:")
    return [
        (
            _checked_path(member.name),
            member.size,
            (lambda m=member: archive.extractfile(m).read()) if member.isreg() else None,
        )
        for member in archive
        if not member.isdir()
    ]


def _from_zip(data):
    """The same of a zip archive."""
    archive = zipfile.ZipFile(io.BytesIO(data))

    def read(member):
        if member.compress_type not in ZIP_METHODS:
            raise UnreadableError(f"{member.filename[:80]!r} is compressed in an unusual way")
        with archive.open(member) as file:
            return file.read(MOST_FILE_BYTES + 1)

    def is_file(member):
        return stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)

    return [
        (
            _checked_path(member.filename),
            member.file_size,
            (lambda m=member: read(m)) if is_file(member) else None,
        )
        for member in archive.infolist()
        if not member.is_dir()
    ]


def _entries_of(data):
    """[(path, bytes)] of the files of an archive that may belong to a kernel."""
    found = [
        each
        for each in (_from_zip(data) if data[:2] == b"PK" else _from_tar(data))
        if _belongs(each[0])
    ]
    folders = {path.parent for path, _, _ in found if path.name == LAUNCH}
    found = [each for each in found if each[0].parent in folders or each[0].name == RECORD]
    if len(found) > MOST_FILES:
        raise UnreadableError(f"it has more than {MOST_FILES} files of kernels")
    entries = []
    for path, size, read in found:
        if read is None:
            raise UnreadableError(f"{path.name[:80]!r} is a link or a device")
        _check_size(path, size)
        entries.append((path, read()))
        _check_size(path, len(entries[-1][1]))
    return entries


def _belongs(path):
    """Whether a file may belong to a kernel: no other is looked at."""
    return path.name == RECORD or SOURCE_NAME.fullmatch(path.name) is not None


def _check_size(path, size):
    """Raises UnreadableError for a file that is too large."""
    if size > MOST_FILE_BYTES:
        raise UnreadableError(f"{path.name[:80]} is larger than {MOST_FILE_BYTES >> 10} KiB")


def _kernel_files(entries, rung):
    """{name: bytes} of the one folder that holds launch.cu."""
    launches = [path for path, _ in entries if path.name == LAUNCH]
    named = [path for path in launches if path.parent.name == rung.folder]
    at_work = [path for path in named if path.parent.parent.name == ROOM]
    for wanted in (named, at_work):  # of a whole repository, what the student has worked on
        if len(wanted) == 1:
            launches = wanted
    if len(launches) != 1:
        what = (
            f"There are {len(launches)} files called launch.cu, and one is needed"
            if launches
            else "launch.cu is missing"
        )
        raise BadSubmissionError(
            "missing_file",
            f"{what}: hand in the folder {rung.folder} with its launch.cu and kernel.cuh, as "
            f"`make submit RUNG={rung.number:02}` does.",
        )
    folder = launches[0].parent
    return {
        path.name: data for path, data in entries if path.parent == folder and path.name != RECORD
    }


def _hints_in(entries, rung):
    """How many hints the archive's record says were read; None where it has none."""
    for path, data in entries:
        if path.name != RECORD:
            continue
        try:
            hints = json.loads(data)["rungs"][rung.folder]["hints"]
        except (ValueError, KeyError, TypeError):
            return None
        return hints if isinstance(hints, int) and hints >= 0 else None
    return None


def read_submission(path, rung):
    """Reads a folder or an archive. Raises BadSubmissionError, or OSError if nothing is there."""
    try:
        return _submission_in(pathlib.Path(path), rung)
    except UnreadableError as error:
        raise BadSubmissionError(
            "archive",
            f"The archive of rung {rung.label} cannot be graded: {error}. `make submit "
            f"RUNG={rung.number:02}` makes one that can.",
        ) from None


def _submission_in(path, rung):
    """What read_submission() reads."""
    if path.is_dir():
        entries = []
        for file in sorted(path.iterdir()):
            if _belongs(file) and file.is_symlink():
                raise BadSubmissionError("archive", f"{file.name} is a link: hand in the file.")
            if _belongs(file) and file.is_file():
                _check_size(file, file.stat().st_size)
                entries.append((pathlib.PurePosixPath(file.name), file.read_bytes()))
        digest = hashlib.sha256()
        for name, data in entries:
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        sha256 = digest.hexdigest()
    else:
        if path.stat().st_size > MOST_ARCHIVE_BYTES:
            raise UnreadableError(f"it is larger than {MOST_ARCHIVE_BYTES >> 20} MiB")
        data = path.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        try:
            entries = _entries_of(data)
        except UnreadableError:
            raise
        except Exception as error:  # whatever a damaged archive makes of Python's readers
            raise UnreadableError(
                f"it is no .tar.gz and no .zip, or it is damaged ({error})"
            ) from None
    return Submission(_kernel_files(entries, rung), sha256, _hints_in(entries, rung))


def sha256_of(path):
    """Of what was handed in, whatever it is; see the schema."""
    path = pathlib.Path(path)
    if not path.is_file():
        return hashlib.sha256(b"").hexdigest()
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def student_of(path):
    """The student's name by the name of what was handed in: student_03.tar.gz, student/03_name."""
    path = pathlib.Path(path).resolve()
    match = NAME.match(path.name) or NAME.match(f"{path.parent.name}/{path.name}")
    return match["student"] if match and match["student"] != "work" else None
