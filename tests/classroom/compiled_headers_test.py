"""What the build has compiled of a student's headers is used, and changes nothing but the time.

python3 -m tests.classroom.compiled_headers_test
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

from bench.rungs import own_rungs
from classroom import kernel_library
from classroom.kernel_library import (
    BUILD,
    FLAVOURS,
    OPENING,
    CompileError,
    build_libraries,
    is_compiled,
)
from tests.classroom.edited_kernel import edited_kernel

INCLUDE = '#include "common/launch.cuh"\n'
TEXT = "// text\n"


def code_of(library):
    """The machine code of a library, with the names of what it calls."""
    words = ["objdump", "--disassemble", "--no-show-raw-insn", library]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.partition("\n\n")[2]  # the file's name stands in front


class CompiledHeadersTest(unittest.TestCase):
    """build_libraries()"""

    def test_the_compiler_takes_them(self):
        """-H says so: `!` in front of a compiled header."""
        build = json.loads((BUILD / "kernel_library.json").read_text())
        for flavour in FLAVOURS:
            with self.subTest(flavour), tempfile.TemporaryDirectory() as room:
                source = pathlib.Path(room, "empty.cpp")
                source.touch()
                words = [build["compiler"], *build[flavour]["options"]]
                words += build[flavour]["definitions"]
                words += ["-include", build[flavour]["opening"], "-H", "-fsyntax-only", source]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                self.assertIn(f"! {build[flavour]['opening']}.gch", done.stderr)

    def test_the_machine_code_is_the_same(self):
        with tempfile.TemporaryDirectory() as room:
            rung, folder = edited_kernel(room, 2, INCLUDE, INCLUDE)
            quick = build_libraries(folder, rung, pathlib.Path(room, "quick"))
            never = unittest.mock.Mock(match=lambda _: None)
            with unittest.mock.patch.object(kernel_library, "OPENING", never):
                slow = build_libraries(folder, rung, pathlib.Path(room, "slow"))
            for flavour in FLAVOURS:
                self.assertTrue(code_of(quick[flavour]))
                self.assertEqual(code_of(quick[flavour]), code_of(slow[flavour]), flavour)

    def test_an_include_that_is_missing_is_missed(self):
        """nvcc would miss it, too."""
        with tempfile.TemporaryDirectory() as room:
            rung, folder = edited_kernel(room, 2, INCLUDE, '#include "common/device.cuh"\n')
            with self.assertRaises(CompileError):
                build_libraries(folder, rung, pathlib.Path(room, "out"), ("plain",))

    def test_only_where_nothing_was_written_since(self):
        with tempfile.TemporaryDirectory() as room:
            header, other = pathlib.Path(room, "a.hpp"), pathlib.Path(room, "b.hpp")
            self.assertFalse(is_compiled(header))
            for path in (header, other, pathlib.Path(f"{header}.gch")):
                path.touch()
            pathlib.Path(f"{header}.gch.d").write_text(
                f"{header}.gch: \\\n {header} \\\n {other}\n"
            )
            os.utime(f"{header}.gch", (2e9, 2e9))
            self.assertTrue(is_compiled(header))
            os.utime(other, (3e9, 3e9))
            self.assertFalse(is_compiled(header))
            other.unlink()
            self.assertFalse(is_compiled(header))

    def test_for_files_that_begin_as_the_ladders_do(self):
        for rung in own_rungs().values():
            for path in rung.path.glob("launch.cu"):
                self.assertTrue(OPENING.match(path.read_text()), path)
        for begin in ("", "/* a\n * b */\n", TEXT, "#include <cstdio>\n#include <vector>\n\n"):
            self.assertTrue(OPENING.match(begin + INCLUDE), begin)
        for begin in (
            "int i;\n",
            "#define launch 1\n",
            '#include "common/device.cuh"\n',
            "#if 0\n",
            "/* a */ int i; /* b */\n",
            "/*\n",
            f"{TEXT}//",
        ):
            self.assertFalse(OPENING.match(begin + INCLUDE), begin)


if __name__ == "__main__":
    unittest.main()
