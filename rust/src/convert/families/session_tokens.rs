//! Figures of sessions, which are disjoint, and those of messages, which hold their parts.
//!
//! A session counts `input` without what the cache read and wrote, and `output` without reasoning;
//! `inputTokens` and `outputTokens` of a message are with them. Older writers of sessions counted
//! reasoning in `output`: a `total` shows which of the two it is.

use crate::json::{Value, json};

use crate::convert::families::conversion::Work;
use crate::json::fields::Fields;

const MAX_COUNT: i64 = (1 << 53) - 1;

/// The counts of a usage that a provider may leave out, and a session may not.
pub(crate) const COUNTS: [&str; 3] = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"];

fn sum(counts: &[i64]) -> i64 {
    counts.iter().fold(0, |sum: i64, count| sum.saturating_add(*count)).min(MAX_COUNT)
}

/// Returns the usage that the tokens at `place` and the cost of an assistant's info are.
pub(crate) fn usage_of(info: &Value, place: &str, work: &mut Work) -> Value {
    let tokens = info.at("tokens");
    let (output, reasoning) = (tokens.whole("output"), tokens.whole("reasoning"));
    let cache = tokens.at("cache");
    let given = sum(&[tokens.whole("input"), cache.whole("read"), cache.whole("write")]);
    let apart = is_apart(tokens, given);
    if apart.is_none() {
        work.note("reasoning-apart", &format!("{place}/reasoning"));
    }
    let written = if apart == Some(false) { output } else { sum(&[output, reasoning]) };
    let total = tokens.get("total").cloned().unwrap_or_else(|| json!(sum(&[given, written])));
    json!({
        "inputTokens": given,
        "outputTokens": written,
        "totalTokens": total,
        "reasoningTokens": reasoning,
        "cacheReadTokens": cache.at("read"),
        "cacheWriteTokens": cache.at("write"),
        "cost": info.at("cost"),
    })
}

/// Tells whether `output` is without reasoning; None where the tokens do not tell.
fn is_apart(tokens: &Value, given: i64) -> Option<bool> {
    let (output, reasoning) = (tokens.whole("output"), tokens.whole("reasoning"));
    let is_total = |sum: i64| tokens.has("total") && tokens.whole("total") == sum;
    if reasoning == 0 || reasoning > output || is_total(given + output + reasoning) {
        return Some(true);
    }
    is_total(given + output).then_some(false)
}

/// Returns the tokens of a session that the usage at `place` is, and notes what that loses.
pub(crate) fn tokens_of(usage: &Value, place: &str, work: &mut Work) -> Value {
    for name in COUNTS {
        if !usage.has(name) {
            work.note("counts-invented", &format!("{place}/{name}"));
        }
    }
    let count = |name: &str| if usage.has(name) { usage.whole(name) } else { 0 };
    let (read, write) = (count("cacheReadTokens"), count("cacheWriteTokens"));
    let reasoning = count("reasoningTokens");
    let given = usage.whole("inputTokens").max(read + write);
    let written = usage.whole("outputTokens").max(reasoning);
    for (name, count) in [("inputTokens", given), ("outputTokens", written)] {
        if usage.whole(name) != count {
            work.note("usage-parts", &format!("{place}/{name}"));
        }
    }
    if usage.whole("totalTokens") != sum(&[given, written]) {
        work.note("usage-total", &format!("{place}/totalTokens"));
    }
    json!({
        "input": given - read - write,
        "output": written - reasoning,
        "reasoning": reasoning,
        "cache": {"read": read, "write": write},
    })
}
