//! The list of allowed tools in a prompt: JSON or YAML, from the author of the prompt.

use crate::json::Value;

use crate::envelope::is_space;
#[cfg(feature = "yaml")]
use crate::envelope::yaml::yaml_names;
use crate::errors::{Error, Finding, clip, clip_text};
use crate::json::documents::decode_json;

const MAX_CHARS: usize = 65_536;
pub(super) const NAME: &str = "the name of a tool, as text";

/// Returns the names in a list of allowed tools, in its order, as they are written.
///
/// `text` is a JSON list of strings, or a YAML one (`- name` lines or `[a, b]`), of at most 65,536
/// characters. YAML wants the feature `yaml`. Of YAML only plain lists are taken: no anchors,
/// aliases, tags, directives, further documents, tabs or control characters. An item is in quotes,
/// on one line, or it is a word: a letter, `_` or a character beyond ASCII, then such characters,
/// digits and `./:@+=~$()-`, without `:` at the end; none of `yes`, `no`, `true`, `false`, `on`,
/// `off` and `null` in any case. Quote all else. A block of Base64 goes through
/// [`decode_prompt_block`](crate::envelope::prompt_blocks::decode_prompt_block) first.
///
/// A name is what the contract lets a tool be called: any text but the empty one, blank text and
/// control characters too. The same name may be in the list twice, and comes twice.
///
/// Fails with [`Error::Read`] `envelope/allowed-tools`, or as reading JSON does; with
/// [`Error::Usage`] `usage/missing-extra` where the text is not JSON and the feature `yaml` is off.
/// The pointer leads to an item of JSON, or to the first `- ` item of YAML that is refused when its
/// lines are read alone; otherwise the list is refused as a whole. An error never is "all tools".
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
            let message = "The item is not a tool's name";
            Err(refusal(message, NAME, clip(&other), &format!("/{index}")))
        }
    });
    names.collect()
}

#[cfg(not(feature = "yaml"))]
fn yaml_names(text: &str) -> Result<Vec<String>, Error> {
    let message = "The list is not JSON, and reading YAML needs a feature";
    let finding = Finding::error("usage/missing-extra", "", message);
    Err(Error::Usage(vec![finding.expected("the feature yaml").actual(clip_text(text))]))
}

pub(super) fn refusal(message: &str, expected: &str, actual: String, pointer: &str) -> Error {
    let finding = Finding::error("envelope/allowed-tools", pointer, message);
    Error::Read(vec![finding.expected(expected).actual(actual)])
}
