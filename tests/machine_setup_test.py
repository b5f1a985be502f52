"""`.ci/install` and `.ci/cuda`: what a fresh machine is told, which nvcc is taken. No network."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from tests import SOURCES

NVCC = """#!/bin/sh
echo "Cuda compilation tools, release {release}, V{release}.1"
"""
# The folders of NVIDIA's wheels, with an nvcc that is a script.
WHEEL = {
    "nvidia/cu13/bin/nvcc": NVCC.format(release="13.0"),
    "nvidia/cu13/lib/libcublas.so.13": "",
    "tiny_cuda-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny-cuda\nVersion: 1\n",
    "tiny_cuda-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


class FreshMachine(unittest.TestCase):
    """A folder with the scripts, and programs that stand in for those of the machine."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(SOURCES / ".ci", self.root / ".ci")
        self.programs = self.root / "programs"
        self.programs.mkdir()
        (self.root / "build").mkdir()

    def stand_in(self, name, text):
        path = self.programs / name
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def call(self, script, *words, **environment):
        path = f"{self.programs}:/usr/sbin:/usr/bin:/sbin:/bin"
        return subprocess.run(
            [self.root / ".ci" / script, *words],
            cwd=self.root,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path, "CUDA_HOME": "/nowhere", **environment},
            check=False,
        )


class Install(FreshMachine):
    def setUp(self):
        super().setUp()
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("apt-get", f'echo "$*" >>{self.root}/apt')

    def test_without_root_rights_one_line_to_copy_is_printed(self):
        self.stand_in("id", "echo 1000")
        for sudo in ("exit 1", "exit 127"):  # asks for a password; is not there
            self.stand_in("sudo", sudo)
            done = self.call("install", "g++", "cmake")
            self.assertEqual(done.returncode, 1)
            self.assertIn(
                "\n  sudo apt-get update && "
                "sudo apt-get install -y --no-install-recommends g++ cmake\n",
                done.stderr,
            )
        self.assertFalse((self.root / "apt").exists())

    def test_the_line_works_as_typed(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", '[ "$1" != -n ] && exec "$@"')
        command = self.call("install", "g++", "cmake").stderr.splitlines()[1]
        subprocess.run(
            command,
            shell=True,
            check=True,
            env={**os.environ, "PATH": f"{self.programs}:/usr/bin:/bin"},
        )
        self.assertEqual(
            (self.root / "apt").read_text(),
            "update\ninstall -y --no-install-recommends g++ cmake\n",
        )

    def test_root_installs(self):
        self.stand_in("id", "echo 0")
        done = self.call("install", "g++")
        self.assertEqual((done.returncode, done.stdout), (0, "Installing: g++\n"))
        self.assertIn("install -y --no-install-recommends g++\n", (self.root / "apt").read_text())


class Cuda(FreshMachine):
    def setUp(self):
        super().setUp()
        with zipfile.ZipFile(self.root / "tiny_cuda-1-py3-none-any.whl", "w") as wheel:
            for name, text in WHEEL.items():
                info = zipfile.ZipInfo(name)
                info.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
                wheel.writestr(info, text)
            record = "".join(f"{name},,\n" for name in WHEEL) + "tiny_cuda-1.dist-info/RECORD,,\n"
            wheel.writestr("tiny_cuda-1.dist-info/RECORD", record)
        (self.root / ".ci" / "cuda-13.txt").write_text(
            f"--no-index\n--find-links {self.root}\ntiny-cuda==1\n"
        )

    def call_with_driver(self, known_cuda, *words):
        subprocess.check_call(
            [
                "c++",
                "-shared",
                "-fPIC",
                f"-DKNOWN_CUDA={known_cuda}",
                SOURCES / "tests/ladder/program/made_up_driver.cpp",
                "-o",
                self.root / "libcuda.so.1",
            ]
        )
        return self.call("cuda", *words, LD_LIBRARY_PATH=str(self.root))

    def nvcc(self, **environment):
        return self.call("cuda", "nvcc", **environment).stdout.strip()

    def test_the_first_nvcc_that_is_new_enough_is_taken(self):
        self.assertEqual(self.nvcc(), "")
        self.stand_in("nvcc", NVCC.format(release="12.4"))
        self.assertEqual(self.nvcc(), "")
        home = self.root / "cuda" / "bin"
        home.mkdir(parents=True)
        shutil.copy(self.programs / "nvcc", home)
        (home / "nvcc").write_text(NVCC.format(release="12.8"))
        self.assertEqual(self.nvcc(CUDA_HOME=str(home.parent)), str(home / "nvcc"))
        self.stand_in("nvcc", NVCC.format(release="13.1"))
        self.assertEqual(self.nvcc(CUDA_HOME=str(home.parent)), str(self.programs / "nvcc"))
        self.assertEqual(self.nvcc(CUDACXX=str(home / "nvcc")), str(home / "nvcc"))

    def test_without_a_driver_nothing_is_fetched_or_said(self):
        done = self.call("cuda", "install")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        self.stand_in("nvcc", NVCC.format(release="12.4"))
        self.assertEqual(
            self.call("cuda", "install").stdout,
            "Found CUDA 12.4; the GPU needs 12.8 or newer.\nBuilding for the CPU alone.\n",
        )

    def test_a_driver_of_cuda_13_gets_its_compiler_once(self):
        done = self.call_with_driver(13010, "install")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("an NVIDIA driver (for CUDA 13.1) and no nvcc of", done.stdout)
        self.assertIn("from PyPI into build/cuda-13: 0.5 GB, 0.9 GB on disk, once.", done.stdout)
        toolkit = self.root / "build" / "cuda-13"
        self.assertEqual(self.nvcc(), str(toolkit / "bin" / "nvcc"))
        self.assertTrue((toolkit / "lib64" / "libcublas.so").exists())
        done = self.call_with_driver(13010, "install")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_an_older_driver_is_told_what_it_takes(self):
        for known, knows, toolkit in ((12080, "12.8", True), (12020, "12.2", False)):
            done = self.call_with_driver(known, "install")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"The NVIDIA driver knows CUDA {knows}, and there is no", done.stdout)
            self.assertIn("Update the driver to 580 or newer", done.stdout)
            self.assertEqual("install the CUDA Toolkit 12.8" in done.stdout, toolkit)
            self.assertIn("Building for the CPU alone.", done.stdout)

    def test_a_download_that_fails_names_the_pin_and_the_way_without(self):
        (self.root / ".ci" / "cuda-13.txt").write_text("--no-index\ntiny-cuda==9\n")
        done = self.call_with_driver(13000, "install")
        self.assertEqual(done.returncode, 1)
        self.assertIn("pip could not install tiny-cuda==9, pinned in .ci/cuda-13.txt", done.stderr)
        self.assertIn("to do without, run make CUDA=OFF.", done.stderr)
        self.assertEqual(self.nvcc(), "")


class Make(FreshMachine):
    """What each target installs before it builds."""

    def installed_by(self, target):
        shutil.copy(SOURCES / "Makefile", self.root)
        done = subprocess.run(
            ["make", "--dry-run", "CUDA=OFF", target],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.partition(".ci/install ")[2].partition("\n")[0].split()

    def test_a_build_needs_the_compiler_and_no_browser(self):
        self.assertIn("g++", self.installed_by("climb"))
        self.assertNotIn("chromium", self.installed_by("climb"))

    def test_the_tests_need_googletest_and_what_the_site_needs_too(self):
        self.assertLessEqual(
            {"g++", "libgtest-dev", "chromium", "doxygen"}, set(self.installed_by("test"))
        )


if __name__ == "__main__":
    unittest.main()
