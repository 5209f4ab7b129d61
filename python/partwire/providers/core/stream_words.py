"""What a caller says of a stream beside its ids: its author, its format, and its version."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from partwire.contract.current import FAMILIES, LATEST_VERSION
from partwire.contract.current.message import Author, StartDeltaPayload, TextFormat
from partwire.errors import WriteError, bad_argument

from ...tables.limits import DEFAULT_LIMITS, MAX_ID_CHARS
from .stream_ids import is_name

__all__ = [
    "WRITTEN_VERSIONS",
    "AuthorLike",
    "FormatLike",
    "StreamWords",
    "given_author",
    "given_format",
    "given_words",
    "says_new",
]

AuthorLike = str | Author | Mapping[str, Any]
FormatLike = TextFormat | Mapping[str, Any]


_SINCE: Final = "v0.3, whose start says them, or neither author nor format"


class StreamWords(NamedTuple):
    """Author and format of a stream, as far as its caller says them."""

    author: Author | UnsetType = UNSET
    format: TextFormat | UnsetType = UNSET

    def said_in(self, start: StartDeltaPayload) -> StartDeltaPayload:
        """Return a start that says them."""
        given = {name: value for name, value in self._asdict().items() if value is not UNSET}
        return replace(start, **given) if given else start


def given_words(
    author: AuthorLike | None,
    format: FormatLike | None,  # noqa: A002 - its name in the contract
    version: object = LATEST_VERSION,
) -> StreamWords:
    """Return author and format as far as they are given. Raises UsageError, also for a version
    that has neither.
    """
    words = StreamWords(given_author(author), given_format(format))
    if not says_new(version) and words != StreamWords():
        raise bad_argument("This version has no author and no format", _SINCE, version)
    return words


WRITTEN_VERSIONS: Final = tuple(version for version in FAMILIES if version != "v0.1")
_AUTHOR: Final = "a name, or an Author: name or agentPath (the names on the way to it), none empty"
_FORMAT: Final = "a TextFormat: an object, with name and schemaRef where they are known"


def given_author(author: AuthorLike | None) -> Author | UnsetType:
    """Return who writes a stream. Raises UsageError ``usage/invalid-argument``."""
    if author is None:
        return UNSET
    if isinstance(author, str):
        author = {"name": author}
    members = _members(author, Author, ("name", "agentPath"))
    if members is not None:
        name, agent = members
        path = agent if isinstance(agent, (list, tuple)) else []
        is_path = agent is None or 0 < len(path) <= DEFAULT_LIMITS.agents
        says = name is not None or agent is not None
        if says and is_path and all(map(_is_name, path)) and (name is None or _is_name(name)):
            return Author(
                name=UNSET if name is None else name,
                agent_path=UNSET if agent is None else list(path),
            )
    raise bad_argument("No such author", _AUTHOR, author)


def given_format(given: FormatLike | None) -> TextFormat | UnsetType:
    """Return what a stream's JSON was asked for as. Raises UsageError."""
    if given is None:
        return UNSET
    members = _members(given, TextFormat, ("name", "schemaRef"))
    if members is not None and all(each is None or _is_name(each) for each in members):
        name, ref = members
        return TextFormat(
            name=UNSET if name is None else name, schema_ref=UNSET if ref is None else ref
        )
    raise bad_argument("No such format", _FORMAT, given)


def says_new(version: object) -> bool:
    """Return whether deltas of ``version`` say what is new in v0.3. Raises UsageError."""
    if version not in WRITTEN_VERSIONS:
        expected = ", ".join(WRITTEN_VERSIONS)
        raise bad_argument(
            "No version that adapters write", expected, version, "usage/unknown-version"
        )
    return version != "v0.2"


def _members(value: Any, kind: type, names: tuple[str, str]) -> list[Any] | None:
    """Return two members of a struct, model or object, None for what it lacks; else None."""
    if hasattr(value, "model_dump"):
        from ...reading.plain import plain_value  # noqa: PLC0415  # few have models

        with suppress(WriteError):
            value = plain_value(value)[0]
    if isinstance(value, kind):
        members = [getattr(value, "schema_ref" if n == "schemaRef" else n) for n in names]
        return [None if member is UNSET else member for member in members]
    if isinstance(value, Mapping) and value.keys() <= set(names):
        return [value.get(name) for name in names]
    return None


def _is_name(value: object) -> bool:
    return is_name(value) and len(str(value)) <= MAX_ID_CHARS
