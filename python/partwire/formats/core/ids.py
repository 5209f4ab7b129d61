"""Ids of messages in a document that is written."""

from __future__ import annotations

from .reading import Json

__all__ = ["Ids", "given_ids"]


def given_ids(messages: list[Json]) -> set[str]:
    """Return the ids that messages have."""
    return {message["messageId"] for message in messages if "messageId" in message}


class Ids:
    """Ids of messages, each of which may stand once: clients go by them.

    One that is made begins with ``stem``.
    """

    def __init__(self, given: set[str]) -> None:
        self.stem = "message"
        self._given = given
        self._used: set[str] = set()
        self._number = 0

    def of(self, message: Json) -> str:
        """Return the id of a message; one that was used gets another."""
        given = message.get("messageId")
        return self.made(given, given) if given else self.made("", self.stem)

    def made(self, wanted: str, stem: str) -> str:
        """Return an id that is not used: the wanted one, or one that begins with ``stem``."""
        made = wanted
        while not made or made in self._used:
            self._number += 1
            made = f"{stem}-{self._number}"
            if made in self._given:
                made = ""
        self._used.add(made)
        return made
