//! What a delta says beside what its kind is for, and what no chunk can be made of.

use crate::error::{Error, clip};
use crate::message::assembler::MessageAssembler;
use crate::message::checks::invalid_delta;
use crate::reading::to_value;
use crate::v0_2::blocks::{ToolUseChunk, tags};
use crate::v0_2::message::MessageDelta;

/// Tells whether an id, a code or a reason says anything.
pub(crate) fn is_named(text: &str) -> bool {
    !matches!(text, "" | "unknown")
}

/// Returns the chunk of a call that has just ended, and whether its arguments were an object.
pub(crate) fn tool_use(
    assembler: &MessageAssembler,
    call_id: &str,
) -> Option<(ToolUseChunk, bool)> {
    let call = assembler.call(call_id)?;
    let closed = call.closed.as_ref()?;
    let chunk = ToolUseChunk {
        r#type: tags::ToolUse,
        tool_name: call.name.clone(),
        tool_use_id: call.id.clone(),
        parameters: closed.value.clone(),
    };
    Some((chunk, closed.error.is_none()))
}

/// Returns the code and place of each member that a delta has beside those of its kind.
pub(crate) fn beside(delta: &MessageDelta) -> Vec<(&'static str, &'static str)> {
    macro_rules! members {
        ($delta:ident, $opaque:expr) => {
            [
                ($delta.message_id.is_some(), "message-id", "messageId"),
                ($delta.turn_id.is_some(), "turn-id", "turnId"),
                ($delta.provider_raw.is_some(), "provider-raw", "providerRaw"),
                ($opaque, "opaque", "payload/opaque"),
            ]
        };
    }
    let members = match delta {
        MessageDelta::Start(delta) => members!(delta, false),
        MessageDelta::Text(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::Thinking(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallStart(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallArgs(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallEnd(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::Usage(delta) => members!(delta, false),
        MessageDelta::Done(delta) => members!(delta, false),
        MessageDelta::Error(delta) => members!(delta, false),
        MessageDelta::Unknown(_) => return Vec::new(),
    };
    members.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, code, at)| (code, at)).collect()
}

/// Refuses what the assembler lets pass, since it is checked when the message is written.
pub(crate) fn check(delta: &MessageDelta) -> Result<(), Error> {
    let seq = match delta {
        MessageDelta::Usage(delta) => delta.seq,
        MessageDelta::Error(delta) => delta.seq,
        _ => return Ok(()),
    };
    let Err(error) = to_value(delta) else {
        return Ok(());
    };
    let first = error.findings().first();
    let (pointer, message) = first.map_or(("", ""), |first| (&first.pointer, &first.message));
    let actual = serde_json::to_value(delta).map_or_else(|_| String::new(), |value| clip(&value));
    Err(invalid_delta(pointer, message, actual, Some(seq)))
}
