//! What an assembler accepts at most.

use crate::json::Value;

use crate::errors::Error;
pub use crate::tables::limits::Limits;
use crate::tables::limits::{DEFAULT_LIMITS, MAX_LIMIT_DEPTH};

const MAX_SAFE: u64 = (1 << 53) - 1;

impl Default for Limits {
    fn default() -> Self {
        DEFAULT_LIMITS
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
            ("arguments_depth", self.arguments_depth, MAX_LIMIT_DEPTH),
            ("id_chars", self.id_chars, MAX_SAFE),
            ("opaque_bytes", self.opaque_bytes, MAX_SAFE),
            ("opaque_depth", self.opaque_depth, MAX_LIMIT_DEPTH),
            ("payload_bytes", self.payload_bytes, MAX_SAFE),
            ("payload_depth", self.payload_depth, MAX_LIMIT_DEPTH),
            ("media_bytes", self.media_bytes, MAX_SAFE),
            ("agents", self.agents, MAX_SAFE),
        ];
        for (name, value, most) in rows {
            if value < 1 || value > most {
                let message = format!("The limit {name} is not a count");
                let expected = format!("an integer from 1 to {most}");
                return Err(Error::argument(&message, &expected, &Value::from(value)));
            }
        }
        Ok(self)
    }
}
