"""``vocabulary.py``: what is data in the schemas, as data: open strings, enums, transitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from codegen import model as m
from codegen.targets.rules import literal
from codegen.write import banner

_HEAD = '''"""Vocabularies of the contract.

Open strings: the values that are known, and per string a helper that maps every other value to
the one that stands for "unknown". Enums: their values and safe defaults. Unions with states: the
transitions that are allowed. All by family and place (``Type`` or ``Type.property``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
'''


def generate(contract: m.Contract) -> dict[str, str]:
    """Return the one module."""
    found = collect(contract)
    parts = [
        banner(contract.version, contract.digest) + _HEAD,
        *(_table(name, kind, getattr(found, rows), doc) for name, kind, rows, doc in _TABLES),
        *(_helper(name, place) for name, place in helper_names(found.known).items()),
    ]
    return {"vocabulary.py": "\n".join(parts)}


def collect(contract: m.Contract) -> Vocabulary:
    """Return what is data in the schemas of a version."""
    found = Vocabulary()
    for place, node, definition in _places(contract):
        match node:
            case m.String() if node.unknown_value is not None:
                found.known[place] = node.known_values
                found.unknown[place] = node.unknown_value
            case m.Enum():
                found.enums[place] = node.values
                if node.safe_default is not None:
                    found.defaults[place] = node.safe_default
            case m.Union():
                found.tags[place] = (node.tag, tuple(value for value, _ in node.variants))
                if definition.transitions is not None:
                    found.transitions[place] = dict(definition.transitions)
    return found


@dataclass(slots=True)
class Vocabulary:
    """By place: ``family.Type`` or ``family.Type.member``."""

    known: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    tags: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    transitions: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)


# name in the module, type of a row, where the rows are, docstring
_TABLES = (
    ("KNOWN_VALUES", "tuple[str, ...]", "known", "Open string → its known values."),
    (
        "UNKNOWN_VALUES",
        "str",
        "unknown",
        "Open string → the value that stands for every other one.",
    ),
    ("ENUM_VALUES", "tuple[str, ...]", "enums", "Enum → values."),
    (
        "SAFE_DEFAULTS",
        "str",
        "defaults",
        "Enum → what tolerant reading takes an unknown value for; closed enums are not here.",
    ),
    ("TAGS", "tuple[str, tuple[str, ...]]", "tags", "Union → tag member and its values."),
    (
        "TRANSITIONS",
        "Mapping[str, tuple[str, ...]]",
        "transitions",
        "State union → state → the states that may follow.",
    ),
)


def _places(contract: m.Contract) -> Iterator[tuple[str, m.Node, m.TypeDef]]:
    """Yield every named type and every member with its own node, in order."""
    for family in contract.families.values():
        for definition in family.types.values():
            place = f"{family.name}.{definition.name}"
            yield place, definition.node, definition
            if isinstance(definition.node, m.Object):
                for prop in definition.node.properties:
                    yield f"{place}.{prop.name}", prop.node, definition


def _table(name: str, kind: str, rows: Mapping[str, object], doc: str) -> str:
    lines = [f"    {literal(place)}: {literal(value)}," for place, value in rows.items()]
    return "\n".join([f"{name}: Final[Mapping[str, {kind}]] = {{", *lines, "}", f'"""{doc}"""', ""])


def helper_names(places: Iterable[str]) -> dict[str, str]:
    """Return helper name → place: type and member, the family only where two would clash."""
    shorts = {place: m.snake(place.partition(".")[2].replace(".", "_")) for place in places}
    names: dict[str, str] = {}
    for place, short in shorts.items():
        alone = list(shorts.values()).count(short) == 1
        names[f"known_{short if alone else m.snake(place.replace('.', '_'))}"] = place
    return names


def _helper(name: str, place: str) -> str:
    return (
        f"\ndef {name}(value: str) -> str:\n"
        f'    """Return ``value`` if ``{place}`` knows it, else its unknown value."""\n'
        f'    return value if value in KNOWN_VALUES["{place}"] else UNKNOWN_VALUES["{place}"]\n'
    )
