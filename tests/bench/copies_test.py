"""bench/copies.py: edits match once, one source holds the rung, only what differs is written."""

import contextlib
import io
import pathlib
import re
import tempfile
import time
import unittest
from unittest import mock

from bench import copies
from bench.benchmark.ablations import ABLATIONS
from bench.copies import Copy, source_of
from bench.record.cuda_tools import InputError
from tests.ladder.mutants.mutants import LISTS
from tests.ladder.program.racy_rung import RACY

CHOOSING = copies.rung_name(14)
MADE_UP = {
    "launch.cu": '#include "common/launch.cuh"\n#include "ladder/03_a/kernel.cuh"\n'
    '#include "ladder/03_a/plan.hpp"\nnamespace ladder::a {\nint n = a::two();\n'
    'auto kTable = rows({\n    f<1>("1 x 1", 1),\n    f<2>("2 x 2", 2),\n});\n}\n',
    "kernel.cuh": '#pragma once\n#include "ladder/03_a/plan.hpp"\nkernel one\n',
    "plan.hpp": "#pragma once\nplan one\n",
}


class CopiesTest(unittest.TestCase):
    """Copies of a rung that was made up, in a folder of each test's own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rung = pathlib.Path(self.folder.name) / "ladder" / "03_a"
        self.rung.mkdir(parents=True)
        for name, text in MADE_UP.items():
            (self.rung / name).write_text(text)
        patched = mock.patch.object(copies, "LADDER", self.rung.parent)
        patched.start()
        self.addCleanup(patched.stop)
        self.out = pathlib.Path(self.folder.name) / "out"
        self.out.mkdir()

    def run_main(self, *arguments, **lists):
        """What main() prints."""
        printed = io.StringIO()
        with mock.patch("sys.argv", ["copies", *map(str, arguments)]):
            with contextlib.redirect_stdout(printed):
                copies.main(lists, {"table.cpp": "table\n"})
        return printed.getvalue()

    def test_one_source_holds_each_file_once_where_it_is_included(self):
        self.assertEqual(
            source_of(Copy("b", "03_a", preamble="// b\n")),
            '// b\n#include "common/launch.cuh"\nplan one\nkernel one\nnamespace ladder::b {\n'
            'int n = b::two();\nauto kTable = rows({\n    f<1>("1 x 1", 1),\n'
            '    f<2>("2 x 2", 2),\n});\n}\n',
        )

    def test_an_edit_finds_its_text_in_any_file(self):
        for text in ("kernel one", "plan one", "int n"):
            source = source_of(Copy("b", "03_a", ((text, "changed"),)))
            self.assertIn("changed", source)
            self.assertNotIn(text, source)

    def test_a_text_that_is_not_there_once_is_named(self):
        for text, times, places in (
            ("three", "0 times.", ""),
            ("one", "2 times", "kernel.cuh: 1, plan.hpp: 1"),
            ("f<", "2 times", "launch.cu: 2"),
        ):
            with self.assertRaises(InputError) as caught:
                source_of(Copy("b", "03_a", ((text, ""),), table="here.py"))
            said = str(caught.exception)
            for part in ("b: the files of ladder/03_a must hold", times, places, "edit in here.py"):
                self.assertIn(part, said)
            self.assertTrue(said.endswith(f":\n{text}"), said)

    def test_one_configuration_is_left(self):
        self.assertEqual(copies.configurations("03_a"), ["1 x 1", "2 x 2"])
        source = source_of(Copy("b", "03_a", configuration="2 x 2"))
        self.assertIn('rows({\n    f<2>("2 x 2", 2),\n});', source)
        with self.assertRaisesRegex(InputError, "b: ladder/03_a has 0 .* '3 x 3'.* 1 x 1, 2 x 2"):
            source_of(Copy("b", "03_a", configuration="3 x 3"))
        self.assertEqual(copies.copy_as_it_runs("03_a").configuration, "1 x 1")

    def test_only_what_differs_is_written(self):
        made = [Copy("b", "03_a"), Copy("c", "03_a", (("kernel one", "kernel two"),))]
        write = ("write", self.out, ".cu", "first")
        self.run_main(*write, some=made)
        before = {path: path.stat().st_mtime_ns for path in self.out.glob("*.c*")}
        self.assertEqual(sorted(path.name for path in before), ["b.cu", "c.cu", "table.cpp"])
        time.sleep(0.01)
        made[1] = Copy("c", "03_a", (("kernel one", "kernel three"),))
        self.run_main(*write, some=made)
        changed = [path.name for path, at in before.items() if path.stat().st_mtime_ns != at]
        self.assertEqual(changed, ["c.cu"])

    def test_the_depfile_names_sources_and_the_modules_that_change_them(self):
        self.run_main("write", self.out, ".cu", "first", some=[Copy("b", "03_a")])
        target, read = (self.out / "written.d").read_text().split(": ")
        self.assertEqual(target, "first")
        for path in (*copies.paths("03_a"), copies.__file__, __file__):
            self.assertIn(str(path), read.split())

    def test_a_copy_that_cannot_be_made_stops_its_compiler_alone(self):
        made = [Copy("b", "03_a", (("no\nsuch", ""),)), Copy("c", "03_a")]
        self.run_main("write", self.out, ".cu", "first", some=made)
        said = (self.out / "b.cu").read_text()
        self.assertRegex(said, r"^#error b: the files of ladder/03_a .* 0 times.*:\\nno\\nsuch\n$")
        self.assertEqual((self.out / "c.cu").read_text(), source_of(made[1]))

    def test_lists_are_printed_by_name(self):
        lines = self.run_main("list", some=[Copy("b", "03_a")], more=[]).splitlines()
        self.assertEqual(lines[:2], ["some b", "more"])
        self.assertIn("bench/copies.py", lines[2].split())


class RungsTest(unittest.TestCase):
    """All copies that the project makes."""

    def test_every_edit_matches_the_rungs_as_they_are(self):
        made = [RACY, *(entry.copy for entry in ABLATIONS)]
        for of_list in LISTS.values():
            made += of_list
        self.assertGreater(len(made), 100)
        sources = {}
        for copy in made:
            with self.subTest(copy.name):
                source = sources[copy.name] = source_of(copy)
                self.assertIn(f"namespace ladder::{copy.name} {{", source)
                self.assertNotRegex(
                    source,
                    rf'#include "ladder/|\b{copy.rung[3:]}::|#pragma once'
                    if copy is not RACY
                    else "#pragma once",
                )
                if copy.configuration:
                    self.assertEqual(len(re.findall(copies.ROW, source)), 1)
        self.assertEqual(len(set(sources.values())), len(sources))

    def test_every_configuration_is_copied_alone(self):
        alone = [copy.configuration for copy in LISTS["configurations_alone"]]
        self.assertEqual(alone, copies.configurations(CHOOSING))
        self.assertGreater(len(alone), 10)

    def test_a_kernel_can_get_other_template_arguments(self):
        for rung in (copies.rung_name(10), CHOOSING):
            source = source_of(copies.copy_as_it_runs(rung, copies.with_template(rung, "1, 2")))
            self.assertEqual(source.count("launch(kernel<1, 2>,"), 1)

    def test_what_is_no_kernel_is_named(self):
        with self.assertRaisesRegex(InputError, "ladder/00_cublas has no kernel.cuh"):
            copies.kernel_of(copies.rung_name(0))
        with self.assertRaisesRegex(InputError, "there is no rung 77"):
            copies.rung_name(77)


if __name__ == "__main__":
    unittest.main()
