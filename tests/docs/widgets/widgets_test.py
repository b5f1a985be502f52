"""docs/widgets: pages work by keys alone, in both themes, on a phone, with dropped files.

build/python/bin/python -m tests.docs.widgets.widgets_test
"""

import json
import pathlib
import re
import tempfile
import unittest

from mkdocs.exceptions import PluginError
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from bench.benchmark import compact
from docs.widgets.embed import embedded
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
        """From the worst stride to one of 2, which moves twice the bytes."""
        for scheme in SCHEMES:
            book.open("coalescing", scheme)
            self.assertIn("32 sectors in 32 lines", book.result())
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
            self.assertEqual(book.result(), "32 wavefronts, ideal 1: bank conflicts add 31.")
            book.fill("banks-padding", "1")
            self.assertEqual(book.result(), "1 wavefront, ideal 1: no bank conflicts.")

    def test_tiles_by_keys(self):
        """One register more halves the blocks."""
        for scheme in SCHEMES:
            book.open("tiles", scheme)
            self.assertIn("289 tiles in 2 waves, the last 9.47 % full", book.result())
            book.fill("tiles-registers", "129")
            self.assertIn("1 block per SM, limited by registers: ", book.result())
            self.assertEqual(book.values()["Blocks at a time"], "1 × 132 SMs = 132")

    def test_waves_by_keys(self):
        """Bands instead of rows."""
        for scheme in SCHEMES:
            book.open("waves", scheme)
            self.assertIn("Wave 2 of 2 has 25 tiles for 264 places", book.result())
            Select(book.find("#waves-setting")).select_by_index(1)
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
            self.assertEqual(len({query for query, *_ in seen}), len(seen), name)
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
            ("coalescing", "bytes=16&offset=1", "not a multiple of 16"),
            ("banks", "width=4&padding=1", "A GPU stops with an error"),
            ("banks", "rowLength=40&padding=0&swizzle=word", "not a multiple of 32"),
            ("tiles", "BM=256&BN=256", "Not one block fits"),
            ("tiles", "card=t4&precision=bf16", "no tensor cores that take BF16"),
            ("tiles", "TM=48", "do not fill"),
            ("waves", "wave=9", "C takes 2 waves"),
            ("roofline", "card=t4&precision=tf32", "no tensor cores that take TF32"),
        ):
            book.open(name, query="?" + query)
            self.assertIn(words, book.result())
            self.assertEqual(book.count(".widget svg"), 0)

    def test_bad_links_fall_back(self):
        """Names and values that there are not."""
        book.open("coalescing", query="?bytes=5&stride=much&nothing=1")
        self.assertIn("32 sectors in 32 lines", book.result())

    def test_sliders_and_numbers_say_the_same(self):
        """Each follows the other; a number may go beyond its slider."""
        book.open("coalescing")
        book.tab_to("coalescing-stride-slider")
        book.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(book.find("#coalescing-stride").get_attribute("value"), "2")
        self.assertIn("8 sectors in 2 lines", book.result())
        book.open("coalescing")
        book.fill("coalescing-stride", "4096")
        self.assertIn("32 sectors in 32 lines", book.result())
        self.assertEqual(book.find("#coalescing-stride-slider").get_attribute("value"), "32")

    def press_button(self, words):
        """Presses one of the buttons that walk, by its label."""
        book.find(f'.widget-play button[aria-label="{words}"]').click()

    def value_of(self, identifier):
        """What stands in a field."""
        return book.find(f"#{identifier}").get_attribute("value")

    def test_steps_walk_through_the_field(self):
        """Lane by lane, k tile by k tile, wave by wave; at the ends there is no further step."""
        for name, field, first, back, forward, last in (
            ("coalescing", "lanes", "Lane 0 alone", "One lane fewer", "One lane more", 32),
            ("tiles", "step", "The first k tile", "One k tile back", "The next k tile", 272),
            ("waves", "wave", "The first wave", "The previous wave", "The next wave", 2),
        ):
            book.open(name)
            self.press_button(first)
            self.assertEqual(self.value_of(f"{name}-{field}"), "1")
            self.assertFalse(book.find(f'[aria-label="{back}"]').is_enabled())
            self.assertEqual(plain(book.find(".widget-place").text), f"1 of {last}")
            drawn = book.find(".widget svg").get_attribute("innerHTML")
            self.press_button(forward)
            self.assertEqual(self.value_of(f"{name}-{field}"), "2")
            self.assertNotEqual(book.find(".widget svg").get_attribute("innerHTML"), drawn)
            self.press_button(back)
            self.assertEqual(book.find(".widget svg").get_attribute("innerHTML"), drawn)
            book.fill(f"{name}-{field}", str(last))
            self.assertFalse(book.find(f'[aria-label="{forward}"]').is_enabled())

    def test_a_load_falls_into_sectors_lane_by_lane(self):
        """What stands there after some lanes is what these lanes ask for; the latest stands out."""
        book.open("coalescing")
        self.press_button("Lane 0 alone")
        for _ in range(4):
            self.press_button("One lane more")
        self.assertIn("5 sectors in 5 lines: 160 bytes move, 20 are used", book.result())
        self.assertEqual(book.count(".widget svg .cell.used"), 4)
        self.assertEqual(book.count(".widget svg .cell.most"), 1)
        self.assertEqual(book.count(".widget svg .frame"), 4 * 32)  # room for those to come

    def test_a_tile_moves_along_k(self):
        """The k tiles of A and B lie where the step says."""
        book.open("tiles", query="?m=1024&n=1024&k=1024&BK=64&step=1")
        place = (
            "const [a, b] = document.querySelectorAll('.widget svg .cell.most');"
            "const [first] = document.querySelectorAll('.widget svg .frame');"
            "const depth = Number(first.getAttribute('width'));"
            "return [(a.getAttribute('x') - first.getAttribute('x')) / depth,"
            "a.getAttribute('width') / depth, b.getAttribute('height') / depth]"
        )
        self.assertEqual([round(x, 2) for x in book.run(place)], [0, 0.06, 0.06])
        book.fill("tiles-step", "9")
        self.assertEqual([round(x, 2) for x in book.run(place)], [0.5, 0.06, 0.06])
        self.assertEqual(book.values()["After k tile 9 of 16"], "a block has loaded 576 KiB")

    def test_waves_fill_c(self):
        """The last wave of 2176 has 25 tiles; the 264 before it are done."""
        book.open("waves")
        boxes = "return ['done', 'wave'].map((name) => document.querySelector("
        boxes += "`.widget svg .${name}`).getAttribute('d').split('M').length - 1)"
        self.assertEqual(book.run(boxes), [264, 25])
        self.press_button("The first wave")
        self.assertEqual(book.run(boxes), [0, 264])

    def test_play_runs_to_the_end_and_pauses(self):
        """It starts again from the end, reads nothing aloud meanwhile, and stops by itself."""
        book.open("waves")
        self.press_button("Play: wave by wave")
        self.assertEqual(book.find("#waves-wave").get_attribute("value"), "1")
        self.assertEqual(book.find(".widget-result").get_attribute("aria-live"), "off")
        self.press_button("Play: wave by wave")
        self.assertEqual(book.find(".widget-result").get_attribute("aria-live"), "polite")
        self.press_button("Play: wave by wave")
        WebDriverWait(book.browser, 10, 0.1).until(
            lambda _: book.find("#waves-wave").get_attribute("value") == "2"
        )
        self.assertEqual(book.find(".widget-result").get_attribute("aria-live"), "polite")

    def test_nothing_moves_by_itself_where_less_motion_is_asked_for(self):
        """Steps stay, Play goes."""
        book.open("coalescing", motion="reduce")
        self.assertFalse(book.find('[aria-label="Play: lane by lane"]').is_displayed())
        self.assertTrue(book.find('[aria-label="One lane fewer"]').is_displayed())

    def test_pages_embed_widgets(self):
        """Each with its own settings and names; links lead to the widget's page."""
        book.open("embedded")
        results = book.run(
            "return [...document.querySelectorAll('.widget-result')].map((one) => one.textContent)"
        )
        self.assertEqual([plain(one).split(" ")[0] for one in results], ["32", "32", "4"])
        inputs = ("widget-coalescing-1-stride", "widget-coalescing-2-stride", "widget-tiles-1-BM")
        values = [book.find(f"#{name}").get_attribute("value") for name in inputs]
        self.assertEqual(values, ["8", "32", "64"])
        book.find(".widget-link a").click()
        self.assertIn("widgets/coalescing.html?bytes=4&stride=8", book.browser.current_url)
        self.assertEqual(book.find("#coalescing-stride").get_attribute("value"), "8")

    def test_the_list_names_what_a_page_asks_for(self):
        """Where there is such a setting."""
        book.open("embedded")
        lists = ("widget-coalescing-1", "widget-coalescing-2", "widget-tiles-1")
        names = [Select(book.find(f"#{one}-setting")).first_selected_option.text for one in lists]
        wanted = ["One of 8 fields of a record", "Stride 32: every lane in a line of its own"]
        self.assertEqual(names, [*wanted, "your own setting"])

    def test_a_setting_brings_its_own_hint(self):
        """A tail asks for another try than a hit rate."""
        book.open("waves")
        self.assertIn("where does the second wave end?", book.find(".widget-hint").text)
        Select(book.find("#waves-setting")).select_by_visible_text("Rung 06 at 16384")
        self.assertIn("compare the hit rates", book.find(".widget-hint").text)

    def test_the_result_stays_in_sight_on_a_phone(self):
        """While the fields above it are set."""
        book.open("tiles", width=400)
        book.run("document.querySelector('#tiles-BM').scrollIntoView({block: 'end'})")
        place = book.run("return document.querySelector('.widget-result').getBoundingClientRect()")
        self.assertLessEqual(place["bottom"], 900)
        fields = "return document.querySelector('.widget-form').getBoundingClientRect().bottom"
        self.assertGreater(book.run(fields), 900)

    def test_long_entries_of_lists_are_not_cut_off(self):
        """They take two columns."""
        book.open("roofline")
        column, place = book.find("#roofline-card").rect, book.find("#roofline-place").rect
        self.assertGreater(place["width"], 1.9 * column["width"])

    def test_a_page_cannot_ask_for_what_there_is_not(self):
        """Kinds and forms of settings are looked at as the page is built."""
        for wrong in (" colaescing ", " coalescing stride ", " ", " tiles BM=a/b "):
            with self.assertRaises(PluginError):
                embedded(f"text\n\n<!-- widget{wrong}-->\n", "chapters/l2.html")
        self.assertEqual(embedded("`<!-- widget -->` in a line\n", "a.html")[:10], "`<!-- widg")

    def test_inputs_have_labels_and_the_result_is_live(self):
        """For those who cannot see."""
        for name in PAGES:
            book.open(name)
            bare = book.run(
                "return [...document.querySelectorAll('.widget :is(input, select)')]"
                ".filter((one) => !(one.labels[0]?.textContent || one.ariaLabel))"
                ".map((one) => one.id)"
            )
            self.assertEqual(bare, [])
            self.assertEqual(book.find(".widget-result").get_attribute("aria-live"), "polite")
            words = book.find(".widget svg").get_attribute("aria-label")
            self.assertEqual(plain(words), book.result())

    def test_pages_fit_a_phone(self):
        """Wide drawings scroll in their place, by keys too."""
        for name in (*PAGES, "embedded"):
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
            ("TFLOP/s: 55", "This is not JSON"),
            (card, "This JSON holds no results"),
            ("null", "This JSON holds no results"),
            ("[]", "This JSON holds no results"),
            (json.dumps(climb), "has no times of correct results"),
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
