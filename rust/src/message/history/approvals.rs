//! Approvals of a history while it is repaired: requests of calls, and answers to requests.

use std::collections::{HashMap, HashSet};

use crate::message::history::repair::{Key, Repair};

/// The approvals of a history that are kept; of several with one id, the first.
#[derive(Default)]
pub(super) struct Approvals {
    /// Requests by run and approval, each with the id of its call as given.
    requests: HashMap<Key, (usize, String)>,
    /// Those that have an answer.
    decided: HashSet<Key>,
    of_call: HashMap<usize, Vec<usize>>,
}

impl Repair {
    pub(super) fn match_request(&mut self, request: usize, key: Key) {
        let asked = (key.0.clone(), self.approval_of(request));
        let call = self.latest.get(&key).copied().filter(|call| !self.is_gone(*call));
        match call {
            _ if self.approvals.requests.contains_key(&asked) => {
                self.drop_at("duplicate-approval", request, "approvalId");
            }
            None => self.drop("orphan-approval", request),
            Some(call) => {
                self.approvals.requests.insert(asked, (request, key.1));
                self.keep(request, call, call);
            }
        }
    }

    pub(super) fn match_response(&mut self, response: usize, (run, call_id): Key) {
        let asked = (run, self.approval_of(response));
        match self.approvals.requests.get(&asked).cloned() {
            _ if self.approvals.decided.contains(&asked) => {
                self.drop_at("duplicate-approval", response, "approvalId");
            }
            None => self.drop_at("orphan-approval", response, "approvalId"),
            Some((_, given)) if given != call_id => self.drop("orphan-approval", response),
            Some((request, _)) => {
                self.approvals.decided.insert(asked);
                let call = self.item(request).and_then(|request| request.partner);
                self.keep(response, request, call.unwrap_or(request));
            }
        }
    }

    fn approval_of(&self, item: usize) -> String {
        self.item(item).map_or(String::new(), |item| item.approval_id.clone())
    }

    fn is_gone(&self, item: usize) -> bool {
        self.item(item).is_some_and(|item| item.gone)
    }

    fn keep(&mut self, approval: usize, partner: usize, call: usize) {
        if let Some(approval) = self.drafts.items.get_mut(approval) {
            approval.partner = Some(partner);
        }
        self.approvals.of_call.entry(call).or_default().push(approval);
        let id = self.id_of(call);
        if id != self.id_of(approval) {
            self.rename(approval, &id);
        }
    }

    /// Returns requests and answers that are before the result of their call, in order.
    pub(super) fn approvals_before(&self, result: usize) -> Vec<usize> {
        let Some(found) = self.item(result) else { return Vec::new() };
        let own = found.partner.and_then(|call| self.approvals.of_call.get(&call));
        let is_before =
            |item: &&usize| self.item(**item).is_some_and(|item| item.place < found.place);
        own.into_iter().flatten().filter(is_before).copied().collect()
    }

    /// Drops the requests of calls that are dropped, and their answers.
    pub(super) fn settle_approvals(&mut self) {
        for (call, items) in std::mem::take(&mut self.approvals.of_call) {
            if !self.is_gone(call) {
                continue;
            }
            for item in items {
                let kind = self.item(item).and_then(|item| item.kind);
                let is_answer = kind == Some("approval_response");
                let member = if is_answer { "approvalId" } else { "toolCallId" };
                self.drop_at("orphan-approval", item, member);
            }
        }
    }
}
