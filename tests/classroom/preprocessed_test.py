"""Words that switch the counting of accesses off, or that nobody counts: however they are spelled,
they are found where they stand; what CUDA's words stand for is not taken for them."""

import os
import pathlib
import tempfile
import unittest

from bench.rungs import own_rungs, rung_of
from classroom.counters import counters_in
from classroom.kernel_library import CompileError
from classroom.preprocessed import code_faults, directive_faults, directives_of, own_code
from classroom.rules import source_faults
from classroom.starters import whole, write_to

INCLUDE = '#include "common/device.cuh"\n'
ALL = os.environ.get("LADDER_TEST_ALL")
# Behind the include of rung 02's kernel.cuh: (text, the line of it that is named, part of the word)
HIDDEN = {
    "attribute": ('[[gnu::no_sanitize("thread")]] int f();', 1, "no_sanitize"),
    "underscores": ("[[__gnu__::__no_sanitize_thread__]] int f();", 1, "no_sanitize_thread"),
    "spaces": ("[ [ gnu /**/ ::\n no_sanitize_thread ] ] int f();", 1, "no_sanitize_thread"),
    "using": ("[[using gnu: hot, no_sanitize_thread]] int f();", 1, "no_sanitize_thread"),
    "macro": ("#define G gnu\n[[G::no_sanitize_thread]] int f();", 2, "no_sanitize_thread"),
    "joined words": (
        "#define JOIN(a, b) a##b\n[[JOIN(g, nu)::JOIN(no_sanitize, _thread)]] int f();",
        2,
        "no_sanitize_thread",
    ),
    "continued line": ("__attri\\ \nbute__((no_sanitize_thread)) int f();", 1, "no_sanitize"),
    "digraphs": ('<:<: gnu::target("avx512f") :>:> int f();', 1, "target"),
    "no_instrument": ("__attribute__((no_instrument_function)) int f();", 1, "no_instrument"),
    "optimize": ('[[gnu::optimize("O0")]] int f();', 1, "optimize"),
    "second in a list": ("[[gnu::hot, gnu::naked]] int f();", 1, "naked"),
    "ifunc": ('__attribute__((ifunc("g"))) int f();', 1, "ifunc"),
    "pragma": ('#pragma GCC optimize("O0")', 1, "GCC optimize"),
    "_Pragma": ('_Pragma("GCC push_options")', 1, "GCC push_options"),
    "_Pragma of a macro": ('#define P(x) _Pragma(#x)\nP(GCC target("sse"))', 2, "GCC target"),
    "_Pragma on two lines": ('_Prag\\\t\nma("GCC pop_options")', 2, "GCC pop_options"),
    "behind a digit separator": (
        "constexpr int kA = 1'0, kB = '/*';\n_Pragma(\"GCC optimize(1)\")\nconstexpr int kC = '*/';",
        2,
        "GCC optimize",
    ),
    "assembly": ('__asm__("nop");', 1, "assembly"),
    "assembly on two lines": ('inline void f() { __a\\ \nsm("nop"); }', 1, "assembly"),
    "a vector instruction": (
        "inline void f(void* p) { __builtin_ia32_clflush(p); }",
        1,
        "__builtin_ia32_clflush",
    ),
    "a copy that nobody is told of": (
        "inline void f(void* a, void* b) { __builtin_mempcpy(a, b, 12); }",
        1,
        "__builtin_mempcpy",
    ),
    "a word that is undone": (
        "#undef memcpy\ninline void f(void* a, void* b) { memcpy(a, b, 12); }",
        2,
        "memcpy",
    ),
    "the tracer's own": ('extern "C" void __tsan_read4(void*);', 1, "__tsan_read4"),
}
HARMLESS = """
#pragma message("read " __FILE__)
#pragma GCC unroll 4
_Pragma("unroll")
#pragma GCC diagnostic ignored "-Wunused"
[[maybe_unused]] static const char* const kText = "__attribute__((naked)) asm [[gnu::x]]";
[[nodiscard, gnu::always_inline]] inline int f() { return 1'000; }
__attribute__((noinline)) int g();
[[unknown::hot]] inline float pick(const float (&a)[4]) { return a[([] { return 0; }())]; }
typedef float Quad __attribute__((vector_size(16), aligned(4)));
struct __align__(16) Pair { float x, y; };
#define asm_is_not_here 1  // asm volatile
inline void copy(void* a, void* b) {
  memcpy(a, b, 12), std::memset(a, 0, 1), __builtin_memcpy(a, b, 3);
}
"""


def faults_of(text, rung=2):
    """What is said of a rung with a text behind its include."""
    files = whole(rung_of(rung))
    if text:
        assert files["kernel.cuh"].count(INCLUDE) == 1
        files["kernel.cuh"] = files["kernel.cuh"].replace(INCLUDE, f"{INCLUDE}\n{text}\n")
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        write_to(folder / "sources", files)
        return source_faults(folder / "sources", rung_of(rung), folder / "build")


