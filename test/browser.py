"""A real browser for tests: Debian's Chromium, headless, with software WebGL."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from harness import wait_for

WIDTH, HEIGHT = 1280, 720
FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--window-size={WIDTH},{HEIGHT}",
)  # fmt: skip


@contextlib.contextmanager
def chromium(profile: Any) -> Iterator[Any]:
    """A window of the browser; the test is skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield window
    finally:
        window.quit()


class Visitor:
    """Somebody who looks at the page and uses its controls by their names."""

    def __init__(self, window: Any) -> None:
        self.window = window

    def text(self) -> str:
        return str(self.window.find_element("css selector", "body").text)

    def click(self, label: str) -> None:
        """Press a button or open a tab."""
        self._button(label).click()

    def open(self, folder: str) -> None:
        """Unfold a folder."""
        self.window.find_element("xpath", f"//*[normalize-space(text())='{folder}']").click()

    def hold(self, label: str) -> None:
        """Press a button and keep it down."""
        from selenium.webdriver import ActionChains

        ActionChains(self.window).click_and_hold(self._button(label)).perform()

    def let_go(self) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.window).release().perform()

    def press(self, key: str) -> None:
        """A key on the page, not in a field."""
        from selenium.webdriver import ActionChains

        ActionChains(self.window).send_keys(key).perform()

    def choose(self, label: str, option: str) -> None:
        """Take an option of a list."""
        self.field(label).click()
        options = f"//*[@role='option'][normalize-space()='{option}']"

        def shown() -> list[Any]:
            return [o for o in self.window.find_elements("xpath", options) if o.is_displayed()]

        wait_for(shown, f"the option {option}")[0].click()

    def write(self, label: str, number: int, value: str) -> None:
        """Type into one of the fields of a row."""
        from selenium.webdriver import Keys

        field = self.fields(label)[number]
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(value, Keys.TAB)

    def fields(self, label: str) -> list[Any]:
        """All fields of a row."""
        return list(self._row(label).find_elements("xpath", ".//input"))

    def field(self, label: str) -> Any:
        return self._row(label).find_element("xpath", ".//input")

    def _row(self, label: str) -> Any:
        """The smallest element that holds both the label and a field."""
        path = f"//label[normalize-space()='{label}']/ancestor::*[.//input][1]"

        def shown() -> list[Any]:
            return [row for row in self.window.find_elements("xpath", path) if row.is_displayed()]

        return wait_for(shown, f"the field {label}")[0]

    def _button(self, label: str) -> Any:
        from selenium.common.exceptions import StaleElementReferenceException

        def shown() -> list[Any]:
            every = self.window.find_elements("css selector", "button, [role=tab]")
            try:
                return [b for b in every if b.is_displayed() and b.text.strip() == label]
            except StaleElementReferenceException:  # notices come and go, and have buttons too
                return []

        return wait_for(shown, f"the button {label}")[0]
