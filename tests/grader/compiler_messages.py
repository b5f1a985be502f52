"""What g++ says about a student's kernel, shortened to the student's lines and explained."""

import re

from bench import SOURCES

PLACE = re.compile(r"^(?P<file>[^:\s][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
                   r"(?P<kind>fatal error|error|note|warning): (?P<text>.*)$")  # fmt: skip
MOST = 3


def explained(output, folder):
    """Lines for the student: at most three errors, each with its place."""
    errors = [match for match in map(PLACE.match, output.splitlines())
              if match and "error" in match["kind"]]  # fmt: skip
    if not errors:
        return output.strip().splitlines()[-MOST:]
    return [f"{error['file']}:{error['line']}: {error['text']}" for error in errors[:MOST]]
