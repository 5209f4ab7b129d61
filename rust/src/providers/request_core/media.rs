//! Where the bytes of images, files and media are: inline, behind a URL, or with the provider.
//!
//! A `file_ref` holds a path "as producer and consumer agreed". An encoder opens nothing, so it
//! knows three kinds of paths: `data:` URLs, `http(s):` URLs, and ids of files that were uploaded to
//! the provider. The `ref` of a `media` part is a name in a store: of those three it can be such an
//! id only; the owner of the store resolves the others before.

use crate::json::Value;

use crate::json::base64::{decode as decode_base64, encode as encode_base64};
use crate::json::fields::Fields;
use crate::json::raw_text::is_space;
use crate::providers::request_core::values::stripped;
use crate::tables::media_types::IMAGES;

const DEFAULT_MIME: &str = "text/plain";

#[derive(Clone)]
enum Place {
    Data(String),
    Url(String),
    Path(String),
}

/// Bytes of an image or a file.
#[derive(Clone)]
pub(crate) struct Media {
    /// Lower case and without parameters, "" where it is not known.
    pub mime_type: String,
    /// The file's name, "" where nobody says it.
    pub name: String,
    /// The type of a media part as it was given.
    pub full_type: String,
    place: Place,
}

impl Media {
    /// Returns media; without a byte it leads nowhere, and no provider takes it.
    fn new(mime_type: String, place: Place) -> Self {
        let is_empty = matches!(&place, Place::Data(data) if data.is_empty());
        let place = if is_empty { Place::Path(String::new()) } else { place };
        Self { mime_type, name: String::new(), full_type: String::new(), place }
    }

    /// Returns the name of the file, which a provider wants where it is inline.
    pub(crate) fn file_name(&self) -> &str {
        match self.name.as_str() {
            "" if self.mime_type == "application/pdf" => "file.pdf",
            "" => "file",
            name => name,
        }
    }

    /// Base64, standard alphabet, padded, and not empty.
    pub(crate) fn data(&self) -> Option<&str> {
        if let Place::Data(data) = &self.place { Some(data) } else { None }
    }

    /// A URL of http or https.
    pub(crate) fn url(&self) -> Option<&str> {
        if let Place::Url(url) = &self.place { Some(url) } else { None }
    }

    /// Anything else: the provider's own file id, or what no provider can read, "" where there is
    /// nothing.
    pub(crate) fn path(&self) -> Option<&str> {
        if let Place::Path(path) = &self.place { Some(path) } else { None }
    }

    pub(crate) fn is_image(&self) -> bool {
        self.mime_type.starts_with("image/")
    }

    /// Whether this is a type of image that every provider of images reads.
    pub(crate) fn is_known_image(&self) -> bool {
        IMAGES.contains(&self.mime_type.as_str())
    }

    /// Whether this is an image of a type that few providers read.
    pub(crate) fn is_odd_image(&self) -> bool {
        self.is_image() && !self.is_known_image()
    }

    /// Whether this is audio or video.
    pub(crate) fn plays(&self) -> bool {
        self.mime_type.starts_with("audio/") || self.mime_type.starts_with("video/")
    }

    /// Returns what a finding says that this is: the type, else where it is.
    pub(crate) fn said(&self) -> String {
        let mime_type = &self.mime_type;
        match &self.place {
            Place::Path(place) if place.is_empty() => {
                format!("{} without bytes", if mime_type.is_empty() { "media" } else { mime_type })
            }
            Place::Url(place) | Place::Path(place) if mime_type.is_empty() => place.clone(),
            _ => mime_type.clone(),
        }
    }

    /// Returns inline data as a `data:` URL.
    pub(crate) fn data_url(&self) -> Option<String> {
        self.data().map(|data| format!("data:{};base64,{data}", self.mime_type))
    }

    /// Returns inline data as text, None if it is not UTF-8.
    pub(crate) fn text(&self) -> Option<String> {
        String::from_utf8(decode_base64(self.data().unwrap_or(""))?).ok()
    }
}

