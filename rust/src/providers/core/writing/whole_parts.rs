//! What comes whole: results of server tools, requests for approval, citations.
//!
//! A citation has a text part, a result of a server tool is the first of its call, an approval
//! request has a call that has ended. What cannot be written is not, and who asked for it is told
//! so by false.

use crate::contract::current::message::{
    ApprovalRequest, Citation, Opaque, ServerToolResult, StructuredValue, TextCitationDeltaPayload,
    ToolResultContent,
};
use crate::json::Value;
use crate::json::raw::{Raw, RawObject, storable};
use crate::json::raw_text::Text;
use crate::providers::core::ids::cut;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::writer::{DeltaWriter, OpenCall, Writing};
use crate::tables::limits::MAX_ID_CHARS;

/// What the provider wants back with one thing: kind and data of each item.
pub(crate) type Items<'a> = &'a [(&'a str, &'a Raw)];

/// The result of a server tool.
#[derive(Default)]
pub(crate) struct ServerResult {
    pub is_error: bool,
    pub content: String,
    pub outcome: Option<String>,
    /// Any JSON value; null is none.
    pub structured: Value,
}

impl DeltaWriter {
    /// Writes the result of a server tool; see [`Writing::server_result`].
    pub(crate) fn server_result(
        &mut self,
        call_id: Option<Text<'_>>,
        result: ServerResult,
        opaque: Items<'_>,
    ) -> bool {
        self.collecting(&mut |_| {}).server_result(call_id, result, opaque)
    }

    /// Writes a block's citations over its text, which is open from `begin` on.
    ///
    /// `made` is the contract's citation of the provider's, and of start and end. What is not a
    /// citation of text is kept. Returns where the text begins, None where there is none.
    pub(crate) fn cite_block(
        &mut self,
        given: &[Raw],
        begin: Option<usize>,
        made: impl Fn(&RawObject, usize, usize) -> Citation,
    ) -> Option<usize> {
        if !given.is_empty() && self.says_new {
            self.flush_half();
        }
        let start = begin.filter(|begin| self.chars > *begin);
        for each in given {
            let found = start.zip(each.object()).filter(|_| self.says_new);
            let citation = found.map(|(start, members)| made(members, start, self.chars));
            if !citation.is_some_and(|made| self.cite(made, &[("citation", each)], None)) {
                self.keep("citation", each, start);
            }
        }
        start
    }

    /// Writes a citation for the last text part, or for `part`.
    ///
    /// Places that contradict each other, and empty members, are left out. `opaque` is the
    /// provider's own, where its requests take it back: `&[("citation", event)]`. Returns false,
    /// with nothing written, without such a text part, and for a source without a kind.
    pub(crate) fn cite(
        &mut self,
        mut citation: Citation,
        opaque: Items<'_>,
        part: Option<i64>,
    ) -> bool {
        let Some(last) = self.text_parts.last().copied() else { return false };
        let at = part.unwrap_or(last);
        let source = &mut citation.source;
        if self.text_parts.binary_search(&at).is_err() || source.kind.as_str().is_empty() {
            return false;
        }
        let members = [&mut source.url, &mut source.title, &mut source.id];
        for member in members.into_iter().chain([&mut citation.quoted_text]) {
            member.take_if(|said| said.is_empty());
        }
        source.locator.take_if(|locator| locator.unit.as_str().is_empty());
        if !matches!((citation.start, citation.end), (Some(start), Some(end)) if start <= end) {
            (citation.start, citation.end) = (None, None);
        }
        self.flush_half();
        let items: Vec<_> = opaque.iter().map(|(kind, data)| item(kind, data, at)).collect();
        citation.opaque = (!items.is_empty()).then(|| self.state.carry(items));
        let part_index = (at != last).then(|| u64::try_from(at).unwrap_or(0));
        self.maker.text_citation(TextCitationDeltaPayload { citation, part_index });
        true
    }

    /// Returns items and what else is due, as the part that has just begun carries them.
    fn carried(&mut self, items: Items<'_>) -> Option<Opaque> {
        for (kind, data) in items {
            self.state.keep(item(kind, data, self.part));
        }
        self.state.of_part(self.part, None)
    }

