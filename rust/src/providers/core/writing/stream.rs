//! The start of a stream, and what is beside its parts: usage, warnings, provider state.

use crate::contract::current::message::{
    StartDeltaPayload, TextFormat, UsageSummary, WarningDeltaPayload,
};
use crate::json::raw::{Raw, RawObject, storable};
use crate::json::raw_text::Text;
use crate::providers::core::ids::cut;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::writer::DeltaWriter;
use crate::tables::limits::MAX_ID_CHARS;

/// Model id and request id of a stream whose provider names none.
const UNKNOWN: &str = "unknown";

impl DeltaWriter {
    /// Takes the stream's names as far as they are given; starts once both are known, and says so.
    pub(crate) fn identify(&mut self, model_id: &Raw, request_id: &Raw) -> bool {
        for (own, given) in [(&mut self.model_id, model_id), (&mut self.request_id, request_id)] {
            if let (true, Some(given)) = (own.is_empty(), given.some_text()) {
                cut(&given.well_formed(), MAX_ID_CHARS).clone_into(own);
            }
        }
        let both = !self.model_id.is_empty() && !self.request_id.is_empty();
        if both {
            self.start();
        }
        both
    }

    /// Writes `start`, once; what the provider has not named by now is `unknown`.
    pub(crate) fn start(&mut self) {
        if self.maker.begun() {
            return;
        }
        let named = |own: &str| if own.is_empty() { UNKNOWN.to_owned() } else { own.to_owned() };
        let payload = StartDeltaPayload {
            model_id: named(&self.model_id),
            request_id: named(&self.request_id),
            author: self.author.take(),
            format: self.format.take(),
        };
        self.maker.start(payload);
        for warning in std::mem::take(&mut self.to_warn) {
            self.maker.warning(warning);
        }
    }

    /// Says that the provider repeats the form that JSON was asked for in; the caller's wins.
    pub(crate) fn say_format(&mut self, name: Option<Text<'_>>) {
        if self.says_new && self.format.is_none() {
            let name = name.filter(|name| !name.is_empty());
            let name = name.map(|name| cut(&name.well_formed(), MAX_ID_CHARS).to_owned());
            self.format = Some(TextFormat { name, schema_ref: None });
        }
    }

    /// Reports usage so far; nothing is written if it has not changed.
    ///
    /// Inside a part of text it waits for the part's end: some vendors report at every piece of
    /// text, and every other delta would be one of usage.
    pub(crate) fn usage(&mut self, usage: UsageSummary) {
        if self.usage.as_ref() == Some(&usage) {
            return;
        }
        if usage.total_tokens < usage.input_tokens + usage.output_tokens {
            self.log.usage("a total below its sum");
        }
        let falls = self.usage.as_ref().is_some_and(|before| {
            usage.input_tokens < before.input_tokens
                || usage.output_tokens < before.output_tokens
                || usage.total_tokens < before.total_tokens
        });
        if falls {
            self.log.usage("a figure below an earlier one");
        }
        self.usage = Some(usage);
        self.usage_due = true;
        if self.kind.is_none() {
            self.start();
            self.report_usage();
        }
    }

    pub(crate) fn report_usage(&mut self) {
        if let (true, Some(usage)) = (self.usage_due, &self.usage) {
            self.usage_due = false;
            self.maker.usage(usage.clone());
        }
    }

    /// Keeps provider state that belongs to this place.
    ///
    /// `start` is the character of the current part from which on it belongs; without it, the item
    /// is between what has been written and what comes next.
    pub(crate) fn keep(&mut self, kind: &str, data: &Raw, start: Option<usize>) {
        let inside = start.is_some() || self.kind.is_some();
        let (part, at) = if inside { (self.part, self.chars) } else { (self.part + 1, 0) };
        let (start, end) = (Some(start.unwrap_or(at)), Some(at));
        self.state.keep(OpaqueItem {
            kind: kind.to_owned(),
            data: storable(data),
            part,
            start,
            end,
        });
    }

    /// Begins a part that is not text.
    pub(crate) fn new_part(&mut self) {
        self.part += 1;
        self.chars = 0;
    }

    /// Writes a warning of the provider, each once; without a code it is `other`.
    ///
    /// One that comes before the stream's names are known waits for the start.
    pub(crate) fn warn(&mut self, code: &Raw, message: &Raw, place: &Raw) {
        let text = |value: &Raw| value.text().map(|text| text.well_formed().into_owned());
        let code = text(code).filter(|code| !code.is_empty());
        let payload = WarningDeltaPayload {
            code: code.as_deref().unwrap_or("other").into(),
            message: text(message),
            place: text(place).filter(|place| !place.is_empty()),
        };
        let key =
            (payload.code.as_str().to_owned(), payload.message.clone(), payload.place.clone());
        if !self.warned.insert(key) {
            return;
        }
        if self.maker.begun() {
            self.maker.warning(payload);
        } else {
            self.to_warn.push(payload);
        }
    }

    /// Writes the `warnings` of an event, or of what it holds at `place`.
    ///
    /// `code` is the member that says the code where none is called so.
    pub(crate) fn read_warnings(&mut self, holder: &RawObject, place: &str, code: &str) {
        let given = holder.get("warnings");
        if given.is_null() || !self.says_new {
            return;
        }
        let Some(items) = given.array() else {
            self.log.invalid(&format!("{place}/warnings"), "an array", given);
            return;
        };
        let nothing = Raw::default();
        for (number, each) in items.iter().enumerate() {
            let at = format!("{place}/warnings/{number}");
            if each.text().is_some() {
                self.warn(&nothing, each, &nothing);
            } else if let Some(each) = each.object() {
                let code = if each.get("code").is_null() { code } else { "code" };
                let names = [code, "message", "place"];
                for name in names {
                    self.log.string(each.get(name), &format!("{at}/{name}"));
                }
                let [code, message, place] = names.map(|name| each.get(name));
                self.warn(code, message, place);
            } else {
                self.log.invalid(&at, "an object or text", each);
            }
        }
    }
}