/// Returns where an image's bytes are.
pub(crate) fn image_media(payload: &Value) -> Media {
    let mime_type = plain_mime(payload.text("mimeType"));
    match payload.at("data").as_str() {
        Some(data) => Media::new(mime_type, Place::Data(data.to_owned())),
        None => located(payload.text("url"), mime_type),
    }
}

/// Returns where a file's bytes are.
pub(crate) fn file_media(payload: &Value) -> Media {
    located(payload.text("path"), plain_mime(payload.text("mimeType")))
}

/// Returns where the bytes of a media part are; a name that it has counts.
pub(crate) fn part_media(payload: &Value) -> Media {
    let (mime_type, source) = (plain_mime(payload.text("mimeType")), payload.at("source"));
    let mut media = match source.text("kind") {
        "inline" => Media::new(mime_type, Place::Data(source.text("data").to_owned())),
        "url" => located(source.text("url"), mime_type),
        "ref" => Media::new(mime_type, Place::Path(source.text("ref").to_owned())),
        // A source of a later version leads nowhere.
        _ => Media::new(mime_type, Place::Path(String::new())),
    };
    payload.text("mimeType").clone_into(&mut media.full_type);
    if !payload.text("name").is_empty() {
        payload.text("name").clone_into(&mut media.name);
    }
    media
}

/// Returns what a URL or path leads to; the media type that was given counts.
fn located(place: &str, mime_type: String) -> Media {
    if is_web(place) {
        return Media::new(mime_type, Place::Url(place.to_owned()));
    }
    inlined(place, &mime_type)
        .unwrap_or_else(|| Media::new(mime_type, Place::Path(place.to_owned())))
}

/// Returns what a `data:` URL holds, None where it is not one, or broken.
fn inlined(url: &str, mime_type: &str) -> Option<Media> {
    let (head, text) = after(url, "data:")?.split_once(',')?;
    let (found, parameters) = head.split_once(';').unwrap_or((head, ""));
    let parameters: Vec<&str> = parameters.split(';').map(stripped).collect();
    let is_base64 = parameters.last().is_some_and(|last| last.eq_ignore_ascii_case("base64"));
    let data = inline_data(text, is_base64)?;
    let name = parameters.iter().find_map(|each| after(each, "name="));
    let given = [mime_type.to_owned(), plain_mime(found)];
    let given = given.into_iter().find(|each| !each.is_empty());
    let mime_type = given.unwrap_or_else(|| DEFAULT_MIME.to_owned());
    let name = name.map(unquoted).unwrap_or_default();
    Some(Media { name, ..Media::new(mime_type, Place::Data(data)) })
}

fn after<'a>(text: &'a str, head: &str) -> Option<&'a str> {
    let (given, rest) = text.split_at_checked(head.len())?;
    given.eq_ignore_ascii_case(head).then_some(rest)
}

fn is_web(url: &str) -> bool {
    let Some(rest) = after(url, "http") else { return false };
    // The long s is an s where case is ignored.
    let rest = rest.strip_prefix(['s', 'S', '\u{17f}']).unwrap_or(rest);
    let host = rest.strip_prefix("://").and_then(|rest| rest.chars().next());
    host.is_some_and(|first| first != '/' && !is_space(first))
}

/// Returns the data of a `data:` URL as base64, None where it is broken.
fn inline_data(text: &str, is_base64: bool) -> Option<String> {
    if !is_base64 {
        return Some(encode_base64(&unquoted_bytes(text)));
    }
    let data: String = unquoted(text).chars().filter(|char| !is_space(*char)).collect();
    decode_base64(&data).map(|_| data)
}

fn unquoted(text: &str) -> String {
    String::from_utf8_lossy(&unquoted_bytes(text)).into_owned()
}

fn unquoted_bytes(text: &str) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut made = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let (b'%', [one, two, behind @ ..]) = (first, tail) {
            if let (Some(one), Some(two)) = (hex(*one), hex(*two)) {
                made.push(one * 16 + two);
                rest = behind;
                continue;
            }
        }
        made.push(*first);
    }
    made
}

fn plain_mime(mime_type: &str) -> String {
    stripped(mime_type.split(';').next().unwrap_or("")).to_lowercase()
}
