"""Rung 02: a warp reads one line of B."""

from docs.figures import rung_01


def draw(narrow=False):
    """A warp along one line."""
    return rung_01.access_map(
        "rung_02",
        2,
        "Rung 02: neighbouring lanes read neighbouring words of one line",
        "Each lane computes one element of C; a warp is a row of 32.",
        narrow,
    )
