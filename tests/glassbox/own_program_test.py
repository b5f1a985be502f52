"""A whole CUDA program runs as a program of its own."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from tests.glassbox.own_program import GLASSBOX, faults, glassbox, launches, outcome

DOUBLE = """
    #include <cstdio>
    #include <cstring>
    #include <vector>

    template <class T>
    __global__ void scale(T* x, T factor, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= factor;
    }

    int main(int argc, char** argv) {
      const int n = 1000;
      std::vector<float> x(n, 2.5f);
      float* d_x;
      cudaMalloc(&d_x, n * sizeof(float));
      cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
      dim3 blockDim(128), gridDim((n + 127) / 128);
      scale<float><<<gridDim, blockDim>>>(d_x, 3, n);
      cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
      cudaFree(d_x);
      std::printf("%g %s\\n", x[n - 1], argc > 1 ? argv[1] : "nothing");
      std::fprintf(stderr, "an error\\n");
      return argc > 1 ? static_cast<int>(std::strlen(argv[1])) : 0;
    }
"""


ARCHITECTURE = """
    #include <cstdio>

    __host__ __device__ int where() {
    #ifdef __CUDA_ARCH__
      return 1;
    #else
      return 2;
    #endif
    }

    __global__ void tell(int* out) {
    #if __CUDA_ARCH__ >= 700
      *out = __CUDA_ARCH__ + where();
    #endif
    }

    int main() {
      int* out;
      cudaMallocManaged(&out, sizeof(int));
      *out = 0;
      tell<<<1, 1>>>(out);
      cudaDeviceSynchronize();
      std::printf("%d %d\\n", *out, where());
      cudaFree(out);
    }
