"""Temporary folders of the grader, which the next start removes where a process was killed.

A folder belongs to a process as long as that process holds a lock on the file in it.
"""

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile

LOCK = ".lock"
BEGIN = "grade_"  # how all of their names begin


@contextlib.contextmanager
def room(name=BEGIN):
    """A new folder that the worker, another user, can look into. name: how it begins."""
    with tempfile.TemporaryDirectory(prefix=name, ignore_cleanup_errors=True) as folder:
        path = pathlib.Path(folder)
        path.chmod(0o755)
        unlocked = path / f"{LOCK}.new"
        with unlocked.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            unlocked.rename(path / LOCK)  # nobody sees it without its lock
            yield path


def remove_left_rooms():
    """Removes this user's folders whose process is gone."""
    for lock in pathlib.Path(tempfile.gettempdir()).glob(f"{BEGIN}*/{LOCK}"):
        with contextlib.suppress(OSError), lock.open("r+") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid() or lock.is_symlink():
                continue
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
