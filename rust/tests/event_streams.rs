//! AWS event streams: whole frames in any cut, and never anything of a damaged one.

use partwire::providers::framing::{
    DEFAULT_LIMIT_BYTES, EventStreamDecoder, EventStreamMessage, HeaderValue,
};
use partwire::providers::{AdapterOptions, ByteAdapter, open_adapter};
use partwire::{Error, to_value};
use partwire::{Value, json};

fn crc(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
        })
    })
}

fn frame(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let size = |count: usize| u32::try_from(count).unwrap().to_be_bytes();
    let mut made = [size(16 + headers.len() + payload.len()), size(headers.len())].concat();
    made.extend(crc(&made).to_be_bytes());
    made.extend(headers);
    made.extend(payload);
    made.extend(crc(&made).to_be_bytes());
    made
}

fn header(name: &str, kind: u8, value: &[u8]) -> Vec<u8> {
    [&[u8::try_from(name.len()).unwrap()], name.as_bytes(), &[kind], value].concat()
}

fn text(name: &str, value: &str) -> Vec<u8> {
    let length = u16::try_from(value.len()).unwrap().to_be_bytes();
    header(name, 7, &[&length, value.as_bytes()].concat())
}

fn event(name: &str, payload: &Value) -> Vec<u8> {
    let headers = [text(":event-type", name), text(":message-type", "event")].concat();
    frame(&headers, payload.to_string().as_bytes())
}

/// Returns what comes of a stream fed in chunks of a size, and its error.
fn decoded(data: &[u8], size: usize) -> (Vec<EventStreamMessage>, Option<Error>) {
    let mut decoder = EventStreamDecoder::new(DEFAULT_LIMIT_BYTES).unwrap();
    let mut messages = Vec::new();
    for chunk in data.chunks(size) {
        messages.extend(decoder.feed(chunk).unwrap_or_default());
    }
    messages.extend(decoder.close().unwrap_or_default());
    (messages, decoder.error())
}

fn rule(headers: &[u8]) -> String {
    decoded(&frame(headers, b""), 1 << 20).1.unwrap().rule().to_owned()
}

#[test]
fn headers_are_of_ten_types() {
    let headers = [
        header("yes", 0, b""),
        header("no", 1, b""),
        header("byte", 2, b"\xff"),
        header("short", 3, b"\xff\xfe"),
        header("integer", 4, b"\0\0\x01\0"),
        header("long", 5, b"\x80\0\0\0\0\0\0\0"),
        header("bytes", 6, b"\0\x02\xff\0"),
        text("text", "é"),
        header("time", 8, b"\0\0\0\0\0\0\0\x09"),
        header("uuid", 9, &[7; 16]),
    ];
    let (messages, error) = decoded(&frame(&headers.concat(), b"body"), 1);
    assert_eq!(error, None);
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    let integer = |number| HeaderValue::Integer(number);
    let due = [
        ("yes", HeaderValue::Bool(true)),
        ("no", HeaderValue::Bool(false)),
        ("byte", integer(-1)),
        ("short", integer(-2)),
        ("integer", integer(256)),
        ("long", integer(i64::MIN)),
        ("bytes", HeaderValue::Bytes(vec![255, 0])),
        ("text", HeaderValue::Text("é".to_owned())),
        ("time", integer(9)),
        ("uuid", HeaderValue::Bytes(vec![7; 16])),
    ];
    let found: Vec<_> = message.headers.iter().collect();
    assert_eq!(found, due.iter().map(|(name, value)| (*name, value)).collect::<Vec<_>>());
    assert_eq!(message.headers.get("text"), Some(&due[7].1));
    assert_eq!(message.headers.get("other"), None);
    assert_eq!((message.payload.as_slice(), message.terminated), (b"body".as_slice(), true));
}

#[test]
fn a_cut_changes_nothing() {
    let stream = (0..20).flat_map(|number| event("e", &json!({"n": number}))).collect::<Vec<_>>();
    let whole = decoded(&stream, stream.len());
    assert_eq!(whole.0.len(), 20);
    assert_eq!(whole.0[3].offset, 3 * event("e", &json!({"n": 0})).len());
    for size in [1, 2, 11, 12, 13, 100] {
        assert_eq!(decoded(&stream, size), whole, "{size}");
    }
}

#[test]
fn a_torn_frame_says_nothing() {
    let stream = [event("a", &json!({})), event("b", &json!({"text": "x"}))].concat();
    for left in [1, 20] {
        let (messages, error) = decoded(&stream[..stream.len() - left], 7);
        assert_eq!(error, None);
        assert_eq!(messages.len(), 2);
        let torn = &messages[1];
        assert!(
            !torn.terminated && torn.payload.is_empty() && torn.headers.iter().next().is_none()
        );
        assert_eq!(torn.offset, stream.len() / 2 - 5);
    }
}

