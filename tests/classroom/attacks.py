"""Sources that want something of the grader's machine: a file, a device, its memory, its patience,
words in somebody's feedback. @SECRET@ stands for the path of a file that only the grader may read.
"""

import dataclasses

from tests.classroom.oddities import RUN, Oddity, in_front


@dataclasses.dataclass(frozen=True)
class Attack:
    """Edits of rung 02, and part of the reason that the grade gives."""

    name: str
    edits: tuple
    said: str

    def files(self, secret):
        """{name: bytes}"""
        whole = Oddity(self.name, self.edits).files()
        return {name: data.replace(b"@SECRET@", bytes(secret)) for name, data in whole.items()}


def front(name, text, said):
    """An attack by text behind the include of kernel.cuh."""
    return Attack(name, in_front(text), said)


NOT_THERE = "There is no such file"
ATTACKS = (
    front("incbin", 'asm(".incbin \\"/etc/passwd\\"");', "PTX"),
    front("incbin of the secret", '__asm__(".incbin \\"@SECRET@\\"");', "assembly"),
    front("incbin by pieces", '#define A(x) as##x\nA(m)(".inc" "bin \\"/etc/passwd\\"");', "PTX"),
    front("incbin in a name", 'extern int x __asm__("y\\n.incbin \\"/etc/passwd\\"");', "assembly"),
    front("include", '#include "/etc/passwd"', NOT_THERE),
    front("include of the secret", '#include "@SECRET@"', NOT_THERE),
    front(
        "include of a folder above", '#include "../../../../../../../../../etc/passwd"', NOT_THERE
    ),
    front("include by a macro", "#define F </etc/passwd>\n#include F", NOT_THERE),
    front(
        "include by a text", "#define S(x) #x\n#define T(x) S(x)\n#include T(@SECRET@)", NOT_THERE
    ),
    front("spliced include", '#inc\\\nlude "/etc/pass\\\nwd"', NOT_THERE),
    front("digraph", '%:include "/etc/passwd"', NOT_THERE),
    front("include_next", "#include_next </etc/passwd>", NOT_THERE),
    front("import", '#import "@SECRET@"', NOT_THERE),
    front("itself", "#include __FILE__", NOT_THERE),
    front("a device without end", "#include </dev/zero>", NOT_THERE),
    front("random numbers", "#include </dev/urandom>", NOT_THERE),
    front("standard input", "#include </dev/stdin>", NOT_THERE),
    front("a descriptor", "#include </proc/self/fd/0>", NOT_THERE),
    front("the environment", '#include "/proc/self/environ"', NOT_THERE),
    front("the caller's command line", '#include "/proc/1/cmdline"', NOT_THERE),
    front("the answer", '#include "ladder/02_coalesced/kernel.cuh"', NOT_THERE),
    front("another's answer", '#include "classroom/problems.py"', NOT_THERE),
    front(
        "is there",
        '#if __has_include("/etc/passwd") || __has_include("@SECRET@")\n#define T 1\n#endif\n'
        "static_assert(T == 1);",
        "`T` is not declared",
    ),
    front(
        "is there, in the line",
        '#if !__has_include("@SECRET@")\n#error it is not there\n#endif',
        "it is not there",
    ),
    front(
        "embed",
        '#if defined(__has_embed)\n#error it has\n#endif\nconst char c[] = {\n#embed "/etc/passwd"\n};',
        "embed",
    ),
    front("dependency", '#pragma GCC dependency "/etc/passwd"', "No such file"),
    front("a plugin", '#pragma GCC optimize("-fplugin=/tmp/evil.so")', "optimize"),
    front("a weak name", 'extern "C" int write();\n_Pragma("weak write")', "weak write"),
    front("the tracer's variables", "long* const p = (long*)__builtin_thread_pointer();", "thread"),
    front("another student's", '#include "../../bob/02_coalesced/kernel.cuh"', NOT_THERE),
    front("options", '#pragma GCC optimize("wrapper=/bin/sh")', "optimize"),
    front("a precompiled header", '#pragma GCC pch_preprocess "/etc/passwd"', "pch_preprocess"),
    front("another's lines", '#line 1 "/etc/passwd"\nint a = ;', "gives lines another name"),
    front("another's lines, short", '# 1 "@SECRET@" 3\nint a = ;', "gives lines another name"),
    front("a constructor", "__attribute__((constructor)) static void first() {}", "constructor"),
    front(
        "a resolver",
        'extern "C" void* pick() { return nullptr; }\n'
        '__attribute__((ifunc("pick"))) void picked();',
        "ifunc",
    ),
    front(
        "an object before main",
        "struct First {\n  First() { x = __LINE__; }\n  int x;\n} first;",
        "first",
    ),
    front(
        "a section", '__attribute__((section(".init_array"))) void* const f = nullptr;', "section"
    ),
    front(
        "an alias",
        'extern "C" int mine() { return 1; }\n__attribute__((alias("mine"))) int write();',
        "alias",
    ),
    front(
        "a bomb of macros",
        "\n".join(
            [
                "#define A0 1,1,1,1,1,1,1,1,1,1",
                *(f"#define A{i} " + ",".join([f"A{i - 1}"] * 10) for i in range(1, 9)),
                "const char c[] = {A8};",
            ]
        ),
        "without end",
    ),
    front(
        "a bomb of templates",
        "template <int N, class... T> struct F : F<N - 1, T..., T...> {};\n"
        "template <class... T> struct F<0, T...> {};\nF<40, int> f;",
        "without end",
    ),
    front(
        "a bomb of constants",
        "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; "
        "return s; }\nstatic_assert(f(1L << 60) == 1);",
        "non-constant condition",
    ),
    front("a bomb of data", "extern const char a[];\nconst char a[1L << 29] = {1};", "too large"),
    front(
        "a bomb of names",
        "template <class A, class B> struct P {};\nusing A = P<int, int>;\nusing B = P<A, A>;\n"
        + "".join(f"using {chr(66 + i)} = P<{chr(65 + i)}, {chr(65 + i)}>;\n" for i in range(1, 14))
        + "void of(O);\ninline void g() { of(O()); }\ntemplate <int> void h() { g(); }\n"
        "inline void k() { h<1>(); }\nint kept() { k(); return 1; }",
        "the kernel uses of(",
    ),
    front("colours", "#error \x1b[31m\x07red \u202egniht", "#error"),
    front(
        "no C++ at all",
        "\x7fELF\x02\x01\x01" + "\udcff".encode("utf-8", "replace").decode() * 9,
        "a character here that C++ does not know",
    ),
    Attack(
        "a pointer into the process",
        (
            (RUN, 'extern "C" void* environ;\n' + RUN),
            ("  for (const Gemm", "  if (environ == nullptr) return;\n  for (const Gemm"),
        ),
        "environ",
    ),
)

