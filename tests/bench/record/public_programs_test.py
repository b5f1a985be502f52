"""public_programs.py: what counts as a program, what is out of scope, and how each one ends."""

import json
import pathlib
import stat
import sys
import tempfile
import unittest
from unittest import mock

from bench import public_programs as record_file
from bench.record import public_programs

REPOSITORY = "owner+name"
MAIN = "int main() {}\n"
SOURCES = {
    "quiet.cu": MAIN,
    "found.cu": MAIN,
    "loops.cu": MAIN,
    "broken.cu": MAIN,
    "lacks.cu": MAIN,
    "launches.cu": MAIN,
    "parts.cu": MAIN,
    "defined.cu": MAIN,
    "lambdas.cu": MAIN,
    "gaps.cu": MAIN,
    "kernels.cu": "__global__ void k() {}\n",  # a part of a program
    "commented.cu": "// cuInit(0) and main()\n" + MAIN,
    "ptx.cu": '__device__ void f() { asm volatile("bar.sync 0;"); }\n' + MAIN,
    "through_header.cu": '#include "fft.h"\n' + MAIN,
    "fft.h": "#include <cufft.h>\n",
    "guarded.cu": "#ifdef WITH_FFT\n#include <cufft.h>\n#endif\n" + MAIN,
    "driver.cu": "int main() { cuInit(0); }\n",
    "built/two.cu": MAIN,
    "built/other.cpp": "",
    "built/CMakeLists.txt": "add_executable(two two.cu other.cpp)\n",
}

# What their build lines have besides.
MORE = {
    f"{REPOSITORY}/defined.cu": {"definitions": ["N=3"]},
    f"{REPOSITORY}/lambdas.cu": {"nvcc": ["--extended-lambda"]},
}

# In place of nvcc: it refuses one program, and another one without an option.
NVCC = """#!{python}
import sys
words = " ".join(sys.argv[1:])
if "gaps" in words or ("lambdas" in words and "--extended-lambda" not in words):
    sys.exit("x.cu(1): error: a gap")
"""

# In place of the glass box: what it does depends on the name of the program.
GLASSBOX = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
source = pathlib.Path(words[0])
record = pathlib.Path(words[words.index("--json") + 1])
def refuse(**error):
    error = dict(family="source", file=str(source), line=3, level="error", **error)
    record.write_text(json.dumps(dict(subjects=[], findings=[error], exit_code=2)))
    sys.exit(2)
if source.stem in ("broken", "lambdas", "gaps") or (
    source.stem == "defined" and "-DN=3" not in words
):
    refuse(code="compiler-error", group="build", message="expected something\\nmore")
if source.stem == "lacks":
    refuse(code="missing-word", group="lacks", message="no x: do y")
if source.stem == "parts":
    refuse(code="linker-error", group="build", message="undefined reference to `f()'")
while source.stem == "loops":
    pass
hazard = dict(code="race-in-shared-memory", group="race", family="fault", level="error",
              file=str(source), line=7, other=dict(line=9), element=dict(array="x"),
              message=f"race at {{source}}:7", times=2)
launch = dict(kernel="k", traced=True, findings=[hazard] if source.stem == "found" else [],
              lines=[dict(requests=5), dict(requests=6)])
refused = dict(kernel="k", traced=False, cuda_error="cudaErrorInvalidConfiguration",
               findings=[dict(code="launch-extent-zero", group="launch", family="fault",
                              level="error", file=str(source), line=8, message="no", times=1)])
call = dict(family="call", code="e", file=str(source), line=1, times=1, level="error",
            message="no z", group="lacks")
leak = dict(call, code="never-freed", group="leak", level="warning")
record.write_text(json.dumps(dict(
    subjects=[launch, launch, *([refused] if source.stem == "found" else [])], launches=3,
    findings=[leak] + ([call] if source.stem == "launches" else []))))
