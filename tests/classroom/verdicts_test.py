"""Every code that a check can find has a meaning, and every chapter that it names is there.

python3 -m tests.classroom.verdicts_test
"""

import itertools
import json
import re
import subprocess
import unittest

from bench.rungs import own_rungs
from classroom import verdicts
from tests import SOURCES

# What only programs can do that the glass box runs: rungs have no such functions.
OF_OTHER_PROGRAMS = {
    "use-after-free",
    "host-memory-in-kernel",
    "unwritten-elements-copied",
    "freed-in-use",
    "used-before-allocated",
    "host-reads-too-early",
    "host-writes-too-early",
    "race-between-graph-nodes",
    "race-between-streams",
    "texture-no-object",
    "texture-destroyed",
    "texture-freed",
    "texture-function",
    "texture-dimensions",
    "texture-type",
    "uninitialised-texture",
    "surface-no-object",
    "surface-destroyed",
    "surface-freed",
    "surface-dimensions",
    "surface-misaligned",
    "surface-out-of-bounds",
    "heap-free",
    "heap-freed-in-use",
    "host-function-pointer",
    "host-virtual-call",
    "launch-bounds",
    "dynamic-parallelism",
    "device-runtime-call",
    "waits-for-host",
    "launch-dynamic-shared-not-allowed",
    "launch-cluster-declared",
    "launch-cluster-extent-zero",
    "launch-in-graph",
    "compiler-error",
    "linker-error",
    "unreadable-source",
    "not-emulated",
    "times-of-cpu",
    "no-effect",
    "never-freed",
    "host-access",
    "host-access-freed",
    "host-too-late",
    "cublas-not-traced",
    "missing-library",
    "missing-word",
    "not-compiled",
    "launch-syntax",
    "host-function-in-device-code",
    "host-variable-in-device-code",
    "device-function-in-host-code",
    "kernel-returns-a-value",
    "refused-by-nvcc",
    "nvcc-option-needed",
    "host-side-of-a-function",
}
KERNEL = "work/03_shared_tile/kernel.cuh"


def fault(code, line=53, other=43, **more):
    """A finding as `ladder check --json` has it; of its message nothing may depend on it."""
    return {
        "code": code,
        "group": "race",
        "family": "fault",
        "level": "error",
        "message": "",
        "file": KERNEL,
        "line": line,
        "other": {"file": KERNEL, "line": other},
        **more,
    }


def wrong(code, where=None, **more):
    """The same of a wrong result."""
    return {
        "code": code,
        "family": "wrong-result",
        "level": "error",
        "message": "",
        "where": {"code": where or code},
        **more,
    }


# What a section has to say that a finding sends a student to: words of its mistake, by one code of
# each row of the table.
SPEAKS_OF = {
    "race-between-blocks": ("blockIdx", "any order"),
    "race-in-global-memory": ("threadIdx", "row"),
    "race-in-shared-memory": ("barrier", "race"),
    "before-previous-kernel": ("kernel before", "wait"),
    "uninitialised-local": ("local variable", "acc = 0.0f"),
    "uninitialised-matrix": ("β", "C"),
    "uninitialised-shared": ("__shared__", "written"),
    "out-of-bounds-shared": ("index", "array"),
    "out-of-bounds-dynamic-shared": ("index", "array"),
    "out-of-bounds-local": ("index", "array"),
    "out-of-bounds-matrix": ("M", "N", "K"),
    "null-pointer": ("launch.cu", "A, B, beta, C"),
    "not-in-shared-memory": ("shared memory", "cop"),
    "misaligned-access": ("float4", "16"),
    "misaligned-argument": ("float4", "16"),
    "missing-barrier": ("barrier", "all threads"),
    "divergent-barrier": ("barrier", "branches"),
    "named-barrier-count": ("barrier", "all threads"),
    "named-barrier-not-there": ("barrier", "all threads"),
    "named-barrier-shared": ("barrier", "all threads"),
    "missing-cluster-barrier": ("cluster", "barrier"),
    "deadlock": ("wait",),
    "endless-loop": ("endless loop",),
    "copy-in-flight": ("wait", "barrier"),
    "copy-still-reads": ("copy", "shared memory", "tma_store"),
    "copy-unfenced": ("fence_proxy_async",),
    "undefined-shuffle": ("shuffle", "mask"),
    "mbarrier-invalid": ("mbarrier", "phase", "arriv"),
    "mbarrier-used-too-early": ("mbarrier", "__syncthreads"),
    "mbarrier-unfenced": ("mbarrier", "fence_mbarrier_init"),
    "registers-differ": ("setmaxnreg", "warpgroup"),
    "wgmma-unfenced": ("wgmma", "warpgroup", "wait"),
    "cluster-no-such-block": ("cluster", "shared memory"),
    "stack-overflow": ("stack overflow",),
    "block-does-not-fit": ("blocks fit", "shared memory", "threads"),
    "no-kernel-launched": ("launch",),
    "never-written": ("element", "threads"),
    "outside-written": ("M", "N"),
    "input-changed": ("writes A or B",),
    "last-tiles": ("M", "N", "K"),
    "wrong-beta": ("is beta applied", "epilogue"),
    "wrong-factor": ("alpha", "factor"),
    "nan": ("beta is 0", "before they were written"),
    "all-zero": ("all of them 0", "sum"),
    "transposed": ("transposed", "row"),
    "low-precision": ("precision",),
    "every-element-wrong": ("words of A and B", "each k once"),
    "some-elements-wrong": ("edge", "tile", "race"),
    "shape-refused": ("M", "N", "K"),
    "factor-not-finite": ("refuses factors",),
    "machine-missing": ("GPU",),
}


