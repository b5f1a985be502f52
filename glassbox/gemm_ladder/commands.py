"""The console scripts: each gives way to the program that the wheel brings."""

import os
import pathlib
import sys

INSTALLED = pathlib.Path(__file__).resolve().parent / "installed"


def program(name):
    """Where a program of the wheel is."""
    return str(INSTALLED / "bin" / name)


def glassbox():
    """`glassbox`, with the words of this process."""
    os.execv(program("glassbox"), ["glassbox", *sys.argv[1:]])


def ladder():
    """`ladder`, with the words of this process."""
    os.execv(program("ladder"), ["ladder", *sys.argv[1:]])
