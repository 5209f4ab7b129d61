use serde_json::Value;

use crate::errors::Error;

const MIB: u64 = 1024 * 1024;
const MAX_SAFE: u64 = (1 << 53) - 1;
// A document may be nested 512 deep, and a message takes some of that.
const MAX_DEPTH: u64 = 500;

/// Upper bounds of one stream; a delta that would pass one is refused before it is kept.
///
/// Bytes are those of the text in UTF-8 and ids count code points, so that every language draws
/// the line at the same delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Text and thinking of the whole message.
    pub text_bytes: u64,
    /// Argument text of one tool call.
    pub arguments_bytes: u64,
    /// Tool calls of one message.
    pub tool_calls: u64,
    /// Parts of one message, open tool calls included.
    pub parts: u64,
    /// Nesting of one tool call's arguments; the object itself is 1.
    pub arguments_depth: u64,
    /// Length of an id: of a run, message, turn, request, tool call, and of a model's name.
    pub id_chars: u64,
    /// Opaque data of the whole message: its strings and names, and 8 bytes for each value.
    pub opaque_bytes: u64,
    /// Nesting of one opaque data; the object itself is 1.
    pub opaque_depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 16 * MIB,
            arguments_bytes: 16 * MIB,
            tool_calls: 1024,
            parts: 100_000,
            arguments_depth: 128,
            id_chars: 512,
            opaque_bytes: 16 * MIB,
            opaque_depth: 128,
        }
    }
}

impl Limits {
    /// Refuses a limit that is not a count: `usage/invalid-argument`.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let rows = [
            ("text_bytes", self.text_bytes, MAX_SAFE),
            ("arguments_bytes", self.arguments_bytes, MAX_SAFE),
            ("tool_calls", self.tool_calls, MAX_SAFE),
            ("parts", self.parts, MAX_SAFE),
            ("arguments_depth", self.arguments_depth, MAX_DEPTH),
            ("id_chars", self.id_chars, MAX_SAFE),
            ("opaque_bytes", self.opaque_bytes, MAX_SAFE),
            ("opaque_depth", self.opaque_depth, MAX_DEPTH),
        ];
        for (name, value, most) in rows {
            if value < 1 || value > most {
                let message = format!("The limit {name} is no count");
                let expected = format!("an integer from 1 to {most}");
                return Err(Error::argument(&message, &expected, &Value::from(value)));
            }
        }
        Ok(self)
    }
}
