"""Statements that are tests: the mark behind each, and what it opens."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from same_device_site.claims import claims_in
from same_device_site.tested import address as id_of

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PAGE = "tensors/masks"


def test_each_statement_has_a_mark_that_leads_to_its_test(site: Path) -> None:
    """Whatever links, code and emphasis it has."""
    claims = claims_in(ROOT / "tests/claims")
    made = {path: path.read_text(encoding="utf-8") for path in {site / f"{one.page[:-3]}.html" for one in claims}}
    found = {}
    for (page, name), count in Counter((one.page, id_of(one)) for one in claims).items():
        section = page.partition("/")[0]
        marks = made[site / f"{page[:-3]}.html"].count(f'about/claims-{section}.html#{name}"')
        shown = (site / f"about/claims-{section}.html").read_text(encoding="utf-8")
        if marks != count or f'id="{name}"' not in shown:
            found[name] = f"{marks} of {count} marks"
    assert found == {}


def test_the_mark_opens_the_test_from_a_folder_without_scripts_by_keyboard(browser: Any, site: Path) -> None:
    """It says for screen readers what it does; what is read, copied and searched has the sentence alone."""
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto((site / f"{PAGE}.html").as_uri())
        mark = page.get_by_role("link", name="Tested: opens the test").first
        assert mark.text_content() == ""
        mark.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/about/claims-tensors.html#tensors-masks--*")
        code = page.locator("details[open] pre")
        code.wait_for()
        assert "@claim(" in code.text_content()
        assert page.locator("details.sd-subject[open]").count() == 1
    finally:
        context.close()
