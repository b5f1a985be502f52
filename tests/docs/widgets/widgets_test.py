"""docs/widgets: pages work by keys alone, in both themes, on a phone, with dropped files.

    build/python/bin/python -m tests.docs.widgets.widgets_test
"""

import json
import pathlib
import re
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from bench.benchmark import compact
from tests import SOURCES
from tests.browser import console_errors, requested
from tests.docs.widgets.widget_site import PAGES, SCHEMES, WidgetSite, plain

RESULTS = SOURCES / "bench" / "results" / "nvidia-h200"
CLIMB = RESULTS / "climb_burst_4096.json"
BENCHMARK = RESULTS / "benchmark_all.json"


def setUpModule():
    """The pages in a browser."""
    global book
    book = WidgetSite()


def tearDownModule():
    """Ends the browser."""
    book.close()


class PagesTest(unittest.TestCase):
    """The pages in both themes."""

    def tearDown(self):
        self.assertEqual(console_errors(book.browser), [])
        self.assertEqual([url for url in requested(book.browser) if url.startswith("http")], [])

    def test_coalescing_by_keys(self):
        """A stride of 2 moves twice the bytes."""
        for scheme in SCHEMES:
            book.open("coalescing", scheme)
            book.fill("coalescing-stride", "2")
            wanted = "8 sectors in 2 lines: 256 bytes move, 128 are used, 50 %."
            self.assertEqual(book.result(), wanted)
            self.assertEqual(book.values()["128-byte lines"], "2")
            labels = "return document.querySelectorAll('.widget svg .cell.used').length"
            self.assertEqual(book.run(labels), 32)

    def test_banks_by_keys(self):
        """One float of padding takes the conflicts away."""
        for scheme in SCHEMES:
            book.open("banks", scheme)
            self.assertEqual(book.result(), "32 wavefronts, ideal 1: 31 passes too many.")
            book.fill("banks-padding", "1")
            self.assertEqual(book.result(), "1 wavefront, ideal 1: no bank makes the warp wait.")

    def test_tiles_by_keys(self):
        """One register more halves the blocks."""
        for scheme in SCHEMES:
            book.open("tiles", scheme)
            book.fill("tiles-registers", "129")
            self.assertIn("1 block per SM, limited by registers: ", book.result())
            self.assertEqual(book.values()["Blocks at a time"], "1 x 132 SMs = 132")

    def test_waves_by_keys(self):
        """Bands instead of rows."""
        for scheme in SCHEMES:
            book.open("waves", scheme)
            self.assertIn("9 panels of A and 32 panels of B", book.result())
            self.assertFalse(book.find("#waves-band").is_enabled())
            book.tab_to("waves-order")
            book.press("in bands")
            self.assertIn("16 panels of A and 17 panels of B", book.result())
            self.assertTrue(book.find("#waves-band").is_enabled())

    def test_roofline_by_keys(self):
        """One row of A is limited by memory."""
        for scheme in SCHEMES:
            book.open("roofline", scheme)
            book.fill("roofline-m", "1")
            self.assertIn("at most 2.406 TFLOP/s, limited by memory", book.result())
            self.assertEqual(book.values()["Ridge point"], "13.9 FLOP per byte")

    def test_every_setting_works_and_its_link_leads_to_it(self):
        """No setting to start from is an error; the link opens the same."""
        for name in PAGES:
            book.open(name)
            seen = []
            for place in range(len(Select(book.find(f"#{name}-setting")).options) - 1):
                Select(book.find(f"#{name}-setting")).select_by_index(place)
                self.assertEqual(book.count(".widget-result.wrong"), 0, (name, place))
                link = book.find(".widget-link a").get_attribute("href")
                seen.append((link.partition("?")[2], book.result(), book.values()))
                self.assertGreater(len(seen[-1][2]), 3)
            for query, *shown in seen[-2:]:
                book.open(name, query="?" + query)
                self.assertEqual([book.result(), book.values()], shown)

    def test_wrong_values_are_named(self):
        """The field is marked, and a right value brings the result back."""
        book.open("coalescing")
        for text in ("", "-1", "1.5", "100001"):
            book.fill("coalescing-stride", text or Keys.DELETE)
            wanted = "Stride, in elements: a whole number from 0 to 100000, please."
            self.assertEqual(book.result(), wanted)
            self.assertIsNotNone(book.find("#coalescing-stride").get_attribute("aria-invalid"))
        book.fill("coalescing-stride", "1")
        self.assertIn("4 sectors in 1 line", book.result())
        self.assertIsNone(book.find("#coalescing-stride").get_attribute("aria-invalid"))

    def test_what_a_gpu_refuses_is_refused(self):
        """With the reason."""
        for name, query, words in (
            ("coalescing", "bytes=16&offset=1", "no multiple of 16"),
            ("banks", "width=4&padding=1", "a GPU stops with an error"),
            ("banks", "rowLength=40&padding=0&swizzle=word", "no multiple of 32"),
            ("tiles", "BM=256&BN=256", "Not one block fits"),
            ("tiles", "card=t4&precision=bf16", "no tensor cores that take BF16"),
            ("tiles", "TM=48", "do not fill"),
            ("waves", "wave=9", "none of the 4 waves"),
            ("roofline", "card=t4&precision=tf32", "no tensor cores that take TF32"),
        ):
            book.open(name, query="?" + query)
            self.assertIn(words, book.result())
            self.assertEqual(book.count(".widget svg"), 0)

    def test_bad_links_fall_back(self):
        """Names and values that there are not."""
        book.open("coalescing", query="?bytes=5&stride=much&nothing=1")
        self.assertIn("4 sectors in 1 line", book.result())

    def test_inputs_have_labels_and_the_result_is_live(self):
        """For those who cannot see."""
        for name in PAGES:
            book.open(name)
            bare = book.run(
                "return [...document.querySelectorAll('.widget :is(input, select)')]"
                ".filter((one) => !one.labels[0]?.textContent).map((one) => one.id)"
            )
            self.assertEqual(bare, [])
            self.assertEqual(book.find(".widget-result").get_attribute("aria-live"), "polite")
            words = book.find(".widget svg").get_attribute("aria-label")
            self.assertEqual(plain(words), book.result())

    def test_pages_fit_a_phone(self):
        """Wide drawings scroll in their place, by keys too."""
        for name in PAGES:
            book.open(name, width=360)
            page = "return document.documentElement.scrollWidth"
            self.assertLessEqual(book.run(page), 360, name)
            drawing = book.find(".widget-drawing")
            scrolls = book.run(
                "return arguments[0].scrollWidth > arguments[0].clientWidth", drawing
            )
            self.assertEqual(drawing.get_attribute("tabindex"), "0" if scrolls else None)

    def test_text_can_be_read_in_both_themes(self):
        """WCAG's contrast of texts to their ground."""
        for scheme in SCHEMES:
            for name in PAGES:
                book.open(name, scheme)
                self.assertGreaterEqual(book.lowest_contrast(), 4.5, name)


