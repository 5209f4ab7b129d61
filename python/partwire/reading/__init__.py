"""Reading, validating and writing documents: one pipeline, and what it is made of."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from ..contract.current.entrances import read as read
    from ..contract.current.entrances import read_with_findings as read_with_findings
    from .models import to_model as to_model
    from .models import to_struct as to_struct
    from .pipeline import Binding as Binding
    from .pipeline import Document as Document
    from .pipeline import Mode as Mode
    from .pipeline import ReadResult as ReadResult
    from .pipeline import SafeDefault as SafeDefault
    from .pipeline import Unknown as Unknown
    from .pipeline import binding_of as binding_of
    from .pipeline import dump as dump
    from .pipeline import read_value as read_value
    from .pipeline import to_wire as to_wire
    from .pipeline import unknown_members as unknown_members
    from .pipeline import validate as validate
    from .pipeline import validate_value as validate_value
    from .undeclared import find_unknown_members as find_unknown_members

_HOMES = {
    "models": (
        "to_model",
        "to_struct",
    ),
    "pipeline": (
        "Binding",
        "Document",
        "Mode",
        "ReadResult",
        "SafeDefault",
        "Unknown",
        "binding_of",
        "dump",
        "read",
        "read_value",
        "read_with_findings",
        "to_wire",
        "unknown_members",
        "validate",
        "validate_value",
    ),
    "undeclared": ("find_unknown_members",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
