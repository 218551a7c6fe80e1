"""A picture of a GPU's memory over a program, as SVG: what held it, in the order of the allocations."""

from __future__ import annotations

from .facts import Memory
from .tensors import ACTIVATIONS, BEFORE, GRADIENTS, PARAMETERS, STATE, TEMPORARY, WORKSPACE
from .text import size

COLORS = {  # from the bottom up; readable on white and on black
    BEFORE: "#7f7f7f",
    PARAMETERS: "#4477aa",
    STATE: "#228833",
    GRADIENTS: "#ccbb44",
    WORKSPACE: "#aa3377",
    ACTIVATIONS: "#ee6677",
    TEMPORARY: "#66ccee",
}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 360, 80, 30, 90


def picture(memory: Memory) -> str:
    """Return an SVG of the memory's curve."""
    wide, high = WIDTH - LEFT - 10, HEIGHT - TOP - BOTTOM
    most = max((sum(sizes.values()) for _, sizes in memory.curve), default=0) or 1
    across = [LEFT + wide * i / max(len(memory.curve) - 1, 1) for i in range(len(memory.curve))]
    below = [0] * len(across)
    shapes = []
    for category, color in COLORS.items():
        above = [base + sizes.get(category, 0) for base, (_, sizes) in zip(below, memory.curve, strict=True)]
        if above != below:
            edge = [*zip(across, above, strict=True), *reversed(list(zip(across, below, strict=True)))]
            points = " ".join(f"{x:.1f},{TOP + high * (1 - held / most):.1f}" for x, held in edge)
            shapes.append(f'<polygon points="{points}" fill="{color}"><title>{category}</title></polygon>')
        below = above
    title = f"Memory of GPU {memory.device}: peak {size(memory.peak)} in {memory.phase}, {memory.line}"
    text = f'<text x="{LEFT}" y="18">{_escaped(title)}</text>'
    axes = "".join(
        f'<text x="{LEFT - 6}" y="{TOP + high * (1 - part) + 4:.0f}" text-anchor="end">{size(int(most * part))}</text>'
        for part in (0, 0.5, 1)
    )
    under = f'<text x="{LEFT + wide / 2:.0f}" y="{TOP + high + 18}" text-anchor="middle">allocations, in order</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="13" fill="currentColor"><title>{_escaped(title)}</title>'
        f"{text}{axes}{under}{''.join(shapes)}{_legend(TOP + high + 42)}</svg>\n"
    )


def _legend(top: int) -> str:
    return "".join(
        f'<rect x="{LEFT + 160 * (i % 4)}" y="{top + 22 * (i // 4) - 11}" width="12" height="12" fill="{color}"/>'
        f'<text x="{LEFT + 160 * (i % 4) + 18}" y="{top + 22 * (i // 4)}">{category}</text>'
        for i, (category, color) in enumerate(COLORS.items())
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
