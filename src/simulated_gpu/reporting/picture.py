"""Draws the memory over time, by what holds it, as SVG."""

from __future__ import annotations

from xml.sax.saxutils import escape

from .memory import Memory, Point
from .owners import OWNERS
from .result import Report

WIDTH, HEIGHT, LEFT, TOP = 640, 200, 60, 30
MOST_POINTS = 600
COLORS = dict(zip(OWNERS, ("#4477aa", "#ee6677", "#ccbb44", "#bbbbbb"), strict=True))


def draw(report: Report) -> str:
    """Return a picture with one diagram for each GPU."""
    height = (HEIGHT + TOP + 40) * max(1, len(report.memory)) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" font-family="sans-serif" '
        'font-size="12">',
        f"<title>Memory of {escape(report.title or 'the program')}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for place, memory in enumerate(report.memory):
        parts.append(f'<g transform="translate({LEFT} {TOP + place * (HEIGHT + TOP + 40)})">')
        parts += _diagram(memory)
        parts.append("</g>")
    legend = [
        f'<rect x="{LEFT + 150 * i}" y="{height - 22}" width="12" height="12" fill="{color}"/>'
        f'<text x="{LEFT + 150 * i + 18}" y="{height - 12}">{owner}</text>'
        for i, (owner, color) in enumerate(COLORS.items())
    ]
    return "\n".join([*parts, *legend, "</svg>"]) + "\n"


def _diagram(memory: Memory) -> list[str]:
    points = _thinned(memory.points)
    most, length = memory.peak or 1, len(points)
    below = [0] * length
    parts = []
    for owner in OWNERS:
        above = [low + point.by_owner.get(owner, 0) for low, point in zip(below, points, strict=True)]
        edge = [_at(i, value, length, most) for i, value in enumerate(above)]
        back = [_at(i, value, length, most) for i, value in reversed(list(enumerate(below)))]
        parts.append(f'<polygon fill="{COLORS[owner]}" points="{" ".join(edge + back)}"/>')
        below = above
    return [
        f'<text y="-8">GPU {memory.gpu}: allocated memory, peak {memory.peak / 2**20:.1f} MiB</text>',
        *parts,
        f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="#333333"/>',
        f'<text x="-6" y="10" text-anchor="end">{memory.peak / 2**20:.4g}</text>',
        f'<text x="-6" y="{HEIGHT}" text-anchor="end">0 MiB</text>',
        f'<text x="{WIDTH}" y="{HEIGHT + 16}" text-anchor="end">allocations and frees, in their order</text>',
    ]


def _at(place: int, value: int, length: int, most: int) -> str:
    return f"{place / max(1, length - 1) * WIDTH:.1f},{HEIGHT - value / most * HEIGHT:.1f}"


def _thinned(points: list[Point]) -> list[Point]:
    """Return at most some hundred points, each the highest of those that it stands for."""
    step = -(-len(points) // MOST_POINTS) or 1
    return [max(points[i : i + step], key=lambda point: point.allocated) for i in range(0, len(points), step)]
