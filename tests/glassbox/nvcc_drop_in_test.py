"""`glassbox nvcc` stands in nvcc's place: projects of several files, archives, libraries, CMake."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from tests.glassbox.own_program import GLASSBOX, outcome

# The second file's function is called from the first one's kernel.
MAIN = """
    #include <cstdio>
    #include "twice.cuh"
    __global__ void add(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]) + 1; }
    int main(int argc, char** argv) {
      float *x, h[64];
      cudaMalloc(&x, sizeof h);
      for (float& e : h) e = 3;
      cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
      add<<<1, 64>>>(x);
      cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
      cudaFree(x);
      printf("%g %s\\n", h[63], argc > 1 ? argv[1] : "");
    }
"""
TWICE = {
    "twice.cuh": "#pragma once\n__device__ float twice(float x);\n",
    "twice.cu": '#include "twice.cuh"\n__device__ float twice(float x) { return 2 * x; }\n',
}

# Each file has a constant, a function and a variable of its own, all of the same names.
SHARED_HEADER = """
    __constant__ float step[2];
    __device__ int calls;
    __device__ float next(float x) { ++calls; return x + step[0]; }
"""
OWN_NAMES = {
    "step.cuh": SHARED_HEADER,
    "a.cu": """
        #include "step.cuh"
        __global__ void first(float* x) { *x = next(*x); }
        void run_first(float* x) {
          const float one = 1;
          cudaMemcpyToSymbol(step, &one, sizeof one);
          first<<<1, 1>>>(x);
        }
    """,
    "b.cu": """
        #include <cstdio>
        #include "step.cuh"
        void run_first(float* x);
        extern "C" int three(void);
        __global__ void second(float* x) { *x = next(*x); }
        int main() {
          float* x;
          cudaMallocManaged(&x, sizeof *x);
          *x = 5;
          run_first(x);
          second<<<1, 1>>>(x);
          int count;
          cudaMemcpyFromSymbol(&count, calls, sizeof count);
          printf("%g %d %d\\n", *x, count, three());
          cudaFree(x);
        }
    """,
    "c.c": "int three(void) { int new = 3; return new; }\n",
}

RACE = """
    __global__ void shift(float* x) {
      extern __shared__ float tile[];
      __shared__ float other[64];
      tile[threadIdx.x] = x[threadIdx.x]; other[threadIdx.x] = threadIdx.x;
      x[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x] + other[threadIdx.x];
      if (threadIdx.x == 0) x[blockDim.x] = 0;
    }
    int main() {
      float* x;
      cudaMalloc(&x, 64 * sizeof(float));
      cudaMemset(x, 0, 64 * sizeof(float));
      shift<<<1, 64, 256>>>(x);
      cudaDeviceSynchronize();
    }