#[test]
fn one_wrong_bit_is_damage_wherever_it_is() {
    let good = event("first", &json!({}));
    let stream = [good.clone(), event("second", &json!({"text": "x"}))].concat();
    for at in good.len() * 8..stream.len() * 8 {
        let mut broken = stream.clone();
        broken[at / 8] ^= 1 << (at % 8);
        for size in [1, stream.len()] {
            let (messages, error) = decoded(&broken, size);
            assert_eq!(messages.len(), 1, "{at}");
            assert_eq!(error.unwrap().rule(), "framing/checksum-mismatch", "{at}");
        }
    }
}

#[test]
fn a_frame_that_no_server_writes_is_refused() {
    assert_eq!(rule(&[text("a", "1"), text("a", "2")].concat()), "framing/invalid-frame");
    assert_eq!(rule(&header("a", 10, b"")), "framing/invalid-frame");
    assert_eq!(rule(&header("a", 7, b"\0\x09x")), "framing/invalid-frame");
    assert_eq!(rule(&header("a", 7, b"\0\x01\xff")), "framing/invalid-utf8");
    assert_eq!(rule(&[9]), "framing/invalid-frame");

    let prelude = |size: u32, headers: u32| {
        let mut made = [size.to_be_bytes(), headers.to_be_bytes()].concat();
        made.extend(crc(&made).to_be_bytes());
        made
    };
    let refused = |data: &[u8]| decoded(data, data.len()).1.unwrap().rule().to_owned();
    assert_eq!(refused(&prelude(15, 0)), "framing/invalid-frame");
    assert_eq!(refused(&prelude(1 << 20, 1 << 18)), "framing/invalid-frame");
    assert_eq!(refused(&prelude(u32::MAX, 0)), "framing/event-too-large");
    assert!(matches!(EventStreamDecoder::new(0), Err(Error::Usage(_))));
}

#[test]
fn what_came_before_the_damage_is_given_first() {
    let mut stream = [event("a", &json!({})), event("b", &json!({}))].concat();
    *stream.last_mut().unwrap() ^= 1;
    let mut decoder = EventStreamDecoder::new(DEFAULT_LIMIT_BYTES).unwrap();
    assert_eq!(decoder.feed(&stream).unwrap().len(), 1);
    assert_eq!(decoder.feed(b"").unwrap_err().rule(), "framing/checksum-mismatch");
    assert!(decoder.close().is_err());
}

fn adapted(data: &[u8]) -> (Vec<Value>, Vec<String>) {
    let now = || "2026-01-02T03:04:05Z".to_owned();
    let adapter = open_adapter("bedrock-converse", "run", now, AdapterOptions::default()).unwrap();
    let mut reader = ByteAdapter::new(adapter);
    let mut deltas = reader.feed(data);
    deltas.extend(reader.close());
    let found = reader.adapter().findings().iter().map(|each| each.rule.clone()).collect();
    (deltas.iter().map(|delta| to_value(delta).unwrap()).collect(), found)
}

#[test]
fn frames_become_deltas() {
    let start = event("messageStart", &json!({"role": "assistant"}));
    let piece =
        event("contentBlockDelta", &json!({"contentBlockIndex": 0, "delta": {"text": "Hi"}}));
    let stop = event("messageStop", &json!({"stopReason": "end_turn"}));
    let kinds = |deltas: &[Value]| -> Vec<String> {
        deltas.iter().map(|delta| delta["kind"].as_str().unwrap().to_owned()).collect()
    };
    let (deltas, found) = adapted(&[start.clone(), piece.clone(), stop.clone()].concat());
    assert_eq!(kinds(&deltas), ["start", "text", "done"]);
    assert!(found.is_empty(), "{found:?}");

    let mut damaged = [start.clone(), piece.clone(), stop].concat();
    let last = damaged.len() - 10;
    damaged[last] ^= 1;
    let (deltas, found) = adapted(&damaged);
    assert_eq!(kinds(&deltas), ["start", "text", "error"]);
    assert_eq!(deltas[2]["payload"]["errorCode"], "connection");
    assert_eq!(found, ["framing/checksum-mismatch"]);

    let exception =
        [text(":exception-type", "throttlingException"), text(":message-type", "exception")];
    let exception = frame(&exception.concat(), br#"{"message":"Slow down"}"#);
    let (deltas, _) = adapted(&[start, piece, exception].concat());
    let error = &deltas[2]["payload"];
    assert_eq!(
        (&error["errorCode"], &error["message"]),
        (&json!("rate_limited"), &json!("Slow down"))
    );
}
