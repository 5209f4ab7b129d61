//! Repairs of a history: every defect that a check finds has a policy. Nothing goes without being
//! named; what nothing is wrong with stays as it was given.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::json::Value;

use crate::contract::versions::Version;
use crate::errors::{Error, Finding, clip_text};
use crate::json::documents::decode_json;
use crate::message::history::check::{
    Kinds, allowed_kinds, has_outcome, is_misplaced, read_message,
};
use crate::message::history::draft::{Draft, Drafts, Item};
use crate::message::history::policy::{HistoryChange, Policy, WholePolicy};
use crate::message::history::runs::{Turns, position};
use crate::tables::history_repairs::{HOME_ROLES, INTERRUPTED};

/// How a history is repaired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RepairOptions {
    /// What to do about which defect.
    pub policy: Policy,
    /// The history goes on: calls of a run's last turn are left alone.
    pub ongoing: bool,
    /// The contract version whose table of roles holds; results that are made say what it knows.
    pub version: Version,
}

/// The repaired history as JSON text, and the changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// One message each; those that needed no repair as they were given.
    pub messages: Vec<Vec<u8>>,
    /// What was done, in the order of the given history.
    pub changes: Vec<HistoryChange>,
}

/// Returns the history without what a check calls an error, and what was changed.
///
/// Repairing what was repaired changes nothing. New results have the time of the message before
/// them: nothing here has a clock. Fails with [`Error::Usage`] for a policy that does not exist,
/// and [`Error::Read`] for a message that cannot be read, unless the policy is to drop it.
pub fn repair_history<M: AsRef<[u8]>>(
    messages: impl IntoIterator<Item = M>,
    options: &RepairOptions,
) -> Result<Repaired, Error> {
    let has_outcome = has_outcome(options.version)?;
    let mut repair = Repair {
        policy: WholePolicy::new(&options.policy)?,
        kinds: allowed_kinds(options.version)?,
        outcome: Some(INTERRUPTED).filter(|_| has_outcome),
        ..Repair::default()
    };
    repair.open(messages)?;
    repair.settle_roles();
    repair.match_all();
    repair.settle_early();
    repair.settle_turns(options.ongoing);
    repair.settle_approvals();
    Ok(repair.result())
}

/// A run, and the id of a tool call, or of an approval, in it.
type Key = (String, String);
/// The same of a call and its result, and whether the provider runs the call.
type Slot = (String, String, bool);

/// One repair: drafts of all messages, settled defect by defect.
#[derive(Default)]
pub(crate) struct Repair {
    pub policy: WholePolicy,
    kinds: Kinds,
    /// What results that are made say.
    outcome: Option<&'static str>,
    pub drafts: Drafts,
    /// The messages, in their order.
    pub order: Vec<usize>,
    /// A change whose result has no place yet: it is the new place of the item.
    notes: Vec<(HistoryChange, Option<usize>)>,
    /// By run, all ids of calls and results.
    used: HashMap<String, HashSet<String>>,
    /// The last call of each id, as given.
    latest: HashMap<Key, usize>,
    /// Calls that wait, by the id that they were given with.
    waiting: HashMap<Slot, VecDeque<usize>>,
    /// Results before their call, in the order of their first.
    early: Vec<(Slot, Vec<usize>)>,
    early_places: HashMap<Slot, usize>,
    pub calls: Vec<usize>,
    last_number: HashMap<Key, usize>,
    pub out_of_order: HashSet<usize>,
    pub quoted: Vec<usize>,
    /// Requests by run and approval, each with the id of its call as given.
    requests: HashMap<Key, (usize, String)>,
    /// Those that have an answer.
    decided: HashSet<Key>,
    approvals: Vec<usize>,
    /// Turns, by run and number: the first and the last message of each.
    pub starts: HashMap<(String, usize), usize>,
    pub ends: HashMap<(String, usize), usize>,
    pub before: HashMap<usize, Vec<usize>>,
    pub next: HashMap<usize, Vec<usize>>,
    pub behind: HashMap<usize, Vec<usize>>,
}

impl Repair {
    pub(crate) fn item(&self, item: usize) -> Option<&Item> {
        self.drafts.items.get(item)
    }

    pub(crate) fn draft(&self, draft: usize) -> Option<&Draft> {
        self.drafts.all.get(draft)
    }

    pub(crate) fn draft_of(&self, item: usize) -> usize {
        self.item(item).map_or(0, |item| item.draft)
    }

    pub(crate) fn run_of(&self, draft: usize) -> String {
        self.draft(draft).map_or(String::new(), |draft| draft.run_id.clone())
    }

