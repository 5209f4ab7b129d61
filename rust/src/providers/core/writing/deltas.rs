//! The deltas themselves: what every one of them says, and when it was made.

use crate::contract::current::message::{
    ApprovalRequest, ApprovalRequestDelta, DoneDelta, DoneDeltaPayload, ErrorDelta,
    ErrorDeltaPayload, MediaDataDelta, MediaDataDeltaPayload, MediaEndDelta, MediaEndDeltaPayload,
    MediaStartDelta, MediaStartDeltaPayload, MessageDelta, Opaque, ServerToolCallArgsDelta,
    ServerToolCallEndDelta, ServerToolCallStartDelta, ServerToolResult, ServerToolResultDelta,
    StartDelta, StartDeltaPayload, TextCitationDelta, TextCitationDeltaPayload, TextDelta,
    TextDeltaPayload, ThinkingDelta, ThinkingDeltaPayload, ToolCallArgsDelta,
    ToolCallArgsDeltaPayload, ToolCallEndDelta, ToolCallEndDeltaPayload, ToolCallStartDelta,
    ToolCallStartDeltaPayload, UsageDelta, UsageSummary, WarningDelta, WarningDeltaPayload, tags,
};
use crate::contract::types::Map;
use crate::providers::core::writer::Kind;

/// Gives the timestamp of each delta: RFC 3339, in UTC.
pub type Clock = Box<dyn FnMut() -> String + Send>;

/// The ids that a caller gives to a stream.
#[allow(clippy::struct_field_names)] // ids are what they are
pub(crate) struct Ids {
    pub run_id: String,
    pub message_id: Option<String>,
    pub turn_id: Option<String>,
}

/// Makes the deltas of one stream, numbered and dated.
pub(crate) struct DeltaMaker {
    pub(crate) out: Vec<MessageDelta>,
    pub(crate) ids: Ids,
    clock: Clock,
    /// The instant of a delta that was made for the sake of the one that follows.
    again: Option<String>,
    seq: u64,
}

macro_rules! make {
    ($maker:ident, $delta:ident, $tag:ident, $payload:expr) => {{
        let delta = $delta {
            run_id: $maker.ids.run_id.clone(),
            message_id: $maker.ids.message_id.clone(),
            turn_id: $maker.ids.turn_id.clone(),
            seq: $maker.seq,
            kind: tags::$tag,
            payload: $payload,
            timestamp: $maker.now(),
            provider_raw: None,
        };
        $maker.seq += 1;
        $maker.out.push(MessageDelta::$tag(delta));
    }};
}

impl DeltaMaker {
    pub(crate) fn new(ids: Ids, clock: Clock) -> Self {
        Self { out: Vec::new(), ids, clock, again: None, seq: 0 }
    }

    /// Returns the deltas since the last call.
    pub(crate) fn take(&mut self) -> Vec<MessageDelta> {
        std::mem::take(&mut self.out)
    }

    /// Tells whether there has been a delta.
    pub(crate) fn begun(&self) -> bool {
        self.seq > 0
    }

    fn now(&mut self) -> String {
        self.again.take().unwrap_or_else(|| (self.clock)())
    }

    pub(crate) fn start(&mut self, payload: StartDeltaPayload) {
        make!(self, StartDelta, Start, payload);
    }

    pub(crate) fn text(&mut self, kind: Kind, text_delta: String) {
        self.text_with(kind, text_delta, None);
    }

    /// Ends a part; at the same instant as the next delta, which it was made for.
    pub(crate) fn seal(&mut self, kind: Kind, opaque: Opaque) {
        let now = self.now();
        self.again = Some(now.clone());
        self.text_with(kind, String::new(), Some(opaque));
        self.again = Some(now);
    }

    fn text_with(&mut self, kind: Kind, text_delta: String, opaque: Option<Opaque>) {
        match kind {
            Kind::Text => make!(self, TextDelta, Text, TextDeltaPayload { text_delta, opaque }),
            Kind::Thinking => {
                make!(self, ThinkingDelta, Thinking, ThinkingDeltaPayload { text_delta, opaque });
            }
        }
    }

    pub(crate) fn call_start(&mut self, tool_call_id: String, tool_name: String) {
        let payload = ToolCallStartDeltaPayload { tool_call_id, tool_name, opaque: None };
        make!(self, ToolCallStartDelta, ToolCallStart, payload);
    }

