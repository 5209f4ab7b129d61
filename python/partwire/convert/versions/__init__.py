"""Documents of one contract version as those of another, and which version two peers speak.

Sans-IO. Up a version nothing is lost that the older one knows; down, what the older version
cannot say is reported as losses. See docs/migrate.md.
"""

from partwire.tables.losses import MIGRATION_LOSSES

from .api import Migrated, downgrade, migrate, upgrade_value
from .deltas import DeltaDowngrade
from .errors import MigrationError
from .negotiation import NegotiationError, negotiate
from .steps import VERSIONS
from .stored import StoredRecord, load, migrate_record, read_record, store
from .texts import MigratedText, TextMigrator

__all__ = [
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
]
