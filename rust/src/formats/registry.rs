//! The formats, by name: which there are, and what reads each.

use crate::convert::losses::Loss;
use crate::errors::{Error, Finding, clip_text};
use crate::formats::core::reading::{Context, Reading};
use crate::formats::core::source::Data;
use crate::formats::histories::anthropic::read_anthropic;
use crate::formats::histories::bedrock::read_bedrock;
use crate::formats::histories::cohere::read_cohere;
use crate::formats::histories::gemini::read_gemini;
use crate::formats::histories::openai_chat::read_chat;
use crate::formats::histories::openai_responses::read_responses;
use crate::json::{Map, Value};
use crate::tables::event_dialects::ALIASES;

/// A format: its name, and what it is for people.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// What [`read`](crate::formats::read) takes.
    pub name: &'static str,
    /// A line for people.
    pub title: &'static str,
    pub(super) read: Reader,
}

/// Reads a document; its messages and losses are in the reading.
type Reader = fn(&Value, &mut Reading) -> Result<(), Error>;

/// Every format that can be read, by name.
pub const FORMATS: &[Format] = &[
    Format {
        name: "anthropic-messages",
        title: "Anthropic Messages: a request, or its messages",
        read: read_anthropic,
    },
    Format {
        name: "bedrock-converse",
        title: "Amazon Bedrock Converse: a request, or its messages",
        read: read_bedrock,
    },
    Format {
        name: "cohere-v2",
        title: "Cohere Chat v2: a request, or its messages",
        read: read_cohere,
    },
    Format { name: "gemini", title: "Gemini: a request, or its contents", read: read_gemini },
    Format {
        name: "openai-chat",
        title: "OpenAI chat completions: a request, its messages, or an answer",
        read: read_chat,
    },
    Format {
        name: "openai-responses",
        title: "OpenAI Responses: a request, its items, or an answer",
        read: read_responses,
    },
];

/// Returns the format of a name or an alias; fails with [`Error::Usage`] `usage/unknown-format`.
fn format_named(name: &str) -> Result<&'static Format, Error> {
    let meant = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |&(_, to)| to);
    FORMATS.iter().find(|format| format.name == meant).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let finding = Finding::error("usage/unknown-format", "", "No such format");
        Error::Usage(vec![finding.expected(known.join(", ")).actual(clip_text(name))])
    })
}

/// Reads a document; fails as [`read`](crate::formats::read).
pub(super) fn reading_of(
    format: &str,
    data: Data<'_>,
    context: &Context,
) -> Result<Reading, Error> {
    let format = format_named(format)?;
    let mut reading = Reading::new(format.name, context)?;
    (format.read)(&*data.value()?, &mut reading)?;
    Ok(reading)
}

/// Returns what [`read`](crate::formats::read) does of JSON text, the messages as values that are
/// not validated.
pub fn read_values(
    format: &str,
    text: &[u8],
    context: &Context,
) -> Result<(Vec<Map>, Vec<Loss>), Error> {
    Ok(reading_of(format, text.into(), context)?.values())
}
