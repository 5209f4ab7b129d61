"""OpenRouter's ``reasoning_details``: sent in pieces, wanted back as the whole that they make."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["ReasoningDetails"]

_TEXTS: Final = ("text", "summary", "signature")


class _Detail:
    """One detail: its members as the last piece has them, texts in pieces."""

    __slots__ = ("members", "texts")

    def __init__(self) -> None:
        self.members: dict[str, Any] = {}
        self.texts: dict[str, list[str]] = {}

    def add(self, piece: dict[str, Any]) -> None:
        for name, value in piece.items():
            if name in _TEXTS and isinstance(value, str):
                self.texts.setdefault(name, []).append(value)
            elif value is not None or name not in self.members:
                self.members[name] = value

    def goes_on_with(self, piece: dict[str, Any]) -> bool:
        """Return whether ``piece`` continues this detail: of its type and number, not signed yet.

        Encrypted details come whole.
        """
        if piece.get("type") != self.members.get("type") or "data" in piece:
            return False
        ours, theirs = self.members.get("index"), piece.get("index")
        if ours != theirs and ours is not None and theirs is not None:
            return False
        is_signed = any(self.texts.get("signature", ()))
        return not (is_signed and (piece.get("text") or piece.get("summary")))

    def whole(self) -> dict[str, Any]:
        return self.members | {name: "".join(pieces) for name, pieces in self.texts.items()}


class ReasoningDetails:
    """The details of one answer."""

    def __init__(self) -> None:
        self._details: list[_Detail] = []

    def add(self, piece: dict[str, Any]) -> None:
        """Take a piece; it goes on with the last detail, or begins another."""
        if not self._details or not self._details[-1].goes_on_with(piece):
            self._details.append(_Detail())
        self._details[-1].add(piece)

    def whole(self) -> list[dict[str, Any]]:
        """Return the details as the provider sends them where it does not stream."""
        return [detail.whole() for detail in self._details]
