"""`glassbox trace my.cu --html page.html`: what a real browser shows of a program's launches."""

import pathlib
import tempfile
import unittest

from selenium.webdriver.support.ui import Select

from tests import SOURCES
from tests.common.terminal.trace_page import (
    PageTest,
    browser,
    choose,
    drawn_words,
    find,
    find_all,
    plain,
    texts,
    trace_of,
)
from tests.glassbox.own_program import glassbox, in_main

EXAMPLES = SOURCES / "docs" / "start" / "own_kernel"
CLOSES_A_SCRIPT = """
__global__ void kernel(float* x) {
  x[threadIdx.x] = 1;  // </script> ends no page
}
""" + in_main("""
  float* x;
  cudaMalloc(&x, 128);
  kernel<<<1, 32>>>(x);
  cudaFree(x);""")


def page_of(program):
    """The page that the glass box writes for a program: the path of a file, or its text."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(program, str):
            program_file = pathlib.Path(folder, "my.cu")
            program_file.write_text(program)
            program = program_file
        result = glassbox(["trace", program, "--html", "page.html"], folder)
        page = pathlib.Path(folder, "page.html")
        if not page.exists():
            raise AssertionError(result.stderr)
        return page.read_text()


class ProgramPageTest(PageTest):
    """The pages of the book's three examples, and of programs that are harder to show."""

    def test_each_launch_has_its_lines(self):
        """The choice of a launch changes head, lines and drawing."""
        page = page_of(EXAMPLES / "transpose.cu")
        self.open(page)
        self.assertEqual(find("h1").text, "transpose.cu")
        self.assertIn("2 of 2 launches traced, no hazards", plain(find("#head").text))
        launches = Select(find("#launch"))
        names = [option.text.split()[1] for option in launches.options]
        self.assertEqual(names, ["transpose", "transpose_tile"])
        for number, (traced, verdict) in enumerate(
            zip(
                trace_of(page)["subjects"],
                ("32 sectors where 4 would do", "32-way bank conflict"),
                strict=True,
            )
        ):
            choose("#launch", number)
            self.assertIn(f"{traced['kernel']}, launched at", find("#launch-facts").text)
            shown = texts(".source .verdict")
            self.assertEqual(len(shown), len(traced["lines"]))
            self.assertTrue(any(verdict in one for one in shown), shown)
            self.assertGreaterEqual(len(drawn_words()), 32)

    def test_the_heat_begins_where_the_launch_loses_most(self):
        """Both ways to transpose lose most in wavefronts; where nothing is lost, sectors show."""
        self.open(page_of(EXAMPLES / "transpose.cu"))
        for number in range(2):
            choose("#launch", number)
            shown = Select(find("#heat")).first_selected_option.text
            self.assertEqual(shown, "excess wavefronts")
        self.open(page_of(CLOSES_A_SCRIPT))
        self.assertEqual(Select(find("#heat")).first_selected_option.text, "sectors")

    def test_hazards_stand_with_their_launch(self):
        """And their number in the head."""
        page = page_of(EXAMPLES / "softmax.cu")
        self.open(page)
        self.assertEqual(find("#hazard-count").text, "2 hazards")
        hazards = trace_of(page)["subjects"][0]["findings"]
        self.assertEqual(len(hazards), 2)
        self.assertEqual(find("#hazards").text.count("race"), 2)

    def test_findings_of_calls_stand_in_the_head(self):
        """Memory that was never freed."""
        self.open(page_of(EXAMPLES / "reduction.cu"))
        self.assertIn("Never freed: d_sums (32 bytes)", plain(find(".never-freed").text))

    def test_a_program_without_launches_says_so(self):
        """There is nothing else to show."""
        self.open(page_of(in_main("")))
        self.assertIn("No launch of a kernel was traced", find("#head").text)
        self.assertEqual(find_all(".source"), [])

    def test_a_source_cannot_end_the_page(self):
        """Whatever stands in it."""
        self.open(page_of(CLOSES_A_SCRIPT))
        self.assertTrue(any("</script> ends no page" in one for one in texts(".source .code")))

    def test_a_program_may_be_named_like_a_file_of_the_ladder(self):
        """Page and terminal show the lines of the program."""
        name = (EXAMPLES / "transpose.cu").relative_to(SOURCES)
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder, name)
            own.parent.mkdir(parents=True)
            own.write_text(CLOSES_A_SCRIPT)
            result = glassbox(["trace", name, "--html", "page.html"], folder)
            self.open(pathlib.Path(folder, "page.html").read_text())
        self.assertIn("x[threadIdx.x] = 1;", result.stderr)
        self.assertTrue(any("x[threadIdx.x] = 1;" in one for one in texts(".source .code")))

    def test_it_fits_a_phone(self):
        """Nothing sticks out of a window of 400 pixels."""
        size = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.addCleanup(browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.open(page_of(EXAMPLES / "softmax.cu"))
        too_wide = "return document.documentElement.scrollWidth - innerWidth"
        self.assertLessEqual(browser.execute_script(too_wide), 0)


class OutputTest(unittest.TestCase):
    """Files that cannot be written are refused before anything is built."""

    def refused(self, *words):
        """What is said; nothing may be written."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my.cu").write_text(in_main(""))
            result = glassbox(["trace", "my.cu", *words], folder)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["my.cu"])
            return " ".join(result.stderr.split())

    def test_two_outputs_need_two_files(self):
        """Or the second would replace the first."""
        said = self.refused("--json", "found", "--html", "./found")
        self.assertIn("--json and --html both name ./found: give each a file of its own", said)

    def test_a_folder_that_is_not_there_is_named(self):
        """With the reason."""
        self.assertIn("missing/page.html", self.refused("--html", "missing/page.html"))


if __name__ == "__main__":
    unittest.main()
