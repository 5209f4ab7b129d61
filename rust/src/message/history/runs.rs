//! What a history checker keeps of a run: open calls and requests, early results, the turn.

use std::collections::{HashMap, HashSet};

/// A part of a history, by index of message and part; `line` is the message's, in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub message: usize,
    pub part: usize,
    pub line: Option<usize>,
}

impl Place {
    /// Returns the pointer to the tool call id of the part.
    pub(crate) fn pointer(&self) -> String {
        self.to("/payload/toolCallId")
    }

    /// Returns the pointer to a member of the part.
    pub(crate) fn to(&self, member: &str) -> String {
        format!("/{}/parts/{}{member}", self.message, self.part)
    }
}

/// What a call and its result have in common: the id, and whether the provider runs the call. No
/// result answers a call of the other kind.
pub(crate) type CallKey = (String, bool);

/// Returns message and part of a pointer; what is about a whole message comes first.
pub(crate) fn position(pointer: &str) -> (usize, Option<usize>) {
    let mut tokens = pointer.split('/').skip(1);
    let number = |token: Option<&str>| token.and_then(|token| token.parse::<usize>().ok());
    let message = number(tokens.next()).unwrap_or(0);
    let part = if tokens.next() == Some("parts") { number(tokens.next()) } else { None };
    (message, part)
}

/// Who speaks in a run, as far as turns know them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Nobody,
    User,
    Assistant,
    Tool,
}

/// A request for approval: the call that it is about, and the ids of the choices that it offers.
#[derive(Clone)]
pub(crate) struct Request {
    pub key: CallKey,
    pub choices: Vec<String>,
}

struct Waiting {
    place: Place,
    turn: usize,
    has_early_result: bool,
}

/// How a result answers a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    InTime,
    OutOfOrder,
    Late,
}

/// Counts the turns of one run.
///
/// A turn begins where the user speaks, or the assistant after anybody else. The tool speaks with
/// results of the turn's own calls alone, so that one stray result makes no other one late; the
/// system does not count, nor do approvals and results of the provider.
pub(crate) struct Turns {
    pub now: usize,
    speaker: Speaker,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { now: 0, speaker: Speaker::Nobody }
    }

    /// Notes what a message of `role` says; results are for [`hear_result`](Self::hear_result).
    pub(crate) fn hear(&mut self, role: &str) {
        let speaker = match role {
            "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            _ => return,
        };
        if speaker != self.speaker {
            self.now += 1;
            self.speaker = speaker;
        }
    }

    /// Notes a result of a call of this turn.
    pub(crate) fn hear_result(&mut self) {
        self.speaker = Speaker::Tool;
    }
}

/// One run while it has open calls or requests, or early results.
pub(crate) struct RunState {
    pub turns: Turns,
    calls: HashMap<CallKey, Waiting>,
    early: HashMap<CallKey, Vec<Place>>,
    /// The place of the last answered call.
    answered: Option<(usize, usize)>,
    /// Approvals that are asked for.
    requests: HashMap<String, Request>,
    /// Those that an open call waits for.
    unapproved: HashMap<CallKey, HashSet<String>>,
}

