//! What a repair does about which defect, and how it says what it did.

use std::collections::HashMap;

use crate::json::Value;

use crate::errors::{Error, Finding, clip_text};
use crate::message::history::draft::{Draft, Item};
use crate::message::history::repair::Repair;
use crate::message::history::runs::position;
use crate::tables::history_repairs::REPAIRS;

/// Defect → what is to be done about it, by name: the rules `history/…` without their room, and
/// `unreadable-message`. Where nothing is said, the first that can be done is.
pub type Policy = HashMap<String, String>;

/// One thing that a repair did.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryChange {
    /// The rule of the defect.
    pub rule: String,
    /// What was done.
    pub action: &'static str,
    /// The place in the given history.
    pub pointer: String,
    /// A sentence for people.
    pub message: String,
    /// The place in the repaired history of what was made of it.
    pub result: Option<String>,
    /// What was taken out.
    pub removed: Option<Value>,
}

/// The repaired history as JSON text, and the changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// One message each; those that needed no repair as they were given.
    pub messages: Vec<Vec<u8>>,
    /// What was done, in the order of the given history.
    pub changes: Vec<HistoryChange>,
}

/// A policy that says what to do about every defect.
#[derive(Default)]
pub(crate) struct WholePolicy(HashMap<&'static str, &'static str>);

impl WholePolicy {
    /// Fails with `usage/invalid-argument` for a defect or an action that does not exist.
    pub(crate) fn new(policy: &Policy) -> Result<Self, Error> {
        let mut whole: HashMap<_, _> =
            REPAIRS.iter().filter_map(|(defect, all)| Some((*defect, *all.first()?))).collect();
        for (name, action) in policy {
            let Some((defect, actions)) = REPAIRS.iter().find(|(defect, _)| defect == name) else {
                let known: Vec<&str> = REPAIRS.iter().map(|(defect, _)| *defect).collect();
                let actual = Value::from(name.as_str());
                return Err(Error::argument("No such defect", &known.join(" or "), &actual));
            };
            let Some(action) = actions.iter().find(|known| *known == action) else {
                let message = format!("No such repair of {name}");
                let actual = Value::from(action.as_str());
                return Err(Error::argument(&message, &actions.join(" or "), &actual));
            };
            whole.insert(defect, action);
        }
        Ok(Self(whole))
    }

    /// Tells whether an action is to be taken about a defect.
    pub(crate) fn is(&self, defect: &str, action: &str) -> bool {
        self.0.get(defect).is_some_and(|chosen| *chosen == action)
    }
}

impl Repair {
    /// Notes that something that is not a message is left out.
    pub(super) fn unreadable(&mut self, first: Finding, index: usize, given: &[u8]) {
        let change = HistoryChange {
            rule: first.rule,
            action: "drop",
            pointer: format!("/{index}"),
            message: format!("Not a message: {}", first.message),
            result: None,
            removed: Some(String::from_utf8_lossy(given).into()),
        };
        self.notes.push((change, None));
    }

    /// Gives a call, or what belongs to one, another id.
    pub(super) fn rename(&mut self, item: usize, id: &str) {
        let message = format!("Renamed from {} to {}", clip_text(&self.id_of(item)), clip_text(id));
        self.note("duplicate-tool-call", "rename", item, &message, item);
        self.drafts.rename(item, id);
    }

    pub(super) fn drop(&mut self, defect: &str, item: usize) {
        self.drop_at(defect, item, "toolCallId");
    }

    pub(super) fn drop_at(&mut self, defect: &str, item: usize, member: &str) {
        let mut change = self.change(defect, "drop", item, "Taken out", member);
        change.removed = self.item(item).map(|item| item.value.clone());
        self.drafts.remove(item, &change.rule);
        self.notes.push((change, None));
    }

    pub(super) fn note(
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

    pub(super) fn result(mut self) -> Repaired {
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
