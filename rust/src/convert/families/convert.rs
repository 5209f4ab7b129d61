//! One function for all bridges: the source's type and the target's family choose.

use crate::json::Value;

use crate::contract::current::message::{Message, ToolResult};
use crate::contract::current::session::WithParts;
use crate::contract::current::{blocks as block_types, envelope as envelope_types};
use crate::contract::types::Contract;
use crate::convert::families::context::{Context, check_codes};
use crate::convert::families::conversion::{BridgeResult, Work, strictly};
use crate::convert::families::{blocks, envelope, from_session as session, to_session};
use crate::errors::{Error, Finding, LossRefusal, clip_text};
use crate::reading::read::into_type;

type Bridge = fn(&mut Work) -> Vec<Value>;

const BRIDGES: [Bridge; 8] = [
    to_session::messages_to_session,
    session::session_to_messages,
    blocks::messages_to_blocks,
    blocks::blocks_to_messages,
    envelope::tool_result_to_result,
    envelope::result_to_tool_result,
    envelope::tool_result_to_response,
    envelope::response_to_tool_result,
];

/// Source and target of every bridge. Of a family the first target that fits is meant.
pub const CONVERSIONS: [(&str, &str); 8] = [
    ("message.Message", "session.WithParts"),
    ("session.WithParts", "message.Message"),
    ("message.Message", "blocks.Message"),
    ("blocks.Message", "message.Message"),
    ("message.ToolResult", "envelope.ToolResult"),
    ("envelope.ToolResult", "message.ToolResult"),
    ("message.ToolResult", "envelope.ToolCallResponse"),
    ("envelope.ToolCallResponse", "message.ToolResult"),
];

/// How a document is converted.
#[derive(Debug, Default)]
pub struct ConvertOptions {
    /// Whether a loss that is lossy is refused.
    pub strict: bool,
    /// Codes of losses that are let through all the same.
    pub accept: Vec<String>,
    /// What the source cannot say.
    pub context: Context,
}

/// Returns the types that convert to a family or type, in order.
#[must_use]
pub fn source_types(to: &str) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for (source, target) in CONVERSIONS {
        if is_meant(target, to) && !found.contains(&source) {
            found.push(source);
        }
    }
    found
}

/// Returns a JSON value in another family, and what that loses.
///
/// `value` is a document of the type `source` (such as `message.Message`), or a list of them, which
/// then counts as one history. `to` is a family or a type. Messages, sessions and blocks give a
/// list, because one may become several; a single tool result gives one. Loss pointers lead into
/// `value`.
///
/// Fails with [`Error::Bridge`]: `bridge/unsupported`, and `bridge/lossy` where
/// [`strict`](ConvertOptions::strict) and a loss is lossy and its code is not accepted; with
/// [`Error::Read`]; and with [`Error::Usage`] `usage/invalid-argument` for a code, a name or a
/// value of the context that does not fit, needed or not.
pub fn convert(
    value: &Value,
    source: &str,
    to: &str,
    options: &ConvertOptions,
) -> Result<BridgeResult<Value>, Error> {
    check_codes(&options.accept)?;
    options.context.check_names()?;
    let rows = CONVERSIONS.into_iter().zip(BRIDGES);
    let is_asked =
        |((known, target), _): &((&str, &str), Bridge)| *known == source && is_meant(target, to);
    let Some(((_, target), bridge)) = rows.into_iter().find(is_asked) else {
        let refusal = LossRefusal { findings: vec![unsupported(source, to)], losses: Vec::new() };
        return Err(Error::Bridge(Box::new(refusal)));
    };
    let BridgeResult { value: made, losses } =
        run(value, source, target, bridge, &options.context)?;
    if options.strict {
        strictly(&losses, &options.accept)?;
    }
    let is_one =
        !value.is_array() && !source.ends_with(".Message") && source != "session.WithParts";
    let mut made = made.into_iter();
    let value = if is_one { made.next().unwrap_or_default() } else { made.collect() };
    Ok(BridgeResult { value, losses })
}

