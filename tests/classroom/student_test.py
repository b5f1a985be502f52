"""A student's way through a rung, command by command.

python3 -m tests.classroom.student_test
"""

import io
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import tarfile
import time
import unittest

from bench.copies import ROW
from bench.rungs import own_rungs
from classroom import progress_file, starters, student_check, student_trace, verdicts
from tests import SOURCES
from tests.classroom import beginners
from tests.classroom.classroom import Classroom

SECONDS = 90  # for one check on a busy machine


class StudentTest(unittest.TestCase):
    """Each test has a room of its own."""

    def setUp(self):
        self.room = self.enterContext(Classroom())
        self.student = self.room.student

    def entry(self, folder):
        """What is recorded about a rung."""
        recorded = json.loads((self.room.work / ".progress.json").read_text())
        self.assertEqual(recorded["schema"], "gemm-ladder/progress/v1")
        return recorded["rungs"][folder]

    def codes(self, folder):
        """Codes of what the last check of a rung has found."""
        report = json.loads((self.room.made / folder / student_check.FINDINGS).read_text())
        return [each["code"] for each in verdicts.findings_of(report)]

    def test_from_start_to_submit(self):
        code, said = self.student("start", "02")
        self.assertEqual(code, 0, said)
        self.assertIn('Your turn: section "Where this thread works" of kernel.cuh, line 19', said)
        widest = max(len(line) for line in said.splitlines() if str(self.room.work) not in line)
        self.assertLessEqual(widest, 80, said)
        code, said = self.student("check", "02")
        self.assertEqual(code, 1)
        self.assertIn("This is the starter as it was handed out", said)
        for number in (1, 2, 3, 3):
            code, said = self.student("hint", "02")
            self.assertEqual(code, 0)
            self.assertIn(f"Hint {number} of 3", said)
        self.assertIn("row = blockIdx.y * BM + threadIdx.y", " ".join(said.split()))
        self.assertIn("Hint 1 of 3", self.student("hint", "02", "--level", 1)[1])
        self.room.write(2)
        code, said = self.student("check", "coalesced")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.codes("02_coalesced"), [])
        self.assertIn("make submit RUNG=02", said)
        code, said = self.student("submit", "2")
        self.assertEqual(code, 0)
        self.assertNotIn("has not called these files right", said)
        entry = self.entry("02_coalesced")
        self.assertEqual((entry["hints"], entry["checks"]), (3, 2))
        code, said = self.student("progress")
        self.assertEqual(code, 0)
        self.assertRegex(said, r"02 coalesced +right +2 +3 +- +\d{4}-\d\d-\d\d")
        self.assertIn("Next: make start RUNG=01", said)

    def test_the_archive_depends_on_the_files_alone(self):
        folder = self.room.write(3)
        (folder / "notes.txt").write_text("mine")
        (folder / "link.cuh").symlink_to("/etc/passwd")
        (folder / 'odd"\n.cuh').write_text("")
        first = self.student("submit", 3)
        self.assertEqual(first[0], 0)
        self.assertIn("has not called these files right", " ".join(first[1].split()))
        path = self.room.work / "03_shared_tile.tar.gz"
        data = path.read_bytes()
        os.utime(folder / "kernel.cuh", (1, 1))
        self.student("submit", 3)
        self.assertEqual(path.read_bytes(), data)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            names = (".progress.json", "kernel.cuh", "launch.cu")
            self.assertEqual(archive.getnames(), [f"03_shared_tile/{name}" for name in names])
            record = json.loads(archive.extractfile(f"03_shared_tile/{names[0]}").read())
        self.assertEqual(record["rungs"], {"03_shared_tile": {"hints": 0}})

    def test_reset_begins_anew_in_the_list_of_progress(self):
        for edits, state in (((), "right"), (beginners.BEGINNERS[0].edits, "idea missing")):
            folder = self.room.write(2, *edits)
            self.assertEqual(self.student("check", 2)[0], 0)
            self.assertRegex(self.student("progress")[1], rf"02 coalesced +{state} ")
            code, said = self.student("reset", 2)
            self.assertEqual(code, 0, said)
            self.assertRegex(self.student("progress")[1], r"02 coalesced +started ")
            self.assertTrue(folder.is_dir())

    def test_reset_keeps_what_was_there(self):
        self.student("start", 1)
        kernel = self.room.work / "01_naive" / "kernel.cuh"
        started = kernel.read_text()
        for number in (1, 2):
            kernel.write_text(f"// attempt {number}\n")
            self.assertEqual(self.student("reset", 1)[0], 0)
            self.assertEqual(kernel.read_text(), started)
            backup = self.room.work / "backup" / f"01_naive-{number}" / "kernel.cuh"
            self.assertEqual(backup.read_text(), f"// attempt {number}\n")
        self.assertEqual(self.entry("01_naive")["resets"], 2)

    def test_what_cannot_be_done_is_said(self):
        for words, sentence in (
            (("start", "99"), "There is no rung '99' to work on. RUNG is one of 01 02"),
            (("start", "00"), "There is no rung '00'"),
            (("watch", "02"), "`make start RUNG=02` makes it"),
            (("reset", "02"), "There is no"),
            (("submit", "02"), "There is no"),
            (("hint", "02", "--level", "4"), "There are hints 1 to 3"),
        ):
            code, said = self.student(*words)
            self.assertEqual(code, 2, said)
            self.assertIn(sentence, " ".join(said.split()))
            self.assertNotIn("Traceback", said)
        self.student("start", 2)
        code, said = self.student("start", 2)
        self.assertEqual(code, 2)
        self.assertIn("is there already, and stays as it is", " ".join(said.split()))

    def test_without_a_folder_the_ladders_own_rung_is_checked(self):
        code, said = self.student("check", "01")
        self.assertEqual(code, 0, said)
        self.assertIn("01 naive", said)
        self.assertNotIn("Your kernel", said)
        self.assertFalse(self.room.work.exists())

    def test_a_broken_file_of_progress_is_named_and_kept(self):
        self.student("hint", 1)
        path = self.room.work / ".progress.json"
        for number, text in enumerate(('{"schema": "gemm', '{"rungs": []}', "[]"), 1):
            path.write_text(text)
            code, said = self.student("hint", 1)
            self.assertEqual(code, 0, said)
            self.assertIn("Hint 1 of 3", said)
            kept = self.room.work / f".progress.json.broken-{number}"
            self.assertIn(kept.name, said)
            self.assertEqual(kept.read_text(), text)

    def test_a_kernel_that_is_wrong_at_the_edges_alone(self):
        self.room.write(3, ("b_k < K && col < N", "col < N"))
        code, said = self.student("check", 3)
        self.assertEqual(code, 1)
        self.assertNotEqual(self.codes("03_shared_tile"), [])
        self.assertIn("What this means", said)
        self.assertIn('Read "Edge cases" in ladder/03_shared_tile/README.md.', said)
        self.assertIn("Stuck? make hint RUNG=03", said)

    def test_a_race_is_explained(self):
        self.room.write(3, ("    __syncthreads();\n\n    for", "    for"))
        code, said = self.student("check", 3)
        self.assertEqual(code, 1)
        self.assertEqual(self.codes("03_shared_tile")[0], "race-in-shared-memory")
        self.assertRegex(said, r"kernel\.cuh:\d+: acc \+= sA\[threadIdx\.y\]\[k\]")
        self.assertIn('Read "A race" in docs/chapters/debugging.md.', said)

    def test_reports_name_files_as_the_student_does(self):
        self.room.write(
            3, ("sA[threadIdx.y][k + threadIdx.x] =", "sA[threadIdx.y + 1][k + threadIdx.x] =")
        )
        code, said = self.student("check", 3)
        self.assertEqual(code, 1)
        self.assertIn("index-out-of-bounds", self.codes("03_shared_tile"))
        self.assertIn("An index leaves the shared array", said)
        self.assertNotIn(str(self.room.work.parent / "made"), said)

    def test_what_stops_a_launch_is_the_kernels_fault(self):
        for edit, found, sentence in (
            (
                ("constexpr int BM = 32;", "constexpr int BM = 64;"),
                "launch-too-many-threads",
                "CUDA does not start such a",
            ),
            (("void run(", "void go("), "unknown-rung", "launch.cu no longer defines run()"),
        ):
            self.room.write(3, edit)
            code, said = self.student("check", 3)
            self.assertEqual(code, 1, said)
            self.assertEqual(self.codes("03_shared_tile"), [found])
            self.assertIn(sentence, " ".join(said.split()))

    def test_bytes_that_are_no_text(self):
        folder = self.room.write(2)
        kernel = folder / "kernel.cuh"
        kernel.write_bytes(b"// caf\xe9\r\n" + kernel.read_bytes() + b"\0")
        code, said = self.student("check", 2)
        self.assertIn(code, (0, 1), said)
        self.assertNotIn("Traceback", said)

    def test_a_kernel_that_does_not_compile(self):
        self.room.write(2, ("float acc = 0.0f;", "float acc = 0.0f"))
        code, said = self.student("check", 2)
        self.assertEqual(code, 1)
        self.assertIn("It does not compile yet.", said)
        self.assertIn("A `;` is missing", said)
        self.assertNotIn("Traceback", said)

    def test_launch_code_that_ends_the_program_is_not_right(self):
        for code_of_host, sentence in (
            ("std::exit(0);", "The program ended before it had judged"),
            ("std::exit(1);", "The program ended before it had judged"),
            ("std::abort();", "ended by SIGABRT"),
        ):
            self.room.write(
                2,
                ('#include "common/l', '#include <cstdlib>\n#include "common/l'),
                ("  for (const Gemm", f"  {code_of_host}\n  for (const Gemm"),
            )
            code, said = self.student("check", 2)
            self.assertEqual(code, 1, said)
            self.assertIn(sentence, " ".join(said.split()))

    def test_a_kernel_that_ends_its_thread_is_told_so(self):
        guard = "  if (row >= M || col >= N) return;\n"
        ends = 'extern "C" void pthread_exit(void*);\n\n'
        self.room.write(
            2,
            ("template <int BM, int BN>\n", f"{ends}template <int BM, int BN>\n"),
            (guard, guard + "  if (row == 3) pthread_exit(nullptr);\n"),
        )
        code, said = self.student("check", 2)
        self.assertEqual(code, 1, said)
        self.assertIn("A kernel ends by returning", " ".join(said.split()))
        self.assertNotIn("launch.cu", said)

    def test_a_loop_without_an_end_is_stopped(self):
        self.room.write(2, ("for (int k = 0; k < K; ++k)", "for (int k = 0; k < K;)"))
        began = time.monotonic()
        code, said = self.student("check", 2)
        self.assertEqual(code, 1)
        self.assertEqual(self.codes("02_coalesced")[0], "endless-loop")
        self.assertIn('Read "A hang"', said)
        self.assertLess(time.monotonic() - began, SECONDS)

    def test_watch_checks_after_each_save_until_it_is_interrupted(self):
        self.student("start", 2)
        command = self.room.command("watch", 2)
        with subprocess.Popen(
            command,
            cwd=SOURCES,
            env=self.room.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Jobs in the background ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as watch:
            try:
                self.read_until(watch, b"Waiting for you to save")
                self.room.write(2)
                said = self.read_until(watch, b"Waiting for you to save")
                if b"Well done" not in said:  # it saw the first of two files alone
                    said = self.read_until(watch, b"Waiting for you to save")
                self.assertIn(b"Well done", said)
                watch.send_signal(signal.SIGINT)
                self.assertEqual(watch.wait(SECONDS), 0)
            finally:
                watch.kill()

    def test_watch_does_not_read_what_an_editor_is_still_writing(self):
        folder = self.room.write(2)
        kernel = folder / "kernel.cuh"
        whole = kernel.read_text()
        with subprocess.Popen(
            self.room.command("watch", 2),
            cwd=SOURCES,
            env=self.room.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as watch:
            try:
                self.read_until(watch, b"Waiting for you to save")
                for part in range(6):  # longer than it waits between two looks
                    kernel.write_text(whole[: part * len(whole) // 8])
                    time.sleep(student_check.POLL_SECONDS / 2)
                kernel.write_text(whole)
                said = self.read_until(watch, b"Waiting for you to save")
                self.assertIn(b"Well done", said)
            finally:
                watch.kill()

    def test_a_kernel_that_fails_where_it_is_counted_is_not_right(self):
        """It takes all the small problems, and not the larger one."""
        start = "  float acc = 0.0f;\n"
        self.room.write(2, (start, "  if (gridDim.x > 100) __trap();\n" + start))
        code, said = self.student("check", 2)
        self.assertEqual(code, 1, said)
        self.assertEqual(self.codes("02_coalesced"), ["illegal-instruction"])
        self.assertNotIn("Well done", said)
        self.assertNotIn("right", self.entry("02_coalesced"))

    def test_what_was_not_counted_is_not_called_done(self):
        rung = own_rungs()[2]
        self.assertFalse(student_check.is_there(rung, {}))
        self.assertTrue(student_check.is_there(own_rungs()[1], {}))
        said = " ".join(student_check.not_there(rung, {}, time.monotonic()))
        self.assertIn("was not counted", said)

    def test_an_earlier_success_says_nothing_of_these_files(self):
        mapping = beginners.BEGINNERS[0]
        self.room.write(2)
        self.assertEqual(self.student("check", 2)[0], 0)
        self.assertNotIn("without what", self.student("submit", 2)[1])
        self.room.write(mapping.rung, *mapping.edits)
        self.assertEqual(self.student("check", 2)[0], 0)
        self.assertIn("without what rung 02 is about", self.student("submit", 2)[1])
        self.assertIn("right", self.entry("02_coalesced"))

    def test_options_of_the_ladder_go_on_to_it(self):
        self.room.write(2)
        code, said = self.student("trace", 2, "--size", 64, "--warp", "0,3")
        self.assertEqual(code, 0, said)
        self.assertIn("Warp 3 of block (0, 0, 0)", said)
        code, said = self.student("run", 2, "--m", 33, "--n", 32, "--k", 32, "--device", "cpu")
        self.assertEqual(code, 0, said)
        self.assertIn("M = 33, N = 32, K = 32", said)
        code, said = self.student("check", 2, "--m", 33, "--n", 32, "--k", 32)
        self.assertEqual(code, 0, said)
        for words in (("trace", 2, "--no-such"), ("hint", 2, "--size", 3)):
            self.assertEqual(self.student(*words)[0], 2)

    def test_an_empty_kernel_is_called_empty(self):
        folder = self.room.write(2)
        (folder / "kernel.cuh").write_text("\n")
        code, said = self.student("check", 2)
        self.assertEqual(code, 1)
        self.assertIn("Nothing is in kernel.cuh", said)

    def test_changes_in_the_ladders_own_folder_are_named(self):
        root = pathlib.Path(self.room.folder.name) / "repository"
        (root / "ladder" / "02_coalesced").mkdir(parents=True)
        kernel = root / "ladder" / "02_coalesced" / "kernel.cuh"
        kernel.write_text("// one\n")
        self.assertFalse(student_check.is_edited("ladder/02_coalesced", root), "no repository")
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", "one"]):
            subprocess.run(["git", "-C", root, *words], check=True)
        self.assertFalse(student_check.is_edited("ladder/02_coalesced", root))
        kernel.write_text("// two\n")
        self.assertTrue(student_check.is_edited("ladder/02_coalesced", root))
        self.assertFalse(student_check.is_edited("ladder/03_shared_tile", root))

    def test_trace_and_predict_take_the_students_kernel(self):
        for command in ("trace", "predict", "run"):
            code, said = self.student(command, 2)
            self.assertEqual(code, 2)
            self.assertIn("`make start RUNG=02` makes it", " ".join(said.split()))
        mapping = beginners.BEGINNERS[0]
        folder = self.room.write(mapping.rung, *mapping.edits)
        page = self.room.folder.name + "/page.html"
        code, said = self.student("trace", 2)
        self.assertEqual(code, 0, said)
        self.assertRegex(" ".join(said.split()), "was never profiled|nvcc gives a thread")
        self.assertIn(f"Your kernel: {folder}", said)
        self.assertRegex(said, r"global load A +4 +[\d,]+ +32\.0 \(4\.0\)")
        code, said = self.student("trace", 2, "--html", page)
        self.assertEqual(code, 0, said)
        marked = json.loads(re.search(r'"marked":(\[.*?\]}\])', pathlib.Path(page).read_text())[1])
        [kernel] = [each for each in marked if each["file"] == "kernel.cuh"]
        lines = (folder / "kernel.cuh").read_text().splitlines()
        mine = [lines[number - 1] for number in kernel["lines"]]
        self.assertIn(beginners.SWAPPED.splitlines()[0], mine)
        self.assertNotIn("  float acc = 0.0f;", mine)
        code, said = self.student("predict", 2, "--answers", "3,2.5")
        self.assertEqual(code, 0, said)
        code, said = self.student("run", 2, "--size", 64)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"sectors per load +1020 +2\.50 +16\.\d")
        self.assertIn("recorded with the ladder's own kernel", said)

    def test_a_wrong_run_names_the_check_of_the_same_kernel(self):
        self.assertEqual(self.student("start", 2)[0], 0)
        code, said = self.student("run", 2, "--size", 33)
        self.assertEqual(code, 1, said)
        command = "python3 -m classroom.student check 02 --size 33"
        self.assertIn(command, " ".join(said.split()))
        self.assertNotIn("build/ladder check", said)

    def test_run_and_trace_say_of_a_starter_that_it_is_one(self):
        """Its results are wrong and its counters puzzling; once it has changed, they are its own."""
        starter = "This is the starter as it was handed out. Your turn:"
        self.assertEqual(self.student("start", 2)[0], 0)
        for command in ("run", "trace"):
            _, said = self.student(command, 2, "--size", 32)
            self.assertIn(starter, said)
            self.assertIn('section "Where this thread works"', said.partition(starter)[2])
        mapping = beginners.BEGINNERS[0]
        self.room.write(mapping.rung, *mapping.edits)
        self.assertNotIn(starter, self.student("trace", 2, "--size", 32)[1])

    def test_an_editor_is_told_where_a_moved_tree_is(self):
        flags = self.room.work / "compile_flags.txt"
        self.assertEqual(self.student("start", 1)[0], 0)
        here = flags.read_text()
        self.assertIn(f"-I{SOURCES}\n", here)
        flags.write_text(here.replace(str(SOURCES), "/root/gone"))
        self.assertEqual(self.student("hint", 1)[0], 0)
        self.assertEqual(flags.read_text(), here)
        flags.write_text("-DMINE\n")
        self.assertEqual(self.student("hint", 1)[0], 0)
        self.assertEqual(flags.read_text(), "-DMINE\n")

    def test_changed_lines(self):
        old, new = "a\nb\nc\n", "a\nx\nb\nc\ny\n"
        self.assertEqual(student_trace.changed_lines(old, new), [2, 5])
        self.assertEqual(student_trace.changed_lines(old, old), [])
        self.assertEqual(student_trace.changed_lines("", "a\n"), [1])

    def test_progress_goes_on_with_what_is_begun(self):
        self.assertIn("Next: make start RUNG=01", self.student("progress")[1])
        self.student("start", 2)
        self.assertIn("Next: make watch RUNG=02", self.student("progress")[1])
        entries = {"02_coalesced": {"started": "2026-11-26", "grade": [80, 80]}}
        path = self.room.work / ".progress.json"
        path.write_text(progress_file.text_of(entries))
        said = self.student("progress")[1]
        self.assertRegex(said, r"02 coalesced +right ")
        entries["02_coalesced"]["grade"] = [70, 80]
        path.write_text(progress_file.text_of(entries))
        self.assertRegex(self.student("progress")[1], r"02 coalesced +started ")

    def read_until(self, process, text):
        """What a process prints up to a text."""
        said, end = b"", time.monotonic() + SECONDS
        while text not in said:
            ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"{text} did not come: {said}")
            said += os.read(process.stdout.fileno(), 4096)
        return said

    def test_a_rung_with_many_configurations_is_checked_with_some(self):
        rung = self.rung_that_chooses()
        texts = starters.whole(rung)
        fewer, counts = student_check.fewer_configurations(texts, rung)
        self.assertEqual(counts, (3, len(rung.configurations)))
        self.assertEqual(len(fewer["launch.cu"].splitlines()), len(texts["launch.cu"].splitlines()))
        before = self.kernels_of(fewer["launch.cu"], rung)
        self.assertEqual(before, student_check.changed_kernels(texts, rung))
        [other] = [
            name
            for name in texts
            if name not in (starters.exercise_of(rung)["file"], "kernel.cuh")
            and name.endswith("kernel.cuh")
        ]
        texts[other] += "// mine\n"
        fewer, _ = student_check.fewer_configurations(texts, rung)
        self.assertGreater(self.kernels_of(fewer["launch.cu"], rung), before)
        few, counts = student_check.fewer_configurations(
            starters.whole(own_rungs()[3]), own_rungs()[3]
        )
        self.assertIsNone(counts)

    def rung_that_chooses(self):
        """The rung with the longest table of configurations."""
        return max(own_rungs().values(), key=lambda rung: len(rung.configurations))

    def kernels_of(self, launch, rung):
        """Names of the kernels whose configurations stand in a table."""
        kept = {row[1] for row in ROW.finditer(launch)}
        return {
            rung.kernels[each["kernels"][0]]["function"]
            for each in rung.configurations
            if each["name"] in kept
        }

    def test_lines_of_the_table_that_a_student_has_written_are_checked(self):
        """Another name, other template arguments, a line more: the facts know none of them."""
        rung = self.rung_that_chooses()
        texts = starters.whole(rung)
        number = len(rung.configurations)
        first, second = rung.configurations[4:6]
        for name, edited in ((first["name"], "mine"), (second["name"], second["name"])):
            [row] = [row[0] for row in ROW.finditer(texts["launch.cu"]) if row[1] == name]
            changed = row.replace(f'"{name}"', f'"{edited}"').replace("8, ", "16, ", 1)
            texts["launch.cu"] = texts["launch.cu"].replace(row, changed)
        more = row.replace(f'"{second["name"]}"', '"one more"')
        texts["launch.cu"] = texts["launch.cu"].replace(changed, changed + more)
        fewer, counts = student_check.fewer_configurations(texts, rung)
        kept = {row[1] for row in ROW.finditer(fewer["launch.cu"])}
        self.assertLessEqual({"mine", second["name"], "one more"}, kept)
        self.assertEqual(counts, (len(kept), number + 1))
        self.assertEqual(len(kept), 4)  # with one of the ladder's own

    def test_a_report_decides_and_not_what_is_printed(self):
        """Of made-up programs: what they print is shown, and not read."""
        path = pathlib.Path(self.room.folder.name, "findings.json")
        right = {"exit_code": 0, "findings": [], "subjects": [{"outcome": "right", "findings": []}]}
        found = {"code": "nan", "family": "wrong-result", "level": "error"}
        wrong = {
            "exit_code": 1,
            "findings": [],
            "subjects": [{"outcome": "wrong", "findings": [found]}],
        }
        left = {"exit_code": 0, "findings": [], "subjects": []}
        refused = {"exit_code": 2, "findings": [{"code": "launch-extent-zero"}], "subjects": []}
        no_memory = {"exit_code": 2, "findings": [{"code": "out-of-memory"}], "subjects": []}
        for code, report, expected in (
            (0, right, 0),
            (1, right, 1),
            (0, wrong, 1),
            (1, wrong, 1),
            (0, left, 1),
            (2, refused, 1),
            (2, no_memory, 2),
            (0, None, 1),
            (1, None, 1),
            (2, None, 2),
        ):
            path.unlink(missing_ok=True)
            if report:
                path.write_text(json.dumps(report))
            result = student_check.checked(code, "02 coalesced      right, no hazards\n", path)
            self.assertEqual(result.code, expected, (code, report))
            self.assertIn("right, no hazards", result.output)
        path.write_text("{")
        self.assertEqual(student_check.checked(0, "", path).code, 1)


if __name__ == "__main__":
    unittest.main()
