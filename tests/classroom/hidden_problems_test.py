"""The secret decides the hidden problems, within what a rung takes.

python3 -m tests.classroom.hidden_problems_test
"""

import unittest

from bench.rungs import rung_table
from classroom.problems import Secret, hidden_tests, memory_runs, visible_tests


class HiddenProblemsTest(unittest.TestCase):
    """Of every rung."""

    def test_another_secret_gives_other_problems(self):
        """And the same one the same, for every rung."""
        for rung in rung_table().values():
            if not rung.tile:
                continue
            with self.subTest(rung.label):
                one, again, other = (
                    hidden_tests(rung, Secret(secret, rung)) for secret in (b"a", b"a", b"b")
                )
                self.assertEqual(one, again)
                self.assertNotEqual(one, other)
                self.assertAlmostEqual(sum(test.points for test in one), 25)

    def test_large_problems_are_among_them(self):
        """All extents large, and a long K; what the memory part takes cannot be guessed."""
        for rung in (rung for rung in rung_table().values() if rung.tile):
            counted = set()
            for number in range(20):
                secret = Secret(str(number).encode(), rung)
                shapes = [run["shape"] for t in hidden_tests(rung, secret) for run in t.runs]
                with self.subTest(rung.label):
                    self.assertGreater(max(map(min, shapes)), 300)
                    self.assertGreater(max(k for _, _, k in shapes), 3000)
                counted.add(tuple(memory_runs(rung, secret)[0]["shape"]))
            self.assertGreaterEqual(len(counted), 18, rung.label)

    def test_rungs_take_every_shape(self):
        """N and K are multiples of what the rung needs, and everything is at least 1."""
        for rung in rung_table().values():
            if not rung.tile:
                continue
            for number in range(50):
                secret = Secret(str(number).encode(), rung)
                for test in (*visible_tests(rung), *hidden_tests(rung, secret)):
                    for run in test.runs:
                        m, n, k = run["shape"]
                        self.assertGreaterEqual(min(m, n, k), 1, (rung.label, test))
                        self.assertEqual(
                            (n % rung.multiple_of, k % rung.multiple_of), (0, 0), (rung.label, test)
                        )


if __name__ == "__main__":
    unittest.main()
