//! Takes documents and values from one contract version to another.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Value, json};

use crate::contract::catalog::{Binding, binding};
use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Contract;
use crate::contract::versions::{VERSIONS, Version};
use crate::convert::losses::{Loss, LossLog, LossSeverity, in_order};
use crate::convert::versions::walk::{self, Walk};
use crate::convert::versions::{v0_1_to_v0_2, v0_2_to_v0_3};
use crate::errors::{Error, Finding, LossRefusal, clip_text};
use crate::json::documents::check_depth;
use crate::json::fields::same;
use crate::reading::read::{Mode, check, check_beside, into_type, read_plain};
use crate::reading::tolerant::{relax, unknown_places, unknown_values};
use crate::tables::losses::MIGRATION_LOSSES;

/// What a migration gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Migrated<T> {
    /// The value.
    pub value: T,
    /// What was lost, ordered by place; pointers lead into what was given.
    pub losses: Vec<Loss>,
    /// The version of the value.
    pub version: Version,
}

/// How a document is migrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MigrateOptions {
    /// The version to take it to; by default the latest.
    pub to: Version,
    /// The version to take it from. Only queue messages declare theirs.
    pub from: Option<Version>,
    /// Whether a migration that would lose something is refused.
    pub strict: bool,
}

/// Returns a JSON value of the type `name` (such as `message.Message`) as another version has it,
/// older or newer.
///
/// A document that is of the version already is given back as it is, once it was found valid.
///
/// Fails with [`Error::Read`] where it is not valid in its version; with [`Error::Migration`]
/// `migrate/version-mismatch` where it declares another version, and `migrate/lossy` where
/// [`strict`](MigrateOptions::strict) and something would be lost; with [`Error::Usage`] for a
/// type that a version does not have, and for a version that is neither given nor declared.
///
/// ```
/// use partwire::Version;
/// use partwire::convert::versions::{MigrateOptions, migrate};
/// use partwire::json;
///
/// # fn main() -> Result<(), partwire::Error> {
/// let delta = json!({
///     "kind": "text", "runId": "r", "turnId": "t", "seq": 1, "timestamp": "2026-01-02T03:04:05Z",
///     "payload": {"textDelta": "Hello"},
/// });
/// let options =
///     MigrateOptions { to: Version::V0_1, from: Some(Version::V0_2), ..Default::default() };
/// let older = migrate(&delta, "message.MessageDelta", &options)?;
/// assert_eq!(older.value.get("turnId"), None);
/// assert_eq!(older.losses[0].code, "turn-id");
/// # Ok(())
/// # }
/// ```
pub fn migrate(
    document: &Value,
    name: &str,
    options: &MigrateOptions,
) -> Result<Migrated<Value>, Error> {
    check_depth(document).map_err(Error::Read)?;
    let from = match options.from {
        Some(from) => from,
        None => version_of(document, name)?,
    };
    let bound = binding(name, from)?;
    check_valid(bound, document, &BTreeSet::new())?;
    moved(document, name, from, options.to, options.strict)
}

/// Returns a JSON value of the latest version for a reader of an older one; see [`migrate`].
///
/// For a stream of deltas use [`DeltaDowngrade`](crate::convert::versions::deltas::DeltaDowngrade), which keeps `seq` without
/// gaps.
pub fn downgrade(document: &Value, name: &str, to: Version) -> Result<Migrated<Value>, Error> {
    migrate(document, name, &MigrateOptions { to, from: Some(LATEST_VERSION), strict: false })
}

/// Returns a value of a generated type as that of another version; see [`migrate`].
///
/// What it holds of variants that its version does not know stays as it is. Fails with
/// [`Error::Usage`] where the two are not the same type.
pub fn migrate_value<S: Contract, T: Contract>(
    value: &S,
    strict: bool,
) -> Result<Migrated<T>, Error> {
    same_type::<S, T>()?;
    let plain = crate::json::to_value(value).map_err(|cause| {
        let message = format!("No JSON value: {cause}");
        Error::Read(vec![Finding::error("shape/type", "", &message)])
    })?;
    let made = migrate_read::<S>(&plain, T::VERSION, strict)?;
    Ok(Migrated { value: into_type(made.value)?, losses: made.losses, version: made.version })
}

