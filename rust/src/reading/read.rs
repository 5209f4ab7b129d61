//! Read, validate and write documents of the contract.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Value;

use crate::contract::catalog::{Binding, binding};
use crate::contract::types::Contract;
use crate::contract::versions::Version;
use crate::errors::{Error, Finding};
use crate::json::documents::{check_depth, decode_json};
use crate::reading::explain::explain;
use crate::reading::tolerant::{
    items_of, parent_of, pointer_before, relax, relax_keeping, unknown_members_of, unknown_places,
    unknown_values, without_items,
};

/// How a document is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Unknown tags and enum values are refused.
    #[default]
    Strict,
    /// What a newer peer wrote is taken.
    Tolerant,
}

/// What reading gives: the value, and what was found that is not an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T> {
    /// The value.
    pub value: T,
    /// Warnings, in document order.
    pub findings: Vec<Finding>,
    /// Where tolerant reading has met enum values that this version does not know, by pointer: the
    /// safe defaults that they are dealt with as. The value has what came.
    pub defaults: BTreeMap<String, String>,
}

/// Returns all findings of a value: the verdict decides, the walk explains.
pub(crate) fn check(binding: Binding, value: &Value) -> Vec<Finding> {
    let found = explain(&binding.room.schemas, binding.name, value);
    #[cfg(feature = "validate")]
    if let Some(is_right) = binding.room.verdicts.of(binding.name, value) {
        return judged(binding, value, found, is_right);
    }
    found
}

/// Returns the findings as the verdict wants them: no test has met a value where they differ.
#[cfg(feature = "validate")]
fn judged(binding: Binding, value: &Value, found: Vec<Finding>, is_right: bool) -> Vec<Finding> {
    if is_right != found.iter().any(Finding::is_shape) {
        return found;
    }
    if is_right {
        return found.into_iter().filter(|each| !each.is_shape()).collect();
    }
    let wrong = Finding::error("shape/type", "", "Not of this type")
        .expected(format!("a {}", binding.name))
        .actual(crate::errors::clip(value));
    [vec![wrong], found].concat()
}

/// Returns all findings but those of the variants at `unknown`, which no rule looks at.
pub(crate) fn check_beside(
    binding: Binding,
    value: &Value,
    unknown: &BTreeSet<String>,
) -> Vec<Finding> {
    if unknown.is_empty() {
        return check(binding, value);
    }
    let schemas = &binding.room.schemas;
    let is_beside = |found: &Finding| {
        !unknown.contains(&found.pointer) && !unknown.contains(parent_of(&found.pointer))
    };
    let mut all = explain(schemas, binding.name, value);
    all.retain(|found| found.is_shape() && is_beside(found));
    // Rules that compare the items of an array hold for those that are known.
    let items = items_of(value, unknown);
    for mut each in explain(schemas, binding.name, &without_items(value, &items, "")) {
        if !each.is_shape() {
            each.pointer = pointer_before(&each.pointer, &items);
            all.push(each);
        }
    }
    all
}

/// Returns what is wrong with a document, JSON text, as a type such as `message.Message`.
///
/// Findings come in document order, errors and warnings; none means valid. Fails with
/// [`Error::Usage`] for a type that does not exist, never for a document.
pub fn validate(document: &[u8], name: &str, version: Version) -> Result<Vec<Finding>, Error> {
    let binding = binding(name, version)?;
    match decode_json(document) {
        Ok(value) => Ok(check(binding, &value)),
        Err(error) => Ok(error.findings().to_vec()),
    }
}

/// Returns what is wrong with a JSON value; see [`validate`].
pub fn validate_value(value: &Value, name: &str, version: Version) -> Result<Vec<Finding>, Error> {
    let binding = binding(name, version)?;
    Ok(check_depth(value).err().unwrap_or_else(|| check(binding, value)))
}

/// Reads a document, JSON text, strictly; what its type does not know is left out.
///
/// Fails with [`Error::Read`] and all findings.
pub fn read<T: Contract>(document: &[u8]) -> Result<T, Error> {
    typed(document, Mode::Strict).map(|reading| reading.value)
}

/// Reads a document, JSON text, as a newer peer may have written it, and says what was found.
///
/// An unknown enum value becomes the enum's `Unknown`, whose `or_safe_default` is what to act upon, a
/// variant of an unknown tag becomes [`Unknown`](crate::contract::types::Unknown), null for an optional member is absent; a known tag with a bad body
/// stays an error.
pub fn read_tolerant<T: Contract>(document: &[u8]) -> Result<Reading<T>, Error> {
    typed(document, Mode::Tolerant)
}

fn typed<T: Contract>(document: &[u8], mode: Mode) -> Result<Reading<T>, Error> {
    let binding = binding(T::TYPE, T::VERSION)?;
    let Reading { value, findings, defaults } = read_json(binding, decode_json(document)?, mode)?;
    Ok(Reading { value: into_type(value)?, findings, defaults })
}

/// Returns a checked value as its type; that a type refuses it is ruled out by tests.
pub(crate) fn into_type<T: Contract>(value: Value) -> Result<T, Error> {
    crate::json::from_value(value).map_err(|cause| Error::Read(vec![misfit(T::TYPE, &cause)]))
}

/// Returns a JSON value as a type, as [`read`] reads it.
pub(crate) fn read_as<T: Contract>(value: Value) -> Result<T, Error> {
    check_depth(&value).map_err(Error::Read)?;
    let binding = binding(T::TYPE, T::VERSION)?;
    into_type(read_json(binding, value, Mode::Strict)?.value)
}