class ResultsTest(unittest.TestCase):
    """The reader's files on the roofline."""

    def setUp(self):
        book.open("roofline")

    def tearDown(self):
        self.assertEqual(console_errors(book.browser), [])

    def said(self):
        """What the widget says of the file."""
        WebDriverWait(book.browser, 10).until(lambda _: book.find(".widget-said").text)
        return plain(book.find(".widget-said").text)

    def drop(self, name, text):
        """Drops a file on the widget."""
        book.run(
            "const files = new DataTransfer();"
            "files.items.add(new File([arguments[1]], arguments[0]));"
            "document.querySelector('.widget-said').textContent = '';"
            "document.querySelector('.widget-drop').dispatchEvent("
            "new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}))",
            name,
            text,
        )
        return self.said()

    def rings(self):
        """The reader's points."""
        return book.count(".widget svg .own")

    def test_climb(self):
        """All timed entries of a climb stand in the drawing."""
        Select(book.find("#roofline-card")).select_by_value("t4")
        said = self.drop("mine.json", CLIMB.read_text())
        timed = [one for one in json.loads(CLIMB.read_text())["benchmarks"] if one["tflops"]]
        self.assertEqual(self.rings(), len(timed))
        self.assertIn(f"mine.json: {len(timed)} points from NVIDIA H200.", said)
        self.assertEqual(book.find("#roofline-card").get_attribute("value"), "h200")
        best = max(timed, key=lambda one: one["tflops"])
        shown = book.values()["Nearest to this roof"]
        self.assertIn(best["name"].replace("_", " "), shown)
        self.assertAlmostEqual(
            float(re.search(r"([\d.]+) %", shown)[1]), 100 * best["tflops"] / 66.90816, delta=0.06
        )

    def test_benchmark_by_the_file_field(self):
        """Of repetitions the median; chosen instead of dropped."""
        results = compact.load(BENCHMARK)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / BENCHMARK.name
            path.write_text(json.dumps(results))
            book.find("#roofline-file").send_keys(str(path))
            self.assertIn("points", self.said())  # it has been read
        entries = results["benchmarks"]
        rows = {one["run_name"].rpartition("/")[0] for one in entries}
        self.assertIn(f"{len(rows)} points", self.said())
        self.assertEqual(self.rings(), len(rows))

    def test_another_gpu_keeps_the_roof(self):
        """Nothing is guessed."""
        climb = json.loads(CLIMB.read_text())
        climb["context"]["device"] = "NVIDIA RTX A6000"
        self.assertIn("There is no card of this GPU here", self.drop("a.json", json.dumps(climb)))

    def test_other_files_are_refused(self):
        """With a sentence that says why, and the old points go."""
        self.drop("mine.json", CLIMB.read_text())
        climb = json.loads(CLIMB.read_text())
        for one in climb["benchmarks"]:
            one["tflops"] = None
        card = (SOURCES / "common" / "devices" / "h200.json").read_text()
        for text, words in (
            ("TFLOP/s: 55", "This is no JSON"),
            (card, "This JSON holds no results"),
            ("null", "This JSON holds no results"),
            ("[]", "This JSON holds no results"),
            (json.dumps(climb), "holds no times of right results"),
        ):
            self.assertIn(words, self.drop("other.json", text))
            self.assertEqual(self.rings(), 0)
            self.assertIn("wrong", book.find(".widget-said").get_attribute("class"))

    def test_wrong_results_are_left_out(self):
        """A rung that computes nonsense has no speed."""
        climb = json.loads(CLIMB.read_text())
        climb["benchmarks"][3]["outcome"] = "wrong"
        self.drop("mine.json", json.dumps(climb))
        self.assertEqual(self.rings(), len(climb["benchmarks"]) - 1)


if __name__ == "__main__":
    unittest.main()
