"""common/terminal/trace_page.html: traces that differ from the sample in one thing."""

import copy
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.common.terminal.trace_page import (
    ALL_LANES,
    KERNEL,
    MARK,
    SAMPLE,
    TEMPLATE,
    PageTest,
    background,
    browser,
    choose,
    click,
    drawn_words,
    find,
    find_all,
    lowest_contrast,
    page_of,
    plain,
    row_id,
    set_media,
    texts,
)


class VariantTest(PageTest):
    """Traces that differ from the sample in one thing."""

    def open_variant(self, **changes):
        """Opens the page of the sample with some values replaced."""
        self.open(page_of({**copy.deepcopy(SAMPLE), **changes}))

    def open_request(self, **changes):
        """Opens a page with one request of the warp: 32 lanes load 4 bytes unless said."""
        request = {
            **SAMPLE["warp"]["requests"][0],
            "lanes": ALL_LANES,
            "wavefronts": 0,
            "ideal_wavefronts": 0,
            **changes,
        }
        self.open_variant(warp={"block": [0, 0, 0], "warp": 0, "requests": [request]})

    def test_verified_wrong_and_not_verified(self):
        for verified, words in (
            (True, "verified"),
            (False, "wrong result"),
            (None, "not verified at this size"),
        ):
            self.open_variant(verified=verified)
            self.assertEqual(find("#verified").text, words)

    def test_article_suits_the_card(self):
        self.open_variant(card={**SAMPLE["card"], "name": "NVIDIA H200"})
        self.assertIn("as an NVIDIA H200 would count it", find("#head").text)
        self.open_variant(card={**SAMPLE["card"], "name": "classroom card"})
        self.assertIn("as a classroom card would count it", find("#head").text)

    def test_a_sample_of_the_blocks_is_said(self):
        self.open_variant(launch={**SAMPLE["launch"], "blocks_traced": 5})
        self.assertIn("5 traced and the others alike", find("#head").text)

    def test_unknown_values_are_said_and_absent_ones_left_out(self):
        metrics = {"dram__bytes_read.sum": None, "l1tex__not_heard_of.sum": 1234567}
        self.open_variant(metrics=metrics)
        rows = [row.text for row in find_all("#figures tbody tr")]
        self.assertEqual(
            [plain(row) for row in rows],
            [
                "DRAM",
                "bytes, read not modelled at this size dram__bytes_read.sum",
                "Other",
                "1234567 l1tex__not_heard_of.sum",
            ],
        )

    def test_digits_are_grouped_by_narrow_spaces(self):
        self.open_variant(metrics={"dram__bytes_read.sum": 1234567})
        self.assertEqual(find("#figures td.value").text, "1\u202f234\u202f567")

    def test_hit_rate_and_excess_are_shares(self):
        self.open_variant(
            metrics={
                "lts__t_sectors_srcunit_tex.sum": 200,
                "lts__t_sectors_srcunit_tex_lookup_hit.sum": 150,
                "memory_l2_theoretical_sectors_global": 80,
                "derived__memory_l2_theoretical_sectors_global_excessive": 20,
            }
        )
        text = find("#figures").text
        self.assertIn("sectors, hits 150 75 % of all sectors", text)
        self.assertIn("sectors, excess 20 25 % of all sectors", text)

    def test_what_takes_more_than_ideal_stands_out(self):
        lines = copy.deepcopy(SAMPLE["lines"])
        lines[0]["sectors"] = 8 * lines[0]["ideal_sectors"]
        self.open_variant(lines=lines)
        row = row_id(SAMPLE, lines[0]["file"], lines[0]["line"])
        self.assertEqual(texts(".counts .more"), [f"global load A: {lines[0]['verdict']}"])
        click(find(f"#{row} .code"))
        self.assertEqual(texts(f"#{row}-details .wrong"), ["32 (4)"])

    def test_bank_conflicts_show_beside_the_wavefronts(self):
        lines = copy.deepcopy(SAMPLE["lines"])
        metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
        for entry in lines:
            if entry["operation"] == "shared load":
                entry["wavefronts"] *= 8
        metrics = {**SAMPLE["metrics"], metric: 8 * SAMPLE["metrics"][metric]}
        self.open_variant(lines=lines, metrics=metrics)
        self.assertEqual(texts(f'[data-metric="{metric}"] > td')[2], "8 per request, ideal 1")

    def test_lines_may_end_as_on_windows(self):
        self.open_variant(source=[{"file": KERNEL, "text": "int a;\r\nint b;  // c\r\n"}], lines=[])
        self.assertEqual(
            [text.strip() for text in texts(".source .code")], ["int a;", "int b;  // c"]
        )

    def test_counts_of_a_file_that_is_not_shown_are_not_lost(self):
        lines = [{**SAMPLE["lines"][0], "file": "common/other.cuh", "line": 7}]
        self.open_variant(lines=lines)
        self.assertIn(
            f"common/other.cuh:7\nglobal load A: {lines[0]['verdict']}", find("#source").text
        )
        self.assertEqual(find_all(".source .number button"), [])

    def test_source_that_looks_like_markup_is_only_text(self):
        text = (
            "// </script><script>window.taken = 1;</script>\n"
            'if (a < b && c > d) s = "<b>bold</b> // no comment";  // &lt; <!-- \\u003c\n'
            "\n"
            "  last"
        )
        self.open_variant(source=[{"file": KERNEL, "text": text}], lines=[])
        self.assertEqual(texts(".source .code"), text.split("\n"))
        self.assertIsNone(browser.execute_script("return window.taken ?? null"))
        self.assertEqual(find_all(".source b, .source script"), [])
        comments = ["// </script><script>window.taken = 1;</script>", "// &lt; <!-- \\u003c"]
        self.assertEqual(texts(".source .comment"), comments)

    def test_details_open_by_keyboard(self):
        self.open_variant()
        button = find(".source .number button")
        button.send_keys(Keys.ENTER)
        self.assertEqual(button.get_attribute("aria-expanded"), "true")
        self.assertEqual(len(find_all(".details")), 1)
        button.send_keys(Keys.SPACE)
        self.assertEqual(button.get_attribute("aria-expanded"), "false")
        self.assertEqual(find_all(".details"), [])

    def test_details_lead_to_the_addresses(self):
        # Loads of 4 and of 16 bytes on one line: each entry leads to the first request of its size.
        sample = copy.deepcopy(SAMPLE)
        operations = [request["operation"] for request in sample["warp"]["requests"]]
        first = operations.index("shared load")
        wide = sample["warp"]["requests"][first + 1]
        wide.update(access_bytes=16, array="sA")
        counts = next(one for one in sample["lines"] if one["operation"] == "shared load")
        sample["lines"].append({**counts, "access_bytes": 16})
        self.open(page_of(sample))
        click(find(f"#{row_id(sample, KERNEL, wide['line'])} .code"))
        buttons = find_all(".details button")
        # Words of sA, words of sB, and the wide load of sA.
        for button, place in zip(buttons, (0, 3, 1), strict=True):
            click(button)
            self.assertEqual(find("#request").get_attribute("value"), str(first + place))
            self.assertIn("bank", texts("#drawing text"))

    def test_choosing_a_request_redraws(self):
        self.open_variant()
        before = find("#drawing").get_attribute("innerHTML")
        self.assertNotIn("bank", texts("#drawing text"))
        choose("#request", 1)
        self.assertNotEqual(find("#drawing").get_attribute("innerHTML"), before)
        self.assertIn("bank", texts("#drawing text"))

    def test_strided_load_shows_what_travels_in_vain(self):
        addresses = [1024 * lane for lane in range(32)]
        self.open_request(addresses=addresses, sectors=32, lines=32, ideal_sectors=4)
        self.assertEqual(
            plain(find("#drawing figcaption").text),
            "32 lanes ask for 128 bytes in 32 sectors of 32 lines: 1024 bytes travel; "
            "ideal 4 sectors.",
        )
        self.open_request(
            addresses=addresses,
            sectors=32,
            lines=32,
            ideal_sectors=4,
            wavefronts=32,
            ideal_wavefronts=1,
        )
        self.assertTrue(find("#drawing figcaption").text.endswith(". 32 wavefronts, ideal 1."))
        self.assertEqual(drawn_words(), [f"lane {lane}" for lane in range(32)])
        self.assertEqual(len(find_all("#drawing .along")), 32 * 7)
        self.assertEqual(len(find_all("#drawing .dashed")), 32 * 3)
        self.assertIn("A + 31744", texts("#drawing text"))

    def test_lanes_that_are_off_are_not_drawn(self):
        self.open_request(
            lanes=0x80000003, addresses=[4, 8, *[0] * 29, 40], sectors=2, lines=1, ideal_sectors=1
        )
        self.assertEqual(drawn_words(), ["lane 0", "lane 1", "lane 31"])
        self.assertTrue(find("#drawing figcaption").text.startswith("3 lanes ask for 12 bytes in"))

    def test_lanes_that_share_a_word_share_its_cell(self):
        self.open_request(addresses=[0] * 32, sectors=1, lines=1, ideal_sectors=1)
        self.assertEqual(drawn_words(), ["lane 0\u201331"])
        self.open_request(addresses=[4 * (lane % 4) for lane in range(32)], sectors=1, lines=1)
        self.assertEqual(drawn_words()[1], "lane 1,5,9,13,17,21,25,29")
        self.assertIn("\u00d78", texts("#drawing text"))

    def test_an_address_before_the_array_is_drawn_before_it(self):
        addresses = [4 * lane - 8 for lane in range(32)]
        self.open_request(addresses=addresses, sectors=5, lines=2, ideal_sectors=4)
        labels = texts("#drawing text")
        self.assertLess(labels.index("A - 128"), labels.index("A + 0"))
        self.assertEqual(len(drawn_words()), 32)

    def test_a_request_of_many_rows_is_cut(self):
        addresses = [512 * lane + 124 for lane in range(32)]
        self.open_request(
            access_bytes=16, addresses=addresses, sectors=64, lines=64, ideal_sectors=16
        )
        self.assertIn("32 more rows of 128 bytes not drawn.", find("#drawing figcaption").text)
        self.assertEqual(len([text for text in texts("#drawing text") if "A +" in text]), 32)

    def test_bank_conflicts_are_marked(self):
        self.open_request(
            operation="shared load",
            array="sA",
            bank0=3,
            addresses=[128 * lane for lane in range(32)],
            wavefronts=32,
            ideal_wavefronts=1,
        )
        self.assertEqual(
            find("#drawing figcaption").text, "32 lanes ask for 128 bytes: 32 wavefronts, ideal 1."
        )
        self.assertEqual(len(find_all("#drawing .conflict")), 32)
        self.assertEqual(texts("#drawing text.wrong"), ["32"])
        left = {box.get_attribute("x") for box in find_all("#drawing .conflict")}
        banks = [text for text in find_all("#drawing text.muted") if text.text == "3"]
        middle = float(banks[0].get_attribute("x"))
        self.assertEqual(len(left), 1)
        self.assertTrue(0 < middle - float(left.pop()) < 27)

    def test_words_that_the_counter_forgives_are_not_marked(self):
        # 16 bytes per lane: four words of each bank, in four wavefronts, are no conflict.
        self.open_request(
            operation="shared load",
            access_bytes=16,
            addresses=[16 * lane for lane in range(32)],
            wavefronts=4,
            ideal_wavefronts=4,
        )
        self.assertEqual(len(drawn_words()), 128)
        self.assertEqual(find_all("#drawing .conflict"), [])

    def test_atomics_that_meet_at_a_word_are_a_conflict(self):
        self.open_request(
            operation="shared atomic",
            addresses=[0] * 16 + [4 * lane for lane in range(16, 32)],
            wavefronts=16,
            ideal_wavefronts=1,
        )
        self.assertEqual(texts("#drawing text.wrong"), ["16"])
        self.assertEqual(len(find_all("#drawing .conflict")), 1)

    def test_no_request_recorded(self):
        sample = copy.deepcopy(SAMPLE)
        del sample["warp"]  # as the program does where it recorded none
        self.open(page_of(sample))
        self.assertIn("No request was recorded.", find("#warp").text)
        click(find(f"#{row_id(SAMPLE, KERNEL, SAMPLE['lines'][0]['line'])} .code"))
        self.assertEqual(find_all(".details button"), [])

    def test_two_buffers_overlap(self):
        tiles = [
            {"tile": i, "array": "sA", "loaded": i, "stored": i, "first_read": i + 1}
            | {"last_read": i + 1}
            for i in range(4)
        ]
        order = {"barriers_per_tile": 1.0, "shared_loads_while_loading": 96.0}
        self.open_variant(order={**order, "shared_loads_per_tile": 128.0, "tiles": tiles})
        self.assertEqual(len(find_all("#order .overlap")), 3)
        summary = find("#order-summary").text
        self.assertIn("while the next tile is in flight: 96 of 128.", summary)
        self.assertIn("In 3 of the 5 intervals drawn", summary)
        # A tile that is read where it is loaded hides nothing.
        self.open_variant(order={**order, "tiles": [{**tiles[0], "first_read": 0}]})
        self.assertEqual(find_all("#order .overlap"), [])
        self.open_variant()
        self.assertEqual(find_all("#order .overlap"), [])
        self.assertIn("In none of the 8 intervals drawn", find("#order-summary").text)

    def test_a_tile_in_flight_over_barriers_is_a_line(self):
        tile = {"tile": 0, "array": "sA", "loaded": 0, "stored": 3, "first_read": 4, "last_read": 5}
        self.open_variant(order={**SAMPLE["order"], "tiles": [tile]})
        self.assertEqual(len(find_all("#order .wait")), 2)
        self.assertEqual(len(find_all("#order .barrier")), 5)
        self.assertEqual(len(find_all("#order .event")), 4)

    def test_order_with_unknown_times(self):
        tile = {**SAMPLE["order"]["tiles"][0], "loaded": None, "last_read": None}
        nothing = dict.fromkeys(("loaded", "stored", "first_read", "last_read"))
        order = {"barriers_per_tile": None, "shared_loads_while_loading": None}
        self.open_variant(order={**order, "tiles": [tile, {**tile, **nothing, "array": "sB"}]})
        self.assertEqual(texts("#order .event text"), ["store"])
        self.assertIn("Barriers per tile: not known.", find("#order-summary").text)

    def test_order_without_tiles(self):
        self.open_variant(order={**SAMPLE["order"], "tiles": []})
        self.assertIn("No tile is staged in shared memory.", find("#order").text)
        self.assertEqual(find_all("#order svg"), [])

    def test_order_of_many_tiles_is_cut(self):
        tile = SAMPLE["order"]["tiles"][0]
        tiles = [{**tile, "tile": i, "loaded": i, "last_read": i + 1} for i in range(15)]
        self.open_variant(order={**SAMPLE["order"], "tiles": tiles})
        self.assertIn("3 more rows not drawn.", find("#order figcaption").text)

    def test_no_hazards(self):
        self.open_variant()
        self.assertEqual(find("#hazard-count").text, "no hazards")
        self.assertFalse(find("#hazards").is_displayed())

    def test_blocks_that_poll_are_named(self):
        self.open_variant()
        self.assertEqual(find_all(".polls"), [])
        self.open_variant(polls=[{"file": "scan.cu", "line": 12}])
        self.assertIn("at scan.cu:12: how often", find(".polls").text)

    def test_hazards_lead_to_their_lines(self):
        race = {
            "code": "race-in-shared-memory",
            "message": f"race: thread (32, 0, 0) reads sA[1][0] at {KERNEL}:54, <b>no</b> barrier",
            "file": KERNEL,
            "line": 54,
            "other": {"file": KERNEL, "line": 43, "verb": "store"},
            "block": [0, 0, 0],
            "thread": [32, 0, 0],
            "element": {"name": "sA[1][0]", "array": "sA"},
            "times": 6400,
        }
        elsewhere = {**race, "file": "common/other.cuh", "message": "far", "times": 1}
        del elsewhere["other"]
        self.open_variant(hazards=[race, elsewhere])
        self.assertEqual(find("#hazard-count").text, "2 hazards")
        self.assertTrue(find("#hazards").is_displayed())
        items = find_all("#hazards li")
        self.assertEqual(
            plain(items[0].text), f"{race['message']} (6400 times; the other access: kernel.cuh:43)"
        )
        self.assertEqual(items[1].text, "far (1 time)")
        self.assertEqual(items[1].find_elements(By.TAG_NAME, "a"), [])
        marked = texts(".source tr.hazard .number")
        self.assertEqual(marked, ["43", "54"])
        for link, line in zip(items[0].find_elements(By.TAG_NAME, "a"), ("54", "43")):
            click(link)
            row = find(".source tr:target")
            self.assertEqual(row.find_element(By.CLASS_NAME, "number").text, line)
            top = browser.execute_script("return arguments[0].getBoundingClientRect().top", row)
            height = browser.execute_script("return innerHeight")
            self.assertTrue(0 <= top < height, (top, height))

    def test_button_switches_between_light_and_dark(self):
        for scheme, labels in (("light", ("Dark", "Light")), ("dark", ("Light", "Dark"))):
            set_media(scheme=scheme)
            self.open_variant()
            first, button = background(), find("#theme")
            self.assertEqual(sum(first) > 384, scheme == "light")
            self.assertEqual(button.text, labels[0])
            button.click()
            self.assertEqual(sum(background()) > 384, scheme == "dark")
            self.assertEqual(button.text, labels[1])
            button.click()
            self.assertEqual(background(), first)

    def test_paper_is_white(self):
        self.open_variant()
        find("#theme").click()
        self.assertLess(sum(background()), 384)
        set_media(media="print", scheme="dark")
        self.assertEqual(background(), (255, 255, 255))
        self.assertFalse(find("#theme").is_displayed())

    def test_text_can_be_read_on_its_background(self):
        lines = copy.deepcopy(SAMPLE["lines"])
        lines[0]["sectors"] = 8 * lines[0]["ideal_sectors"]
        selectors = ("p", ".muted", ".wrong", ".right", "a", "#figures code", ".source .comment")
        selectors += (".source .counts", ".source tr.counted .code", "#order .event text")
        selectors += ("#drawing g text", ".source .verdict", ".source .more b", "#limit")
        for scheme in ("light", "dark"):
            set_media(scheme=scheme)
            hazard = {"file": KERNEL, "line": 43, "message": "race", "times": 2}
            self.open_variant(lines=lines, hazards=[hazard])
            for selector in selectors:
                self.assertGreaterEqual(lowest_contrast(selector), 4.5, (scheme, selector))

    def test_template_without_a_trace_says_so(self):
        self.assertEqual(TEMPLATE.count(MARK), 1)
        self.open(TEMPLATE)
        self.assertIn("there is no trace in it", find("#head").text)


if __name__ == "__main__":
    unittest.main()
