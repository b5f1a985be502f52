"""result_archive.py: good results are packed, others refused by name, and no GPU is a sentence.

The files are those of the H200 that are with the sources, as if one build had made them all.
"""

import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

from bench.record import result_archive
from bench.record.result_archive import ArchiveError
from tests import SOURCES

RECORDED = SOURCES / "bench/results/nvidia-h200"
NAMES = (
    "climb_burst_4096.json",
    "climb_graph_1024.json",
    "lab_device_card.json",
    "lab_latency.json",
)
COMMIT = "0123456789ab"


class ArchiveTest(unittest.TestCase):
    """A folder of results, and what is made of it."""

    def setUp(self):
        self.room = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = self.room / "files"
        self.folder.mkdir()
        for name in NAMES:
            self.write(name, json.loads((RECORDED / name).read_text()))
        shutil.copy(SOURCES / "common/devices/h200.json", self.folder / "card.json")
        context = {"device": "NVIDIA H200", "commit": COMMIT}
        self.write("machine.json", result_archive.machine(context))

    def write(self, name, contents):
        """A result file of this commit."""
        if "context" in contents:
            contents["context"]["commit"] = COMMIT
        (self.folder / name).write_text(json.dumps(contents))

    def pack(self):
        """(exit code, errors) of the program; the archive is out.tar.gz"""
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "bench.record.result_archive",
                "pack",
                self.folder,
                "--out",
                self.room / "out.tar.gz",
            ],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    def assert_refused(self, *words):
        """In a sentence with these words, and nothing is written."""
        code, errors = self.pack()
        self.assertEqual(code, 2)
        self.assertNotIn("Traceback", errors)
        for word in words:
            self.assertIn(word, errors)
        self.assertFalse((self.room / "out.tar.gz").exists())

    def test_good_results_are_packed_as_a_folder_of_results(self):
        self.assertEqual(self.pack(), (0, ""))
        with tarfile.open(self.room / "out.tar.gz") as archive:
            self.assertEqual(
                sorted(archive.getnames()),
                sorted(f"nvidia-h200/{name}" for name in (*NAMES, "card.json", "machine.json")),
            )
            for name in NAMES:
                packed = archive.extractfile(f"nvidia-h200/{name}").read()
                self.assertEqual(packed, (self.folder / name).read_bytes())
        self.assertEqual(list(self.room.glob("*.part")), [])

    def test_the_name_says_which_gpu_and_commit(self):
        with mock.patch.object(result_archive, "ROOM", self.room / "record"):
            self.assertEqual(result_archive.pack(self.folder).name, f"nvidia-h200_{COMMIT}.tar.gz")

    def test_a_file_in_another_form_is_refused(self):
        climb = json.loads((self.folder / NAMES[0]).read_text())
        del climb["benchmarks"][0]["rung"]
        self.write(NAMES[0], climb)
        self.assert_refused(NAMES[0], "has no 'rung'")

    def test_a_card_without_a_figure_is_refused(self):
        card = json.loads((self.folder / "card.json").read_text())
        del card["sms"]
        self.write("card.json", card)
        self.assert_refused("card.json", "sms")

    def test_half_a_file_is_refused(self):
        text = (self.folder / NAMES[3]).read_text()
        (self.folder / NAMES[3]).write_text(text[: len(text) // 2])
        self.assert_refused(NAMES[3])

    def test_what_belongs_there_must_be_there(self):
        for name in ("card.json", "machine.json", "lab_device_card.json"):
            with self.subTest(name):
                kept = (self.folder / name).read_text()
                (self.folder / name).unlink()
                self.assert_refused(name)
                (self.folder / name).write_text(kept)
        for path in self.folder.glob("climb_*"):
            path.unlink()
        self.assert_refused("no climb")

    def test_anything_else_is_refused(self):
        (self.folder / "diary.json").write_text("{}")
        self.assert_refused("diary.json")

    def test_files_of_another_gpu_or_commit_are_refused(self):
        lab = json.loads((self.folder / NAMES[3]).read_text())
        for key, other in (("device", "NVIDIA B200"), ("commit", "ba9876543210")):
            with self.subTest(key):
                changed = {**lab, "context": {**lab["context"], key: other}}
                (self.folder / NAMES[3]).write_text(json.dumps(changed))
                self.assert_refused(NAMES[3], other)

    def test_a_folder_that_is_not_there(self):
        shutil.rmtree(self.folder)
        self.assert_refused("there is no folder")


class Driver:
    """Stands in for libcuda."""

    def __init__(self, status, gpus):
        self.status, self.gpus = status, gpus

    def cuInit(self, _flags):  # noqa: N802
        return self.status

    def cuDeviceGetCount(self, count):  # noqa: N802
        count._obj.value = self.gpus
        return 0


class GpuTest(unittest.TestCase):
    """Whether there is something to measure."""

    def why(self, load):
        """What require_gpu() says, or None."""
        with mock.patch.object(ctypes, "CDLL", load):
            try:
                result_archive.require_gpu()
            except ArchiveError as error:
                return str(error)
        return None

    def test_each_reason_is_a_sentence(self):
        def missing(_name):
            raise OSError("no such file")

        self.assertIn("no NVIDIA driver", self.why(missing))
        self.assertIn("error 100", self.why(lambda _name: Driver(100, 0)))
        self.assertIn("shows no GPU", self.why(lambda _name: Driver(0, 0)))
        self.assertIsNone(self.why(lambda _name: Driver(0, 1)))

    def test_make_record_refuses_before_it_builds(self):
        if result_archive.why_no_gpu() is None:
            self.skipTest("this machine has a GPU")
        done = subprocess.run(
            ["make", "--no-print-directory", "record"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("make record measures a GPU", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
