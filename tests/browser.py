"""A headless Chromium for tests that look at pages. Needs Debian's chromium and chromium-driver."""

import json
import shutil

from selenium import webdriver
from selenium.webdriver.common import utils


class Service(webdriver.ChromeService):
    """Finds its chromedriver where nothing knows the name localhost."""

    @property
    def service_url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self):
        return utils.is_url_connectable(self.port, "127.0.0.1")


def start_browser():
    """A headless Chromium that logs its console and its network."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            raise RuntimeError(f"{program} is missing: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    # A container has neither the rights for Chromium's sandbox nor a large /dev/shm, nor perhaps a
    # name service for the socket that chromedriver would open to localhost.
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--remote-debugging-pipe",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def console_errors(browser):
    """What the console complained of since the last call."""
    return [
        entry["message"]
        for entry in browser.get_log("browser")
        if entry["level"] in ("SEVERE", "WARNING")
    ]


def requested(browser):
    """Addresses that pages asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
