//! What may stand before a node or a document: anchors, tags and directives.

use crate::envelope::yaml::chars::{BLANK_OR_END, BREAKS, Chars, SPACE_OR_END, YamlError};

const WORD: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const URI: &str =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_;/?:@&=+$,.!~*'()[]";
const BEHIND_ANCHOR: &str = "?:,]}%@`";
const MOST_DIGITS: usize = 4300;

/// What a directive says.
pub(super) enum Directive {
    /// The major version of YAML, as digits.
    Version(String),
    /// The handle of a tag.
    Tag(String),
    /// Nothing that matters.
    Other,
}

/// Takes an anchor or an alias.
pub(super) fn take_anchor(chars: &mut Chars) -> Result<(), YamlError> {
    chars.take();
    let is_empty = chars.take_while(WORD).is_empty();
    if is_empty || !(chars.is_at(BLANK_OR_END) || chars.is_at(BEHIND_ANCHOR)) {
        return Err(chars.error("expected the name of an anchor"));
    }
    Ok(())
}

/// Takes a tag; returns its handle, if it has one.
pub(super) fn take_tag(chars: &mut Chars) -> Result<Option<String>, YamlError> {
    let mut handle = None;
    if chars.peek_at(1) == '<' {
        chars.take_many(2);
        take_uri(chars)?;
        expect(chars, '>')?;
    } else if chars.is_ahead(BLANK_OR_END, 1) {
        chars.take();
    } else {
        handle =
            Some(if has_handle(chars) { take_handle(chars)? } else { chars.take().to_string() });
        take_uri(chars)?;
    }
    if !chars.is_at(SPACE_OR_END) {
        return Err(chars.error("expected a space behind a tag"));
    }
    Ok(handle)
}

fn expect(chars: &mut Chars, char: char) -> Result<(), YamlError> {
    if chars.peek() != char {
        return Err(chars.error(&format!("expected '{char}'")));
    }
    chars.take();
    Ok(())
}

fn has_handle(chars: &Chars) -> bool {
    let mut ahead = 1;
    while !chars.is_ahead(SPACE_OR_END, ahead) {
        if chars.peek_at(ahead) == '!' {
            return true;
        }
        ahead += 1;
    }
    false
}

fn take_handle(chars: &mut Chars) -> Result<String, YamlError> {
    expect(chars, '!')?;
    if chars.peek() == ' ' {
        return Ok("!".to_owned());
    }
    let word = chars.take_while(WORD);
    expect(chars, '!')?;
    Ok(format!("!{word}!"))
}

fn take_uri(chars: &mut Chars) -> Result<(), YamlError> {
    let mut is_empty = true;
    loop {
        is_empty &= chars.take_while(URI).is_empty();
        if chars.peek() != '%' {
            break;
        }
        take_escapes(chars)?;
        is_empty = false;
    }
    if is_empty { Err(chars.error("expected a URI")) } else { Ok(()) }
}

fn take_escapes(chars: &mut Chars) -> Result<(), YamlError> {
    let mut bytes = Vec::new();
    while chars.peek() == '%' {
        chars.take();
        let digits = (0..2).all(|ahead| chars.peek_at(ahead).is_ascii_hexdigit());
        let byte = u8::from_str_radix(&chars.take_many(2), 16);
        match byte {
            Ok(byte) if digits => bytes.push(byte),
            _ => return Err(chars.error("expected an escape of two digits")),
        }
    }
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(chars.error("expected escapes of UTF-8")),
    }
}

/// Takes a directive with its line.
pub(super) fn take_directive(chars: &mut Chars) -> Result<Directive, YamlError> {
    chars.take();
    let name = chars.take_while(WORD);
    if name.is_empty() || !chars.is_at(SPACE_OR_END) {
        return Err(chars.error("expected the name of a directive"));
    }
    let said = match name.as_str() {
        "YAML" => Directive::Version(take_version(chars)?),
        "TAG" => Directive::Tag(take_tag_directive(chars)?),
        _ => {
            chars.take_until(BREAKS);
            Directive::Other
        }
    };
    chars.take_ignored_line()?;
    Ok(said)
}

fn take_version(chars: &mut Chars) -> Result<String, YamlError> {
    chars.take_while(" ");
    let major = take_number(chars)?;
    expect(chars, '.')?;
    take_number(chars)?;
    if !chars.is_at(SPACE_OR_END) {
        return Err(chars.error("expected a digit or ' '"));
    }
    Ok(major)
}

fn take_number(chars: &mut Chars) -> Result<String, YamlError> {
    let digits = chars.take_while("0123456789");
    // Of more digits no reader of the contract makes an integer.
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return Err(chars.error("expected a number"));
    }
    Ok(digits)
}

fn take_tag_directive(chars: &mut Chars) -> Result<String, YamlError> {
    chars.take_while(" ");
    let handle = take_handle(chars)?;
    if chars.peek() != ' ' {
        return Err(chars.error("expected ' '"));
    }
    chars.take_while(" ");
    take_uri(chars)?;
    if !chars.is_at(SPACE_OR_END) {
        return Err(chars.error("expected ' '"));
    }
    Ok(handle)
}