    pub(crate) fn server_call_start(&mut self, tool_call_id: String, tool_name: String) {
        let payload = ToolCallStartDeltaPayload { tool_call_id, tool_name, opaque: None };
        make!(self, ServerToolCallStartDelta, ServerToolCallStart, payload);
    }

    pub(crate) fn args(&mut self, tool_call_id: String, args_text_delta: String, server: bool) {
        let payload = ToolCallArgsDeltaPayload { tool_call_id, args_text_delta, opaque: None };
        if server {
            make!(self, ServerToolCallArgsDelta, ServerToolCallArgs, payload);
        } else {
            make!(self, ToolCallArgsDelta, ToolCallArgs, payload);
        }
    }

    pub(crate) fn call_end(&mut self, tool_call_id: String, opaque: Option<Opaque>, server: bool) {
        let payload = ToolCallEndDeltaPayload { tool_call_id, opaque };
        if server {
            make!(self, ServerToolCallEndDelta, ServerToolCallEnd, payload);
        } else {
            make!(self, ToolCallEndDelta, ToolCallEnd, payload);
        }
    }

    pub(crate) fn server_result(&mut self, payload: ServerToolResult) {
        make!(self, ServerToolResultDelta, ServerToolResult, payload);
    }

    pub(crate) fn approval_request(&mut self, payload: ApprovalRequest) {
        make!(self, ApprovalRequestDelta, ApprovalRequest, payload);
    }

    pub(crate) fn text_citation(&mut self, payload: TextCitationDeltaPayload) {
        make!(self, TextCitationDelta, TextCitation, payload);
    }

    pub(crate) fn media_start(&mut self, payload: MediaStartDeltaPayload) {
        make!(self, MediaStartDelta, MediaStart, payload);
    }

    pub(crate) fn media_data(&mut self, payload: MediaDataDeltaPayload) {
        make!(self, MediaDataDelta, MediaData, payload);
    }

    pub(crate) fn media_end(&mut self, payload: MediaEndDeltaPayload) {
        make!(self, MediaEndDelta, MediaEnd, payload);
    }

    pub(crate) fn warning(&mut self, payload: WarningDeltaPayload) {
        make!(self, WarningDelta, Warning, payload);
    }

    pub(crate) fn usage(&mut self, usage: UsageSummary) {
        make!(self, UsageDelta, Usage, usage);
    }

    pub(crate) fn done(&mut self, finish_reason: &str, provider_finish_reason: Option<String>) {
        let finish_reason = finish_reason.into();
        make!(self, DoneDelta, Done, DoneDeltaPayload { finish_reason, provider_finish_reason });
    }

    pub(crate) fn error(&mut self, code: &str, message: Option<String>, retryable: bool) {
        let (error_code, retryable) = (code.into(), Some(retryable));
        let payload = ErrorDeltaPayload { error_code, message, retryable };
        make!(self, ErrorDelta, Error, payload);
    }
}

/// Sets the raw events that a delta carries.
pub(crate) fn set_raw(delta: &mut MessageDelta, raw: Map) {
    let place = match delta {
        MessageDelta::Start(delta) => &mut delta.provider_raw,
        MessageDelta::Text(delta) => &mut delta.provider_raw,
        MessageDelta::Thinking(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallStart(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallArgs(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallEnd(delta) => &mut delta.provider_raw,
        MessageDelta::TextCitation(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallStart(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallArgs(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallEnd(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolResult(delta) => &mut delta.provider_raw,
        MessageDelta::ApprovalRequest(delta) => &mut delta.provider_raw,
        MessageDelta::MediaStart(delta) => &mut delta.provider_raw,
        MessageDelta::MediaData(delta) => &mut delta.provider_raw,
        MessageDelta::MediaEnd(delta) => &mut delta.provider_raw,
        MessageDelta::Warning(delta) => &mut delta.provider_raw,
        MessageDelta::Usage(delta) => &mut delta.provider_raw,
        MessageDelta::Done(delta) => &mut delta.provider_raw,
        MessageDelta::Error(delta) => &mut delta.provider_raw,
        MessageDelta::Unknown(_) => return,
    };
    *place = Some(raw);
}
