"""What honest students hand in: odd, and not wrong. Each has all points; what does not compile, or
uses what no grader has, is told so in a sentence, and nobody calls it a cheat.

An oddity is rung 02 with edits. Those that can stand side by side are graded as one kernel, too.
"""

import codecs
import dataclasses

from bench.rungs import rung_of
from classroom.starters import whole

DEVICE = '#include "common/device.cuh"\n'
LAUNCH = '#include "common/launch.cuh"\n'
LOOP = "    acc += gA[k] * gB[static_cast<size_t>(k) * N];\n"
UNROLL = "#pragma unroll 8  // eight pairs of loads are in flight before the first is needed\n"
RUN = "void run(const Gemm<float>& gemm, Stream stream) {\n"
TEMPLATE = "template <int BM, int BN>\n__global__"
HEAD_OF_EPILOGUE = "  float* gC = C + static_cast<size_t>(row) * N + col;\n"
EPILOGUE = "  *gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;\n"
KERNEL, HOST = "kernel.cuh", "launch.cu"


@dataclasses.dataclass(frozen=True)
class Oddity:
    """Edits (text that is there once, what takes its place), then the files' bytes."""

    name: str
    edits: tuple = ()
    bytes_of: object = None  # a function of {name: text} that returns {name: bytes}
    said: str = ""  # empty: all points; else part of the sentence, where there are fewer

    def files(self):
        """{name: bytes}"""
        texts = edited(whole(rung_of(2)), self.edits)
        if self.bytes_of:
            return self.bytes_of(texts)
        return {name: text.encode() for name, text in texts.items()}


def edited(texts, edits):
    """The texts with edits, each of which must fit once."""
    for old, new in edits:
        [name] = [name for name, text in texts.items() if text.count(old) == 1]
        texts = {**texts, name: texts[name].replace(old, new)}
    return texts


def as_bytes(encode):
    """A function for Oddity.bytes_of: every file through encode(text)."""
    return lambda texts: {name: encode(text) for name, text in texts.items()}


def in_kernel(text):
    """Edits that put text in front of the kernel."""
    return ((TEMPLATE, f"{text}\n\n{TEMPLATE}"),)


def in_front(text):
    """Edits that put text behind the include of kernel.cuh."""
    return ((DEVICE, f"{DEVICE}{text}\n"),)


def before_loop(text):
    """Edits of the kernel's body."""
    return (("  float acc = 0.0f;\n", f"{text}  float acc = 0.0f;\n"),)


def at_run(text):
    """Edits that begin run()."""
    return ((RUN, RUN + text),)


def guarded(texts):
    """#ifndef instead of #pragma once."""
    body = texts[KERNEL].replace("#pragma once", "#ifndef KERNEL_CUH_\n#define KERNEL_CUH_")
    return {KERNEL: f"{body}\n#endif  // KERNEL_CUH_\n".encode(), HOST: texts[HOST].encode()}


def with_helper(texts):
    """A header of one's own, in UTF-16, and files that nobody compiles."""
    helper = "#pragma once\nnamespace ladder::coalesced {\nconstexpr int kLanes = 32;\n}\n"
    kernel = texts[KERNEL].replace(DEVICE, f'{DEVICE}#include "my_helper.cuh"\n')
    return {
        KERNEL: kernel.replace("int k = 0; k < K", "int k = 0 * kLanes; k < K").encode(),
        HOST: texts[HOST].encode(),
        "my_helper.cuh": codecs.BOM_UTF16_LE + helper.encode("utf-16-le"),
        "notes.md": b"# asm thread_local fopen\n",
        "Kopie von kernel (2).cuh": b"this is no C++",
    }


