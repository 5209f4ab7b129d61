//! Decoders of streams: lines, events and elements, whatever the cut.

use partwire::Error;
use partwire::providers::framing::{
    JsonArrayDecoder, JsonLinesDecoder, RawLine, SseDecoder, SseEvent,
};

const LIMIT: usize = 64;

fn sse(chunks: &[&[u8]]) -> (Vec<SseEvent>, Option<Error>) {
    let mut decoder = SseDecoder::new(LIMIT).unwrap();
    let mut events = Vec::new();
    for chunk in chunks {
        match decoder.feed(chunk) {
            Ok(more) => events.extend(more),
            Err(error) => return (events, Some(error)),
        }
    }
    match decoder.close() {
        Ok(more) => events.extend(more),
        Err(error) => return (events, Some(error)),
    }
    (events, None)
}

fn bytes_of(text: &[u8]) -> Vec<&[u8]> {
    text.chunks(1).collect()
}

fn data(text: &str) -> Vec<(String, String)> {
    let whole = sse(&[text.as_bytes()]);
    assert_eq!(whole, sse(&bytes_of(text.as_bytes())), "{text:?}");
    whole.0.into_iter().map(|event| (event.event, event.data)).collect()
}

fn pair(event: &str, data: &str) -> (String, String) {
    (event.to_owned(), data.to_owned())
}

#[test]
fn events_end_with_a_blank_line_of_any_kind() {
    let text =
        "\u{feff}event: a\r\ndata: 1\r\ndata:2\r\n\r\n: ping\n\nid\ndata:  3\r\rdata\n\ndata: 4";
    let expected =
        [pair("a", "1\n2"), pair("message", " 3"), pair("message", ""), pair("message", "4")];
    assert_eq!(data(text), expected);
}

#[test]
fn line_separators_of_unicode_are_data() {
    let text = "data: a\u{2028}b\u{85}c\u{b}d\n\n";
    assert_eq!(data(text), [pair("message", "a\u{2028}b\u{85}c\u{b}d")]);
}

#[test]
fn an_event_says_its_id_its_line_and_its_retry() {
    let (events, _) = sse(&[b"\nid: 7\nretry: 0012\ndata: x\n\nretry: 1x\nid: \0\ndata: y\n"]);
    let [one, two] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((one.id.as_str(), one.retry, one.line, one.terminated), ("7", Some(12), 2, true));
    assert_eq!((two.id.as_str(), two.retry, two.line, two.terminated), ("7", None, 6, false));
}

#[test]
fn what_came_before_a_bad_byte_is_given_first() {
    let text = b"data: ok\n\ndata: \xff\n\n";
    let mut decoder = SseDecoder::new(LIMIT).unwrap();
    assert_eq!(decoder.feed(text).unwrap().len(), 1);
    let error = decoder.feed(b"").unwrap_err();
    assert_eq!(error.rule(), "framing/invalid-utf8");
    assert_eq!(error.findings()[0].message, "Byte 16 of the stream is not UTF-8");
    assert_eq!(decoder.close().unwrap_err(), error);
    let (events, found) = sse(&bytes_of(text));
    assert_eq!((events.len(), found), (1, Some(error)));
}

#[test]
fn a_character_that_the_end_cuts_off_is_left_out() {
    let (events, error) = sse(&[b"data: a\xe2\x82"]);
    assert_eq!((events[0].data.as_str(), error), ("a", None));
}

#[test]
fn the_limit_is_of_data_as_it_is_given_out() {
    let line = "x".repeat(LIMIT);
    assert_eq!(data(&format!("data: {line}\n\n")).len(), 1);
    for text in [format!("data:{line}y"), format!("event:{line}"), format!("data: {line}\ndata:\n")]
    {
        let (_, error) = sse(&[text.as_bytes()]);
        assert_eq!(error.unwrap().rule(), "framing/event-too-large", "{text}");
        assert!(sse(&bytes_of(text.as_bytes())).1.is_some());
    }
}

#[test]
fn a_decoder_is_for_one_stream() {
    let mut decoder = SseDecoder::new(LIMIT).unwrap();
    assert_eq!(decoder.close().unwrap(), []);
    assert_eq!(decoder.close().unwrap(), []);
    assert_eq!(decoder.feed(b"x").unwrap_err().rule(), "usage/invalid-argument");
    assert_eq!(SseDecoder::new(0).unwrap_err().rule(), "usage/invalid-argument");
}

fn lines(text: &[u8], size: usize) -> Vec<RawLine> {
    let mut decoder = JsonLinesDecoder::new(LIMIT).unwrap();
    let mut all: Vec<_> =
        text.chunks(size).flat_map(|chunk| decoder.feed(chunk).unwrap()).collect();
    all.extend(decoder.close().unwrap());
    all
}

#[test]
fn blank_lines_count_but_are_passed_over() {
    let text = b"\xef\xbb\xbf{}\r\n \t\n\n[1,\r2]\nlast";
    let line = |data: &str, number, terminated| RawLine { data: data.into(), number, terminated };
    let expected = [line("{}", 1, true), line("[1,\r2]", 4, true), line("last", 5, false)];
    assert_eq!(lines(text, text.len()), expected);
    assert_eq!(lines(text, 1), expected);
}

#[test]
fn a_line_beyond_the_limit_is_refused_before_its_end() {
    let mut decoder = JsonLinesDecoder::new(4).unwrap();
    assert_eq!(decoder.feed(b"1234\r").unwrap(), []);
    assert_eq!(decoder.feed(b"\n").unwrap().len(), 1);
    assert_eq!(decoder.feed(b"12345").unwrap_err().rule(), "framing/line-too-long");
    assert_eq!(decoder.error().unwrap().findings()[0].line, Some(2));
}

fn elements(text: &str, size: usize) -> Vec<(String, usize, bool)> {
    let mut decoder = JsonArrayDecoder::new(LIMIT).unwrap();
    let chunks = text.as_bytes().chunks(size);
    let mut all: Vec<_> = chunks.flat_map(|chunk| decoder.feed(chunk).unwrap()).collect();
    all.extend(decoder.close().unwrap());
    let row = |line: RawLine| (String::from_utf8(line.data).unwrap(), line.number, line.terminated);
    all.into_iter().map(row).collect()
}

#[test]
fn elements_come_as_soon_as_they_are_whole() {
    let text = "[{\"a\":\"]}\\\"\"}\n, [1,\n2],\n3 ,\"x,y\"]{\"b\":";
    let row = |data: &str, number, whole| (data.to_owned(), number, whole);
    let expected = [
        row("{\"a\":\"]}\\\"\"}", 1, true),
        row("[1,\n2]", 2, true),
        row("3 ", 4, true),
        row("\"x,y\"", 4, true),
        row("{\"b\":", 4, false),
    ];
    assert_eq!(elements(text, text.len()), expected);
    assert_eq!(elements(text, 1), expected);
}

#[test]
fn an_element_beyond_the_limit_is_refused() {
    let mut decoder = JsonArrayDecoder::new(4).unwrap();
    let error = decoder.feed(b"[12345").unwrap_err();
    assert_eq!(error.rule(), "framing/event-too-large");
}