/// Returns a value of any version as that of the current version. Going up loses nothing that the
/// older version knows.
pub fn upgrade_value<S: Contract, T: Contract>(value: &S) -> Result<T, Error> {
    if T::VERSION < S::VERSION {
        let message = "Upgrading leads to a newer version";
        return Err(Error::argument(message, S::VERSION.as_str(), &json!(T::VERSION.as_str())));
    }
    migrate_value(value, false).map(|made| made.value)
}

fn same_type<S: Contract, T: Contract>() -> Result<(), Error> {
    if S::TYPE == T::TYPE {
        return Ok(());
    }
    Err(Error::argument("The type is not that of the value", S::TYPE, &json!(T::TYPE)))
}

/// Migrates what reading gave, in which there may be variants of unknown tags.
pub(crate) fn migrate_read<S: Contract>(
    value: &Value,
    to: Version,
    strict: bool,
) -> Result<Migrated<Value>, Error> {
    check_depth(value).map_err(Error::Read)?;
    // A queue message that was read has the form of this version, whichever its sender writes.
    let declared = declared_version(value, S::TYPE).and_then(|name| name.parse::<Version>().ok());
    let from = declared.filter(|declared| *declared < S::VERSION).unwrap_or(S::VERSION);
    let bound = binding(S::TYPE, from)?;
    let (_, notes) = relax(&bound.room.schemas, bound.name, value.clone());
    let mut unknown = unknown_places(&notes);
    unknown.extend(unknown_values(&notes));
    check_valid(bound, value, &unknown)?;
    let made = moved(value, S::TYPE, from, to, strict)?;
    let how = if unknown.is_empty() { Mode::Strict } else { Mode::Tolerant };
    let (value, _) = read_plain(&made.value, binding(S::TYPE, to)?, how)?;
    Ok(Migrated { value, ..made })
}

fn check_valid(bound: Binding, value: &Value, unknown: &BTreeSet<String>) -> Result<(), Error> {
    let mut found = check_beside(bound, value, unknown);
    found.retain(Finding::is_error);
    if found.is_empty() { Ok(()) } else { Err(Error::Read(found)) }
}

fn moved(
    document: &Value,
    name: &str,
    from: Version,
    to: Version,
    strict: bool,
) -> Result<Migrated<Value>, Error> {
    binding(name, to)?;
    check_declared(document, name, from)?;
    let moves = path(from, to);
    for (step, is_up) in &moves {
        binding(name, if *is_up { step.new } else { step.old })?;
    }
    let (mut value, mut log) = (document.clone(), LossLog::new(MIGRATION_LOSSES));
    let mut ways = Vec::new();
    for (step, is_up) in moves {
        let made = step.run(value, name, is_up)?;
        for loss in made.losses {
            log.note(loss.code, origin(loss.pointer, &ways));
        }
        value = made.value;
        ways.push(made.origins);
    }
    let losses = in_order(log.losses);
    if strict {
        refuse_lossy(&losses)?;
    }
    Ok(Migrated { value, losses, version: to })
}

/// What leads from one version to the next, and back; what is not there is taken over as it is.
struct Step {
    old: Version,
    new: Version,
    up: fn(&str, Value) -> Value,
    down: walk::Step,
    /// Tells whether going down may change a document that the older version takes, too.
    changes: fn(&str, &Value) -> bool,
}

/// The steps from version to version, oldest first; a further version adds its own, and no more.
const STEPS: [Step; 2] = [
    Step {
        old: Version::V0_1,
        new: Version::V0_2,
        up: v0_1_to_v0_2::up,
        down: v0_1_to_v0_2::down,
        changes: v0_1_to_v0_2::changes,
    },
    Step {
        old: Version::V0_2,
        new: Version::V0_3,
        up: v0_2_to_v0_3::up,
        down: v0_2_to_v0_3::down,
        changes: v0_2_to_v0_3::changes,
    },
];

/// Returns the steps from one version to another, and whether they go up.
fn path(from: Version, to: Version) -> Vec<(&'static Step, bool)> {
    if from <= to {
        return STEPS.iter().filter(|each| from <= each.old && each.new <= to).map(up).collect();
    }
    STEPS.iter().rev().filter(|each| to <= each.old && each.new <= from).map(down).collect()
}

