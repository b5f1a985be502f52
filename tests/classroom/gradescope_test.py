"""Gradescope's autograder, unpacked and run as Gradescope does it, with the build of this tree.

python3 -m tests.classroom.gradescope_test
"""

import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from bench.rungs import own_rungs
from classroom import copied_tree, gradescope, starters, student
from tests import SOURCES
from tests.schemas import faults

RUNG = min(own_rungs().values(), key=lambda rung: rung.number)
SECRET = b"a secret of this test\n"


class Unpacked:
    """The folders of Gradescope's harness, elsewhere than in /autograder."""

    def __init__(self, folder):
        """Unpacks and copies what Gradescope unpacks and copies."""
        self.root = pathlib.Path(folder)
        self.root.chmod(0o755)
        self.source = self.root / "source"
        for name in ("submission", "results"):
            (self.root / name).mkdir()
        with zipfile.ZipFile(io.BytesIO(gradescope.archive(RUNG, SECRET, "visible"))) as packed:
            packed.extractall(self.source)
        shutil.copyfile(self.source / "run_autograder", self.root / "run_autograder")
        (self.root / "run_autograder").chmod(0o755)
        self.build = self.source / "gemm-ladder" / "build"

    def take_build(self):
        """Copies what setup.sh would build: the worker may read nothing elsewhere."""
        built = SOURCES / "build"
        (self.build / "lib").mkdir(parents=True)
        programs = (built / name for name in ("contained_call", "grader_judge", "grader_worker"))
        for path in (*programs, *(built / "lib").glob("*.so")):
            shutil.copy(path, self.build / path.relative_to(built))
        (self.build / "objects").symlink_to(built / "objects")
        described = (built / "kernel_library.json").read_text()
        (self.build / "kernel_library.json").write_text(
            described.replace(str(built / "lib"), str(self.build / "lib"))
        )

    def run(self):
        """(exit code, what it prints, results.json or None)"""
        path = self.root / "results" / "results.json"
        path.unlink(missing_ok=True)
        done = subprocess.run(
            [self.root / "run_autograder"],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={"PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"},
        )
        return done.returncode, done.stdout, json.loads(path.read_text()) if path.exists() else None


class GradescopeTest(unittest.TestCase):
    """The archive, and what it makes of submissions."""

    def test_the_archive_has_what_gradescope_asks_for(self):
        data = gradescope.archive(RUNG, SECRET, "visible")
        self.assertEqual(data, gradescope.archive(RUNG, SECRET, "visible"))
        self.assertNotEqual(data, gradescope.archive(RUNG, b"else", "visible"))
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = packed.namelist()
            for name in ("setup.sh", "run_autograder"):
                self.assertEqual(packed.getinfo(name).external_attr >> 16, 0o100755)
                text = packed.read(name).decode()
                self.assertTrue(text.startswith("#!/usr/bin/env bash\n"))
                subprocess.run(["bash", "-n"], input=text, text=True, check=True)
                self.assertNotIn("@", text)
            self.assertEqual(packed.read("secret"), SECRET)
            setup = packed.read("setup.sh").decode()
            build = packed.read("gemm-ladder/ladder/CMakeLists.txt").decode()
        for package in ("g++", "cmake", "ninja-build", "libseccomp-dev", "python3"):
            self.assertIn(f" {package} ", setup)
        self.assertEqual(build.count("\nadd_rung("), 2)
        self.assertIn(f"add_rung({RUNG.folder})", build)
        self.assertIn("gemm-ladder/emulator/cuda_headers/cuda/barrier", names)
        self.assertFalse([name for name in names if name.endswith(("_test.py", ".pyc"))])

    def test_every_include_is_in_the_archive(self):
        files = set(copied_tree.building_files("classroom.gradescope"))
        places = (pathlib.Path(), pathlib.Path("emulator/cuda_headers"))
        for path in files:
            if path.suffix not in (".cpp", ".hpp", ".cu", ".cuh", ".h", ""):
                continue
            text = (SOURCES / path).read_text()
            for name in re.findall(r'^#include [<"]([^>"]+)[>"]', text, re.M):
                known = [
                    place / name
                    for place in (*places, path.parent)
                    if (SOURCES / place / name).is_file()
                ]
                self.assertTrue(not known or files & set(known), f"{path} includes {name}")

    def test_submissions_are_found_however_they_are_handed_in(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            harness = object.__new__(gradescope.Harness)
            harness.root, harness.rung = root, RUNG
            room = root / "submission"
            for files, expected in (
                (("launch.cu", "kernel.cuh"), "."),
                ((f"{RUNG.folder}/launch.cu",), RUNG.folder),
                (
                    (f"work/{RUNG.folder}/launch.cu", "work/backup/old/launch.cu"),
                    f"work/{RUNG.folder}",
                ),
                (("__MACOSX/launch.cu", "mine/launch.cu"), "mine"),
                (("notes.txt", f"{RUNG.folder}.tar.gz"), f"{RUNG.folder}.tar.gz"),
                (("a.zip", "b.zip"), "."),
                (("a/launch.cu", "b/launch.cu"), "."),
                (("1/2/3/4/5/launch.cu",), "."),
                ((), "."),
            ):
                shutil.rmtree(room, ignore_errors=True)
                for name in (*files, "readme"):
                    (room / name).parent.mkdir(parents=True, exist_ok=True)
                    (room / name).touch()
                self.assertEqual(harness.submission(), room / expected, files)

    def test_a_submission_is_graded(self):
        schema = json.loads((SOURCES / "tests/classroom/gradescope_schema.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Unpacked(folder)
            unpacked.take_build()
            kernel = unpacked.root / "kernel" / RUNG.folder
            starters.write_to(kernel, starters.whole(RUNG))
            handed_in = unpacked.root / "submission" / f"{RUNG.folder}.tar.gz"
            handed_in.write_bytes(student.archive_of(RUNG, kernel, 2))
            (unpacked.root / "submission_metadata.json").write_text(
                '{"users": [{"name": "Ada"}, {"name": "Grace"}]}'
            )
            code, said, results = unpacked.run()
            self.assertEqual(code, 0, said)
            self.assertIn("80 of 80 points", said)
            self.assertEqual(faults(results, schema), [])
            self.assertEqual(results["score"], 80)
            self.assertGreater(results["execution_time"], 0)
            self.assertEqual(results["extra_data"]["submission"]["student"], "Ada, Grace")
            self.assertNotIn("a secret", json.dumps(results))

            handed_in.unlink()
            code, said, results = unpacked.run()
            self.assertEqual((code, results["score"]), (0, 0), said)
            self.assertIn("launch.cu is missing", results["output"])
            self.assertEqual(faults(results, schema), [])

    def test_without_a_grader_there_are_no_results(self):
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Unpacked(folder)
            starters.write_to(unpacked.root / "submission", starters.whole(RUNG))
            code, said, results = unpacked.run()
            self.assertEqual((code, results), (2, None))
            self.assertIn("run `make build`", said)
            self.assertNotIn("Traceback", said)


if __name__ == "__main__":
    unittest.main()
