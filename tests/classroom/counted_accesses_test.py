"""Kernels that read A and B once where everybody sees it, and what they multiply in some other way:
either that way is counted too, or the totals are too small for the product, and there are no points
for memory.

`make test` takes a part of them, `make test-all` all.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom import points
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, run
from classroom.starters import write_to
from tests.classroom.cheats import LOOP, Cheat

RUNG = rung_of(2)
ALL = os.environ.get("LADDER_TEST_ALL")
SHAPE = (32, 32, 48)  # one block, whose threads all have an element
INCLUDE = '#include "common/device.cuh"\n'
HEAD = "namespace ladder::coalesced {\n\n/// \\brief"
GUARD = "  if (row >= M || col >= N) return;\n"
UNROLL = "#pragma unroll 8  // eight pairs of loads are in flight before the first is needed\n"
# Each thread reads its share of A and of B, and uses it for nothing that anybody sees.
SEEN = """  float seen = 0.0f;
  for (int i = threadIdx.y * BN + threadIdx.x; i < M * K; i += BM * BN) seen += A[i];
  for (int i = threadIdx.y * BN + threadIdx.x; i < K * N; i += BM * BN) seen += B[i];
  if (seen == 12345.5f) alpha += 1.0f;
"""


def reads_by(get, *headers):
    """Edits that read both operands through a function `get`."""
    lines = "".join(f"#include <{name}>\n" for name in headers)
    return (
        (INCLUDE, INCLUDE + lines),
        (HEAD, f"namespace ladder::coalesced {{\n{get}\n/// \\brief"),
        (GUARD, GUARD + SEEN),
        (LOOP, "    acc += get(gA + k) * get(gB + static_cast<size_t>(k) * N);\n"),
    )


def function(body, before=""):
    """The function `get` with this body."""
    return f"{before}__device__ inline float get(const float* p) {{\n{body}}}\n"


def bits(load):
    """`get` by a function that gives the word at `q` as bits."""
    return function(
        "  unsigned* const q = reinterpret_cast<unsigned*>(const_cast<float*>(p));\n"
        f"  {load}\n  return __uint_as_float(x);\n"
    )


REF = "const std::atomic_ref<float> r(*const_cast<float*>(p)); "
# One access of both kinds for each word that is multiplied, and seldom more.
COUNTED = {
    "memcpy of unknown size": function("  float x; memcpy(&x, p, 4 * blockDim.z); return x;\n"),
    "memcpy of 3 bytes, twice": function(
        "  unsigned x = 0;\n  memcpy(&x, p, 3);\n"
        "  memcpy(reinterpret_cast<char*>(&x) + 1, reinterpret_cast<const char*>(p) + 1, 3);\n"
        "  return __uint_as_float(x);\n"
    ),
    "built-in memcpy": function("  float x; __builtin_memcpy(&x, p, 4 * blockDim.z); return x;\n"),
    "memcpy in brackets": function("  float x; (memcpy)(&x, p, 4 * blockDim.z); return x;\n"),
    "memcpy by a pointer": function(
        "  void* (*volatile copy)(void*, const void*, size_t) = std::memmove;\n"
        "  float x; copy(&x, p, 4); return x;\n"
    ),
    "std::copy": (
        function("  float x; std::copy(p, p + blockDim.z, &x); return x;\n"),
        "algorithm",
    ),
    "std::string": (
        function(
            "  std::string text; text.append(reinterpret_cast<const char*>(p), 4 * blockDim.z);\n"
            "  float x; memcpy(&x, text.data(), 4); return x;\n"
        ),
        "string",
    ),
    "a structure": function("  struct One { float x; }; return One(*(const One*)p).x;\n"),
    "atomic load": bits("const unsigned x = __atomic_load_n(q, __ATOMIC_ACQUIRE);"),
    "atomic_ref": function(f"  {REF}return r.load(std::memory_order_relaxed);\n"),
    "fetch and add": bits("const unsigned x = __sync_fetch_and_add(q, 0u);"),
    "a swap in vain": function(
        f"  {REF}float x = 0.5f; r.compare_exchange_weak(x, x); return x;\n"
    ),
    "loaded and swapped in vain": function(
        f"  {REF}float x = r.load() + 0.5f; r.compare_exchange_weak(x, x); return x;\n"
    ),
    "vectors": function(
        "  typedef float One __attribute__((vector_size(4)));\n  return (*(const One*)p)[0];\n"
    ),
    "a function's address": function(
        "  float (*volatile f)(const float*) = load; return f(p);\n",
        "__device__ inline float load(const float* p) { return *p; }\n",
    ),
    "an argument": function(
        "  return first(*reinterpret_cast<const One*>(p));\n",
        "struct One { float x; };\n"
        "[[gnu::noipa]] __device__ float first(One one) { return one.x; }\n",
    ),
    "an argument, by a pointer to the function": function(
        "  float (*volatile f)(One) = first; return f(*reinterpret_cast<const One*>(p));\n",
        "struct One { float x; };\n__device__ inline float first(One one) { return one.x; }\n",
    ),
    "looks twice": function("  const volatile float* v = p; (void)*v; return *v;\n"),
}
VALUE = """struct Two { float x, y; };
[[gnu::noipa]] __device__ Two two(float x, float y) { return {x, y}; }
[[gnu::noipa]] __device__ float sum(Two two) { return two.x + two.y; }
"""
EPILOGUE = "  *gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;\n"
# Two neighbours store what a function has returned to where both can see it, and pass it to another.
RACE = """  __shared__ Two twos[32][32];
  twos[threadIdx.y][threadIdx.x] = two(acc, 0.0f);
  acc = sum(twos[threadIdx.y][threadIdx.x / 2 * 2]) * 0.0f + acc;
