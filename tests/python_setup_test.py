"""`.ci/python`: what was interrupted is repaired by the next call. Needs no network."""

import os
import pathlib
import shutil
import subprocess
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
        shutil.copy(SOURCES / ".ci" / "python", self.root / ".ci")
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
        path = os.environ["PATH"]
        if python:
            stand_in = self.root / "stand_in" / "python3"
            stand_in.parent.mkdir(exist_ok=True)
            stand_in.write_text(python.format(python=shutil.which("python3")))
            stand_in.chmod(0o755)
            path = f"{stand_in.parent}:{path}"
        return subprocess.run(
            [".ci/python", *folders], cwd=self.root, env={**os.environ, "PATH": path},
            capture_output=True, check=False,
        ).returncode

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


if __name__ == "__main__":
    unittest.main()
