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
from unittest import mock

from bench.rungs import own_rungs
from classroom import allowed, source_text, starters, student, student_pages, student_repository
from classroom.starters import MARK
from tests import SOURCES
from tests.docs import page_commands

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
            lines = {source_text.squeezed(line) for line in text.splitlines()}
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

    def test_no_page_shows_an_answer_that_its_starter_does_not(self):
        starts = {rung.path: student_repository.starter_lines(rung) for rung in RUNGS}
        every = set().union(*starts.values())
        for name, path in self.files.items():
            if name.suffix != ".md":
                continue
            for block in re.findall(r"```.*?```", path.read_text(), re.S):
                lines = {source_text.squeezed(line.lstrip("+-")) for line in block.splitlines()}
                lines -= starts.get(name.parent, every)
                for label, answer in self.answers.items():
                    self.assertLess(len(answer & lines), 2, f"{name}: {label}\n{block}")

    def test_a_lesson_shows_what_its_starter_shows(self):
        """All generated blocks of code of the section that is not the exercise's."""
        hidden = "*This code is "
        for rung in RUNGS:
            page = (self.whole.folder / rung.path / "README.md").read_text()
            self.assertIn(hidden + "your exercise", page, rung.label)
            self.assertNotIn(hidden + "the exercise", page, rung.label)
        for chapter in (self.whole.folder / "docs/chapters").glob("*.md"):
            self.assertNotIn(hidden, chapter.read_text(), chapter)
        loop = "acc += gA[k] * gB[static_cast<size_t>(k) * N];"
        self.assertIn(loop, (self.whole.folder / RUNGS[1].path / "README.md").read_text())

    def test_every_link_leads_to_what_is_there(self):
        links = 0
        with tempfile.TemporaryDirectory() as room:
            for folder in (self.whole.folder, Repository(room, "2", "5").folder):
                for page in folder.rglob("*.md"):
                    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
                    for link in re.findall(r"\]\((?!\w+:|#)([^)\s#]+)", text):
                        links += 1
                        self.assertTrue((page.parent / link).exists(), f"{page}: {link}")
        self.assertGreater(links, 500)

    def test_lessons_keep_their_headings(self):
        for rung in RUNGS:
            before = (SOURCES / rung.path / "README.md").read_text()
            after = (self.whole.folder / rung.path / "README.md").read_text()
            headings = re.compile(r"^#+ .*$", re.M)
            self.assertEqual(headings.findall(before), headings.findall(after))

    def test_lessons_are_for_a_class(self):
        """No sentence about kernels in ladder/, no second tab, no markers of the book's programs."""
        for rung in RUNGS:
            page = (self.whole.folder / rung.path / "README.md").read_text()
            for text in ('=== "', "git checkout ladder", "after each change in `ladder/`", "<!--"):
                self.assertNotIn(text, page, rung.label)

    def test_output_keeps_its_columns(self):
        """In blocks after a pair of tabs, which are a tab's depth further to the left."""
        lesson = "ladder/01_naive/README.md"
        page = (self.whole.folder / lesson).read_text()
        heading = "error /          threads  barriers"
        [line] = [each for each in (SOURCES / lesson).read_text().splitlines() if heading in each]
        self.assertIn(line, page.splitlines())

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
        folders = {path.parts[1] for path in self.files if path.match("ladder/[0-9][0-9]_*/*")}
        self.assertEqual(folders, {"00_cublas", *(rung.folder for rung in RUNGS)})
        self.assertEqual([name for name in names if "many_gpus" in name and name[-3:] != "svg"], [])
        build = (self.whole.folder / "ladder/CMakeLists.txt").read_text()
        self.assertNotIn("many_gpus", build)
        self.assertEqual(re.findall(r"^add_rung\((\w+)", build, re.M), ["00_cublas"])

    def test_the_readme_names_targets_that_are_there(self):
        makefile = (self.whole.folder / "Makefile").read_text()
        readme = (self.whole.folder / "README.md").read_text()
        targets = re.findall(r"^make (\w+)", readme, re.M)
        self.assertGreaterEqual(len(targets), 5)
        for target in (*targets, "build", "check", "reset", "run", "glassbox"):
            self.assertRegex(makefile, rf"(?m)^{target}:.*## ")
        self.assertNotIn("@", readme)
        for page in self.whole.folder.rglob("*.md"):
            self.assertEqual(page_commands.broken_commands(page.read_text()), [], page)
        for page in re.findall(r"`((?:docs|ladder)/\S+\.md)`", readme):
            self.assertTrue((self.whole.folder / page).is_file(), page)
        self.assertIn("docs/chapters/kernel_on_a_gpu.md", readme)
        self.assertNotRegex(makefile, "libseccomp|openmpi")
        for packages in re.findall(r"\.ci/install (.*)", makefile):
            self.assertEqual(packages, "$(BUILD_PACKAGES)")
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
            self.assertEqual(folders, {"00_cublas", RUNGS[1].folder, RUNGS[2].folder, "program"})
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
            chapters = some.folder / "docs/chapters"
            pages = "".join(path.read_text() for path in chapters.glob("*.md"))
            self.assertIn("`work/01_naive/launch.cu`", pages)
            self.assertTrue((some.folder / "docs/start/own_kernel/softmax.cu").is_file())
            self.assertNotRegex(
                pages, r"build/ladder (?:check|trace|run) 0[23]|`ladder/\d\d_.*\.cu"
            )
            self.assertNotIn("make build", pages)
            note = student_pages.OWN_KERNELS
            self.assertIn(note, (chapters / "kernel_on_a_gpu.md").read_text())
            self.assertNotIn(note, (chapters / "nvcc.md").read_text())  # it names none of these

    def test_a_chapter_that_shows_what_starters_show_is_named(self):
        said = " ".join(student_repository.early(RUNGS[:3]))
        self.assertIn(f"docs/chapters/kernel_on_a_gpu.md: 5 of 5 lines of {RUNGS[1].label}", said)
        self.assertNotIn("docs/", " ".join(student_repository.early(RUNGS[:2])))

    def test_lessons_name_only_commands_that_are_there(self):
        makefile = (self.whole.folder / "Makefile").read_text()
        targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
        self.assertLessEqual({"trace", "predict", "run", "check", "glassbox"}, targets)
        named = commands = 0
        for rung in RUNGS:
            text = (self.whole.folder / rung.path / "README.md").read_text()
            for target in re.findall(r"`make ([a-z-]+)\b|^make ([a-z-]+)\b", text, re.M):
                named += 1
                self.assertIn("".join(target), targets, rung.label)
            self.assertNotRegex(text, r"build/ladder (?:check|trace|run|predict) \d\d", rung.label)
            for line in re.findall(r"python3 -m classroom\.student ([^`#\n]+)", text):
                commands += 1
                self.assertEqual(student.arguments(line.split()).command, line.split()[0], line)
            self.assertNotRegex(text, r"--device gpu|python3 -m bench|build/benchmark", rung.label)
        self.assertGreater(named, 3 * len(RUNGS))
        self.assertGreater(commands, 2 * len(RUNGS))

    def test_it_is_a_git_repository_to_which_rungs_are_added(self):
        with tempfile.TemporaryDirectory() as room:
            first = Repository(room, "1")

            def log():
                words = ["git", "-C", first.folder, "log", "--format=%s"]
                return subprocess.run(
                    words, text=True, check=True, stdout=subprocess.PIPE
                ).stdout.splitlines()

            self.assertEqual(log(), ["Starters of 01"])
            mine = first.folder / "work" / "01_naive" / "kernel.cuh"
            mine.parent.mkdir(parents=True)
            mine.write_text("// mine\n")
            subprocess.run(["git", "-C", first.folder, "add", "--force", mine], check=True)
            second = Repository(room, "1", "2")
            self.assertEqual(second.folder, first.folder)
            self.assertEqual(log(), ["Starters of 01 02", "Starters of 01"])
            self.assertEqual(mine.read_text(), "// mine\n")
            self.assertTrue((first.folder / RUNGS[1].path / "kernel.cuh").is_file())
            listed = subprocess.run(
                ["git", "-C", first.folder, "ls-tree", "-r", "--name-only", "HEAD"],
                text=True,
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
            self.assertIn("ladder/02_coalesced/kernel.cuh", listed)
            self.assertNotIn("work/", listed)  # a teacher's own solution

    def test_a_student_with_commits_of_their_own_gets_the_next_rung(self):
        """`make update`, where a plain `git pull` stops: it asks for nothing, not even a message."""
        with tempfile.TemporaryDirectory() as room:
            first = Repository(room, "1")
            clone = pathlib.Path(room, "clone")
            environment = {
                **{name: text for name, text in os.environ.items() if name != "LADDER_WORK"},
                "HOME": room,  # what git is configured to there: nothing
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_EDITOR": "false",  # a pull that asks for a message fails
                "GIT_MERGE_AUTOEDIT": "yes",
                **{f"GIT_{who}_{what}": "me" for who in ("AUTHOR", "COMMITTER") for what in
                   ("NAME", "EMAIL")},
            }  # fmt: skip

            def run(*words, folder=clone):
                done = subprocess.run(
                    words, cwd=folder, env=environment, text=True, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                )  # fmt: skip
                return done.returncode, done.stdout

            self.assertEqual(run("git", "clone", "-q", first.folder, clone, folder=room)[0], 0)
            student = (sys.executable, "-m", "classroom.student")
            self.assertEqual(run(*student, "start", "1")[0], 0)
            mine = clone / "work/01_naive/kernel.cuh"
            mine.write_text("// mine\n")
            run("git", "add", "--all")
            self.assertEqual(run("git", "commit", "-q", "-m", "mine")[0], 0)
            self.assertEqual(run(*student, "hint", "1")[0], 0)  # it writes down that it was read
            self.assertEqual(run("git", "status", "--porcelain"), (0, ""))
            mine.write_text("// not committed\n")
            Repository(room, "1", "2")
            self.assertNotEqual(run("git", "pull")[0], 0, "then nobody needs make update")
            code, said = run("make", "update")
            self.assertEqual(code, 0, said)
            self.assertNotIn("nothing new", said)
            self.assertIn("nothing new", run("make", "update")[1])
            self.assertEqual(mine.read_text(), "// not committed\n")
            self.assertTrue((clone / RUNGS[1].path / "kernel.cuh").is_file())
            self.assertIn("hints", run(*student, "progress")[1])
            self.assertEqual(run(*student, "start", "2")[0], 0)

    def test_every_lesson_says_whose_results_it_shows(self):
        for rung in RUNGS:
            page = (self.whole.folder / rung.path / "README.md").read_text()
            _, _, below = page.partition("## Run it\n")
            above = " ".join(below.partition("```")[0].split())
            self.assertIn("fill the gap first", above, rung.label)
            _, _, exercises = page.partition("## Exercises\n\n")
            self.assertTrue(exercises.startswith("Work on your copy"), rung.label)

    def test_what_has_not_changed_is_not_written_again(self):
        """Else a build of the class would begin from the start."""
        with tempfile.TemporaryDirectory() as room:
            first = Repository(room, "1")
            source = first.folder / "emulator/CMakeLists.txt"
            os.utime(source, (1, 1))
            before = (first.folder / "README.md").read_text()
            Repository(room, "1", "2")
            self.assertEqual(source.stat().st_mtime, 1)
            self.assertNotEqual((first.folder / "README.md").read_text(), before)

    def test_nothing_is_built_for_a_rung_that_was_not_begun(self):
        with tempfile.TemporaryDirectory() as room:
            some = Repository(room, "2")
            tools = pathlib.Path(room, "tools")
            tools.mkdir()
            tools.joinpath("cmake").symlink_to("/bin/false")  # else a test that fails would build
            path = f"{tools}:{os.environ['PATH']}"
            for words, sentence in (
                (("check", "RUNG=02"), "make start RUNG=02"),
                (("watch", "RUNG=2"), "make start RUNG=2"),
                (("glassbox",), "Name a file"),
                (("glassbox", "FILE=none.cu"), "Name a file"),
                (("grade", "RUNG=02"), "Your teacher has the grader"),
                (("trace",), "Name a rung"),
            ):
                done = subprocess.run(
                    ["make", "-C", some.folder, *words],
                    env={**os.environ, "PATH": path},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(sentence, done.stdout)
            self.assertFalse((some.folder / "build").exists())

    def test_an_object_is_judged_without_one_to_compare_with(self):
        """Where no rung is built, the tracer's own constructor is no student's."""
        made = allowed.reference_object(RUNGS[1], "traced")
        self.assertTrue(made.exists(), made)
        nowhere = mock.patch.object(allowed, "reference_object", lambda *_: pathlib.Path("/none"))
        with nowhere:
            self.assertEqual(allowed._section_faults(made, RUNGS[1], "traced"), [])
            found = allowed._section_faults(made, RUNGS[1], "plain")
            self.assertEqual([kind for kind, _ in found], ["forbidden_section"])

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
