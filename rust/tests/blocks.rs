//! Chunks to deltas and back, and chunks to a response.

mod common;

use common::{Rng, mutated, samples};
use partwire::blocks::{
    ChunkCollector, ChunksToDeltas, ChunksToDeltasOptions, DeltasToChunks, collect_chunks,
};
use partwire::types::blocks::{ContentBlock, StreamChunk, ToolUseChunk};
use partwire::types::message::MessageDelta;
use partwire::{Contract, Error, Limits, MessageAssembler, Unknown, read, read_tolerant, to_value};
use partwire::{Map, Value, json};

fn chunk(value: &Value) -> StreamChunk {
    read_tolerant::<StreamChunk>(value.to_string().as_bytes()).unwrap().value
}

fn start(index: u64) -> StreamChunk {
    chunk(&json!({"type": "content_block_start", "index": index}))
}

fn piece(index: u64, delta: &str) -> StreamChunk {
    chunk(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: u64) -> StreamChunk {
    chunk(&json!({"type": "content_block_stop", "index": index}))
}

fn call(id: &str, parameters: &Value) -> StreamChunk {
    let name = "search";
    chunk(&json!({
        "type": "tool_use", "tool_name": name, "tool_use_id": id, "parameters": parameters
    }))
}

fn end() -> StreamChunk {
    chunk(&json!({"type": "message_stop", "usage": {"input_tokens": 1, "output_tokens": 2}}))
}

fn to_deltas(options: ChunksToDeltasOptions) -> ChunksToDeltas {
    ChunksToDeltas::new("run", || "2026-01-02T03:04:05Z".to_owned(), options).unwrap()
}

fn texts(response: &[ContentBlock]) -> Vec<String> {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.text.clone(),
        other => other.tag().to_owned(),
    };
    response.iter().map(text).collect()
}

/// Blocks that grow at the same time come one after the other, in the order of their start.
#[test]
fn blocks_come_in_order() {
    let chunks = [
        start(0),
        piece(0, "one "),
        start(1),
        piece(1, "two"),
        call("c", &json!({"q": 1})),
        piece(0, "more"),
        stop(1),
        stop(0),
        end(),
    ];
    let response = collect_chunks(&chunks, Limits::default()).unwrap();
    assert_eq!(texts(&response.content), ["one more", "two", "tool_use"]);
    let mut converter = to_deltas(ChunksToDeltasOptions::default());
    let mut assembler = MessageAssembler::new();
    let mut back = DeltasToChunks::new();
    let mut again = ChunkCollector::new();
    for each in &chunks {
        for delta in converter.feed(each).unwrap() {
            assembler.consume(&delta).unwrap();
            for each in back.feed(&delta).unwrap() {
                again.feed(&each).unwrap();
            }
        }
    }
    assert!(converter.ended() && back.ended());
    assert!(converter.close().is_empty() && back.close().is_empty());
    let message = to_value(&assembler.build_final_message().unwrap()).unwrap();
    // Text parts are distinguished by a call between them alone.
    assert_eq!(message["parts"][0]["payload"]["text"], "one moretwo");
    assert_eq!(message["parts"][1]["payload"]["arguments"], json!({"q": 1}));
    let content = again.close().unwrap().content;
    assert_eq!(texts(&content), ["one moretwo", "tool_use"]);
    let codes: Vec<&str> = converter.losses().iter().map(|loss| loss.code).collect();
    let expected = ["no-model-id", "no-request-id", "held-back", "held-back", "block-boundary"];
    assert_eq!(codes[..5], expected);
}