print("Test passed in /some/folder/x")
print([pathlib.Path(word).name for word in words if word.endswith(".cpp")])
"""


class PublicProgramsTest(unittest.TestCase):
    """Runs it on a repository of its own, with a glass box of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        for name, text in SOURCES.items():
            path = root / "checkouts" / REPOSITORY / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (root / "checkouts" / f"{REPOSITORY}.commit").write_text("abc\n")
        cls.glassbox = root / "glassbox"
        cls.glassbox.write_text(GLASSBOX.format(python=sys.executable))
        cls.glassbox.chmod(cls.glassbox.stat().st_mode | stat.S_IXUSR)
        cls.nvcc = root / "nvcc"
        cls.nvcc.write_text(NVCC.format(python=sys.executable))
        cls.nvcc.chmod(cls.nvcc.stat().st_mode | stat.S_IXUSR)
        cls.root, cls.out = root, root / "out.json"
        cls.run_it()
        cls.results = json.loads(cls.out.read_text())
        cls.entries = {entry["path"]: entry for entry in cls.results["programs"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_it(cls, *more):
        """Calls main()."""
        words = [
            "public_programs.py",
            str(cls.root / "checkouts"),
            "--out",
            str(cls.out),
            "--glassbox",
            str(cls.glassbox),
            "--seconds",
            "1",
            "--nvcc",
            str(cls.nvcc),
            *more,
        ]
        with (
            mock.patch.object(sys, "argv", words),
            mock.patch.object(record_file, "REPOSITORIES", (REPOSITORY,)),
            mock.patch.object(record_file, "MORE", MORE),
            mock.patch.object(public_programs, "output_of", lambda _words: "0123abc\n"),
            mock.patch("builtins.print"),
        ):
            public_programs.main()

    def test_every_file_with_a_main_is_a_program(self):
        self.assertEqual(
            set(self.entries), {name for name in SOURCES if name.endswith(".cu")} - {"kernels.cu"}
        )

    def test_the_scope(self):
        """Comments, and includes that the preprocessor leaves out, do not count."""
        scopes = {path: entry["scope"] for path, entry in self.entries.items() if entry["scope"]}
        self.assertEqual(
            scopes,
            {
                "through_header.cu": "cuFFT",
                "driver.cu": "the driver's API",
                "gaps.cu": "nvcc does not compile it",
            },
        )
        self.assertEqual(self.entries["gaps.cu"]["said"], "x.cu(1): error: a gap")

    def test_words_of_its_build_line(self):
        """Both compilers get its definitions; options of nvcc are not for the glass box."""
        defined, lambdas = self.entries["defined.cu"], self.entries["lambdas.cu"]
        self.assertEqual((defined["outcome"], defined["definitions"]), ("ran", ["N=3"]))
        self.assertEqual(
            (lambdas["scope"], lambdas["outcome"], lambdas["nvcc"]),
            (None, "not compiled", ["--extended-lambda"]),
        )

    def test_the_endings(self):
        endings = {
            path: self.entries[path]["outcome"]
            for path in ("quiet.cu", "loops.cu", "broken.cu", "lacks.cu", "launches.cu", "parts.cu")
        }
        self.assertEqual(
            endings,
            {
                "quiet.cu": "ran",
                "loops.cu": "too long",
                "broken.cu": "not compiled",
                "lacks.cu": "refused",
                "launches.cu": "refused",
                "parts.cu": "several files",
            },
        )
        self.assertEqual(self.entries["lacks.cu"]["said"], "lacks.cu:3: no x: do y")
        self.assertEqual(self.entries["broken.cu"]["said"], "broken.cu:3: expected something")

    def test_a_program_that_ran(self):
        """Without folders of this machine; launches of one kernel share their hazards."""
        quiet, found = self.entries["quiet.cu"], self.entries["found.cu"]
        self.assertEqual((quiet["exit_code"], quiet["hazards"], quiet["requests"]), (0, [], 22))
        self.assertEqual(quiet["told"], "Test passed in x")
        self.assertEqual(
            found["hazards"],
            [
                {
                    "kind": "race-in-shared-memory",
                    "kernel": "k",
                    "array": "x",
                    "file": "found.cu",
                    "line": 7,
                    "other_line": 9,
                    "message": "race at found.cu:7",
                    "times": 4,
                }
            ],
        )
        self.assertEqual(
            [call["kind"] for call in found["calls"]], ["cudaErrorInvalidConfiguration"]
        )
        self.assertEqual((quiet["never_freed"], quiet["traced"], found["traced"]), (1, 2, 2))

    def test_files_of_its_cmake_lists_are_built_with_it(self):
        self.assertEqual(self.entries["built/two.cu"]["files"], ["other.cpp"])

    def test_a_second_run_has_nothing_to_do(self):
        with mock.patch.object(public_programs, "tried", side_effect=AssertionError):
            self.run_it()
        self.assertEqual(json.loads(self.out.read_text()), self.results)

    def test_one_ending_can_be_run_again(self):
        """With a newer glass box."""
        tried = mock.Mock(side_effect=lambda *key: self.entries[key[1]])
        with mock.patch.object(public_programs, "tried", tried):
            self.run_it("--again", "refused")
        self.assertEqual(
            sorted(call.args[1] for call in tried.call_args_list), ["lacks.cu", "launches.cu"]
        )
        self.assertEqual(json.loads(self.out.read_text()), self.results)

    def test_what_another_build_has_run_can_be_run_again(self):
        """The shortest first; what has run with this build is left alone."""
        tried = mock.Mock(side_effect=lambda *key: self.entries[key[1]])
        with mock.patch.object(public_programs, "tried", tried):
            self.run_it("--older")
            self.assertEqual(tried.call_args_list, [])
            other = {
                **self.results,
                "programs": [dict(entry) for entry in self.results["programs"]],
            }
            for seconds, path in enumerate(("quiet.cu", "loops.cu")):
                (entry,) = (e for e in other["programs"] if e["path"] == path)
                entry |= {"commit": "older", "seconds": 9 - seconds}
            self.out.write_text(json.dumps(other))
            self.run_it("--older", "--jobs", "1")
        self.assertEqual([call.args[1] for call in tried.call_args_list], ["loops.cu", "quiet.cu"])
        self.assertEqual(json.loads(self.out.read_text()), self.results)


if __name__ == "__main__":
    unittest.main()
