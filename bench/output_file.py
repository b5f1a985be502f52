"""Writes files whole or not at all, as common/output_file.hpp does in C++."""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import stat
import tempfile

HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class OutputError(Exception):
    """A file that cannot be written; the sentence says why."""


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
    write_all({path: text})


def write_all(texts):
    """Replaces files by whole ones, {path: text}, all of them or none. None removes a file.

    An interrupt waits until all is done, so that nothing half made stays behind.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        with contextlib.ExitStack() as folders:
            made = []
            for path, text in texts.items():
                made.append(_named(path, _Replacement, pathlib.Path(path), text, folders))
            done = []
            try:
                for replacement in made:
                    done.append(replacement)
                    _named(replacement.path, replacement.put)
            except OutputError:
                for replacement in reversed(done):
                    replacement.take_back()
                raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _named(path, call, *arguments):
    """call(*arguments); an OutputError names the path."""
    try:
        return call(*arguments)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


class _Replacement:
    """A new file beside the old one, until it takes its place."""

    def __init__(self, path, text, folders):
        """Writes all of it."""
        self.path, self.text, self.target = path, text, path.resolve()
        self.status = path.stat() if path.exists() else None
        self.is_file = self.status is None or stat.S_ISREG(self.status.st_mode)
        if not self.is_file:
            return
        # A folder of its own, so that the file's mode is what the umask leaves.
        folder = pathlib.Path(
            folders.enter_context(
                tempfile.TemporaryDirectory(prefix=".unfinished-", dir=self.target.parent)
            )
        )
        self.new, self.old = folder / "new", folder / "old"
        if text is not None:
            self.new.write_text(text)
        if self.status:
            try:
                self.old.hardlink_to(self.target)
            except OSError:
                shutil.copy2(self.target, self.old)
            if text is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(self.new, self.status.st_uid, self.status.st_gid)
                self.new.chmod(stat.S_IMODE(self.status.st_mode))

    def put(self):
        """Takes the place of the old file."""
        if not self.is_file:
            self.path.write_text(self.text)
        elif self.text is not None:
            self.new.replace(self.target)
        else:
            self.target.unlink(missing_ok=True)

    def take_back(self):
        """Puts the old file back, if there was one."""
        if self.is_file and self.status:
            self.old.replace(self.target)
        elif self.is_file:
            self.target.unlink(missing_ok=True)
