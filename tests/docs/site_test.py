"""The book as a site: it builds without a warning, needs no network, and every page works.

build/python/bin/python -m tests.docs.site_test
"""

import json
import os
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser
from urllib.parse import unquote

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from docs.hooks import TAUGHT
from tests import SOURCES
from tests.browser import console_errors, requested, start_browser
from tests.contrast import contrast

LIMIT_MB = 55  # of the whole site
# No claim of the tables may be pending: then an element shows what one would look like.
ONE_VERDICT = """
if (!document.querySelector(`.verdict.${arguments[0]}`)) {
  const one = document.querySelector('.verdict.holds').cloneNode();
  one.className = `verdict ${arguments[0]}`;
  one.textContent = '\u2026';
  document.querySelector('.verdict.holds').after(one);
}"""


def setUpModule():
    """Builds the site once."""
    global folder, site, built
    folder = tempfile.TemporaryDirectory()
    site = pathlib.Path(folder.name) / "site"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(site)],
        cwd=SOURCES,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def tearDownModule():
    """Removes the site."""
    folder.cleanup()


class Page(HTMLParser):
    """What a page loads, links to, and which anchors it has."""

    def __init__(self, path):
        """Reads the page."""
        super().__init__()
        self.loads, self.links, self.anchors, self.pictures = [], [], set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        """Notes an element."""
        found = dict(attributes)
        if "id" in found:
            self.anchors.add(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loads.append(found["href"])
        if found.get("src"):
            self.loads.append(found["src"])
        if tag in ("img", "svg"):
            self.pictures.append((tag, found))


def book_pages():
    """{path below the site: Page} of all pages that MkDocs wrote."""
    paths = [path for path in sorted(site.rglob("*.html")) if site / "api" not in path.parents]
    paths.remove(site / "404.html")  # for servers alone
    return {path.relative_to(site).as_posix(): Page(path) for path in paths}


class SiteTest(unittest.TestCase):
    """The files of the site."""

    @classmethod
    def setUpClass(cls):
        """Nothing else makes sense if the build failed."""
        if built.returncode != 0:
            raise AssertionError(f"mkdocs build --strict failed:\n{built.stdout}{built.stderr}")
        cls.pages = book_pages()

    def test_every_page_of_the_navigation_is_there(self):
        """Lessons of all rungs, and no file of docs/ left out."""
        lessons = [page for page in self.pages if re.match(r"ladder/\d\d_\w+/index", page)]
        rungs = sorted(path.parent.name for path in SOURCES.glob("ladder/[0-9]*/README.md"))
        self.assertEqual([page.split("/")[1] for page in lessons], rungs)
        home = self.pages["index.html"]
        for path in SOURCES.glob("docs/**/*.md"):
            page = path.relative_to(SOURCES / "docs").with_suffix(".html").as_posix()
            if page.startswith(("doxygen/", "talks/")):
                continue
            self.assertIn(page, self.pages)
            self.assertIn(page, home.links, "the navigation leads there")

    def test_nothing_is_loaded_from_elsewhere(self):
        """Scripts, styles, fonts and pictures lie in the site."""
        for path, page in self.pages.items():
            for load in page.loads:
                with self.subTest(page=path, load=load):
                    self.assertNotRegex(load, r"^(\w+:)?//")
                    target = load.split("?")[0].split("#")[0]
                    if not load.startswith("data:"):
                        self.assertTrue((site / path).parent.joinpath(unquote(target)).exists())
        for style in site.rglob("*.css"):
            outside = re.findall(r"url\(['\"]?(?:https?:)?//[^)]*\)", style.read_text())
            self.assertEqual(outside, [], style.name)

    def test_links_and_anchors_lead_somewhere(self):
        """Those within the site, the reference included."""
        checked = 0
        for path, page in self.pages.items():
            for link in page.links:
                if re.match(r"\w+:", link) or link == "#":
                    continue
                address, _, anchor = unquote(link).partition("#")
                name = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
                name = name if address else path
                with self.subTest(page=path, link=link):
                    self.assertTrue((site / name).is_file())
                    if anchor and name in self.pages:
                        checked += 1
                        self.assertIn(anchor, self.pages[name].anchors)
        self.assertGreater(checked, 100)

    def test_every_picture_has_a_text(self):
        """For those who cannot see it; the theme's icons are decoration."""
        for path, page in self.pages.items():
            for tag, found in page.pictures:
                with self.subTest(page=path, picture=found):
                    if tag == "img":
                        self.assertTrue(found.get("alt"))
                    elif found.get("class") == "drawing":
                        self.assertTrue(found.get("aria-labelledby"))

    def test_licences_lie_beside_the_work_of_others(self):
        """KaTeX and its fonts, the theme, and what Doxygen brings."""
        for folder, says in {
            "assets/katex": "Khan Academy",
            "assets/katex/fonts": "Khan Academy",
            "assets/javascripts": "Martin Donath",
            "assets/stylesheets": "Martin Donath",
            "api": "Dimitri van Heesch",
        }.items():
            with self.subTest(folder):
                self.assertGreater(len(list((site / folder).iterdir())), 1)
                self.assertIn(says, (site / folder / "LICENSE.txt").read_text())

    def test_the_search_quotes_sentences(self):
        """And not the labels of a figure above them."""
        index = (site / "search" / "search_index.json").read_text()
        page = (site / "ladder/12_stream_k/index.html").read_text()
        label = "the shares</text>"
        self.assertTrue(label in page, "the page has the figure")
        self.assertFalse("in k tiles, and the shares" in index, "too long for assertNotIn")
        self.assertTrue("How do you give 132 SMs" in index)

    def test_size(self):
        """The whole site can be carried on a stick, or mailed."""
        size_mb = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
        self.assertLess(size_mb, LIMIT_MB)


class Browsing(unittest.TestCase):
    """A browser, and pages as they are opened from a folder."""

    @classmethod
    def setUpClass(cls):
        """One browser, and the pages of the book without those that show sources."""
        if built.returncode != 0:
            raise unittest.SkipTest("the site was not built")
        cls.browser = start_browser()
        cls.pages = [path for path in book_pages() if not path.startswith("sources/")]

    @classmethod
    def tearDownClass(cls):
        """Ends the browser."""
        cls.browser.quit()

    def open(self, path, scheme="default", width=1200):
        """Opens a page in a theme, in a window of some width."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.browser.get(f"file://{site}/{path}")
        self.browser.execute_script(
            "document.body.setAttribute('data-md-color-scheme', arguments[0])", scheme
        )

    def run_script(self, script, *arguments):
        """Runs JavaScript on the page."""
        return self.browser.execute_script(script, *arguments)

    def shown(self, selector):
        """The elements that a CSS selector names and that can be seen."""
        return [
            one
            for one in self.browser.find_elements(By.CSS_SELECTOR, selector)
            if one.is_displayed()
        ]


class BrowserTest(Browsing):
    """The pages of the book."""

    def test_pages_complain_of_nothing_and_fit_a_phone(self):
        """No error in the console, no request to the network, no formula left as text."""
        for path in self.pages:
            with self.subTest(page=path):
                self.open(path, "slate", 400)
                self.assertEqual(console_errors(self.browser), [])
                outside = [url for url in requested(self.browser) if url.startswith("http")]
                self.assertEqual(outside, [])
                drawn = self.browser.execute_script(
                    "return [...document.querySelectorAll('.arithmatex')].every("
                    "(one) => one.querySelector('.katex') && !one.querySelector('.katex-error'))"
                )
                self.assertTrue(drawn, "every formula is drawn")
                too_wide = self.browser.execute_script(
                    "return document.documentElement.scrollWidth - innerWidth"
                )
                self.assertLessEqual(too_wide, 0, "nothing sticks out of a phone's window")

    def test_text_can_be_read_in_both_themes(self):
        """Text and ground of the page and of a figure differ enough."""
        for scheme in ("default", "slate"):
            for path in ("index.html", "ladder/03_shared_tile/index.html"):
                self.open(path, scheme)
                link = "article p a:not(.home-start)"
                for selector in ("article p", ".figure svg text", link, ".md-tabs__link"):
                    with self.subTest(page=path, scheme=scheme, selector=selector):
                        self.assertGreater(self.contrast(selector), 4.5)

    def contrast(self, selector):
        """WCAG's contrast of an element's text to the ground of page or figure."""
        colours = self.browser.execute_script(
            """
            const one = document.querySelector(arguments[0]);
            const figure = one.closest("svg");
            const style = getComputedStyle(one);
            return figure
              ? [style.fill, getComputedStyle(figure.querySelector(".ground")).fill]
              : [style.color, getComputedStyle(document.body).backgroundColor];""",
            selector,
        )

        return contrast(*([float(x) for x in re.findall(r"[\d.]+", c)[:3]] for c in colours))

    def found(self, field, words):
        """The pages that the search lists, the first one first."""
        links = (
            "return [...document.querySelectorAll('.md-search-result__link')].map((a) => a.href)"
        )
        field.send_keys(Keys.CONTROL + "a", Keys.DELETE)
        WebDriverWait(self.browser, 8, 0.05).until(lambda _: not self.run_script(links))
        field.send_keys(words)
        WebDriverWait(self.browser, 8, 0.05).until(lambda _: self.run_script(links))
        return [link.partition("?")[0] for link in self.run_script(links)]

    def test_search_finds_first_the_page_that_teaches(self):
        """Without a server: a file's page may start no worker, so the search runs in a frame."""
        self.open("index.html")
        self.run_script("document.querySelector('#__search').click()")
        field = self.browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
        WebDriverWait(self.browser, 10).until(lambda _: field.is_displayed())
        self.assertTrue(any("11_producer_warps" in one for one in self.found(field, "setmaxnreg")))
        usual = {"tiling", "prefetch", "split-k", "occupancy", "bank conflict", "coalescing"}
        self.assertLessEqual(usual, set(TAUGHT))
        for words, place in TAUGHT.items():
            page = place.removeprefix("docs/").replace(".md", ".html")
            page += "" if page.endswith(".html") else "/index.html"
            self.assertTrue((site / page).is_file(), place)
            with self.subTest(words=words):
                self.assertEqual(self.found(field, words)[0], f"file://{site}/{page}")
        field.send_keys(Keys.ESCAPE)
        console_errors(self.browser)  # that a word typed by halves, "split-", is no query

    def test_numbers_keep_their_units_and_shapes_their_extents(self):
        """In the tables, on a phone."""
        self.open("benchmark.html", width=400)
        cells = self.run_script(
            "return [...document.querySelectorAll('td:is([style*=right], .shape)')].map((cell) => {"
            "const range = document.createRange(); range.selectNodeContents(cell);"
            "return [cell.textContent, range.getBoundingClientRect().height]})"
        )
        self.assertIn("12288 x 12288 x 12288", [text for text, _ in cells])
        for text, height in cells:
            self.assertLess(height, 25, text)

    def test_the_copy_button_covers_no_code(self):
        """It waits for the pointer."""
        self.open("index.html", width=400)
        seen = "return getComputedStyle(document.querySelector('.highlight .md-code__nav')).opacity"
        self.assertEqual(self.run_script(seen), "0")
        code = self.shown(".highlight pre:has(> code)")[0]
        ActionChains(self.browser).move_to_element(code).perform()
        self.assertEqual(self.run_script(seen), "1")

    def test_the_first_page_opens_with_a_trace_and_then_the_climb_and_three_doors(self):
        """On a desk, the trace can be seen and played without scrolling."""
        self.open("index.html", width=1300)
        for selector in (".opening svg", ".opening-strip", ".opening-play", ".opening-said"):
            for part in self.shown(selector):
                self.assertLess(part.rect["y"] + part.rect["height"], 900, selector)
        self.assertEqual(len(self.shown(".opening svg")), 2)
        self.assertEqual(len(self.shown(".opening mark")), 4)
        doors = self.shown(".home-door")
        words = [door.text.splitlines()[0].rstrip(" \u2192") for door in doors]
        self.assertEqual(words, ["I have no GPU", "I have a GPU", "I teach"])
        (climb,) = self.shown(".figure.for-desks svg")
        self.assertGreater(min(door.rect["y"] for door in doors), climb.rect["y"])
        self.assertLess(climb.rect["height"], 900, "seen at one glance")
        self.assertTrue(self.shown("pre code .kr, pre code .k"))
        self.assertIn("race: thread", self.browser.find_element(By.TAG_NAME, "article").text)

    def test_the_line_that_changes_is_seen_at_any_width(self):
        """The marked words of both rungs are inside what is shown of their lines."""
        for width in (360, 400, 700, 820, 1000, 1230, 1300, 1900):
            self.open("index.html", width=width)
            for mark in self.shown(".opening mark"):
                code = mark.find_element(By.XPATH, "ancestor::code")
                right = code.rect["x"] + code.rect["width"]
                with self.subTest(width=width, mark=mark.text):
                    self.assertLessEqual(mark.rect["x"] + mark.rect["width"], right + 1)

    def test_the_climb_can_be_read_on_a_phone(self):
        """A drawing of its own, with letters of eleven pixels or more, inside the window."""
        self.open("index.html", width=400)
        self.assertEqual(self.shown(".figure.for-desks"), [])
        for selector in (".figure.for-phones svg", ".figure.small svg"):
            for picture in self.shown(selector):
                right = picture.rect["x"] + picture.rect["width"]
                self.assertLessEqual(right, 400)
                scale = picture.rect["width"] / float(picture.get_attribute("width"))
                self.assertGreater(15 * scale, 11)
        self.assertEqual(len(self.shown(".figure.for-phones svg")), 1)

    def test_lessons_have_figures_for_a_phone(self):
        """Drawn a second time, so that nothing is beyond the edge and letters stay large."""
        for lesson in sorted(site.glob("ladder/*/index.html")):
            path = lesson.relative_to(site).as_posix()
            self.open(path, width=400)
            pictures = self.shown(".figure svg")
            if "many_gpus" not in path:  # its timelines have to be recorded first
                with self.subTest(path):
                    self.assertTrue(pictures)
            for picture in pictures:
                with self.subTest(path, picture=picture.get_attribute("aria-labelledby")):
                    self.assertLessEqual(picture.rect["x"] + picture.rect["width"], 400)
                    scale = picture.rect["width"] / float(picture.get_attribute("width"))
                    self.assertGreater(15 * scale, 11)

    def test_what_is_wider_than_a_phone_is_scrolled_with_keys(self):
        """It can have the focus; what fits is passed over."""
        self.open("ladder/03_shared_tile/index.html", width=400)
        wide = "arguments[0].scrollWidth > arguments[0].clientWidth"
        parts = self.shown(".md-typeset pre > code, .md-typeset__scrollwrap")
        found = {
            self.run_script(f"return [{wide}, arguments[0].tabIndex]", one)[0] for one in parts
        }
        self.assertEqual(found, {True, False})
        for one in parts:
            is_wide, place = self.run_script(f"return [{wide}, arguments[0].tabIndex]", one)
            self.assertEqual(place, 0 if is_wide else -1, one.text)

    def test_the_chosen_door_is_remembered(self):
        """The first pages choose the tab of all lessons."""
        chosen = (
            "const one = document.querySelector('.tabbed-set > input:checked');"
            "return document.querySelector(`label[for=${one.id}]`).textContent.trim()"
        )
        for door, words in (("without", "Without a GPU"), ("with", "With a GPU")):
            self.open("index.html")
            page = f"start/{door}_a_gpu.html"
            self.run_script("arguments[0].click()", self.shown(f".home-door[href='{page}']")[0])
            self.open("ladder/03_shared_tile/index.html")
            with self.subTest(door):
                self.assertEqual(self.run_script(chosen), words)

    def test_the_glass_box_shows_a_trace(self):
        """A trace page near the top, at the line that costs most; the faults are folded."""
        self.open("glass_box.html", width=1300)
        (frame,) = self.shown("iframe.trace-page")
        self.assertLess(frame.rect["y"], 500)
        self.browser.switch_to.frame(frame)
        try:
            hottest = (
                "return [...document.querySelectorAll('tr.counted')]"
                ".find((row) => row.style.getPropertyValue('--heat') == 1)"
                "?.getBoundingClientRect().top"
            )
            WebDriverWait(self.browser, 8, 0.05).until(
                lambda _: 50 < (self.run_script(hottest) or 0) < 500
            )
            self.assertIn("Rung 03", self.browser.find_element(By.TAG_NAME, "h1").text)
            self.assertGreater(len(self.shown("tr.counted")), 3)
        finally:
            self.browser.switch_to.default_content()
        self.assertEqual(self.run_script("return scrollY"), 0, "the page around it stays")

    def test_tables_of_faults_fit_a_phone(self):
        """The long one is folded."""
        self.open("glass_box.html", width=400)
        (fold,) = [one for one in self.shown("details") if "one by one" in one.text]
        self.assertEqual(self.shown("details table"), [])
        self.run_script("arguments[0].open = true", fold)
        (folded,) = self.shown("details table")
        self.assertLessEqual(folded.rect["x"] + folded.rect["width"], 400)
        self.open("chapters/debugging.html", width=400)
        (short,) = [one for one in self.shown("table") if one.text.startswith("fault")]
        self.assertLessEqual(short.rect["x"] + short.rect["width"], 400)

    def test_excerpts_have_the_numbers_of_their_files(self):
        """Reports name lines: 52 and 56 of races.cu."""
        for path in ("index.html", "chapters/debugging.html"):
            self.open(path)
            with self.subTest(path):
                code = self.shown(".highlighttable")[0]
                numbers = code.find_element(By.CSS_SELECTOR, ".linenos").text.split()
                lines = code.find_element(By.CSS_SELECTOR, ".code").text.splitlines()
                lines = lines[-len(numbers) :]  # below the name of the file
                self.assertIn("sB[threadIdx.y][threadIdx.x]", lines[numbers.index("52")])
                self.assertIn("acc +=", lines[numbers.index("56")])

    def test_the_mark_is_on_every_page(self):
        """In the head of the page and of the window."""
        for path in self.pages:
            page = (site / path).read_text()
            if "md-header" in page:
                self.assertGreaterEqual(page.count("assets/mark.svg"), 2, path)

    def test_what_is_wider_than_a_phone_fades_until_its_end(self):
        """What fits shows no fade."""
        fade = "return parseFloat(getComputedStyle(arguments[0]).getPropertyValue('--fade'))"
        self.open("benchmark.html", width=400)
        wide = max(
            self.shown(".md-typeset__scrollwrap"),
            key=lambda one: self.run_script("return arguments[0].scrollWidth", one),
        )
        self.assertGreater(self.run_script(fade, wide), 10)
        self.run_script("arguments[0].scrollLeft = 1e4", wide)
        WebDriverWait(self.browser, 8, 0.05).until(lambda _: self.run_script(fade, wide) < 1)
        self.open("ladder/01_naive/index.html", width=400)
        self.assertEqual(self.run_script(fade, self.shown(".figure.for-phones")[0]), 0)

    def test_tabs_speak_to_a_newcomer(self):
        """In the order of a first visit."""
        self.open("index.html")
        tabs = self.run_script(
            "return [...document.querySelectorAll('.md-tabs__link')]"
            ".map((a) => a.textContent.trim())"
        )
        wanted = "Home, Start, Lessons, How GPUs work, Labs, Play, Reference and research"
        self.assertEqual(", ".join(tabs), wanted)

    def test_claims_by_verdict(self):
        """Buttons leave the rows of one verdict; scripts alone make them."""
        path = "chapters/claims.html"
        page = (site / path).read_text()
        self.assertNotIn("verdict-filter", page)
        self.assertNotIn("<tr hidden", page)
        self.open(path)
        rows = self.shown("tr:has(> td > .verdict)")
        headings = len(self.shown("h2"))
        button = self.browser.find_element(By.XPATH, "//button[contains(., 'wrong')]")
        button.click()
        left = self.shown("tr:has(> td > .verdict)")
        self.assertTrue(0 < len(left) < len(rows))
        self.assertTrue(all("\u2717 wrong" in row.text for row in left))
        self.assertEqual(button.get_attribute("aria-pressed"), "true")
        said = self.browser.find_element(By.CSS_SELECTOR, ".verdict-filter [role=status]").text
        self.assertEqual(said, f"{len(left)} of {len(rows)} claims")
        for table in self.shown("table:has(.verdict)"):
            self.assertTrue(any(row in left for row in table.find_elements(By.TAG_NAME, "tr")))
        self.assertLess(len(self.shown("h2")), headings, "groups without a row have no heading")
        counts = [one for one in self.shown("article p") if re.match(r"\d+ claims:", one.text)]
        self.assertEqual(len(counts), len(self.shown("table:has(td > .verdict)")))
        self.browser.find_element(By.XPATH, "//button[. = 'all']").click()
        self.assertEqual(len(self.shown("tr:has(> td > .verdict)")), len(rows))
        choice = Select(self.browser.find_element(By.CSS_SELECTOR, ".verdict-filter select"))
        counted = self.run_script(
            "const table = [...document.querySelectorAll('article table')]"
            ".find((one) => one.textContent.includes('who says so'));"
            "return [...table.rows].slice(1, -1)"
            ".map(({cells}) => [cells[0].innerText.trim(), Number(cells[5].innerText)])"
        )
        names = [option.text for option in choice.options]
        self.assertEqual(names, ["all texts", *(name for name, _ in counted)])
        for name, count in counted:
            choice.select_by_visible_text(name)
            left_of_text = self.run_script(
                "return [...document.querySelectorAll('tr:has(> td > .verdict)')]"
                ".filter((row) => getComputedStyle(row).display !== 'none').length"
            )
            self.assertEqual(left_of_text, count, name)
        choice.select_by_index(0)
        self.browser.get(f"file://{site}/{path}?verdict=wrong")
        self.assertEqual(len(self.shown("tr:has(> td > .verdict)")), len(left))

    def test_verdicts_have_colours_that_can_be_read(self):
        """Four signs, four colours, in both themes."""
        for scheme in ("default", "slate"):
            self.open("chapters/claims.html", scheme)
            seen = {}
            for kind in ("holds", "condition", "wrong", "pending"):
                self.run_script(ONE_VERDICT, kind)
                self.assertGreater(self.contrast(f".verdict.{kind}"), 4.5, (scheme, kind))
                seen[kind] = self.run_script(
                    "const one = document.querySelector(`.verdict.${arguments[0]}`);"
                    "return [getComputedStyle(one).color, one.textContent[0]]",
                    kind,
                )
            self.assertEqual(len({colour for colour, _ in seen.values()}), 4)
            self.assertEqual(len({sign for _, sign in seen.values()}), 4)

    def test_widgets_of_pages_work(self):
        """Each is built, and shows something for the settings that its page asks for."""
        has_widget = 'class="widget"'
        with_widgets = [path for path in self.pages if has_widget in (site / path).read_text()]
        self.assertGreaterEqual(len(with_widgets), 5)
        for path in with_widgets:
            self.open(path)
            with self.subTest(page=path):
                bad = ":is(:not(:has(form)), :has(.wrong), :not(:has(svg)))"
                self.assertEqual(self.shown(f".widget{bad}"), [])
                self.assertEqual(console_errors(self.browser), [])


class OpeningTest(Browsing):
    """The trace on the first page, as readers use it."""

    LOADS = json.loads((SOURCES / "docs/figures/data/first_steps.json").read_text())

    def open_still(self, motion="reduce"):
        """Opens the first page, for a reader who asked for less motion, or who did not."""
        media = [{"name": "prefers-reduced-motion", "value": motion}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        self.addCleanup(
            self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []}
        )
        self.open("index.html", width=1300)

    def counts(self):
        """The sectors that both sides show."""
        return [int(one.text) for one in self.shown(".opening .count")]

    def recorded(self, loads):
        """The sectors of a number of loads, of both rungs."""
        return [sum(one["sectors"] for one in self.LOADS[rung][:loads]) for rung in ("01", "02")]

    def said(self):
        """The sentence below the drawings."""
        return self.shown(".opening-said")[0].text

    def press(self, label):
        """Presses a button, if it can be pressed."""
        self.browser.find_element(By.CSS_SELECTOR, f".opening [aria-label='{label}']").click()

    def test_loads_are_stepped_through(self):
        """Forward to the last and back to the first; counts are those of the emulator."""
        self.open_still()
        self.assertEqual(self.counts(), self.recorded(2))
        for loads in range(3, 17):
            self.press("One load forward")
            self.assertEqual(self.counts(), self.recorded(loads))
        self.assertIn("264 sectors of 32 bytes against 40", self.said())
        button = self.shown(".opening [aria-label='One load forward']")[0]
        self.assertFalse(button.is_enabled())
        for loads in range(15, 0, -1):
            self.press("One load back")
            self.assertEqual(self.counts(), self.recorded(loads))
        self.assertFalse(self.shown(".opening [aria-label='One load back']")[0].is_enabled())

    def test_less_motion(self):
        """Nothing moves, and there is no button that would make it."""
        self.open_still()
        self.assertEqual(self.shown(".opening [aria-label='Play lane by lane']"), [])
        before = self.said()
        time.sleep(0.5)
        self.assertEqual((self.said(), self.counts()), (before, self.recorded(2)))

    def test_it_plays_by_itself_and_stops_when_asked(self):
        """Lane by lane, and from the first again after the last."""
        self.open_still("no-preference")
        wait = WebDriverWait(self.browser, 90, 0.02)
        wait.until(lambda _: 0 < self.counts()[0] < 32)
        self.press("Play lane by lane")
        stopped = self.counts()
        time.sleep(0.3)
        self.assertEqual(self.counts(), stopped)
        self.assertIn("So far", self.said())
        self.press("Play lane by lane")
        wait.until(lambda _: self.counts() == self.recorded(16))
        self.press("Play lane by lane")
        wait.until(lambda _: self.counts()[0] < 33)

    def test_a_lane_is_pointed_at(self):
        """With the keyboard, and with the pointer on a drawing; Escape lets it go."""
        self.open_still()
        slider = self.browser.find_element(By.CSS_SELECTOR, ".opening-strip input")
        slider.send_keys(Keys.ARROW_RIGHT * 7)
        self.assertEqual(slider.get_attribute("aria-valuetext"), "lane 7")
        words = "Lane 7: rung 01 computes C[7][0] and reads A[7][0], byte 7\u202f168"
        self.assertTrue(self.said().startswith(words), self.said())
        self.assertIn("rung 02 computes C[0][7] and reads A[0][0], byte 0", self.said())
        self.assertEqual(len(self.shown(".opening .frame")), 6, "three words on either side")
        slider.send_keys(Keys.ESCAPE)
        self.assertEqual(self.shown(".opening .frame"), [])
        picture = self.shown(".opening svg")[1]
        # The right upper corner of C, from the middle of the drawing.
        across = picture.rect["width"] / 2 - 2
        ActionChains(self.browser).move_to_element(picture).move_by_offset(across, 14).perform()
        self.assertTrue(self.said().startswith("Lane 31: "), self.said())

    def test_without_a_script_there_is_a_picture(self):
        """The first step of k, its sectors counted, and nothing that could not work."""
        page = (site / "index.html").read_text()
        opening = page[page.index('<div class="opening"') :]
        opening = opening[: opening.index("</div>\n<div class=")]
        self.assertEqual(re.findall(r'class="count">(\d+)<', opening), ["33", "5"])
        self.assertNotIn("<button", opening)
        self.assertNotIn("<input", opening)


class WeightTest(Browsing):
    """What a browser loads."""

    LIMIT_KB = 500

    def loaded(self, path, act=None):
        """{file below the site: bytes} that a page loads, and what something on it loads."""
        requested(self.browser)
        self.open(path)
        if act:
            act()
        time.sleep(1)
        names = {
            unquote(url.partition("?")[0].partition("#")[0]) for url in requested(self.browser)
        }
        files = [pathlib.Path(name.removeprefix("file://")) for name in names if "file:" in name]
        return {file.relative_to(site).as_posix(): file.stat().st_size for file in files}

    def test_the_first_page_is_light(self):
        """Page, styles, scripts, typefaces and pictures, all together."""
        loaded = self.loaded("index.html")
        self.assertGreater(len(loaded), 8)
        self.assertIn("assets/opening.js", loaded)
        self.assertLess(sum(loaded.values()), self.LIMIT_KB * 1000, loaded)

    def test_a_page_loads_what_it_uses(self):
        """Formulas, claims and the search bring more, where they are used."""
        formulas = "assets/katex/katex.min.js"
        self.assertNotIn(formulas, self.loaded("index.html"))
        lesson = self.loaded("ladder/03_shared_tile/index.html")
        self.assertNotIn("assets/opening.js", lesson)
        self.assertIn(formulas, self.loaded("widgets/coalescing.html"))
        self.assertIn("assets/claims.js", self.loaded("chapters/claims.html"))
        index = "search/search_index.js"
        self.assertNotIn(index, lesson)
        search = "document.querySelector('.md-search__input').focus()"
        self.assertIn(index, self.loaded("index.html", lambda: self.run_script(search)))


class ReferenceTest(Browsing):
    """Doxygen's pages."""

    PAGES = ("index.html", "files.html", "verify_8hpp.html", "verify_8hpp_source.html")

    def stored(self, scheme, system):
        """Opens the book, chooses a theme there, and asks the system for another."""
        media = [{"name": "prefers-color-scheme", "value": system}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        self.open("index.html")
        self.run_script("localStorage.clear()")
        if scheme:
            self.run_script(
                "localStorage.setItem(new URL('.', location.href).pathname + '.__palette',"
                "JSON.stringify({index: 0, color: {scheme: arguments[0]}}))",
                scheme,
            )

    def ground(self, page):
        """The brightness, 0 to 255, of a page's ground."""
        self.browser.get(f"file://{site}/api/{page}")
        colour = self.run_script("return getComputedStyle(document.body).backgroundColor")
        return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3

    def test_the_reference_follows_the_book(self):
        """Its choice, and the system's where the reader made none."""
        for scheme, system, is_dark in (
            ("slate", "light", True),
            ("default", "dark", False),
            (None, "dark", True),
            (None, "light", False),
        ):
            self.stored(scheme, system)
            for page in self.PAGES[::3]:
                with self.subTest(page=page, scheme=scheme, system=system):
                    self.assertEqual(self.ground(page) < 80, is_dark)
        self.stored(None, "light")

    def test_the_book_stores_what_the_reference_reads(self):
        """The theme's own switch, pressed."""
        self.stored(None, "light")
        self.browser.get(f"file://{site}/index.html")
        self.shown("header label[for^=__palette]")[0].click()
        self.assertLess(self.ground("index.html"), 80)
        self.stored(None, "light")

    def test_texts_can_be_read(self):
        """Words, links and code, light and dark."""
        for system in ("light", "dark"):
            self.stored(None, system)
            for page in self.PAGES:
                self.browser.get(f"file://{site}/api/{page}")
                for selector in (
                    "body",
                    ".contents a",
                    ".memproto",
                    ".line .comment",
                    ".line .keyword",
                    ".line .preprocessor",
                    "#projectname",
                    ".mdescRight",
                ):
                    pair = self.run_script(COLOURS_OF, selector)
                    with self.subTest(page=page, system=system, selector=selector):
                        if pair:
                            self.assertGreater(contrast(*map(numbers, pair)), 4.5, pair)
        self.stored(None, "light")

    def test_a_link_leads_back_and_pages_fit_a_phone(self):
        """From every page to the book's first."""
        for page in self.PAGES:
            self.open(f"api/{page}", width=400)
            with self.subTest(page=page):
                back = "return [...document.links].some((a) => a.href.endsWith('/site/index.html'))"
                self.assertTrue(self.run_script(back))
                wide = "return document.documentElement.scrollWidth - innerWidth"
                self.assertLessEqual(self.run_script(wide), 0)


# [text, ground] of the first element that a CSS selector names; null where there is none.
COLOURS_OF = """
const one = document.querySelector(arguments[0]);
if (!one) return null;
let ground = one;
while (ground.parentElement && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)")
  ground = ground.parentElement;
return [getComputedStyle(one).color, getComputedStyle(ground).backgroundColor];
"""


def numbers(colour):
    """[red, green, blue] of what CSS says."""
    return [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]


if __name__ == "__main__":
    unittest.main()
