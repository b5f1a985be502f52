"""CUDA's words as the build has compiled them are what g++ takes for a program.

python3 -m tests.glassbox.compiled_words_test
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests import SOURCES

LIBRARIES = pathlib.Path(os.environ.get("LADDER_EMULATOR", SOURCES / "build/lib/x")).parent


class CompiledWordsTest(unittest.TestCase):
    """build/lib/headers"""

    def of(self, flavour, *options, text=""):
        """What -H says of a file with this text, compiled as glassbox compiles one."""
        build = json.loads((LIBRARIES / "glassbox.json").read_text())
        folders = [LIBRARIES / "headers" / flavour, *(SOURCES / name for name in build["folders"])]
        with tempfile.TemporaryDirectory() as room:
            source = pathlib.Path(room, "empty.cpp")
            source.write_text(text)
            words = [build["compiler"], *build[flavour], "-std=gnu++20", "-w", *options]
            words += [word for folder in folders for word in ("-I", folder)]
            words += ["-include", "cuda_runtime.h", "-H", "-fsyntax-only", source]
            return subprocess.run(words, capture_output=True, text=True, check=True).stderr

    def test_they_are_taken(self):
        """For every device, and with names that no header has."""
        for flavour in ("plain", "traced"):
            for options in ((), ("-DGLASSBOX_CUDA_ARCH=750", "-DTILE=3")):
                with self.subTest(flavour, options=options):
                    taken = f"! {LIBRARIES / 'headers' / flavour / 'cuda_runtime.h.gch'}"
                    self.assertIn(taken, self.of(flavour, *options))

    def test_a_program_may_include_the_header_again(self):
        """By itself or by another of CUDA's."""
        for header in ("cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h"):
            for options in ((), ("-DNDEBUG",)):  # with the compiled one and without
                self.of("plain", *options, text=f"#include <{header}>\ndim3 size(1);\n")

    def test_where_they_would_be_wrong_the_text_is(self):
        """g++ itself sees to that: `x` in front of what it has refused."""
        for option in ("-DNDEBUG", "-DCUDART_CB=3", "-std=gnu++23"):
            with self.subTest(option):
                refused = f"x {LIBRARIES / 'headers' / 'plain' / 'cuda_runtime.h.gch'}"
                self.assertIn(refused, self.of("plain", option))


if __name__ == "__main__":
    unittest.main()
