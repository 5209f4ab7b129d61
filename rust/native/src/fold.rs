//! The straight way of many streams whose lines are mixed.
//!
//! What a line says of run, message and kind decides to which stream it belongs, and nothing else
//! does: a stream that is taken elsewhere, since a line of it was odd, is still known here. The rules
//! are those of `message/routes.py`, which says why.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use partwire::Limits;

use crate::lane::{Lane, blank};
use crate::line::{Forms, Kind, Line, Of, Whole};

/// About how much is taken at once.
const WINDOW_BYTES: usize = 64 * 1024;

/// The lines that a stream has had: the first, the last, how many; the one that may have been one of
/// them, 0 if there is none; and whether each of them names its message.
pub type Span = (u64, u64, u64, u64, bool);

/// An open stream: its token (0 for one that is taken here), run and message, first and last line,
/// lines, whether each of them names its message, and about how many bytes are held of it here.
pub type OpenStream<'a> = (u64, &'a str, Option<&'a str>, u64, u64, u64, bool, usize);

/// A stream that is taken elsewhere: its number, its name, deltas that say what was taken of it
/// here, and its lines, if these were all.
pub struct Found {
    pub token: u64,
    pub run_id: Box<str>,
    pub message_id: Option<Box<str>>,
    pub told: String,
    pub end: Option<Span>,
}

/// To which stream a line belongs.
pub enum Route {
    To(Found),
    /// To one that has ended, with this kind of delta.
    Late(&'static str),
    /// To one of several.
    Unclear,
}

/// What there is to say of lines that were taken.
pub enum Event {
    /// A stream has become a message.
    Message { run_id: Box<str>, message_id: Option<Box<str>>, span: Span, json: String },
    /// A line of a stream that is taken elsewhere, and the stream's lines if it was the last one.
    /// Of a stream that is broken there is the last line alone.
    Line { token: u64, line: Range<usize>, number: u64, end: Option<Span> },
    /// A line of a stream that has ended, with this kind of delta.
    Late {
        run_id: Box<str>,
        message_id: Option<Box<str>>,
        line: Range<usize>,
        number: u64,
        status: &'static str,
    },
}

/// What a call has taken.
pub struct Taken {
    pub events: Vec<Event>,
    /// The number of the last line that was begun.
    pub number: u64,
    /// Where the next line begins.
    pub at: usize,
    /// The last line, if it is odd: its stream has to be asked for before all that follows it.
    pub odd: Option<Range<usize>>,
}

enum Way {
    Straight(Box<Lane>),
    Elsewhere(u64),
    /// Nobody needs its lines any more.
    Broken(u64),
}

struct Stream {
    run_id: Box<str>,
    message_id: Option<Box<str>>,
    first: u64,
    last: u64,
    lines: u64,
    /// Whether each line names the message.
    is_named: bool,
    way: Way,
}

impl Stream {
    fn is(&self, run_id: &str, message_id: Option<&str>) -> bool {
        *self.run_id == *run_id && self.message_id.as_deref() == message_id
    }
}

/// The open streams of a run.
struct Run {
    open: Open,
    /// The last line that may be one of each of them.
    unclear: u64,
}

enum Open {
    One(usize),
    /// By message id; the one without has none.
    Many(HashMap<Box<str>, usize>),
}

/// The names of streams that ended last.
struct Ended {
    most: usize,
    known: HashMap<(Box<str>, Option<Box<str>>), &'static str>,
    order: VecDeque<(Box<str>, Option<Box<str>>)>,
}

impl Ended {
    fn add(&mut self, run_id: &str, message_id: Option<&str>, status: &'static str) {
        let key = (Box::from(run_id), message_id.map(Box::from));
        if let Some(known) = self.known.get_mut(&key) {
            *known = status;
            return;
        }
        self.order.push_back(key.clone());
        self.known.insert(key, status);
    }

