//! Messages of an AWS event stream → raw events of an adapter.
//!
//! `:event-type` names the event, and the payload is its body: `{"<event-type>": <payload>}`, as
//! AWS's own clients give it. A `chunk` carries an event of the model's own format, in Base64. An
//! exception and an error of the stream are in the headers: whatever the dialect, they end it.

use crate::errors::Error;
use crate::json::base64::encode;
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_reader::decode_event;
use crate::providers::core::adapter::ProviderAdapter;
use crate::providers::core::dialect::chunk_text;
use crate::providers::framing::eventstream::{EventStreamMessage, HeaderValue};

/// Has an adapter read one message.
///
/// Fails with `framing/invalid-utf8` for a payload that is not UTF-8.
pub(crate) fn read_frame(
    adapter: &mut ProviderAdapter,
    message: &EventStreamMessage,
) -> Result<(), Error> {
    if !message.terminated {
        adapter.read_torn();
        return Ok(());
    }
    let header = |name: &str| message.headers.get(name);
    let text_of_header = |name: &str| match header(name) {
        Some(HeaderValue::Text(text)) => text.as_str(),
        _ => "",
    };
    let is = |kind: &str| text_of_header(":message-type") == kind;
    let given = |name: &str, of: fn(&HeaderValue) -> Raw| header(name).map_or(Raw::Null, of);
    if header(":exception-type").is_some() || is("exception") {
        let text = text_of(message)?;
        let error = |of| exception(given(":exception-type", of), text);
        adapter.read_error(&error(raw_of), &error(shown_of));
        return Ok(());
    }
    if header(":error-code").is_some() || is("error") {
        let error = |of| {
            let members = [("code", ":error-code"), ("message", ":error-message")];
            let members = members.map(|(name, header)| (name, given(header, of)));
            members.into_iter().collect::<RawObject>().into()
        };
        adapter.read_error(&error(raw_of), &error(shown_of));
        return Ok(());
    }
    let name = text_of_header(":event-type");
    let text = text_of(message)?;
    let value =
        if text.is_empty() { Some(RawObject::default().into()) } else { decode_event(text) };
    match value {
        None => adapter.read_text(text, ""),
        Some(value) => match chunk_text(&value).filter(|_| name == "chunk") {
            Some(inner) => adapter.read_text(&inner, ""),
            None => adapter.read_object([(name, value)].into_iter().collect(), ""),
        },
    }
    Ok(())
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