/// What only a program can make is refused as it would be by reading, and changes nothing.
#[test]
fn made_chunks_are_checked() {
    let refused = |each: StreamChunk| {
        let mut collector = ChunkCollector::new();
        let Err(Error::Stream(refusal)) = collector.feed(&each) else {
            panic!("taken");
        };
        (refusal.finding.rule, refusal.finding.pointer, refusal.seq)
    };
    let StreamChunk::ToolUse(call) = call("c", &json!({})) else { panic!("no call") };
    let unnamed = ToolUseChunk { tool_name: String::new(), ..call };
    let rule = "blocks/invalid-chunk".to_owned();
    let place = |pointer: &str| (rule.clone(), pointer.to_owned(), Some(0));
    assert_eq!(refused(StreamChunk::ToolUse(unnamed)), place("/tool_name"));
    let mut document = Map::new();
    assert_eq!(
        refused(StreamChunk::Unknown(Unknown::new("type", document.clone()))),
        place("/type")
    );
    document.insert("type".to_owned(), "error".into());
    assert_eq!(refused(StreamChunk::Unknown(Unknown::new("type", document))), place("/type"));
    let StreamChunk::ContentBlockStart(mut beyond) = start(0) else { panic!("no start") };
    beyond.index = 1 << 53;
    assert_eq!(refused(StreamChunk::ContentBlockStart(beyond)), place("/index"));
}

#[test]
fn ids_that_no_delta_can_have_are_refused() {
    let clock = || String::new();
    let long = Some("x".repeat(513));
    let options = ChunksToDeltasOptions { turn_id: long, ..ChunksToDeltasOptions::default() };
    assert!(matches!(ChunksToDeltas::new("r", clock, options), Err(Error::Usage(_))));
    let none = ChunksToDeltasOptions::default();
    assert!(matches!(ChunksToDeltas::new("", clock, none), Err(Error::Usage(_))));
}

/// Arguments are written as in every other language.
#[test]
fn arguments_are_the_same_text_everywhere() {
    let mut converter = to_deltas(ChunksToDeltasOptions::default());
    let parameters = json!({"big": 1e22, "small": 1e-9, "one": 1.0, "text": "é\n\u{7f}"});
    let deltas = converter.feed(&call("c", &parameters)).unwrap();
    let Some(MessageDelta::ToolCallArgs(args)) = deltas.get(2) else { panic!("no arguments") };
    let text = "{\"big\":1e22,\"small\":1e-9,\"one\":1.0,\"text\":\"é\\n\u{7f}\"}";
    assert_eq!(args.payload.args_text_delta, text);
}

#[test]
fn a_failed_stream_keeps_what_arrived() {
    let chunks = [start(0), piece(0, "so far"), chunk(&json!({"type": "error", "message": "no"}))];
    let Err(Error::Response(failed)) = collect_chunks(&chunks, Limits::default()) else {
        panic!("no failure");
    };
    assert_eq!(
        (failed.finding.rule.as_str(), failed.error.message.as_str()),
        ("blocks/failed", "no")
    );
    assert_eq!(to_value(&failed.partial).unwrap()["content"][0]["text"], "so far");
    let cut = collect_chunks(&chunks[..2], Limits::default()).unwrap_err();
    assert_eq!(cut.rule(), "blocks/truncated");
}

/// Members that reading left out are reported, and nothing else of what came.
#[test]
fn unknown_members_are_reported() {
    let line = br#"{"type":"content_block_start","index":0,"10":1,"9":1,"a/b":1}"#;
    let chunk = read::<StreamChunk>(line).unwrap();
    let named = |name: &str| Some(name.to_owned());
    let options = ChunksToDeltasOptions {
        model_id: named("m"),
        request_id: named("q"),
        ..Default::default()
    };
    let mut converter = to_deltas(options);
    converter.feed(&chunk).unwrap();
    let left_out = partwire::unknown_members(line, StreamChunk::TYPE, partwire::LATEST_VERSION);
    converter.note_unknown_members(&left_out.unwrap());
    let told: Vec<&str> = converter.losses().iter().map(|loss| loss.pointer.as_str()).collect();
    assert_eq!(told, ["/0/9", "/0/10", "/0/a~1b"]);
    assert!(converter.losses().iter().all(|loss| loss.code == "unknown-member"));
}

