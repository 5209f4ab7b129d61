//! Media as OpenAI's dialects have it: behind a URL, in a `data:` URL, as Base64, or by its id.

use crate::formats::core::members::Members;
use crate::formats::core::parts::{inline, part, url_part};
use crate::formats::core::reading::Reading;
use crate::json::base64;
use crate::json::fields::object;
use crate::json::raw_text::is_space;
use crate::json::{Value, fields};
use crate::providers::request_core::values::stripped;

const DATA: &str = "data:";
const DEFAULT: &str = "text/plain"; // of a data: URL that says no type
const UNKNOWN: &str = "application/octet-stream";
const SOUNDS: &[(&str, &str)] =
    &[("wav", "audio/wav"), ("mp3", "audio/mpeg"), ("pcm16", "audio/pcm")];

/// Returns the part of what a URL leads to, or holds. None for an empty or a broken one.
pub(crate) fn at_url(
    url: &str,
    place: &str,
    is_image: bool,
    name: Option<&str>,
    reading: &mut Reading,
) -> Option<Value> {
    if let Some(rest) = behind_data(url) {
        return held(rest, name);
    }
    if url.is_empty() {
        return None;
    }
    let mut part = url_part(url, place, is_image && name.is_none(), reading);
    if let (Some(name), Some(payload)) = (name, part.get_mut("payload")) {
        fields::put(payload, "name", name);
    }
    Some(part)
}

/// Returns what is behind the scheme of a `data:` URL.
fn behind_data(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_at_checked(DATA.len())?;
    scheme.eq_ignore_ascii_case(DATA).then_some(rest)
}

fn held(rest: &str, name: Option<&str>) -> Option<Value> {
    let (head, body) = rest.split_once(',')?;
    let (mime_type, rest) = head.split_once(';').unwrap_or((head, ""));
    let mut parameters: Vec<&str> =
        if head.contains(';') { rest.split(';').collect() } else { Vec::new() };
    let is_base64 = parameters.last().is_some_and(|last| stripped(last).to_lowercase() == "base64");
    let bytes = unquoted(body);
    let data = if is_base64 {
        parameters.pop();
        without_blanks(&String::from_utf8_lossy(&bytes))
    } else {
        base64::encode(&bytes)
    };
    let mime_type = stripped(mime_type);
    let mime_type = if mime_type.is_empty() { DEFAULT } else { mime_type };
    let kept: Vec<&str> = std::iter::once(mime_type).chain(parameters).collect();
    inline(&kept.join(";"), &data, name)
}

fn without_blanks(text: &str) -> String {
    text.split(is_space).collect()
}

/// Returns the bytes that text with percent signs stands for.
fn unquoted(text: &str) -> Vec<u8> {
    let mut made = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let byte = digit(0).zip(digit(1)).filter(|_| *first == b'%');
        let byte = byte.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        made.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    made
}

/// Returns the part of `{"data": …, "format": …}`.
pub(crate) fn sound(source: &mut Members<'_>) -> Option<Value> {
    let (data, name) = (source.some_text("data"), source.some_text("format"));
    let (data, name) = data.zip(name)?;
    let known = SOUNDS.iter().find(|(each, _)| *each == name);
    let mime_type = known.map_or_else(|| format!("audio/{name}"), |(_, known)| (*known).into());
    inline(&mime_type, &without_blanks(data), None)
}

/// Returns the part of a file: `file_data`, `file_url` or `file_id`, and `filename`.
pub(crate) fn stored_file(
    source: &mut Members<'_>,
    place: &str,
    reading: &mut Reading,
) -> Option<Value> {
    let (data, url) = (source.some_text("file_data"), source.some_text("file_url"));
    let (file_id, name) = (source.some_text("file_id"), source.some_text("filename"));
    let part = if let Some(data) = data {
        if let Some(rest) = behind_data(data) {
            held(rest, name)?
        } else {
            reading.note("mime-invented", place);
            inline(UNKNOWN, &without_blanks(data), name)?
        }
    } else if let Some(url) = url {
        at_url(url, place, false, name, reading)?
    } else {
        if name.is_some() && file_id.is_some() {
            reading.note("foreign-member", &source.at("filename"));
        }
        return file_id.map(|file_id| by_id(file_id, None));
    };
    if url.is_some() && data.is_some() {
        reading.note("foreign-member", &source.at("file_url"));
    }
    if file_id.is_some() {
        reading.note("foreign-member", &source.at("file_id"));
    }
    Some(part)
}

/// Returns the part of a file that the provider keeps under an id; nobody knows its type.
pub(crate) fn by_id(path: &str, mime_type: Option<&str>) -> Value {
    let mut payload = object([("path", path.into())]);
    if let Some(mime_type) = mime_type {
        payload.insert("mimeType", mime_type.into());
    }
    part("file_ref", payload)
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn percent_signs_are_read_where_digits_follow() {
        let rows: [(&str, &[u8]); 5] =
            [("a%20b", b"a b"), ("%fF", b"\xff"), ("%", b"%"), ("%2", b"%2"), ("%%41+", b"%A+")];
        for (text, bytes) in rows {
            assert_eq!(unquoted(text), bytes);
        }
    }
}
