"""The picture: time per delta against the number of deltas, one panel per mix."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from bench.content import MIXES
from bench.measure import Cell
from bench.results import Results

__all__ = ["draw"]

# Okabe and Ito's palette, which people with colour vision deficiency can tell apart; markers and
# line styles say the same again.
_LOOKS: Final[dict[str, tuple[str, str, str]]] = {
    "floor": ("#000000", "", ":"),
    "assemble_buffer, native": ("#0072B2", "o", "-"),
    "feed_200, native": ("#0072B2", "s", "--"),
    "assemble_buffer, plain": ("#56B4E9", "D", "-"),
    "consume, plain": ("#56B4E9", "d", "--"),
    "ag_ui": ("#999999", "v", "-"),
    "pydantic_ai": ("#009E73", "^", "-"),
    "langchain_events": ("#E69F00", "P", "-"),
    "langchain_chunks": ("#E69F00", "X", "--"),
    "anthropic": ("#D55E00", "*", "-"),
    "openai": ("#CC79A7", "h", "-"),
}
_ARROW: Final = r"$\uparrow$"
_OURS_WIDTH: Final = 2.6
_WIDTH: Final = 1.5


def draw(results: Results, path: Path) -> None:
    """Write the PNG; raises ImportError where matplotlib is missing."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    mixes = results.mixes()
    figure, panels = pyplot.subplots(
        1, len(mixes), figsize=(5.2 * len(mixes), 6.8), sharey=True, squeeze=False
    )
    for panel, mix in zip(panels[0], mixes, strict=True):
        _panel(panel, results, mix)
    panels[0][0].set_ylabel("microseconds per delta (a flat line is linear growth)")
    handles: dict[str, Any] = {}
    for panel in panels[0]:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    lines = importlib.import_module("matplotlib.lines")
    handles["time cap reached: more than this"] = lines.Line2D(
        [], [], color="#666666", marker=_ARROW, markersize=11, linestyle="none"
    )
    figure.suptitle("From JSON lines to the final message: time per delta, lower is better")
    figure.legend(
        handles.values(), handles.keys(), loc="lower center", ncols=4, frameon=False, fontsize=10
    )
    figure.tight_layout(rect=(0, 0.14, 1, 1))
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def _panel(panel: Any, results: Results, mix: str) -> None:
    panel.set_title(MIXES[mix])
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("content deltas")
    panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.8)
    panel.set_axisbelow(True)
    arrows: Counter[int] = Counter()
    for key, (color, marker, style) in _LOOKS.items():
        cells = [cell for cell in results.cells if (cell.contestant.key, cell.mix) == (key, mix)]
        points = [(c.size, c.us_per_delta) for c in cells if c.us_per_delta is not None]
        if points:
            own = cells[0].contestant.kind == "ours"
            panel.plot(
                *zip(*points, strict=True),
                color=color, marker=marker, linestyle=style, markersize=6,
                linewidth=_OURS_WIDTH if own else _WIDTH, zorder=4 if own else 3,
                label=cells[0].contestant.label,
            )  # fmt: skip
        for cell in (cell for cell in cells if cell.state == "capped"):
            _draw_cap(panel, cell, points, color, arrows[cell.size])
            arrows[cell.size] += 1
    panel.set_xticks(sorted({cell.size for cell in results.cells if cell.mix == mix}))
    panel.xaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
    panel.yaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
    panel.minorticks_off()


def _draw_cap(
    panel: Any, cell: Cell, points: list[tuple[int, float]], color: str, before: int
) -> None:
    """Draw an arrow at the least that the run may have taken; it ended at the time cap."""
    bound = cell.cap_s / cell.deltas * 1e6
    if points:
        size, last = points[-1]
        bound = max(bound, last)
        panel.plot([size, cell.size], [last, bound], color=color, linestyle=":", linewidth=_WIDTH)
    shift = (cell.size * 0.86**before, bound)  # several arrows stand side by side
    panel.plot(*shift, color=color, marker=_ARROW, markersize=13, linestyle="none", zorder=5)
