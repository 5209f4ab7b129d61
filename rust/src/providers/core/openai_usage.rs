//! Usage of OpenAI's dialects, whose vendors count cached and reasoning tokens in or apart.

use crate::contract::current::message::UsageSummary;
use crate::json::raw::{Raw, RawObject};
use crate::providers::core::findings::FindingLog;
use crate::providers::core::usage::{Figures, Parts, usage_summary};
use crate::tables::usage_figures::{
    OPENAI as FIGURES, OPENAI_CACHE_READ as CACHE_READ, OPENAI_CACHE_WRITE as CACHE_WRITE,
    OPENAI_DETAILS as DETAILS, OPENAI_REASONING as REASONING,
};

/// The figures of one stream.
///
/// Whether cached tokens are part of the prompt tokens, and reasoning tokens part of the completion
/// tokens, no vendor says in the data; the arithmetic does: a part cannot be larger than the whole,
/// and xAI's total is prompt + completion + reasoning.
#[derive(Default)]
pub(crate) struct ChatUsage {
    figures: Figures,
    beside: Figures,
    cost: Option<f64>,
}

impl ChatUsage {
    /// Takes what is given; returns the names of what is not a count.
    fn take(&mut self, usage: &RawObject) -> Vec<&'static str> {
        let mut bad: Vec<_> = self.figures.take(usage, FIGURES).into_iter().collect();
        let beside = [CACHE_READ, CACHE_WRITE, REASONING].concat();
        bad.extend(self.beside.take(usage, &beside));
        for (name, counts) in DETAILS {
            let is_bad = match usage.get(name) {
                Raw::Object(details) => self.figures.take(details, counts).is_some(),
                other => !other.is_null(),
            };
            if is_bad {
                bad.push(name);
            }
        }
        let cost = usage.get("cost");
        let cost = cost.object().map_or(cost, |parts| parts.get("total_cost")); // Perplexity
        self.cost = price(cost).or(self.cost);
        bad
    }

    /// Takes what is given, logs what is wrong with it, and returns the usage so far.
    pub(crate) fn read(
        &mut self,
        usage: &RawObject,
        log: &mut FindingLog,
        place: &str,
        expected: &str,
    ) -> Option<UsageSummary> {
        for name in self.take(usage) {
            log.invalid(&format!("{place}/{name}"), "a count", usage.get(name));
        }
        let figures = self.summary();
        let thought = self.figures.get(REASONING);
        let written = figures.as_ref().map(|figures| figures.output_tokens);
        if written.is_some_and(|written| thought > Some(written)) {
            log.usage("more reasoning than output");
        }
        if figures.is_none() && !usage.is_empty() {
            let message = "The usage has too few figures to be reported";
            log.note("adapter/incomplete-usage", message, place, Some(expected), None);
        }
        figures
    }

    /// Returns the usage so far, None if the figures do not give it.
    fn summary(&self) -> Option<UsageSummary> {
        let get = |names: &[&str]| self.figures.get(names);
        let prompt = get(&["prompt_tokens", "input_tokens"]);
        let completion = get(&["completion_tokens", "output_tokens"]);
        let total = get(&["total_tokens"]);
        let other = |known: Option<u64>| total?.checked_sub(known?);
        let (prompt, completion) =
            (prompt.or_else(|| other(completion))?, completion.or_else(|| other(prompt))?);
        let (mut read, mut written) = (prompt, completion);
        let (cached, reasoning) = (get(&["cached_tokens"]), get(REASONING));
        read += cached.filter(|cached| *cached > prompt).unwrap_or(0);
        let is_apart = |reasoning: &u64| {
            let apart = prompt + completion + *reasoning;
            let has_room = total.is_none_or(|total| total > apart);
            total == Some(apart) || (*reasoning > completion && has_room)
        };
        written += reasoning.filter(is_apart).unwrap_or(0);
        // Beside the figures, where they are part of the completion.
        let thought = || self.beside.get(REASONING).filter(|each| *each == 0 || !is_apart(each));
        let parts = Parts {
            reasoning: reasoning.or_else(thought),
            cache_read: cached.or_else(|| self.beside.get(CACHE_READ)),
            cache_write: get(CACHE_WRITE).or_else(|| self.beside.get(CACHE_WRITE)),
        };
        let usage = usage_summary(read, written, total.unwrap_or(read + written), parts);
        Some(UsageSummary { cost: self.cost, ..usage })
    }
}

#[allow(clippy::cast_precision_loss)] // a price of so many digits is none
fn price(value: &Raw) -> Option<f64> {
    let price = match value {
        Raw::Int(number) => Some(*number as f64),
        Raw::Huge(digits) => digits.parse().ok(),
        Raw::Float(number) => Some(*number),
        _ => None,
    };
    price.filter(|price| price.is_finite() && *price >= 0.0)
}