/// Of one code at most 100 losses are kept, and the others are counted.
#[test]
fn losses_are_bounded() {
    let mut converter = to_deltas(ChunksToDeltasOptions::default());
    for _ in 0..150 {
        converter.feed(&chunk(&json!({"type": "new"}))).unwrap();
    }
    let kept = converter.losses().iter().filter(|loss| loss.code == "unknown-chunk").count();
    assert_eq!((kept, converter.left_out().get("unknown-chunk")), (100, Some(&50)));
}

/// Whatever comes, what comes out is a stream that the next in line takes.
#[test]
fn hostile_chunks_make_streams() {
    let (all, mut rng) = (samples(), Rng::new(3));
    let chunks: Vec<Value> = [start(0), piece(0, "a"), stop(0), start(1), piece(1, "c"), stop(1)]
        .iter()
        .chain(&[
            call("c", &json!({"a": [1.5, {}]})),
            end(),
            piece(0, ""),
            piece(1, "d"),
            start(7),
            stop(7),
        ])
        .map(|chunk| partwire::json::to_value(chunk).unwrap())
        .collect();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..1500 {
        let limits = Limits { text_bytes: 4, parts: 3, ..Limits::default() };
        let mut converter = to_deltas(ChunksToDeltasOptions { limits, ..Default::default() });
        let mut back = DeltasToChunks::with(None, limits).unwrap();
        let (mut collector, mut again) =
            (ChunkCollector::with(limits).unwrap(), ChunkCollector::new());
        for _ in 0..12 {
            let mut value = rng.pick(&chunks).clone();
            if rng.below(3) == 0 {
                let other = rng.pick(&all).value.clone();
                value = mutated(&mut rng, &value, &other);
            }
            let Ok(read) = read_tolerant::<StreamChunk>(value.to_string().as_bytes()) else {
                continue;
            };
            let (made, kept) = (converter.feed(&read.value), collector.feed(&read.value));
            assert_eq!(made.is_ok(), kept.is_ok());
            let Ok(made) = made else {
                refused += 1;
                continue;
            };
            taken += 1;
            for delta in made {
                let chunks = back.feed(&delta).unwrap();
                for each in &chunks {
                    again.feed(each).unwrap();
                }
            }
        }
        for delta in converter.close() {
            for each in back.feed(&delta).unwrap() {
                again.feed(&each).unwrap();
            }
        }
        let arrived = |content: Vec<ContentBlock>| texts(&content).concat();
        assert_eq!(arrived(collector.content()), arrived(again.content()));
    }
    assert!(taken > 4000 && refused > 4000, "{taken} taken, {refused} refused");
}

/// A long stream whose first block stays open takes no longer than one that goes through.
#[test]
fn waiting_is_linear() {
    let mut converter = to_deltas(ChunksToDeltasOptions::default());
    converter.feed(&start(0)).unwrap();
    converter.feed(&start(1)).unwrap();
    let (one, count) = (piece(1, "a"), 200_000);
    for _ in 0..count {
        assert!(converter.feed(&one).unwrap().is_empty());
    }
    converter.feed(&stop(1)).unwrap();
    let deltas = converter.feed(&stop(0)).unwrap();
    let Some(MessageDelta::Text(text)) = deltas.first() else { panic!("no text") };
    assert_eq!(text.payload.text_delta.len(), count);
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_stream_is_read_to_its_end_and_no_further() {
    let (sender, stream) = partwire::channel(4);
    for each in [start(0), stop(0), end()] {
        sender.send(Ok(each)).await.unwrap();
    }
    let response = partwire::blocks::collect(stream).await.unwrap();
    assert!(response.content.is_empty());
    assert!(sender.is_closed());
    let (sender, stream) = partwire::channel(4);
    let refused = read::<StreamChunk>(b"{}").unwrap_err();
    sender.send(Err(refused.clone())).await.unwrap();
    assert_eq!(partwire::blocks::collect(stream).await.unwrap_err(), refused);
    assert!(sender.is_closed());
    let (sender, stream) = partwire::channel(4);
    drop(sender);
    assert_eq!(partwire::blocks::collect(stream).await.unwrap_err().rule(), "blocks/truncated");
}
