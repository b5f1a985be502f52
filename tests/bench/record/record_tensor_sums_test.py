"""bench/record/tensor_sums.py: the tiles that it makes and what it does with a program's sums."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from bench.record import tensor_sums

# Row i of C of each tile, as the sums.
PROGRAM = """\
#!/usr/bin/env python3
import json, sys
for tile in json.load(open(sys.argv[1]))["tiles"]{chosen}:
    print(*tile["c"]{rows})
"""


class RecordTensorSumsTest(unittest.TestCase):
    """The script with a made-up program and GPU."""

    def run_script(self, chosen="", rows=""):
        """What it writes."""
        with tempfile.TemporaryDirectory() as folder:
            out, executable = (pathlib.Path(folder) / name for name in ("out.json", "program"))
            executable.write_text(PROGRAM.format(chosen=chosen, rows=rows))
            executable.chmod(0o755)
            argv = ["tensor_sums.py", "--out", str(out), "--program", str(executable)]
            with (
                unittest.mock.patch.object(tensor_sums, "gpu", lambda: ("GPU X", "1.2")),
                unittest.mock.patch.object(sys, "argv", argv),
                contextlib.redirect_stdout(io.StringIO()),
            ):
                tensor_sums.main()
            return json.loads(out.read_text())

    def test_sums_join_their_tiles(self):
        """All tiles are there, with the card and the driver."""
        written = self.run_script()
        self.assertEqual((written["gpu"], written["driver"]), ("GPU X", "1.2"))
        self.assertEqual(len(written["tiles"]), 3 * 6)
        for tile in written["tiles"]:
            self.assertEqual(tile["sums"], tile["c"])

    def test_inputs_fit_their_format(self):
        """BF16 has 16 bits, and of TF32 the lower 13 are zero."""
        for tile in tensor_sums.inputs(seed=2):
            words = " ".join(tile["a"] + tile["b"]).split()
            if tile["instruction"] == "mma_tf32":
                self.assertTrue(all(int(word, 16) % 2**13 == 0 for word in words))
            else:
                self.assertTrue(all(len(word) == 4 for word in words))

    def test_a_tile_without_sums_is_told(self):
        """As many tiles as were asked for, each with all of its sums."""
        for wrong in ({"chosen": "[1:]"}, {"rows": "[1:]"}):
            with self.assertRaisesRegex(SystemExit, "tiles for 18"):
                self.run_script(**wrong)


if __name__ == "__main__":
    unittest.main()
