//! Scalars of YAML: plain, quoted, and as blocks.

use crate::envelope::yaml::chars::{BLANK_OR_END, BREAKS, Chars, END, SPACE_OR_END, YamlError};

#[derive(Default)]
pub(super) struct Scalar {
    /// With U+FFFD for each half of a surrogate pair, which no Rust text can hold.
    pub(super) text: String,
    /// Whether it has no quotes: then it may be something else than text.
    pub(super) plain: bool,
    /// Whether an escape in it spells half of a surrogate pair.
    pub(super) half: bool,
}

// --- plain ---------------------------------------------------------------------------------------

/// Takes a scalar without quotes; tells too whether it ends at the beginning of a line.
pub(super) fn plain_scalar(chars: &mut Chars, indent: i64, in_flow: bool) -> (Scalar, bool) {
    let (mut text, mut spaces, mut at_line) = (String::new(), String::new(), false);
    while chars.peek() != '#' && !ends_plain(chars, in_flow) {
        text.push_str(&spaces);
        while !ends_plain(chars, in_flow) {
            text.push(chars.take());
        }
        (spaces, at_line) = plain_spaces(chars);
        if spaces.is_empty() || chars.peek() == '#' || (!in_flow && chars.column < indent) {
            break;
        }
    }
    (Scalar { text, plain: true, half: false }, at_line)
}

fn ends_plain(chars: &Chars, in_flow: bool) -> bool {
    let after_colon = || chars.is_ahead(BLANK_OR_END, 1) || (in_flow && chars.is_ahead(",[]{}", 1));
    chars.is_at(BLANK_OR_END)
        || (chars.peek() == ':' && after_colon())
        || (in_flow && chars.is_at(",?[]{}"))
}

/// Takes the spaces and breaks inside a plain scalar, and tells whether there are breaks; gives no
/// text where the scalar ends with them.
fn plain_spaces(chars: &mut Chars) -> (String, bool) {
    let spaces = chars.take_while(" ");
    let Some(first) = chars.take_break() else { return (spaces, false) };
    let mut breaks = String::new();
    loop {
        if chars.is_at_separator() {
            return (String::new(), true);
        }
        chars.take_while(" ");
        let Some(next) = chars.take_break() else { return (folded(first, breaks), true) };
        breaks.push(next);
    }
}

/// Returns what a line break and those behind it stand for.
fn folded(first: char, breaks: String) -> String {
    if first != '\n' {
        return format!("{first}{breaks}");
    }
    if breaks.is_empty() { " ".to_owned() } else { breaks }
}

// --- quoted --------------------------------------------------------------------------------------

/// Takes a scalar in quotes.
pub(super) fn quoted_scalar(chars: &mut Chars) -> Result<Scalar, YamlError> {
    let quote = chars.take();
    let mut scalar = Scalar::default();
    loop {
        let char = chars.peek();
        if char == '\'' && quote == '\'' && chars.peek_at(1) == '\'' {
            chars.take_many(2);
            scalar.text.push('\'');
        } else if char == quote {
            chars.take();
            return Ok(scalar);
        } else if char == '\\' && quote == '"' {
            take_escape(chars, &mut scalar)?;
        } else if BLANK_OR_END.contains(char) {
            scalar.text.push_str(&quoted_spaces(chars)?);
        } else {
            scalar.text.push(chars.take());
        }
    }
}

fn take_escape(chars: &mut Chars, scalar: &mut Scalar) -> Result<(), YamlError> {
    chars.take();
    let char = chars.peek();
    if let Some(stands_for) = escaped(char) {
        chars.take();
        scalar.text.push(stands_for);
        return Ok(());
    }
    let digits = match char {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ if chars.take_break().is_some() => {
            scalar.text.push_str(&quoted_breaks(chars)?);
            return Ok(());
        }
        _ => return Err(chars.error("found an unknown escape")),
    };
    chars.take();
    if !(0..digits).all(|ahead| chars.peek_at(ahead).is_ascii_hexdigit()) {
        return Err(chars.error(&format!("expected an escape of {digits} hexadecimal digits")));
    }
    match u32::from_str_radix(&chars.take_many(digits), 16) {
        Ok(0xd800..=0xdfff) => {
            scalar.half = true;
            scalar.text.push(char::REPLACEMENT_CHARACTER);
        }
        code => match code.ok().and_then(char::from_u32) {
            Some(char) => scalar.text.push(char),
            None => return Err(chars.error("found an escape beyond Unicode")),
        },
    }
    Ok(())
}

