"""The mark of a page while a site is served."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samedevice.integration.mkdocs import serving
from samedevice.project import PACKAGE

pytestmark = pytest.mark.browser

MARK = '<p class="sd-checked" data-page="a.md" data-states="states.json">Being checked on this machine</p>'


def test_the_mark_outlives_answers_that_are_cut_off_or_missing(context: Any) -> None:
    """MkDocs' server sends a part of a file that is replaced while it reads it."""
    whole = json.dumps({"a.md": "Checked on this machine"})
    answers = iter([(404, ""), (200, whole[:20]), (200, whole)])
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))

    def answer(route: Any) -> None:
        status, body = next(answers)
        route.fulfill(status=status, body=body)

    script = (PACKAGE / "assets" / serving.SCRIPT).read_text(encoding="utf-8")
    page.route("**/states.json", answer)
    page.route("**/page.html", lambda route: route.fulfill(body=f"{MARK}<script>{script}</script>"))
    page.clock.install()
    page.goto("http://localhost/page.html")
    checked = page.get_by_text("Checked on this machine", exact=True)
    for _ in range(1000):
        if checked.is_visible():
            break
        page.clock.run_for(100)
    assert checked.is_visible()
    assert next(answers, None) is None
    assert wrong == []
