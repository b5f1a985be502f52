"""What a rung is about: when a kernel has reached it, and what it is worth in points.

python3 -m tests.classroom.about_test
"""

import types
import unittest

from bench.rungs import own_rungs
from classroom import about, points

LESS = {"counter": "global_loads", "words": "loads", "value": 0.0625, "below": 2.0}
LITTLE_LESS = {"counter": "wavefronts", "words": "wavefronts", "value": 0.18, "below": 0.23}
NONE = {"counter": "shared_stores", "words": "stores", "value": 0.0, "below": 0.01}
MORE = {"counter": "hidden_loads", "words": "hidden", "value": 1.0, "below": 0.0}


def counts(**changed):
    """Of a judged run; what is not named is as the reference has it."""
    found = dict.fromkeys((name for name in points.COUNTERS if name != points.DRAM), 1000)
    return found | {"order": {"hidden": 1.0, "steps_ahead": 1.0}} | changed


def judged(yours, reference):
    """What the judge returns of the memory part."""
    return [{"id": "counts", "status": "right", "yours": yours, "reference": reference}]


class AboutTest(unittest.TestCase):
    """One claim each."""

    def test_the_rungs_own_figure_is_reached_and_that_of_the_rung_below_is_not(self):
        found = 0
        for rung in own_rungs().values():
            if rung.about:
                found += 1
                self.assertIn(rung.about["counter"], points.OWN, rung.label)
                self.assertTrue(about.reached(rung.about, rung.about["value"]), rung.label)
                self.assertFalse(about.reached(rung.about, rung.about["below"]), rung.label)
        self.assertGreaterEqual(found, 9)

    def test_how_near_is_near_enough(self):
        for of, value, expected in (
            (LESS, 0.07, True),
            (LESS, 0.125, False),
            (LESS, 0.0, False),  # whoever computes C has loaded something
            (LITTLE_LESS, 0.19, True),
            (LITTLE_LESS, 0.22, False),  # 1.22 of the rung's own, and nearly the one below
            (NONE, 0.0001, True),
            (NONE, 0.005, False),
            (MORE, 0.95, True),
            (MORE, 0.5, False),
        ):
            self.assertEqual(about.reached(of, value), expected, (of, value))

    def test_figures_stand_beside_each_other(self):
        rung = types.SimpleNamespace(
            number=2, builds_on=1, about={**LESS, "text": "0.0625", "below_text": "2.0000"}
        )
        yours, own, below = about.figures(rung, "1.5000")
        self.assertEqual(yours.index("1.5000"), own.index("0.0625"))
        self.assertEqual(own.index("0.0625"), below.index("2.0000"))
        rung.builds_on = None
        self.assertEqual(len(about.figures(rung, "1.5000")), 2)

    def test_each_lesson_asks_a_question(self):
        for rung in own_rungs().values():
            self.assertRegex(about.question(rung), r"^[A-Z].{10,200}\?$", rung.label)

    def test_without_the_idea_half_of_the_memory_points_is_the_most(self):
        wasteful = {
            "sectors_per_load": counts(global_load_sectors=6600),
            "global_loads": counts(global_load_requests=4000),
            "wavefronts": counts(shared_load_wavefronts=1280),
            "hidden_loads": counts(order={"hidden": 0.0, "steps_ahead": 1.0}),
            "shared_stores": counts(shared_store_requests=54),
        }
        for of in ({**LESS, "counter": "sectors_per_load"}, LESS, LITTLE_LESS, MORE, NONE):
            name = of["counter"]
            reference = counts(shared_store_requests=0) if of is NONE else counts()
            part = points.memory(judged(wasteful[name], reference), points.Flags(), about=of)
            self.assertLessEqual(part["points"], points.MAX_POINTS["memory"] / 2, name)
            part = points.memory(judged(reference, reference), points.Flags(), about=of)
            self.assertEqual(part["points"], points.MAX_POINTS["memory"], name)

    def test_points_add_up_whatever_a_rung_is_about(self):
        names = [name for name in points.COUNTERS if name != points.DRAM]
        for own in (None, *names, points.ORDER):
            for ahead in (False, True):
                if own == points.ORDER and not ahead:
                    continue
                worth = points.worths(names, own, ahead)
                self.assertAlmostEqual(sum(worth.values()), points.MAX_POINTS["memory"])
                if own:
                    self.assertEqual(worth[own], points.OWN_POINTS)


if __name__ == "__main__":
    unittest.main()
