//! Reads queue messages as the compatibility strategy asks for, and says what a document may be.

use std::borrow::Cow;

use crate::json::Value;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::schema::{Node, ObjectNode};
use crate::contract::types::{Contract, Map};
use crate::contract::versions::{VERSIONS, Version};
use crate::errors::{Error, Finding, clip_text};
use crate::json::documents::decode_json;
use crate::reading::read::{Mode, Reading, into_type, read_value};

/// The types of queue messages, in the order of their document.
pub const MESSAGE_TYPES: [&str; 9] = [
    "envelope.TaskEvent",
    "envelope.GetContextRequest",
    "envelope.PromptBlocksResponse",
    "envelope.ToolCallRequest",
    "envelope.ToolCallResponse",
    "envelope.ReportResultRequest",
    "envelope.EvaluationRequest",
    "envelope.EvaluationResponse",
    "envelope.RetryEvent",
];

const ENVELOPE: &str = "envelope.Envelope";

/// Returns the queue message in `data`, JSON text, and what was found that is not an error.
///
/// What comes back is a message of the current version, whatever its sender writes:
/// `schema_version` says what that is. The version is judged first, and what the message says that
/// it is, second: of one whose version cannot be read (`envelope/unsupported-version`), or that is
/// another message than the one asked for (`envelope/message-type-mismatch`), that is all that is
/// said. A newer version is noted (`envelope/newer-version`). Fails with [`Error::Read`].
pub fn parse<T: Contract>(data: &[u8], mode: Mode) -> Result<Reading<T>, Error> {
    let Reading { value, findings, defaults } = parse_value(T::TYPE, data, mode)?;
    Ok(Reading { value: into_type(value)?, findings, defaults })
}

/// Returns the queue message of a type of [`MESSAGE_TYPES`], with or without `envelope.`, or of
/// `Envelope` for the envelope of any message, as a JSON value; see [`parse`].
///
/// Fails with [`Error::Usage`] `usage/unknown-type` for any other type.
pub fn parse_value(name: &str, data: &[u8], mode: Mode) -> Result<Reading<Value>, Error> {
    let name = message_type(name)?;
    let document = declared_by(data);
    let said = |member: &str| document.get(member).and_then(Value::as_str);
    let declared = said("schema_version").filter(|declared| numbers(declared).is_some());
    let version = declared.map_or(Ok(LATEST_VERSION), |name| reading_version(name, mode))?;
    if name != ENVELOPE && knows_message_type(version)? {
        require_type(said("message_type"), &name)?;
    }
    // Of an older version all members are ours as well: what it is read as is a message of ours.
    let Reading { value, findings, defaults } = read_value(data, &name, mode, version)?;
    let newer = declared.filter(|declared| *declared != version.as_str()).map(|declared| {
        let message = format!("The sender writes by a newer version; read as {version}");
        Finding::of("envelope/newer-version", "/schema_version", &message)
            .expected(version.as_str())
            .actual(clip_text(declared))
    });
    Ok(Reading { value, findings: newer.into_iter().chain(findings).collect(), defaults })
}

/// Returns what a message says of itself; nothing where it cannot be read, for reading refuses what
/// is not JSON, or no object. Bytes in other members that are not UTF-8 do not matter here.
fn declared_by(data: &[u8]) -> Value {
    let text = String::from_utf8_lossy(data);
    let document = decode_json(text.as_bytes()).unwrap_or_default();
    let is_broken = |member: &str| {
        document.get(member).and_then(Value::as_str).is_some_and(|said| said.contains('\u{fffd}'))
    };
    let is_lossy = matches!(text, Cow::Owned(_));
    if is_lossy && (is_broken("schema_version") || is_broken("message_type")) {
        return Value::Null;
    }
    document
}

/// Returns the contract version by whose types a message of version `declared` is read.
///
/// Fails with [`Error::Read`] `envelope/unsupported-version`.
pub fn reading_version(declared: &str, mode: Mode) -> Result<Version, Error> {
    if let Some(known) = VERSIONS.iter().find(|version| version.as_str() == declared) {
        return Ok(*known);
    }
    let newest = VERSIONS.iter().filter_map(|version| numbers(version.as_str())).max();
    let newest = newest.unwrap_or_default();
    let message = match numbers(declared) {
        None => "This is not a version of the contract",
        Some(given) if given < newest => {
            "The sender writes by a version that is not read any more, and has to change"
        }
        Some((major, _)) if major > newest.0 => {
            "The sender writes by a newer contract: a newer partwire is needed to read it"
        }
        Some(_) if mode == Mode::Tolerant => return Ok(LATEST_VERSION),
        Some(_) => "The sender writes by a newer version, which strict reading does not take",
    };
    let known: Vec<&str> = VERSIONS.iter().map(|version| version.as_str()).collect();
    let newer =
        if mode == Mode::Tolerant { format!(", or a newer v{}", newest.0) } else { String::new() };
    let finding = Finding::error("envelope/unsupported-version", "/schema_version", message);
    let expected = known.join(" or ") + &newer;
    Err(Error::Read(vec![finding.expected(expected).actual(clip_text(declared))]))
}

