"""Archives that hold what they should not: the grade is 0, says why, and nothing is written."""

import gzip
import io
import json
import pathlib
import tarfile
import tempfile
import unittest
import zipfile

from bench.rungs import rung_of
from classroom.starters import whole
from classroom.submission import BadSubmissionError, read_submission, student_of

RUNG = rung_of(2)


def tar_of(files, members=()):
    """A .tar.gz of {path: text} and of further members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
        for member in members:
            archive.addfile(member)
    return out.getvalue()


def link(name, target, kind=tarfile.SYMTYPE):
    """A link in a tar archive."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


FILES = {f"{RUNG.folder}/{name}": text for name, text in whole(RUNG).items()}


class SubmissionTest(unittest.TestCase):
    """read_submission()"""

    def setUp(self):
        """A room."""
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)

    def read(self, data, name="ada_02.tar.gz"):
        """The submission in these bytes."""
        path = self.room / name
        path.write_bytes(data)
        return read_submission(path, RUNG)

    def assert_bad(self, data, kind, said):
        """It is refused, with these words."""
        with self.assertRaises(BadSubmissionError) as caught:
            self.read(data)
        self.assertEqual(caught.exception.kind, kind)
        self.assertIn(said, str(caught.exception))

    def test_archives_and_folders_give_the_same_files(self):
        """tar, zip, folder."""
        wanted = {name: text.encode() for name, text in whole(RUNG).items()}
        self.assertEqual(self.read(tar_of(FILES)).files, wanted)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, text in FILES.items():
                archive.writestr(name, text)
        self.assertEqual(self.read(out.getvalue(), "ada_02.zip").files, wanted)
        found = self.read(tar_of(FILES))
        folder = self.room / RUNG.folder
        found.write_to(folder)
        self.assertEqual(read_submission(folder, RUNG).files, wanted)

    def test_what_leads_elsewhere(self):
        """Paths and links."""
        launch = f"{RUNG.folder}/launch.cu"
        self.assert_bad(tar_of({**FILES, "../evil.cu": ""}), "archive", "leads out")
        self.assert_bad(tar_of({**FILES, "/etc/evil.cu": ""}), "archive", "leads out")
        self.assert_bad(tar_of({}, [link(launch, "/etc/passwd")]), "archive", "link")
        self.assert_bad(
            tar_of({}, [link(launch, "/etc/passwd", tarfile.LNKTYPE)]), "archive", "link"
        )
        self.assert_bad(tar_of({}, [link(launch, "", tarfile.FIFOTYPE)]), "archive", "device")

    def test_what_is_too_large(self):
        """Bombs and crowds."""
        bomb = gzip.compress(b"\0" * (65 << 20))
        self.assert_bad(bomb, "archive", "larger")
        self.assert_bad(tar_of({f"{RUNG.folder}/launch.cu": "x" * 300_000}), "archive", "larger")
        self.assert_bad(
            tar_of({"launch.cu": "", **{f"{i}.cuh": "" for i in range(200)}}), "archive", "files"
        )

    def test_what_is_no_archive(self):
        """Damage, and the wrong thing."""
        whole_archive = tar_of(FILES)
        self.assert_bad(whole_archive[: len(whole_archive) // 2], "archive", "cannot be graded")
        self.assert_bad(b"", "archive", "`make submit RUNG=02` makes one")
        self.assert_bad(b"PK\3\4 damaged", "archive", "cannot be graded")
        self.assert_bad(tar_of({"README.md": ""}), "missing_file", "make submit RUNG=02")
        self.assert_bad(tar_of({"a/launch.cu": "", "b/launch.cu": ""}), "missing_file", "2 files")

    def test_the_students_name(self):
        """By file and by folder."""
        for path, name in (
            ("s/ada_03.tar.gz", "ada"),
            ("s/ada_b_03_shared_tile.zip", "ada_b"),
            ("s/ada/03_shared_tile", "ada"),
            ("work/03_shared_tile", None),
            ("s/notes", None),
        ):
            with self.subTest(path):
                self.assertEqual(student_of(path), name)

    def test_hints_come_with_the_archive(self):
        """Where its record has them."""
        record = json.dumps({"rungs": {RUNG.folder: {"hints": 2}}})
        self.assertEqual(self.read(tar_of({**FILES, ".progress.json": record})).hints, 2)
        self.assertIsNone(self.read(tar_of({**FILES, ".progress.json": "[]"})).hints)
        self.assertIsNone(self.read(tar_of(FILES)).hints)


if __name__ == "__main__":
    unittest.main()
