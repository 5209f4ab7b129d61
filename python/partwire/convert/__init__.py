"""Conversions: between families of types, and between versions of the contract.

What a conversion loses is said as data, by code and place.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from ..contract.current.entrances import load as load
    from ..tables.losses import LOSSES as LOSSES
    from ..tables.losses import MIGRATION_LOSSES as MIGRATION_LOSSES
    from .families.blocks import blocks_to_messages as blocks_to_messages
    from .families.blocks import messages_to_blocks as messages_to_blocks
    from .families.context import Context as Context
    from .families.conversion import BridgeError as BridgeError
    from .families.conversion import BridgeResult as BridgeResult
    from .families.conversion import losses_for as losses_for
    from .families.convert import CONVERSIONS as CONVERSIONS
    from .families.convert import convert as convert
    from .families.convert import source_types as source_types
    from .families.envelope import response_to_tool_result as response_to_tool_result
    from .families.envelope import result_to_tool_result as result_to_tool_result
    from .families.envelope import tool_result_to_response as tool_result_to_response
    from .families.envelope import tool_result_to_result as tool_result_to_result
    from .families.from_session import session_to_messages as session_to_messages
    from .families.to_session import messages_to_session as messages_to_session
    from .versions.api import Migrated as Migrated
    from .versions.api import downgrade as downgrade
    from .versions.api import migrate as migrate
    from .versions.api import upgrade_value as upgrade_value
    from .versions.deltas import DeltaDowngrade as DeltaDowngrade
    from .versions.errors import MigrationError as MigrationError
    from .versions.negotiation import NegotiationError as NegotiationError
    from .versions.negotiation import negotiate as negotiate
    from .versions.steps import VERSIONS as VERSIONS
    from .versions.stored import StoredRecord as StoredRecord
    from .versions.stored import migrate_record as migrate_record
    from .versions.stored import read_record as read_record
    from .versions.stored import store as store
    from .versions.texts import MigratedText as MigratedText
    from .versions.texts import TextMigrator as TextMigrator

_HOMES = {
    ".tables.losses": (
        "LOSSES",
        "MIGRATION_LOSSES",
    ),
    "families.blocks": (
        "blocks_to_messages",
        "messages_to_blocks",
    ),
    "families.context": ("Context",),
    "families.conversion": (
        "BridgeError",
        "BridgeResult",
        "losses_for",
    ),
    "families.convert": (
        "CONVERSIONS",
        "convert",
        "source_types",
    ),
    "families.envelope": (
        "response_to_tool_result",
        "result_to_tool_result",
        "tool_result_to_response",
        "tool_result_to_result",
    ),
    "families.from_session": ("session_to_messages",),
    "families.to_session": ("messages_to_session",),
    "versions.api": (
        "Migrated",
        "downgrade",
        "migrate",
        "upgrade_value",
    ),
    "versions.deltas": ("DeltaDowngrade",),
    "versions.errors": ("MigrationError",),
    "versions.negotiation": (
        "NegotiationError",
        "negotiate",
    ),
    "versions.steps": ("VERSIONS",),
    "versions.stored": (
        "StoredRecord",
        "load",
        "migrate_record",
        "read_record",
        "store",
    ),
    "versions.texts": (
        "MigratedText",
        "TextMigrator",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
