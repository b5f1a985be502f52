"""What tests of common/terminal/trace_page.html work with: the page of a trace, in a real browser.

Needs the Python package selenium and Debian's chromium and chromium-driver.
"""

import atexit
import json
import pathlib
import re
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from tests import SOURCES
from tests.browser import requested, start_browser
from tests.contrast import contrast

TEMPLATE = (SOURCES / "common" / "terminal" / "trace_page.html").read_text()
SAMPLE = json.loads((SOURCES / "tests/common/terminal/data/trace_sample.json").read_text())
MARK = "/*TRACE*/null"
ALL_LANES = 2**32 - 1
KERNEL = SAMPLE["source"][0]["file"]

# One browser and one folder for all tests of a program.
folder = tempfile.TemporaryDirectory()
atexit.register(folder.cleanup)
browser = start_browser()
atexit.register(browser.quit)


def page_of(trace):
    """The page that the program would write for a trace."""
    return TEMPLATE.replace(MARK, json.dumps(trace).replace("<", "\\u003c"))


def trace_of(page):
    """The trace that a page holds."""
    return json.loads(re.search(r'id="trace">(.*?)</script>', page, re.DOTALL).group(1))


def plain(text):
    """Text with an ordinary minus and without the narrow spaces that group digits."""
    return text.replace("\u202f", "").replace("\u2212", "-")


def find(selector):
    """The one element of the page that a CSS selector names."""
    return browser.find_element(By.CSS_SELECTOR, selector)


def find_all(selector):
    """All elements of the page that a CSS selector names."""
    return browser.find_elements(By.CSS_SELECTOR, selector)


def texts(selector):
    """The plain texts of all elements that a selector names, hidden ones included."""
    found = browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
        selector,
    )
    return [plain(text) for text in found]


def choose(selector, place):
    """Chooses an entry of a select by its place, as a user does."""
    Select(find(selector)).select_by_index(place)


def click(element):
    """Brings an element to the middle of the window and clicks it."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def background():
    """The colour behind the page: its (red, green, blue)."""
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def set_media(media="", scheme="light"):
    """Makes the page believe that it is printed, or that the system is dark."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    command = {"media": media, "features": features}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", command)


def lines_of(trace):
    """{(file, line): entries}."""
    lines = {}
    for entry in trace["lines"]:
        lines.setdefault((entry["file"], entry["line"]), []).append(entry)
    return lines


def row_id(trace, file, line):
    """The id of the row of a source line."""
    index = [source["file"] for source in trace["source"]].index(file)
    return f"file{index}-line{line}"


def is_global(entry):
    """Whether an entry is about global memory."""
    return entry["operation"].startswith("global")


def excess(entry, what):
    """Sectors or wavefronts beyond the ideal."""
    return max(0, entry[what] - entry[f"ideal_{what}"])


QUANTITIES = {
    "wavefronts of global memory": lambda entry: entry["wavefronts"] if is_global(entry) else 0,
    "wavefronts of shared memory": lambda entry: 0 if is_global(entry) else entry["wavefronts"],
    "excess wavefronts": lambda entry: excess(entry, "wavefronts"),
    "sectors": lambda entry: entry["sectors"] if is_global(entry) else 0,
    "excess sectors": lambda entry: excess(entry, "sectors") if is_global(entry) else 0,
    "requests to global memory": lambda entry: entry["requests"] if is_global(entry) else 0,
}


def words_of(request):
    """{(row of 32 words, column): lanes} of a request."""
    words = {}
    bank0 = 0 if is_global(request) else request["bank0"]
    for lane, address in enumerate(request["addresses"]):
        if request["lanes"] >> lane & 1:
            for word in range(address // 4, (address + request["access_bytes"] - 1) // 4 + 1):
                words.setdefault(divmod(word + bank0, 32), []).append(lane)
    return words


def drawn_words():
    """The words in the drawing of a request: [lanes as written in the tip]."""
    return texts("#drawing g > title")


class PageTest(unittest.TestCase):
    """After each test: the page complained of nothing and asked nobody for anything."""

    def setUp(self):
        self.address = None
        set_media()
        browser.set_window_size(1280, 900)

    def tearDown(self):
        self.assertEqual(browser.get_log("browser"), [])
        asked = {url for url in requested(browser) if not url.startswith("data:")}
        self.assertLessEqual(asked, {self.address})

    def open(self, page):
        """Opens a page from a file."""
        file = pathlib.Path(folder.name) / "page.html"
        file.write_text(page)
        self.address = file.as_uri()
        browser.get(self.address)

    def assert_number(self, text, value):
        """The page's text is the value: to the unit from 1000 on, else to four digits."""
        slack = 0.5 if abs(value) >= 1000 else abs(value) * 5e-4
        self.assertLessEqual(abs(float(plain(text)) - value), slack, text)


def lowest_contrast(selector):
    """The worst contrast (WCAG 2, 1 to 21) of the texts that a selector names."""
    # A canvas turns every notation of a colour into red, green, blue and alpha.
    found = browser.execute_script(
        """
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
        return [...document.querySelectorAll(arguments[0])].filter((one) => one.textContent)
          .map((one) => {
            const style = getComputedStyle(one);
            const layers = [one.closest("svg") ? style.fill : style.color];
            const box = one.closest("g")?.querySelector("rect");
            if (box) layers.unshift(getComputedStyle(box).fill);
            for (let at = one; at; at = at.parentElement)
              layers.unshift(getComputedStyle(at).backgroundColor);
            const pixel = (colours) => {
              canvas.clearRect(0, 0, 1, 1);
              for (const colour of colours) {
                canvas.fillStyle = colour;
                canvas.fillRect(0, 0, 1, 1);
              }
              return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
            };
            return [pixel(layers), pixel(layers.slice(0, -1))];
          });
        """,
        selector,
    )

    return min(contrast(*colours) for colours in found)
