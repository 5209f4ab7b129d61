//! Turns of a history while it is repaired: calls get their answers, and results their place.

use std::collections::HashMap;

use crate::message::history_repair::{INTERRUPTED, Repair};
use crate::message::history_runs::Turns;

impl Repair {
    /// Answers the open calls, and brings results behind the turn of their call.
    pub(crate) fn settle_turns(&mut self, ongoing: bool) {
        let last = self.count_turns();
        let mut answers = HashMap::new();
        for call in std::mem::take(&mut self.calls) {
            let draft = self.draft_of(call);
            let (run, turn) = (self.run_of(draft), self.turn_of(draft));
            let is_last = last.get(&run).is_some_and(|turns| turns.now == turn);
            let end = self.ends.get(&(run, turn)).copied().unwrap_or(draft);
            match self.item(call).and_then(|call| call.partner) {
                None if ongoing && is_last => {}
                None => self.settle_unanswered(call, end, &mut answers),
                Some(result) => {
                    if self.out_of_order.contains(&result) || self.is_late(result, turn) {
                        let moved = self.moved(result);
                        self.behind.entry(end).or_default().push(moved);
                    }
                }
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
            turn.hear(&role);
            if let Some(draft) = self.drafts.all.get_mut(draft) {
                draft.turn = turn.now;
            }
            // The turn of a call that has not come is still 0.
            let is_answer = |item: &usize| {
                let partner = self.item(*item).and_then(|item| item.partner);
                partner.is_some_and(|partner| self.turn_of(self.draft_of(partner)) == turn.now)
            };
            let answers = role == "tool" && self.drafts.items_of(draft).iter().any(is_answer);
            if answers {
                turn.hear_result();
            }
            let key = (run, turn.now);
            if answers || role == "user" || role == "assistant" {
                self.ends.insert(key.clone(), draft);
            }
            if role != "system" {
                self.starts.entry(key).or_insert(draft);
            }
        }
        turns
    }

    fn is_late(&mut self, result: usize, turn: usize) -> bool {
        let is_in_time = self.turn_of(self.draft_of(result)) == turn;
        if is_in_time || self.policy.is("late-tool-result", "keep") {
            return false;
        }
        self.note("late-tool-result", "move", result, "Behind the turn of its call", result);
        true
    }

    /// Returns the message that holds `result` alone: its own, or a new one.
    fn moved(&mut self, result: usize) -> usize {
        let draft = self.draft_of(result);
        if let Some(alone) = self.drafts.all.get_mut(draft).filter(|draft| draft.count == 1) {
            alone.leaves = true;
            return draft;
        }
        let alone = self.drafts.beside(draft, "tool");
        self.drafts.remove(result, "history/late-tool-result");
        self.drafts.put(alone, result);
        alone
    }

    fn settle_unanswered(&mut self, call: usize, end: usize, answers: &mut HashMap<usize, usize>) {
        if self.policy.is("unanswered-tool-call", "drop") {
            return self.drop("unanswered-tool-call", call);
        }
        let answer = answers.get(&end).copied().unwrap_or_else(|| {
            let answer = self.drafts.beside(end, "tool");
            self.behind.entry(end).or_default().push(answer);
            answer
        });
        answers.insert(end, answer);
        let result = self.drafts.put_result(answer, &self.id_of(call), INTERRUPTED);
        let message = format!("Answered by an error result: {INTERRUPTED}");
        self.note("unanswered-tool-call", "answer", call, &message, result);
    }

    /// Lets the user say what an orphan holds, before the turn that it stands in: behind it, the
    /// quote would part a call that waits from its result.
    fn quote(&mut self, orphan: usize) {
        let draft = self.draft_of(orphan);
        let quote = self.drafts.beside(draft, "user");
        let first = self.drafts.put_quote(quote, orphan);
        let message = "Quoted in a message of the user";
        self.note("orphan-tool-result", "text", orphan, message, first);
        self.drafts.remove(orphan, "history/orphan-tool-result");
        let key = (self.run_of(draft), self.turn_of(draft));
        let start = self.starts.get(&key).copied().unwrap_or(draft);
        self.before.entry(start).or_default().push(quote);
    }
}
