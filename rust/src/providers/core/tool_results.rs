//! Results of tools that the provider ran: what anybody can read of them, and their data.
//!
//! Source: decision 0040.

use crate::json::Value;
use crate::json::raw::{Raw, RawObject, as_json_text, storable};
use crate::json::raw_text::{RawText, Text};

/// Members that only the provider can read begin so.
const SEALED: &str = "encrypted_";
const STREAMS: [[&str; 2]; 2] = [["stdout", "stderr"], ["stdOut", "stdErr"]];
const MAX_DEPTH: usize = 64;

/// Returns what a provider's value says: as text, and as data without what is sealed; null where
/// that says no more.
pub(crate) fn read_result(value: &Raw) -> (String, Value) {
    let data = unsealed(value, 0);
    let content = text_of(&data);
    let is_said = data.str() == Some(&content);
    (content, if is_said { Value::Null } else { storable(&data) })
}

/// Returns a copy of a value without its sealed members, as documents may hold it.
fn unsealed(value: &Raw, depth: usize) -> Raw {
    match value {
        Raw::Text(text) => Raw::Text(whole(text.as_text())),
        Raw::Array(_) | Raw::Object(_) if depth >= MAX_DEPTH => Raw::Null,
        Raw::Array(items) => {
            Raw::Array(items.iter().map(|item| unsealed(item, depth + 1)).collect())
        }
        Raw::Object(members) => {
            let kept =
                members.iter().filter(|(name, _)| !name.as_text().starts_with(SEALED.into()));
            let copies =
                kept.map(|(name, member)| (whole(name.as_text()), unsealed(member, depth + 1)));
            copies.collect::<RawObject>().into()
        }
        Raw::Float(number) if !number.is_finite() => Raw::Null,
        scalar => scalar.clone(),
    }
}

fn whole(text: Text<'_>) -> RawText {
    text.well_formed().into_owned().into()
}

fn text_of(data: &Raw) -> String {
    let text = match data {
        Raw::Null => Some(String::new()),
        Raw::Text(text) => Some(text.as_text().well_formed().into_owned()),
        Raw::Array(items) => of_blocks(items),
        Raw::Object(members) => of_object(members),
        _ => None,
    };
    text.unwrap_or_else(|| as_json_text(data))
}

/// Returns the code of an error, or what a program wrote.
fn of_object(data: &RawObject) -> Option<String> {
    if let Some(code) = data.get("error_code").str() {
        return Some(code.to_owned());
    }
    let written = STREAMS.map(|names| texts(data, &names));
    written.into_iter().find(|written| !written.is_empty()).map(|written| written.concat())
}

/// Returns the texts of blocks, joined, or a line for each page.
fn of_blocks(items: &[Raw]) -> Option<String> {
    let blocks: Vec<&RawObject> = items.iter().map(Raw::object).collect::<Option<_>>()?;
    let said: Vec<&str> = blocks.iter().filter_map(|block| block.get("text").str()).collect();
    if !said.is_empty() || items.is_empty() {
        return Some(said.concat());
    }
    let lines: Vec<String> = blocks
        .iter()
        .map(|page| {
            let mut words = texts(page, &["title", "url"]);
            words.retain(|word| !word.is_empty());
            words.join(" ")
        })
        .collect();
    lines.iter().all(|line| !line.is_empty()).then(|| lines.join("\n"))
}

fn texts<'a>(data: &'a RawObject, names: &[&str]) -> Vec<&'a str> {
    names.iter().filter_map(|name| data.get(name).str()).collect()
}
