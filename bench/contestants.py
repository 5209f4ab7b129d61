"""What takes part: one record per contestant, and where the peers are found."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final, Literal

import msgspec

from bench.content import Content, Outcome
from bench.ways import Way

__all__ = [
    "PEER_MODULES",
    "Contestant",
    "Kind",
    "distribution_version",
    "load_peers",
    "parse_arguments",
    "to_lines",
]

Kind = Literal["floor", "ours", "assembles", "decodes"]

PEER_MODULES: Final = (
    "ag_ui",
    "pydantic_ai",
    "langchain_events",
    "langchain_chunks",
    "anthropic_events",
    "openai_chunks",
)


@dataclass(frozen=True)
class Contestant:
    """One way from JSON bytes to a final message.

    ``encode`` makes the input from the content (not timed), ``run`` is what is timed, ``outcome``
    reads (input, what run returned) for comparison with the content (not timed). ``way`` is that of
    the package; peers have none.
    """

    key: str
    label: str
    kind: Kind
    encode: Callable[[Content], Any]
    run: Callable[[Any], Any]
    outcome: Callable[[Any, Any], Outcome]
    way: Way | None = None


def load_peers() -> tuple[list[Contestant], dict[str, str]]:
    """Return the peers that are installed, and for the others the reason by module name."""
    found: list[Contestant] = []
    missing: dict[str, str] = {}
    for name in PEER_MODULES:
        module = importlib.import_module(f"bench.peers.{name}")
        try:
            found.append(module.load())
        except ImportError as error:
            missing[name] = f"not installed ({error})"
    return found, missing


def distribution_version(name: str) -> str:
    """Return the installed version of a distribution, or "not installed"."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def to_lines(events: Iterable[dict[str, Any]]) -> list[bytes]:
    """Return one line of compact JSON per event, without the line end."""
    encode = msgspec.json.Encoder().encode
    return [encode(event) for event in events]


def parse_arguments(arguments: object) -> Any:
    """Return arguments as a value, for peers that leave them as text."""
    return json.loads(arguments) if isinstance(arguments, str) else arguments
