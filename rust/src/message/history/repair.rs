//! Repairs of a history: every defect that a check finds has a policy. Nothing goes without being
//! named; what nothing is wrong with stays as it was given.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::json::Value;

use crate::contract::versions::Version;
use crate::errors::{Error, Finding};
use crate::json::documents::decode_json;
use crate::message::history::approvals::Approvals;
use crate::message::history::changes::{HistoryChange, Policy, Repaired, WholePolicy};
use crate::message::history::draft::{Draft, Drafts, Item};
use crate::message::history::messages::{
    Kinds, allowed_kinds, has_outcome, is_misplaced, read_message,
};
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
pub(super) type Key = (String, String);
/// The same of a call and its result, and whether the provider runs the call.
type Slot = (String, String, bool);

/// One repair: drafts of all messages, settled defect by defect.
#[derive(Default)]
pub(super) struct Repair {
    pub policy: WholePolicy,
    kinds: Kinds,
    /// What results that are made say.
    pub outcome: Option<&'static str>,
    pub drafts: Drafts,
    /// The messages, in their order.
    pub order: Vec<usize>,
    /// A change whose result has no place yet: it is the new place of the item.
    pub notes: Vec<(HistoryChange, Option<usize>)>,
    /// By run, all ids of calls and results.
    used: HashMap<String, HashSet<String>>,
    /// The last call of each id, as given.
    pub latest: HashMap<Key, usize>,
    /// Calls that wait, by the id that they were given with.
    waiting: HashMap<Slot, VecDeque<usize>>,
    /// Results before their call, in the order of their first.
    early: Vec<(Slot, Vec<usize>)>,
    early_places: HashMap<Slot, usize>,
    pub calls: Vec<usize>,
    last_number: HashMap<Key, usize>,
    pub out_of_order: HashSet<usize>,
    pub quoted: Vec<usize>,
    pub approvals: Approvals,
    /// Turns, by run and number: the first and the last message of each.
    pub starts: HashMap<(String, usize), usize>,
    pub ends: HashMap<(String, usize), usize>,
    pub before: HashMap<usize, Vec<usize>>,
    pub next: HashMap<usize, Vec<usize>>,
    pub behind: HashMap<usize, Vec<usize>>,
}

impl Repair {
    pub(super) fn item(&self, item: usize) -> Option<&Item> {
        self.drafts.items.get(item)
    }

    pub(super) fn draft(&self, draft: usize) -> Option<&Draft> {
        self.drafts.all.get(draft)
    }

    pub(super) fn draft_of(&self, item: usize) -> usize {
        self.item(item).map_or(0, |item| item.draft)
    }

    pub(super) fn run_of(&self, draft: usize) -> String {
        self.draft(draft).map_or(String::new(), |draft| draft.run_id.clone())
    }

    pub(super) fn turn_of(&self, draft: usize) -> usize {
        self.draft(draft).map_or(0, |draft| draft.turn)
    }

    pub(super) fn id_of(&self, item: usize) -> String {
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
                self.unreadable(first, index, given);
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
            if self.policy.is("role-part-kind", "drop") {
                // Not approvals: without its question, or the first answer, a call may run.
                let is_approval = |item: &usize| {
                    self.item(*item).is_some_and(|item| !item.approval_id.is_empty())
                };
                let (approvals, others): (Vec<usize>, _) =
                    misplaced.into_iter().partition(is_approval);
                misplaced = approvals;
                for item in others {
                    self.drop("role-part-kind", item);
                }
            }
            if misplaced.is_empty() {
                self.order.push(draft);
            } else {
                let pieces = self.split(draft, &misplaced);
                self.order.extend(pieces);
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
                Some("tool_call" | "server_tool_call") => self.match_call(item, &key, slot),
                Some("tool_result" | "server_tool_result") => self.match_result(item, slot),
                Some("approval_request") => self.match_request(item, key),
                Some("approval_response") => self.match_response(item, key),
                _ => {}
            }
        }
    }

    fn match_call(&mut self, call: usize, key: &Key, slot: Slot) {
        if self.latest.insert(key.clone(), call).is_some() {
            if self.policy.is("duplicate-tool-call", "drop") {
                return self.drop("duplicate-tool-call", call);
            }
            let id = self.new_id(key, call);
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
}
