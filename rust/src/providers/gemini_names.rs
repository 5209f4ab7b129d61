//! Names as Gemini's REST API writes them.

use crate::providers::raw::{Raw, RawObject};
use crate::providers::raw_text::RawText;

const MAX_DEPTH: usize = 64;
// The user's own JSON.
const VERBATIM: [&str; 3] = ["args", "response", "part_metadata"];

/// Returns a copy of an event with names in camel case.
pub(crate) fn camel(event: &RawObject) -> RawObject {
    members_of(event, 0)
}

fn members_of(members: &RawObject, depth: usize) -> RawObject {
    let renamed = members.iter().map(|(name, member)| {
        let is_verbatim = VERBATIM.iter().any(|each| name == *each);
        let copy = if is_verbatim { member.clone() } else { value_of(member, depth + 1) };
        (camel_name(name), copy)
    });
    renamed.collect()
}

fn value_of(value: &Raw, depth: usize) -> Raw {
    match value {
        Raw::Array(items) if depth < MAX_DEPTH => {
            Raw::Array(items.iter().map(|item| value_of(item, depth + 1)).collect())
        }
        Raw::Object(members) if depth < MAX_DEPTH => members_of(members, depth).into(),
        other => other.clone(),
    }
}

/// Returns a name with `_a` as `A`.
fn camel_name(name: &RawText) -> RawText {
    let mut points = name.as_text().points().peekable();
    let mut made = Vec::new();
    while let Some(point) = points.next() {
        let next = points.peek().and_then(|next| char::from_u32(*next));
        let next = next.filter(|next| point == u32::from('_') && next.is_ascii_lowercase());
        if let Some(letter) = next {
            made.push(letter.to_ascii_uppercase().into());
            points.next();
        } else {
            made.push(point);
        }
    }
    RawText::of_points(made)
}
