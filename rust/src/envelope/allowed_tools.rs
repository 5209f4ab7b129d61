//! The list of allowed tools in a prompt, from whoever wrote the prompt.

use serde_json::Value;

use crate::documents::decode_json;
use crate::envelope::is_space;
use crate::error::{Error, Finding, clip, clip_text};

const MAX_CHARS: usize = 65_536;
const NAME: &str = "the name of a tool, as text";

/// Returns the names in a list of allowed tools, in its order, as they stand there.
///
/// `text` is a JSON list of strings, of at most 65,536 characters. A block of Base64 goes through
/// [`decode_prompt_block`](crate::envelope::decode_prompt_block) first. A name is what the contract
/// lets a tool be called: any text but the empty one. The same name may stand in the list twice,
/// and comes twice.
///
/// Fails with [`Error::Read`] `envelope/allowed-tools` (pointers lead into the list), or as reading
/// JSON does; and with [`Error::Usage`] `usage/missing-extra` where the text is no JSON: it may be a
/// list in YAML, which the crate does not read. An error never is "all tools". Source: requirements
/// S004-15.
pub fn parse_allowed_tools(text: &str) -> Result<Vec<String>, Error> {
    let count = text.chars().count();
    if count > MAX_CHARS {
        let expected = "at most 65,536 characters";
        return Err(refusal("The list is too long", expected, count.to_string(), ""));
    }
    if text.chars().all(is_space) {
        let message = "There is no list; one that allows nothing is []";
        return Err(refusal(message, "a list", clip_text(text), ""));
    }
    let items = match decode_json(text.as_bytes()) {
        Ok(Value::Array(items)) => items,
        Ok(other) => {
            let message = "The text is JSON, but no list";
            return Err(refusal(message, "a list of tool names", clip(&other), ""));
        }
        // Text that is too deep may be JSON or not.
        Err(error) if matches!(error.rule(), "document/invalid-json" | "document/too-deep") => {
            return Err(no_yaml(text));
        }
        Err(error) => return Err(error),
    };
    let names = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::String(name) if !name.is_empty() => Ok(name),
        other => {
            let message = "The item is no tool's name";
            Err(refusal(message, NAME, clip(&other), &format!("/{index}")))
        }
    });
    names.collect()
}

fn no_yaml(text: &str) -> Error {
    let message = "The list is no JSON, and YAML is not read";
    let finding = Finding::error("usage/missing-extra", "", message);
    Error::Usage(vec![finding.expected("a JSON list").actual(clip_text(text))])
}

fn refusal(message: &str, expected: &str, actual: String, pointer: &str) -> Error {
    let finding = Finding::error("envelope/allowed-tools", pointer, message);
    Error::Read(vec![finding.expected(expected).actual(actual)])
}
