"""Submissions that want the points without the kernel: each must score 0, and the grade says why.

A cheat is a rung's own sources with edits, as a student's folder has them.
"""

import dataclasses
import json
import struct

from bench.rungs import rung_of
from classroom.starters import whole

RUN = "void run(const Gemm<float>& gemm, Stream stream) {\n"
NAMESPACE = "namespace ladder::coalesced {\n"
LOOP = "    acc += gA[k] * gB[static_cast<size_t>(k) * N];\n"
VISIBLE = """
  const bool listed = (M == 32 && N == 32 && K == 64) || (M == 69 && N == 33 && K == 81) ||
                      (M == 29 && N == 31 && K == 209) || (M == 31 && N == 1 && K == 1) ||
                      (M == 33 && N == 32 && K == 40);
"""
# The inputs of the first visible test, computed instead of read: see common/random.hpp.
INPUT = """
__device__ inline float input(unsigned long long array, unsigned long long index, bool wide) {
  unsigned long long x = (0xd1342543de82ef95u + array) * 0xda942042e4dd58b5u;
  x += (index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  const int size = wide && (x >> 8) % 4 == 0 ? 2049 + 2 * static_cast<int>((x >> 16) % 1024)
                                             : 1 + static_cast<int>(x % 4);
  return static_cast<float>((x >> 4) % 2 == 0 ? size : -size);
}
"""


@dataclasses.dataclass(frozen=True)
class Cheat:
    """Edits of rung 02, and the kind of the flag that the grade has."""

    name: str
    kind: str
    edits: tuple
    said: str = ""  # part of the flag's sentence
    rung: int = 2

    def files(self):
        """{name of a file: text}"""
        files = whole(rung_of(self.rung))
        for text, replacement in self.edits:
            found = [name for name, of in files.items() if of.count(text) == 1]
            if len(found) != 1:
                raise ValueError(f"{self.name}: the rung's files must hold once: {text}")
            files[found[0]] = files[found[0]].replace(text, replacement)
        return files


def calls(declaration, call):
    """Edits that call a function of the C library before the kernel."""
    return (
        (NAMESPACE + "\nconstexpr", f'extern "C" {declaration}\n\n{NAMESPACE}\nconstexpr'),
        (RUN, RUN + f"  {call}\n"),
    )


def in_front(text):
    """Edits that put text in front of the namespace of launch.cu."""
    return ((NAMESPACE + "\nconstexpr", f"{text}\n\n{NAMESPACE}\nconstexpr"),)


CHEATS = (
    Cheat(
        "returns_cached_output",
        "kept_state",
        (
            (
                RUN,
                "float cache[1 << 16];\nbool cached = false;\n\n"
                + RUN
                + "  const int count = gemm.M * gemm.N;\n"
                "  if (cached) {\n"
                "    for (int i = 0; i < count; ++i) gemm.C[i] = cache[i % (1 << 16)];\n"
                "    return;\n"
                "  }\n",
            ),
            (
                "part.A, part.B, part.beta, part.C);\n  }\n",
                "part.A, part.B, part.beta, part.C);\n  }\n"
                "  for (int i = 0; i < count; ++i) cache[i % (1 << 16)] = gemm.C[i];\n"
                "  cached = true;\n",
            ),
        ),
        "keeps its value",
    ),
    Cheat(
        "writes_the_expected_pattern",
        "not_the_kernel",
        (
            ("template <int BM, int BN>\n", INPUT + "\ntemplate <int BM, int BN>\n"),
            (LOOP, "    acc += input(0, row * K + k, false) * input(1, k * N + col, true);\n"),
        ),
        "not read all of A and B",
    ),
    Cheat(
        "exits_early",
        "forbidden_symbol",
        calls("void _exit(int);", "_exit(0);"),
        "leaving the process",
    ),
    Cheat(
        "prints_a_forged_grade",
        "forbidden_symbol",
        calls("int puts(const char*);", r'puts("{\"score\": 80}");'),
        "printing",
    ),
    Cheat(
        "reads_the_secret",
        "forbidden_symbol",
        calls("int open(const char*, int, ...);", 'open("/proc/self/environ", 0);'),
        "files",
    ),
    Cheat(
        "handles_signals",
        "forbidden_symbol",
        calls("void (*signal(int, void (*)(int)))(int);", "signal(11, [](int) {});"),
        "signal",
    ),
    Cheat("forks", "forbidden_symbol", calls("int fork();", "fork();"), "processes"),
    Cheat("fills_the_disk", "forbidden_include", in_front("#include <fstream>"), "fstream"),
    Cheat(
        "sleeps", "forbidden_symbol", calls("int usleep(unsigned);", "usleep(1000000);"), "clocks"
    ),
    Cheat(
        "calls_the_library_through_a_pointer",
        "forbidden_symbol",
        calls("void* dlsym(void*, const char*);", 'dlsym(nullptr, "cblas_sgemm");'),
        "loading a library",
    ),
    Cheat(
        "calls_the_library",
        "forbidden_symbol",
        calls("void cblas_sgemm();", "cblas_sgemm();"),
        "multiplies matrices",
    ),
    Cheat(
        "patches_the_timer",
        "tampering",
        in_front(
            'extern "C" int clock_gettime(clockid_t, timespec* time) noexcept {\n'
            "  *time = {};\n  return 0;\n}"
        ),
        "clock_gettime",
    ),
    Cheat(
        "skips_work_on_later_calls",
        "kept_state",
        ((RUN, "int calls = 0;\n\n" + RUN + "  if (++calls > 4) return;\n"),),
        "keeps its value",
    ),
    Cheat(
        "knows_the_list_of_shapes",
        "shape_list",
        (
            (
                "  // -- Epilogue",
                "  // -- The published shapes"
                + VISIBLE
                + "  if (!listed) acc = 0.0f;\n\n  // -- Epilogue",
            ),
        ),
        "list of shapes",
    ),
    Cheat(
        "asks_whether_it_is_traced",
        "forbidden_word",
        ((LOOP, f"#ifdef __SANITIZE_THREAD__\n{LOOP}#endif\n"),),
        "#ifdef",
    ),
    Cheat(
        "calls_the_system_itself",
        "forbidden_word",
        ((RUN, RUN + '  __asm__ volatile("syscall" : : "a"(39));\n'),),
        "assembly",
    ),
    Cheat(
        "hides_a_word_in_a_macro",
        "forbidden_word",
        in_front("#define JOIN(a, b) a##b\nJOIN(thread_, local) int calls = 0;"),
        "thread_local",
    ),
    Cheat(
        "hides_lines_in_a_string",
        "forbidden_word",
        in_front(
            'constexpr const char* kOpen = R"(" /*)";\nthread_local int calls = 0;\n'
            'constexpr const char* kClose = R"(*/ ")";'
        ),
        "raw strings",
    ),
    Cheat(
        "answers_for_the_tracer",
        "forbidden_word",
        in_front('extern "C" void __tsan_read4(void*) {}'),
        "__tsan_read4",
    ),
    Cheat(
        "takes_the_launches",
        "forbidden_symbol",
        (
            *in_front(
                "namespace ladder::emulator {\nclass LaunchReceiver;\n"
                "void set_launch_receiver(LaunchReceiver*) noexcept;\n}"
            ),
            (RUN, RUN + "  emulator::set_launch_receiver(nullptr);\n"),
        ),
        "set_launch_receiver",
    ),
    Cheat(
        "runs_before_it_is_called",
        "kept_state",
        in_front("struct First {\n  First() { count = 1; }\n  int count;\n};\nFirst first;"),
        "first",
    ),
)


