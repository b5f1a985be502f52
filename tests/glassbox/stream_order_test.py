"""Order between streams, graphs and the host: programs with one fault, and their sound twins.

The programs are in cases/streams, and nvcc compiles them, too. With -D SOUND a program is right; those
whose name starts with sound_ are so anyway. The lines of the two accesses end in // EARLIER and
// LATER: of work, the one that is issued earlier and the one that is issued later.
"""

import concurrent.futures
import re
import unittest

from tests import SOURCES
from tests.glassbox.own_program import faults, outcome

FOLDER = SOURCES / "tests" / "glassbox" / "cases" / "streams"
STREAMS, NODES = "race-between-streams", "race-between-graph-nodes"
READS, WRITES = "host-reads-too-early", "host-writes-too-early"
FREED, TAKEN = "freed-in-use", "used-before-allocated"
EARLY = "before-previous-kernel"
# What is found, and in which arrays.
BROKEN = {
    "buffer_used_again": (STREAMS, {"a", "a#2"}),
    "columns_of_a_matrix": (STREAMS, {"a"}),
    "constant_replaced": (STREAMS, {"factor"}),
    "copy_while_computing": (STREAMS, {"a"}),
    "copy_within_device": (STREAMS, {"copy"}),
    "counter_reset_elsewhere": (STREAMS, {"n"}),
    "default_and_non_blocking": (STREAMS, {"a"}),
    "dependent_launch": (EARLY, {"a"}),
    "dependent_launch_chain": (EARLY, {"a"}),
    "dependent_launch_overwrites": (EARLY, {"a"}),
    "event_before_the_work": (STREAMS, {"a"}),
    "every_other_byte": (STREAMS, {"a"}),
    "freed_by_the_host": (FREED, {"a"}),
    "freed_in_another_stream": (FREED, {"a"}),
    "graph_and_stream": (STREAMS, {"a"}),
    "graph_branch": (NODES, {"x"}),
    "graph_branch_by_luck": (NODES, {"x"}),
    "graph_nodes": (NODES, {"a"}),
    "host_function": (STREAMS, {"h"}),
    "host_function_not_waited_for": (READS, {"h"}),
    "managed_read_too_early": (READS, {"a"}),
    "managed_variable": (READS, {"total"}),
    "managed_written_too_early": (WRITES, {"a"}),
    "mapped_read_too_early": (READS, {"h"}),
    "memset_and_non_blocking": (STREAMS, {"n"}),
    "neighbour_of_the_chunk": (STREAMS, {"a"}),
    "pinned_overwritten": (WRITES, {"h"}),
    "pinned_read_too_early": (READS, {"h"}),
    "stream_per_thread": (STREAMS, {"a"}),
    "two_host_threads": (STREAMS, {"a"}),
    "two_streams": (STREAMS, {"a"}),
    "used_before_allocated": (TAKEN, {"a"}),
    "waits_for_the_wrong_stream": (READS, {"h"}),
}
ALWAYS_SOUND = sorted(path.stem for path in FOLDER.glob("sound_*.cu"))


def source_of(name):
    """The text of a program."""
    return (FOLDER / f"{name}.cu").read_text()


def line_with(source, word):
    """The number of the line that ends in // WORD."""
    lines = [
        number
        for number, line in enumerate(source.splitlines(), 1)
        if word in line.partition("//")[2].split()
    ]
    assert len(lines) == 1, (word, lines)
    return lines[0]


def run_all(names, *words):
    """{name: outcome}, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(
            zip(
                names,
                pool.map(lambda name: outcome(source_of(name), *words, verb=["check"]), names),
                strict=True,
            )
        )


class StreamOrder(unittest.TestCase):
    def test_each_program_is_here(self):
        stems = {path.stem for path in FOLDER.glob("*.cu")}
        self.assertEqual(stems, set(BROKEN) | set(ALWAYS_SOUND))

    def test_the_page_names_each_broken_program(self):
        """With its code."""
        page = (SOURCES / "docs" / "glass_box.md").read_text()
        for name, (code, _) in BROKEN.items():
            row = rf"^\| \[{name}\]\(\S+/{name}\.cu\) \| .+ \| `{code}` \|$"
            self.assertRegex(page, re.compile(row, re.MULTILINE))

    def test_broken(self):
        for name, result in run_all(list(BROKEN)).items():
            with self.subTest(name):
                code, arrays = BROKEN[name]
                found = faults(result)
                self.assertEqual({one["code"] for one in found}, {code}, result.stderr)
                self.assertEqual({one["element"]["array"] for one in found}, arrays)
                self.assertEqual(result.returncode, 1, result.stderr)
                source = source_of(name)
                places = {(one["line"], one["other"]["line"]) for one in found}
                expected = (line_with(source, "LATER"), line_with(source, "EARLIER"))
                self.assertEqual(places, {expected}, result.stderr)

    def test_sound(self):
        twins = run_all(list(BROKEN), "-D", "SOUND")
        for name, result in {**twins, **run_all(ALWAYS_SOUND)}.items():
            with self.subTest(name):
                self.assertEqual((result.returncode, faults(result)), (0, []), result.stderr)


if __name__ == "__main__":
    unittest.main()
