"""l2_requests.py: what Nsight Compute prints of two programs becomes entries."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from bench import results_file
from bench.record import l2_requests
from docs.report.page_blocks import memory_programs
from tests import SOURCES

HEAD = '"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n'


def counted(*launches, grid="(4, 1, 1)", block="(32, 1, 1)"):
    """As `ncu --csv` prints launches of {metric: value}."""
    return HEAD + "".join(
        f'"{index}","k(int)","{block}","{grid}","{metric}","sector","{value}"\n'
        for index, launch in enumerate(launches)
        for metric, value in launch.items()
    )


def requests(least, mean, most):
    """A launch of l2_strides on 80 slices."""
    values = {"min": least, "avg": mean, "max": f"{most:,}", "sum": f"{80 * mean:,.2f}"}
    return {f"lts__t_requests.{of}": value for of, value in values.items()}


def sectors(mib, looked_up, laps=50):
    """A launch of kv_pipeline that reads an array so often."""
    asked = laps * mib * 2**20 // 32
    values = {"asked": asked, "received": asked, "l1_hits": 0, "from_other_side": 5}
    values["looked_up"] = int(asked * looked_up)
    return {l2_requests.SECTORS[name]: f"{value:,}" for name, value in values.items()}


STRIDES = "==PROF== Connected\n128 bytes: 22 GB/s; 256 bytes: 22 GB/s; 1.01 of it\n"
LINE = (
    "{} MiB set aside: another array of {} MiB is read at 3 GB/s, a line of it in 1, 2, 3 cycles\n"
)


class L2RequestsTest(unittest.TestCase):
    """In a folder of its own."""

    def filed(self, name, text):
        """What is filed of a text."""
        with tempfile.TemporaryDirectory() as folder:
            printed, out = pathlib.Path(folder, "text"), pathlib.Path(folder, "out.json")
            printed.write_text(text)
            words = ["l2_requests.py", name, "--out", str(out), "--text", str(printed)]
            beside = SOURCES / "bench/results/nvidia-h100/lab_sectors.json"
            with mock.patch.object(sys, "argv", [*words, "--beside", str(beside)]):
                l2_requests.main()
            form = results_file.form_of(f"bench/results/x/{name}_requests.json")
            return results_file.in_form(out.read_text(), out, form)["benchmarks"]

    def test_requests_to_slices_are_means_of_the_launches_at_a_stride(self):
        launches = [requests(90 + run, 100, 120) for run in range(5)]
        launches += [requests(80, 100, 1110 + run) for run in range(5)]
        first, second = self.filed("l2_strides", STRIDES + counted(*launches))
        self.assertEqual((first["stride_bytes"], second["stride_bytes"]), (128, 256))
        self.assertEqual((first["least"], first["mean"], first["most"]), (92, 100, 120))
        self.assertEqual((second["least"], second["most"], second["slices"]), (80, 1112, 80))
        self.assertEqual(first["threads"], 128)

    def test_sectors_of_the_launches_that_are_timed(self):
        text = LINE.format("0.0", "8.0") + LINE.format("7.8", "8.0")
        launches = [sectors(8, 1, 2), sectors(8, 0.75), sectors(4, 1, 4), sectors(8, 0.5)]
        entries = self.filed("kv_pipeline", text + text + counted(*launches))  # said twice
        self.assertEqual([each["set_aside_mib"] for each in entries], [0.0, 7.8])
        shares = [each["looked_up"] / each["asked"] for each in entries]
        self.assertEqual(shares, [0.75, 0.5])

    def test_what_does_not_fit_together_is_refused(self):
        launches = [requests(90, 100, 120)] * 9
        with self.assertRaisesRegex(SystemExit, "9 launches at 2 strides"):
            self.filed("l2_strides", STRIDES + counted(*launches))
        with self.assertRaisesRegex(SystemExit, "2 launches, and kv_pipeline tells of 1"):
            self.filed("kv_pipeline", LINE.format("0.0", "8.0") + counted(*[sectors(8, 1)] * 2))
        with self.assertRaisesRegex(SystemExit, "0 launches"):
            self.filed("kv_pipeline", "==ERROR== no permission\n")

    def test_additions_of_all_threads_hide_the_most(self):
        def shares(most):
            entry = {"stride_bytes": 2048, "slices": 80, "least": 90, "mean": 110, "most": most}
            file = {"benchmarks": [{**entry, "threads": 800}]}
            with mock.patch.object(memory_programs.results_file, "read", return_value=file):
                said = [memory_programs.slices(what) for what in ("least", "most")]
                return memory_programs.reads_of_slices()[2048], *said

        self.assertEqual(shares(900)[:2], ((0.9, None), "90.0 %"))
        self.assertIn("was not counted", shares(900)[2])
        self.assertEqual(shares(121), ((90 / 110, 1.1), "81.8 %", "is 110.0 %"))

    def test_pages_show_the_records(self):
        self.assertIn(" of 80 slices, beside the mean", memory_programs.slices_block())
        path = SOURCES / memory_programs.FOLDER / "kv_pipeline_requests.json"
        first = json.loads(path.read_text())["benchmarks"][0]
        looked_up = f"{100 * first['looked_up'] / first['asked']:.1f} %"
        self.assertIn(f"| 100.0 % | {looked_up} |", memory_programs.requests_block())

    def test_a_set_aside_that_did_not_hold_is_not_shown(self):
        def shown(cycles):
            entry = {"array_mib": 8, "asked": 100, "received": 100, "looked_up": 50, "l1_hits": 0}
            rows = [
                {**entry, "set_aside_mib": aside, "line_cycles": {"p90": p90}}
                for aside, p90 in ((0, 300), (31.2, cycles))
            ]
            context = {"device": "a GPU", "cuda_driver": "1", "cuda_toolkit": "2"}
            file = {"context": context, "benchmarks": rows}
            with mock.patch.object(memory_programs.results_file, "read", return_value=file):
                return memory_programs.requests_block()

        self.assertIn("| 31.2 MiB | 8 MiB | 0.0 % | 100.0 % | 50.0 % |", shown(600))
        self.assertNotIn("31.2 MiB", shown(310))
        self.assertIn("did not hold", shown(310))


if __name__ == "__main__":
    unittest.main()
