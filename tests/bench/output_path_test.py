"""Scripts write what a user names whole or not at all, through links and devices."""

import argparse
import os
import pathlib
import shutil
import stat
import tempfile
import unittest
from unittest import mock

from bench.output_file import output_path, write_whole


class OutputFile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "out.json"

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_new_file_has_the_mode_that_the_umask_leaves(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        write_whole(self.path, "new")
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)
        self.assertEqual(self.names(), ["out.json"])

    def test_links_and_modes_stay(self):
        target = self.folder / "target.json"
        target.write_text("old")
        target.chmod(0o600)
        self.path.symlink_to("target.json")
        write_whole(self.path, "new")
        self.assertTrue(self.path.is_symlink())
        self.assertEqual(target.read_text(), "new")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)

    def test_a_device_stays_a_device(self):
        write_whole(output_path("/dev/null"), "gone")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_a_failed_write_leaves_the_old_file_whole(self):
        self.path.write_text("old")
        with mock.patch.object(pathlib.Path, "replace", side_effect=OSError("full")):
            self.assertRaises(OSError, write_whole, self.path, "new")
        self.assertEqual(self.path.read_text(), "old")
        self.assertEqual(self.names(), ["out.json"])

    def test_what_cannot_be_written_is_said_at_once(self):
        self.path.write_text("old")
        for path, part in (
            (self.folder, "it is a folder"),
            (self.folder / "missing" / "x", f"mkdir -p {self.folder / 'missing'}"),
            (self.path / "x", "is not a folder"),
        ):
            reason = f"cannot write {path}: .*{part}"
            with self.assertRaisesRegex(argparse.ArgumentTypeError, reason):
                output_path(str(path))
        with mock.patch("os.access", return_value=False):
            for path, part in ((self.path, "make it writable"), (self.folder / "x", "no file can")):
                with self.assertRaisesRegex(argparse.ArgumentTypeError, part):
                    output_path(str(path))
        self.assertEqual(self.names(), ["out.json"])


if __name__ == "__main__":
    unittest.main()
