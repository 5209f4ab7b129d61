//! Questions to a person whether a call may run.
//!
//! These deltas have been checked whole: they are what the schema says.

use crate::contract::current::message::{ApprovalRequest, ApprovalRequestPart, tags};
use crate::errors::Error;
use crate::json::Value;
use crate::message::assembler::checks::{call_refusal, check_id, used};
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
}