fn misfit(name: &str, cause: &serde_json::Error) -> Finding {
    let message = format!("The type {name} does not take a value that its schema takes: {cause}");
    Finding::error("shape/type", "", &message)
}

/// Reads a document, JSON text, by the name of its type; the value is what would be written.
pub fn read_value(
    document: &[u8],
    name: &str,
    mode: Mode,
    version: Version,
) -> Result<Reading<Value>, Error> {
    let binding = binding(name, version)?;
    let Reading { value, findings, defaults } = read_json(binding, decode_json(document)?, mode)?;
    Ok(Reading { value: rewritten(binding, value)?, findings, defaults })
}

/// Returns pointers to the members of a document, JSON text, that its type does not name.
///
/// Reading leaves them out. The document need not be valid. A variant of an unknown tag is kept
/// whole: nothing in it counts. Fails with [`Error::Read`] for what is not JSON, and with
/// [`Error::Usage`] for a type that does not exist.
pub fn unknown_members(
    document: &[u8],
    name: &str,
    version: Version,
) -> Result<Vec<String>, Error> {
    let binding = binding(name, version)?;
    Ok(unknown_members_of(&binding.room.schemas, binding.name, decode_json(document)?))
}

/// Reads a JSON value that is not nested too deep.
pub(crate) fn read_json(
    binding: Binding,
    value: Value,
    mode: Mode,
) -> Result<Reading<Value>, Error> {
    let schemas = &binding.room.schemas;
    if mode == Mode::Strict {
        let findings = refused(check(binding, &value)).map_err(Error::Read)?;
        let value = relax(schemas, binding.name, value).0;
        return Ok(Reading { value, findings, defaults: BTreeMap::new() });
    }
    let (value, mut notes) = relax_keeping(schemas, binding.name, value);
    let (found, defaults) = check_relaxed(binding, &value, &notes);
    notes.extend(refused(found).map_err(Error::Read)?);
    Ok(Reading { value, findings: notes, defaults })
}

/// Returns the findings of a value that was relaxed keeping what it had, and the safe defaults that
/// its unknown enum values are dealt with as.
pub(crate) fn check_relaxed(
    binding: Binding,
    value: &Value,
    notes: &[Finding],
) -> (Vec<Finding>, BTreeMap<String, String>) {
    let (unknown, places) = (unknown_places(notes), unknown_values(notes));
    if places.is_empty() {
        return (check_beside(binding, value, &unknown), BTreeMap::new());
    }
    let taken = relax(&binding.room.schemas, binding.name, value.clone()).0;
    let default = |place: String| {
        let default = taken.pointer(&place)?.as_str()?.to_owned();
        Some((place, default))
    };
    (check_beside(binding, &taken, &unknown), places.into_iter().filter_map(default).collect())
}

/// Reads a JSON value; returns what would be written of it, and where the variants of unknown tags
/// are.
pub(crate) fn read_plain(
    value: &Value,
    binding: Binding,
    mode: Mode,
) -> Result<(Value, BTreeSet<String>), Error> {
    check_depth(value).map_err(Error::Read)?;
    let Reading { value, findings, .. } = read_json(binding, value.clone(), mode)?;
    Ok((rewritten(binding, value)?, unknown_places(&findings)))
}

fn rewritten(binding: Binding, value: Value) -> Result<Value, Error> {
    match (binding.room.family.rewrite)(binding.name, value) {
        Some(Ok(value)) => Ok(value),
        Some(Err(cause)) => Err(Error::Read(vec![misfit(binding.name, &cause)])),
        None => Err(Error::Read(vec![Finding::error("shape/type", "", "No such type")])),
    }
}

/// Splits findings that hold an error from those that do not.
pub(crate) fn refused(found: Vec<Finding>) -> Result<Vec<Finding>, Vec<Finding>> {
    if found.iter().any(Finding::is_error) { Err(found) } else { Ok(found) }
}

/// Returns `value` as the JSON value that is written.
///
/// Fails with [`Error::Write`] and the errors where it is not valid: types cannot say everything.
/// Warnings do not stop a document. An [`Unknown`](crate::contract::types::Unknown) is written as it came, and so is
/// an enum's `Unknown`.
pub fn to_value<T: Contract>(value: &T) -> Result<Value, Error> {
    let binding = binding(T::TYPE, T::VERSION)?;
    let plain = crate::json::to_value(value).map_err(|cause| {
        let message = format!("No JSON value: {cause}");
        Error::Write(vec![Finding::error("shape/type", "", &message)])
    })?;
    closed_beside(binding, &plain, unknown_values)
}

/// Returns a value without what its type does not know; fails with the errors.
pub(crate) fn closed(binding: Binding, value: &Value) -> Result<Value, Error> {
    closed_beside(binding, value, |_| BTreeSet::new())
}

/// Closes a value whose `kept` places, beside those of unknown variants, are not looked at.
fn closed_beside(
    binding: Binding,
    value: &Value,
    kept: impl Fn(&[Finding]) -> BTreeSet<String>,
) -> Result<Value, Error> {
    check_depth(value).map_err(Error::Write)?;
    let (made, notes) = relax_keeping(&binding.room.schemas, binding.name, value.clone());
    let mut places = unknown_places(&notes);
    places.extend(kept(&notes));
    let mut found = check_beside(binding, value, &places);
    found.retain(Finding::is_error);
    if found.is_empty() { Ok(made) } else { Err(Error::Write(found)) }
}

/// Returns `value` as JSON text; fails as [`to_value`].
pub fn dump<T: Contract>(value: &T) -> Result<Vec<u8>, Error> {
    Ok(to_value(value)?.to_string().into_bytes())
}
