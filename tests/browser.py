"""A headless Chromium for tests that look at pages. Needs Debian's chromium and chromium-driver."""

import json
import shutil

from selenium import webdriver


def start_browser():
    """A headless Chromium that logs its console and its network."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            raise RuntimeError(f"{program} is missing: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    # A container has neither the rights for Chromium's sandbox nor a large /dev/shm.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(
        options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))
    )


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
