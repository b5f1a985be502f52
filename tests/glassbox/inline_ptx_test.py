"""Inline PTX does what the PTX ISA says: a program's results against the same in Python.

On a GPU, nvcc -arch=sm_80 tests/glassbox/ptx_programs/inline_ptx.cu prints the same lines.
"""

import pathlib
import struct
import unittest

from tests import SOURCES
from tests.glassbox.own_program import fault_codes, faults, outcome

PROGRAM = pathlib.Path(__file__).parent / "ptx_programs" / "inline_ptx.cu"
WORD = 0xFFFFFFFF


def signed(x, bits=32):
    """The number with these bits."""
    return x - (1 << bits) if x >> (bits - 1) else x


def field(a, position, length):
    """bfe.s32"""
    if length == 0:
        return 0
    top = min(position + length - 1, 31)
    kept = a >> position & (1 << length) - 1
    return kept | (-1 << length if a >> top & 1 else 0)


def results(a, b, c, lane):
    """What each instruction of arithmetic() gives to one thread."""
    both = b << 32 | a
    shift = c & 63
    parts = [signed(a >> 8 * i & 255, 8) * signed(b >> 8 * i & 255, 8) for i in range(4)]
    return [
        a + b,
        a * b + c,
        a * b >> 32,
        a ^ b ^ c,
        a & 0xFFFF | (b & 0xFFFF) << 16,
        a >> 5 & 511,
        field(a, b & 31, c & 31),
        b & ~(2047 << 7) | (a & 2047) << 7,
        both << (c & 31) >> 32,
        both >> min(shift, 32),
        int(f"{a:032b}"[::-1], 2),
        32 - a.bit_length(),
        a.bit_count(),
        a * b,
        a * b >> 32,
        a + b,
        c + (a + b >> 32),
        a + 1 if a < b else b,
        lane,
        (1 << lane) - 1,
        0,
        min(signed(a), signed(b)),
        a << shift if shift < 32 else 0,
        signed(c) + sum(parts),
    ]


def hashed(words):
    """As the program prints them."""
    result = 14695981039346656037
    for word in words:
        result = (result ^ word & WORD) * 1099511628211 & (1 << 64) - 1
    return f"{result:016x}"


def expected_lines():
    """The lines of arithmetic()."""
    words, seed = [], 1
    for _ in range(96):
        seed = seed * 1664525 + 1013904223 & WORD
        words.append(seed)
    lanes = [results(words[i], words[i + 32], words[i + 64], i) for i in range(32)]
    return [f"{i:2}  {hashed(row)}" for i, row in enumerate(zip(*lanes, strict=True))]


def in_kernel(body, before=""):
    """A program with one kernel of 32 threads that has an int."""
    return (
        f"#include <cstdio>\n{before}\n__global__ void k(unsigned* x) {{\n{body}\n}}\n"
        "int main() {\n  unsigned* x;\n  cudaMallocManaged(&x, 32 * sizeof *x);\n"
        "  for (int i = 0; i < 32; ++i) x[i] = i;\n  k<<<1, 32>>>(x);\n"
        '  cudaDeviceSynchronize();\n  printf("%u %u\\n", x[0], x[31]);\n  cudaFree(x);\n}\n'
    )


# {instruction: (bits of a number, is it signed, its result of two numbers)}
VIDEO = {
    "vadd4.u32.u32.u32": (8, False, lambda x, y: x + y),
    "vadd2.s32.s32.s32.sat": (16, True, lambda x, y: max(-(2**15), min(2**15 - 1, x + y))),
    "vsub4.u32.u32.u32.sat": (8, False, lambda x, y: max(0, x - y)),
    "vavrg2.u32.u32.u32": (16, False, lambda x, y: (x + y + 1) >> 1),
    "vmin4.s32.s32.s32": (8, True, min),
    "vmax2.u32.u32.u32": (16, False, max),
    "vabsdiff4.u32.u32.u32.add": (8, False, lambda x, y: abs(x - y)),
    "vmax4.s32.s32.s32.add": (8, True, max),
}
VIDEO_WORDS = (0x80FF017F, 0x7F8002FE, 12345)


def video_result(name, a, b, c):
    """A word."""
    bits, is_signed, operation = VIDEO[name]
    numbers = []
    for at in range(0, 32, bits):
        pair = [word >> at & (1 << bits) - 1 for word in (a, b)]
        numbers.append(operation(*(signed(x, bits) if is_signed else x for x in pair)))
    if name.endswith("add"):
        return c + sum(numbers) & WORD
    return sum((x & (1 << bits) - 1) << bits * i for i, x in enumerate(numbers))


