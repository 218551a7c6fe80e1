"""What a page shows in its outputs, and what its copy buttons put on the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from same_device_site.settings import parse_page
from samedevice.outputs.recording_files import load_all
from samedevice.project import RECORDINGS
from samedevice.weaving.copies import copies, program
from samedevice.weaving.panes import ShownOutput

ROOT = Path(__file__).parents[2]
ON_CUDA = "tensor(1.5000, device='cuda:0') cuda:0"
"""What a GPU prints for the block of the home page."""


def outputs(page: Any) -> list[str]:
    """The texts of the outputs that can be seen, here or further down; innerText lacks those that are out of sight."""
    return [pre.text_content() for pre in page.locator(".sd-text:visible").all()]


def texts(name: str) -> dict[int, str]:
    """What is copied for each block of a page that has a button, by its index."""
    page = parse_page(ROOT / "docs" / name, ROOT)
    shown: dict[int, list[ShownOutput]] = {block.index: [] for block in page.blocks}
    for recording in load_all(ROOT, RECORDINGS, page)[0]:
        for block in page.blocks:
            output = recording.find(page, block.index).output
            if output is not None:
                shown[block.index].append(ShownOutput(recording.environment.device, output, recording.environment))
    parts = copies(page, shown)
    return {index: program(page, index, parts) for index in parts if parts[index].attributes["data-about"]}


def copied(page: Any, index: int) -> str:
    """What a click on a block's button puts on the clipboard."""
    page.evaluate("document.querySelectorAll('article details').forEach((box) => { box.open = true; })")
    page.locator(f'[data-block="{index}"]').scroll_into_view_if_needed()  # the theme makes the buttons of what is seen
    page.evaluate("navigator.clipboard.writeText('nothing yet')")
    page.locator(f'[data-block="{index}"] .sd-run').click()
    for _ in range(500):
        found = str(page.evaluate("navigator.clipboard.readText()"))
        if found.startswith("# From"):
            break
        page.wait_for_timeout(20)
    return found


COPIED = """async (indices) => {
  const soon = async (what) => {
    for (let frame = 0; frame < 500; frame++, await new Promise(requestAnimationFrame)) {
      const found = await what();
      if (found) return found;
    }
    return "";
  };
  document.querySelectorAll("article details").forEach((box) => { box.open = true; });
  const found = {};
  for (const index of indices) {
    const block = document.querySelector(`[data-block="${index}"]`);
    block.scrollIntoView();  // the theme makes the buttons of what is seen
    const button = await soon(() => block.querySelector(".sd-run"));
    await navigator.clipboard.writeText("nothing yet");
    button.click();
    found[index] = await soon(async () => (await navigator.clipboard.readText()).match(/^# From[^]*/)?.[0]);
  }
  return found;
}"""
"""What clicks on the buttons of these blocks put on the clipboard, one after the other."""
