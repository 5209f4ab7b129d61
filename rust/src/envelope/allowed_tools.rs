//! The list of allowed tools in a prompt: JSON or YAML, from whoever wrote the prompt.

use serde_json::Value;

use crate::envelope::is_space;
use crate::envelope::yaml::{Refused, list_items};
use crate::errors::{Error, Finding, clip, clip_text};
use crate::json::documents::decode_json;

const MAX_CHARS: usize = 65_536;
const NAME: &str = "the name of a tool, as text";

/// Returns the names in a list of allowed tools, in its order, as they stand there.
///
/// `text` is a JSON list of strings, or a YAML one (`- name` lines or `[a, b]`), of at most 65,536
/// characters. Of YAML only plain lists are taken: no anchors, aliases, tags, further documents, or
/// items without quotes that YAML 1.1 takes for something else than text (`yes`, `1.0`,
/// `2025-07-15`, `12:30`, `=`: quote them); `y`, `n`, and what YAML 1.2 alone takes for a number
/// (`1e3`, `0o17`) are text. A block of Base64 goes through
/// [`decode_prompt_block`](crate::envelope::prompt_blocks::decode_prompt_block) first.
///
/// A name is what the contract lets a tool be called: any text but the empty one, blank text and
/// control characters too. The same name may stand in the list twice, and comes twice.
///
/// Fails with [`Error::Read`] `envelope/allowed-tools` (pointers lead into the list), or as reading
/// JSON does. An error never is "all tools". Source: requirements S004-15.
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
            return yaml_names(text);
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

fn yaml_names(text: &str) -> Result<Vec<String>, Error> {
    let items = list_items(text).map_err(|refused| match refused {
        Refused::NoYaml(said) => {
            let message = format!("Neither JSON nor YAML: {said}");
            refusal(&message, "a list", clip_text(text), "")
        }
        Refused::NotPlain(message, None) => {
            refusal(&message, "one list of tool names", clip_text(text), "")
        }
        Refused::NotPlain(message, Some(index)) => {
            refusal(&message, NAME, clip_text(text), &format!("/{index}"))
        }
    })?;
    // Escapes of YAML can spell halves of surrogate pairs, which stay halves side by side.
    let halves = items.iter().enumerate().filter(|(_, item)| item.half).map(|(index, item)| {
        let message = "A lone surrogate stands in the text";
        Finding::error("document/lone-surrogate", &format!("/{index}"), message)
            .expected("well-formed Unicode")
            .actual(clip_text(&item.text))
    });
    let halves: Vec<Finding> = halves.collect();
    if !halves.is_empty() {
        return Err(Error::Read(halves));
    }
    Ok(items.into_iter().map(|item| item.text).collect())
}

fn refusal(message: &str, expected: &str, actual: String, pointer: &str) -> Error {
    let finding = Finding::error("envelope/allowed-tools", pointer, message);
    Error::Read(vec![finding.expected(expected).actual(actual)])
}
