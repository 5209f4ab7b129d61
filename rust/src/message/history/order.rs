//! The order of a history while it is repaired: what is behind which turn, or before it.

use std::collections::HashMap;

use crate::message::history::draft::Item;
use crate::message::history::repair::Repair;
use crate::message::history::runs::Turns;
use crate::tables::history_repairs::INTERRUPTED;

impl Repair {
    /// Answers the open calls, and brings results behind the turn of their call.
    pub(super) fn settle_turns(&mut self, ongoing: bool) {
        let last = self.count_turns();
        let mut answers = HashMap::new();
        for call in std::mem::take(&mut self.calls) {
            let draft = self.draft_of(call);
            let (run, turn) = (self.run_of(draft), self.turn_of(draft));
            let is_last = last.get(&run).is_some_and(|turns| turns.now == turn);
            let end = self.ends.get(&(run, turn)).copied().unwrap_or(draft);
            let is_server = self.item(call).is_some_and(Item::is_server);
            match self.item(call).and_then(|call| call.partner) {
                // Only the provider knows whether it goes on.
                result if is_server => {
                    if let Some(result) = result.filter(|each| self.out_of_order.contains(each)) {
                        let alone = self.alone(result);
                        self.next.entry(draft).or_default().push(alone);
                    }
                }
                None if ongoing && is_last => {}
                None => self.settle_unanswered(call, end, &mut answers),
                Some(result) if self.out_of_order.contains(&result) => {
                    let alone = self.alone(result);
                    self.behind.entry(end).or_default().push(alone);
                }
                Some(result) => self.settle_late(result, end, turn),
            }
        }
        for orphan in std::mem::take(&mut self.quoted) {
            self.quote(orphan);
        }
        let mut order = Vec::new();
        for draft in std::mem::take(&mut self.order) {
            order.extend(self.before.remove(&draft).unwrap_or_default());
            if !self.draft(draft).is_some_and(|draft| draft.leaves) {
                order.push(draft);
            }
            order.extend(self.next.remove(&draft).unwrap_or_default());
            order.extend(self.behind.remove(&draft).unwrap_or_default());
        }
        self.order = order;
    }

    fn count_turns(&mut self) -> HashMap<String, Turns> {
        let mut turns: HashMap<String, Turns> = HashMap::new();
        for draft in self.order.clone() {
            let run = self.run_of(draft);
            let role = self.draft(draft).map_or(String::new(), |draft| draft.role.clone());
            let turn = turns.entry(run.clone()).or_insert_with(Turns::new);
            let is_silent = self.drafts.is_silent(draft);
            if !is_silent {
                turn.hear(&role);
            }
            if let Some(draft) = self.drafts.all.get_mut(draft) {
                draft.turn = turn.now;
            }
            // The turn of a call that has not come is still 0; an approval answers no call.
            let is_answer = |item: &usize| {
                let result = self.item(*item).filter(|item| item.kind == Some("tool_result"));
                let partner = result.and_then(|item| item.partner);
                partner.is_some_and(|partner| self.turn_of(self.draft_of(partner)) == turn.now)
            };
            let answers = role == "tool" && self.drafts.items_of(draft).iter().any(is_answer);
            if answers {
                turn.hear_result();
            }
            let key = (run, turn.now);
            if answers || is_silent || role == "user" || role == "assistant" {
                self.ends.insert(key.clone(), draft);
            }
            if role != "system" {
                self.starts.entry(key).or_insert(draft);
            }
        }
        turns
    }

    /// Moves a late result, and what was asked and answered before it: it stays approved so.
    fn settle_late(&mut self, result: usize, end: usize, turn: usize) {
        let is_late = |item: &usize| self.turn_of(self.draft_of(*item)) != turn;
        if !is_late(&result) || self.policy.is("late-tool-result", "keep") {
            return;
        }
        let mut moved = self.approvals_before(result);
        moved.retain(is_late);
        moved.push(result);
        for item in moved {
            self.note("late-tool-result", "move", item, "Behind the turn of its call", item);
            let alone = self.alone(item);
            self.behind.entry(end).or_default().push(alone);
        }
    }

    /// Returns the message that holds `item` alone: its own, or a new one.
    fn alone(&mut self, item: usize) -> usize {
        let draft = self.draft_of(item);
        if let Some(alone) = self.drafts.all.get_mut(draft).filter(|draft| draft.count == 1) {
            alone.leaves = true;
            return draft;
        }
        let role = self.draft(draft).map_or(String::new(), |draft| draft.role.clone());
        let alone = self.drafts.beside(draft, &role, false);
        self.drafts.remove(item, "history/late-tool-result");
        self.drafts.put(alone, item);
        alone
    }

    fn settle_unanswered(&mut self, call: usize, end: usize, answers: &mut HashMap<usize, usize>) {
        if self.policy.is("unanswered-tool-call", "drop") {
            return self.drop("unanswered-tool-call", call);
        }
        let answer = answers.get(&end).copied().unwrap_or_else(|| {
            let answer = self.drafts.beside(end, "tool", true);
            self.behind.entry(end).or_default().push(answer);
            answer
        });
        answers.insert(end, answer);
        let result = self.drafts.put_result(answer, &self.id_of(call), INTERRUPTED, self.outcome);
        let message = format!("Answered by an error result: {INTERRUPTED}");
        self.note("unanswered-tool-call", "answer", call, &message, result);
    }

    /// Lets the user say what an orphan holds, before the turn that it is in: behind it, the
    /// quote would part a call that waits from its result.
    fn quote(&mut self, orphan: usize) {
        let draft = self.draft_of(orphan);
        let quote = self.drafts.beside(draft, "user", false);
        let first = self.drafts.put_quote(quote, orphan);
        let message = "Quoted in a message of the user";
        self.note("orphan-tool-result", "text", orphan, message, first);
        self.drafts.remove(orphan, "history/orphan-tool-result");
        let key = (self.run_of(draft), self.turn_of(draft));
        let start = self.starts.get(&key).copied().unwrap_or(draft);
        self.before.entry(start).or_default().push(quote);
    }
}
