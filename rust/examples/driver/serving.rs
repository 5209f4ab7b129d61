//! What the crate makes, which is of the latest version, for a reader of any version.

use partwire::Value;
use partwire::convert::versions::downgrade;
use partwire::{Error, LATEST_VERSION, Version};

/// Returns a value of a type of the latest version as `version` has it.
pub(crate) fn served(value: &Value, name: &str, version: Version) -> Result<Value, Error> {
    if version == LATEST_VERSION {
        return Ok(value.clone());
    }
    downgrade(value, name, version).map(|made| made.value)
}