"""


class Project:
    """Files in a folder, and commands in it."""

    def __init__(self, files):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        for name, text in files.items():
            (self.folder / name).write_text(textwrap.dedent(text))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def run(self, *words, code=0, **variables):
        """Runs a command, whose exit code is known; returns what subprocess.run() does."""
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        if done.returncode != code:
            raise AssertionError(f"{words} ends with {done.returncode}: {done.stderr}")
        return done

    def nvcc(self, *words, code=0):
        """Of the glass box."""
        return self.run(GLASSBOX, "nvcc", *words, code=code)


class NvccTest(unittest.TestCase):
    """What is compiled and linked runs."""

    def test_device_functions_across_files(self):
        """With -rdc=true, also when a device link stands between."""
        with Project({"main.cu": MAIN, **TWICE}) as project:
            project.nvcc("-rdc=true", "-c", "twice.cu", "-O3", "-arch=sm_80", "-Xcompiler", "-Wall")
            project.nvcc("-dc", "main.cu", "-o", "main.o", "-std=c++14")
            project.nvcc("-dlink", "main.o", "twice.o", "-o", "link.o")
            project.nvcc("main.o", "twice.o", "link.o", "-o", "program", "-lcudart", "-lm")
            self.assertEqual(project.run("./program", "word").stdout, "7 word\n")
            # It needs none of its objects, and may go elsewhere.
            for name in ("main.o", "twice.o", "link.o"):
                (project.folder / name).unlink()
            (project.folder / "program").rename(project.folder / "other")
            done = project.run("./other", "word", GLASSBOX="check")
            self.assertEqual(done.stdout, "7 word\n")
            self.assertIn("add at main.cu:10", done.stderr)

    def test_names_of_each_file(self):
        """Without it, each object has its own; in objects, an archive and a library."""
        with Project(OWN_NAMES) as project:
            project.nvcc("a.cu", "b.cu", "c.c", "-o", "objects")
            project.nvcc("-lib", "a.cu", "-o", "liba.a")
            project.nvcc("b.cu", "c.c", "-L.", "-la", "-o", "archive")
            project.nvcc("-shared", "-Xcompiler", "-fPIC", "a.cu", "-o", "libs.so")
            project.nvcc("b.cu", "c.c", "libs.so", "-Xlinker", "-rpath,$ORIGIN", "-o", "library")
            for program in ("objects", "archive", "library"):
                self.assertEqual(project.run(f"./{program}").stdout, "6 1 3\n", program)
                checked = project.run(f"./{program}", GLASSBOX="check --json found.json")
                self.assertEqual(checked.stdout, "6 1 3\n", program)
                found = json.loads((project.folder / "found.json").read_text())
                kernels = [(one["kernel"], one["traced"]) for one in found["subjects"]]
                self.assertEqual(kernels, [("first", True), ("second", True)], program)

    def test_with_rdc_two_of_a_name_are_refused(self):
        """As nvcc's own linker refuses them."""
        with Project(OWN_NAMES) as project:
            done = project.nvcc("-rdc=true", "a.cu", "b.cu", "c.c", "-o", "program", code=1)
            self.assertIn("multiple definition of `step'", done.stderr)

    def test_findings_are_those_of_check(self):
        """A program that was linked in one way and in the other."""
        files = {"my.cu": RACE}
        with Project(files) as project:
            project.nvcc("my.cu", "-o", "program")
            project.run("./program", code=1, GLASSBOX="check --json found.json")
            found = json.loads((project.folder / "found.json").read_text())
            project.run("./program", GLASSBOX="trace --html page.html --json t.json", code=1)
            self.assertIn("</html>", (project.folder / "page.html").read_text())
            lines = json.loads((project.folder / "t.json").read_text())["subjects"][0]["lines"]
            self.assertEqual({line["line"] for line in lines}, {5, 6, 7})
        expected = outcome(RACE, verb=["check"]).found
        self.assertEqual(found["subjects"], expected["subjects"])
        self.assertEqual(found["findings"], expected["findings"])
        codes = {fault["code"] for fault in found["subjects"][0]["findings"]}
        self.assertIn("race-in-shared-memory", codes)

    def test_errors_name_the_line(self):
        """Of the compiler, of what nvcc refuses, of the linker."""
        with Project({"bad.cu": "int main() {\n  return none;\n}\n"}) as project:
            self.assertIn("bad.cu:2:", project.nvcc("-c", "bad.cu", code=1).stderr)
            self.assertFalse((project.folder / "bad.o").exists())
        with Project({"main.cu": MAIN, **TWICE}) as project:
            project.nvcc("-dc", "main.cu")
            self.assertIn("twice", project.nvcc("main.o", code=1).stderr)
        no_thrust = "#include <thrust/sort.h>\nint main() {}\n"
        with Project({"my.cu": no_thrust}) as project:
            self.assertIn("my.cu:1", project.nvcc("my.cu", code=1).stderr)

    def test_libraries_of_cuda(self):
        """Those that there are, and a sentence for one that there is not."""
        source = """
            #include <cublas_v2.h>
            int main() { cublasHandle_t h; return cublasCreate(&h); }
        """
        with Project({"my.cu": source}) as project:
            done = project.nvcc("my.cu", "-lcublas", "-lcurand", "-lcudart_static", "-lcuda")
            self.assertEqual(done.stderr.count("cuRAND"), 1)
            project.run("./a.out")

    def test_preprocessor_and_dependencies(self):
        """-E, -M, and -MD with its friends."""
        with Project({"main.cu": MAIN, **TWICE}) as project:
            self.assertIn("twice(float x)", project.nvcc("-E", "main.cu").stdout)
            project.nvcc("-M", "main.cu", "-o", "m.d")
            project.nvcc("-dc", "-MD", "-MT", "x.o", "-MF", "x.d", "main.cu", "-o", "x.o")
            project.nvcc("-dc", "-MMD", "main.cu")
            for file, target in (("m.d", "main.o"), ("x.d", "x.o"), ("main.d", "main.o")):
                text = (project.folder / file).read_text()
                self.assertTrue(text.startswith(f"{target}:"), text)
                self.assertIn(" twice.cuh", text)

    def test_what_a_program_asks_of_its_compiler(self):
        """nvcc's own macros, and ours."""
        source = """
            #if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 12
            #error
            #endif
            #ifndef __GLASSBOX__
            #error
            #endif
            __global__ void k(int* x) { *x = __CUDA_ARCH__; }
            int main() {
              int* x;
              cudaMallocManaged(&x, sizeof *x);
              k<<<1, 1>>>(x);
              cudaDeviceSynchronize();
              return *x == 860 ? 0 : 1;
            }
        """
        with Project({"my.cu": source}) as project:
            project.nvcc("my.cu", "-arch=sm_86", "-run")

    def test_refusals(self):
        """Unknown options by name; what asks for code of a GPU."""
        with Project({"my.cu": "int main() {}\n"}) as project:
            self.assertIn("--nope", project.nvcc("--nope", "my.cu", code=1).stderr)
            self.assertIn("-ptx", project.nvcc("-ptx", "my.cu", code=1).stderr)
            self.assertIn("release 12", project.nvcc("--version").stdout)
            project.nvcc("my.cu", "-o", "program")
            self.assertIn("no_verb", project.run("./program", GLASSBOX="no_verb", code=2).stderr)


