"""Long lists of cases, which ctest tries in several processes: see PARTS of add_python_tests()."""

import os


def own_part(cases):
    """The cases that fall to this process: all of them, or those of LADDER_TEST_PART=2/3."""
    number, count = map(int, os.environ.get("LADDER_TEST_PART", "1/1").split("/"))
    return list(cases)[number - 1 :: count]
