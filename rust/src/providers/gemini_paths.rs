//! The paths of Gemini's streamed arguments: where in the arguments a piece belongs.

use std::fmt::Write;

use crate::providers::raw::Raw;
use crate::providers::raw_events::decode_event;
use crate::providers::raw_text::RawText;

const MAX_DEPTH: usize = 100;
const MAX_PATH: usize = 4096;
const MOST_DIGITS: usize = 6;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To a member.
    Name(RawText),
    /// To an item.
    Index(usize),
}

/// Returns the steps of a path below the root, the first of which is a name; None if it is none,
/// or too long or deep.
pub(crate) fn parse_path(path: &Raw) -> Option<Vec<Step>> {
    let path = path.text().filter(|path| path.chars() <= MAX_PATH)?;
    let points: Vec<u32> = path.points().collect();
    let mut rest = points.strip_prefix(&[u32::from('$')])?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_DEPTH {
            return None;
        }
        let (step, after) = named(rest).or_else(|| numbered(rest)).or_else(|| quoted(rest))?;
        steps.push(step);
        rest = after;
    }
    matches!(steps.first(), Some(Step::Name(_))).then_some(steps)
}

fn is(point: Option<&u32>, char: char) -> bool {
    point == Some(&u32::from(char))
}

/// Reads `.name`; `.*` on its own would be all members.
fn named(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('.')])?;
    let ends = |point: &u32| ['.', '[', ']', '\'', '"'].iter().any(|end| is(Some(point), *end));
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let is_all = name == [u32::from('*')].as_slice();
    let is_step_end = after.is_empty() || is(after.first(), '.') || is(after.first(), '[');
    if name.is_empty() || (is_all && is_step_end) {
        return None;
    }
    Some((Step::Name(RawText::of_points(name.to_vec())), after))
}

/// Reads `[0]`.
fn numbered(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('[')])?;
    let end = rest.iter().position(|point| is(Some(point), ']'))?;
    let (digits, after) = rest.split_at(end);
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let digit = |point: &u32| char::from_u32(*point)?.to_digit(10);
    let digits: Vec<u32> = digits.iter().map(digit).collect::<Option<_>>()?;
    let index = digits.iter().fold(0, |index, digit| index * 10 + digit);
    Some((Step::Index(usize::try_from(index).ok()?), after.get(1..)?))
}

/// Reads `["name"]` or `['name']`.
fn quoted(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('[')])?;
    let (&quote, rest) = rest.split_first()?;
    if !is(Some(&quote), '"') && !is(Some(&quote), '\'') {
        return None;
    }
    let mut text = String::from('"');
    let mut points = rest.iter();
    loop {
        let point = *points.next()?;
        if point == quote {
            break;
        }
        if is(Some(&point), '\\') {
            let escaped = char::from_u32(*points.next()?)?;
            // JSON does not know this one.
            if !(escaped == '\'' && is(Some(&quote), '\'')) {
                text.push('\\');
            }
            text.push(escaped);
        } else {
            match char::from_u32(point) {
                Some('"') => text.push_str("\\\""),
                Some(char) => text.push(char),
                // Half a character: as the escape that it has been.
                None => _ = write!(text, "\\u{point:04x}"),
            }
        }
    }
    text.push('"');
    let after = points.as_slice().strip_prefix(&[u32::from(']')])?;
    match decode_event(&text) {
        Some(Raw::Text(name)) => Some((Step::Name(name), after)),
        _ => None,
    }
}
