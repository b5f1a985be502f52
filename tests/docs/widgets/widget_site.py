"""The pages of the widgets as a small site in a browser, and what a reader does there.

Needs MkDocs, selenium and Debian's chromium.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests import SOURCES
from tests.browser import start_browser
from tests.contrast import contrast

WIDGETS = SOURCES / "docs" / "widgets"
PAGES = ("roofline", "coalescing", "banks", "tiles", "waves")
SCHEMES = ("default", "slate")
CONFIGURATION = """\
INHERIT: {root}/mkdocs.yml
docs_dir: {docs}
site_dir: {site}
strict: false
hooks: [{root}/docs/widgets/embed.py]
watch: []
extra_css: [assets/look.css, assets/site.css]
extra_javascript: []
nav: [{nav}, embedded.md]
plugins: [offline]
"""
EMBEDDED = """\
# A page with widgets

<!-- widget coalescing stride=8 -->

Between them.

<!-- widget coalescing -->

<!-- widget tiles BM=64 m=1024 -->
"""


def build(folder):
    """Builds the site in a folder and says where it is."""
    docs, site = folder / "docs", folder / "site"
    for part in ("assets", "widgets"):
        shutil.copytree(SOURCES / "docs" / part, docs / part)
    (docs / "embedded.md").write_text(EMBEDDED)
    nav = ", ".join(f"widgets/{name}.md" for name in PAGES)
    configuration = folder / "mkdocs.yml"
    configuration.write_text(CONFIGURATION.format(root=SOURCES, docs=docs, site=site, nav=nav))
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(configuration)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        raise RuntimeError(f"mkdocs build failed:\n{built.stdout}{built.stderr}")
    return site


def plain(text):
    """Text without the narrow spaces that group digits, and with ordinary ones."""
    return text.replace("\u202f", "").replace("\u00a0", " ")


class WidgetSite:
    """One browser, and the site."""

    def __init__(self):
        """Builds the site and starts the browser."""
        self.folder = tempfile.TemporaryDirectory()
        self.site = build(pathlib.Path(self.folder.name))
        self.browser = start_browser()

    def close(self):
        """Ends the browser and removes the site."""
        self.browser.quit()
        self.folder.cleanup()

    def address(self, name):
        """Where a widget's page lies."""
        return f"file://{self.site}/{name if name == 'embedded' else f'widgets/{name}'}.html"

    def open(self, name, scheme="default", width=1200, query="", motion="no-preference"):
        """Opens a widget's page in a theme, in a window of some width."""
        media = [{"name": "prefers-reduced-motion", "value": motion}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        command = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", command)
        self.browser.get(self.address(name) + query)
        self.run(
            "document.body.setAttribute('data-md-color-scheme', arguments[0]);"
            "document.head.append(Object.assign(document.createElement('style'),"
            "{textContent: '* { transition: none !important }'}))",
            scheme,
        )

    def run(self, script, *arguments):
        """Runs JavaScript on the page."""
        return self.browser.execute_script(script, *arguments)

    def formula(self, script, *arguments):
        """Runs JavaScript in which F is the formulas and cards the cards by id."""
        return self.run(
            "const F = window.ladderFormulas; const cards ="
            "Object.fromEntries((window.ladderData?.cards ?? []).map((c) => [c.id, c]));" + script,
            *arguments,
        )

    def find(self, selector):
        """The one element of the page that a CSS selector names."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def count(self, selector):
        """How many elements a CSS selector names."""
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def result(self):
        """The sentence that is read aloud."""
        return plain(self.find(".widget-result").text)

    def values(self):
        """{what: value} of the table below the drawing."""
        rows = self.run(
            "return [...document.querySelectorAll('.widget-values tr')].map((row) =>"
            "[...row.children].map((cell) => cell.textContent))"
        )
        return {what: plain(value) for what, value in rows}

    def press(self, *keys):
        """Presses keys, wherever the focus is."""
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def tab_to(self, identifier):
        """Walks to an element by the Tab key alone."""
        for _ in range(80):
            if self.run("return document.activeElement.id") == identifier:
                return
            ActionChains(self.browser, duration=0).send_keys(Keys.TAB).perform()
        raise AssertionError(f"the Tab key does not reach #{identifier}")

    def fill(self, identifier, text):
        """Replaces what stands in a field, by keys alone."""
        self.tab_to(identifier)
        self.press(Keys.CONTROL + "a", text)

    def lowest_contrast(self):
        """The worst contrast (WCAG, 1 to 21) of the widget's texts to what lies below them."""
        return min(contrast(*pair) for pair in self.run(COLOURS))


# [[ground, text]] of the widget's texts, each [red, green, blue]; a canvas mixes translucent ones.
COLOURS = """
const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const mixed = (colours) => {
  canvas.clearRect(0, 0, 1, 1);
  for (const colour of colours) {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
  }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const texts = ".widget :is(label, .widget-result, figcaption, th, td, a, select, input,"
  + " button, summary, .widget-hint, .widget-place, svg text)";
return [...document.querySelectorAll(texts)].filter((one) => !one.disabled).map((one) => {
  const style = getComputedStyle(one);
  const layers = [];
  for (let at = one; at; at = at.parentElement)
    layers.unshift(getComputedStyle(at).backgroundColor);
  const below = one.previousElementSibling;
  if (one.matches("svg text.small") && below.matches("rect"))
    layers.push(getComputedStyle(below).fill);
  return [mixed(layers), mixed([...layers, one.closest("svg") ? style.fill : style.color])];
});
"""
