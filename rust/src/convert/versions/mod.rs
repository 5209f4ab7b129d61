//! Documents of one contract version as those of another, and which version two peers speak.
//!
//! Up a version nothing is lost that the older one knows; down, what the older version cannot say
//! is reported as losses.

mod deltas;
pub(crate) mod migrate;
mod negotiation;
pub(crate) mod opaque_state;
mod parts_down;
mod stored;
mod stream_places;
mod v0_1_to_v0_2;
pub(crate) mod v0_2_to_v0_3;
mod walk;

pub use crate::tables::losses::MIGRATION_LOSSES;
pub use deltas::DeltaDowngrade;
pub use migrate::{MigrateOptions, Migrated, downgrade, migrate, migrate_value, upgrade_value};
pub use negotiation::{Offers, negotiate};
pub use stored::{
    CONTRACT, MigratedText, StoredRecord, TextMigrator, load, migrate_record, read_record, store,
    store_value,
};
