//! Plain lists of YAML, by the parser of `saphyr`: read from its events and never constructed, so that
//! there is nothing for tags and aliases to do. What is taken is the part of YAML that the libraries
//! of three languages read alike.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::envelope::allowed_tools::{NAME, refusal};
use crate::errors::{Error, clip_text};

const LIST: &str = "one list of tool names";

/// Returns the names of a plain YAML list; refuses all else, an item where it is to blame.
pub(super) fn yaml_names(text: &str) -> Result<Vec<String>, Error> {
    if !is_portable(text) {
        let message =
            "Neither JSON nor plain YAML: a tab, a control character, a directive or '...'";
        return Err(refusal(message, LIST, clip_text(text), ""));
    }
    if is_nested(text) {
        let message = "A plain list has no lists or mappings";
        return Err(refusal(message, NAME, clip_text(text), "/0"));
    }
    let whole = match plain_list(text) {
        Ok(names) => return Ok(names),
        Err(message) => refusal(&message, LIST, clip_text(text), ""),
    };
    for (index, item) in item_texts(text).iter().enumerate() {
        if let Err(message) = plain_list(item) {
            return Err(refusal(&message, NAME, clip_text(item), &format!("/{index}")));
        }
    }
    Err(whole)
}

/// Tells whether all readers of YAML take characters and lines alike: no tabs and control
/// characters, no line ends but LF and CRLF, no directives, no mark of a document's end.
fn is_portable(text: &str) -> bool {
    let taken = |char| {
        matches!(char, '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{fefe}'
            | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
    };
    let is_content = |line: &str| !line.starts_with('%') && !line.starts_with("...");
    text.chars().all(taken)
        && !text.replace("\r\n", "\n").contains('\r')
        && text.split('\n').all(is_content)
}

/// Tells whether the first thing in a bracket is another.
fn is_nested(text: &str) -> bool {
    const BLANK: [char; 3] = [' ', '\r', '\n'];
    let inside = text.trim_start_matches(BLANK).strip_prefix('[');
    inside.is_some_and(|rest| rest.trim_start_matches(BLANK).starts_with(['[', '{']))
}

/// Returns the lines of each item of a block list, as far as they are a block list.
fn item_texts(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut list_indent = None;
    for line in text.replace("\r\n", "\n").split('\n') {
        let content = line.trim_start_matches(' ');
        let is_ignored = content.is_empty() || content.starts_with('#');
        if list_indent.is_none() {
            if is_ignored || content == "---" {
                continue;
            }
            if !content.starts_with('-') {
                break;
            }
        }
        let depth = line.len() - content.len();
        let indent = *list_indent.get_or_insert(depth);
        if depth == indent && (content == "-" || content.starts_with("- ")) {
            items.push(format!("{line}\n"));
        } else if let Some(item) = items.last_mut().filter(|_| is_ignored || depth > indent) {
            item.push_str(line);
            item.push('\n');
        } else {
            break;
        }
    }
    items
}

/// Returns the names of a plain YAML list; for any other text, why it is not.
fn plain_list(text: &str) -> Result<Vec<String>, String> {
    read_yaml_list(text)?.into_iter().map(name).collect()
}

/// Returns the name that an item is.
fn name(item: Item) -> Result<String, String> {
    let message = match item {
        Item { quoted: false, ref text, .. } if !is_words(text) => {
            "The item is not words, or not text in every YAML; quote it"
        }
        Item { quoted: false, one_line: false, ref text } if text.contains(' ') => {
            "The item ends on the line on which it begins, or is one word"
        }
        Item { ref text, .. } if text.is_empty() => "The item is empty",
        Item { quoted: true, one_line: false, .. } => "Quotes end on the line on which they begin",
        Item { text, .. } => return Ok(text),
    };
    Err(message.to_owned())
}

/// Tells whether what is behind a `-` makes it the name of an option.
fn is_option(rest: &str) -> bool {
    rest.strip_prefix('-').unwrap_or(rest).starts_with(|char: char| char.is_ascii_alphabetic())
}

/// Tells whether text without quotes is text in YAML 1.1 as in 1.2, in a block as between brackets:
/// words, with one space between two of them.
fn is_words(text: &str) -> bool {
    let begins = |char: char| char.is_ascii_alphabetic() || char == '_' || char > '\u{a0}';
    let goes_on =
        |char: char| begins(char) || char.is_ascii_digit() || "./:@+=~$()*-".contains(char);
    let not_text = ["yes", "no", "true", "false", "on", "off", "null"];
    text.starts_with(begins)
        && text.split(' ').all(|word| {
            !word.is_empty()
                && !word.ends_with(':')
                && word.chars().all(goes_on)
                && word.strip_prefix('-').is_none_or(is_option)
        })
        && !not_text.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// An item of a list.
struct Item {
    text: String,
    quoted: bool,
    /// Whether it ends on the line on which it begins.
    one_line: bool,
}

/// Returns the items of a text that is one list of scalars; for any other text, why it is not.
fn read_yaml_list(text: &str) -> Result<Vec<Item>, String> {
    let mut parser = Parser::new_from_str(text);
    let mut next = || match parser.next_event() {
        Some(Ok(event)) => Ok(event),
        Some(Err(error)) => Err(format!("Neither JSON nor YAML: {error}")),
        None => Err("Neither JSON nor YAML: the text ends".to_owned()),
    };
    let mut items = Vec::new();
    expect(&next()?.0, &Event::StreamStart)?;
    if !matches!(next()?.0, Event::DocumentStart(_)) {
        return Err("Not a plain list".to_owned());
    }
    expect(&next()?.0, &Event::SequenceStart(0, None))?;
    loop {
        match next()? {
            (Event::Scalar(text, style, 0, None), span) => items.push(Item {
                text: text.into_owned(),
                quoted: matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted),
                one_line: span.start.line() == span.end.line(),
            }),
            (Event::SequenceEnd, _) => break,
            _ => return Err("A plain list has nothing but names".to_owned()),
        }
    }
    expect(&next()?.0, &Event::DocumentEnd)?;
    expect(&next()?.0, &Event::StreamEnd)?;
    Ok(items)
}

fn expect(event: &Event, expected: &Event) -> Result<(), String> {
    if event == expected { Ok(()) } else { Err("Not a plain list alone".to_owned()) }
}
