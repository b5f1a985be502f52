"""Files that programs write from what is recorded, and that tests find stale."""

import argparse
import os
import pathlib
import sys

from bench import SOURCES


def begin(description):
    """Reads --check and --root, and goes to the root of the sources: is it only a check?"""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="fail when a file is stale")
    parser.add_argument(
        "--root",
        default=SOURCES,
        help="folder of the sources",
    )
    options = parser.parse_args()
    os.chdir(options.root)
    return options.check


def keep(path, text, check):
    """Writes a file that differs; None: there is none. False: it is stale, and this is a check."""
    if text == (path.read_text() if path.exists() else None):
        return True
    if check:
        program = pathlib.Path(sys.argv[0]).name
        print(f"{program}: {path} is stale: run make report", file=sys.stderr)
        return False
    if text is None:
        path.unlink()
        print(f"removed {path}")
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"wrote {path}")
    return True
