//! The examples do what they say.

#[path = "../examples/assemble.rs"]
mod assemble;
#[path = "../examples/request.rs"]
mod request;
#[path = "../examples/stream.rs"]
mod stream;
#[path = "../examples/tool_state.rs"]
mod tool_state;
#[path = "../examples/validate.rs"]
mod validate;

use std::io::BufReader;

use partwire::dump;
use partwire::types::message::MessagePart;

const STREAM: &str = concat!(
    r#"data: {"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"Hel"}}]}"#,
    "\n\n",
    r#"data: {"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}"#,
    "\n\ndata: [DONE]\n\n",
);

#[test]
fn a_stream_is_a_message_that_is_valid() {
    let message = assemble::message_of("openai-chat", STREAM.as_bytes()).unwrap();
    let MessagePart::Text(text) = &message.parts[0] else { panic!("{message:?}") };
    assert_eq!(text.payload.text, "Hello");
    let document = dump(&message).unwrap();
    assert_eq!(validate::findings_of(&document, "message.Message"), Ok(vec![]));
    let cut = assemble::message_of("openai-chat", &STREAM.as_bytes()[..90]).unwrap_err();
    assert_eq!(cut.rule(), "stream/failed");
}

#[test]
fn findings_say_place_and_what_was_expected() {
    let found = validate::findings_of(br#"{"runId": 7}"#, "message.Message").unwrap();
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(
        shown.contains(
            &"Not a string but a number at /runId; expected a string; actual 7 [shape/type]"
                .to_owned()
        ),
        "{shown:#?}"
    );
    assert!(validate::findings_of(b"{}", "message.Nothing").is_err());
}

#[test]
fn text_is_shown_as_it_comes() {
    let mut shown = Vec::new();
    let input = BufReader::with_capacity(7, STREAM.as_bytes());
    let message = stream::show("openai-chat", input, &mut shown).unwrap();
    assert_eq!((shown.as_slice(), message.parts.len()), (b"Hello".as_slice(), 1));
}

#[test]
fn every_provider_takes_the_request() {
    for dialect in partwire::providers::requests::dialects() {
        let encoded = request::request(dialect).unwrap();
        let text = encoded.body.to_string();
        assert!(text.contains("4 °C, rain") && text.contains("Be brief."), "{dialect}: {text}");
    }
}

#[test]
fn a_call_ends_once() {
    for ended in [Ok("4 °C"), Err("There is no such city")] {
        let record = tool_state::stored(ended).unwrap();
        let refused = tool_state::again(&record).unwrap_err();
        assert_eq!(refused.rule(), "session/invalid-transition");
    }
}
