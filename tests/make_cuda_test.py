"""`make CUDA=`: a tree keeps what was chosen for it. cmake, nvcc and apt are stand-ins."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests import SOURCES

# Writes down what it is told, as cmake does in its cache.
CMAKE = """#!/bin/sh
echo "$@" >>calls
mkdir -p build
touch build/build.ninja
for word; do
  case $word in -D*) word=${word#-D}; echo "${word%%=*}:BOOL=${word#*=}" ;; esac
done >build/CMakeCache.txt
"""
NVCC = '#!/bin/sh\necho "Cuda compilation tools, release 12.8, V12.8.1"\n'


class ChoiceOfCuda(unittest.TestCase):
    """A copy of the Makefile in a folder of its own."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(SOURCES / "Makefile", self.root)
        shutil.copytree(SOURCES / ".ci", self.root / ".ci")
        self.stand_in("cmake", CMAKE)
        self.stand_in("dpkg-query", "#!/bin/sh\necho install ok installed\n")

    def stand_in(self, name, text):
        path = self.root / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def configured(self, *words):
        """What `make configured` tells cmake of CUDA: 'ON', 'OFF', or nothing at all."""
        calls = self.root / "calls"
        calls.write_text("")
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "CUDA"))
        }
        subprocess.run(
            ["make", "-s", "configured", *words],
            cwd=self.root,
            check=True,
            stdin=subprocess.DEVNULL,
            env={
                **environment,
                "CUDA_HOME": "/nowhere",
                "PATH": f"{self.root}/programs:/usr/sbin:/usr/bin:/sbin:/bin",
            },
        )
        found = [word for word in calls.read_text().split() if word.startswith("-DLADDER_CUDA=")]
        return found[-1].partition("=")[2] if found else None

    def test_a_choice_holds_until_another_is_made(self):
        self.stand_in("nvcc", NVCC)
        self.assertEqual(self.configured("CUDA=OFF"), "OFF")
        self.assertIsNone(self.configured(), "configured again")
        self.assertEqual(self.configured("CUDA=ON"), "ON")
        self.assertIsNone(self.configured())

    def test_what_cmake_was_told_without_make_holds_too(self):
        self.stand_in("nvcc", NVCC)
        (self.root / "build").mkdir()
        (self.root / "build" / "build.ninja").touch()
        (self.root / "build" / "CMakeCache.txt").write_text("LADDER_CUDA:BOOL=OFF\n")
        self.assertIsNone(self.configured())

    def test_without_a_choice_a_new_nvcc_is_taken(self):
        self.assertEqual(self.configured(), "OFF")
        self.assertIsNone(self.configured())
        self.stand_in("nvcc", NVCC)
        self.assertEqual(self.configured(), "ON")
        self.assertIsNone(self.configured())


if __name__ == "__main__":
    unittest.main()
