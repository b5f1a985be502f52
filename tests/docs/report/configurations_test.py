"""Whether docs/report/configurations.py computes what plan.hpp does."""

import os
import re
import subprocess
import sys
import unittest
import unittest.mock

from docs.report import configurations
from tests import SOURCES

LADDER = sys.argv.pop()
SHAPES = (  # little work: the ladder runs them as well
    (256, 256, 256),
    (1100, 520, 64),
    (64, 64, 4096),
    (333, 1000, 40),
    (4, 1000, 300),
    (1000, 4, 512),
    (640, 512, 16),
)


def explained(shape):
    """(SMs, {configuration: microseconds}, the one that is taken) as the ladder says."""
    extents = [word for name, extent in zip("mnk", shape) for word in (f"--{name}", str(extent))]
    text = subprocess.run(
        [LADDER, "run", "13", *extents, "--explain"], capture_output=True, text=True, check=True
    ).stdout
    sms = int(re.search(r"on (\d+) SMs", text)[1])
    lines = re.findall(r"^(->|  ) (\d.*?) {2,}.* (\S+)$", text, flags=re.M)
    taken = next(name for arrow, name, _ in lines if arrow == "->")
    return sms, {name: float(us) for _, name, us in lines}, taken


class ConfigurationsTest(unittest.TestCase):
    """The model in Python beside the one in C++."""

    def test_both_expect_and_pick_the_same(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCES)
        known = configurations.configurations()
        for shape in SHAPES:
            sms, expected, taken = explained(shape)
            self.assertEqual([each.name for each in known], list(expected))
            with unittest.mock.patch.object(configurations, "SMS", sms):
                self.assertEqual(configurations.picked(shape).name, taken, shape)
                for each in known:
                    ratio = configurations.expected_us(each, shape) / expected[each.name]
                    self.assertAlmostEqual(ratio, 1, delta=2e-3, msg=f"{shape} {each.name}")


if __name__ == "__main__":
    unittest.main()