# What plans() of rung 13 may say of its configurations, and is not believed: {name: edits of
# launch.cu}. The judge's shapes follow from it, and so does the memory that they take.
TABLES = {
    "one more for some shapes": (
        (
            "  return found;\n}",
            "  if (shape.M == 1) found.push_back(found[0]);\n  return found;\n}",
        ),
    ),
    "tiles of a million": ((".tile = {c.BM, c.BN},", ".tile = {1 << 20, 1 << 20},"),),
    "none": (("  return found;\n}", "  found.clear();\n  return found;\n}"),),
    "no tile": ((".tile = {c.BM, c.BN},", ".tile = {-40, 0},"),),
    "k tiles that overflow": ((".BK = BK,", ".BK = 1 << 29,"),),
    "thousands": (
        (
            "  return found;\n}",
            "  for (int i = 0; i < 9999; ++i) found.push_back(found[0]);\n  return found;\n}",
        ),
    ),
    "an exception for some shapes": (
        ("  return found;\n}", "  if (shape.M > 1) throw 1;\n  return found;\n}"),
    ),
}
THROWS = "  if (gemm.M > 0) throw std::runtime_error({0});\n"
# What ends in the worker: (what run() begins with, status, part of the reason)
AT_RUN = {
    "ten megabytes of an error": (THROWS.format("std::string(10'000'000, 'x')"), "failed", "xxx"),
    "control characters in an error": (
        THROWS.format(r'"\x1b[2J\x07\0 red \xff\xfe"'),
        "failed",
        "?[2J?",
    ),
    "an element that is not there": (
        "  if (std::string(1, 'x').at(5) == 'y') return;\n",
        "failed",
        "asks a std::vector, a std::string or the like for an element that it does not have",
    ),
    "all the memory": (
        "  for (volatile char* p = new char[1 << 30];; p = new char[1 << 30]) p[0] = 1;\n",
        "failed",
        "asks for more memory than it may have",
    ),
    "all the stack": (
        "  struct Deep { static int in(volatile int* p) { volatile int x[999]; x[0] = *p; "
        "return in(x) + x[0]; } };\n  volatile int a = gemm.M;\n  Deep::in(&a);\n",
        "killed",
        "Segmentation fault",
    ),
    "an end without end": (
        "  for (volatile int i = 0;; i = i + 1) {\n  }\n",
        "timeout",
        "s of computing",
    ),
}