    fn forget(&mut self) {
        while self.order.len() > self.most {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }

    fn get(&self, run_id: &str, message_id: Option<&str>) -> Option<&'static str> {
        self.known.get(&(Box::from(run_id), message_id.map(Box::from))).copied()
    }
}

/// Where a line belongs.
enum Place {
    Slot(usize),
    New,
    Unclear,
}

/// Many streams on their straight way.
pub struct Fold {
    limits: Limits,
    forms: Forms,
    streams: Vec<Option<Stream>>,
    /// Places in `streams` that are free.
    free: Vec<usize>,
    runs: HashMap<Box<str>, Run>,
    /// The streams that are taken elsewhere, by token.
    elsewhere: HashMap<u64, usize>,
    tokens: u64,
    ended: Ended,
    /// The stream of the last line.
    last: usize,
}

impl Fold {
    /// Begins without streams; the names of `most_ended` are remembered after their end.
    pub fn new(limits: Limits, most_ended: usize) -> Self {
        Self {
            limits,
            forms: Forms::new(Of::AnyStream),
            streams: Vec::new(),
            free: Vec::new(),
            runs: HashMap::new(),
            elsewhere: HashMap::new(),
            tokens: 0,
            ended: Ended { most: most_ended, known: HashMap::new(), order: VecDeque::new() },
            last: 0,
        }
    }

    /// Takes whole lines from `at` on, the last one with or without its end: some of them, or those
    /// before and with the first that is odd. `number` is that of the line before.
    pub fn take(&mut self, data: &[u8], mut at: usize, mut number: u64) -> Taken {
        // What comes after an odd line is looked at again: that must not be all that there is.
        let window = data[at..].iter().skip(WINDOW_BYTES).position(|byte| *byte == b'\n');
        let data = &data[..window.map_or(data.len(), |end| at + WINDOW_BYTES + end + 1)];
        let valid = match std::str::from_utf8(&data[at..]) {
            Ok(text) => text.len(),
            Err(error) => {
                let valid = &data[at..at + error.valid_up_to()];
                valid.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
            }
        };
        // It was looked at: this never fails.
        let text = std::str::from_utf8(&data[at..at + valid]).unwrap_or_default();
        let base = at;
        let mut events = Vec::new();
        while at < base + text.len() {
            number += 1;
            match self.line(text, at - base, base, number, &mut events) {
                Some(end) => at = base + end,
                None => break,
            }
        }
        if at >= data.len() {
            return Taken { events, number, at, odd: None };
        }
        if at >= base + text.len() {
            number += 1; // what is not UTF-8
        }
        let length = data[at..].iter().position(|byte| *byte == b'\n');
        let odd = at..length.map_or(data.len(), |length| at + length);
        Taken { events, number, at: data.len().min(odd.end + 1), odd: Some(odd) }
    }

    /// Takes the line that begins at `begin`; returns where the next one does, or None if it is odd.
    #[inline]
    fn line(
        &mut self,
        text: &str,
        begin: usize,
        base: usize,
        number: u64,
        events: &mut Vec<Event>,
    ) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut line = Line::new();
        if let Some(at) = self.forms.read(text, begin, &mut line) {
            let at = blank(bytes, at);
            let end = match bytes.get(at) {
                None => at,
                Some(b'\n') => at + 1,
                Some(_) => return None,
            };
            let place = base + begin..base + at;
            self.delta(&line, None, &text[begin..at], place, number, events)?;
            return Some(end);
        }
        let end = text[begin..].find('\n').map_or(text.len(), |length| begin + length);
        let mut content = &text[begin..end];
        if number == 1 {
            content = content.strip_prefix('\u{feff}').unwrap_or(content);
        }
        if blank(content.as_bytes(), 0) < content.len() {
            let (line, whole, form) = self.forms.read_whole(content)?;
            if line.run_id.contains('\\') || line.message_id.is_some_and(|id| id.contains('\\')) {
                return None; // names are compared as they are written
            }
            let place = base + begin..base + end;
            self.delta(&line, Some(&whole), content, place, number, events)?;
            if let Some(form) = form {
                self.forms.learn(form);
            }
        }
        Some(text.len().min(end + 1))
    }

