//! Documents of one contract version as those of another, and which version two peers speak.
//!
//! Up a version nothing is lost that the older one knows; down, what the older version cannot say
//! is reported as losses.

mod api;
mod deltas;
mod losses_table;
mod media;
mod message_down;
mod negotiation;
mod opaque_state;
mod parts_down;
mod state_places;
mod stored;
mod texts;
mod v0_1_to_v0_2;
mod walking;

pub use api::{MigrateOptions, Migrated, downgrade, migrate, migrate_value, upgrade_value};
pub use deltas::DeltaDowngrade;
pub use losses_table::MIGRATION_LOSSES;
pub use negotiation::{Offers, negotiate};
pub(crate) use opaque_state::whole_number;
pub use stored::{CONTRACT, StoredRecord, load, migrate_record, read_record, store, store_value};
pub use texts::{MigratedText, TextMigrator};
