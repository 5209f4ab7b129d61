//! Ids of tool calls: the provider's own, or minted where that cannot be kept.

use std::collections::{HashMap, HashSet};

use hmac_sha256::Hash;

use crate::json::raw::Raw;
use crate::json::raw_text::Text;
use crate::tables::limits::{MADE_ID_CHARS, MAX_ID_CHARS};

/// The ids that a run has used.
///
/// Whoever opens a stream for each of many answers hands it on from stream to stream: it is never
/// copied, and remembers how often a minted id has come again, so that no stream counts from the
/// beginning.
#[derive(Default)]
pub(crate) struct UsedIds {
    pub ids: HashSet<String>,
    repeats: HashMap<String, usize>,
}

/// The ids that a run has used, before this stream and in it.
pub(crate) struct CallIds {
    run_id: String,
    before: UsedIds,
    used: HashSet<String>,
    calls: HashMap<&'static str, usize>,
}

impl CallIds {
    pub(crate) fn new(run_id: &str, ids: HashSet<String>) -> Self {
        let before = UsedIds { ids, ..UsedIds::default() };
        Self { run_id: run_id.to_owned(), before, used: HashSet::new(), calls: HashMap::new() }
    }

    /// Puts other ids in the place of those that were used before this stream; returns these.
    pub(crate) fn exchange(&mut self, before: UsedIds) -> UsedIds {
        std::mem::replace(&mut self.before, before)
    }

    /// Returns the id of the next call, and whether it is its `own`: else it is minted.
    pub(crate) fn take(&mut self, own: Option<Text<'_>>, request_id: &str) -> (String, bool) {
        self.take_as("call", own, request_id)
    }

    /// Returns the next id of those that begin with `prefix` where they are minted; calls of each
    /// are counted apart.
    pub(crate) fn take_as(
        &mut self,
        prefix: &'static str,
        own: Option<Text<'_>>,
        request_id: &str,
    ) -> (String, bool) {
        let calls = self.calls.entry(prefix).or_default();
        let ordinal = *calls;
        *calls += 1;
        let own = own.and_then(Text::whole).filter(|own| self.may_stand(own));
        let id = match own {
            Some(own) => own.to_owned(),
            None => self.mint(prefix, request_id, ordinal),
        };
        self.used.insert(id.clone());
        (id, own.is_some())
    }

    /// Keeps an id from calls that begin from now on: a result has answered it already.
    pub(crate) fn retire(&mut self, id: &str) {
        self.used.insert(id.to_owned());
    }

    fn may_stand(&self, id: &str) -> bool {
        !id.is_empty() && !self.is_used(id) && cut(id, MAX_ID_CHARS) == id
    }

    fn is_used(&self, id: &str) -> bool {
        self.used.contains(id) || self.before.ids.contains(id)
    }

    /// Returns `<prefix>_<request>_<ordinal>`: the same stream always gives the same ids.
    ///
    /// At most 40 letters, digits, "_" and "-", which every provider accepts on the way back.
    fn mint(&mut self, prefix: &str, request_id: &str, ordinal: usize) -> String {
        let source = if request_id.is_empty() { &self.run_id } else { request_id };
        let mut token = token_of(source);
        if token != source || token.len() > MADE_ID_CHARS {
            token = format!("{}-{}", cut(&token, MADE_ID_CHARS - 9), mark_of(source));
        }
        let first = format!("{prefix}_{token}_{ordinal}");
        let spelled =
            |repeat| if repeat == 1 { first.clone() } else { format!("{first}-{repeat}") };
        let mut repeat = self.before.repeats.get(&first).copied().unwrap_or(1);
        let mut id = spelled(repeat);
        while self.is_used(&id) {
            repeat += 1;
            id = spelled(repeat);
        }
        if repeat > 1 {
            self.before.repeats.insert(first, repeat); // those before it stay used
        }
        id
    }
}

/// Returns a name with one "_" for whatever is between letters, digits, "_" and "-".
fn token_of(name: &str) -> String {
    let mut token = String::new();
    let mut is_gap = false;
    for char in name.chars() {
        let fits = char.is_ascii_alphanumeric() || char == '_' || char == '-';
        if fits {
            token.push(char);
        } else if !is_gap {
            token.push('_');
        }
        is_gap = !fits;
    }
    token
}

/// Returns eight hex digits that are the same for a text in every language: of its SHA-256.
pub(crate) fn mark_of(text: &str) -> String {
    let [one, two, three, four, ..] = Hash::hash(text.as_bytes());
    format!("{one:02x}{two:02x}{three:02x}{four:02x}")
}

/// Returns at most `most` characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

// -------------------------------------------------------------------------------------------------
// Calls of server tools, and their results.

/// The calls of server tools that have no result yet, found by any name that a result has.
#[derive(Default)]
pub(crate) struct WaitingCalls {
    ids: HashSet<String>,
    all: Queue,
    /// By the provider's id, where that is another one.
    minted: HashMap<String, Queue>,
}

/// Ids in their order; those that wait no more are passed over, once.
#[derive(Default)]
struct Queue {
    ids: Vec<String>,
    passed: usize,
}

impl WaitingCalls {
    /// Takes a call; `own` is the provider's id where it is another one, else empty.
    pub(crate) fn add(&mut self, id: &str, own: &str) {
        self.ids.insert(id.to_owned());
        self.all.ids.push(id.to_owned());
        if !own.is_empty() {
            self.minted.entry(own.to_owned()).or_default().ids.push(id.to_owned());
        }
    }

    /// Returns the id of the first call that `said` names, or of all where it is empty.
    pub(crate) fn find<'a>(&'a mut self, said: &'a str) -> Option<&'a str> {
        if self.ids.contains(said) {
            return Some(said);
        }
        let queue = if said.is_empty() { Some(&mut self.all) } else { self.minted.get_mut(said) };
        queue?.first(&self.ids)
    }

    /// Lets go of a call, which has its result now; its id never comes again.
    pub(crate) fn remove(&mut self, id: &str) {
        self.ids.remove(id);
    }
}

impl Queue {
    fn first(&mut self, waiting: &HashSet<String>) -> Option<&str> {
        let rest = self.ids.get(self.passed..).unwrap_or_default();
        self.passed += rest.iter().take_while(|id| !waiting.contains(*id)).count();
        self.ids.get(self.passed).map(String::as_str)
    }
}

// -------------------------------------------------------------------------------------------------
// Two answers in one stream, where only the id of the pieces distinguishes them.

/// The id that the pieces of one answer carry.
///
/// Some servers make up an id for every piece: where ids changed before the answer was finished, they
/// tell nothing.
#[derive(Default)]
pub(crate) struct AnswerIds {
    /// Of the first piece that has one; null before.
    pub first: Raw,
    changes: bool,
}

impl AnswerIds {
    /// Takes the id of a piece; tells whether it is of another answer than the first one.
    pub(crate) fn is_other(&mut self, said: &Raw, finished: bool) -> bool {
        if said.some_text().is_none() || *said == self.first {
            return false;
        }
        if self.first.is_null() {
            self.first = said.clone();
            return false;
        }
        self.changes |= !finished;
        !self.changes
    }
}
