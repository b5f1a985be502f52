"""Tests, in folders that mirror those of the sources."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent  # their root
ROOMS = "bench classroom common docs emulator glassbox ladder notebooks tests".split()