fn up(step: &'static Step) -> (&'static Step, bool) {
    (step, true)
}

fn down(step: &'static Step) -> (&'static Step, bool) {
    (step, false)
}

/// A document one version further: the losses have pointers into the one before, as have the values
/// of `origins`, by the pointers into `value`.
struct Moved {
    value: Value,
    losses: Vec<Loss>,
    origins: BTreeMap<String, String>,
}

impl Step {
    /// Returns a valid document as the neighbouring version has it, and what that lost.
    fn run(&self, value: Value, name: &str, is_up: bool) -> Result<Moved, Error> {
        let (from, to) = if is_up { (self.old, self.new) } else { (self.new, self.old) };
        let is_closed = is_closed(&value, binding(name, self.old)?);
        let (family, definition) = name.split_once('.').unwrap_or(("", name));
        let made = if is_closed && (is_up || !(self.changes)(family, &value)) {
            Moved { value, losses: Vec::new(), origins: BTreeMap::new() }
        } else {
            let mut walk = Walk::new(name, from, to, (!is_up).then_some(self.down))?;
            let value = walk.walk(&value, definition, "");
            let (losses, origins) = (in_order(walk.log.losses), walk.moved);
            if walk.has_no_place {
                refuse_lossy(&losses)?;
            }
            Moved { value, losses, origins }
        };
        Ok(if is_up { Moved { value: (self.up)(name, made.value), ..made } } else { made })
    }
}

/// Returns where something was before the moves that moved by `ways`, oldest first.
fn origin(mut pointer: String, ways: &[BTreeMap<String, String>]) -> String {
    for origins in ways.iter().rev().filter(|origins| !origins.is_empty()) {
        let (mut head, mut tail) = (pointer.as_str(), String::new());
        let before = loop {
            if let Some(before) = origins.get(head) {
                break before.as_str();
            }
            let Some((up, step)) = head.rsplit_once('/') else { break head };
            tail = format!("/{step}{tail}");
            head = up;
        };
        pointer = format!("{before}{tail}");
    }
    pointer
}

/// Tells whether a type takes `value`, and names all that is in it.
pub(crate) fn is_closed(value: &Value, bound: Binding) -> bool {
    check(bound, value).is_empty()
        && same(&relax(&bound.room.schemas, bound.name, value.clone()).0, value)
}

/// Returns the version that a queue message declares; None where nothing is declared.
pub(crate) fn declared_version<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    if name.starts_with("envelope.") { document.get("schema_version")?.as_str() } else { None }
}

fn version_of(document: &Value, name: &str) -> Result<Version, Error> {
    if let Some(declared) = declared_version(document, name) {
        return declared.parse();
    }
    let known: Vec<&str> = VERSIONS.iter().map(|version| version.as_str()).collect();
    let message = "The version of a plain value has to be named";
    let finding = Finding::error("usage/unknown-version", "", message);
    Err(Error::Usage(vec![finding.expected(known.join(", "))]))
}

fn check_declared(document: &Value, name: &str, from: Version) -> Result<(), Error> {
    match declared_version(document, name) {
        Some(declared) if declared != from.as_str() => {
            let message = "The message declares another version than it is to be taken from";
            let finding = Finding::error("migrate/version-mismatch", "/schema_version", message)
                .expected(from.as_str())
                .actual(clip_text(declared));
            Err(refused(vec![finding], Vec::new()))
        }
        _ => Ok(()),
    }
}

/// Fails with `migrate/lossy` if one of the losses is lossy.
fn refuse_lossy(losses: &[Loss]) -> Result<(), Error> {
    let lossy = losses.iter().filter(|loss| loss.severity == LossSeverity::Lossy);
    let found = lossy.map(|loss| {
        let message = format!("{} ({})", loss.detail, loss.code);
        Finding::error("migrate/lossy", &loss.pointer, &message)
    });
    let found: Vec<Finding> = found.collect();
    if found.is_empty() { Ok(()) } else { Err(refused(found, losses.to_vec())) }
}

fn refused(findings: Vec<Finding>, losses: Vec<Loss>) -> Error {
    Error::Migration(Box::new(LossRefusal { findings, losses }))
}
