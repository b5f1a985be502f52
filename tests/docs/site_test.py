"""The book as a site: it builds without a warning, needs no network, and every page works.

    build/python/bin/python -m tests.docs.site_test
"""

import os
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from urllib.parse import unquote

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests import SOURCES
from tests.browser import console_errors, requested, start_browser
from tests.contrast import contrast

LIMIT_MB = 40  # of the whole site


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
            if page.startswith("doxygen/"):
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

    def test_size(self):
        """The whole site can be carried on a stick, or mailed."""
        size_mb = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
        self.assertLess(size_mb, LIMIT_MB)


class BrowserTest(unittest.TestCase):
    """The pages as they are opened from a folder."""

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
        self.browser.set_window_size(width, 900)
        self.browser.get(f"file://{site}/{path}")
        self.browser.execute_script(
            "document.body.setAttribute('data-md-color-scheme', arguments[0])", scheme
        )

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
                for selector in ("article p", ".figure svg text"):
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

    def test_search_finds_a_lesson_without_a_server(self):
        """The theme's search runs in a frame, because a file's page may start no worker."""
        self.open("index.html")
        self.browser.execute_script("document.querySelector('#__search').click()")
        field = self.browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
        WebDriverWait(self.browser, 10).until(lambda _: field.is_displayed())
        field.send_keys("setmaxnreg")
        found = WebDriverWait(self.browser, 20).until(
            lambda browser: browser.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")
        )
        self.assertTrue(any("11_producer_warps" in one.get_attribute("href") for one in found))
        field.send_keys(Keys.ESCAPE)


if __name__ == "__main__":
    unittest.main()