/// Returns the types that a document, JSON text, may be; fails for text that is not JSON. See
/// [`sniff_value`].
pub fn sniff(document: &[u8]) -> Result<Vec<&'static str>, Error> {
    decode_json(document).map(|document| sniff_value(&document))
}

/// Returns the types that a JSON value may be, those that name the most of its members first.
///
/// One that says which message it is (`message_type`, since v0.2) is that alone, or nothing that is
/// known here. Of others a type fits if no member that it requires is missing; values are not
/// looked at, so that parsing can say what is wrong with them. Often several fit then: only where
/// such a document came from distinguishes them. None fits what is not a queue message.
#[must_use]
pub fn sniff_value(document: &Value) -> Vec<&'static str> {
    let Value::Object(members) = document else {
        return Vec::new();
    };
    if let Some(said) = said_type(members) {
        return MESSAGE_TYPES.into_iter().filter(|name| *name == said).collect();
    }
    let mut fits: Vec<(usize, &'static str)> = Vec::new();
    for name in MESSAGE_TYPES {
        let Ok(Some(node)) = object_of(name, LATEST_VERSION) else {
            continue;
        };
        let is_there = |name: &str| members.contains_key(name);
        if node.members.iter().all(|member| !member.required || is_there(&member.name)) {
            let named = node.members.iter().filter(|member| is_there(&member.name)).count();
            fits.push((named, name));
        }
    }
    fits.sort_by_key(|(named, _)| std::cmp::Reverse(*named));
    fits.into_iter().map(|(_, name)| name).collect()
}

/// Returns the type that a document names; None where it names none, or its version has none.
fn said_type(document: &Map) -> Option<String> {
    let said = document.get("message_type")?.as_str()?;
    let declared = document.get("schema_version").and_then(Value::as_str).unwrap_or("");
    match VERSIONS.iter().find(|version| version.as_str() == declared) {
        Some(version) if !knows_message_type(*version).unwrap_or(false) => None,
        _ => Some(format!("envelope.{said}")),
    }
}

/// Tells whether messages of a version may say which message they are.
fn knows_message_type(version: Version) -> Result<bool, Error> {
    let node = object_of(ENVELOPE, version)?;
    Ok(node.is_some_and(|node| node.members.iter().any(|member| member.name == "message_type")))
}

fn object_of(name: &str, version: Version) -> Result<Option<&'static ObjectNode>, Error> {
    let binding = binding(name, version)?;
    let node = binding.room.schemas.types.get(binding.name);
    Ok(match node.map(|node| binding.room.schemas.resolve(node)) {
        Some(Node::Object(node)) => Some(node),
        _ => None,
    })
}

/// Refuses a message that says that it is another one; what is not text, reading refuses.
fn require_type(said: Option<&str>, name: &str) -> Result<(), Error> {
    let wanted = name.strip_prefix("envelope.").unwrap_or(name);
    let Some(said) = said.filter(|said| *said != wanted) else {
        return Ok(());
    };
    let message = "The message says that it is another one than the one asked for";
    let finding = Finding::error("envelope/message-type-mismatch", "/message_type", message);
    Err(Error::Read(vec![finding.expected(wanted).actual(clip_text(said))]))
}

fn message_type(text: &str) -> Result<String, Error> {
    let name = format!("envelope.{}", text.strip_prefix("envelope.").unwrap_or(text));
    if name == ENVELOPE || MESSAGE_TYPES.contains(&name.as_str()) {
        return Ok(name);
    }
    let known: Vec<&str> =
        MESSAGE_TYPES.iter().filter_map(|name| name.strip_prefix("envelope.")).collect();
    let finding = Finding::error("usage/unknown-type", "", "No such queue message");
    Err(Error::Usage(vec![finding.expected(known.join(", ")).actual(clip_text(text))]))
}

/// Returns major and minor of a version; None for what is not a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        let is_number = (1..=6).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && (text == "0" || !text.starts_with('0'));
        if is_number { text.parse().ok() } else { None }
    };
    let (major, minor) = version.strip_prefix('v')?.split_once('.')?;
    Some((number(major)?, number(minor)?))
}
