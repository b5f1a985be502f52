"""`.ci/python`: what was interrupted is repaired by the next call. Needs no network."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from tests import SOURCES

WHEEL = {
    "tiny.py": "def main():\n    print('tiny runs')\n",
    "tiny-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n",
    "tiny-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny-1.dist-info/entry_points.txt": "[console_scripts]\ntiny = tiny:main\n",
}

# Stand in for python3 and end like a killed .ci/python: while the environment is made, ...
KILLED_IN_VENV = """#!/bin/sh
[ "$1" = -m ] || exec {python} "$@"
{python} -m venv --without-pip "$3"
kill -KILL $PPID
"""
# ... and after pip has copied a package, but not yet written its script.
KILLED_IN_PIP = """#!/bin/sh
{python} "$@" || exit
[ "$1" = -m ] || exit 0
cat >"$3/bin/pip" <<'END'
#!/bin/sh
"${{0%/*}}/python" -m pip "$@"
rm "${{0%/*}}/tiny" "${{0%/*}}"/../lib/python3*/site-packages/tiny-1.dist-info/RECORD
kill -KILL $PPID
END
"""


class PythonSetup(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / ".ci").mkdir()
        for script in ("python", "pip"):
            shutil.copy(SOURCES / ".ci" / script, self.root / ".ci")
        (self.root / ".ci" / "constraints.txt").write_text("")
        self.require("pages", "tiny==1")
        with zipfile.ZipFile(self.root / "tiny-1-py3-none-any.whl", "w") as wheel:
            for name, text in WHEEL.items():
                wheel.writestr(name, text)
            record = "".join(f"{name},,\n" for name in WHEEL) + "tiny-1.dist-info/RECORD,,\n"
            wheel.writestr("tiny-1.dist-info/RECORD", record)

    def require(self, folder, line):
        (self.root / folder).mkdir()
        (self.root / folder / "requirements.txt").write_text(
            f"--no-index\n--find-links {self.root}\n{line}\n"
        )

    def call(self, *folders, python=None):
        """Exit code of .ci/python; `python` is a script that stands in for python3."""
        return self.run_it(*folders, python=python).returncode

    def run_it(self, *folders, python=None, **environment):
        path = os.environ["PATH"]
        if python:
            stand_in = self.root / "stand_in" / "python3"
            stand_in.parent.mkdir(exist_ok=True)
            stand_in.write_text(python.format(python=shutil.which("python3")))
            stand_in.chmod(0o755)
            path = f"{stand_in.parent}:{path}"
        return subprocess.run(
            [".ci/python", *folders],
            cwd=self.root,
            capture_output=True,
            env={**os.environ, "PATH": path, **environment},
            text=True,
            check=False,
        )

    def assert_whole(self):
        script = self.root / "build" / "python" / "bin" / "tiny"
        self.assertEqual(subprocess.check_output([script], text=True), "tiny runs\n")

    def test_what_was_interrupted_is_repaired(self):
        self.assertEqual(self.call("pages", python=KILLED_IN_VENV), -9)
        self.assertTrue((self.root / "build" / "python" / "bin" / "python").exists())
        self.assertEqual(self.call("pages", python=KILLED_IN_PIP), -9)
        self.assertTrue((self.root / "build" / "python" / "bin" / "pip").exists())
        self.assertFalse((self.root / "build" / "python" / "bin" / "tiny").exists())
        self.assertEqual(self.call("pages"), 0)
        self.assert_whole()

        kept = self.root / "build" / "python" / "kept"
        kept.touch()
        self.require("more", "missing==1")
        self.assertNotEqual(self.call("pages", "more"), 0)
        self.assertEqual(self.call("pages"), 0)
        self.assertTrue(kept.exists(), "an environment that works was made anew")
        self.assert_whole()

    def test_what_another_python_made_is_made_anew(self):
        python = self.root / "build" / "python"
        python.mkdir(parents=True)
        (python / "whole").write_text(f"Python 3.9.2 {self.root}\n")
        (python / "pages.txt").write_text((self.root / "pages" / "requirements.txt").read_text())
        self.assertEqual(self.call("pages"), 0)
        self.assert_whole()

    def test_a_pin_that_cannot_be_installed_is_named_and_why(self):
        self.require("pages_of_tomorrow", "tiny==2")
        failed = self.run_it("pages_of_tomorrow")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(
            failed.stderr,
            r"^pip could not install tiny==2, pinned in pages_of_tomorrow/requirements.txt: the "
            r"package index has none for Python [0-9.]+; the newest that runs there: 1\.\n"
            r"All that pip said is in build/pip.log. To try again, run the same command.\n$",
        )
        (self.root / "pages_of_tomorrow" / "requirements.txt").write_text(
            (self.root / "pages" / "requirements.txt").read_text()
        )
        self.assertEqual(self.call("pages_of_tomorrow"), 0)
        self.assert_whole()

    def record_hash(self, sha256):
        """As .ci/pip-hashes records the hash of a wheel for this Python."""
        (self.root / ".ci" / "hashes").mkdir(exist_ok=True)
        (self.root / ".ci" / "hashes" / "pages.txt").write_text(
            f"# Written by .ci/pip-hashes, for Python 2.7 {sys.version_info[0]}."
            f"{sys.version_info[1]}. Do not edit.\n--no-index\n--find-links {self.root}\n"
            f"tiny==1 \\\n    --hash=sha256:{sha256}\n"
        )

    def test_a_file_of_the_recorded_hash_is_installed(self):
        wheel = (self.root / "tiny-1-py3-none-any.whl").read_bytes()
        self.record_hash(hashlib.sha256(wheel).hexdigest())
        self.assertEqual(self.call("pages"), 0)
        self.assert_whole()

    def test_a_file_of_another_hash_is_refused(self):
        self.record_hash("0" * 64)
        failed = self.run_it("pages")
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn(
            "pip refused tiny==1: its file is not the one whose hash .ci/hashes records",
            failed.stderr,
        )
        self.assertFalse((self.root / "build" / "python" / "bin" / "tiny").exists())

    def test_another_python_than_those_of_the_hashes_has_the_pins(self):
        self.record_hash("0" * 64)
        path = self.root / ".ci" / "hashes" / "pages.txt"
        path.write_text(
            path.read_text().replace(f" {sys.version_info[0]}.{sys.version_info[1]}. ", " 2.6. ")
        )
        self.assertEqual(self.call("pages"), 0)
        self.assert_whole()

    def test_hashes_are_of_the_pinned_versions(self):
        done = subprocess.run(
            [SOURCES / ".ci" / "pip-hashes", "--check"], capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_index_out_of_reach_is_said(self):
        (self.root / "pages" / "requirements.txt").write_text("tiny==1\n")
        failed = self.run_it(
            "pages",
            PIP_INDEX_URL="http://127.0.0.1:1/",
            PIP_RETRIES="1",
            PIP_CONFIG_FILE=os.devnull,
            PIP_FIND_LINKS="",
        )
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn(
            "pip could not install tiny==1, pinned in pages/requirements.txt: the package index "
            "cannot be reached ([Errno 111] Connection refused).",
            failed.stderr,
        )


if __name__ == "__main__":
    unittest.main()
