"""Runs a program of this tree: what stops it is a sentence and an exit code, never a traceback."""

import contextlib
import errno
import io
import os
import pathlib
import signal
import subprocess
import sys

from bench.output_file import OutputError
from bench.results_file import FigureError

FAILED = 2
INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
PIPE_CLOSED = 141


class _Closed(io.TextIOBase):
    """Standard output that was closed before the program began."""

    def write(self, _text):
        """Fails, as a closed file does."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def run(main):
    """Calls main() and ends the program with the exit code that it gives or raises."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    code = _code_of(main)
    code = max(code, _code_of(sys.stdout.flush))
    with contextlib.suppress(OSError, ValueError):  # what is left in the buffer would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _code_of(call):
    """0, or what stopped the call, said on standard error."""
    sentence, code = None, 0
    try:
        call()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        sentence = None if isinstance(stop.code, int) else stop.code
        return _said(sentence, code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except (FigureError, OutputError) as error:
        sentence, code = str(error), FAILED
    except OSError as error:
        where = f"cannot use {error.filename}" if error.filename else "cannot write standard output"
        sentence, code = f"{where}: {error.strerror}", FAILED
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd[:4]))
        sentence, code = f"{command} ... ended with {error.returncode}", FAILED
    if sentence:
        sentence = f"{pathlib.Path(sys.argv[0]).name}: {sentence}"
    return _said(sentence, code)


def _said(sentence, code):
    """The exit code, after the sentence."""
    if sentence is not None:
        with contextlib.suppress(OSError, AttributeError):
            print(sentence, file=sys.stderr)
    return code
