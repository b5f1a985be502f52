"""PyTorch on side-aware memory: the example from end to end, and what it says where something is missing.

    LADDER_SIDE_AWARE=build/lib/libside_aware.so LADDER_MADE_UP_CUDA=build/tests/made_up/libcuda.so.1 \\
        python3 -m tests.bench.labs.torch_side_aware_test

No GPU and no PyTorch is needed: made-up ones stand in for them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench import results_file
from tests import SOURCES

LIBRARY = os.environ.get("LADDER_SIDE_AWARE")
MADE_UP_CUDA = os.environ.get("LADDER_MADE_UP_CUDA")
# A machine whose PyTorch is not there, sees no GPU, or sees one.
NO_TORCH = "import sys; sys.modules['torch'] = None"
TORCH = """
from tests.common.side_aware import made_up_torch
torch = made_up_torch.install(available={available})
"""
GPU = f"gpu = made_up_torch.Gpu({MADE_UP_CUDA!r})\n"
WRONG = "torch.ops.sideaware.elementwise = lambda *_: None\n"
RUN = "\nfrom bench.labs import torch_side_aware\ntorch_side_aware.main()\n"


def run(setup, *arguments, library=None):
    """(exit code, output, errors) of the example after some setup."""
    done = subprocess.run(
        [sys.executable, "-c", setup + RUN, *map(str, arguments)],
        cwd=SOURCES,
        env=os.environ | {"SIDEAWARE_LIBRARY": str(library or "/no/such/library.so")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, " ".join(done.stderr.split())


class MissingTest(unittest.TestCase):
    """The example says in a sentence what is missing."""

    def test_without_pytorch(self):
        code, _, errors = run(NO_TORCH)
        self.assertEqual(code, 2)
        self.assertIn("PyTorch is not installed. Install it (pip install torch)", errors)

    def test_without_a_gpu(self):
        code, _, errors = run(TORCH.format(available=False))
        self.assertEqual(code, 2)
        self.assertIn("PyTorch sees no GPU", errors)

    def test_without_its_library(self):
        code, _, errors = run(TORCH.format(available=True))
        self.assertEqual(code, 2)
        self.assertIn("/no/such/library.so is not there", errors)
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            code, _, errors = run(TORCH.format(available=True), library=file.name)
        self.assertEqual(code, 2)
        self.assertIn("file too short", errors)


@unittest.skipUnless(LIBRARY and MADE_UP_CUDA, "this build has no code for GPUs")
class ExampleTest(unittest.TestCase):
    """All of the example, on a made-up GPU."""

    def example(self, setup, *arguments):
        """What it prints; skips where there is no run-time compiler."""
        setup = TORCH.format(available=True) + GPU + setup
        code, output, errors = run(setup, "--elements", 3001, *arguments, library=LIBRARY)
        if "libnvrtc.so is not there" in errors:
            self.skipTest("NVRTC is not installed")
        return code, output, errors

    def test_everything_is_right_and_filed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "torch.json"
            code, output, errors = self.example("", "--out", file)
            self.assertEqual(code, 0, output + errors)
            form = results_file.form_of("bench/results/x/torch_side_aware.json")
            record = results_file.in_form(file.read_text(), file, form)
        self.assertEqual(record["context"]["device"], "a made-up GPU")
        self.assertEqual(record["context"]["mask"], "0xb3000")
        right = [row["right"] for row in record["benchmarks"] if "right" in row]
        self.assertEqual(right, 5 * [True])
        rate = 2 * 4 * 3001 / 1e9 / 1e-3  # a millisecond each
        rates = {row["name"]: row["gbps"] for row in record["benchmarks"] if "gbps" in row}
        self.assertEqual(list(rates), ["copy by side-aware", "copy by PyTorch"])
        for each in rates.values():
            self.assertEqual(each, dict.fromkeys(("min", "median", "max"), rate))

    def test_a_wrong_result_is_no_success(self):
        wrong = "import common.side_aware.sideaware\n" + WRONG
        code, output, _ = self.example(wrong)
        self.assertEqual(code, 1)
        self.assertIn("kernel of one's own: WRONG", output)
        self.assertIn("copy: right", output)


if __name__ == "__main__":
    unittest.main()
