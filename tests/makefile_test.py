"""What make calls: a tree keeps its choice of CUDA; a moved one is built anew; where things go.

cmake, ninja, nvcc and apt are stand-ins.
"""

import os
import pathlib
import re
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


class Make(unittest.TestCase):
    """A copy of the Makefile in a folder of its own."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(SOURCES / "Makefile", self.root)
        shutil.copytree(SOURCES / ".ci", self.root / ".ci")
        self.stand_in("cmake", CMAKE)
        self.stand_in("ninja", "#!/bin/sh\necho no work to do\n")
        self.stand_in("dpkg-query", "#!/bin/sh\necho install ok installed\n")

    def stand_in(self, name, text):
        path = self.root / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def make(self, *words):
        """(exit code, what is said, [the calls of cmake]) of make."""
        calls = self.root / "calls"
        calls.write_text("")
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "CUDA"))
        }
        done = subprocess.run(
            ["make", "-s", *words],
            cwd=self.root,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **environment,
                "CUDA_HOME": "/nowhere",
                "PATH": f"{self.root}/programs:/usr/sbin:/usr/bin:/sbin:/bin",
            },
        )
        return done.returncode, done.stdout, calls.read_text().splitlines()

    def configured(self, *words):
        """What `make configured` tells cmake of CUDA: 'ON', 'OFF', or nothing at all."""
        code, said, calls = self.make("configured", *words)
        self.assertEqual(code, 0, said)
        found = re.findall(r"-DLADDER_CUDA=(\w+)", "".join(calls))
        return found[-1] if found else None

    def test_a_choice_holds_until_another_is_made(self):
        self.stand_in("nvcc", NVCC)
        self.assertEqual(self.configured("CUDA=OFF"), "OFF")
        self.assertIsNone(self.configured(), "configured again")
        self.assertEqual(self.configured("CUDA=ON"), "ON")
        self.assertIsNone(self.configured())

    def test_a_choice_of_what_was_found_anyway_holds(self):
        self.assertEqual(self.configured(), "OFF")
        self.assertEqual(self.configured("CUDA=OFF"), "OFF")
        self.stand_in("nvcc", NVCC)
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

    def built_as(self, folder):
        """A build that CMake has made in this folder, without CUDA, as that was chosen."""
        build = self.root / "build"
        shutil.rmtree(build, ignore_errors=True)
        for name in ("python/whole", "cuda-13/nvcc", "objects/old.o", "build.ninja", "ladder"):
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).touch()
        (build / "ladder").chmod(0o755)
        (build / "CMakeCache.txt").write_text(
            f"CMAKE_HOME_DIRECTORY:INTERNAL={folder}\nLADDER_CUDA:BOOL=OFF\n"
        )

    def test_a_tree_that_was_moved_is_built_anew(self):
        """Also a copy, whose original is there; what was chosen and fetched stays."""
        self.stand_in("nvcc", NVCC)
        original = tempfile.TemporaryDirectory()
        self.addCleanup(original.cleanup)
        for elsewhere in ("/root/gone", original.name):
            self.built_as(elsewhere)
            code, said, calls = self.make("build")
            self.assertEqual(code, 0, said)
            self.assertIn(f"This folder was built as {elsewhere}, and", said)
            self.assertIn("The first build takes some minutes", said)
            self.assertIn("-DLADDER_CUDA=OFF", calls[0])
            kept = {path.name for path in (self.root / "build").iterdir()}
            self.assertEqual(kept, {"python", "cuda-13", "build.ninja", "CMakeCache.txt"})

    def test_a_tree_that_stayed_is_not_built_anew(self):
        """Also one that is reached by another path, or whose build lies elsewhere."""
        other = self.root.with_name(self.root.name + "-link")
        other.symlink_to(self.root)
        self.addCleanup(other.unlink)
        self.stand_in("cmake", CMAKE)
        for known in (self.root, other):
            self.built_as(known)
            code, said, _ = self.make("build")
            self.assertEqual((code, said), (0, ""))
            self.assertTrue((self.root / "build/objects/old.o").exists())
        elsewhere = self.root / "large-disk"
        self.built_as("/root/gone")
        (self.root / "build").rename(elsewhere)
        (self.root / "build").symlink_to(elsewhere)
        self.assertNotIn("was built as", self.make("configured")[1])
        self.assertTrue((elsewhere / "objects/old.o").exists())

    def test_install_says_where_and_takes_a_folder_from_here(self):
        code, said, calls = self.make("install", "PREFIX=here")
        self.assertEqual(code, 0, said)
        self.assertEqual(calls[-1], f"--install build --prefix {self.root}/here")
        self.assertIn("bin/ladder", said)
        self.assertEqual(self.make("install")[2][-1], "--install build --prefix /usr/local")

    def test_an_installation_that_fails_says_what_to_do(self):
        self.stand_in("cmake", CMAKE + '[ "$1" != --install ]\n')
        code, said, _ = self.make("install")
        self.assertEqual(code, 2)
        self.assertIn("PREFIX=~/.local", said)
        self.assertNotIn("Installed", said)


if __name__ == "__main__":
    unittest.main()
