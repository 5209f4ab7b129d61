//! What a whole answer of OpenAI's dialects says of itself: its time, and its usage.

use crate::convert::times::text_of;
use crate::formats::core::members::Members;
use crate::formats::core::reading::Reading;
use crate::json::Map;
use crate::tables::limits::LAST_MS;
use crate::tables::usage_figures;

/// Takes a time in seconds since the epoch, as the contract writes one.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // below the last second
pub(crate) fn time_of<'a>(body: &mut Members<'a>, name: &'a str) -> Option<String> {
    let seconds = body.number(name, (LAST_MS / 1000) as f64)?;
    Some(text_of((seconds * 1000.0) as i64))
}

const COUNTED: &[&[&str]] = &[
    usage_figures::OPENAI,
    usage_figures::OPENAI_CACHE_READ,
    usage_figures::OPENAI_CACHE_WRITE,
    usage_figures::OPENAI_REASONING,
    &["cost"],
];

/// Takes the usage, and reports what in it an adapter does not count; 0 says nothing.
pub(crate) fn usage_of<'a>(body: &mut Members<'a>, reading: &mut Reading) -> Option<&'a Map> {
    let mut counted = body.object("usage")?;
    for (name, counts) in usage_figures::OPENAI_DETAILS {
        let Some(mut details) = counted.object(name) else { continue };
        for count in *counts {
            details.value(count);
        }
        for other in details.source().keys() {
            details.skip(other, &[0.into()]);
        }
        details.close(reading);
    }
    // Perplexity has an object here; others say a number.
    if let Some(mut cost) = counted.object("cost") {
        cost.value("total_cost");
        cost.close(reading);
    }
    for name in COUNTED.iter().copied().flatten() {
        counted.value(name);
    }
    counted.close(reading);
    Some(counted.source())
}

/// Tells whether figures of a whole answer are too few to be the usage of its message.
pub(crate) fn loses_usage(usage: Option<&Map>, message: &Map) -> bool {
    let is_counted = message.get("meta").is_some_and(|meta| meta.get("usage").is_some());
    usage.is_some_and(|usage| !usage.is_empty()) && !is_counted
}

/// Takes what a response says of itself under these names, where it is text that is not empty.
pub(crate) fn take_names<'a>(body: &mut Members<'a>, names: &[&'a str], kept: &mut Map) {
    for name in names {
        if let Some(given) = body.some_text(name) {
            kept.insert(*name, given.into());
        }
    }
}