class InlinePtxTest(unittest.TestCase):
    """Forms that are common in public programs."""

    def test_results(self):
        """Of arithmetic in Python; of the rest, what the program adds up by itself."""
        result = outcome(PROGRAM.read_text(), verb=["check"])
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[:24], expected_lines())
        # t, from 0 to 31: their sum, and the largest
        self.assertEqual(lines[25], "counters 496 31")
        self.assertEqual(fault_codes(result), set())

    def test_copies_and_loads(self):
        """The kernel memory(): 2 x + 1 of what another thread stored, and what cp.async brought."""
        lines = outcome(PROGRAM.read_text()).stdout.splitlines()
        values = []
        for t in range(28):
            group, at = divmod((t ^ 3) + 4, 4)  # of four, which were stored the other way round
            x = (4 * group + 3 - at) / 2
            values.append(2 * x + 1 + (4 * (31 - t // 4) + t % 4) / 2)
        words = [int.from_bytes(struct.pack("<f", value), "little") for value in values]
        self.assertEqual(lines[24], f"memory {hashed(words)}")

    def test_a_race_is_found(self):
        """A store by PTX is an access like others."""
        body = """
          __shared__ unsigned tile[64];
          unsigned at;
          asm("{.reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a;}" : "=r"(at) : "l"(tile));
          asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(threadIdx.x) : "memory");
          x[threadIdx.x] = tile[0];
        """
        result = outcome(in_kernel(body), verb=["check"])
        self.assertIn("race-in-shared-memory", fault_codes(result), result.stderr)

    def test_a_missing_wait_is_found(self):
        """cp.async arrives when it is waited for."""
        body = """
          __shared__ unsigned tile[32];
          const auto at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x);
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(x + threadIdx.x));
          x[threadIdx.x] = tile[threadIdx.x];
        """
        result = outcome(in_kernel(body), verb=["check"])
        self.assertNotEqual(fault_codes(result), set(), result.stderr)

    def test_memory_orders(self):
        """Release and acquire put blocks in order, by loads, stores and atomics; relaxed does not."""

        def send(text, value='"r"(1)'):
            return f'asm volatile("{text}" ::"l"(flag), {value} : "memory");'

        def receive(text, result="=r"):
            return f'asm volatile("{text}" : "{result}"(seen) : "l"(flag) : "memory");'

        release = send("st.release.gpu.global.u32 [%0], %1;")
        acquire = receive("ld.acquire.gpu.global.u32 %0, [%1];")
        relaxed = receive("ld.relaxed.gpu.global.u32 %0, [%1];")
        fence = 'asm volatile("fence.acq_rel.gpu;" ::: "memory");'
        in_order = [
            (release, acquire),
            (release, relaxed + fence),
            (fence + send("st.relaxed.gpu.global.u32 [%0], %1;"), acquire),
            (send("red.release.gpu.global.add.u32 [%0], %1;"), acquire),
            (release, receive("atom.acquire.gpu.global.cas.b32 %0, [%1], 1, 1;")),
        ]
        too_weak = [
            (release, relaxed),
            (send("st.relaxed.gpu.global.u32 [%0], %1;"), acquire),
            (send("st.release.cta.global.u32 [%0], %1;"), acquire),
            (send("red.relaxed.gpu.global.add.u32 [%0], %1;"), acquire),
            (send("red.release.cta.global.add.u32 [%0], %1;"), acquire),
        ]
        of_float = (
            send("st.release.gpu.global.f32 [%0], %1;", '"f"(1.0f)'),
            receive("ld.acquire.gpu.global.f32 %0, [%1];", "=f"),
        )
        pairs = [*in_order, *too_weak, of_float]
        kernels = "".join(
            f"""
            __global__ void pass{i}(float* data, {flag}* flag, float* out) {{
              if (blockIdx.x == 0) {{
                *data = 5;
                {sends}
              }} else {{
                {flag} seen = 0;
                do {{ {receives} }} while (seen != 1);
                *out = *data;
              }}
            }}"""
            for i, (sends, receives) in enumerate(pairs)
            for flag in ["float" if (sends, receives) == of_float else "unsigned"]
        )
        calls = "".join(
            f"pass{i}<<<2, 1>>>(data + {i}, (decltype(flag_of(pass{i})))flags + {i}, out + {i});\n"
            for i in range(len(pairs))
        )
        text = f"""
            #include <cstdio>
            {kernels}
            template <class Flag>
            Flag* flag_of(void (*)(float*, Flag*, float*));
            int main() {{
              constexpr int kAll = {len(pairs)};
              float *data, *out, results[kAll];
              unsigned* flags;
              cudaMalloc(&data, sizeof results);
              cudaMalloc(&out, sizeof results);
              cudaMalloc(&flags, sizeof results);
              cudaMemset(flags, 0, sizeof results);
              {calls}
              cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
              for (float result : results) printf("%g ", result);
              cudaFree(data);
              cudaFree(out);
              cudaFree(flags);
            }}
        """
        result = outcome(text, verb=["check"])
        self.assertEqual(result.stdout.split(), ["5"] * len(pairs), result.stderr)
        found = [(one["code"], one["kernel"]) for one in faults(result)]
        first = len(in_order)
        expected = [("race-between-blocks", f"pass{first + i}") for i in range(len(too_weak))]
        self.assertEqual(found, expected, result.stderr)

    def test_a_kernel_that_starts_early_waits(self):
        """griddepcontrol, in two kernels that add 1: without the wait, what the second one reads is early."""
        source = """
            #include <cstdio>
            __global__ void add(unsigned* x) {
              asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
              WAIT
              x[threadIdx.x] += 1;
            }
            int main() {
              unsigned *x, first;
              cudaMalloc(&x, 32 * sizeof *x);
              cudaMemset(x, 0, 32 * sizeof *x);
              cudaLaunchAttribute attribute = {};
              attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
              attribute.val.programmaticStreamSerializationAllowed = 1;
              cudaLaunchConfig_t config = {};
              config.gridDim = 1;
              config.blockDim = 32;
              config.attrs = &attribute;
              config.numAttrs = ATTRIBUTES;
              for (int i = 0; i < 2; ++i) cudaLaunchKernelEx(&config, add, x);
              cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
              printf("%u", first);
              cudaFree(x);
            }
        """
        wait = 'asm volatile("griddepcontrol.wait;" ::: "memory");'
        early = {"before-previous-kernel"}
        for waits, attributes, codes in ((wait, 1, set()), ("", 1, early), ("", 0, set())):
            text = source.replace("WAIT", waits).replace("ATTRIBUTES", str(attributes))
            result = outcome(text, verb=["check"])
            self.assertEqual(result.stdout.split()[0], "2", result.stderr)
            self.assertEqual(fault_codes(result), codes, result.stderr)
        # Nobody has let the second one start.
        text = source.replace("griddepcontrol.launch_dependents;", "").replace("WAIT", "")
        result = outcome(text.replace("ATTRIBUTES", "1"), verb=["check"])
        self.assertEqual(fault_codes(result), set(), result.stderr)

    def test_in_macros_with_names_of_the_program_s_own(self):
        """The program's `in`, `sum` and `load` are not ours."""
        before = """
#define ADD(to, a, b) \\
  asm volatile("add.u32 %0, %1, %2;" \\
               : "=r"(to) \\
               : "r"(a), "r"(b))
        """
        body = """
          unsigned in = x[threadIdx.x], sum = 7, load, out;
          ADD(load, in, sum);
          asm("mov.b32 %0, %1;" : "=r"(out) : "r"(load));
          if (threadIdx.x == 31) asm volatile("st.global.u32 [%0], %1;" ::"l"(x + 31), "r"(out));
          else x[threadIdx.x] = out;
        """
        result = outcome(in_kernel(body, before))
        self.assertEqual(result.stdout, "7 38\n", result.stderr)

    def test_video_instructions(self):
        """Two or four numbers in a word; those whose results do not fit in their places are refused."""
        a, b, c = VIDEO_WORDS
        lines = [f"unsigned a = {a}u, b = {b}u, c = {c}u, y;"]
        for name in VIDEO:
            lines.append(f'asm("{name} %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));')
            lines.append('if (threadIdx.x == 0) printf("%u\\n", y);')
        result = outcome(in_kernel("\n".join(lines)))
        expected = [str(video_result(name, a, b, c)) for name in VIDEO]
        self.assertEqual(result.stdout.split()[:-2], expected, result.stderr)
        for name in ("vadd4.u32.u32.u32.add", "vadd4.u32.s32.u32", "vset4.u32.u32.eq"):
            body = f'asm("{name} %0, %0, %0, %0;" : "+r"(x[0]));'
            found = outcome(in_kernel(body)).found["findings"]
            self.assertEqual([one["code"] for one in found], ["not-emulated"], name)

    def test_multiprocessors(self):
        """Blocks that run at the same time are on different ones; with one % as well."""
        result = outcome("""
            #include <cstdio>
            __global__ void k(unsigned* sms) {
              unsigned sm, count;
              asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
              asm("mov.u32 %0, %%nsmid;" : "=r"(count));
              if (sm < count) atomicAdd(sms + sm, 1);
            }
            int main() {
              unsigned* sms;
              cudaMallocManaged(&sms, 8 * sizeof *sms);
              cudaMemset(sms, 0, 8 * sizeof *sms);
              k<<<dim3(2, 4), 1>>>(sms);
              cudaDeviceSynchronize();
              for (int i = 0; i < 8; ++i) printf("%u", sms[i]);
              cudaFree(sms);
            }
        """)
        self.assertEqual((result.stdout, result.returncode), ("1" * 8, 0), result.stderr)

    def test_in_functions_of_both_sides(self):
        """Where __CUDA_ARCH__ is asked for: PTX on the device, the host's assembler on the host."""
        source = """
            #include <cstdio>
            #include "sides.h"
            BOTH unsigned bits(unsigned x, unsigned first) {
              unsigned result;
            #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 200
              asm("bfe.u32 %0, %1,"
                  " %2, 8;" : "=r"(result) : "r"(x), "r"(first));
            #else
              asm("movl $5, %0" : "=r"(result));
            #endif
              return result;
            }
            __global__ void k(unsigned* x) { *x = bits(0x1234, 4); }
            int main() {
              unsigned* x;
              cudaMallocManaged(&x, sizeof *x);
              k<<<1, 1>>>(x);
              cudaDeviceSynchronize();
              printf("%x %u", *x, bits(0x1234, 4));
              cudaFree(x);
            }
        """
        both = "inline __host__ __device__"
        for text in (source, source.replace("BOTH", both)):
            result = outcome(text, files={"sides.h": f"#define BOTH {both}\n"})
            self.assertEqual((result.stdout, result.returncode), ("23 5", 0), result.stderr)

    def test_functions_of_common_ptx(self):
        """As they are found by themselves, in the folder that nvcc is given, and in a copy of it."""
        body = """
          __shared__ unsigned tile[64];
          __shared__ ladder::ptx::Mbarrier full;
          if (threadIdx.x == 0) ladder::ptx::mbarrier_init(&full, 32);
          __syncthreads();
          tile[threadIdx.x] = threadIdx.x;
          ladder::ptx::mbarrier_arrive(&full);
          ladder::ptx::mbarrier_wait(&full, 0);
          x[threadIdx.x] = tile[31 - threadIdx.x];
        """
        text = in_kernel(body, '#include "common/ptx/mbarrier.cuh"')
        names = ["common/ptx/mbarrier.cuh", "common/ptx/here.cuh", "common/device.cuh"]
        copy = {name: (SOURCES / name).read_text() for name in names}
        for words, files in (((), {}), (("-I", str(SOURCES)), {}), (("-I", "."), copy)):
            result = outcome(text, *words, verb=["check"], files=files)
            self.assertEqual((result.returncode, result.stdout), (0, "31 0\n"), result.stderr)
            self.assertEqual(fault_codes(result), set(), result.stderr)

    def test_what_it_lacks_is_named(self):
        """With the line of the asm; also in a macro that puts its text together."""
        for body, name in (
            ('asm volatile("wgmma.fence.sync.aligned;");', "wgmma.fence.sync.aligned"),
            ('asm volatile("{\\nL:\\n bra L;\\n}");', "label"),
            ('asm volatile("mov.u32 %0, %%smid_of_other;" : "=r"(x[0]));', "%smid_of_other"),
        ):
            result = outcome(in_kernel(body))
            self.assertEqual(result.returncode, 2)
            first = result.found["findings"][0]
            self.assertEqual((first["code"], first["line"]), ("not-emulated", 4), result.stderr)
            self.assertIn(name, result.stderr)

    def test_what_it_lacks_is_refused_where_it_is_used(self):
        """Not in a function that nobody calls; in one that is called, through whatever inlines it."""
        before = """
#define VOTE(name, type) \\
  __device__ inline int name(int x) { \\
    asm volatile("no." #type " %0, %1;" : "=r"(x) : "r"(x)); \\
    return x; \\
  }
          VOTE(both, b32)
          template <class T> __device__ T fence(T x) {
            asm volatile("no.fence;"); return x; }
        """
        result = outcome(in_kernel("x[0] = 0;", before))
        self.assertEqual(result.returncode, 0, result.stderr)
        for body, line in (("x[0] = both(x[0]);", 8), ("x[0] = fence(x[0]);", 10)):
            result = outcome(in_kernel(body, before))
            self.assertEqual(result.returncode, 2)
            self.assertEqual(
                [(one["code"], one["line"]) for one in result.found["findings"]],
                [("not-emulated", line)],
                result.stderr,
            )

    def test_the_host_s_assembler_is_the_host_s(self):
        """Not PTX."""
        source = (
            'int main() {\n  int x = 0;\n  asm volatile("movl $5, %0" : "=r"(x));\n  return x;\n}\n'
        )
        self.assertEqual(outcome(source).returncode, 5)


if __name__ == "__main__":
    unittest.main()
