"""What building and testing cost, against what people would use instead.

made-up: 20 pages with 10 blocks each, built and tested by us and by other tools. real: the site of this repository; the
other tools cannot take its fence options and notebooks, so there it is the site without our plugin, and one Python
process that runs the blocks. reload: from saving a page to the browser showing it. scale: 10, 100 and 1,000 pages.

All commands have one compute thread. They are run in turn, several rounds after one that warms up; tables hold medians,
ratios are medians of the rounds' ratios. What was measured goes to results.json, and the figures of `scale` to the page
about/how-it-works, which then wants to be recorded again. Takes most of an hour; the machine must be idle.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import ours
import peers
import real
import reload
import results
import scale
from measure import in_turn
from sites import make_site

PAGES = 20
Part = Callable[[Path, int, bool], None]


def made_up(folder: Path, rounds: int, quick: bool) -> None:
    """The made-up site, ours and the others."""
    make_site(folder / "site", PAGES)
    ours.record(folder / "site")
    own = ours.commands(folder / "site", "docs/index.md")
    others = {}
    if not quick:
        python = peers.environment(results.ROOT / ".cache/bench/venv")
        others = peers.commands(folder / "peers", PAGES, python)
    found = in_turn(own | others, rounds)
    testers = [peer.name for peer in peers.PEERS if not peer.builds]
    testing = [name for name in others if name in testers]
    building = [name for name in others if name not in testers]
    goals = list(results.sites_goals(found, 1.05, building, testing))
    results.print_costs(f"{PAGES} pages, {PAGES * 10} blocks", found)
    results.print_goals(goals)
    if not quick:
        results.save("made-up", results.summary(found), goals)


def the_real(folder: Path, rounds: int, quick: bool) -> None:
    """The site of this repository."""
    real.make_site(folder / "site")
    found = in_turn(ours.commands(folder / "site", real.PAGE), rounds)
    goals = list(results.sites_goals(found, 1.10, [], []))
    results.print_costs(f"The site itself, {len(real.pages())} pages", found)
    results.print_goals(goals)
    if not quick:
        results.save("real", results.summary(found), goals)


def the_reload(folder: Path, rounds: int, quick: bool) -> None:
    """The way from a save to the browser."""
    real.make_site(folder / "site")
    ours.commands(folder / "site", real.PAGE)["cold"]()
    found = reload.measure(folder / "site", rounds)
    goals = list(results.reload_goals(found))
    results.print_figures(f"Seconds from saving {real.PAGE} to the browser; medians of {rounds} rounds", found)
    results.print_goals(goals)
    if not quick:
        results.save("reload", found, goals)


def the_scale(folder: Path, rounds: int, quick: bool) -> None:
    """The made-up site as it grows."""
    found = scale.measure(folder, min(rounds, 3), (5, 10, 20) if quick else scale.SIZES)
    goals = list(results.scale_goals(found))
    results.print_figures(f"Sites that grow; medians of {min(rounds, 3)} rounds", found)
    results.print_goals(goals)
    if not quick:
        results.save("scale", found, goals)
        results.write_page()


PARTS: dict[str, Part] = {"made-up": made_up, "real": the_real, "reload": the_reload, "scale": the_scale}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds after one that warms up (default: 5)")
    parser.add_argument("--quick", action="store_true", help="without the other tools, scale small; nothing is written")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"{unknown[0]} is no part; choose from {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="samedevice-bench-") as place:
            PARTS[name](Path(place), options.rounds, options.quick)


if __name__ == "__main__":
    main()
