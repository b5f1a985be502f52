"""The program memory_lab: its table, its reports, its cards, and what it says to bad input.

    LADDER_MEMORY_LAB=build/memory_lab LADDER_PROGRAM=build/ladder \\
        python3 -m tests.bench.labs.memory_lab_test
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tests import SOURCES

MEMORY_LAB, LADDER = os.environ["LADDER_MEMORY_LAB"], os.environ["LADDER_PROGRAM"]
RECORDED = SOURCES / "bench" / "results" / "nvidia-h200"
NO_GPU = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}


def run(*arguments, program=MEMORY_LAB):
    """(exit code, output, errors) of a command, where no GPU is seen."""
    done = subprocess.run(
        [program, *map(str, arguments)],
        cwd=SOURCES,
        env=NO_GPU,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, " ".join(done.stderr.split())


class MemoryLabTest(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_recorded_table_is_current(self):
        path = self.folder / "labs.json"
        self.assertEqual(run("list", "--json", path)[0], 0)
        recorded = SOURCES / "bench" / "results" / "labs.json"
        self.assertEqual(
            path.read_text(),
            recorded.read_text(),
            "run build/memory_lab list --json bench/results/labs.json",
        )

    def test_the_list_has_a_question_for_each_number(self):
        code, output, _ = run("list")
        numbers = [line.split()[0] for line in output.splitlines() if not line.startswith(" ")]
        self.assertEqual(code, 0)
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(len(numbers), output.count("?"))

    def test_bad_input_is_told_in_a_sentence(self):
        (self.folder / "cut.json").write_text('{"lab": "late')
        (self.folder / "other.json").write_text('{"benchmarks": []}')
        for arguments, words in (
            (("run", "lateness"), "no lab 'lateness'. The labs are L00 device_card"),
            (("run", "latency"), "lab asks a simulated memory system"),
            (("run", "latency", "--simulate", "h300"), "There are k80, p100"),
            (
                (
                    "run",
                    "latency",
                    "sectors",
                    "--simulate",
                    "flat",
                    "--json",
                    self.folder / "x.json",
                ),
                "several labs need a folder",
            ),
            (
                ("run", "latency", "--simulate", "flat", "--json", self.folder / "no" / "x.json"),
                "make it first: mkdir -p",
            ),
            (("run", "latency", "--simulate", "flat", "--seed", "-1"), "no whole number"),
            (("run", "remote_memory", "--simulate", "h100"), "needs a second GPU"),
            (("run", "register_ports", "--simulate", "h100"), "cannot be simulated"),
            (("run", "register_ports"), "cannot be simulated"),
            (
                ("run", "latency", "--simulate", "k80", "--paper"),
                "random_sampling and hash_grouping",
            ),
            (
                ("run", "all", "--simulate", "k80", "--scope", "2GiB"),
                "device_card has no --paper and no --scope",
            ),
            (("run", "random_sampling", "--simulate", "k80", "--scope", "2 apples"), "--scope"),
            (("run", "random_sampling", "--simulate", "k80", "--scope", "0"), "--scope"),
            (("run",), "labs is required"),
            (("report", self.folder / "none.json"), "cannot be read"),
            (("report", self.folder), "cannot be read"),
            (("report", self.folder / "cut.json"), "is no report of a lab"),
            (("report", self.folder / "other.json"), "is no report of a lab"),
            (("card", self.folder, self.folder / "card.json"), "Record it first: memory_lab run"),
            (("card", RECORDED, self.folder / "card.txt"), "ends in .json"),
        ):
            with self.subTest(arguments):
                code, output, errors = run(*arguments)
                self.assertEqual((code, output), (2, ""))
                self.assertIn(words, errors)
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()), ["cut.json", "other.json"]
        )

    def test_the_same_seed_finds_the_same(self):
        found = []
        for seed in (7, 7, 8):
            path = self.folder / f"{len(found)}.json"
            code, output, errors = run(
                "run",
                "latency",
                "--simulate",
                "classroom",
                "--quick",
                "--seed",
                seed,
                "--json",
                path,
            )
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("L01 latency, simulated classroom, quick", output)
            found.append(json.loads(path.read_text())["series"])
        self.assertEqual(found[0], found[1])
        self.assertNotEqual(found[0], found[2])

    def test_where_there_are_no_caches_none_are_found(self):
        self.assertEqual(
            run(
                "run",
                "latency",
                "sectors",
                "set_aside",
                "l2_sides",
                "near_memory",
                "tlb_reach",
                "--simulate",
                "flat",
                "--quick",
                "--json",
                self.folder,
            )[0],
            0,
        )
        for name, keys in (
            ("latency", ("l1_bytes", "l2_first_bytes")),
            ("sectors", ("l1_fetch_bytes", "l2_fetch_bytes")),
            ("set_aside", ("all_protected_bytes",)),
            ("l2_sides", ("penalty_cycles",)),
            ("near_memory", ("near_right_percent",)),
            ("tlb_reach", ("tlb_1_reach_bytes",)),
        ):
            report = json.loads((self.folder / f"lab_{name}.json").read_text())
            found = {each["key"]: each["value"] for each in report["findings"]}
            for key in keys:
                self.assertIsNone(found.get(key), f"{name}: {key}")

    def test_one_lab_that_fails_does_not_stop_the_others(self):
        code, output, errors = run(
            "run",
            "sectors",
            "remote_memory",
            "l2_sides",
            "--simulate",
            "h100",
            "--quick",
            "--json",
            self.folder,
        )
        self.assertEqual(code, 1)
        self.assertIn("needs a second GPU", errors)
        self.assertTrue(errors.endswith("1 of 3 labs failed: L18 remote_memory"), errors)
        self.assertIn("L02 sectors, simulated h100", output)
        self.assertIn("L09 l2_sides, simulated h100", output)
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()),
            ["lab_l2_sides.json", "lab_sectors.json"],
        )

    def test_invented_memory_gives_no_verdicts(self):
        path = self.folder / "latency.json"
        for lab in ("latency", "set_aside", "interference", "memory_bandwidth", "near_memory"):
            code, output, _ = run("run", lab, "--simulate", "h200", "--quick", "--json", path)
            self.assertEqual(code, 0)
            report = json.loads(path.read_text())
            self.assertGreater(len(report["claims"]), 0)
            self.assertEqual({claim["verdict"] for claim in report["claims"]}, {"simulated"})
            words = " ".join(output.split())
            for finding in report["findings"]:
                self.assertIn(f"{finding['name']} (simulated):", words)
            for verdict in ("HOLDS", "WRONG"):
                self.assertNotIn(f'" {verdict}', words)
            for decided in ("Confirmed", "Refuted"):
                self.assertNotIn(decided, words)

    def test_a_gpu_that_does_not_tell_its_power_has_none(self):
        _, output, _ = run("run", "near_memory", "--simulate", "h100", "--quick")
        self.assertIn("does not tell its power", " ".join(output.split()))
        self.assertNotIn("nan", output)
        self.assertNotIn(" 0 W", output)

    def test_who_asks_for_a_simulation_gets_no_verdict_on_what_is_counted(self):
        for lab in ("raster_orders", "coalescing"):
            path = self.folder / f"{lab}.json"
            code, output, _ = run("run", lab, "--simulate", "classroom", "--quick", "--json", path)
            claims = json.loads(path.read_text())["claims"]
            self.assertEqual((code, {claim["verdict"] for claim in claims}), (0, {"simulated"}))
            words = " ".join(output.split())
            self.assertEqual(words.count("SIMULATED, NO VERDICT"), len(claims))

    def test_the_points_of_a_short_curve_are_printed(self):
        path = self.folder / "coalescing.json"
        code, output, _ = run("run", "coalescing", "--quick", "--json", path)
        points = json.loads(path.read_text())["series"][0]["points"]
        rows = re.findall(r"\b(\d+): (\d+)\b", output.split(" over ")[1])
        self.assertEqual(code, 0)
        printed = [(str(round(each["x"])), str(round(each["samples"][0]))) for each in points]
        self.assertEqual(rows, printed)

    def test_what_cannot_be_set_aside_is_not_found(self):
        path = self.folder / "interference.json"
        run("run", "interference", "--simulate", "h200_1g", "--quick", "--json", path)
        findings = json.loads(path.read_text())["findings"]
        values = {finding["key"]: finding["value"] for finding in findings}
        self.assertIsNone(values["set_aside_share"])
        self.assertIsNone(values["both_share"])
        self.assertNotIn("set_aside_saves_us", values)
        self.assertEqual(values["evict_first_share"]["value"], 100)

    def test_a_copied_card_is_the_card(self):
        classroom = SOURCES / "common" / "devices" / "classroom.json"
        path = self.folder / "mine.json"
        path.write_text(classroom.read_text())
        outputs = [
            " ".join(run("run", "raster_orders", "--quick", "--card", card)[1].split())
            for card in ("classroom", path)
        ]
        found = [words.replace("classroom", "mine").split("Found")[1] for words in outputs]
        self.assertEqual(*found)
        self.assertIn("Claimed", found[0])

    def test_a_huge_cache_is_refused(self):
        card = json.loads((SOURCES / "common" / "devices" / "classroom.json").read_text())
        card["l2_bytes"]["value"] = 10**15
        path = self.folder / "huge.json"
        path.write_text(json.dumps(card))
        code, _, errors = run("run", "raster_orders", "--quick", "--card", path)
        self.assertEqual(code, 2)
        self.assertIn("must be at most 1073741824", errors)

    def test_groups_that_share_a_tlb_are_found_even_if_all_sms_do(self):
        path = self.folder / "groups.json"
        self.assertEqual(
            run("run", "tlb_sharing", "--simulate", "classroom", "--quick", "--json", path)[0], 0
        )
        found = [each["value"]["value"] for each in json.loads(path.read_text())["findings"]]
        self.assertEqual(found, [4, 2, 1], "pairs, halves and all of its 8 SMs")

    def test_a_report_is_printed_again_in_eighty_columns(self):
        for path in sorted(RECORDED.glob("lab_*.json")):
            code, output, errors = run("report", path)
            with self.subTest(path.name):
                self.assertEqual((code, errors), (0, ""))
                self.assertIn("NVIDIA H200", output.splitlines()[0])
                self.assertIn("\nFound\n", output)
                self.assertLessEqual(max(map(len, output.splitlines())), 80)

    def test_a_card_of_what_was_found_is_a_gpu_for_the_ladder(self):
        path = self.folder / "mine.json"
        self.assertEqual(run("card", RECORDED, path)[0], 0)
        documented = json.loads((SOURCES / "common" / "devices" / "h200.json").read_text())
        card = json.loads(path.read_text())
        for key in (
            "sms",
            "l2_bytes",
            "l2_partitions",
            "l2_merging_gpcs",
            "shared_bytes_per_sm",
            "fp32_tflops",
            "registers_per_sm",
            "max_warps_per_sm",
        ):
            self.assertAlmostEqual(card[key]["value"], documented[key]["value"], places=1, msg=key)
        traces = []
        for gpu in (path, "h200"):
            code, output, errors = run("trace", "03", "--size", "128", "--gpu", gpu, program=LADDER)
            self.assertEqual((code, errors), (0, ""))
            traces.append([line for line in output.splitlines() if ".sum" in line])
        self.assertEqual(traces[0], traces[1])
        self.assertGreater(len(traces[0]), 10)


if __name__ == "__main__":
    unittest.main()
