//! What a provider wants back with a part: checked, counted and kept.

use serde_json::Value;

use crate::error::Error;
use crate::message::checks::{check_name, limit_exceeded};
use crate::message::limits::Limits;
use crate::v0_2::message::Opaque;

const POINTER: &str = "/payload/opaque";
const VALUE_BYTES: u64 = 8;

/// An opaque member as it is kept, and what it counts.
pub(crate) struct Packed {
    pub opaque: Opaque,
    pub size: u64,
}

/// Returns `opaque` as it is kept; `left` is how much may still come.
///
/// Its size is that of its strings and names in UTF-8, and 8 bytes for each value: the same in
/// every language, however it writes numbers.
pub(crate) fn pack(opaque: &Opaque, left: u64, limits: &Limits, seq: u64) -> Result<Packed, Error> {
    check_name("/payload/opaque/provider", &opaque.provider, seq)?;
    let mut size = opaque.provider.len() as u64 + 2 * VALUE_BYTES;
    let data = Value::Object(opaque.data.clone());
    let mut level = vec![&data];
    let mut depth = 1;
    while !level.is_empty() {
        if depth > limits.opaque_depth {
            return Err(limit_exceeded("opaque_depth", limits.opaque_depth, seq, POINTER));
        }
        let mut below = Vec::new();
        for container in level {
            size += size_inside(container, &mut below);
            if size > left {
                return Err(limit_exceeded("opaque_bytes", limits.opaque_bytes, seq, POINTER));
            }
        }
        level = below;
        depth += 1;
    }
    Ok(Packed { opaque: opaque.clone(), size })
}

/// Returns the bytes of what stands right in a container; adds what is nested to `below`.
fn size_inside<'a>(container: &'a Value, below: &mut Vec<&'a Value>) -> u64 {
    let mut count = |member: &'a Value| {
        let text = match member {
            Value::String(text) => text.len() as u64,
            Value::Array(_) | Value::Object(_) => {
                below.push(member);
                0
            }
            _ => 0,
        };
        text + VALUE_BYTES
    };
    match container {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| name.len() as u64 + count(member)).sum()
        }
        _ => 0,
    }
}