    /// Returns the id of the call that a result answers, None where it answers none.
    pub(crate) fn answers(&mut self, call_id: Option<Text<'_>>) -> Option<String> {
        let id = call_id.map(Text::well_formed).unwrap_or_default();
        let id = cut(&id, MAX_ID_CHARS);
        let waiting = self.waiting.find(id);
        if waiting.is_some() || id.is_empty() {
            return waiting.map(str::to_owned);
        }
        let is_taken = self.answered.contains(id) || self.parts.contains_key(id);
        (!is_taken).then(|| id.to_owned())
    }
}

/// Returns provider state that belongs to a part as a whole.
pub(crate) fn item(kind: &str, data: &Raw, part: i64) -> OpaqueItem {
    OpaqueItem { kind: kind.to_owned(), data: storable(data), part, start: None, end: None }
}

impl Writing<'_> {
    /// Writes the result of a server tool, whole; its call ends if it is open.
    ///
    /// `call_id` is the call's, or the provider's own for it; it may be of an earlier message.
    /// Without one it is the first call of the stream that has no result. Returns false, with
    /// nothing written, where there is none, where the call has a result already, and where it is a
    /// call of the other kind.
    pub(crate) fn server_result(
        &mut self,
        call_id: Option<Text<'_>>,
        result: ServerResult,
        opaque: Items<'_>,
    ) -> bool {
        let Some(id) = self.writer.answers(call_id) else { return false };
        if let Some(part) = self.writer.parts.get(&id).copied() {
            if self.writer.open.contains_key(&part) {
                self.end_call(OpenCall { part });
            }
        }
        self.break_part();
        let writer = &mut *self.writer;
        writer.waiting.remove(&id);
        writer.answered.insert(id.clone());
        writer.call_ids.retire(&id);
        writer.new_part();
        writer.wrote.server_tool_result = true;
        let payload = ServerToolResult {
            tool_call_id: id,
            is_error: result.is_error,
            content: ToolResultContent::String(result.content),
            outcome: result
                .outcome
                .filter(|said| !said.is_empty())
                .map(|said| said.as_str().into()),
            structured: structured(result.structured),
            opaque: writer.carried(opaque),
        };
        writer.maker.server_result(payload);
        true
    }

    /// Asks for approval of a call of this stream, which ends if it is open.
    ///
    /// Returns false, with nothing written, for an id that is empty or has been used.
    pub(crate) fn approval_request(
        &mut self,
        approval_id: Text<'_>,
        call: OpenCall,
        reason: Option<Text<'_>>,
        opaque: Items<'_>,
    ) -> bool {
        let approval_id = cut(&approval_id.well_formed(), MAX_ID_CHARS).to_owned();
        self.end_call(call);
        let tool_call_id = self.writer.id_of(call).to_owned();
        let is_new = !approval_id.is_empty() && !self.writer.approvals.contains(&approval_id);
        if !is_new || tool_call_id.is_empty() {
            return false;
        }
        self.break_part();
        let writer = &mut *self.writer;
        writer.approvals.insert(approval_id.clone());
        writer.new_part();
        writer.wrote.approval_request = true;
        let reason = reason.map(|reason| reason.well_formed().into_owned());
        let payload = ApprovalRequest {
            approval_id,
            tool_call_id,
            reason: reason.filter(|reason| !reason.is_empty()),
            choices: None,
            requested_at: None,
            opaque: writer.carried(opaque),
        };
        writer.maker.approval_request(payload);
        true
    }
}

fn structured(value: Value) -> Option<StructuredValue> {
    match value {
        Value::Null => None,
        Value::Bool(value) => Some(StructuredValue::Boolean(value)),
        Value::String(text) => Some(StructuredValue::String(text)),
        Value::Array(items) => Some(StructuredValue::Array(items)),
        Value::Object(members) => Some(StructuredValue::Object(members)),
        Value::Number(number) => Some(StructuredValue::Number(number)),
    }
}
