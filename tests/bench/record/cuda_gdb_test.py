"""cuda_gdb.py with a debugger that only plays one, and the sessions that it has recorded."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from bench.record import cuda_gdb
from docs.report.page_blocks import debugging
from tests import SOURCES

# Says what it is told to echo, and makes the core that it is asked for, if `core` says so.
DEBUGGER = """#!{python}
import pathlib, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("NVIDIA (R) CUDA Debugger\\n{version} release"))
words = iter(sys.argv[1:])
for word in words:
    if word != "-ex":
        continue
    command = next(words)
    if command.startswith("echo "):
        print(command[5:].replace("\\\\n", ""))
    elif command == "bt":
        print("#0 main () at", pathlib.Path.cwd() / "program.cu:7")
    elif command == "info files":
        print(f"`{{pathlib.Path.cwd()}}/program.core'")
    elif command.startswith("generate-core-file") and {core}:
        pathlib.Path(command.split()[1]).write_text("core")
"""
HELP = ("help", "help running", "help next", "apropos cuda", "quit")


class CudaGdbRecorderTest(unittest.TestCase):
    """In a folder with a debugger, and with tmux or without it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "gallery_debug"
        self.program.write_text("#!/bin/sh\n")
        self.program.chmod(0o755)

    def debugger(self, core=True, version="99.9"):
        """Puts it on the PATH."""
        path = self.folder / "cuda-gdb"
        path.write_text(DEBUGGER.format(python=sys.executable, core=core, version=version))
        path.chmod(0o755)

    def record(self, *words):
        """Runs the script; no other tool is on the PATH."""
        out = self.folder / "out.json"
        done = subprocess.run(
            [sys.executable, "-m", "bench.record.cuda_gdb", "--program", self.program]
            + ["--limit", "20", "--out", out, *words],
            cwd=SOURCES,
            env={**os.environ, "PATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        sessions = json.loads(out.read_text())["benchmarks"] if out.exists() else []
        return done, {each["name"]: each for each in sessions}

    def test_sessions_without_a_gpu(self):
        self.debugger()
        done, sessions = self.record("--host")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("there is no tmux", done.stdout)
        self.assertEqual(list(sessions), ["help", "core_of_a_program"])
        core = sessions["core_of_a_program"]
        self.assertIn("--core=program.core", core["words"])
        answers = {step["command"]: step["output"] for step in core["steps"]}
        self.assertEqual(answers["bt"], ["#0 main () at program.cu:7"])
        self.assertEqual(answers["info files"], ["`program.core'"])
        self.assertEqual(core["cuda_gdb"], "99.9")

    def test_what_does_not_run_here_stays_in_the_file(self):
        self.debugger()
        _, sessions = self.record("--host")
        out = self.folder / "out.json"
        other = {**sessions["help"], "name": "text_user_interface", "cuda_gdb": "11.1"}
        older = {"context": {}, "benchmarks": [other, sessions["help"]]}
        out.write_text(json.dumps(older))
        self.debugger(version="99.8")
        done, sessions = self.record("--host")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            {name: each["cuda_gdb"] for name, each in sessions.items()},
            {"text_user_interface": "11.1", "help": "99.8", "core_of_a_program": "99.8"},
        )

    def test_a_debugger_without_a_version_is_refused(self):
        self.debugger(version="no")
        done, _ = self.record("--host")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not say which it is", done.stderr)

    @unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
    def test_a_screen_is_what_the_terminal_shows(self):
        self.debugger()
        (self.folder / "tmux").symlink_to(shutil.which("tmux"))
        (self.folder / "sh").symlink_to("/bin/sh")
        (self.folder / "cuda-gdb").write_text("#!/bin/sh\necho $3 is shown\ncat >word\n")
        lines = self.screen()
        self.assertEqual(lines[0], "gallery_debug is shown")
        self.assertEqual(lines[1:3], ["list main", "info win"])
        (self.folder / "cuda-gdb").write_text("#!/bin/sh\nexit 1\n")
        self.assertEqual(self.screen(), [])

    def screen(self):
        """What the folder's debugger shows."""
        path = f"{self.folder}:{os.environ['PATH']}"
        with unittest.mock.patch.dict(os.environ, {"PATH": path, "SHELL": "/bin/sh"}):
            words, keys = ["--tui", "gallery_debug"], ["list main", "info win"]
            return cuda_gdb.screen(self.folder, words, keys).splitlines()

    def test_what_is_missing_is_named(self):
        done, _ = self.record("--host")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no cuda-gdb", done.stderr)

        self.debugger(core=False)
        done, sessions = self.record("--host")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no core of the gallery's program", done.stderr)
        self.assertEqual(list(sessions), ["help"])  # what was recorded before is kept

    def test_a_kernel_without_a_core_is_told_after_all_other_sessions(self):
        self.debugger()
        beside = SOURCES / "bench/results/nvidia-h100/lab_sectors.json"
        done, sessions = self.record("--beside", beside)
        self.assertEqual(done.returncode, 1)
        self.assertIn("float4_at_offset_one left no core", done.stderr)
        self.assertEqual(list(sessions), [*cuda_gdb.SESSIONS, "compiled_at_run_time"])

        self.program.write_text('#!/bin/sh\necho core >"$CUDA_COREDUMP_FILE"\n')
        done, sessions = self.record("--beside", beside)
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = [step["command"] for step in sessions["core_of_a_kernel"]["steps"]]
        self.assertEqual(asked, list(cuda_gdb.CORE))


class RecordedSessionsTest(unittest.TestCase):
    """What the page says of options and commands was recorded."""

    def setUp(self):
        recorded = json.loads((SOURCES / "bench/results/cuda_gdb_host.json").read_text())
        self.sessions = {each["name"]: each for each in recorded["benchmarks"]}

    def test_each_option_was_given(self):
        given = {word.split("=")[0] for each in self.sessions.values() for word in each["words"]}
        options = {"--exec", "--symbols", "--core", "--directory", "--tui"}
        self.assertLessEqual(options, given)
        page = (SOURCES / "docs/chapters/cuda_gdb.md").read_text()
        for option in options:
            self.assertRegex(page, rf"\| `(cuda-gdb )?{option}|; `{option}")

    def test_each_command_was_answered(self):
        answers = {step["command"]: step["output"] for step in self.sessions["help"]["steps"]}
        for command in HELP:
            self.assertIn(command, answers)
            self.assertEqual(bool(answers[command]), command != "quit", command)
        self.assertIn("cuda", " ".join(answers["apropos cuda"]))

    def test_the_core_and_the_sources_were_found(self):
        steps = self.sessions["core_of_a_program"]["steps"]
        answers = {step["command"]: " ".join(step["output"]) for step in steps}
        self.assertIn("program.core', file type elf64", answers["info files"])
        self.assertIn("int main(", answers["list main"])

    def test_the_screen_has_the_source_above_the_commands(self):
        screen = self.sessions["text_user_interface"]["screen"]
        source = next(i for i, line in enumerate(screen) if "int main(" in line)
        prompt = next(i for i, line in enumerate(screen) if line.startswith("(cuda-gdb)"))
        self.assertLess(source, prompt)
        self.assertIn("\n".join(screen), debugging.cuda_gdb_host_block())


if __name__ == "__main__":
    unittest.main()
