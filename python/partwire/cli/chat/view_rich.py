"""The coloured view of ``partwire chat``. Imported late: rich is an extra, and slow to import."""

from __future__ import annotations

from rich.console import Console

from .view import ChatView

__all__ = ["RichChatView"]


class RichChatView(ChatView):
    """Prints with colours; rich knows terminals without, and NO_COLOR."""

    def __init__(self) -> None:
        super().__init__()
        self._console = Console()

    def _write(self, text: str, style: str) -> None:
        self._console.out(text, style=style or None, highlight=False, end="")
