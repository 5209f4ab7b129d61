"""The tables of docs/errors.md, written from the code: python -m tests.reading.error_table"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from partwire.model.errors import CLASSES
from partwire.providers.core.errors import RETRYABLE, ProviderError, error_code

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
MARK = "<!-- from here on written by `python -m tests.reading.error_table` -->\n"


def status_code(status: int) -> str:
    """Return the error code of an HTTP status that comes without words."""
    return error_code(ProviderError(None, None, None, status))


def _statuses() -> Iterator[tuple[str, str]]:
    for code, group in groupby(range(400, 600), status_code):
        run = list(group)
        yield (str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}"), code


def _retry(code: str) -> str:
    return "yes" if RETRYABLE[code] else "no"


def tables() -> str:
    """Return the tables as Markdown."""
    lines = ["## HTTP statuses", "", "| status | error code | retryable |", "|---|---|---|"]
    lines += [f"| {which} | `{code}` | {_retry(code)} |" for which, code in _statuses()]
    lines += ["", "## Exception classes"]
    for package, rows in CLASSES.items():
        if package == "httpx2":
            continue
        title = "`httpx` and `httpx2`" if package == "httpx" else f"`{package}`"
        lines += ["", f"### {title}", "", "| class | error code | retryable |", "|---|---|---|"]
        lines += [f"| `{name}` | `{code}` | {_retry(code)} |" for name, code in rows.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    head = DOCUMENT.read_text("utf-8").split(MARK)[0]
    DOCUMENT.write_text(head + MARK + "\n" + tables(), "utf-8")