def answer(**values):
    """A message to the judge as a string of C, and its length."""
    text = json.dumps(values)
    data = struct.pack("<I", len(text)) + text.encode()
    return "".join(f"\\{byte:03o}" for byte in data), len(data)


NOWHERE = {"file": "", "line": 0}
DONE, DONE_BYTES = answer(done=True)
FAULT, FAULT_BYTES = answer(
    outcome="hazard",
    message="",
    launched=True,
    read_bytes=0,
    written_bytes=0,
    counts=None,
    faults=[{"code": "M is 77", "place": NOWHERE, "other": NOWHERE}],
)


def in_the_kernel(declaration, call):
    """Edits that call a function of the C library in one thread of the kernel."""
    guard = "  if (row >= M || col >= N) return;\n"
    return (
        (NAMESPACE + "\n/// \\brief", f'extern "C" {declaration}\n\n{NAMESPACE}\n/// \\brief'),
        (guard, guard + f"  if (row + col == 0) {call}\n"),
    )


BY_RETURNING = "ends by returning"

# What a process meets that gets past the sources and symbols: {name: (edits, status, part of the
# message)}.
PAST_THE_SYMBOLS = {
    "forks": (
        calls("int fork();", "if (fork() == 0) {\n    for (;;) {\n    }\n  }"),
        "forbidden_call",
        "asked the system",
    ),
    "writes_a_file": (
        calls("int open(const char*, int, ...);", 'open("/tmp/cheat_of_the_grader", 0101, 0600);'),
        "forbidden_call",
        "asked the system",
    ),
    "opens_a_socket": (
        calls("int socket(int, int, int);", "socket(2, 1, 0);"),
        "forbidden_call",
        "asked the system",
    ),
    "aborts": (calls("void abort();", "abort();"), "killed", "Aborted"),
    "exits": (calls("void _exit(int);", "_exit(0);"), "forbidden_call", "ended the process"),
    "ends_its_thread": (
        in_the_kernel("long syscall(long, ...);", "syscall(60, 0);"),
        "forbidden_call",
        BY_RETURNING,
    ),
    "unwinds_its_thread": (
        in_the_kernel("void pthread_exit(void*);", "pthread_exit(nullptr);"),
        "forbidden_call",
        BY_RETURNING,
    ),
    "ends_the_thread_of_the_host": (
        calls("void pthread_exit(void*);", "pthread_exit(nullptr);"),
        "failed",
        BY_RETURNING,
    ),
    "kills_its_parent": (
        calls('int getppid(); extern "C" int kill(int, int);', "kill(getppid(), 9);"),
        "forbidden_call",
        "asked the system",
    ),
    "answers_itself": (
        calls("long write(int, const void*, unsigned long);", r'write(3, "\x2\0\0\0{}", 6);'),
        "protocol",
        "",
    ),
    "makes_up_a_code": (
        calls(
            "long write(int, const void*, unsigned long);",
            f'write(3, "{DONE}", {DONE_BYTES}); ' f'write(3, "{FAULT}", {FAULT_BYTES});',
        ),
        "protocol",
        "",
    ),
}