class ProjectsTest(unittest.TestCase):
    """Makefiles and CMake that know nothing of the glass box."""

    def test_make(self):
        """nvcc compiles, g++ compiles the host's part and links."""
        makefile = """
            CUDA_PATH ?= /usr/local/cuda
            program: a.o b.o c.o host.o
            \tg++ -o $@ $^ -L$(CUDA_PATH)/lib64 -lcudart
            %.o: %.cu
            \tnvcc -c $< -o $@ -I$(CUDA_PATH)/include -gencode arch=compute_35,code=sm_35
            %.o: %.c
            \tgcc -c $< -o $@
            %.o: %.cpp
            \tg++ -std=c++11 -Wall -c $< -o $@ -I$(CUDA_PATH)/include
        """
        host = """
            #include <cuda_runtime.h>
            #include <iostream>
            struct Start { Start() { std::cout << cudaGetLastError() << std::endl; } } start;
        """
        files = {**OWN_NAMES, "host.cpp": host, "Makefile": makefile}
        with Project(files) as project:
            project.run(GLASSBOX, "with", "make", "-j2")
            self.assertEqual(project.run("./program").stdout, "0\n6 1 3\n")
            project.run("./program", GLASSBOX="check")

    def test_cmake(self):
        """CMake's CUDA language, with an archive, a library and separable compilation."""
        lists = """
            cmake_minimum_required(VERSION 3.18)
            project(own LANGUAGES C CXX CUDA)
            find_package(CUDAToolkit REQUIRED)
            add_library(first STATIC a.cu)
            add_executable(program b.cu c.c)
            target_link_libraries(program first)
            add_library(shared SHARED a.cu)
            add_executable(other b.cu c.c)
            target_link_libraries(other shared CUDA::cublas)
            add_executable(separate main.cu twice.cu)
            set_target_properties(separate PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
        """
        with Project({**OWN_NAMES, "main.cu": MAIN, **TWICE, "CMakeLists.txt": lists}) as project:
            project.run(GLASSBOX, "with", "cmake", "-S.", "-Bout", "-GNinja")
            project.run("cmake", "--build", "out")
            for program, output in (
                ("program", "6 1 3\n"),
                ("other", "6 1 3\n"),
                ("separate", "7 \n"),
            ):
                for choice in ("", "check"):
                    done = project.run(f"out/{program}", GLASSBOX=choice)
                    self.assertEqual(done.stdout, output)


if __name__ == "__main__":
    unittest.main()
