//! Ids and names that the provider takes: tool call ids are unique in a request, and well-formed.
//!
//! A call and its result are renamed together, and always in the same way as long as the messages
//! before them stay the same: a conversation that grows keeps the prompt cache.

use std::collections::{HashMap, HashSet};

use crate::providers::core::ids::{cut, mark_of};
use crate::providers::request_core::notes::Notes;

/// What the provider takes as a name.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Whether a character may be in it.
    pub takes: fn(char) -> bool,
    /// Whether it may begin with a character that may be in it.
    pub begins: fn(char) -> bool,
    /// The most characters.
    pub chars: usize,
}

/// Tells whether a character is a letter, a digit, "_" or "-" of ASCII.
pub(crate) fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

impl Form {
    pub(crate) const fn new(takes: fn(char) -> bool, chars: usize) -> Self {
        Self { takes, begins: |_| true, chars }
    }

    /// Tells whether the provider takes `name`.
    pub(crate) fn fits(&self, name: &str) -> bool {
        name.chars().next().is_some_and(self.begins)
            && name.chars().all(self.takes)
            && name.chars().count() <= self.chars
    }

    /// Returns a name that fits, always the same for the same name and salt.
    pub(crate) fn fitted(&self, name: &str, salt: &str) -> String {
        let mut plain = String::new();
        let mut is_gap = false;
        for char in name.chars() {
            if is_plain(char) {
                plain.push(char);
            } else if !is_gap {
                plain.push('_');
            }
            is_gap = !is_plain(char);
        }
        let plain = Some(plain.trim_matches('_')).filter(|plain| !plain.is_empty()).unwrap_or("x");
        let mut made = format!("{}_", cut(plain, self.chars.saturating_sub(9)));
        made.push_str(&mark_of(&format!("{salt}\0{name}")));
        if !self.fits(&made) {
            made = made.chars().skip(1).fold("_".to_owned(), |made, char| made + &char.to_string());
        }
        made
    }
}

/// A call as it is sent to the provider.
#[derive(Clone)]
pub(crate) struct Sent {
    pub call_id: String,
    pub name: String,
    /// The number of the turn that it is in.
    pub turn: usize,
    /// Which of the request's calls it is.
    pub number: usize,
}

/// The tool calls of one request, met in order.
pub(crate) struct CallIds<'a> {
    form: Form,
    notes: &'a Notes,
    calls: usize,
    used: HashSet<String>,
    of_run: HashMap<(String, String), Sent>,
    of_any: HashMap<String, Sent>,
    /// Of each replaced id of a run, a count below which all are taken.
    counts: HashMap<(String, String), usize>,
}

impl<'a> CallIds<'a> {
    pub(crate) fn new(form: Form, notes: &'a Notes) -> Self {
        let (of_run, of_any) = (HashMap::new(), HashMap::new());
        let (calls, used, counts) = (0, HashSet::new(), HashMap::new());
        Self { form, notes, calls, used, of_run, of_any, counts }
    }

    /// Returns the id under which the call `id` of a run is sent.
    ///
    /// `own` is the provider's own id of a call whose id was minted: it is sent back, unless another
    /// call has it.
    pub(crate) fn add(
        &mut self,
        (run_id, id): (&str, &str),
        own: &str,
        (name, turn): (&str, usize),
        pointer: &str,
    ) -> String {
        let kept = [own, id].into_iter().find(|each| !each.is_empty() && self.may_stand(each));
        let sent_id = match kept {
            Some(kept) => kept.to_owned(),
            None => self.renamed(run_id, id, pointer),
        };
        self.used.insert(sent_id.clone());
        self.calls += 1;
        let (call_id, number) = (sent_id.clone(), self.calls);
        let sent = Sent { call_id, name: name.to_owned(), turn, number };
        self.of_run.insert((run_id.to_owned(), id.to_owned()), sent.clone());
        self.of_any.insert(id.to_owned(), sent);
        sent_id
    }

    /// Returns the call that a result answers: the run's last one of the id, or any run's.
    pub(crate) fn find(&self, run_id: &str, call_id: &str) -> Option<&Sent> {
        let key = (run_id.to_owned(), call_id.to_owned());
        self.of_run.get(&key).or_else(|| self.of_any.get(call_id))
    }

    /// Returns the id of a result whose call is not in the request.
    pub(crate) fn orphan(&self, call_id: &str) -> String {
        if self.form.fits(call_id) { call_id.to_owned() } else { self.form.fitted(call_id, "") }
    }

    fn may_stand(&self, call_id: &str) -> bool {
        !self.used.contains(call_id) && self.form.fits(call_id)
    }

    fn renamed(&mut self, run_id: &str, call_id: &str, pointer: &str) -> String {
        let count = self.counts.entry((run_id.to_owned(), call_id.to_owned())).or_default();
        let made = loop {
            let salt = if *count == 0 { String::new() } else { count.to_string() };
            let made = self.form.fitted(call_id, &format!("{run_id}\0{salt}"));
            *count += 1;
            if !self.used.contains(&made) {
                break made;
            }
        };
        self.notes.add_with(
            "encode/renamed-tool-call",
            "The provider does not take this tool call id; call and result are sent with another",
            pointer,
            &format!("an unused id of at most {} characters that it takes", self.form.chars),
            made.clone(),
        );
        made
    }
}
