//! Texts at rest, one by one: stored records, or bare documents of one type.

use serde_json::Value;

use super::api::{MigrateOptions, declared_version, is_closed, migrate};
use super::stored::{migrate_record, read_record};
use crate::catalog::{Version, binding};
use crate::documents::decode_json;
use crate::error::{Error, Finding};
use crate::fields::same;
use crate::losses::Loss;

/// JSON text as the target version has it; the very text that was given if nothing changes.
#[derive(Clone, Debug, PartialEq)]
pub struct MigratedText {
    /// The text.
    pub text: Vec<u8>,
    /// What was lost; pointers lead into the text that was given.
    pub losses: Vec<Loss>,
}

/// Migrates JSON texts to one version; what is there already stays byte for byte.
#[derive(Clone, Debug)]
pub struct TextMigrator {
    to: Version,
    name: Option<String>,
    version: Option<Version>,
    declares: bool,
    strict: bool,
}

impl TextMigrator {
    /// Returns a migrator of stored records.
    #[must_use]
    pub fn of_records(to: Version, strict: bool) -> Self {
        Self { to, name: None, version: None, declares: false, strict }
    }

    /// Returns a migrator of bare documents of the type `name` and of `version`; queue messages
    /// declare their version, and need none.
    ///
    /// A bare document that has members which only `to` names has been migrated before, and stays.
    /// Fails with [`Error::Usage`] for a type that a version does not have, or a version that is
    /// not given.
    pub fn of_documents(
        to: Version,
        name: &str,
        version: Option<Version>,
        strict: bool,
    ) -> Result<Self, Error> {
        binding(name, to)?;
        let declares = name.starts_with("envelope.");
        if version.is_none() && !declares {
            let message = "Bare documents do not say their version";
            let finding = Finding::error("usage/invalid-argument", "", message);
            return Err(Error::Usage(vec![finding.expected("their version")]));
        }
        if let Some(version) = version {
            binding(name, version)?;
        }
        Ok(Self { to, name: Some(name.to_owned()), version, declares, strict })
    }

    /// Returns `text` at the target; losses have pointers into it.
    ///
    /// Fails with [`Error::Read`] and [`Error::Migration`] as [`migrate_record`].
    pub fn run(&self, text: &[u8]) -> Result<MigratedText, Error> {
        let value = decode_json(text)?;
        match &self.name {
            None => self.record(text, &value),
            Some(name) => self.bare(text, &value, name),
        }
    }

    fn record(&self, text: &[u8], value: &Value) -> Result<MigratedText, Error> {
        let record = read_record(value)?;
        let made = migrate_record(&record, self.to, self.strict)?;
        let stays = record.version == self.to;
        let text = if stays { text.to_vec() } else { written(&made.value.to_value()) };
        Ok(MigratedText { text, losses: made.losses })
    }

    fn bare(&self, text: &[u8], value: &Value, name: &str) -> Result<MigratedText, Error> {
        let stays = || MigratedText { text: text.to_vec(), losses: Vec::new() };
        let from = self.version_of(value, name);
        let options = MigrateOptions { to: self.to, from: Some(from), strict: self.strict };
        let made = match migrate(value, name, &options) {
            Ok(made) => made,
            Err(Error::Read(_) | Error::Migration(_))
                if from != self.to && self.is_at_target(value, name) =>
            {
                return Ok(stays());
            }
            Err(error) => return Err(error),
        };
        let has_unknown = made.losses.iter().any(|loss| loss.code == "unknown-member");
        if has_unknown && self.is_at_target(value, name) {
            return Ok(stays());
        }
        let text = if same(&made.value, value) { text.to_vec() } else { written(&made.value) };
        Ok(MigratedText { text, losses: made.losses })
    }

    /// Returns the version that a text is taken from: a queue message's own, if it is known.
    fn version_of(&self, value: &Value, name: &str) -> Version {
        let declared = declared_version(value, name).and_then(|declared| declared.parse().ok());
        declared.or(self.version).unwrap_or(self.to)
    }

    /// Tells whether a text is a document of the target, and all its members are the target's.
    fn is_at_target(&self, value: &Value, name: &str) -> bool {
        // A queue message says of which version it is.
        !self.declares && binding(name, self.to).is_ok_and(|bound| is_closed(value, bound))
    }
}

fn written(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