"""
PRINTED = reads_by(
    function(
        "  unsigned x = 0;\n"
        "  for (int i = 0; i < 4; ++i) {\n"
        "    char c[2] = {};\n"
        '    snprintf(c, 2, "%.1s", reinterpret_cast<const char*>(p) + i);\n'
        "    x |= static_cast<unsigned char>(c[0]) << 8 * i;\n"
        "  }\n"
        "  return __uint_as_float(x);\n",
        'extern "C" int snprintf(char*, size_t, const char*, ...);\n',
    )
)


def with_idle_words(text):
    """The edits of PRINTED, and words that carry nothing."""
    return (*PRINTED[:2], (GUARD, GUARD + SEEN + text), PRINTED[3])


# Read by what no instrumentation can see. The totals tell.
UNCOUNTED = {
    "snprintf": PRINTED,
    "snprintf, and shuffles of nothing": with_idle_words(
        "  for (int i = 0; i < 100; ++i) seen += __shfl_xor_sync(~0u, seen, 1);\n"
        "  if (seen == 12345.5f) alpha += 1.0f;\n"
    ),
    # One thread loads half of all words and stores enough to have made all products of the block,
    # were it not for the few words of C that the block stores.
    "snprintf, and a thread that stores nothing": (
        *PRINTED[:2],
        (
            GUARD,
            GUARD
            + SEEN.replace(
                "  for (int i = threadIdx.y * BN + threadIdx.x; i < M * K; i += BM * BN)",
                "  for (int i = 0; row + col == 0 && i < M * K; ++i)",
            )
            + "  __shared__ float idle[1024];\n"
            "  for (int i = 0; row + col == 0 && i < 8192; ++i) idle[i % 1024] = seen;\n",
        ),
        PRINTED[3],
    ),
    "another thread's stack": (
        (GUARD, GUARD + SEEN),
        (LOOP, ""),
        (
            UNROLL,
            """  __shared__ const float* first;
  float own[2 * 32 * 48];
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (int i = 0; i < 32 * 48; ++i) own[i] = A[i], own[32 * 48 + i] = B[i];
    first = own;
  }
  __syncthreads();
  const float* const a = first + threadIdx.y * 48;
  const float* const b = first + 32 * 48 + threadIdx.x;
  for (int k = 0; k < 48; ++k) acc += a[k] * b[32 * k];
  __syncthreads();
""",
        ),
    ),
}


# Every word that the bound asks for is read where everybody sees it, and what is multiplied comes
# from elsewhere: {name: (rung, shape, edits)}.
PASSED = """struct One { float x; };
[[gnu::noipa]] __device__ float passed(int count, ...) {
  va_list list;
  va_start(list, count);
  const One one = va_arg(list, One);
  va_end(list);
  return one.x;
}
__device__ inline float get(const float* p) { return passed(1, *reinterpret_cast<const One*>(p)); }
"""
STORED = """struct One { float x; };
[[gnu::noipa]] __device__ One made(float x) { return {x}; }
"""
SEEN_TWICE = SEEN.replace("i = threadIdx.y * BN + threadIdx.x", "i = 0").replace("BM * BN", "1")


def named(rung):
    """The text in front of which a rung's functions stand."""
    return HEAD.replace("coalesced", rung_of(rung).name)


