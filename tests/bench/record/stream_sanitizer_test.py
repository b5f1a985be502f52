"""stream_sanitizer.py: which programs it runs, and what it files; nvcc and the tools are stand-ins."""

import json
import pathlib
import stat
import sys
import tempfile
import unittest
from unittest import mock

from bench import results_file
from bench.record import stream_sanitizer

# "Compiles" to a file that says how it was compiled.
NVCC = """#!{python}
import pathlib, sys
words = sys.argv[1:]
pathlib.Path(words[words.index("-o") + 1]).write_text("sound" if "-DSOUND" in words else "broken")
"""
# initcheck finds what is broken and called found; all tools break down on what is called breaks.
SANITIZER = """#!{python}
import pathlib, sys
words = sys.argv[1:]
binary = pathlib.Path(words[-1])
if binary.stem == "breaks":
    sys.exit("no device")
wrong = binary.stem == "found" and binary.read_text() == "broken" and "initcheck" in words
print("========= COMPUTE-SANITIZER")
print(f"========= ERROR SUMMARY: {{8 if wrong else 0}} errors")
if wrong:
    sys.exit(int(words[words.index("--error-exitcode") + 1]))
"""


class StreamSanitizerTest(unittest.TestCase):
    """In a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in {"nvcc": NVCC, "sanitizer": SANITIZER}.items():
            path = self.root / name
            path.write_text(text.format(python=sys.executable))
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_it(self, *programs):
        """The file that it writes."""
        for name in programs:
            (self.root / f"{name}.cu").touch()
        out = self.root / "stream_sanitizer.json"
        words = ["stream_sanitizer.py", "--out", str(out), "--programs", str(self.root)]
        words += ["--nvcc", str(self.root / "nvcc"), "--sanitizer", str(self.root / "sanitizer")]
        context = {"device": "a GPU"}
        with (
            mock.patch.object(sys, "argv", words),
            mock.patch.object(stream_sanitizer, "context_of", lambda *_: context),
            mock.patch.object(stream_sanitizer, "version_of", lambda _: "7"),
            mock.patch("builtins.print"),
        ):
            stream_sanitizer.main()
        return results_file.in_form(
            out.read_text(), out, results_file.form_of("bench/results/x/stream_sanitizer.json")
        )

    def test_what_is_filed(self):
        """Each program twice, but those that are sound anyway."""
        results = self.run_it("found", "missed", "sound_one")
        entries = {(one["name"], one["sound"]): one for one in results["benchmarks"]}
        self.assertEqual(
            {key: one["found_by"] for key, one in entries.items()},
            {
                ("found", False): ["initcheck"],
                ("found", True): [],
                ("missed", False): [],
                ("missed", True): [],
                ("sound_one", True): [],
            },
        )
        summaries = entries["found", False]["summaries"]
        self.assertEqual(list(summaries), list(stream_sanitizer.TOOLS))
        self.assertEqual(summaries["initcheck"], "ERROR SUMMARY: 8 errors")
        self.assertEqual(json.dumps(results["context"]), '{"device": "a GPU", "sanitizer": "7"}')

    def test_a_tool_that_breaks_down(self):
        """Nothing is filed: no finding is not the same as no run."""
        with self.assertRaisesRegex(SystemExit, "memcheck broke down on breaks .*\n.*no device"):
            self.run_it("breaks")
        self.assertFalse((self.root / "stream_sanitizer.json").exists())


if __name__ == "__main__":
    unittest.main()
