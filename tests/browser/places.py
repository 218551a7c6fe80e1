"""Where elements are on a page in the browser, once nothing moves any more."""

from __future__ import annotations

from typing import Any

AT_REST = """async (element) => {
  let place, same = 0;
  for (let frame = 0; same < 20 && frame < 1000; frame++) {
    await new Promise(requestAnimationFrame);
    const now = element.getBoundingClientRect().y;
    same = now === place ? same + 1 : 0;
    place = now;
  }
  return place;
}"""


def at_rest(locator: Any) -> float:
    """The top of an element in pixels below the top of the window, after 20 frames in which it did not change.

    Code and outputs that were out of sight are laid out when a reader comes near, a frame or more after the page has
    moved there; on a busy machine that can take longer than a test does.
    """
    found: float = locator.evaluate(AT_REST)
    return found
