//! Parts that come whole: questions to a person, and results of tools that the provider ran.
//!
//! These deltas have been checked whole: they are what the schema says.

use crate::contract::current::message::{
    ApprovalRequest, ApprovalRequestPart, ServerToolResult, ServerToolResultPart, tags,
};
use crate::errors::{Error, Finding, clip_text};
use crate::json::Value;
use crate::message::assembler::checks::{call_refusal, check_id, refusal, used};
use crate::message::assembler::state::StreamState;

impl StreamState {
    pub(super) fn on_approval(
        &mut self,
        given: &ApprovalRequest,
        payload: &Value,
        seq: u64,
    ) -> Result<(), Error> {
        let (id, call) = (&given.approval_id, &given.tool_call_id);
        check_id("/payload/approvalId", id, seq, self.limits.id_chars)?;
        if !self.calls.contains_key(call) {
            return Err(call_refusal(call, None, None, seq));
        }
        self.check_ended(call, seq)?;
        if self.approvals.contains(id) {
            let rule = "stream/duplicate-approval";
            return Err(used(rule, "approval", "/payload/approvalId", id, seq));
        }
        let part = ApprovalRequestPart { kind: tags::ApprovalRequest, payload: given.clone() };
        self.add_whole(part.into(), payload, seq)?;
        self.approvals.insert(id.clone());
        Ok(())
    }

    pub(super) fn on_result(
        &mut self,
        given: &ServerToolResult,
        payload: &Value,
        seq: u64,
    ) -> Result<(), Error> {
        let id = &given.tool_call_id;
        check_id("/payload/toolCallId", id, seq, self.limits.id_chars)?;
        self.check_ended(id, seq)?;
        let call = self.calls.get(id).and_then(|place| self.call_at(*place));
        if call.is_some_and(|call| !call.server) {
            // The result of a call of the caller's is in another message.
            return Err(call_refusal(id, None, None, seq));
        }
        if self.results.contains(id) {
            let message = "The call has its result already";
            let pointer = "/payload/toolCallId";
            let finding = Finding::error("stream/duplicate-tool-result", pointer, message);
            let finding = finding.expected("one result of each call").actual(clip_text(id));
            return Err(refusal(finding, Some(seq)));
        }
        let part = ServerToolResultPart { kind: tags::ServerToolResult, payload: given.clone() };
        self.add_whole(part.into(), payload, seq)?;
        self.results.insert(id.clone());
        Ok(())
    }
}
