"""CUDA's mathematical words, against Python's own arithmetic."""

import math
import random
import statistics
import struct
import unittest

from tests.glassbox.own_program import in_main, outcome

SEED = 21
NORMAL = statistics.NormalDist()


def printed(test, calls, includes=""):
    """What a kernel prints that computes these expressions, one a line."""
    body = "\n".join(f'  printf("{form}\\n", {call});' for form, call in calls)
    program = in_main(
        "k<<<1, 1>>>(); return cudaDeviceSynchronize();",
        f"{includes}\n"
        "template <class T> T in(T x) { volatile T y = x; return y; }\n"
        "template <class... P> float sine(void (*f)(float, float*, float*), float x) {\n"
        "  float s, c; f(x, &s, &c); return s + 10 * c; }\n"
        f"__global__ void k() {{\n{body}\n}}",
    )
    result = outcome(program, verb=["run"])
    test.assertEqual(result.returncode, 0, result.stderr)
    return result.stdout.split()


def signed(x, bits=32):
    """The lowest bits as a two's complement number."""
    x &= 2**bits - 1
    return x - 2**bits if x >> (bits - 1) else x


def packed(x, bits, is_signed):
    """The numbers that lie packed in 32 bits, the lowest first."""
    parts = [x >> shift & (2**bits - 1) for shift in range(0, 32, bits)]
    return [signed(part, bits) for part in parts] if is_signed else parts


def dot(a, b, c):
    """c plus a dot product."""
    return c + sum(x * y for x, y in zip(a, b, strict=False))


def half(x):
    """Rounded to binary16."""
    return struct.unpack("<e", struct.pack("<e", x))[0]


# Each double function, what it should return for x in (0, 1), and whether CUDA has a float one.
FUNCTIONS = {
    "normcdf": NORMAL.cdf,
    "normcdfinv": NORMAL.inv_cdf,
    "erfinv": lambda x: NORMAL.inv_cdf((x + 1) / 2) / math.sqrt(2),
    "erfcinv": lambda x: -NORMAL.inv_cdf(x / 2) / math.sqrt(2),
    "erfcx": lambda x: math.exp(x * x) * math.erfc(x),
    "sinpi": lambda x: math.sin(math.pi * x),
    "cospi": lambda x: math.cos(math.pi * x),
    "rcbrt": lambda x: x ** (-1 / 3),
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "exp10": lambda x: 10**x,
    "cyl_bessel_i0": lambda x: sum((x / 2) ** (2 * i) / math.factorial(i) ** 2 for i in range(20)),
    "cyl_bessel_i1": lambda x: sum(
        (x / 2) ** (2 * i + 1) / math.factorial(i) / math.factorial(i + 1) for i in range(20)
    ),
}
FAST = {
    "__expf": math.exp,
    "__exp10f": lambda x: 10**x,
    "__logf": math.log,
    "__log2f": math.log2,
    "__log10f": math.log10,
    "__sinf": math.sin,
    "__cosf": math.cos,
    "__tanf": math.tan,
    "__frsqrt_rn": lambda x: 1 / math.sqrt(x),
    "__frcp_rn": lambda x: 1 / x,
    "__fsqrt_rn": math.sqrt,
    "__saturatef": lambda x: x,
}
EDGES = {
    "erfcinv(1e-200)": 21.374783049026256,  # found by bisection of math.erfc()
    "erfcx(-3.0)": math.exp(9) * math.erfc(-3),
    "erfcx(1e3) * 1e3": (1 - 5e-7) / math.sqrt(math.pi),
    "sinpi(1e6)": 0,
    "cospi(0.5)": 0,
    "cospi(-3.0)": -1,
    "sinpi(-2.5)": -1,
    "rhypot(3.0, 4.0)": 0.2,
    "norm3d(2.0, 3.0, 6.0)": 7,
    "rnorm4df(1.f, 1.f, 1.f, 1.f)": 0.5,
    "fdividef(1.f, 8.f)": 0.125,
    "__fdividef(1.f, 8.f)": 0.125,
    "__powf(2.f, 0.5f)": math.sqrt(2),
    "sine(sincosf, 1.f)": math.sin(1) + 10 * math.cos(1),
    "sine(__sincosf, 1.f)": math.sin(1) + 10 * math.cos(1),
    "sine(sincospif, 0.25f)": 11 * math.sqrt(0.5),
    "__saturatef(NAN)": 0,
    "__saturatef(-2.f)": 0,
    "__saturatef(2.f)": 1,
    "(double)__double2hiint(1.0)": 0x3FF00000,
    "(double)__double2loint(__hiloint2double(5, 7))": 7,
}