fn run(
    value: &Value,
    source: &str,
    target: &str,
    bridge: Bridge,
    context: &Context,
) -> Result<BridgeResult<Vec<Value>>, Error> {
    let mut work = Work::new(value, source, context)?;
    let made = bridge(&mut work);
    work.finish(made, target)
}

fn is_meant(target: &str, to: &str) -> bool {
    target == to || target.split('.').next() == Some(to)
}

fn unsupported(source: &str, to: &str) -> Finding {
    let finding = |message: &str| Finding::error("bridge/unsupported", "", message);
    let sources = source_types(to);
    if sources.is_empty() {
        let found = finding("No bridge leads to this family or type");
        return found.expected("session or message or blocks or envelope").actual(clip_text(to));
    }
    let targets: Vec<&str> =
        CONVERSIONS.iter().filter(|(known, _)| *known == source).map(|(_, to)| *to).collect();
    if targets.is_empty() {
        let message = format!("There is no bridge from {source}");
        return finding(&message).expected(sources.join(" or ")).actual(clip_text(source));
    }
    let message = format!("There is no bridge from {source} to {to}");
    finding(&message).expected(targets.join(" or ")).actual(clip_text(to))
}

/// Converts values of the generated types, which count as one history.
fn typed<S: Contract, T: Contract>(
    values: &[S],
    context: &Context,
    bridge: Bridge,
) -> Result<BridgeResult<Vec<T>>, Error> {
    let value = crate::json::to_value(values).map_err(|cause| {
        let message = format!("No JSON value: {cause}");
        Error::Read(vec![Finding::error("shape/type", "", &message)])
    })?;
    let BridgeResult { value, losses } = run(&value, S::TYPE, T::TYPE, bridge, context)?;
    let value = value.into_iter().map(into_type).collect::<Result<_, _>>()?;
    Ok(BridgeResult { value, losses })
}

macro_rules! bridges {
    ($($(#[$doc:meta])* $name:ident: $source:ty => $target:ty, $bridge:path;)*) => {
        $(
            $(#[$doc])*
            ///
            /// The values count as one history: a loss pointer begins with the index of one. Fails
            /// with [`Error::Read`] where a value is not valid, and with [`Error::Usage`] for a
            /// context that does not fit.
            pub fn $name(
                values: &[$source],
                context: &Context,
            ) -> Result<BridgeResult<Vec<$target>>, Error> {
                typed(values, context, $bridge)
            }
        )*
    };
}

bridges! {
    /// Returns messages as those of a session.
    ///
    /// Results are taken from the tool's messages right behind a call's message: repair a history
    /// in which they are elsewhere first ([`repair_history`](crate::repair_history)).
    messages_to_session: Message => WithParts, to_session::messages_to_session;
    /// Returns a session's messages as messages. An assistant's message whose calls have ended
    /// becomes two: the message and the tool's. A user's system prompt becomes a message before it.
    session_to_messages: WithParts => Message, session::session_to_messages;
    /// Returns messages as those of the family `blocks`.
    messages_to_blocks: Message => block_types::Message, blocks::messages_to_blocks;
    /// Returns messages of the family `blocks` as messages; one may give several.
    blocks_to_messages: block_types::Message => Message, blocks::blocks_to_messages;
    /// Returns tool results as those of envelopes; tool and time are the caller's.
    tool_result_to_result: ToolResult => envelope_types::ToolResult,
        envelope::tool_result_to_result;
    /// Returns tool results of envelopes as those of messages.
    result_to_tool_result: envelope_types::ToolResult => ToolResult,
        envelope::result_to_tool_result;
    /// Returns tool results as queue messages; their time and trace are the caller's, their ids
    /// come from [`Context::make_id`].
    tool_result_to_response: ToolResult => envelope_types::ToolCallResponse,
        envelope::tool_result_to_response;
    /// Returns queue messages as the tool results that they are.
    response_to_tool_result: envelope_types::ToolCallResponse => ToolResult,
        envelope::response_to_tool_result;
}