    /// Takes a delta; None, and nothing changed, if it is odd.
    #[inline]
    fn delta(
        &mut self,
        delta: &Line,
        whole: Option<&Whole>,
        text: &str,
        place: Range<usize>,
        number: u64,
        events: &mut Vec<Event>,
    ) -> Option<()> {
        let slot = match self.place(delta.run_id, delta.message_id, delta.kind == Kind::Start) {
            Place::Slot(slot) => slot,
            Place::New if delta.kind == Kind::Start => {
                return self.begin(delta, whole, text, number);
            }
            Place::New => {
                let status = self.ended.get(delta.run_id, delta.message_id)?;
                let (run_id, message_id) = (delta.run_id.into(), delta.message_id.map(Into::into));
                events.push(Event::Late { run_id, message_id, line: place, number, status });
                return Some(());
            }
            Place::Unclear => return None,
        };
        self.last = slot;
        let ends = delta.kind == Kind::Done;
        let is_named = delta.message_id.is_some();
        let stream = self.streams[slot].as_mut()?;
        match &mut stream.way {
            Way::Straight(lane) => {
                let is_of_turn = delta.turn_id.is_none_or(|turn_id| lane.is_of_turn(turn_id));
                if !is_of_turn || ends && is_unclear(&self.runs, stream.first, delta.run_id) {
                    return None;
                }
                lane.delta(delta, whole, text)?;
                stream.lines += 1;
                stream.last = number;
                stream.is_named &= is_named;
                if ends {
                    let json = lane.message()?;
                    let (run_id, message_id) = (stream.run_id.clone(), stream.message_id.clone());
                    let span = self.end(slot, Some("done"));
                    events.push(Event::Message { run_id, message_id, span, json });
                }
            }
            Way::Elsewhere(token) => {
                let token = *token;
                let end = self.count(slot, number, is_named, ends.then_some("done"));
                events.push(Event::Line { token, line: place, number, end });
            }
            Way::Broken(token) => {
                let token = *token;
                let end = self.count(slot, number, is_named, ends.then_some("done"));
                if end.is_some() {
                    let line = place.start..place.start;
                    events.push(Event::Line { token, line, number, end });
                }
            }
        }
        Some(())
    }

    /// Opens the stream of a start.
    fn begin(
        &mut self,
        start: &Line,
        whole: Option<&Whole>,
        text: &str,
        number: u64,
    ) -> Option<()> {
        let mut lane = Box::new(Lane::new(None, self.limits));
        lane.delta(start, whole, text)?;
        let slot = self.open(start.run_id, start.message_id, number, Way::Straight(lane));
        self.count(slot, number, start.message_id.is_some(), None);
        Some(())
    }

