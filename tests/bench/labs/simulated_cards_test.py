"""The recorded labs of simulated K80 and P100: current, and what the paper found on the real ones.

    LADDER_MEMORY_LAB=build/memory_lab python3 -m tests.bench.labs.simulated_cards_test

Records of the P100 are made again only with LADDER_TEST_ALL=1.
"""

import json
import math
import os
import statistics
import unittest

from bench.record import simulated_cards

MEMORY_LAB = os.environ["LADDER_MEMORY_LAB"]
MIB = 2**20


def recorded(card, lab):
    """A recorded report."""
    return json.loads(simulated_cards.path_of(card, lab).read_text())


def found(card, lab):
    """{key: value, or None where it was not found} of a report's findings."""
    findings = recorded(card, lab)["findings"]
    return {each["key"]: each["value"] and each["value"]["value"] for each in findings}


class SimulatedCardsTest(unittest.TestCase):
    """What is recorded, and what the program gives now."""

    def test_the_records_are_current(self):
        cards = simulated_cards.CARDS if os.environ.get("LADDER_TEST_ALL") else ("k80",)
        for card in cards:
            for lab in simulated_cards.LABS:
                with self.subTest(card=card, lab=lab):
                    self.assertEqual(
                        simulated_cards.lasting(simulated_cards.path_of(card, lab).read_text()),
                        simulated_cards.lasting(simulated_cards.run(card, lab, MEMORY_LAB)),
                        "run python3 -m bench.record.simulated_cards",
                    )

    def test_table_2_comes_out(self):
        # Reach in MiB, what an entry translates, entries, cycles of a miss.
        for card, levels in (
            ("k80", ((2, 0.125, 16, 9), (130, 2, 65, 55), (2064, 2, 1032, 177))),
            ("p100", ((32, 2, 16, 9), (2080, 32, 65, 110))),
        ):
            values = found(card, "tlb_reach")
            for i, (reach, page, entries, cycles) in enumerate(levels, 1):
                with self.subTest(card=card, level=i):
                    self.assertAlmostEqual(values[f"tlb_{i}_reach_bytes"] / MIB, reach, delta=0.1)
                    self.assertEqual(values[f"tlb_{i}_page_bytes"] / MIB, page)
                    self.assertEqual(round(values[f"tlb_{i}_entries"]), entries)
                    self.assertAlmostEqual(values[f"tlb_{i}_miss_cycles"], cycles, delta=2)
                    self.assertEqual(values[f"tlb_{i}_fetch_bytes"] / MIB, page)
            self.assertNotIn(f"tlb_{len(levels) + 1}_reach_bytes", values)

    def test_a_miss_brings_an_aligned_entry(self):
        for card in simulated_cards.CARDS:
            for each in recorded(card, "tlb_reach")["findings"]:
                if each["key"].endswith("fetch_bytes"):
                    self.assertIn("aligned", each["how"])

    def test_the_groups_are_the_papers(self):
        k80, p100 = (found(card, "tlb_sharing") for card in simulated_cards.CARDS)
        self.assertEqual([k80[f"tlb_{i}_groups"] for i in (1, 2, 3)], [13, 5, 1])
        self.assertEqual(k80["tlb_2_off"], 2)
        self.assertEqual([p100[f"tlb_{i}_groups"] for i in (1, 2)], [28, 6])
        self.assertEqual(p100["tlb_2_off"], 4)

    def test_random_reads_fall_and_rise_as_in_figure_10(self):
        for card, factor in (("k80", 13), ("p100", 4.2)):
            with self.subTest(card):
                values = found(card, "random_sampling")
                last = values["largest_reads"]
                self.assertAlmostEqual(values["best_reads"] / last, factor, delta=0.1 * factor)
                self.assertGreaterEqual(values["best_scope"], 512 * MIB)
                self.assertLessEqual(values["best_scope"], 2080 * MIB)
                small, large = values["cure_1"], values["cure_5"]  # 128 MiB and 2 GiB
                self.assertGreater(large, 0.7 * factor * last)
                # Passes over 128 MiB win a little on the K80, and lose on the P100.
                self.assertLess(small / last, {"k80": 2, "p100": 0.5}[card])
                self.assertGreater(small / last, {"k80": 1.1, "p100": 0}[card])

    def test_small_scopes_pay_where_the_paper_says(self):
        # On a K80 between 130 MB and 1 GB, up to 8 passes, and again from 2.5 GB on.
        one, small = (self.curve("k80", way) for way in ("one pass", "passes over 128 MiB"))
        gains = {bytes_ / MIB: rate / one[bytes_] for bytes_, rate in small.items()}
        self.assertGreater(max(gain for mib, gain in gains.items() if mib <= 8 * 128), 1.04)
        for mib, gain in gains.items():
            with self.subTest(mib=mib):
                if 9 * 128 < mib < 2100:
                    self.assertLess(gain, 1)
                if mib > 2600:
                    self.assertGreater(gain, 1)
        one, small = (self.curve("p100", way) for way in ("one pass", "passes over 128 MiB"))
        for bytes_, rate in small.items():
            self.assertLess(rate, 1.03 * one[bytes_])

    def test_a_new_pass_is_a_tooth(self):
        # Just beyond 2, 4, 6 ... GiB the last pass has little to read, and takes its time.
        curve = self.curve("p100", "passes over 2 GiB")
        for passes in (2, 3, 4, 5, 6):
            rates = [v for x, v in curve.items() if math.ceil(x / (2048 * MIB)) == passes]
            with self.subTest(passes=passes):
                self.assertLess(rates[0], 0.97 * max(rates))

    @staticmethod
    def curve(card, way):
        """{bytes: reads per second} of one way to read."""
        (series,) = (s for s in recorded(card, "random_sampling")["series"] if s["name"] == way)
        return {p["x"]: statistics.median(p["samples"]) for p in series["points"]}

    def test_grouping_falls_and_rises_as_in_figure_11(self):
        k80, p100 = (found(card, "hash_grouping") for card in simulated_cards.CARDS)
        self.assertGreater(k80["cure_spill_2048_mib"], 8 * k80["largest_tuples"])
        self.assertGreater(p100["cure_spill_2048_mib"], 2 * p100["largest_tuples"])
        # On a P100, passes over 128 MiB are too many, with a copy or without.
        self.assertLess(p100["cure_spill_128_mib"], p100["largest_tuples"])
        self.assertLess(p100["cure_rescan_128_mib"], p100["cure_spill_128_mib"])

    def test_few_threads_help_a_k80_and_not_a_p100(self):
        rates = {}
        for card in simulated_cards.CARDS:
            (series,) = (
                each
                for each in recorded(card, "hash_grouping")["series"]
                if each["name"].startswith("threads")
            )
            rates[card] = series["points"][-1]["samples"][0]
        self.assertGreater(found("k80", "hash_grouping")["few_threads"], 1.3 * rates["k80"])
        self.assertLess(found("p100", "hash_grouping")["few_threads"], 1.05 * rates["p100"])


if __name__ == "__main__":
    unittest.main()
