"""Host code that tries to have a part in the product, past all that looks at sources and symbols.

Each trick is rung 02 with other host code: what comes before run(), and the body of run().
"""

import dataclasses

from bench.rungs import rung_of
from classroom.starters import whole

INCLUDES = """
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>
"""
# What a kernel does with results that the host has found.
STORE = """
struct Row {
  float c[64];
};
__global__ void store(Row row, int N, float* C) {
  if (threadIdx.x < N) C[threadIdx.x] = row.c[threadIdx.x];
}
"""
PRODUCT = """
float product(const Gemm<float>& gemm, int i, int j) {
  float sum = 0.0f;
  for (int k = 0; k < gemm.K; ++k) sum += LOAD(gemm.A + i * gemm.K + k) * LOAD(gemm.B + k * gemm.N + j);
  return gemm.alpha * sum;
}
"""
STORE_ALL = """
  for (int i = 0; i < gemm.M; ++i) {
    Row row = {};
    for (int j = 0; j < gemm.N; ++j) row.c[j] = product(gemm, i, j);
    launch(store, {.grid = dim3(1), .block = dim3(64), .stream = stream}, row, gemm.N,
           gemm.C + i * gemm.N);
  }
"""
HONEST = """
  const dim3 grid(ceil_div(gemm.N, BN), ceil_div(gemm.M, BM));
  launch(kernel<BM, BN>, {.grid = grid, .block = dim3(BN, BM), .stream = stream}, gemm.M, gemm.N,
         gemm.K, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
"""
BEGINNING = '#include "common/launch.cuh"\n'
RUN = "void run(const Gemm<float>& gemm, Stream stream) {\n"


@dataclasses.dataclass(frozen=True)
class Trick:
    """A file's text before run(), the body of run(), and what the judge says.

    finding  the code of a finding of the first run, if the judge has one
    status   else the run's status
    """

    name: str
    before: str
    body: str
    finding: str = "host-access"
    status: str = ""
    system: str = ""  # declarations of the C library

    def files(self):
        """{name of a file: text}"""
        files = whole(rung_of(2))
        text = files["launch.cu"]
        start = text.index(RUN)
        end = text.index("\n}\n", start)
        files["launch.cu"] = (
            text[:start].replace(BEGINNING, INCLUDES + self.system + BEGINNING, 1)
            + self.before
            + RUN
            + self.body
            + text[end + 1 :]
        )
        return files


def reading(name, load, extra="", system=""):
    """The host reads A and B with `load`, and hands each row of C to a kernel that stores it."""
    function = f"{extra}\ninline float LOAD(const float* p) {{ {load} }}\n"
    return Trick(name, function + PRODUCT + STORE, STORE_ALL, system=system)


