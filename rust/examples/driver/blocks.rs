//! Content blocks: streams of chunks to deltas and back, and to responses.

use partwire::blocks::{ChunkCollector, ChunksToDeltas, ChunksToDeltasOptions, DeltasToChunks};
use partwire::types::blocks::{ModelResponse, StreamChunk};
use partwire::types::message::MessageDelta;
use partwire::{
    Contract, Error, LATEST_VERSION, Mode, Version, read, read_tolerant, unknown_members,
};
use partwire::{Value, json};

use crate::clock::clock;
use crate::values::{Outcome, bytes, limits, line_error, losses, served, text, words};

pub(crate) fn converted(given: &Value, version: Version) -> Outcome {
    if text(given, "from") == "deltas" {
        to_chunks(given, version)
    } else {
        to_deltas(given, version)
    }
}

fn to_deltas(given: &Value, version: Version) -> Outcome {
    let id = |name: &str| given[name].as_str().map(str::to_owned);
    let options = ChunksToDeltasOptions {
        model_id: id("model_id"),
        request_id: id("request_id"),
        limits: limits(&given["limits"]),
        ..ChunksToDeltasOptions::default()
    };
    let clock = clock(&given["clock"])?;
    let mut converter =
        ChunksToDeltas::new(text(given, "run_id"), clock, options).map_err(words)?;
    let mut out: Vec<MessageDelta> = Vec::new();
    let refused = each_line(&given["lines"], given, |chunk: &StreamChunk, left_out| {
        out.extend(converter.feed(chunk)?);
        converter.note_unknown_members(left_out);
        Ok(())
    })?;
    if let Some(error) = refused {
        return Ok(error);
    }
    out.extend(converter.close());
    let items: Value = out.iter().map(|item| served(item, version)).collect::<Result<_, _>>()?;
    Ok(json!({"items": items, "losses": losses(converter.losses())}))
}

fn to_chunks(given: &Value, version: Version) -> Outcome {
    let mut converter = DeltasToChunks::with(None, limits(&given["limits"])).map_err(words)?;
    let mut out: Vec<StreamChunk> = Vec::new();
    let refused = each_line(&given["lines"], given, |delta: &MessageDelta, left_out| {
        out.extend(converter.feed(delta)?);
        converter.note_unknown_members(left_out);
        Ok(())
    })?;
    if let Some(error) = refused {
        return Ok(error);
    }
    out.extend(converter.close());
    let items: Value = out.iter().map(|item| served(item, version)).collect::<Result<_, _>>()?;
    Ok(json!({"items": items, "losses": losses(converter.losses())}))
}

pub(crate) fn collected(given: &Value, version: Version) -> Outcome {
    let mut collector = ChunkCollector::with(limits(&given["limits"])).map_err(words)?;
    let refused = each_line(&given["chunks"], given, |chunk, _| collector.feed(chunk))?;
    if let Some(error) = refused {
        return Ok(error);
    }
    match collector.close() {
        Ok(response) => Ok(json!({"response": served::<ModelResponse>(&response, version)?})),
        Err(error) => Ok(json!({"error": {"rule": error.rule()}})),
    }
}

/// Gives each line to `feed`, with the places of its unknown members; returns the refusal of the first that is refused.
fn each_line<T: Contract>(
    lines: &Value,
    given: &Value,
    mut feed: impl FnMut(&T, &[String]) -> Result<(), Error>,
) -> Result<Option<Value>, String> {
    let mode = if text(given, "mode") == "tolerant" { Mode::Tolerant } else { Mode::Strict };
    for (index, line) in lines.as_array().ok_or("no lines")?.iter().enumerate() {
        let line = bytes(line)?;
        let item = match mode {
            Mode::Strict => read::<T>(&line),
            Mode::Tolerant => read_tolerant::<T>(&line).map(|reading| reading.value),
        };
        let outcome =
            item.and_then(|item| feed(&item, &unknown_members(&line, T::TYPE, LATEST_VERSION)?));
        if let Err(error) = outcome {
            let mut found = line_error(&error, index + 1);
            if let Some(members) = found.as_object_mut() {
                members.remove("seq"); // chunks have none
            }
            return Ok(Some(json!({"error": found})));
        }
    }
    Ok(None)
}
