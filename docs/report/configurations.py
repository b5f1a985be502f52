"""Rung 13's configurations, and which one its model picks: plan.hpp, for programs in Python.

The figures of a configuration are read from launch.cu; the arithmetic is that of plan_for().
"""

import pathlib
import re
from dataclasses import dataclass

LADDER = pathlib.Path("ladder")  # below the root of the sources
SMS = 132  # of an H200
ENTRY = re.compile(
    r'\{"(?P<name>[^"]+)", (?P<figures>[-\d., ]+), launch_(?P<kernel>\w+)<(?P<arguments>[\d, ]+)>\}'
)
DRAM_BYTES_PER_US = 4.0e6
TEMPLATES = {  # names of what launch_NAME is given
    "stream_k": ("WARPS_M", "WARPS_N", "WARPS_K", "STAGES"),
    "small": ("LANES_M", "TM", "TN", "WARPS", "CLUSTER", "STAGES", "BLOCKS"),
    "thin": ("LANES_M", "TM", "TN", "WARPS", "STAGES", "BLOCKS"),
}


@dataclass(frozen=True)
class Configuration:
    """A line of kConfigurations."""

    name: str
    cluster: int
    BM: int
    BN: int
    BK: int
    blocks: int
    start_us: float
    tile_us: float
    step_us: float
    wait_us: float
    part_us: float
    fan_in: int
    kernel: str  # stream_k, small or thin
    template: dict


def configurations():
    """All configurations, in the order of launch.cu."""
    text = next(LADDER.glob("*_small_products/launch.cu")).read_text()
    found = []
    for entry in ENTRY.finditer(text):
        figures = [float(figure) for figure in entry["figures"].split(",")]
        whole = [int(figure) for figure in figures[:5]]
        arguments = [int(argument) for argument in entry["arguments"].split(",")]
        template = dict(zip(TEMPLATES[entry["kernel"]], arguments))
        found.append(
            Configuration(
                entry["name"], *whole, *figures[5:10], int(figures[10]), entry["kernel"], template
            )
        )
    return found


def parts_in_turn(fan_in, peers):
    """How many partial tiles the first of a tile's peers adds, one after the other."""
    if fan_in == 0:
        return peers - 1
    parts = 0
    while peers > 1:
        parts += min(peers, fan_in) - 1
        peers = -(-peers // fan_in)
    return parts


def split_us(configuration, tiles, k_tiles):
    """(ranks, microseconds) for the tiles behind the last full wave; ranks as many as are best."""
    c = configuration

    def us(ranks):
        return (
            -(-tiles * k_tiles // ranks) * c.step_us
            + c.tile_us
            + parts_in_turn(c.fan_in, -(-ranks // tiles)) * c.part_us
        )

    best = min(range(tiles, max(tiles, min(SMS, tiles * k_tiles)) + 1), key=us)
    return best, us(best)


def tiles_of(configuration, shape):
    """(tiles, k tiles of each)"""
    m, n, k = shape
    c = configuration
    return -(-m // c.BM) * -(-n // c.BN), -(-k // c.BK)


def expected_us(configuration, shape):
    """What the model expects of a configuration."""
    c = configuration
    tiles, k_tiles = tiles_of(c, shape)
    if c.cluster == 0:
        whole, left = divmod(tiles, SMS)
        us = whole * (k_tiles * c.step_us + c.tile_us)
        if left:
            us += split_us(c, left, k_tiles)[1]
    else:
        per_sm = -(-tiles * c.cluster // SMS)
        us = per_sm * (k_tiles * c.step_us + c.tile_us)
        us += -(-per_sm // c.blocks) * k_tiles * c.wait_us
    m, n, k = shape
    store = 2 if c.cluster == 0 else 1
    dram_us = 4 * (m * k + k * n + store * m * n) / DRAM_BYTES_PER_US
    return c.start_us + (us**3 + dram_us**3) ** (1 / 3)


def picked(shape):
    """The configuration that the model picks for (M, N, K)."""
    return min(configurations(), key=lambda each: expected_us(each, shape))