    /// Opens a stream.
    fn open(&mut self, run_id: &str, message_id: Option<&str>, first: u64, way: Way) -> usize {
        let stream = Stream {
            run_id: run_id.into(),
            message_id: message_id.map(Into::into),
            first,
            last: first,
            lines: 0,
            is_named: true,
            way,
        };
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            self.streams.push(Some(stream));
        } else {
            self.streams[slot] = Some(stream);
        }
        match self.runs.get_mut(run_id) {
            None => {
                self.runs.insert(run_id.into(), Run { open: Open::One(slot), unclear: 0 });
            }
            Some(run) => {
                if let Open::One(other) = run.open {
                    let name = self.streams[other].as_ref().and_then(|one| one.message_id.clone());
                    run.open = Open::Many(HashMap::from([(name.unwrap_or_default(), other)]));
                }
                if let Open::Many(open) = &mut run.open {
                    open.insert(message_id.unwrap_or_default().into(), slot);
                }
            }
        }
        slot
    }

    /// Finds the stream of a line.
    #[inline]
    fn place(&self, run_id: &str, message_id: Option<&str>, is_start: bool) -> Place {
        if let Some(Some(last)) = self.streams.get(self.last)
            && message_id.is_some()
            && last.is(run_id, message_id)
        {
            return Place::Slot(self.last);
        }
        let Some(run) = self.runs.get(run_id) else { return Place::New };
        let is_exact = is_start || message_id.is_some();
        match &run.open {
            Open::One(slot) if !is_exact => Place::Slot(*slot),
            Open::One(slot) => {
                let one = self.streams[*slot].as_ref();
                if one.is_some_and(|one| one.message_id.as_deref() == message_id) {
                    Place::Slot(*slot)
                } else {
                    Place::New
                }
            }
            Open::Many(open) if is_exact => {
                let slot = open.get(message_id.unwrap_or_default());
                slot.map_or(Place::New, |slot| Place::Slot(*slot))
            }
            Open::Many(open) => match open.values().next() {
                Some(slot) if open.len() == 1 => Place::Slot(*slot),
                _ => Place::Unclear,
            },
        }
    }

    /// Counts a line of a stream; returns all its lines, if this was the last one.
    fn count(
        &mut self,
        slot: usize,
        number: u64,
        is_named: bool,
        ends: Option<&'static str>,
    ) -> Option<Span> {
        let stream = self.streams[slot].as_mut()?;
        stream.lines += 1;
        stream.last = number;
        stream.is_named &= is_named;
        ends.map(|status| self.end(slot, Some(status)))
    }

    /// Lets a stream be open no longer; with a status, its name is remembered.
    fn end(&mut self, slot: usize, status: Option<&'static str>) -> Span {
        let Some(stream) = self.streams[slot].take() else { return (0, 0, 0, 0, true) };
        self.free.push(slot);
        let mut unclear = 0;
        if let Some(run) = self.runs.get_mut(&stream.run_id) {
            unclear = if run.unclear > stream.first { run.unclear } else { 0 };
            let is_empty = match &mut run.open {
                Open::One(_) => true,
                Open::Many(open) => {
                    open.remove(stream.message_id.as_deref().unwrap_or_default());
                    open.is_empty()
                }
            };
            if is_empty {
                self.runs.remove(&stream.run_id);
            }
        }
        if let Way::Elsewhere(token) | Way::Broken(token) = stream.way {
            self.elsewhere.remove(&token);
        }
        if let Some(status) = status {
            self.ended.add(&stream.run_id, stream.message_id.as_deref(), status);
            self.ended.add(&stream.run_id, None, status); // of lines that name no message
            self.ended.forget();
        }
        (stream.first, stream.last, stream.lines, unclear, stream.is_named)
    }

    // --- streams that are taken elsewhere ---------------------------------------------------------

    /// Finds the stream of an odd line, which is one line longer now; all its lines are taken elsewhere
    /// from then on.
    pub fn route(
        &mut self,
        run_id: &str,
        message_id: Option<&str>,
        kind: Option<&str>,
        number: u64,
    ) -> Route {
        let is_start = kind == Some("start");
        let slot = match self.place(run_id, message_id, is_start) {
            Place::Slot(slot) => slot,
            Place::Unclear => {
                if let Some(run) = self.runs.get_mut(run_id) {
                    run.unclear = number;
                }
                return Route::Unclear;
            }
            Place::New => {
                let late = self.ended.get(run_id, message_id).filter(|_| !is_start);
                if let Some(status) = late {
                    return Route::Late(status);
                }
                self.tokens += 1;
                let slot = self.open(run_id, message_id, number, Way::Elsewhere(self.tokens));
                self.elsewhere.insert(self.tokens, slot);
                slot
            }
        };
        let status = match kind {
            Some("done") => Some("done"),
            Some("error") => Some("error"),
            _ => None,
        };
        let mut found = self.hand_over(slot);
        found.end = self.count(slot, number, message_id.is_some(), status);
        Route::To(found)
    }

    /// Takes a stream out that has exactly this name.
    pub fn remove(&mut self, run_id: &str, message_id: Option<&str>) -> Option<Found> {
        let Place::Slot(slot) = self.place(run_id, message_id, true) else { return None };
        let mut found = self.hand_over(slot);
        found.end = Some(self.end(slot, None));
        Some(found)
    }

    /// Lets a stream be taken elsewhere.
    fn hand_over(&mut self, slot: usize) -> Found {
        let mut found = Found {
            token: 0,
            run_id: Box::default(),
            message_id: None,
            told: String::new(),
            end: None,
        };
        let Some(stream) = &mut self.streams[slot] else { return found };
        found.run_id.clone_from(&stream.run_id);
        found.message_id.clone_from(&stream.message_id);
        match &mut stream.way {
            Way::Elsewhere(token) | Way::Broken(token) => found.token = *token,
            Way::Straight(lane) => {
                found.told = lane.condensed();
                self.tokens += 1;
                found.token = self.tokens;
                stream.way = Way::Elsewhere(self.tokens);
                self.elsewhere.insert(self.tokens, slot);
            }
        }
        found
    }

    /// Says that a stream is broken: its lines are of no use to anybody.
    pub fn absorb(&mut self, token: u64) {
        if let Some(slot) = self.elsewhere.get(&token)
            && let Some(stream) = &mut self.streams[*slot]
        {
            stream.way = Way::Broken(token);
        }
    }

    /// Returns the open streams.
    pub fn open_streams(&self) -> impl Iterator<Item = OpenStream<'_>> {
        self.streams.iter().flatten().map(|stream| {
            let (token, held) = match &stream.way {
                Way::Straight(lane) => (0, lane.held()),
                Way::Elsewhere(token) | Way::Broken(token) => (*token, 0),
            };
            let Stream { run_id, message_id, first, last, lines, is_named, .. } = stream;
            (token, &**run_id, message_id.as_deref(), *first, *last, *lines, *is_named, held)
        })
    }
}

/// Tells whether a line of the run may be one of the stream that began with the line `first`.
fn is_unclear(runs: &HashMap<Box<str>, Run>, first: u64, run_id: &str) -> bool {
    runs.get(run_id).is_some_and(|run| run.unclear > first)
}
