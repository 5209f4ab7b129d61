//! Messages of an AWS event stream → raw events of an adapter.
//!
//! `:event-type` names the event, and the payload is its body: `{"<event-type>": <payload>}`, as
//! AWS's own clients give it. A `chunk` carries an event of the model's own format, in Base64. An
//! exception and an error of the stream are in the headers: whatever the dialect, they end it.

use crate::contract::current::message::MessageDelta;
use crate::errors::Error;
use crate::json::base64::encode;
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_reader::decode_event;
use crate::providers::bedrock::blocks::single;
use crate::providers::core::adapter::ProviderAdapter;
use crate::providers::core::dialect::chunk_text;
use crate::providers::framing::eventstream::{EventStreamMessage, HeaderValue};

/// Feeds one message to an adapter; returns its deltas.
///
/// Fails with `framing/invalid-utf8` for a payload that is not UTF-8.
pub(crate) fn feed_frame(
    adapter: &mut ProviderAdapter,
    message: &EventStreamMessage,
) -> Result<Vec<MessageDelta>, Error> {
    if !message.terminated {
        return Ok(adapter.feed_torn());
    }
    let header = |name: &str| message.headers.get(name);
    let is = |kind: &str| header(":message-type") == Some(&HeaderValue::Text(kind.to_owned()));
    let given = |name: &str, of: fn(&HeaderValue) -> Raw| header(name).map_or(Raw::Null, of);
    if header(":exception-type").is_some() || is("exception") {
        let text = text_of(message)?;
        let error = |of| exception(given(":exception-type", of), text);
        return Ok(adapter.feed_error_shown(&error(raw_of), &error(shown_of)));
    }
    if header(":error-code").is_some() || is("error") {
        let error = |of| {
            let members = [("code", ":error-code"), ("message", ":error-message")];
            let members = members.map(|(name, header)| (name, given(header, of)));
            members.into_iter().collect::<RawObject>().into()
        };
        return Ok(adapter.feed_error_shown(&error(raw_of), &error(shown_of)));
    }
    let name = if let Some(HeaderValue::Text(name)) = header(":event-type") { name } else { "" };
    let text = text_of(message)?;
    let value =
        if text.is_empty() { Some(RawObject::default().into()) } else { decode_event(text) };
    let Some(value) = value else {
        return Ok(adapter.feed_text(text, ""));
    };
    if name == "chunk" {
        if let Some(inner) = chunk_text(&value) {
            return Ok(adapter.feed_text(&inner, ""));
        }
    }
    Ok(adapter.feed(single(&name.into(), &value)))
}

/// Returns the error object of an exception: its name as the code, and what it says.
fn exception(name: Raw, text: &str) -> Raw {
    let value = if text.is_empty() { Some(Raw::Null) } else { decode_event(text) };
    let mut error: RawObject = [("code", name)].into_iter().collect();
    match value {
        Some(Raw::Object(body)) => {
            let words = body.find("message").unwrap_or_else(|| body.get("Message"));
            error.set("message", words.clone());
            if let Some(status) = body.find("originalStatusCode") {
                error.set("status", status.clone());
            }
        }
        _ if text.is_empty() => error.set("message", Raw::Null),
        _ => error.set("message", text.into()),
    }
    error.into()
}

fn raw_of(value: &HeaderValue) -> Raw {
    match value {
        HeaderValue::Bool(is) => Raw::Bool(*is),
        HeaderValue::Integer(number) => Raw::Int((*number).into()),
        HeaderValue::Text(text) => text.as_str().into(),
        // Bytes are not a name: they say only that there is something.
        HeaderValue::Bytes(_) => Raw::Array(vec![Raw::Null]),
    }
}

/// Returns the value of a header as a raw event shows it.
fn shown_of(value: &HeaderValue) -> Raw {
    match value {
        HeaderValue::Bytes(bytes) => encode(bytes).as_str().into(),
        other => raw_of(other),
    }
}

fn text_of(message: &EventStreamMessage) -> Result<&str, Error> {
    std::str::from_utf8(&message.payload).map_err(|cause| {
        let at = message.offset;
        let text = format!("The payload of the frame at byte {at} is not UTF-8");
        crate::providers::framing::eventstream::not_utf8(
            &text,
            &message.payload,
            cause.valid_up_to(),
        )
    })
}
