"""Conversions: between families of types, and between versions of the contract.

What a conversion loses is said as data, by code and place.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .families import CONVERSIONS as CONVERSIONS
    from .families import LOSSES as LOSSES
    from .families import BridgeError as BridgeError
    from .families import BridgeResult as BridgeResult
    from .families import Context as Context
    from .families import blocks_to_messages as blocks_to_messages
    from .families import convert as convert
    from .families import losses_for as losses_for
    from .families import messages_to_blocks as messages_to_blocks
    from .families import messages_to_session as messages_to_session
    from .families import response_to_tool_result as response_to_tool_result
    from .families import result_to_tool_result as result_to_tool_result
    from .families import session_to_messages as session_to_messages
    from .families import source_types as source_types
    from .families import tool_result_to_response as tool_result_to_response
    from .families import tool_result_to_result as tool_result_to_result
    from .versions import MIGRATION_LOSSES as MIGRATION_LOSSES
    from .versions import VERSIONS as VERSIONS
    from .versions import DeltaDowngrade as DeltaDowngrade
    from .versions import Migrated as Migrated
    from .versions import MigratedText as MigratedText
    from .versions import MigrationError as MigrationError
    from .versions import NegotiationError as NegotiationError
    from .versions import StoredRecord as StoredRecord
    from .versions import TextMigrator as TextMigrator
    from .versions import downgrade as downgrade
    from .versions import load as load
    from .versions import migrate as migrate
    from .versions import migrate_record as migrate_record
    from .versions import negotiate as negotiate
    from .versions import read_record as read_record
    from .versions import store as store
    from .versions import upgrade_value as upgrade_value

_HOMES = {
    "families": (
        "CONVERSIONS",
        "LOSSES",
        "BridgeError",
        "BridgeResult",
        "Context",
        "blocks_to_messages",
        "convert",
        "losses_for",
        "messages_to_blocks",
        "messages_to_session",
        "response_to_tool_result",
        "result_to_tool_result",
        "session_to_messages",
        "source_types",
        "tool_result_to_response",
        "tool_result_to_result",
    ),
    "versions": (
        "MIGRATION_LOSSES",
        "VERSIONS",
        "DeltaDowngrade",
        "Migrated",
        "MigratedText",
        "MigrationError",
        "NegotiationError",
        "StoredRecord",
        "TextMigrator",
        "downgrade",
        "load",
        "migrate",
        "migrate_record",
        "negotiate",
        "read_record",
        "store",
        "upgrade_value",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