    pub(crate) fn turn_of(&self, draft: usize) -> usize {
        self.draft(draft).map_or(0, |draft| draft.turn)
    }

    pub(crate) fn id_of(&self, item: usize) -> String {
        self.item(item).map_or(String::new(), |item| item.call_id.clone())
    }

    // --- messages -------------------------------------------------------------------------------

    fn open<M: AsRef<[u8]>>(&mut self, messages: impl IntoIterator<Item = M>) -> Result<(), Error> {
        let mut refused: Vec<Finding> = Vec::new();
        for (index, given) in messages.into_iter().enumerate() {
            let given = given.as_ref();
            let found = match (read_message(given), decode_json(given)) {
                (Ok((message, _)), Ok(Value::Object(base))) => {
                    self.order.push(self.drafts.open(given, base, &message, index));
                    continue;
                }
                (Err(found) | Ok((_, found)), _) => found,
            };
            if self.policy.is("unreadable-message", "refuse") {
                refused.extend(found.into_iter().map(|mut each| {
                    each.pointer.insert_str(0, &format!("/{index}"));
                    each
                }));
            } else if let Some(first) = found.into_iter().next() {
                let change = HistoryChange {
                    rule: first.rule,
                    action: "drop",
                    pointer: format!("/{index}"),
                    message: format!("No message: {}", first.message),
                    result: None,
                    removed: Some(String::from_utf8_lossy(given).into()),
                };
                self.notes.push((change, None));
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(Error::Read(refused)) }
    }

    fn settle_roles(&mut self) {
        for draft in std::mem::take(&mut self.order) {
            let role = self.draft(draft).map_or("", |draft| draft.role.as_str());
            let mut misplaced = self.drafts.items_of(draft);
            misplaced.retain(|item| {
                let kind = self.item(*item).and_then(|item| item.kind);
                kind.is_some_and(|kind| is_misplaced(&self.kinds, role, kind))
            });
            if !misplaced.is_empty() && self.policy.is("role-part-kind", "split") {
                let pieces = self.split(draft, &misplaced);
                self.order.extend(pieces);
            } else {
                for item in misplaced {
                    self.drop("role-part-kind", item);
                }
                self.order.push(draft);
            }
        }
    }

    /// Cuts a message where the speaker changes; the first piece of the message's role stays
    /// itself.
    fn split(&mut self, draft: usize, misplaced: &[usize]) -> Vec<usize> {
        let items = self.drafts.take_all(draft);
        let own = self.draft(draft).map_or(String::new(), |draft| draft.role.clone());
        let wrong: HashSet<usize> = misplaced.iter().copied().collect();
        let speaker = |item: &usize| {
            if !wrong.contains(item) {
                return own.clone();
            }
            let kind = self.item(*item).and_then(|item| item.kind);
            let home = HOME_ROLES.iter().find(|(known, _)| Some(*known) == kind);
            home.map_or("user", |(_, role)| role).to_owned()
        };
        let speakers: Vec<String> = items.iter().map(speaker).collect();
        let role =
            if speakers.contains(&own) { own } else { speakers.first().cloned().unwrap_or(own) };
        if let Some(draft) = self.drafts.all.get_mut(draft) {
            draft.role.clone_from(&role);
        }
        let mut pieces: Vec<usize> = Vec::new();
        for (item, speaker) in items.into_iter().zip(speakers) {
            let last = pieces.last().and_then(|piece| self.draft(*piece));
            if last.is_none_or(|last| last.role != speaker) {
                let is_free = self.draft(draft).is_some_and(|draft| draft.count == 0);
                let is_own = speaker == role && is_free && !pieces.contains(&draft);
                pieces.push(if is_own {
                    draft
                } else {
                    self.drafts.beside(draft, &speaker, false)
                });
            }
            if let Some(piece) = pieces.last() {
                self.drafts.put(*piece, item);
            }
        }
        for item in misplaced {
            let role = self.draft(self.draft_of(*item)).map_or("", |draft| draft.role.as_str());
            let message = format!("In a message of role {role}");
            self.note("role-part-kind", "split", *item, &message, *item);
        }
        pieces
    }

    // --- calls and results ----------------------------------------------------------------------

    /// Gives every call the first result that comes while it waits.
    fn match_all(&mut self) {
        let mut all = Vec::new();
        for draft in &self.order {
            let run = self.run_of(*draft);
            for item in self.drafts.items_of(*draft) {
                all.push((item, (run.clone(), self.id_of(item))));
            }
        }
        for (_, (run, id)) in &all {
            self.used.entry(run.clone()).or_default().insert(id.clone());
        }
        for (item, key) in all {
            let Some(found) = self.item(item) else { continue };
            let (run, id) = key.clone();
            let slot = (run, id, found.is_server());
            match found.kind {
                Some("tool_call" | "server_tool_call") => self.match_call(item, key, slot),
                Some("tool_result" | "server_tool_result") => self.match_result(item, slot),
                Some("approval_request") => self.match_request(item, key),
                Some("approval_response") => self.match_response(item, key),
                _ => {}
            }
        }
    }

    fn match_call(&mut self, call: usize, key: Key, slot: Slot) {
        if self.latest.insert(key.clone(), call).is_some() {
            if self.policy.is("duplicate-tool-call", "drop") {
                return self.drop("duplicate-tool-call", call);
            }
            let id = self.new_id(&key, call);
            self.rename(call, &id);
        }
        self.calls.push(call);
        self.waiting.entry(slot).or_default().push_back(call);
    }

    fn match_result(&mut self, result: usize, key: Slot) {
        match self.waiting.get_mut(&key).map(VecDeque::pop_front) {
            Some(Some(call)) => self.answer(call, result),
            Some(None) => self.drop("duplicate-tool-result", result),
            None => {
                let place = *self.early_places.entry(key.clone()).or_insert(self.early.len());
                match self.early.get_mut(place) {
                    Some((_, results)) => results.push(result),
                    None => self.early.push((key, vec![result])),
                }
            }
        }
    }

    fn answer(&mut self, call: usize, result: usize) {
        for (one, other) in [(call, result), (result, call)] {
            if let Some(one) = self.drafts.items.get_mut(one) {
                one.partner = Some(other);
            }
        }
        let id = self.id_of(call);
        if id != self.id_of(result) {
            self.rename(result, &id);
        }
    }

    fn match_request(&mut self, request: usize, key: Key) {
        let asked = (key.0.clone(), self.approval_of(request));
        let call = self.latest.get(&key).copied().filter(|call| !self.is_gone(*call));
        match call {
            _ if self.requests.contains_key(&asked) => {
                self.drop_at("duplicate-approval", request, "approvalId");
            }
            None => self.drop("orphan-approval", request),
            Some(call) => {
                self.requests.insert(asked, (request, key.1));
                self.approve(request, call);
            }
        }
    }

    fn match_response(&mut self, response: usize, (run, call_id): Key) {
        let asked = (run, self.approval_of(response));
        match self.requests.get(&asked).cloned() {
            _ if self.decided.contains(&asked) => {
                self.drop_at("duplicate-approval", response, "approvalId");
            }
            None => self.drop_at("orphan-approval", response, "approvalId"),
            Some((_, given)) if given != call_id => self.drop("orphan-approval", response),
            Some((request, _)) => {
                self.decided.insert(asked);
                self.approve(response, request);
            }
        }
    }

    fn approval_of(&self, item: usize) -> String {
        self.item(item).map_or(String::new(), |item| item.approval_id.clone())
    }

    fn is_gone(&self, item: usize) -> bool {
        self.item(item).is_some_and(|item| item.gone)
    }

    fn approve(&mut self, item: usize, partner: usize) {
        if let Some(item) = self.drafts.items.get_mut(item) {
            item.partner = Some(partner);
        }
        self.approvals.push(item);
        let id = self.id_of(partner);
        if id != self.id_of(item) {
            self.rename(item, &id);
        }
    }

    /// Drops the requests of calls that are dropped, and their answers.
    fn settle_approvals(&mut self) {
        for item in std::mem::take(&mut self.approvals) {
            let partner = self.item(item).and_then(|item| item.partner);
            if !partner.is_some_and(|partner| self.is_gone(partner)) {
                continue;
            }
            let is_answer =
                self.item(item).is_some_and(|each| each.kind == Some("approval_response"));
            self.drop_at(
                "orphan-approval",
                item,
                if is_answer { "approvalId" } else { "toolCallId" },
            );
        }
    }

    fn rename(&mut self, item: usize, id: &str) {
        let message = format!("Renamed from {} to {}", clip_text(&self.id_of(item)), clip_text(id));
        self.note("duplicate-tool-call", "rename", item, &message, item);
        self.drafts.rename(item, id);
    }

    fn new_id(&mut self, key: &Key, call: usize) -> String {
        let id = self.id_of(call);
        let used = self.used.get(&self.run_of(self.draft_of(call)));
        // Of n calls with one id, each looks behind the names of those before it.
        let mut number = self.last_number.get(key).map_or(2, |last| last + 1);
        while used.is_some_and(|used| used.contains(&format!("{id}_{number}"))) {
            number += 1;
        }
        self.last_number.insert(key.clone(), number);
        format!("{id}_{number}")
    }

    /// Settles results that are before their call, and those that have none.
    fn settle_early(&mut self) {
        for (key, results) in std::mem::take(&mut self.early) {
            for result in results {
                let waiting = self.waiting.get_mut(&key);
                let is_move = self.policy.is("result-before-call", "move");
                match waiting {
                    None if self.policy.is("orphan-tool-result", "text") => {
                        self.quoted.push(result);
                    }
                    None => self.drop("orphan-tool-result", result),
                    Some(waiting) => match waiting.pop_front().filter(|_| is_move) {
                        Some(call) => {
                            let is_server = self.item(result).is_some_and(Item::is_server);
                            let place = if is_server { "message" } else { "turn" };
                            let message = format!("Behind the {place} of its call");
                            self.note("result-before-call", "move", result, &message, result);
                            self.answer(call, result);
                            self.out_of_order.insert(result);
                        }
                        // Or the call has another result behind it.
                        None => self.drop("result-before-call", result),
                    },
                }
            }
        }
    }

    // --- changes --------------------------------------------------------------------------------

    pub(crate) fn drop(&mut self, defect: &str, item: usize) {
        self.drop_at(defect, item, "toolCallId");
    }

    fn drop_at(&mut self, defect: &str, item: usize, member: &str) {
        let mut change = self.change(defect, "drop", item, "Taken out", member);
        change.removed = self.item(item).map(|item| item.value.clone());
        self.drafts.remove(item, &change.rule);
        self.notes.push((change, None));
    }

    pub(crate) fn note(
        &mut self,
        defect: &str,
        action: &'static str,
        item: usize,
        message: &str,
        made: usize,
    ) {
        let change = self.change(defect, action, item, message, "toolCallId");
        self.notes.push((change, Some(made)));
    }

    fn change(
        &self,
        defect: &str,
        action: &'static str,
        item: usize,
        message: &str,
        member: &str,
    ) -> HistoryChange {
        let pointer = self.item(item).map_or(String::new(), Item::pointer);
        let pointer = match defect {
            "role-part-kind" => format!("{pointer}/kind"),
            _ => format!("{pointer}/payload/{member}"),
        };
        HistoryChange {
            rule: format!("history/{defect}"),
            action,
            pointer,
            message: message.to_owned(),
            result: None,
            removed: None,
        }
    }

    fn result(mut self) -> Repaired {
        let is_kept = |draft: &Draft| draft.count > 0 || !draft.changed;
        let (kept, emptied): (Vec<usize>, Vec<usize>) =
            self.order.iter().partition(|draft| self.draft(**draft).is_some_and(is_kept));
        let mut places = HashMap::new();
        for (index, draft) in kept.iter().enumerate() {
            for (number, item) in self.drafts.items_of(*draft).into_iter().enumerate() {
                places.insert(item, format!("/{index}/parts/{number}"));
            }
        }
        let mut changes: Vec<HistoryChange> = Vec::new();
        for (mut change, item) in std::mem::take(&mut self.notes) {
            // A part that was named and taken out later has no place.
            change.result = item.and_then(|item| places.get(&item).cloned());
            changes.push(change);
        }
        let emptied = emptied.iter().filter_map(|draft| self.draft(*draft));
        changes.extend(emptied.filter_map(|draft| {
            Some(HistoryChange {
                rule: draft.emptied_by.clone(),
                action: "drop",
                pointer: format!("/{}", draft.index?),
                message: "Taken out: nothing is left of the message".to_owned(),
                result: None,
                removed: Some(Value::Object(draft.base.clone())),
            })
        }));
        changes.sort_by_key(|change| position(&change.pointer));
        Repaired {
            messages: kept.iter().map(|draft| self.drafts.result(*draft)).collect(),
            changes,
        }
    }
}

// -------------------------------------------------------------------------------------------------
// Turns of a history while it is repaired: calls get their answers, and results their place.

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
                // Only the provider knows whether it goes on.
                partner if self.item(call).is_some_and(Item::is_server) => {
                    let early = partner.filter(|result| self.out_of_order.contains(result));
                    if let Some(result) = early {
                        let moved = self.moved(result);
                        self.next.entry(draft).or_default().push(moved);
                    }
                }
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
        let role = self.draft(draft).map_or(String::new(), |draft| draft.role.clone());
        let alone = self.drafts.beside(draft, &role, false);
        self.drafts.remove(result, "history/late-tool-result");
        self.drafts.put(alone, result);
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
