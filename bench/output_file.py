"""Writes a file that a user named whole or not at all, as common/output_file.hpp does in C++."""

import argparse
import contextlib
import os
import pathlib
import stat
import tempfile


def output_path(text):
    """Type of a command-line argument: says at once why a file cannot be written there."""
    path = pathlib.Path(text)
    folder = path.resolve().parent
    reason = None
    if path.is_dir():
        reason = "it is a folder; name a file in it"
    elif path.exists():
        if not os.access(path, os.W_OK):
            reason = "permission denied; make it writable, or name another file"
    elif not folder.exists():
        reason = f"there is no folder {folder}; make it first: mkdir -p {folder}"
    elif not folder.is_dir():
        reason = f"{folder} is not a folder; name a file elsewhere"
    elif not os.access(folder, os.W_OK):
        reason = f"no file can be made in {folder}; make it writable, or name a file elsewhere"
    if reason:
        raise argparse.ArgumentTypeError(f"cannot write {path}: {reason}")
    return path


def write_whole(path, text):
    """Replaces a file, behind links, by a whole one of its mode and owner; writes to a device."""
    old = path.stat() if path.exists() else None
    if old and not stat.S_ISREG(old.st_mode):
        path.write_text(text)
        return
    target = path.resolve()
    # A folder of its own, so that the file's mode is what the umask leaves.
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=target.parent) as folder:
        unfinished = pathlib.Path(folder) / target.name
        unfinished.write_text(text)
        if old:
            with contextlib.suppress(PermissionError):
                os.chown(unfinished, old.st_uid, old.st_gid)
            unfinished.chmod(stat.S_IMODE(old.st_mode))
        unfinished.replace(target)