def passes(rung, *edits):
    """Edits that define `get`, which reads a word that it passes behind `...`."""
    head = named(rung)
    return (
        (INCLUDE, f"#include <cstdarg>\n{INCLUDE}"),
        (head, head.replace("/// \\brief", f"{PASSED}\n/// \\brief")),
        *edits,
    )


GET_AB = "get(A + static_cast<size_t>(row) * K + {k}) * get(B + static_cast<size_t>({k}) * N + col)"
OF_REGISTERS = """          seen += rA[m] * rB[n];
          const int row = row0 + thread_row + m * kThreadRows;
          const int col = col0 + thread_col + n * kThreadCols;
          if (row < M && col < N && k0 + k < K) acc[m][n] += {};
"""
IDLE_SUM = "  float acc = 0.0f;\n", "  float acc = 0.0f;\n  float seen = 0.0f;\n"
USES_SUM = "  if (seen == 12345.5f) alpha += 1.0f;\n"
UNSEEN = {
    "01, passed behind ...": (
        1,
        (96, 64, 48),
        passes(1, (GUARD, GUARD + SEEN_TWICE), (LOOP, f"    acc += {GET_AB.format(k='k')};\n")),
    ),
    "02, passed behind ...": (
        2,
        (96, 64, 48),
        passes(2, (GUARD, GUARD + SEEN_TWICE), (LOOP, f"    acc += {GET_AB.format(k='k')};\n")),
    ),
    "02, stored by a call": (
        2,
        (128, 128, 8),
        (
            (INCLUDE, f"#include <new>\n{INCLUDE}"),
            (HEAD, HEAD.replace("/// \\brief", f"{STORED}\n/// \\brief")),
            (
                EPILOGUE,
                "  const float old = *gC;\n  __syncthreads();\n"
                "  C[static_cast<size_t>(row) * N + (col ^ 1)] = 0.0f;\n  __syncthreads();\n"
                "  new (gC) One(made(beta == 0.0f ? alpha * acc : alpha * acc + beta * old));\n",
            ),
        ),
    ),
    "03, from shared memory": (
        3,
        (96, 64, 128),
        passes(
            3,
            IDLE_SUM,
            (
                "      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];\n",
                "      seen += sA[0][k] + sB[k][threadIdx.x];\n"
                "      acc += get(&sA[threadIdx.y][k]) * get(&sB[k][threadIdx.x]);\n",
            ),
            (GUARD, USES_SUM + GUARD),
        ),
    ),
    "03, from global memory": (
        3,
        (96, 64, 128),
        passes(
            3,
            IDLE_SUM,
            (
                "      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];\n",
                "      seen += sA[threadIdx.y][k] + sB[k][threadIdx.x];\n"
                f"      if (row < M && col < N && k0 + k < K) acc += {GET_AB.format(k='(k0 + k)')};\n",
            ),
            (GUARD, USES_SUM + GUARD),
        ),
    ),
    "04, from global memory": (
        4,
        (160, 192, 32),
        passes(
            4,
            ("  float acc[TM][TN] = {};", "  float seen = 0.0f;\n  float acc[TM][TN] = {};"),
            (
                "          acc[m][n] += rA[m] * rB[n];\n",
                OF_REGISTERS.format(GET_AB.format(k="(k0 + k)")),
            ),
            ("  // -- Epilogue", USES_SUM + "  // -- Epilogue"),
        ),
    ),
}


def judged(edits, rung=2, shape=SHAPE):
    """What the judge says of the memory run of a kernel."""
    number, rung = rung, rung_of(rung)
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        folder.chmod(0o755)
        write_to(folder / "sources", Cheat("", "", tuple(edits), rung=number).files())
        libraries = {
            "plain": grader.REFERENCE[0],
            **build_libraries(folder / "sources", rung, folder / "build", ("traced",)),
        }
        job = grader.job_for(rung, [], Secret(b"", rung), libraries, folder)
        job["memory"] = [{**run(shape, 2.0, 0.5, 1), "id": "counts"}]
        return grader.judged(job)["memory"][0]


