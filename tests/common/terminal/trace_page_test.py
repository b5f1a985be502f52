"""common/terminal/trace_page.html: a real browser shows what the trace says.

With LADDER_PROGRAM set to the ladder program, the page that it writes is tested as well as the one
of the sample.
"""

import os
import pathlib
import re
import subprocess
import unittest

from selenium.webdriver.support.ui import Select

from tests.browser import requested
from tests.common.terminal.trace_page import (
    QUANTITIES,
    SAMPLE,
    PageTest,
    browser,
    choose,
    click,
    drawn_words,
    find,
    find_all,
    folder,
    is_global,
    lines_of,
    page_of,
    plain,
    row_id,
    texts,
    trace_of,
    words_of,
)


class AnyTrace:
    """What holds for every trace. The page is `self.page`."""

    def setUp(self):
        super().setUp()
        self.open(self.page)
        self.trace = trace_of(self.page)

    def test_head_names_rung_shape_and_card(self):
        self.assertEqual(find("h1").text, f"Rung {self.trace['rung']}")
        head = plain(find("#head").text)
        shape = self.trace["shape"]
        self.assertIn(f"= {shape['m']} \u00d7 {shape['n']} \u00d7 {shape['k']},", head)
        self.assertIn(f" {self.trace['card']['name']} would count it", head)
        self.assertIn(f"{self.trace['launch']['blocks']} block", head)
        context = self.trace["context"]
        self.assertIn(f"GEMM Ladder {context['version']}, commit {context['commit']}, ", head)

    def test_every_metric_is_shown_with_its_value(self):
        self.assertEqual(len(self.trace["metrics"]), len(find_all("[data-metric]")))
        for metric, value in self.trace["metrics"].items():
            with self.subTest(metric=metric):
                cells = texts(f'[data-metric="{metric}"] > td')
                self.assertEqual(cells[-1], metric)
                if value is None:
                    self.assertEqual(cells[1], "not modelled at this size")
                else:
                    self.assert_number(cells[1], value)

    def test_sectors_and_wavefronts_per_request_stand_beside_their_ideal(self):
        for operation, metric, what in (
            ("global load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors"),
            ("shared load", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts"),
        ):
            entries = [one for one in self.trace["lines"] if one["operation"] == operation]
            requests = sum(entry["requests"] for entry in entries)
            beside = texts(f'[data-metric="{metric}"] > td')[2]
            found = re.fullmatch(r"(\S+) per request, ideal (\S+)", beside)
            self.assertIsNotNone(found, beside)
            self.assert_number(found[1], self.trace["metrics"][metric] / requests)
            ideal = sum(entry[f"ideal_{what}"] for entry in entries)
            self.assert_number(found[2], ideal / requests)

    def test_source_is_shown_as_it_is(self):
        wanted = [line for source in self.trace["source"] for line in source["text"].splitlines()]
        self.assertEqual(texts(".source .code"), wanted)

    def test_heat_shows_the_chosen_quantity(self):
        names = [option.text for option in Select(find("#heat")).options]
        self.assertEqual(names, list(QUANTITIES))
        for place, quantity in enumerate(QUANTITIES.values()):
            choose("#heat", place)
            self.assert_number(find("#heat-total").text, sum(map(quantity, self.trace["lines"])))
            values = {
                row_id(self.trace, *line): sum(map(quantity, entries))
                for line, entries in lines_of(self.trace).items()
            }
            shown = browser.execute_script(
                "return [...document.querySelectorAll('.source tr[id]')].map((row) => [row.id,"
                "row.querySelector('.bar').textContent, row.style.getPropertyValue('--heat')])"
            )
            most = max(values, key=values.get)
            links = [one.get_attribute("href") for one in find_all("#hottest a")]
            self.assertEqual(
                [link.partition("#")[2] for link in links], [most] if values[most] else []
            )
            for row, text, heat in shown:
                value = values.get(row, 0)
                self.assertEqual(plain(text), str(value) if value else "", (row, names[place]))
                self.assertAlmostEqual(float(heat), value / max(1, *values.values()))

    def test_every_line_says_what_its_requests_cost(self):
        for line, entries in lines_of(self.trace).items():
            row = row_id(self.trace, *line)
            wanted = [f"{one['operation']} {one['array']}: {one['verdict']}" for one in entries]
            self.assertEqual(texts(f"#{row} .verdict"), wanted)

    def test_heat_starts_where_the_limit_is(self):
        limit = self.trace["limit"]
        self.assertEqual(Select(find("#heat")).first_selected_option.text, limit["quantity"])
        self.assertEqual(find("#limit").text, limit["sentence"])
        most = max(
            sum(map(QUANTITIES[limit["quantity"]], entries))
            for entries in lines_of(self.trace).values()
        )
        self.assertGreater(most, 0)

    def test_every_counted_line_and_no_other_opens_its_details(self):
        lines = lines_of(self.trace)
        self.assertEqual(len(find_all(".source .number button")), len(lines))
        for line, entries in lines.items():
            row = row_id(self.trace, *line)
            click(find(f"#{row} .code"))
            self.assertEqual(len(find_all(f"#{row}-details tr")), len(entries) + 1)
            for place, entry in enumerate(entries):
                cells = texts(f"#{row}-details tr:nth-child({place + 2}) > td")
                size = f"{entry['access_bytes']} byte{'s' * (entry['access_bytes'] > 1)}"
                name = f"{entry['operation']} {entry['array']}"
                self.assertEqual(cells[0], f"{name}, {size} per lane")
                self.assert_number(cells[1], entry["requests"])
                self.assert_number(cells[2], entry["lanes"] / entry["requests"])
                for cell, what in zip(cells[3:5], ("sectors", "wavefronts")):
                    if entry[what] == 0:
                        self.assertEqual(cell, "\u2013")
                        continue
                    found = re.fullmatch(r"(\S+) \((\S+)\)", cell)
                    self.assert_number(found[1], entry[what] / entry["requests"])
                    self.assert_number(found[2], entry[f"ideal_{what}"] / entry["requests"])
            click(find(f"#{row} .code"))
            self.assertEqual(find_all(f"#{row}-details"), [])

    def test_every_recorded_request_is_drawn(self):
        requests = self.trace["warp"]["requests"]
        self.assertEqual(len(Select(find("#request")).options), len(requests))
        for place, request in enumerate(requests):
            browser.execute_script(
                "const list = document.getElementById('request'); list.value = arguments[0];"
                "list.dispatchEvent(new Event('change'))",
                place,
            )
            lanes = request["lanes"].bit_count()
            caption = plain(find("#drawing figcaption").text)
            asked = f"for {lanes * request['access_bytes']} byte"
            self.assertTrue(caption.startswith(f"{lanes} lane") and asked in caption, caption)
            if is_global(request):
                self.assertIn(f" in {request['sectors']} sector", caption)
                self.assertIn(f" of {request['lines']} line", caption)
                self.assertIn(f": {request['sectors'] * 32} bytes travel", caption)
                self.assertIn(f"ideal {request['ideal_sectors']} sector", caption)
            else:
                self.assertIn(f": {request['wavefronts']} wavefront", caption)
                self.assertIn(f"ideal {request['ideal_wavefronts']}.", caption)
            words = words_of(request)
            rows = sorted({row for row, _ in words})
            rows = rows[: 32 if len(rows) > 40 else 40]
            wanted = sum(row in rows for row, _ in words)
            self.assertEqual(len(drawn_words()), wanted, (place, caption))

    def test_order_draws_every_event_of_the_first_tiles(self):
        wanted = 0
        for tile in self.trace["order"]["tiles"][:12]:
            wanted += (tile["loaded"] is not None) + (tile["stored"] is not None)
            if tile["first_read"] is not None:
                wanted += tile["last_read"] - tile["first_read"] + 1
        self.assertGreater(wanted, 0)
        self.assertEqual(len(find_all("#order .event")), wanted)
        barriers = self.trace["order"]["barriers_per_tile"]
        summary = plain(find("#order-summary").text)
        self.assert_number(re.search(r"Barriers per tile: (\S+)\. ", summary)[1], barriers)

    def test_page_fits_a_narrow_window_and_a_phone(self):
        for wanted in (700, 400):
            command = {"width": wanted, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", command)
            try:
                width = browser.execute_script("return document.documentElement.scrollWidth")
                verdict, code = (
                    browser.execute_script(
                        "return document.querySelector(arguments[0]).getBoundingClientRect().width",
                        selector,
                    )
                    for selector in (".source .verdict", ".source tr.counted .code")
                )
            finally:
                browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            self.assertLessEqual(width, wanted)
            self.assertGreater(verdict, 200, wanted)
            self.assertGreater(code, 200, wanted)


class SampleTest(AnyTrace, PageTest):
    """The page of the sample."""

    page = page_of(SAMPLE)

    def test_the_address_names_a_line(self):
        """As #ID for a reader, and as ?at=ID for a page that shows this one in a frame."""
        file, line = max(lines_of(self.trace))
        row = row_id(self.trace, file, line)
        top = f"return document.getElementById('{row}').getBoundingClientRect().top"
        browser.set_window_size(1280, 300)
        page = self.address
        browser.get("about:blank")
        for address in (f"{page}#{row}", f"{page}?at={row}"):
            self.address = address.partition("#")[0]
            browser.get(address)
            with self.subTest(address):
                self.assertTrue(0 < browser.execute_script(top) < 200)
            requested(browser)
            browser.get("about:blank")


if "LADDER_PROGRAM" in os.environ:

    class ProgramTest(AnyTrace, PageTest):
        """The page that the program writes."""

        @classmethod
        def setUpClass(cls):
            file = pathlib.Path(folder.name) / "program.html"
            command = [os.environ["LADDER_PROGRAM"], "trace", "03", "--size", "64", "--html", file]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            cls.page = file.read_text()

        def test_the_sample_has_the_same_keys(self):
            for path in (
                (),
                ("shape",),
                ("launch",),
                ("card",),
                ("lines", 0),
                ("order",),
                ("order", "tiles", 0),
                ("warp",),
                ("warp", "requests", 0),
                ("source", 0),
            ):
                sample, own = SAMPLE, self.trace
                for step in path:
                    sample, own = sample[step], own[step]
                self.assertEqual(set(sample), set(own), path)


if __name__ == "__main__":
    unittest.main()