# Can stand side by side: every edit fits another text.
TOGETHER = (
    Oddity("umlauts and emoji in comments", in_front("// Über schöne Größen \U0001f680 和 наука")),
    Oddity(
        "emoji in a string", at_run('  [[maybe_unused]] const char* const name = "\U0001f600";\n')
    ),
    Oddity(
        "forbidden words in comments",
        in_front(
            "/* asm, thread_local, fork(), #include <thread>,\n"
            "#ifdef __SANITIZE_THREAD__ */ // cblas_sgemm"
        ),
    ),
    Oddity(
        "forbidden words in strings",
        in_front(
            "[[maybe_unused]] static const char* const kText = "
            '"asm(\\"nop\\") #include <fstream> system(";'
        ),
    ),
    Oddity(
        "forbidden words between #if 0",
        in_front(
            '#if 0\n#include <fstream>\nasm("nop"); thread_local '
            "int calls;\n#error never\n#endif"
        ),
    ),
    Oddity(
        "a switch of one's own",
        in_front(
            "#define FAST 1\n#if FAST && defined(FAST)\n#else\n#error slow\n" "#endif\n#undef FAST"
        ),
    ),
    Oddity("DEBUG that nobody defines", in_front("#ifdef DEBUG\n#include <iostream>\n#endif")),
    Oddity(
        "__CUDACC__",
        in_front("#ifdef __CUDACC__\n#define ON_A_GPU 1\n#else\n#define ON_A_GPU 0\n#endif"),
    ),
    Oddity(
        "__CUDA_ARCH__",
        in_front("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700\n#error old\n#endif"),
    ),
    Oddity(
        "<cassert> and assert()",
        (*in_front("#include <cassert>"), *before_loop("  assert(K > 0);\n")),
    ),
    Oddity("static_assert", in_kernel('static_assert(sizeof(float) == 4, "four bytes");')),
    Oddity(
        "much of the standard library",
        in_front(
            "#include <cstdlib>\n#include <cstring>\n#include <functional>\n#include <map>\n#include <memory>\n"
            "#include <numbers>\n#include <string>\n#include <vector>\n#include <cuda_runtime.h>\n#include <math.h>"
        ),
    ),
    Oddity(
        "a forgotten printf in the kernel",
        (
            *in_front("#include <cstdio>"),
            (EPILOGUE, EPILOGUE + '  if (row == 0 && col == 0) printf("first %f\\n", acc);\n'),
        ),
    ),
    Oddity(
        "a forgotten printf on the host",
        (
            (
                "  for (const Gemm<float>& part",
                '  printf("M = %d\\n", gemm.M);\n  for (const Gemm<float>& part',
            ),
        ),
    ),
    Oddity(
        "puts and stderr",
        (
            (
                "    const dim3 grid",
                '    puts("a band");\n    fprintf(stderr, "%d\\n", part.M);\n    const dim3 grid',
            ),
        ),
    ),
    Oddity("#pragma GCC unroll", ((UNROLL, "#pragma GCC unroll 4\n"),)),
    Oddity(
        "std::min and std::max in the kernel",
        (
            *in_front("#include <algorithm>"),
            *before_loop("  K = std::max(std::min(K, 1 << 30), 0);\n"),
        ),
    ),
    Oddity(
        "a lambda in the kernel",
        (
            (
                LOOP,
                "    const auto product = [&](int at) { return gA[at] * "
                "gB[static_cast<size_t>(at) * N]; };\n    acc += product(k);\n",
            ),
        ),
    ),
    Oddity(
        "a table of constants",
        in_kernel("constexpr int kTable[4] = {1, 2, 4, 8};\n" "static_assert(kTable[3] == 8);"),
    ),
    Oddity("a __constant__ table", in_kernel("__constant__ const float kOne[1] = {1.0f};")),
    Oddity(
        "a __constant__ table that could be written",
        (
            *in_kernel("__constant__ float kFactors[2] = {1.0f, 2.0f}, kUnused;"),
            (HEAD_OF_EPILOGUE, "  acc *= kFactors[0];\n" + HEAD_OF_EPILOGUE),
        ),
    ),
    Oddity(
        "isnan() and isinf() without std::",
        before_loop("  if (isnan(alpha) || isinf(beta)) alpha += 0.0f;\n"),
    ),
    Oddity(
        "a template with a concept",
        in_kernel(
            "template <class T>\n__device__ T twice(T x) requires(sizeof(T) >= 1) "
            "{ return x + x; }"
        ),
    ),
    Oddity(
        "attributes of C++",
        in_kernel(
            "[[nodiscard]] [[maybe_unused]] static inline int half(int x) " "{ return x / 2; }"
        ),
    ),
    Oddity(
        "a macro that joins words",
        in_front("#define JOIN(a, b) a##b\nconstexpr int JOIN(kA, kB) = 1;"),
    ),
    Oddity(
        "an error with a sentence",
        (
            (LAUNCH, "#include <stdexcept>\n#include <string>\n" + LAUNCH),
            *(
                (
                    "constexpr int BN = 32;",
                    "inline void refuse(int extent) {\n  if (extent < 0) throw "
                    'std::invalid_argument("extent " + std::to_string(extent));\n}\n\nconstexpr int BN = 32;',
                ),
            ),
        ),
    ),
)
APART = (
    Oddity(
        "a __device__ counter",
        (
            *in_kernel("__device__ unsigned long long visits;"),
            (EPILOGUE, EPILOGUE + "  atomicAdd(&visits, 1ull);\n"),
        ),
    ),
    Oddity(
        "a counter on the host, printed",
        (
            (RUN, "static int calls = 0;\n" + RUN + "  static long bands{0};\n"),
            (
                "    const dim3 grid",
                '    ++calls;\n    bands += 1;\n    printf("%d %ld\\n", calls, bands);\n    const dim3 grid',
            ),
        ),
    ),
    Oddity(
        "UTF-8 byte order mark", bytes_of=as_bytes(lambda text: codecs.BOM_UTF8 + text.encode())
    ),
    Oddity(
        "UTF-16 with a mark",
        bytes_of=as_bytes(lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le")),
    ),
    Oddity(
        "UTF-16 big endian with a mark",
        bytes_of=as_bytes(lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be")),
    ),
    Oddity("UTF-16 without a mark", bytes_of=as_bytes(lambda text: text.encode("utf-16-le"))),
    Oddity(
        "UTF-16 big endian without a mark", bytes_of=as_bytes(lambda text: text.encode("utf-16-be"))
    ),
    Oddity(
        "Latin-1", in_front("// größer"), as_bytes(lambda text: text.encode("latin-1", "replace"))
    ),
    Oddity("CRLF", bytes_of=as_bytes(lambda text: text.replace("\n", "\r\n").encode())),
    Oddity("no newline at the end", bytes_of=as_bytes(lambda text: text.rstrip().encode())),
    Oddity("tabs", bytes_of=as_bytes(lambda text: text.replace("  ", "\t").encode())),
    Oddity("#ifndef guard", bytes_of=guarded),
    Oddity("a header of one's own, notes, a copy", bytes_of=with_helper),
    Oddity(
        "one file alone",
        bytes_of=lambda texts: {
            HOST: texts[HOST]
            .replace(
                '#include "work/02_coalesced/kernel.cuh"\n',
                texts[KERNEL].replace("#pragma once\n", ""),
            )
            .encode()
        },
    ),
    Oddity("includes beside the file", (('"work/02_coalesced/kernel.cuh"', '"kernel.cuh"'),)),
    Oddity(
        "BLAS's quick return",
        at_run(
            "  if (gemm.M == 0 || gemm.N == 0) return;\n  if (gemm.alpha == 0.0f && gemm.beta == 1.0f) return;\n"
        ),
    ),
    Oddity(
        "the kernel returns at once", before_loop("  if (alpha == 0.0f && beta == 1.0f) return;\n")
    ),
    Oddity("no unrolling at all", ((UNROLL, ""),)),
    Oddity(
        "a __device__ function of its own",
        (
            *in_kernel(
                "__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }"
            ),
            (LOOP, "    acc = fused(gA[k], gB[static_cast<size_t>(k) * N], acc);\n"),
        ),
    ),
    Oddity(
        "a name that a library has, too",
        (
            *in_kernel("__device__ inline float kill(float x) { return x; }"),
            (EPILOGUE, EPILOGUE.replace("acc :", "kill(acc) :")),
        ),
    ),
)
TOLD = (
    Oddity(
        "full-width brackets",
        (("(int k = 0; k < K; ++k)", "（int k = 0; k < K; ++k)"),),
        said="full-width",
    ),
    Oddity(
        "a typographic quotation mark",
        in_front("static const char* const kText = “text”;"),
        said="typographic",
    ),
    Oddity(
        "<<<>>>",
        (
            (
                "    launch(kernel<BM, BN>, {.grid = grid, .block = dim3(BN, BM), .stream = stream}, part.M, "
                "part.N,\n           part.K,",
                "    kernel<BM, BN><<<grid, dim3(BN, BM)>>>(part.M, part.N, " "part.K,",
            ),
        ),
        said="launch(",
    ),
    Oddity("<iostream>", in_front("#include <iostream>"), said="printf()"),
    Oddity("<thread>", in_front("#include <thread>"), said="not there for a kernel"),
    Oddity(
        "a header that nobody has", in_front('#include "helpers.h"'), said="There is no such file"
    ),
    Oddity(
        "a forgotten semicolon", (("float acc = 0.0f;", "float acc = 0.0f"),), said="`;` is missing"
    ),
    Oddity("#error of one's own", in_front("#error not yet finished"), said="not yet finished"),
)
