"""Sources below a folder that the compilers' user may not enter: it is named, and nobody is judged."""

import contextlib
import io
import pathlib
import tempfile
import unittest
import unittest.mock

from classroom import contained


class ClosedFolderTest(unittest.TestCase):
    """Sources below a folder that only root may enter, such as /root."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.closed = pathlib.Path(temporary.name)  # made with mode 700
        self.sources = self.closed / "ladder"
        self.sources.mkdir()

    def contain(self, held, user=0):
        """As this user, on a machine that can contain so much, with the sources there."""
        for name, value in (
            ("SOURCES", self.sources),
            ("holds", lambda: held),
            ("PROGRAM", pathlib.Path(__file__)),
        ):
            patch = unittest.mock.patch.object(contained, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = unittest.mock.patch.object(contained.os, "geteuid", lambda: user)
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_folder_is_named_and_the_grader_has_failed(self):
        self.contain(("files", "user"))
        self.assertEqual(contained.closed_folder(), self.closed)
        with self.assertRaisesRegex(contained.GraderFailedError, f"chmod a.x {self.closed}"):
            contained.call([contained.PROGRAM, "--", "true"], "/", 1)

    def test_an_open_one_is_none(self):
        self.closed.chmod(0o711)
        self.contain(("files", "user"))
        self.assertIsNone(contained.closed_folder())

    def test_a_view_of_its_own_has_no_closed_folders(self):
        self.contain(("view", "user"))
        self.assertIsNone(contained.closed_folder())

    def test_before_the_build_make_grade_asks_and_is_told_what_to_do(self):
        self.contain(())
        with (
            unittest.mock.patch.object(contained, "PROGRAM", self.sources / "not_built"),
            unittest.mock.patch.object(contained.subprocess, "run") as unshare,
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            unshare.return_value.returncode = 1
            with self.assertRaises(SystemExit) as ended:
                contained.main()
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(f"`chmod a+x {self.closed}`", " ".join(errors.getvalue().split()))
            unshare.return_value.returncode = 0
            contained.main()
            unshare.side_effect = FileNotFoundError
            contained.main()

    def test_the_same_user_may_enter(self):
        self.contain(("files", "user"), user=1000)
        self.assertIsNone(contained.closed_folder())


if __name__ == "__main__":
    unittest.main()