class MathWordsTest(unittest.TestCase):
    """Real functions, integer functions, pairs of halves."""

    def setUp(self):
        print(f"seed {SEED}")
        self.random = random.Random(SEED)

    def near(self, calls, expected, tolerances, includes=""):
        """Each within its tolerance, relative to the larger of it and 1e-3."""
        for (_, call), value, tolerance, text in zip(
            calls, expected, tolerances, printed(self, calls, includes), strict=True
        ):
            bound = tolerance * max(abs(value), 1e-3)
            self.assertLessEqual(abs(float(text) - value), bound, call)

    def test_real_functions(self):
        """To a few units in the last place."""
        calls, expected, tolerances = [], [], []

        def add(call, value, tolerance):
            calls.append(("%.17g", call))
            expected.append(value)
            tolerances.append(tolerance)

        for x in (0.03125, self.random.randrange(100, 900) / 1024):
            for name, function in FUNCTIONS.items():
                add(f"{name}(in({x}))", function(x), 1e-13)
                add(f"{name}f(in({x}f))", function(x), 3e-7)
            for name, function in FAST.items():
                add(f"{name}(in({x}f))", function(x), 3e-7)
        for call, value in EDGES.items():
            add(call, value, 3e-7)
        self.near(calls, expected, tolerances)

    def test_integer_functions(self):
        """To the bit, at random numbers."""
        calls, expected = [], []
        for _ in range(4):
            x, y = self.random.getrandbits(32), self.random.getrandbits(32)
            z, s = self.random.getrandbits(64), self.random.randrange(70)
            sx, sy, pair = signed(x), signed(y), y << 32 | x
            u8, s8 = packed(y, 8, False), packed(y, 8, True)
            u16, s16 = packed(x, 16, False), packed(x, 16, True)
            for call, value in {
                f"__brev({x}u)": int(f"{x:032b}"[::-1], 2),
                f"__brevll({z}ull)": int(f"{z:064b}"[::-1], 2),
                f"__popc({x}u)": x.bit_count(),
                f"__popcll({z}ull)": z.bit_count(),
                f"__clz((int){x}u)": 32 - x.bit_length(),
                f"__clzll((long long){z}ull)": 64 - z.bit_length(),
                f"__ffs((int){x}u)": (x & -x).bit_length(),
                f"__mul24((int){x}u, (int){y}u)": signed(signed(x, 24) * signed(y, 24)),
                f"__umul24({x}u, {y}u)": (x % 2**24) * (y % 2**24) % 2**32,
                f"__mulhi((int){x}u, (int){y}u)": sx * sy >> 32,
                f"__umulhi({x}u, {y}u)": x * y >> 32,
                f"__umul64hi({z}ull, {z}ull)": z * z >> 64,
                f"__sad((int){x}u, (int){y}u, 5u)": (abs(sx - sy) + 5) % 2**32,
                f"__hadd((int){x}u, (int){y}u)": sx + sy >> 1,
                f"__rhadd((int){x}u, (int){y}u)": sx + sy + 1 >> 1,
                f"__uhadd({x}u, {y}u)": x + y >> 1,
                f"__urhadd({x}u, {y}u)": x + y + 1 >> 1,
                f"__funnelshift_l({x}u, {y}u, {s}u)": (pair << s % 32) >> 32 & 0xFFFFFFFF,
                f"__funnelshift_r({x}u, {y}u, {s}u)": pair >> s % 32 & 0xFFFFFFFF,
                f"__funnelshift_lc({x}u, {y}u, {s}u)": (pair << min(s, 32)) >> 32 & 0xFFFFFFFF,
                f"__funnelshift_rc({x}u, {y}u, {s}u)": pair >> min(s, 32) & 0xFFFFFFFF,
                f"__dp4a((int){x}u, (int){y}u, -9)": dot(packed(x, 8, True), s8, -9),
                f"__dp4a({x}u, {y}u, 9u)": dot(packed(x, 8, False), u8, 9),
                f"__dp4a(make_char4(1, -2, 3, 4), make_char4(5, 6, 7, {s}), 1)": 15 + 4 * s,
                f"__dp2a_lo((int){x}u, (int){y}u, 3)": dot(s16, s8[:2], 3),
                f"__dp2a_hi((int){x}u, (int){y}u, 3)": dot(s16, s8[2:], 3),
                f"__dp2a_lo({x}u, {y}u, 3u)": dot(u16, u8[:2], 3),
                f"__dp2a_hi({x}u, {y}u, 3u)": dot(u16, u8[2:], 3),
                f"ullmax({z}ull, {x}ull)": max(z, x),
                f"llmin(-3, {x}ll)": -3,
            }.items():
                calls.append(("%llu", f"(unsigned long long)({call})"))
                expected.append(value % 2**64)
        for (_, call), value, text in zip(calls, expected, printed(self, calls), strict=True):
            self.assertEqual(int(text), value, call)

    def test_pairs_of_halves(self):
        """Each half as the word for one number computes it, which rounds to binary16."""
        includes = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>"
        a, b = (1.5, -2.25), (0.7001953125, 3.125)
        words = {
            "__hadd2": lambda x, y: x + y,
            "__hsub2": lambda x, y: x - y,
            "__hmul2_rn": lambda x, y: x * y,
            "__h2div": lambda x, y: x / y,
            "__hmax2": max,
            "__hmin2": min,
            "__hadd2_sat": lambda x, y: min(max(x + y, 0), 1),
            "__hmul2_sat": lambda x, y: min(max(x * y, 0), 1),
            "__hlt2": lambda x, y: float(x < y),
            "__hge2": lambda x, y: float(x >= y),
        }
        singles = {
            "h2exp": math.exp,
            "h2sin": math.sin,
            "h2tanh": math.tanh,
            "h2rcp": lambda x: 1 / x,
            "h2floor": math.floor,
            "h2rint": round,
            "__habs2": abs,
            "__hneg2": lambda x: -x,
        }
        calls, expected = [], []
        pair = "__floats2half2_rn({}f, {}f)".format
        for word, function in words.items():
            for i, side in enumerate(("low", "high")):
                calls.append(("%.17g", f"__{side}2float({word}({pair(*a)}, {pair(*b)}))"))
                expected.append(half(function(a[i], b[i])))
        for word, function in singles.items():
            for i, side in enumerate(("low", "high")):
                calls.append(("%.17g", f"__{side}2float({word}({pair(*a)}))"))
                expected.append(half(function(a[i])))
        other = "__floats2bfloat162_rn(1.5f, -2.f)"
        for call, value in {
            f"__high2float(__hfma2_relu({other}, {other}, {other}))": 2,
            f"__low2float(__lowhigh2highlow({other}))": -2,
            f"(float)__hbeq2({other}, {other})": 1,
            f"(float)__hblt2({other}, __habs2({other}))": 0,
            f"__high2float({other} / {other})": 1,
        }.items():
            calls.append(("%.17g", call))
            expected.append(value)
        self.near(calls, expected, [0] * len(calls), includes)


if __name__ == "__main__":
    unittest.main()
