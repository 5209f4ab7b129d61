//! Data at rest: documents that say which contract, version and type they are of.
//!
//! `{"contract": "partwire", "version": "v0.2", "type": "message.Message", "data": …}`; the schema
//! is `schemas/stored-record.schema.json`.

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::types::Contract;
use crate::contract::versions::{VERSIONS, Version};
use crate::convert::losses::Loss;
use crate::convert::versions::migrate::{
    MigrateOptions, Migrated, declared_version, is_closed, migrate,
};
use crate::errors::{Error, Finding, clip};
use crate::json::documents::decode_json;
use crate::json::fields::{Fields, same};
use crate::reading::read::{Mode, closed, into_type, read_plain, to_value};

/// The contract of every record.
pub const CONTRACT: &str = "partwire";
const MEMBERS: [&str; 4] = ["contract", "version", "type", "data"];

/// A document with its type and version.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRecord {
    /// The version of the document.
    pub version: Version,
    /// The type of the document, such as `message.Message`.
    pub name: String,
    /// The document.
    pub data: Value,
}

impl StoredRecord {
    /// Returns the record as JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let Self { version, name, data } = self;
        json!({"contract": CONTRACT, "version": version.as_str(), "type": name, "data": data})
    }
}

/// Returns a value of a generated type as the JSON text of a stored record, on one line.
///
/// What is stored is valid. Fails with [`Error::Write`] and what is wrong with it.
pub fn store<T: Contract>(value: &T) -> Result<Vec<u8>, Error> {
    let data = to_value(value)?;
    let record = StoredRecord { version: T::VERSION, name: T::TYPE.to_owned(), data };
    Ok(record.to_value().to_string().into_bytes())
}

/// Returns a JSON value of the type `name` as the JSON text of a stored record; see [`store`].
pub fn store_value(value: &Value, name: &str, version: Version) -> Result<Vec<u8>, Error> {
    let data = closed(binding(name, version)?, value)?;
    let record = StoredRecord { version, name: name.to_owned(), data };
    Ok(record.to_value().to_string().into_bytes())
}

/// Returns the value of the current version that the JSON text of a record holds, migrated if need
/// be; fails as [`migrate_record`], and with [`Error::Usage`] where the record is of another type.
pub fn load<T: Contract>(record: &[u8]) -> Result<T, Error> {
    let record = migrate_record(&read_record(&decode_json(record)?)?, T::VERSION, false)?.value;
    if record.name != T::TYPE {
        return Err(Error::argument("The record is of another type", T::TYPE, &json!(record.name)));
    }
    let (value, _) = read_plain(&record.data, binding(T::TYPE, T::VERSION)?, Mode::Strict)?;
    into_type(value)
}

/// Returns a record as version `to` has it. Pointers of losses lead into the record.
///
/// Fails with [`Error::Read`] for a record of a type that a version does not have
/// (`migrate/invalid-record`), or that holds an invalid document, and with [`Error::Migration`] as
/// [`migrate`](crate::convert::versions::migrate::migrate).
pub fn migrate_record(
    record: &StoredRecord,
    to: Version,
    strict: bool,
) -> Result<Migrated<StoredRecord>, Error> {
    for version in [record.version, to] {
        check_type(&json!(record.name), version)?;
    }
    let options = MigrateOptions { to, from: Some(record.version), strict };
    let made = migrate(&record.data, &record.name, &options).map_err(inside)?;
    let losses = made.losses.into_iter().map(into_data).collect();
    let value = StoredRecord { version: to, name: record.name.clone(), data: made.value };
    Ok(Migrated { value, losses, version: to })
}

/// Returns a JSON value as record; its data is not looked into.
///
/// Fails with [`Error::Read`] `migrate/invalid-record` and `migrate/unknown-version`.
pub fn read_record(record: &Value) -> Result<StoredRecord, Error> {
    let Value::Object(members) = record else {
        return Err(invalid("No stored record", "", "an object", Some(record)));
    };
    for name in MEMBERS {
        if !members.contains_key(name) {
            return Err(invalid(
                &format!("{name} is missing"),
                "",
                &format!("a member {name}"),
                None,
            ));
        }
    }
    if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(invalid("Unknown member", "", &MEMBERS.join(" or "), Some(&json!(name))));
    }
    let contract = members.at("contract");
    if contract != CONTRACT {
        return Err(invalid("Of another contract", "/contract", CONTRACT, Some(contract)));
    }
    let given = members.at("version");
    let known = VERSIONS.iter().find(|version| given == version.as_str());
    let version = *known.ok_or_else(|| unknown_version(given))?;
    check_type(members.at("type"), version)?;
    let name = members.text("type").to_owned();
    Ok(StoredRecord { version, name, data: members.at("data").clone() })
}

fn unknown_version(given: &Value) -> Error {
    let known: Vec<&str> = VERSIONS.iter().map(|version| version.as_str()).collect();
    let message = "The record is of a version that is not known";
    let finding = Finding::error("migrate/unknown-version", "/version", message);
    Error::Read(vec![finding.expected(known.join(" or ")).actual(clip(given))])
}

fn check_type(name: &Value, version: Version) -> Result<(), Error> {
    let found = name.as_str().is_some_and(|name| binding(name, version).is_ok());
    let message = format!("No such type in {version}");
    let refusal = || invalid(&message, "/type", "a type such as message.Message", Some(name));
    if found { Ok(()) } else { Err(refusal()) }
}

fn into_data(mut loss: Loss) -> Loss {
    loss.pointer.insert_str(0, "/data");
    loss
}

fn inside(error: Error) -> Error {
    let moved =
        |finding: Finding| Finding { pointer: format!("/data{}", finding.pointer), ..finding };
    match error {
        Error::Read(found) => Error::Read(found.into_iter().map(moved).collect()),
        Error::Migration(mut refusal) => {
            refusal.findings = refusal.findings.into_iter().map(moved).collect();
            refusal.losses = refusal.losses.into_iter().map(into_data).collect();
            Error::Migration(refusal)
        }
        other => other,
    }
}

fn invalid(message: &str, pointer: &str, expected: &str, actual: Option<&Value>) -> Error {
    let finding = Finding::error("migrate/invalid-record", pointer, message).expected(expected);
    Error::Read(vec![Finding { actual: actual.map(clip), ..finding }])
}

// -------------------------------------------------------------------------------------------------
// Texts at rest, one by one: stored records, or bare documents of one type.

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
