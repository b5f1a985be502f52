"""`make install`: what is installed works for another user, in any folder, without the checkout.

The installation is moved before it is used. Where mount namespaces are allowed, the sources and the
build are not there for the programs; where the test runs as root, `nobody` runs them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import tomllib

from tests import SOURCES

BUILD = pathlib.Path(os.environ.get("LADDER_BUILD", SOURCES / "build"))
NOBODY = 65534
# Runs "$@" where the folders $1 (build) and $2 (sources, which may be around it) are empty.
HIDDEN = 'for folder in "$1" "$2"; do mount -t tmpfs none "$folder"; done; shift 2; exec "$@"'
RACE = textwrap.dedent("""\
    #include <cooperative_groups.h>
    #include <cstdio>
    __global__ void rotate(int* out) {
      __shared__ int s[64];
      s[threadIdx.x] = threadIdx.x;
      out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
    }
    int main() {
      int* out;
      cudaMallocManaged(&out, 64 * sizeof(int));
      rotate<<<1, 64>>>(out);
      cudaDeviceSynchronize();
      std::printf("%d\\n", out[0]);
      cudaFree(out);
    }
    """)
PROJECT = textwrap.dedent("""\
    cmake_minimum_required(VERSION 3.25)
    project(doubled CXX)
    find_package(gemm_ladder 0.2 REQUIRED)
    add_emulated_library(kernels TRACED EXPORT double_all SOURCES double.cu)
    add_executable(doubled main.cpp)
    target_link_libraries(doubled PRIVATE kernels)
    """)
KERNEL = textwrap.dedent("""\
    #include "common/launch.cuh"
    #include "common/ptx/cp_async.cuh"
    #include <cooperative_groups.h>
    __global__ void double_each(float* x) { x[threadIdx.x] *= 2; }
    extern "C" void double_all(float* x) {
      ladder::launch(double_each, {.grid = 1, .block = 32}, x);
    }
    """)
MAIN = textwrap.dedent("""\
    #include <cstdio>
    #include "emulator/trace/trace.hpp"
    extern "C" void double_all(float* x);
    int main() {
      alignas(256) static float x[32] = {21};
      const auto traced = ladder::emulator::trace({{"x", x, sizeof x}}, [] { double_all(x); });
      std::printf("%g at %s\\n", x[0], traced.lines.at(0).file.c_str());
    }
    """)


def can_hide():
    """Whether this user may have mounts of its own."""
    words = [
        "unshare",
        *([] if os.geteuid() == 0 else ["-r"]),
        "-m",
        "mount",
        "-t",
        "tmpfs",
        "none",
        "/mnt",
    ]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def programs():
    """The installed programs, by their targets in CMake."""
    return ("ladder", "glassbox", "memory_lab")


class Targets(unittest.TestCase):
    """What `make install` and `pip install .` build."""

    def test_they_are_all_that_an_installation_needs(self):
        """Else the installation ends with an error where nothing more was built."""
        described = tomllib.loads((SOURCES / "pyproject.toml").read_text())
        self.assertEqual(described["tool"]["scikit-build"]["build"]["targets"], list(programs()))
        asked = ["ninja", "-C", BUILD, "-t", "inputs", *programs()]
        built = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
        built += programs()
        installed = re.compile(r'TYPE (?:EXECUTABLE|SHARED_LIBRARY) FILES "([^"]+)"')
        files = [
            os.path.relpath(name, BUILD.resolve())
            for script in (BUILD / "objects").rglob("cmake_install.cmake")
            for name in installed.findall(script.read_text())
        ]
        self.assertIn("ladder", files)
        self.assertIn("lib/libladder_emulator.so", files)
        self.assertEqual([name for name in files if name not in built], [])


class Install(unittest.TestCase):
    """One installation for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.root.chmod(0o755)
        subprocess.run(
            ["cmake", "--install", BUILD, "--prefix", "/first"],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "DESTDIR": str(cls.root)},
        )
        cls.prefix = cls.root / "moved"
        (cls.root / "first").rename(cls.prefix)
        cls.home = cls.root / "home"
        cls.home.mkdir()
        cls.hides = can_hide()
        if os.geteuid() == 0:
            os.chown(cls.home, NOBODY, NOBODY)

    def run_there(self, *words, **environment):
        """(exit code, what it prints) as another user who has no checkout."""
        before = []
        if self.hides:
            before = [
                "unshare",
                *([] if os.geteuid() == 0 else ["-r"]),
                "-m",
                "sh",
                "-ec",
                HIDDEN,
                "sh",
                BUILD,
                SOURCES,
            ]
        if os.geteuid() == 0:
            before += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        done = subprocess.run(
            [*before, *words],
            cwd=self.home,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "HOME": str(self.home),
                "PATH": f"{self.prefix}/bin:/usr/bin:/bin",
                "TMPDIR": str(self.home),
                "LANG": "C.UTF-8",
                **environment,
            },
        )
        return done.returncode, done.stdout

    def good(self, *words):
        """What a command prints that must succeed."""
        code, text = self.run_there(*words)
        self.assertEqual(code, 0, text)
        return text

    def write(self, name, text):
        path = self.home / name
        path.write_text(text)
        path.chmod(0o644)
        return name

    def test_the_checkout_is_out_of_reach(self):
        if not self.hides:
            self.skipTest("mount namespaces are not allowed here")
        self.assertNotEqual(self.run_there("cat", str(SOURCES / "Makefile"))[0], 0)
        self.assertNotEqual(self.run_there("ls", str(BUILD / "ladder"))[0], 0)

    def test_every_rung_is_verified_and_quotes_recorded_figures(self):
        text = self.good("ladder", "climb", "--no-timing", "--size", "64", "--device", "cpu")
        rows = re.findall(r"^\d\d \w+ +yes .* (\d+\.\d) %$", text, re.M)
        self.assertGreater(len(rows), 10, text)

    def test_check_and_trace_know_the_sources_of_a_rung(self):
        self.assertIn("right, no hazards", self.good("ladder", "check", "03", "--size", "64"))
        text = self.good("ladder", "trace", "03", "--size", "64")
        self.good("ladder", "trace", "03", "--size", "64", "--html", "page.html")
        self.assertNotIn("never profiled", text)
        source = (SOURCES / "ladder/03_shared_tile/kernel.cuh").read_text()
        line = next(line for line in source.splitlines() if "acc +=" in line)
        self.assertIn(line.strip()[:40], text)
        self.assertIn("ladder/03_shared_tile/kernel.cuh", (self.home / "page.html").read_text())

    def test_predictions_are_kept_in_the_home_of_the_user(self):
        self.good("ladder", "predict", "03", "--answers", "1.5,2")
        self.assertTrue((self.home / ".local/share/gemm_ladder/predictions.json").is_file())
        self.assertEqual(
            self.run_there("ladder", "predict", "03", "--answers", "1,2", HOME="")[0], 2
        )

    def test_glassbox_compiles_runs_and_checks_a_program(self):
        name = self.write("race.cu", RACE)
        code, text = self.run_there("glassbox", "check", name, "--html", "race.html")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"race: .* at race\.cu:\d")
        self.assertIn("__shared__ int s[64];", (self.home / "race.html").read_text())
        name = self.write("wrong.cu", "__global__ void f() { int x = unknown; }\nint main() {}\n")
        code, text = self.run_there("glassbox", name)
        self.assertEqual((code, "wrong.cu:1:" in text), (2, True), text)
        name = self.write(
            "blas.cu",
            "#include <cublas_v2.h>\nint main() { cublasHandle_t h; "
            "return cublasCreate(&h) != CUBLAS_STATUS_SUCCESS; }\n",
        )
        self.good("glassbox", "run", name)

    def test_a_program_may_include_every_cuda_header(self):
        headers = {
            str(file.relative_to(folder))
            for room in ("glassbox", "emulator")
            for folder in [SOURCES / room / "cuda_headers"]
            for file in folder.rglob("*")
            if file.is_file()
        }
        self.assertIn("cuda/std/array", headers)
        lines = [f"#include <{name}>\n" for name in sorted(headers)]
        name = self.write("headers.cu", "".join(lines) + "int main() {}\n")
        self.good("glassbox", "run", name)

    def test_memory_lab_counts_and_says_what_it_lacks(self):
        self.assertIn("GEMM Ladder", self.good("memory_lab", "run", "shared_memory", "--quick"))
        code, text = self.run_there("memory_lab", "run", "toolchain")
        self.assertEqual((code, "clone" in text), (2, True), text)

    def test_every_program_tells_the_same_version(self):
        told = {self.good(program, "--version") for program in programs()}
        self.assertEqual(len(told), 1, told)
        self.assertRegex(
            told.pop(), r"^GEMM Ladder \d+\.\d+\.\d+, commit [\w.-]+(: built without git)?\n$"
        )

    def test_without_its_data_an_installation_says_so(self):
        data = self.prefix / "share/gemm_ladder/common/devices"
        away = data.with_name("away")
        data.rename(away)
        self.addCleanup(away.rename, data)
        code, text = self.run_there("ladder", "trace", "03", "--size", "64")
        self.assertEqual(code, 2, text)
        self.assertIn("share/gemm_ladder/common/devices", " ".join(text.split()).replace(" ", ""))
        self.assertNotIn("standard output", text)

    def test_another_project_finds_the_emulator(self):
        for name, text in (("CMakeLists.txt", PROJECT), ("double.cu", KERNEL), ("main.cpp", MAIN)):
            self.write(name, text)
        self.good("cmake", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.good("cmake", "--build", "made")
        self.assertEqual(self.good("made/doubled"), f"42 at {self.home}/double.cu\n")


if __name__ == "__main__":
    unittest.main()
