"""What measures the rungs (benchmark), and what records and files measurements (record)."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent  # their root
