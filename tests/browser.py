"""A Chromium for the tests of pages: the system's, driven by playwright."""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NEED_VARIABLE = "CLUSTRAINT_NEED_BROWSER"


def find_browser():
    """Return the path of a browser; without one, skip or, where it is needed, fail."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    words = f"there is no browser ({', '.join(BROWSERS)})"
    if os.environ.get(NEED_VARIABLE) == "1":
        pytest.fail(f"{words}, but {NEED_VARIABLE}=1 says that one is needed")
    pytest.skip(f"{words}: apt install chromium")


class Visit:
    """A page in the browser, with what it fetched and complained about."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        self.fetched = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.fetched.append(request.url))

    def count(self, selector):
        """Return how many elements of that kind can be seen."""
        return self.page.locator(f"{selector}:visible").count()

    @property
    def overflow(self):
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