impl RunState {
    pub(crate) fn new() -> Self {
        Self {
            turns: Turns::new(),
            calls: HashMap::new(),
            early: HashMap::new(),
            answered: None,
            requests: HashMap::new(),
            unapproved: HashMap::new(),
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.calls.is_empty() && self.early.is_empty() && self.requests.is_empty()
    }

    /// Returns the last open call of this id, of either kind, and its place.
    pub(crate) fn open_of(&self, id: &str) -> Option<(CallKey, Place)> {
        let of = |is_server| {
            let key = (id.to_owned(), is_server);
            let place = self.calls.get(&key)?.place;
            Some((key, place))
        };
        let open = [of(false), of(true)].into_iter().flatten();
        open.max_by_key(|(_, place)| (place.message, place.part))
    }

    pub(crate) fn is_open(&self, key: &CallKey) -> bool {
        self.calls.contains_key(key)
    }

    /// Opens a call; returns the places of results that came before it.
    pub(crate) fn open_call(&mut self, key: CallKey, place: Place) -> Vec<Place> {
        let early = self.early.remove(&key).unwrap_or_default();
        let call = Waiting { place, turn: self.turns.now, has_early_result: !early.is_empty() };
        self.calls.insert(key, call);
        early
    }

    /// Closes the open call of this key, if there is one.
    pub(crate) fn answer(&mut self, key: &CallKey) -> Option<Answer> {
        let call = self.calls.remove(key)?;
        if key.1 {
            return Some(Answer::InTime); // the provider's results may come in any later message
        }
        if call.turn != self.turns.now {
            return Some(Answer::Late);
        }
        self.turns.hear_result();
        let place = Some((call.place.message, call.place.part));
        if place < self.answered {
            return Some(Answer::OutOfOrder);
        }
        self.answered = place;
        Some(Answer::InTime)
    }

    /// Keeps a result whose call may still come.
    pub(crate) fn hold(&mut self, key: CallKey, place: Place) {
        self.early.entry(key).or_default().push(place);
    }

    /// Returns id and place of the results whose call has not come.
    pub(crate) fn early_results(&self) -> impl Iterator<Item = (&str, Place)> {
        let each = self.early.iter();
        each.flat_map(|((id, _), places)| places.iter().map(move |place| (id.as_str(), *place)))
    }

    /// Returns key and place of the open calls; with `ongoing`, of those passed over.
    pub(crate) fn unanswered(&self, ongoing: bool) -> impl Iterator<Item = (&CallKey, Place)> {
        let counts = move |call: &Waiting| !(ongoing && call.turn == self.turns.now);
        let open = self.calls.iter();
        open.filter(move |(_, call)| !call.has_early_result && counts(call))
            .map(|(key, call)| (key, call.place))
    }

    /// Notes a request for the approval of a call.
    pub(crate) fn ask(&mut self, approval_id: &str, request: Request) {
        if self.calls.contains_key(&request.key) {
            let waiting = self.unapproved.entry(request.key.clone()).or_default();
            waiting.insert(approval_id.to_owned());
        }
        self.requests.insert(approval_id.to_owned(), request);
    }

    /// Returns the open request of this id.
    pub(crate) fn asked(&self, approval_id: &str) -> Option<&Request> {
        self.requests.get(approval_id)
    }

    /// Closes an open request.
    pub(crate) fn decide(&mut self, approval_id: &str, is_approved: bool) {
        let Some(request) = self.requests.remove(approval_id).filter(|_| is_approved) else {
            return;
        };
        if let Some(waiting) = self.unapproved.get_mut(&request.key) {
            waiting.remove(approval_id);
        }
    }

    /// Tells whether a call that is answered now waited for an approval.
    pub(crate) fn take_unapproved(&mut self, key: &CallKey) -> bool {
        self.unapproved.remove(key).is_some_and(|waiting| !waiting.is_empty())
    }
}

/// The keys that were added last: at least `size`, at most twice that; all if there is no size.
pub(crate) struct RecentKeys {
    size: Option<usize>,
    recent: HashSet<(String, String)>,
    older: HashSet<(String, String)>,
}

impl RecentKeys {
    pub(crate) fn new(size: Option<usize>) -> Self {
        Self { size, recent: HashSet::new(), older: HashSet::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.recent.clear();
        self.older.clear();
    }

    pub(crate) fn add(&mut self, run_id: &str, id: &str) {
        self.recent.insert((run_id.to_owned(), id.to_owned()));
        if self.size.is_some_and(|size| self.recent.len() >= size) {
            // Two generations: forgetting one by one would need the order of all.
            self.older = std::mem::take(&mut self.recent);
        }
    }

    pub(crate) fn has(&self, run_id: &str, id: &str) -> bool {
        let key = (run_id.to_owned(), id.to_owned());
        self.recent.contains(&key) || self.older.contains(&key)
    }
}
