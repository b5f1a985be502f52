"""Arithmetic and conversions that choose their rounding, against exact fractions."""

import math
import random
import struct
import unittest
from fractions import Fraction

from tests.glassbox.own_program import in_main, outcome

SEED = 20
MODES = ("rn", "rz", "ru", "rd")
INTEGERS = {"int": (31, True), "uint": (32, False), "ll": (63, True), "ull": (64, False)}
C_TYPES = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


def float_of(bits):
    """The number that has these 32 bits."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def neighbours(x, is_float):
    """The numbers of x's type directly below and above x, which is not 0."""
    if not is_float:
        return math.nextafter(x, -math.inf), math.nextafter(x, math.inf)
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    away, towards = float_of(bits + 1), float_of(bits - 1)
    return (towards, away) if x > 0 else (away, towards)


def is_rounded(result, compare, mode, is_float):
    """Is the result the exact value, rounded?

    compare: of a fraction, -1, 0 or 1 where the exact value is smaller, equal or larger
    """
    below, above = neighbours(result, is_float)
    side = compare(Fraction(result))
    if side == 0:
        return True
    if mode == "rz":
        mode = "rd" if compare(Fraction(0)) > 0 else "ru"
    if mode == "rd":
        return side > 0 and compare(Fraction(above)) < 0
    if mode == "ru":
        return side < 0 and compare(Fraction(below)) > 0
    near = (Fraction(result) + Fraction(above if side > 0 else below)) / 2
    return compare(near) * side <= 0


def exactly(value):
    """Compares a fraction with this one."""
    return lambda other: (value > other) - (value < other)


def root_of(value):
    """Compares a fraction with the square root of this one."""
    return lambda other: 1 if other < 0 else (value > other * other) - (value < other * other)


OPERATIONS = {  # by CUDA's word without the first letters
    "add": (2, lambda x, y: exactly(x + y)),
    "sub": (2, lambda x, y: exactly(x - y)),
    "mul": (2, lambda x, y: exactly(x * y)),
    "div": (2, lambda x, y: exactly(x / y)),
    "fma": (3, lambda x, y, z: exactly(x * y + z)),
    "rcp": (1, lambda x: exactly(1 / x)),
    "sqrt": (1, lambda x: root_of(abs(x))),
}


def word_of(operation, is_float, mode):
    """__fadd_rn and its like."""
    if operation == "fma":
        return f"__fma{'f' if is_float else ''}_{mode}"
    return f"__{'f' if is_float else 'd'}{operation}_{mode}"


def literal(x):
    """A number as C++ writes it, to the bit."""
    return (
        x.hex() if math.isfinite(x) else "NAN" if x != x else "-INFINITY" if x < 0 else "INFINITY"
    )


def run(test, calls):
    """What a kernel prints that computes these expressions, one a line."""
    body = "\n".join(f'  printf("{form}\\n", {call});' for form, call in calls)
    # The inputs are read from memory, so that the CPU computes and not the compiler.
    result = outcome(
        in_main(
            "k<<<1, 1>>>(); return cudaDeviceSynchronize();",
            "template <class T> T in(T x) { volatile T y = x; return y; }\n"
            f"__global__ void k() {{\n{body}\n}}",
        ),
        verb=["run"],
    )
    test.assertEqual(result.returncode, 0, result.stderr)
    return result.stdout.split()


class RoundingTest(unittest.TestCase):
    """All words, a few random inputs each."""

    def setUp(self):
        print(f"seed {SEED}")
        self.random = random.Random(SEED)

    def number(self, is_float):
        """Of either sign, and no power of two."""
        x = self.random.uniform(0.1, 9) * self.random.choice((-1, 1))
        return struct.unpack("<f", struct.pack("<f", x))[0] if is_float else x

    def test_arithmetic_is_rounded_as_its_name_says(self):
        """add, sub, mul, div, fma, rcp and sqrt, of float and of double."""
        cases, calls = [], []
        for is_float in (True, False):
            for operation, (count, exact) in OPERATIONS.items():
                for mode in MODES:
                    for _ in range(3):
                        inputs = [self.number(is_float) for _ in range(count)]
                        if operation == "sqrt":
                            inputs = [abs(inputs[0])]
                        word = word_of(operation, is_float, mode)
                        suffix = "f" if is_float else ""
                        words = ", ".join(f"in({literal(x)}{suffix})" for x in inputs)
                        calls.append(("%a", f"{word}({words})"))
                        cases.append((exact(*map(Fraction, inputs)), mode, is_float))
        for (_, call), case, text in zip(calls, cases, run(self, calls), strict=True):
            with self.subTest(call=call, result=text):
                compare, mode, is_float = case
                self.assertTrue(is_rounded(float.fromhex(text), compare, mode, is_float))

    def test_conversions_to_integers(self):
        """Rounded, and the nearest integer there is for what is too large."""
        whole = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}
        calls, expected = [], []
        for real in ("float", "double"):
            for name, (digits, signed) in INTEGERS.items():
                low = -(2**digits) if signed else 0
                wide = name.endswith("ll") or real == "double"
                nan = (low if signed else 2 ** (digits - 1)) if wide else 0
                for mode in MODES:
                    for x in (2.5, -3.5, -0.75, 3e9, -3e9, 1e30, math.inf, math.nan):
                        calls.append(
                            (
                                "%lld" if signed else "%llu",
                                f"({'' if signed else 'unsigned '}long long)"
                                f"__{real}2{name}_{mode}(in<{real}>({literal(x)}))",
                            )
                        )
                        if x != x:
                            expected.append(nan)
                            continue
                        n = whole[mode](x) if math.isfinite(x) else 2**70
                        expected.append(min(max(n, low), 2**digits - 1))
        for (_, call), value, text in zip(calls, expected, run(self, calls), strict=True):
            self.assertEqual(int(text), value, call)

    def test_conversions_from_integers_and_doubles(self):
        """Of integers that the real type does not hold."""
        calls, cases = [], []
        for real in ("float", "double"):
            for name, (digits, signed) in INTEGERS.items():
                if real == "double" and digits < 60:
                    continue
                for mode in MODES:
                    for sign in (1, -1) if signed else (1,):
                        n = sign * (2**digits - self.random.randrange(3, 2 ** (digits - 3)))
                        text = (
                            f"in<{C_TYPES[name]}>({n}{'' if signed else 'u'}{'ll' * (digits > 60)})"
                        )
                        calls.append(("%a", f"__{name}2{real}_{mode}({text})"))
                        cases.append((exactly(Fraction(n)), mode, real == "float"))
        for mode in MODES:
            for _ in range(4):
                x = self.number(is_float=False)
                calls.append(("%a", f"__double2float_{mode}(in({literal(x)}))"))
                cases.append((exactly(Fraction(x)), mode, True))
        for (_, call), case, text in zip(calls, cases, run(self, calls), strict=True):
            with self.subTest(call=call, result=text):
                compare, mode, is_float = case
                self.assertTrue(is_rounded(float.fromhex(text), compare, mode, is_float))


if __name__ == "__main__":
    unittest.main()