def of_all(cases):
    """[(name, what the judge says)]. cases: {name: arguments of judged()}"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda arguments: judged(*arguments), cases.values())
        return list(zip(cases, found, strict=True))


class CountedAccessesTest(unittest.TestCase):
    """Of kernels whose results are right."""

    def test_every_way_to_read_is_counted(self):
        """At least the reference's loads, and no sector less."""
        cases = {
            name: (reads_by(get) if isinstance(get, str) else reads_by(*get),)
            for name, get in COUNTED.items()
        }
        if not ALL:
            cases = dict(list(cases.items())[::2])
        for name, found in of_all(cases):
            with self.subTest(name):
                self.assertEqual(found["status"], "right", found)
                for counter in ("global_load_requests", "global_load_sectors"):
                    self.assertGreater(found["yours"][counter], found["reference"][counter])

    def test_stores_of_results_are_counted(self):
        """A function's result that goes straight to C."""
        value = "reinterpret_cast<Two*>(C)[(static_cast<size_t>(row) * N + col) / 2]"
        pairs = """  if (col % 2 != 0) return;
  float other = 0.0f;
  for (int k = 0; k < K; ++k) other += gA[k] * gB[static_cast<size_t>(k) * N + 1];
"""
        store = f"  const Two old = {value};\n  {value} = two(alpha * acc + beta * old.x, alpha * other + beta * old.y);\n"
        edits = (
            (HEAD, f"namespace ladder::coalesced {{\n{VALUE}\n/// \\brief"),
            (EPILOGUE, pairs + store),
        )
        found = judged(edits)
        self.assertEqual(found["status"], "right", found)
        stores = [found[whose]["global_store_sectors"] for whose in ("yours", "reference")]
        self.assertEqual(stores[0], stores[1])

    def test_a_race_of_structures_is_seen(self):
        """Nothing orders a store of a result and a load of an argument."""
        found = judged(
            (
                (HEAD, f"namespace ladder::coalesced {{\n{VALUE}\n/// \\brief"),
                (EPILOGUE, RACE + EPILOGUE),
            )
        )
        self.assertEqual(found["status"], "hazard", found)
        self.assertIn("race-in-shared-memory", [each["code"] for each in found["findings"]])

    def test_totals_tell_of_what_is_not(self):
        """No points for memory, and a code that says why."""
        for name, found in of_all({name: (edits,) for name, edits in UNCOUNTED.items()}):
            with self.subTest(name):
                self.assertEqual(found["status"], "uncounted", found)
                flags = points.Flags()
                part = points.memory([found], flags)
                self.assertEqual(part["points"], 0)
                self.assertIn("reads-below-bound", [each["code"] for each in part["codes"]])
                self.assertEqual(flags.rows, [], "nobody is called a cheat for it")

    def test_what_no_hook_sees_is_found(self):
        """Though the totals are as large as they have to be."""
        cases = dict(list(UNSEEN.items())[:: 1 if ALL else 3])
        for name, found in of_all({name: (e, n, s) for name, (n, s, e) in cases.items()}):
            with self.subTest(name):
                self.assertEqual(found["status"], "uncounted", found)
                flags = points.Flags()
                part = points.memory([found], flags)
                self.assertEqual(part["points"], 0)
                self.assertEqual([each["code"] for each in part["codes"]], ["uncounted-access"])
                text = Cheat("", "", UNSEEN[name][2], rung=UNSEEN[name][0]).files()["kernel.cuh"]
                lines = text.splitlines()
                for place in part["codes"][0]["places"]:
                    self.assertEqual(pathlib.PurePath(place["file"]).name, "kernel.cuh")
                    self.assertRegex(lines[place["line"] - 1], r"passed\(1|new \(gC\)|made\(")
                self.assertEqual(flags.rows, [], "nobody is called a cheat for it")

    def test_a_busy_machine_hides_nothing(self):
        """The clock's samples are few there."""
        number, shape, edits = UNSEEN["02, stored by a call"]
        busy = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(4 * os.cpu_count())
        ]
        try:
            found = [judged(edits, number, shape)["status"] for _ in range(4)]
        finally:
            for process in busy:
                process.kill()
                process.wait()
        self.assertEqual(found, ["uncounted"] * 4)


if __name__ == "__main__":
    unittest.main()