class PreprocessedTest(unittest.TestCase):
    """source_faults() and what it is made of."""

    before = whole(rung_of(2))["kernel.cuh"].split(INCLUDE)[0].count("\n") + 2

    def test_no_spelling_hides_a_word(self):
        """The line is named, and what is wrong with it."""
        for name, (text, line, said) in HIDDEN.items():
            with self.subTest(name):
                found = faults_of(text)
                self.assertTrue(found, text)
                self.assertIn(f"kernel.cuh:{self.before + line}: ", found[0][1])
                self.assertIn(said, " ".join(sentence for _, sentence in found))

    def test_what_is_harmless_passes(self):
        """Attributes that change nothing; words in texts and comments."""
        self.assertEqual(faults_of(HARMLESS), [])

    def test_rungs_pass(self):
        """With what CUDA's words stand for in them."""
        for number in list(own_rungs())[:: 1 if ALL else 4]:
            with self.subTest(number):
                self.assertEqual(faults_of("", number), [])

    def test_a_file_that_is_not_preprocessed(self):
        """The compiler's sentence, as for any other mistake."""
        with self.assertRaises(CompileError):
            faults_of('#include "of_nobody.hpp"')

    def test_lines_cannot_be_given_to_somebody_else(self):
        """#line in any form, and what a file that is left would own."""
        for text in ('#line 1 "a.h"', '# 1 "a.h" 1 3', "%:li\\ \nne 5", "/* a\n*/ # /**/ line 7"):
            with self.subTest(text):
                self.assertEqual(len(directive_faults("kernel.cuh", f"int a;\n{text}\n")), 1)
        self.assertEqual(directive_faults("a", "int a; /*\n*/ # line 7\n"), [])
        self.assertEqual(len(directive_faults("a", 'auto a = R\\\n"(x)";')), 1)
        self.assertEqual(directive_faults("a", '// R"(\n/* #line 1 */ "#line" \'R"(\'\n'), [])

    def test_directives(self):
        """With their lines, names and words, in whatever they are wrapped."""
        text = (
            "  #  include <vector>  // why\n"
            "int a; #define B\n"
            "/* # define C */ # /* */ define D(x) \\\n  x /* more\n of it */ + 1\n"
            "constexpr int e = 1'0; /* '\n#if 0\n*/\n"
            '%:include "a.h"\n#\n#ifdef don\'t\n'
        )
        self.assertEqual(
            directives_of(text),
            [
                (1, "include", "<vector>"),
                (3, "define", "D(x) x + 1"),
                (9, "include", '"a.h"'),
                (10, "", ""),
                (11, "ifdef", "don't"),
            ],
        )

    def test_only_the_students_lines_count(self):
        """Whose they are depends on which file is open, not on what a line calls itself."""
        text = (
            '# 0 "/out/own/x/launch.cu"\n# 0 "<built-in>"\n# 1 "/usr/include/a.h" 1 3 4\n'
            '__asm__("");\n# 0 "<command-line>" 2\n# 1 "/out/own/x/launch.cu"\n'
            '# 1 "/src/own/x/launch.cu"\n# 1 "/src/common/a.hpp" 1\n__asm__("");\n'
            '# 5 "/src/own/x/launch.cu" 2\n\n__asm__("");\n# 9 "/usr/include/b.h"\n__asm__("");\n'
        )
        found = code_faults(text, ("/out/own/x/", "/src/own/x/"))
        self.assertEqual([sentence.split(" ")[0] for _, sentence in found][0], "launch.cu:6:")
        self.assertEqual(len(found), 2)


COUNT = 'void f(int a) { if (a) ++x; x++; x += a; atomicAdd(&x, a); printf("%d %s", x, ""); }'
# What lets a call depend on an earlier one, after `int x = 0;`
DEPENDS = (
    "int f() { return x; }",
    "void f() { if (++x > 4) return; }",
    "int f() { return (int)++x; }",
    "int f() { return ({ ++x; }) > 4; }",
    "int f() { int y = x++; return y; }",
    "int& f = x;",
    "int* f = &x;",
    "void f(int* y) { *y += x; }",
    'int f() { return printf("%d", x); }',
    'void f(int* y) { printf("%*d%n", x, 1, y); }',
    'void f(int* y) { printf("%d%n", x, y); }',
    'void f(int* y) { printf("%d%" "n", x, y); }',
    'void f(int* y) { printf("%d%*hhn", x, 9, y); }',
    'void f(int* y) { printf("%d\\x25n", x, y); }',
    'void f(int* y) { printf(g, "%d", x, y); }',
    "int printf(const char*, int y) { return z = y; }",
    "const auto atomicAdd = [](int* y, int) { z = *y; };",
    "using mine::printf;",
    'void f(int* y) { printf(y + "%d", x); }',
    'void f(int* y) { printf("%d%n" + 0, x, y); }',
    'void f(int* y) { snprintf(y, 9, "%d", x); }',
    "int f() { return atomicAdd(&x, 1); }",
    "void f() { atomicAdd(&x, 1) > 4 ? g() : h(); }",
    "void f() { for (x += 1; x < 4;) g(); }",
    "void f() { x -= 1, g(x); }",
    "void f() { x = 1; }",
    "void f() { y += x; }",
    "struct X { int x[9]; };",
)


class CountersTest(unittest.TestCase):
    """counters_in()"""

    @staticmethod
    def counters(text):
        """Of a file of the student's."""
        return counters_in(own_code(f'# 1 "/w/a.cu"\n{text}\n', ("/w/",)))

    def test_what_only_counts(self):
        for begin in ("int x;", "static long x = 0;", "unsigned x{};", "__device__ int x{0};"):
            self.assertEqual(self.counters(f"{begin} {COUNT}"), {"x"}, begin)

    def test_what_something_depends_on(self):
        for text in DEPENDS:
            self.assertEqual(self.counters(f"int x = 0; {COUNT} {text}"), set(), text)
        self.assertEqual(self.counters("int x[4]; void f() { ++x; }"), set())
        self.assertEqual(self.counters("int x = g(); void f() { ++x; }"), set())


if __name__ == "__main__":
    unittest.main()