"""


class OwnProgramTest(unittest.TestCase):
    """Output, exit code, arguments, files."""

    def test_kernels_see_the_cards_architecture(self):
        """They would be empty without it; the host sees none, and a function of both its caller's."""
        self.assertEqual(outcome(ARCHITECTURE, verb=["run"]).stdout, "901 2\n")
        result = outcome(ARCHITECTURE, "--gpu", "rtx4090", verb=["run"])
        self.assertEqual(result.stdout, "891 2\n", result.stderr)

    def test_a_program_ends_with_a_glass_box_that_was_killed(self):
        """Nobody would stop it otherwise."""
        source = """
            #include <cstdio>
            #include <unistd.h>
            int main() {
              std::printf("%d\\n", getpid());
              std::fflush(stdout);
              sleep(60);
            }
        """
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "my.cu")
            path.write_text(source)
            with subprocess.Popen(
                [GLASSBOX, "run", path],
                stdout=subprocess.PIPE,
                env={**os.environ, "TMPDIR": folder},
            ) as box:
                program = int(box.stdout.readline())
                box.kill()
                # The program holds the other end of the pipe as long as it lives.
                self.assertEqual(box.stdout.read(), b"")
            for _ in range(100):
                if not pathlib.Path(f"/proc/{program}").exists():
                    return
                time.sleep(0.02)
            state = pathlib.Path(f"/proc/{program}/stat").read_text().split()[2]
            self.assertEqual(state, "Z", "killed, and not yet waited for by init")

    def test_output_and_exit_code_are_the_programs(self):
        """With and without a trace."""
        for verb in ([], ["run"]):
            result = outcome(DOUBLE, verb=verb, program_words=["seven"])
            self.assertEqual(result.stdout, "7.5 seven\n")
            self.assertEqual(result.returncode, 5)
            self.assertIn("an error\n", result.stderr)
            self.assertEqual((len(launches(result)), faults(result)), (0 if verb else 1, []))

    def test_lines_are_counted(self):
        """A coalesced load and store: four sectors each."""
        result = outcome(DOUBLE, verb=["trace"])
        self.assertEqual(result.returncode, 0)
        (launch,) = launches(result)
        self.assertEqual(
            (launch["kernel"], launch["line"], launch["findings"]), ("scale<float>", 19, [])
        )
        (load,) = [line for line in launch["lines"] if line["operation"] == "global load"]
        self.assertEqual(
            (load["array"], load["access_bytes"], load["requests"], load["sectors"]),
            ("d_x", 4, 32, 125),
        )

    def test_json_has_the_launch_and_where_it_comes_from(self):
        """Kernel, line, counts, context."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my.cu").write_text(DOUBLE)
            result = glassbox(["check", "my.cu", "--json", "found.json", "--gpu", "t4"], folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = json.loads(pathlib.Path(folder, "found.json").read_text())
        (launch,) = found["subjects"]
        self.assertEqual(
            (launch["kernel"], launch["file"], launch["line"]), ("scale<float>", "my.cu", 19)
        )
        self.assertEqual(launch["launch"]["blocks"], 8)
        self.assertEqual({line["array"] for line in launch["lines"]}, {"d_x"})
        self.assertEqual(found["card"]["id"], "t4")
        context = found["context"]
        told = f"GEMM Ladder {context['version']}, "
        self.assertTrue(any(line.startswith(told) for line in result.stderr.splitlines()))

    def test_several_files_headers_and_definitions(self):
        """Launches in a header, a folder with -I, a constant with -D, another source."""
        result = outcome(
            """
            #include <cstdio>
            #include "parts/kernel.cuh"
            #include <shared.h>
            int other();
            int main() {
              fill_with(VALUE);
              std::printf("%d %d %d\\n", filled, other(), kShared);
            }
            """,
            "other.cpp",
            "-I",
            "include",
            "-D",
            "VALUE=42",
            files={
                "parts/kernel.cuh": """
                    #pragma once
                    #include "words.cuh"
                    __managed__ int filled;
                    __global__ void fill(int value) { filled = value; }
                    inline void fill_with(int value) { fill<<<1, 1>>>(value); }
                    """,
                "parts/words.cuh": "#pragma once\n",
                "include/shared.h": "constexpr int kShared = 9;\n",
                "other.cpp": "int other() { return 8; }\n",
            },
        )
        self.assertEqual(result.stdout, "42 8 9\n", result.stderr)

    def test_one_launch_or_kernel_can_be_asked_for(self):
        """--launch and --kernel; else three of each, and those with another grid, up to eight."""
        source = """
            __global__ void one() {}
            __global__ void two() {}
            int main() {
              for (int i = 0; i < 9; ++i) { one<<<1, 1>>>(); two<<<i + 1, 1>>>(); }
            }
            """
        (two,) = launches(outcome(source, "--kernel", "two", "--launch", "4"))
        self.assertEqual((two["kernel"], two["grid"], two["findings"]), ("two", [4, 1, 1], []))
        result = outcome(source)
        self.assertEqual((len(launches(result)), result.found["launches"]), (11, 18))

    def test_a_program_that_is_stopped_has_its_report(self):
        """By a signal, which the glass box passes on."""
        result = outcome("""
            #include <csignal>
            #include <unistd.h>
            __global__ void one() {}
            int main() {
              one<<<1, 1>>>();
              kill(getppid(), SIGTERM);
              pause();
            }
            """)
        self.assertEqual(result.returncode, 143)
        self.assertIn("my.cu: Terminated", result.stderr)
        self.assertEqual(
            [(one["kernel"], one["findings"]) for one in launches(result)], [("one", [])]
        )
        self.assertEqual(result.found["exit_code"], 143)

    def test_a_program_that_is_killed_before_its_first_launch_has_a_record(self):
        """One without launches, and no error about the record."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my.cu").write_text(
                "#include <csignal>\nint main() { raise(SIGKILL); }\n"
            )
            result = glassbox(["my.cu", "--json", "found.json"], folder)
            found = json.loads(pathlib.Path(folder, "found.json").read_text())
        self.assertEqual(result.returncode, 137)
        self.assertIn("my.cu: Killed", result.stderr)
        self.assertEqual((found["launches"], found["subjects"]), (0, []))

    def test_errors_of_the_compiler_name_the_users_line(self):
        """In a kernel, in a launch; exit code 2."""
        result = outcome("__global__ void k(int* p) { p = 1.5; }\nint main() {}\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("my.cu:1:33: error: cannot convert", result.stderr)
        result = outcome("__global__ void k(int* p) {}\nint main() {\n  k<<<1, 1>>>(2.5);\n}\n")
        (error,) = [one for one in result.found["findings"] if one.get("line") == 3][:1]
        self.assertEqual((error["file"], error["code"]), ("my.cu", "compiler-error"))
        self.assertRegex(error["fields"]["header_file"], r"/kernel_launch\.hpp$")

    def test_arguments_of_all_sorts(self):
        """Structs, vectors, references, lambdas, function pointers, constants on the GPU."""
        result = outcome("""
            #include <cstdio>
            struct Big { float4 v; float* p; };
            __constant__ float added[2];
            __device__ int counter;
            template <int kN, class T>
            __global__ void fill(T* out, T value, Big big, float2 two, short s) {
              out[threadIdx.x] = value + big.v.x + two.y + s + added[1] + kN;
              atomicAdd(&counter, 1);
            }
            template <class F> __global__ void apply(F f, float* x) { *x = f(*x); }
            __global__ void refer(int& x) { x += 5; }
            __global__ void point(int* x) { if (x != nullptr) ++*x; }
            int main() {
              float* out;
              int* shared;
              cudaMalloc((void**)&out, 32 * sizeof(float));
              cudaMallocManaged(&shared, sizeof(int));
              *shared = 1;
              const float values[] = {0, 100};
              cudaMemcpyToSymbol(added, values, sizeof values);
              Big big = {make_float4(1, 0, 0, 0), out};
              fill<2><<<1, 32, 0, 0>>>(out, 2.0f, big, make_float2(0, 10), 1);
              const float factor = 2;
              apply<<<1, 1>>>([=] __device__(float x) { return factor * x; }, out);
              refer<<<1, 1>>>(*shared);
              void (*pointer)(int*) = point;
              pointer<<<1, 1>>>(shared);
              point<<<1, 1>>>(NULL);
              float first;
              int count;
              cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
              cudaMemcpyFromSymbol(&count, counter, sizeof count);
              std::printf("%g %d %d\\n", first, count, *shared);
              cudaFree(out);
              cudaFree(shared);
            }
            """)
        self.assertEqual(result.stdout, "232 32 7\n", result.stderr)
        self.assertEqual((faults(result), result.found["findings"]), ([], []))


if __name__ == "__main__":
    unittest.main()
