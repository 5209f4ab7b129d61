//! A plain YAML list of texts, read from tokens and never constructed, so that there is nothing for
//! tags and aliases to do: what is not plain is refused where it begins.

mod chars;
mod properties;
mod scalars;
mod scanner;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;

use chars::YamlError;
use properties::Directive;
use scalars::Scalar;
use scanner::{Scanner, Token};

/// Why a text is no plain list.
pub(super) enum Refused {
    /// It is not YAML.
    NoYaml(String),
    /// It is YAML, but not plain; with the index of the item, if it is one.
    NotPlain(String, Option<usize>),
}

impl From<YamlError> for Refused {
    fn from(error: YamlError) -> Self {
        Self::NoYaml(error.0)
    }
}

/// An item of a list.
pub(super) struct Item {
    /// With U+FFFD for each half of a surrogate pair.
    pub(super) text: String,
    /// Whether an escape in it spells half of a surrogate pair.
    pub(super) half: bool,
}

// What YAML 1.1 takes a scalar without quotes for, when it is not for text.
const NO_TEXT: [&str; 9] = [
    "^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$",
    r"^[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?$",
    r"^\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?$",
    r"^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$",
    r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
    concat!(
        "^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+",
        "|[1-9][0-9_]*(?::[0-5]?[0-9])+)$",
    ),
    "^(?:<<|~|null|Null|NULL|=)$",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    concat!(
        r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?",
        r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?$",
    ),
];
// None, and no item is text, should one be no pattern.
static FORMS: LazyLock<Option<Vec<Regex>>> =
    LazyLock::new(|| NO_TEXT.iter().map(|form| Regex::new(form).ok()).collect());

/// Returns the items of a list.
pub(super) fn list_items(text: &str) -> Result<Vec<Item>, Refused> {
    let mut scanner = Scanner::new(text)?;
    let handles = begin_document(&mut scanner)?;
    let is_block = match scanner.peek()? {
        Token::BlockSequence => true,
        Token::FlowSequence => false,
        _ => return Err(Refused::NotPlain("Not a plain list".to_owned(), None)),
    };
    scanner.take()?;
    let mut items = Vec::new();
    loop {
        let index = items.len();
        let next =
            if is_block { block_entry(&mut scanner) } else { flow_entry(&mut scanner, index) };
        items.push(match next? {
            Next::End => break,
            Next::Empty => plain_text(Scalar::default(), index)?,
            Next::Node => node_text(&mut scanner, &handles, index)?,
        });
    }
    while matches!(scanner.peek()?, Token::DocumentEnd) {
        scanner.take()?;
    }
    if matches!(scanner.peek()?, Token::StreamEnd) {
        return Ok(items);
    }
    Err(Refused::NotPlain("Not a plain list alone".to_owned(), None))
}

/// Reads up to the document's content; returns the handles that its tags may have.
fn begin_document(scanner: &mut Scanner) -> Result<BTreeSet<String>, Refused> {
    let (mut handles, mut has_version) = (BTreeSet::new(), false);
    let mut has_marks =
        matches!(scanner.peek()?, Token::Directive(_) | Token::DocumentStart | Token::StreamEnd);
    while has_marks {
        match scanner.take()? {
            Token::Directive(Directive::Version(major)) => {
                if has_version || major.trim_start_matches('0') != "1" {
                    return Err(Refused::NoYaml(format!("found YAML {major}")));
                }
                has_version = true;
            }
            Token::Directive(Directive::Tag(handle)) => {
                if handles.contains(&handle) {
                    return Err(Refused::NoYaml(format!("found the tag handle {handle} twice")));
                }
                handles.insert(handle);
            }
            Token::Directive(Directive::Other) => {}
            Token::DocumentStart => has_marks = false,
            _ => return Err(Refused::NoYaml("expected the start of a document".to_owned())),
        }
    }
    handles.extend(["!".to_owned(), "!!".to_owned()]);
    Ok(handles)
}

enum Next {
    Node,
    Empty,
    End,
}

/// Reads up to the next item of a block.
fn block_entry(scanner: &mut Scanner) -> Result<Next, Refused> {
    match scanner.take()? {
        Token::BlockEntry => Ok(match scanner.peek()? {
            Token::BlockEntry | Token::BlockEnd => Next::Empty,
            _ => Next::Node,
        }),
        Token::BlockEnd => Ok(Next::End),
        _ => Err(Refused::NoYaml("expected the end of a block".to_owned())),
    }
}

/// Reads up to the next item between brackets.
fn flow_entry(scanner: &mut Scanner, index: usize) -> Result<Next, Refused> {
    if index > 0
        && !matches!(scanner.peek()?, Token::FlowSequenceEnd)
        && !matches!(scanner.take()?, Token::FlowEntry)
    {
        return Err(Refused::NoYaml("expected ',' or ']'".to_owned()));
    }
    match scanner.peek()? {
        Token::Key => Err(not_plain("A plain list has no mappings", index)),
        Token::FlowSequenceEnd => {
            scanner.take()?;
            Ok(Next::End)
        }
        _ => Ok(Next::Node),
    }
}

/// Returns the item that begins here; refuses what is no plain text.
fn node_text(
    scanner: &mut Scanner,
    handles: &BTreeSet<String>,
    index: usize,
) -> Result<Item, Refused> {
    match scanner.take()? {
        Token::Scalar(scalar) => plain_text(scalar, index),
        Token::Alias => Err(not_plain("A plain list has no aliases", index)),
        Token::Anchor => {
            if matches!(scanner.peek()?, Token::Tag(_)) {
                check_handle(scanner, handles)?;
            }
            Err(not_plain("A plain list has no anchors", index))
        }
        Token::Tag(handle) => {
            if matches!(scanner.peek()?, Token::Anchor) {
                scanner.take()?;
                scanner.peek()?;
            }
            known(handle, handles)?;
            Err(not_plain("A plain list has no tags", index))
        }
        Token::FlowSequence | Token::BlockSequence => {
            Err(not_plain("A plain list has no lists", index))
        }
        Token::FlowMapping | Token::BlockMapping => {
            Err(not_plain("A plain list has no mappings", index))
        }
        _ => Err(Refused::NoYaml("expected an item".to_owned())),
    }
}

/// Takes a tag behind an anchor, and looks at what both stand before.
fn check_handle(scanner: &mut Scanner, handles: &BTreeSet<String>) -> Result<(), Refused> {
    let Token::Tag(handle) = scanner.take()? else { return Ok(()) };
    scanner.peek()?;
    known(handle, handles)
}

fn known(handle: Option<String>, handles: &BTreeSet<String>) -> Result<(), Refused> {
    match handle {
        Some(handle) if !handles.contains(&handle) => {
            Err(Refused::NoYaml(format!("found the tag handle {handle}")))
        }
        _ => Ok(()),
    }
}

/// Returns the text of a scalar that is one, and not empty.
fn plain_text(scalar: Scalar, index: usize) -> Result<Item, Refused> {
    let Scalar { text, plain, half } = scalar;
    if text.is_empty() {
        return Err(not_plain("The item is empty", index));
    }
    let is_text = |forms: &Vec<Regex>| !forms.iter().any(|form| form.is_match(&text));
    if plain && !FORMS.as_ref().is_some_and(is_text) {
        let message = "YAML takes the item for something else than text; quote it";
        return Err(not_plain(message, index));
    }
    Ok(Item { text, half })
}

fn not_plain(message: &str, index: usize) -> Refused {
    Refused::NotPlain(message.to_owned(), Some(index))
}
