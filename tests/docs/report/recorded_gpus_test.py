"""docs/report/recorded.py: a rung's figures are of the GPU that has run it, and no other's."""

import contextlib
import json
import pathlib
import re
import tempfile
import unittest

from bench import SOURCES
from bench.rungs import rung_table
from docs.report import recorded
from docs.report.page_blocks import climbs
from docs.report.page_blocks.place import Place
from docs.report.recorded import GPUS, MissingFileError, NotRecordedError, climb, gpu_of, of_rung
from docs.report.rung_figures import NOT_YET, value

USUAL, OTHER = GPUS


def recorded_climb(gpu, tflops):
    """A climb as that GPU has recorded it, with these rungs and these TFLOP/s alone."""
    path = SOURCES / "bench" / "results" / gpu / "climb_burst_4096.json"
    climb = json.loads(path.read_text())
    kept = []
    for entry in climb["benchmarks"]:
        if entry["rung"] in tflops and entry["name"].count("_") and "cublas_" not in entry["name"]:
            kept.append({**entry, "tflops": tflops[entry["rung"]]})
    return {**climb, "benchmarks": kept}


class RecordedGpusTest(unittest.TestCase):
    """One GPU has run rungs 0 and 1, another one rungs 0, 1 and 15."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(contextlib.chdir(self.folder))
        for size in (4096, 8192):
            name = f"climb_burst_{size}.json"
            self.file(USUAL, name, recorded_climb(USUAL, {0: 50, 1: 1}))
            self.file(OTHER, name, recorded_climb(OTHER, {0: 51, 1: 2, 15: 200}))

    def file(self, gpu, name, results):
        """Files results as a GPU's."""
        path = pathlib.Path("bench/results") / gpu / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results))

    def test_shapes_are_those_of_the_set_and_of_the_rung(self):
        shapes = [(15, "drawn", 90), (15, "drawn", 40), (15, "llm", 120), (0, "drawn", 10)]
        entries = [
            {
                "name": name,
                "rung": rung,
                "m": 8,
                "n": 8,
                "k": 8,
                "tflops": tflops,
                "best_tflops": 100,
            }
            for rung, name, tflops in shapes
        ]
        context = recorded_climb(OTHER, {})["context"]
        self.file(OTHER, "tensor_shapes.json", {"context": context, "benchmarks": entries})
        figures = ("drawn_typical", "drawn_lowest", "drawn_behind", "llm_behind")
        self.assertEqual(
            [value(f"shapes_{name}", 15) for name in figures],
            ["60.0 %", "40.0 %", "2 of 2", "0 of 1"],
        )
        with self.assertRaises(NotRecordedError):
            value("shapes_tall_lowest", 15)

    def test_the_first_gpu_that_has_timed_a_rung_speaks_for_it(self):
        self.assertEqual([gpu_of(rung) for rung in (0, 1, 15)], [USUAL, USUAL, OTHER])

    def test_for_a_rung_that_none_has_timed_the_usual_one_speaks(self):
        self.assertEqual(gpu_of(17), USUAL)

    def test_all_figures_within_are_of_one_gpu(self):
        with of_rung(15):
            self.assertEqual(climb(4096)[1]["tflops"], 2, "the rung below, on the same GPU")
            self.assertEqual(recorded.card_name(), "H100")
            with of_rung(1):
                self.assertEqual(climb(4096)[1]["tflops"], 1)
            self.assertEqual(climb(4096)[1]["tflops"], 2)
        self.assertEqual(climb(4096)[1]["tflops"], 1)

    def test_an_error_within_leaves_the_usual_gpu(self):
        with self.assertRaises(ZeroDivisionError), of_rung(15):
            raise ZeroDivisionError
        self.assertEqual(recorded.results().name, USUAL)

    def test_a_file_that_only_the_usual_gpu_has_is_not_recorded_elsewhere(self):
        profile = SOURCES / "bench" / "results" / USUAL / "profile_512.json"
        self.file(USUAL, "profile_512.json", json.loads(profile.read_text()))
        recorded.load("profile_512.json")
        with of_rung(15), self.assertRaises(NotRecordedError):
            recorded.load("profile_512.json")
        with self.assertRaises(MissingFileError):
            recorded.load("profile_1.json")

    def test_a_table_of_all_rungs_tells_which_gpu_is_whose(self):
        text = climbs.ladder_block(Place(pathlib.Path("README.md"), None), "")
        rows = dict(re.findall(r"^\| \[?(\d\d) .*?\| (.*?) \|", text, re.M))
        self.assertEqual([*rows], [f"{number:02}" for number in rung_table()])
        recorded_here = {name: figure for name, figure in rows.items() if figure != NOT_YET}
        self.assertEqual(recorded_here, {"00": "50.0", "01": "1.0", "15": "200.0"})
        self.assertIn("[02 coalesced](ladder/02_coalesced/README.md)", text)
        without = climbs.rung_cell(Place(pathlib.Path("README.md"), None), "99_none", "BF16")
        self.assertEqual(without, "99 none, BF16")
        self.assertIn("15: NVIDIA H100", text)
        self.assertNotIn("15: NVIDIA H200", text)


if __name__ == "__main__":
    unittest.main()
