"""PyTorch on side-aware memory: what the example and its library say where something is missing.

    LADDER_SIDE_AWARE=build/lib/libside_aware.so python3 -m tests.bench.labs.torch_side_aware_test

No GPU and no PyTorch is needed: a made-up module stands in for it.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.labs import torch_side_aware
from tests import SOURCES

# A machine whose PyTorch is not there, sees no GPU, or sees one.
NO_TORCH = "import sys; sys.modules['torch'] = None"
TORCH = """
import sys, types
torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(is_available=lambda: {available})
sys.modules["torch"] = torch
"""
RUN = "\nfrom bench.labs import torch_side_aware\ntorch_side_aware.main()\n"


def run(setup, *arguments):
    """(exit code, errors) of the example after some setup."""
    done = subprocess.run(
        [sys.executable, "-c", setup + RUN, *map(str, arguments)],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, " ".join(done.stderr.split())


class ExampleTest(unittest.TestCase):
    """The example says in a sentence what is missing."""

    def test_without_pytorch(self):
        code, errors = run(NO_TORCH)
        self.assertEqual(code, 2)
        self.assertIn("PyTorch is not installed. Install it (pip install torch)", errors)

    def test_without_a_gpu(self):
        code, errors = run(TORCH.format(available=False))
        self.assertEqual(code, 2)
        self.assertIn("PyTorch sees no GPU", errors)

    def test_without_its_library(self):
        code, errors = run(TORCH.format(available=True), "/no/such/library.so")
        self.assertEqual(code, 2)
        self.assertIn(
            "/no/such/library.so is not there. Build it first: ninja -C build " "side_aware", errors
        )
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            code, errors = run(TORCH.format(available=True), file.name)
        self.assertEqual(code, 2)
        self.assertIn("cannot be loaded", errors)


@unittest.skipUnless(os.environ.get("LADDER_SIDE_AWARE"), "this build has no code for GPUs")
class LibraryTest(unittest.TestCase):
    """libside_aware.so, as far as it goes without a GPU."""

    def setUp(self):
        self.library = torch_side_aware.load(pathlib.Path(os.environ["LADDER_SIDE_AWARE"]))
        self.library.side_aware_malloc.restype = ctypes.c_void_p

    def test_it_exports_what_the_header_declares(self):
        header = (SOURCES / "common/side_aware/c_interface.hpp").read_text()
        names = {
            word.split("(")[0]
            for word in header.split()
            if word.startswith("side_aware_") and "(" in word and not word.endswith("()")
        }
        names |= {"side_aware_error", "side_aware_compiler"}
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            self.assertTrue(hasattr(self.library, name), name)

    def test_a_mistake_is_a_sentence_and_no_exception(self):
        self.assertEqual(self.library.side_aware_copy(16, 32, 7, 1, 0, None), 1)
        self.assertIn(b"multiple of 4 bytes, not 7", self.library.side_aware_error())
        self.assertIsNone(self.library.side_aware_malloc(ctypes.c_ssize_t(0), 0, None))

    def test_machine_code_needs_no_gpu(self):
        if not self.library.side_aware_compiler():
            self.skipTest("NVRTC is not installed")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "own.cubin"
            failed = self.library.side_aware_write_cubin(
                torch_side_aware.SCALE_AND_ADD.encode(), b"ScaleAndAdd", 90, str(file).encode()
            )
            self.assertEqual(failed, 0, self.library.side_aware_error())
            self.assertEqual(file.read_bytes()[:4], b"\x7fELF")
            failed = self.library.side_aware_write_cubin(
                b"struct Broken {", b"Broken", 90, str(file).encode()
            )
            self.assertEqual(failed, 1)
            self.assertIn(b"Broken does not compile", self.library.side_aware_error())


if __name__ == "__main__":
    unittest.main()