/// Returns what an escape of one character stands for.
fn escaped(char: char) -> Option<char> {
    Some(match char {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '\\' | '/' => char,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

fn quoted_spaces(chars: &mut Chars) -> Result<String, YamlError> {
    let spaces = chars.take_while(" \t");
    if chars.peek() == END {
        return Err(chars.error("found the end of the text in quotes"));
    }
    match chars.take_break() {
        None => Ok(spaces),
        Some(first) => Ok(folded(first, quoted_breaks(chars)?)),
    }
}

fn quoted_breaks(chars: &mut Chars) -> Result<String, YamlError> {
    let mut breaks = String::new();
    loop {
        // Indentation does not matter here, but documents do not end in quotes.
        if chars.is_at_separator() {
            return Err(chars.error("found a document separator in quotes"));
        }
        chars.take_while(" \t");
        let Some(next) = chars.take_break() else { return Ok(breaks) };
        breaks.push(next);
    }
}

// --- blocks --------------------------------------------------------------------------------------

/// Takes a literal or folded block; `outer` is the indentation of what holds it.
pub(super) fn block_scalar(chars: &mut Chars, outer: i64) -> Result<Scalar, YamlError> {
    let is_folded = chars.take() == '>';
    let (chomping, increment) = block_header(chars)?;
    chars.take_ignored_line()?;
    let least = (outer + 1).max(1);
    let (mut breaks, indent) = if let Some(increment) = increment {
        let indent = least + increment - 1;
        (block_breaks(chars, indent), indent)
    } else {
        let (breaks, most) = block_indentation(chars);
        (breaks, least.max(most))
    };
    let is_inside = |chars: &Chars| chars.column == indent && chars.peek() != END;
    let (mut text, mut ending) = (String::new(), None);
    while is_inside(chars) {
        let leads = !chars.is_at(" \t");
        text.push_str(&breaks);
        text.push_str(&chars.take_until(BREAKS));
        ending = chars.take_break();
        breaks = block_breaks(chars, indent);
        if !is_inside(chars) {
            break;
        }
        if !(is_folded && ending == Some('\n') && leads && !chars.is_at(" \t")) {
            text.extend(ending);
        } else if breaks.is_empty() {
            text.push(' ');
        }
    }
    if chomping != Some('-') {
        text.extend(ending);
    }
    if chomping == Some('+') {
        text.push_str(&breaks);
    }
    Ok(Scalar { text, plain: false, half: false })
}

/// Takes the indicators of a block, in either order: its chomping and its further indentation.
fn block_header(chars: &mut Chars) -> Result<(Option<char>, Option<i64>), YamlError> {
    let mut chomping = chars.is_at("+-").then(|| chars.take());
    let digit = chars.peek().to_digit(10).map(i64::from);
    if digit.is_some() {
        chars.take();
    }
    if digit == Some(0) {
        return Err(chars.error("expected an indentation from 1 to 9"));
    }
    if chomping.is_none() && digit.is_some() {
        chomping = chars.is_at("+-").then(|| chars.take());
    }
    if !chars.is_at(SPACE_OR_END) {
        return Err(chars.error("expected indicators of a block"));
    }
    Ok((chomping, digit))
}

/// Takes empty lines, and finds the deepest indentation among them and the line behind them.
fn block_indentation(chars: &mut Chars) -> (String, i64) {
    let (mut breaks, mut most) = (String::new(), 0);
    loop {
        if chars.peek() == ' ' {
            chars.take();
            most = most.max(chars.column);
        } else if let Some(next) = chars.take_break() {
            breaks.push(next);
        } else {
            return (breaks, most);
        }
    }
}

fn block_breaks(chars: &mut Chars, indent: i64) -> String {
    let mut breaks = String::new();
    loop {
        while chars.column < indent && chars.peek() == ' ' {
            chars.take();
        }
        let Some(next) = chars.take_break() else { return breaks };
        breaks.push(next);
    }
}