def section(page, heading):
    """The text below a heading, up to the next one of its level; fenced code has no headings."""
    level, lines, fenced = 0, [], False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        mark = None if fenced else re.fullmatch(r"(#+) (.*)", line)
        if mark and level and len(mark[1]) <= level:
            break
        if mark and mark[2] == heading:
            level = len(mark[1])
        elif level:
            lines.append(line)
    return " ".join(" ".join(lines).split())


def codes_of_the_program():
    """All codes that findings can have, from the rules that the program itself writes."""
    done = subprocess.run(
        [SOURCES / "build/ladder", "check", "99", "--sarif", "-"],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    driver = json.loads(done.stdout)["runs"][0]["tool"]["driver"]
    return {each["id"] for each in itertools.chain(driver["rules"], driver["notifications"])}


class VerdictsTest(unittest.TestCase):
    """What a student reads below a verdict."""

    def setUp(self):
        self.rung = own_rungs()[3]
        self.folder = SOURCES / self.rung.path

    def lines(self, *findings):
        """The meanings as a terminal shows them."""
        return verdicts.meanings(findings, self.folder, self.rung)

    def text(self, *findings):
        """The meanings as one line."""
        return " ".join(" ".join(self.lines(*findings)).split())

    def test_chapters_and_headings_exist(self):
        for path, heading in verdicts.readings():
            lessons = [rung.path / "README.md" for rung in own_rungs().values()]
            for page in lessons if path == verdicts.LESSON else [path]:
                headings = re.findall(r"^#+ (.*)$", (SOURCES / page).read_text(), flags=re.M)
                self.assertIn(heading, headings, page)

    def test_a_section_speaks_of_the_mistake(self):
        """Of a lesson, in every rung's: who is sent there reads of what went wrong."""
        told = {verdicts.MEANINGS[code]: words for code, words in SPEAKS_OF.items()}
        lessons = [rung.path / "README.md" for rung in own_rungs().values()]
        for row in dict.fromkeys(verdicts.MEANINGS.values()):
            meaning, where = row
            if where is None:
                continue
            self.assertIn(row, told, "no words in SPEAKS_OF")
            for page in lessons if where[0] == verdicts.LESSON else [where[0]]:
                text = section((SOURCES / page).read_text(), where[1])
                for word in told[row]:
                    with self.subTest(mistake=meaning[:40], page=str(page), section=where[1]):
                        whole = rf"\b{word}\b" if len(word) == 1 else rf"(?i:\b{re.escape(word)})"
                        self.assertRegex(text, whole)

    def test_no_section_is_named_where_none_speaks_of_it(self):
        text = self.text(fault("division-by-zero"))
        self.assertIn("The thread cannot go on at this line", text)
        self.assertNotIn("Read ", text)
        self.assertNotIn("Read ", self.text(fault("of-tomorrow")))

    def test_a_lesson_that_a_class_does_not_have_is_in_the_whole_ladder(self):
        known = verdicts.reading(("ladder/13_shared_k/README.md", "The idea"), self.rung)
        other = verdicts.reading(("ladder/99_none/README.md", "The idea"), self.rung)
        self.assertNotIn("in the whole ladder", " ".join(known))
        self.assertIn("in the whole ladder", " ".join(other))

    def test_every_code_has_a_meaning_and_no_other(self):
        codes = codes_of_the_program()
        self.assertGreater(len(codes), 90)
        self.assertEqual(codes - OF_OTHER_PROGRAMS - set(verdicts.MEANINGS), set())
        self.assertEqual(set(verdicts.MEANINGS) - codes, {"no-kernel-launched"})

    def test_a_code_that_is_not_known_has_a_neutral_sentence(self):
        self.assertIn("The program's own sentence", self.text(fault("of-tomorrow")))
        self.assertEqual(verdicts.meaning_of("of-tomorrow", "nowhere"), verdicts.UNKNOWN)

    def test_hazards_come_before_results(self):
        lines = self.lines(fault("race-in-shared-memory"), wrong("all-zero", "every-element-wrong"))
        text = " ".join(lines)
        self.assertIn("kernel.cuh:53: ", text)
        self.assertIn("kernel.cuh:43: ", text)
        self.assertIn('Read "A race" in docs/chapters/debugging.md.', text)
        self.assertNotIn("never added up", text)
        for line in lines:
            self.assertLessEqual(len(line), 80)

    def test_a_warning_does_not_hide_a_wrong_result(self):
        text = self.text(wrong("all-zero"), fault("stray-shuffle", level="warning"))
        self.assertIn("never added up", text)
        self.assertIn("A call for the whole warp", text)

    def test_the_same_is_said_once_and_not_too_much(self):
        codes = (
            "race-in-shared-memory",
            "uninitialised-shared",
            "divergent-barrier",
            "misaligned-access",
        )
        lines = self.lines(*(fault(code) for code in codes for _ in range(3)))
        read = [line for line in lines if line.startswith("  Read ")]
        self.assertEqual((len(read), len(set(read))), (verdicts.MOST, verdicts.MOST))

    def test_what_an_access_out_of_bounds_causes_is_not_explained(self):
        outside = fault("out-of-bounds-matrix", 34)
        for caused in ("race-between-blocks", "race-in-global-memory", "uninitialised-matrix"):
            text = self.text(fault(caused, 39), outside)
            self.assertIn("kernel.cuh:34: ", text)
            self.assertNotIn("kernel.cuh:39: ", text)
            self.assertNotIn(verdicts.MEANINGS[caused][0][:40], text)
            self.assertIn(verdicts.FIRST_THIS, text)
        both = self.text(fault("race-in-shared-memory"), outside)
        self.assertIn(verdicts.MEANINGS["race-in-shared-memory"][0][:40], both)
        self.assertNotIn(verdicts.FIRST_THIS, both)

    def test_all_lines_of_one_mistake_are_shown(self):
        text = self.text(*(fault("out-of-bounds-matrix", line, line) for line in (47, 43)))
        for line in (47, 43):
            self.assertEqual(text.count(f"kernel.cuh:{line}: "), 1)

    def test_an_element_that_is_right_by_chance_is_not_called_right(self):
        few, most = (
            self.text(wrong("some-elements-wrong", wrong_elements=count, elements=65536))
            for count in (40000, 65535)
        )
        self.assertIn(verdicts.MEANINGS["some-elements-wrong"][0][:40], few)
        self.assertIn(verdicts.MEANINGS["every-element-wrong"][0][:40], most)
        self.assertNotIn("Some elements are right", most)

    def test_an_edge_is_told_from_a_wrong_loop(self):
        case = {"m": 69, "n": 33, "k": 81, "alpha": -2, "beta": 0.5}
        text = self.text(wrong("nan", "last-tile-column", case=case))
        self.assertIn("The kernel is right where tiles fit the matrix exactly", text)
        self.assertIn("Only the last tile is wrong", text)
        self.assertIn('Read "Edge cases" in ladder/03_shared_tile/README.md.', text)
        self.assertIn("before the call", self.text(wrong("never-written", "last-tile-row")))

    def test_when_copies_arrive_is_told(self):
        late, at_once = (
            self.text(wrong("nan", "some-elements-wrong", case={"copies": copies}))
            for copies in ("late", "at-once")
        )
        self.assertIn("wrong when they arrive late", late)
        self.assertIn("wrong when copies arrive at once", at_once)

    def test_a_local_array_is_told_from_a_matrix(self):
        text = self.text(fault("out-of-bounds-local", 40))
        self.assertIn("kernel.cuh:40: ", text)
        self.assertIn("A loop stores more into an array of the thread's own", text)
        self.assertNotIn("matrix", text)

    def test_the_lines_of_threads_that_wait_are_shown(self):
        waits = [{"file": KERNEL, "line": line} for line in (47, 60)]
        found = {**fault("divergent-barrier", 47), "thread_groups": waits}
        del found["other"]
        text = self.text(found)
        for line in (47, 60):
            self.assertIn(f"kernel.cuh:{line}: ", text)

    def test_lines_of_other_files_are_not_shown(self):
        found = fault("race-in-shared-memory")
        found["file"] = found["other"]["file"] = "common/launch.cuh"
        self.assertNotIn("launch.cuh", self.text(found))

    def test_a_right_kernel_needs_no_meaning(self):
        self.assertEqual(self.lines(), [])


if __name__ == "__main__":
    unittest.main()
