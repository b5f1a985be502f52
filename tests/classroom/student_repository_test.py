"""The repository that students get: no answers, and everything that its README promises.

python3 -m tests.classroom.student_repository_test
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from bench.rungs import own_rungs
from classroom import starters, student_repository
from classroom.starters import MARK
from tests import SOURCES

RUNGS = list(own_rungs().values())


class Repository:
    """One that was exported with the command line, and commands in it."""

    def __init__(self, folder, *rungs):
        """Exports it. Its build is that of this tree."""
        self.folder = pathlib.Path(folder, "class")
        self.said = subprocess.run(
            [sys.executable, "-m", "classroom.student_repository", self.folder, *rungs],
            cwd=SOURCES,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    def student(self, *words):
        """(exit code, what is printed)"""
        clean = {name: value for name, value in os.environ.items() if name != "LADDER_WORK"}
        done = subprocess.run(
            [sys.executable, "-m", "classroom.student", *words],
            cwd=self.folder,
            env=clean,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


class StudentRepositoryTest(unittest.TestCase):
    """Exported once for all tests, and once with two rungs."""

    @classmethod
    def setUpClass(cls):
        cls.room = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.whole = Repository(cls.room)
        cls.answers = {rung.label: student_repository.answers(rung) for rung in RUNGS}
        cls.files = {
            path.relative_to(cls.whole.folder): path
            for path in cls.whole.folder.rglob("*")
            if path.is_file()
        }

    def test_a_kernel_lacks_its_answer(self):
        for rung in RUNGS:
            answer = self.answers[rung.label]
            self.assertGreaterEqual(len(answer), 3, rung.label)
            text = "".join(
                path.read_text()
                for name, path in self.files.items()
                if name.parent == rung.path and name.suffix != ".md"
            )
            lines = {student_repository.squeezed(line) for line in text.splitlines()}
            self.assertEqual(answer & lines, set(), rung.label)
            self.assertEqual(text.count(MARK), 1, rung.label)
            self.assertIn(f'"ladder/{rung.folder}/kernel.cuh"', text)

    def test_every_starter_is_handed_out_as_it_is_here(self):
        script = (
            "import json; from bench.rungs import own_rungs; from classroom import "
            "starters; print(json.dumps([*map(starters.starter, own_rungs().values())]))"
        )
        said = subprocess.run(
            [sys.executable, "-c", script],
            cwd=self.whole.folder,
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for rung, texts in zip(RUNGS, json.loads(said), strict=True):
            self.assertEqual(texts, starters.starter(rung), rung.label)

    def test_no_page_shows_an_answer(self):
        hidden = 0
        for name, path in self.files.items():
            if name.suffix != ".md":
                continue
            text = path.read_text()
            hidden += text.count(student_repository.HIDDEN)
            for block in re.findall(r"```.*?```", text, re.S):
                lines = {
                    student_repository.squeezed(line.lstrip("+-")) for line in block.splitlines()
                }
                for label, answer in self.answers.items():
                    self.assertLess(len(answer & lines), 2, f"{name}: {label}\n{block}")
        self.assertGreaterEqual(hidden, len(RUNGS))

    def test_pages_keep_everything_else(self):
        page = "Text `a`\n\n```cuda\nx = 1;\n```\n\n  ````text\n  keep\n  ````\n```sh\nmake\n```\n"
        self.assertEqual(student_repository.without_answers(page, [{"y = 2;"}, set()]), page)
        self.assertEqual(
            student_repository.without_answers(page, [{"x = 1;"}]),
            page.replace("```cuda\nx = 1;\n```", student_repository.HIDDEN),
        )
        for rung in RUNGS:
            before = (SOURCES / rung.path / "README.md").read_text()
            after = (self.whole.folder / rung.path / "README.md").read_text()
            headings = re.compile(r"^#+ .*$", re.M)
            self.assertEqual(headings.findall(before), headings.findall(after))

    def test_no_grader_and_no_test_goes_along(self):
        names = {str(name) for name in self.files}
        for name in (
            "classroom/student.py",
            "emulator/cuda_headers/cuda/pipeline",
            ".ci/install",
            "LICENSE",
            "docs/chapters/debugging.md",
        ):
            self.assertIn(name, names)
        for word in (
            "_test.",
            "mutants",
            "judge",
            "worker.cpp",
            "points.py",
            "problems.py",
            "grade.py",
            "gradescope",
            "ablations.py",
            ".pyc",
        ):
            self.assertEqual([name for name in names if word in name], [])
        build = (self.whole.folder / "ladder/CMakeLists.txt").read_text()
        self.assertEqual(re.findall(r"^add_rung\((\w+)", build, re.M), ["00_cublas"])

    def test_the_readme_names_targets_that_are_there(self):
        makefile = (self.whole.folder / "Makefile").read_text()
        readme = (self.whole.folder / "README.md").read_text()
        targets = re.findall(r"^make (\w+)", readme, re.M)
        self.assertGreaterEqual(len(targets), 5)
        for target in (*targets, "build", "check", "reset"):
            self.assertRegex(makefile, rf"(?m)^{target}:.*## ")
        self.assertNotIn("@", readme)
        self.assertNotIn("libseccomp", makefile)
        listed = subprocess.run(
            ["make", "-C", self.whole.folder, "help"], text=True, check=True, stdout=subprocess.PIPE
        ).stdout
        self.assertIn("make start", listed)

    def test_a_student_works_in_it(self):
        rung = RUNGS[1]
        number, folder = f"{rung.number:02}", self.whole.folder / "work" / rung.folder
        code, said = self.whole.student("check", number)
        self.assertEqual(code, 2, said)
        self.assertIn(f"`make start RUNG={number}` makes it", " ".join(said.split()))
        code, said = self.whole.student("start", number)
        self.assertEqual(code, 0, said)
        for name, text in starters.starter(rung).items():
            self.assertEqual((folder / name).read_text(), text)
        self.assertIn("Hint 1 of 3", self.whole.student("hint", number)[1])
        code, said = self.whole.student("check", number)
        self.assertEqual(code, 2, said)
        self.assertIn("run `make build` first", " ".join(said.split()))
        build = self.whole.folder / "build"
        shutil.rmtree(build)
        build.symlink_to(SOURCES / "build")
        try:
            code, said = self.whole.student("check", number)
            self.assertEqual(code, 1, said)
            self.assertIn("This is the starter as it was handed out", said)
            starters.write_to(folder, starters.whole(rung))
            code, said = self.whole.student("check", number)
            self.assertEqual(code, 0, said)
            self.assertIn("right, no hazards", said)
            self.assertIn(f"Next: make submit RUNG={number}", said)
            self.assertIn(f"make start RUNG={int(number) + 1:02}", said)
        finally:
            build.unlink()
        self.assertEqual(self.whole.student("submit", number)[0], 0)
        self.assertRegex(self.whole.student("progress")[1], rf"{rung.label} +right +\d")

    def test_some_rungs_alone(self):
        with tempfile.TemporaryDirectory() as room:
            some = Repository(room, "2", "3")
            folders = {path.name for path in (some.folder / "ladder").iterdir() if path.is_dir()}
            expected = {"00_cublas", RUNGS[1].folder, RUNGS[2].folder, "program"}
            self.assertEqual(folders, expected)
            found = json.loads((some.folder / "bench/results/rungs.json").read_text())["rungs"]
            self.assertEqual(
                [(entry["number"], entry["builds_on"]) for entry in found],
                [(0, None), (2, None), (3, 2)],
            )
            code, said = some.student("progress")
            self.assertEqual(code, 0, said)
            self.assertIn("Right: 0 of 2 rungs", said)
            self.assertIn("RUNG is one of 02 03.", " ".join(some.student("start", "4")[1].split()))
            self.assertIn(f"{RUNGS[2].label}: ", some.said)

    def test_nothing_is_overwritten(self):
        with tempfile.TemporaryDirectory() as room:
            for folder, sentence in (
                (room, "holds something already"),
                (SOURCES / "students", "lies in the ladder's own"),
            ):
                pathlib.Path(room, "mine").touch()
                done = subprocess.run(
                    [sys.executable, "-m", "classroom.student_repository", folder, "1"],
                    cwd=SOURCES,
                    stderr=subprocess.PIPE,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 2)
                self.assertIn(sentence, done.stderr)
            self.assertEqual(os.listdir(room), ["mine"])
            self.assertFalse((SOURCES / "students").exists())
            pathlib.Path(room, "new", ".git").mkdir(parents=True)
            Repository(pathlib.Path(room, "new").parent, "1")
            student_repository.export(pathlib.Path(room, "new"), RUNGS[:1])


if __name__ == "__main__":
    unittest.main()