TRICKS = (
    reading("loads", "return *p;"),
    reading("loads_volatile", "return *static_cast<const volatile float*>(p);"),
    reading("loads_atomically", "float f; __atomic_load(p, &f, __ATOMIC_RELAXED); return f;"),
    reading("copies_bytes", "float f; std::memcpy(&f, p, sizeof f); return f;"),
    reading(
        "copies_many_bytes", "static float all[1 << 12]; std::memmove(all, p, 4096); return *all;"
    ),
    reading("loads_vectors", "return _mm256_cvtss_f32(_mm256_loadu_ps(p));"),
    reading("gathers", "return _mm_cvtss_f32(_mm_i32gather_ps(p, _mm_setzero_si128(), 4));"),
    reading("adds_with_the_library", "return std::accumulate(p, p + 1, 0.0f);"),
    reading("builds_a_vector", "return std::vector<float>(p, p + 1)[0];"),
    reading(
        "loads_while_unwinding",
        "float f = 0; try { const Late late{p, f}; throw 1; } catch (int) { } return f;",
        "struct Late {\n  const float* p;\n  float& f;\n  ~Late() { f = *p; }\n};",
    ),
    reading(
        "loads_in_a_handler", "try { throw p; } catch (const float* thrown) { return *thrown; }"
    ),
    reading(
        "loads_in_a_late_initialiser",
        "at = p; thread_local const float first = *at; return first;",
        "const float* at;",
    ),
    reading(
        "loads_in_a_comparison",
        "int two[] = {0, 1}; float f = 0; std::sort(two, two + 2, [&](int a, int b) { f = *p; "
        "return a < b; }); return f;",
    ),
    Trick("stores_c", "", HONEST + "  *gemm.C = 0.0f;\n"),
    Trick("fills_c", "", "  std::fill_n(gemm.C, gemm.M * gemm.N, 1.0f);\n" + HONEST),
    Trick(
        "stores_to_the_workspace",
        "",
        "  *static_cast<float*>(emulator::workspace(1 << 10)) = 1.0f;\n" + HONEST,
        system='#include "common/workspace.hpp"\n',
    ),
    # -- The kernel tells the host what it has read
    Trick(
        "a_kernel_copies_to_a_variable",
        "float here[1 << 16];\n"
        "__global__ void copy(const float* from, int count) {\n"
        "  for (int i = threadIdx.x; i < count; i += 32) here[i] = from[i];\n}\n" + STORE,
        "  launch(copy, {.grid = dim3(1), .block = dim3(32), .stream = stream}, gemm.A, "
        "gemm.M * gemm.K);\n"
        "  Row row = {};\n  std::copy_n(here, 32, row.c);\n"
        "  launch(store, {.grid = dim3(1), .block = dim3(64), .stream = stream}, row, gemm.N, "
        "gemm.C);\n",
        finding="",
        status="hazard wrong",
    ),
    Trick(
        "a_kernel_copies_to_the_stack",
        "__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x]; "
        "}\n" + STORE,
        "  Row row = {};\n"
        "  launch(copy, {.grid = dim3(1), .block = dim3(32), .stream = stream}, gemm.A, "
        "static_cast<float*>(row.c));\n"
        "  launch(store, {.grid = dim3(1), .block = dim3(64), .stream = stream}, row, gemm.N, "
        "gemm.C);\n",
        finding="",
        status="hazard wrong",
    ),
    Trick(
        "a_shared_mapping_made_early",
        "float* early = static_cast<float*>(mmap(nullptr, 1 << 16, 3, 0x21, -1, 0));\n"
        "__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x]; "
        "}\n" + STORE,
        "  launch(copy, {.grid = dim3(1), .block = dim3(32), .stream = stream}, gemm.A, early);\n"
        "  Row row = {};\n  std::copy_n(early, 32, row.c);\n"
        "  launch(store, {.grid = dim3(1), .block = dim3(64), .stream = stream}, row, gemm.N, "
        "gemm.C);\n",
        finding="",
        status="hazard wrong",
        system='extern "C" void* mmap(void*, unsigned long, int, int, int, long);\n',
    ),
    # -- Other ways to the pages
    Trick(
        "opens_the_pages",
        "inline float LOAD(const float* p) { return *p; }\n" + PRODUCT + STORE,
        "  const auto page = reinterpret_cast<unsigned long>(gemm.A) & ~4095ul;\n"
        "  mprotect(reinterpret_cast<void*>(page), 1 << 16, 3);\n"
        "  const auto other = reinterpret_cast<unsigned long>(gemm.B) & ~4095ul;\n"
        "  mprotect(reinterpret_cast<void*>(other), 1 << 16, 3);\n" + STORE_ALL,
        finding="",
        status="wrong not_the_kernel",
        system='extern "C" int mprotect(void*, unsigned long, int);\n',
    ),
    Trick(
        "maps_the_descriptors",
        STORE,
        "  for (int file = 0; file < 64; ++file) {\n"
        "    void* all = mmap(nullptr, 1 << 20, 1, 1, file, 0);\n"
        "    if (all != reinterpret_cast<void*>(-1)) return;\n  }\n"
        '  throw std::runtime_error("nothing to map");\n',
        finding="",
        status="failed",
        system='extern "C" void* mmap(void*, unsigned long, int, int, int, long);\n',
    ),
    Trick(
        "reads_another_process",
        "",
        "  struct { void* p; unsigned long n; } here[2] = {};\n"
        "  process_vm_readv(getppid(), &here[0], 1, &here[1], 1, 0);\n" + HONEST,
        finding="",
        status="forbidden_call",
        system='extern "C" long process_vm_readv(int, const void*, unsigned long, const void*, '
        "unsigned long, unsigned long);\n#include <unistd.h>\n",
    ),
    # -- A launch of one's own
    Trick(
        "launches_with_a_function_that_computes",
        "const Gemm<float>* problem;\n"
        "unsigned char* compute() {\n"
        "  for (int i = 0; i < problem->M * problem->N; ++i) problem->C[i] = problem->A[0];\n"
        "  return &ladder_dynamic_shared[0];\n}\n"
        "__global__ void nothing() {}\n",
        "  problem = &gemm;\n"
        "  emulator::run_program({.grid = dim3(1), .block = dim3(1), .kernel = "
        "reinterpret_cast<const void*>(&nothing)}, {[](const void*) {}, &gemm, compute, 8});\n",
        finding="",
        status="wrong hazard",
    ),
    Trick(
        "launches_here",
        "struct First {\n  First() { emulator::set_launch_receiver(nullptr); }\n};\n",
        "  emulator::set_launch_receiver(nullptr);\n" + HONEST,
        finding="",
        status="failed killed hazard wrong",
        system='#include "emulator/run/grid_runner.hpp"\n',
    ),
    Trick(
        "goes_on_after_a_failure",
        "__global__ void fail(float* C) { C[-5000000] = 1.0f; }\n",
        "  try {\n    launch(fail, {.grid = dim3(1), .block = dim3(1), .stream = stream}, gemm.C);\n"
        "  } catch (...) {\n  }\n" + HONEST,
        finding="",
        status="hazard failed",
    ),
    Trick(
        "launches_what_is_no_code_of_its_own",
        "",
        "  emulator::run_program({.grid = dim3(1), .block = dim3(1), .kernel = "
        "reinterpret_cast<const void*>(&std::free)}, {reinterpret_cast<void (*)(const void*)>"
        "(&std::free), &gemm, [] { return &ladder_dynamic_shared[0]; }, 8});\n",
        finding="",
        status="failed",
        system="#include <cstdlib>\n",
    ),
)
