//! Messages as a history has them: of this peer or a newer one.
//!
//! A history is judged as a whole, so a message is refused only for its shape: what the contract
//! says of roles and tool calls, the history says itself, in its own rules.

use std::collections::HashMap;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::message::Message;
use crate::contract::schema::{Node, Op};
use crate::contract::versions::Version;
use crate::errors::{Error, Finding};
use crate::json::documents::decode_json;
use crate::reading::read::{check_relaxed, into_type, refused};
use crate::reading::tolerant::relax_keeping;

const REPORTED_BY_HISTORY: [&str; 4] = [
    "message/role-part-kind",
    "message/duplicate-approval",
    "message/duplicate-tool-call",
    "message/duplicate-tool-result",
];

/// Role → the kinds of parts that it may hold.
pub(crate) type Kinds = HashMap<String, Vec<String>>;

/// Returns what that version's Message declares of roles and kinds.
pub(crate) fn allowed_kinds(version: Version) -> Result<Kinds, Error> {
    let room = binding("message.Message", version)?.room;
    let Some(Node::Object(node)) = room.schemas.types.get("Message") else {
        return Ok(Kinds::new());
    };
    let tables = node.rules.iter().filter_map(|rule| match &rule.op {
        Op::TagTable { table, .. } => Some(table.clone()),
        _ => None,
    });
    Ok(tables.into_iter().next().unwrap_or_default())
}

/// Tells whether a role may not hold a kind; a kind that is new to that version is not judged.
pub(crate) fn is_misplaced(kinds: &Kinds, role: &str, kind: &str) -> bool {
    let holds = |row: &Vec<String>| row.iter().any(|each| each == kind);
    !kinds.get(role).is_some_and(holds) && kinds.values().any(holds)
}

/// Tells whether results of that version may say how the call came out.
pub(crate) fn has_outcome(version: Version) -> Result<bool, Error> {
    let room = binding("message.Message", version)?.room;
    let result = room.schemas.types.get("ToolResult");
    Ok(
        matches!(result, Some(Node::Object(node)) if node.members.iter().any(|each| each.name == "outcome")),
    )
}

/// Returns a message, read tolerantly, and what was found that is not an error; or the errors.
pub(crate) fn read_message(given: &[u8]) -> Result<(Message, Vec<Finding>), Vec<Finding>> {
    let all = |error: Error| error.findings().to_vec();
    let document = decode_json(given).map_err(all)?;
    let binding = binding("message.Message", LATEST_VERSION).map_err(all)?;
    let (relaxed, mut notes) = relax_keeping(&binding.room.schemas, binding.name, document);
    let (mut found, _) = check_relaxed(binding, &relaxed, &notes);
    found.retain(|each| !REPORTED_BY_HISTORY.contains(&each.rule.as_str()));
    notes.extend(refused(found)?);
    Ok((into_type(relaxed).map_err(all)?, notes))
}
