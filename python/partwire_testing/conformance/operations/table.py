"""The operations of the protocol, run by partwire itself: a JSON input in, a JSON result out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..values import BadInput, Json
from .conversions import collect_chunks, convert_documents, convert_lines
from .documents import read_strictly, read_tolerantly, validate_document
from .envelopes import envelope
from .histories import check, repair
from .migrations import migrate_call
from .providers import adapt, encode
from .sessions import build, move_on
from .streams import assemble_lines

__all__ = ["OPERATIONS", "run_operation"]

OPERATIONS: Final[dict[str, Callable[[Json, str], Json]]] = {
    "validate": validate_document,
    "read": read_strictly,
    "read_tolerant": read_tolerantly,
    "assemble": assemble_lines,
    "transition": move_on,
    "check_history": check,
    "repair_history": repair,
    "convert": convert_documents,
    "convert_stream": convert_lines,
    "collect": collect_chunks,
    "adapt": adapt,
    "encode_request": encode,
    "build_session": build,
    "envelope": envelope,
    "migrate": migrate_call,
}
"""Name → the operation: input and contract version in, result out."""


def run_operation(operation: str, version: str, given: Json) -> Json:
    """Return the result of an operation; a refusal by the contract is a result too.

    Raises Skip where this installation cannot do it, BadInput for what is not input of the
    operation, and UsageError for a type, a version or an option that does not exist.
    """
    call = OPERATIONS.get(operation)
    if call is None:
        raise BadInput(f"no such operation: {operation}")
    return call(given, version)
