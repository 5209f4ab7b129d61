//! The straight way of a stream of deltas: lines in, the finished message out.
//!
//! A [`Lane`] knows what a valid stream says, and nothing of errors. The first line that is odd in
//! any way ends it, taken or not: whoever assembles by the rules takes [`Lane::condensed`], fewer
//! deltas that say the same as all that were taken, and goes on from that line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use partwire::Limits;
use partwire::types::message::{MessageDelta, StartDeltaPayload, UsageSummary};

use crate::line::{Forms, Kind, Line, Of, Opaque, Whole};
use crate::part::{Call, Part, Start, What, delta_line, is_empty};
use crate::scan::{Is, Text, decode_into, encoded, needs_escape, skim, space};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Idle,
    Started,
    Done,
}

/// Figures of a stream, as text.
#[derive(Default)]
struct Usage {
    counts: [Option<Box<str>>; COUNTS.len()],
    cost: Option<Box<str>>,
}

/// The counts of a usage summary in its order; the first three are always there.
const COUNTS: [&str; 6] = [
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "reasoningTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
];
const COUNTS_DEMANDED: usize = 3;

/// How a stream ended.
struct End {
    finish_reason: Box<str>,
    provider_reason: Option<Box<str>>,
    timestamp: Box<str>,
}

/// What the log keeps of a delta.
enum Logged {
    Line(Box<str>),
    Delta(Box<MessageDelta>),
}

impl Logged {
    /// About how many bytes are held.
    fn held(&self) -> usize {
        match self {
            Self::Line(line) => line.len(),
            Self::Delta(_) => size_of::<MessageDelta>(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Line(line) => line.into(),
            Self::Delta(delta) => serde_json::to_string(&delta).unwrap_or_default(),
        }
    }
}

/// One stream on its straight way.
pub struct Lane {
    limits: Limits,
    run_id: Option<String>,
    status: Status,
    start: Option<Start>,
    end: Option<End>,
    last_seq: Option<u64>,
    parts: Vec<Part>,
    calls: HashMap<String, usize>,
    open_calls: usize,
    /// The part of the call that was found last.
    last_call: usize,
    /// The last part, while text can join it.
    text: Option<usize>,
    text_left: u64,
    opaque_left: u64,
    usage: Option<Usage>,
    forms: Forms,
    lines: u64,
    /// Lines that no later one can join, with their seq, that are not told yet.
    log: Vec<(u64, Logged)>,
    /// The parts that have something untold.
    untold: Vec<usize>,
    /// The last seq that [`Self::condensed`] has returned.
    told_seq: Option<u64>,
    /// Whether something was told: the message is made elsewhere then.
    followed: bool,
}

impl Lane {
    /// Begins a stream; with a run id, of that run alone.
    pub fn new(run_id: Option<String>, limits: Limits) -> Self {
        Self {
            limits,
            run_id,
            status: Status::Idle,
            start: None,
            end: None,
            last_seq: None,
            parts: Vec::new(),
            calls: HashMap::new(),
            open_calls: 0,
            last_call: 0,
            text: None,
            text_left: limits.text_bytes,
            opaque_left: limits.opaque_bytes,
            usage: None,
            forms: Forms::new(Of::OneStream),
            lines: 0,
            log: Vec::new(),
            untold: Vec::new(),
            told_seq: None,
            followed: false,
        }
    }

    /// How many lines were taken, blank ones included.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Takes whole lines, the last one with or without its end; returns how many bytes were taken:
    /// all of them, or those before the first line that is odd.
    pub fn take(&mut self, data: &[u8]) -> usize {
        let text = std::str::from_utf8(data).unwrap_or_else(|error| {
            let valid = &data[..error.valid_up_to()];
            let end = valid.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            std::str::from_utf8(&valid[..end]).unwrap_or_default()
        });
        let mut at = 0;
        while at < text.len() {
            match self.line(text, at) {
                Some(end) => at = end,
                None => return at,
            }
            self.lines += 1;
        }
        at
    }

    /// Takes one line, with or without its end, whatever is in it; returns whether it was taken.
    pub fn take_one(&mut self, line: &[u8]) -> bool {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        if content.is_empty() {
            self.lines += 1;
            return true;
        }
        !content.contains(&b'\n') && self.take(line) == line.len()
    }

    /// Takes a delta of one stream, in which all say the same ids; returns it if it was not taken.
    pub fn take_delta(&mut self, delta: MessageDelta) -> Option<MessageDelta> {
        let Some((kind, seq)) = self.plain_delta(&delta) else {
            // With state, or with escapes where they are rare.
            let is_taken = serde_json::to_vec(&delta).is_ok_and(|line| self.take_one(&line));
            return (!is_taken).then_some(delta);
        };
        self.lines += 1;
        if !kind.is_piece() {
            self.log.push((seq, Logged::Delta(Box::new(delta))));
        }
        None
    }

    /// Takes a delta whose text need not be made, but does not log it.
    fn plain_delta(&mut self, delta: &MessageDelta) -> Option<(Kind, u64)> {
        let mut escaped = String::new();
        let mut line = Line::new();
        let plain = |text: &'_ str| (!needs_escape(text)).then_some(());
        macro_rules! take {
            ($delta:ident, $kind:ident $(, $name:ident: $value:expr)*) => {{
                (line.kind, line.seq) = (Kind::$kind, $delta.seq);
                $(line.$name = $value;)*
                self.step(&line, None)?;
            }};
        }
        macro_rules! take_whole {
            ($delta:ident, $kind:ident, $payload:expr) => {{
                let ids =
                    (&*$delta.run_id, $delta.message_id.as_deref(), $delta.turn_id.as_deref());
                let payload = $payload;
                let whole = Whole::given(ids, &$delta.timestamp, &payload)?;
                (line.kind, line.seq) = (Kind::$kind, $delta.seq);
                self.step(&line, Some(&whole))?;
            }};
        }
        match delta {
            MessageDelta::Text(delta) if delta.payload.opaque.is_none() => {
                take!(delta, Text, piece: encoded(&delta.payload.text_delta, &mut escaped));
            }
            MessageDelta::Thinking(delta) if delta.payload.opaque.is_none() => {
                take!(delta, Thinking, piece: encoded(&delta.payload.text_delta, &mut escaped));
            }
            MessageDelta::ToolCallArgs(delta) if delta.payload.opaque.is_none() => {
                let payload = &delta.payload;
                plain(&payload.tool_call_id)?;
                let piece = encoded(&payload.args_text_delta, &mut escaped);
                take!(delta, Args, call_id: &payload.tool_call_id, piece: piece);
            }
            MessageDelta::ToolCallStart(delta) if delta.payload.opaque.is_none() => {
                let (id, name) = (&delta.payload.tool_call_id, &delta.payload.tool_name);
                plain(id).and(plain(name))?;
                take!(delta, CallStart, call_id: id, tool_name: name);
            }
            MessageDelta::ToolCallEnd(delta) if delta.payload.opaque.is_none() => {
                plain(&delta.payload.tool_call_id)?;
                take!(delta, CallEnd, call_id: &delta.payload.tool_call_id);
            }
            MessageDelta::Start(delta) => {
                let StartDeltaPayload { model_id, request_id, author, format } = &delta.payload;
                if author.is_some() || format.is_some() {
                    return None;
                }
                take_whole!(delta, Start, [("modelId", &**model_id), ("requestId", request_id)]);
            }
            MessageDelta::Usage(delta) if delta.payload.cost.is_none() => {
                let figures = figures_of(&delta.payload);
                let named = COUNTS.into_iter().zip(&figures);
                let named = named.filter_map(|(name, figure)| Some((name, figure.as_deref()?)));
                take_whole!(delta, Usage, named.collect::<Vec<_>>());
            }
            MessageDelta::Done(delta) => {
                let own = delta.payload.provider_finish_reason.as_deref();
                let reason = ("finishReason", delta.payload.finish_reason.as_str());
                let own = own.map(|own| ("providerFinishReason", own));
                take_whole!(delta, Done, [reason].into_iter().chain(own).collect::<Vec<_>>());
            }
            _ => return None,
        }
        Some((line.kind, line.seq))
    }

    /// Takes the line that begins at `begin`; returns where the next one does.
    #[inline]
    fn line(&mut self, text: &str, begin: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut line = Line::new();
        if let Some(at) = self.forms.read(text, begin, &mut line) {
            let at = blank(bytes, at);
            let end = match bytes.get(at) {
                None => at,
                Some(b'\n') => at + 1,
                Some(_) => return None,
            };
            self.delta(&line, None, &text[begin..at])?;
            return Some(end);
        }
        self.unknown(text, begin)
    }

    /// Takes a line whose form is not known, and learns it.
    fn unknown(&mut self, text: &str, begin: usize) -> Option<usize> {
        let length = text.as_bytes()[begin..].iter().position(|byte| *byte == b'\n');
        let end = length.map_or(text.len(), |length| begin + length);
        let next = text.len().min(end + 1);
        let mut line = &text[begin..end];
        if self.lines == 0 {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if blank(line.as_bytes(), 0) == line.len() {
            return Some(next);
        }
        let (delta, whole, form) = self.forms.read_whole(line)?;
        self.delta(&delta, Some(&whole), line)?;
        if let Some(form) = form {
            self.forms.learn(form);
        }
        Some(next)
    }

    /// Takes a delta; None, and nothing changed, if it is odd. `whole` is what a line says that its
    /// form does not.
    #[inline]
    pub fn delta(&mut self, line: &Line, whole: Option<&Whole>, text: &str) -> Option<()> {
        self.step(line, whole)?;
        if !line.kind.is_piece() {
            self.log.push((line.seq, Logged::Line(text.into())));
        }
        Some(())
    }

    /// Takes a delta as [`Self::delta`], but does not log it.
    #[inline]
    fn step(&mut self, line: &Line, whole: Option<&Whole>) -> Option<()> {
        if self.last_seq.is_some_and(|last| line.seq <= last) {
            return None;
        }
        let wanted = if line.kind == Kind::Start { Status::Idle } else { Status::Started };
        if self.status != wanted {
            return None;
        }
        let mut opaque = None;
        if let Some(whole) = whole {
            opaque = whole.opaque;
            if line.kind != Kind::Start {
                self.check_ids(whole)?;
            }
            if opaque.is_some_and(|opaque| opaque.depth as u64 > self.limits.opaque_depth) {
                return None;
            }
        }
        match line.kind {
            Kind::Text => self.piece_of_text(line, false, opaque)?,
            Kind::Thinking => self.piece_of_text(line, true, opaque)?,
            Kind::Args => self.piece_of_arguments(line, opaque)?,
            Kind::CallStart => self.start_call(line, opaque)?,
            Kind::CallEnd => self.end_call(line, opaque)?,
            Kind::Start => self.begin(whole?)?,
            Kind::Usage => self.count(whole?)?,
            Kind::Done => self.finish(whole?)?,
        }
        self.last_seq = Some(line.seq);
        Some(())
    }

    /// Compares the ids of a delta with those of the start.
    fn check_ids(&self, whole: &Whole) -> Option<()> {
        let start = self.start.as_ref()?;
        let fits = |given: Option<&str>, known: Option<&str>| match (given, known) {
            (None, _) => true,
            (Some(given), known) => known.is_some_and(|known| is_same(given, known)),
        };
        let same = is_same(whole.run_id, &start.run_id)
            && fits(whole.message_id, start.message_id.as_deref())
            && fits(whole.turn_id, start.turn_id.as_deref());
        same.then_some(())
    }

    /// Tells whether a delta may say that it is of this turn.
    pub fn is_of_turn(&self, turn_id: &str) -> bool {
        let known = self.start.as_ref().and_then(|start| start.turn_id.as_deref());
        known.is_some_and(|known| is_same(turn_id, known))
    }

    fn begin(&mut self, whole: &Whole) -> Option<()> {
        if self.run_id.as_deref().is_some_and(|run_id| decoded(whole.run_id) != run_id) {
            return None;
        }
        // Who wrote it, and what was asked for, are rare: the rules of names are elsewhere.
        if whole.has("author") || whole.has("format") {
            return None;
        }
        let model_id = whole.string("modelId")?;
        let request_id = whole.string("requestId")?;
        let ids = [Some(whole.run_id), whole.message_id, whole.turn_id];
        let all = ids.into_iter().flatten().chain([model_id, request_id]);
        // Characters are counted elsewhere: bytes are never fewer.
        if all.into_iter().any(|id| id.len() as u64 > self.limits.id_chars)
            || !partwire::is_timestamp(whole.timestamp)
        {
            return None;
        }
        self.start = Some(Start {
            run_id: whole.run_id.into(),
            message_id: whole.message_id.map(Into::into),
            turn_id: whole.turn_id.map(Into::into),
            timestamp: whole.timestamp.into(),
            model_id: model_id.into(),
            request_id: request_id.into(),
        });
        self.status = Status::Started;
        Some(())
    }

    fn count(&mut self, whole: &Whole) -> Option<()> {
        let mut latest = Usage::default();
        for (index, name) in COUNTS.into_iter().enumerate() {
            let count = whole.number(name).ok()?;
            if let Some(count) = count {
                let digits = count.bytes().all(|byte| byte.is_ascii_digit());
                if !digits || count.parse::<u64>().ok()? >= 1 << 53 {
                    return None;
                }
            } else if index < COUNTS_DEMANDED {
                return None;
            }
            latest.counts[index] = count.map(Into::into);
        }
        latest.cost = match whole.number("cost").ok()? {
            None => None,
            Some(cost) if cost.starts_with('-') => return None,
            Some(cost) if cost.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(format!("{cost}.0").into())
            }
            Some(cost) => Some(cost.into()),
        };
        if let Some(before) = self.usage.take() {
            for (count, known) in latest.counts.iter_mut().zip(before.counts) {
                *count = count.take().or(known);
            }
            latest.cost = latest.cost.take().or(before.cost);
        }
        self.usage = Some(latest);
        Some(())
    }

    fn finish(&mut self, whole: &Whole) -> Option<()> {
        let finish_reason = whole.string("finishReason").filter(|reason| !reason.is_empty())?;
        let provider_reason = whole.string("providerFinishReason");
        if whole.has("providerFinishReason") && provider_reason.is_none_or(str::is_empty)
            || self.open_calls > 0
            || !partwire::is_timestamp(whole.timestamp)
        {
            return None;
        }
        self.end = Some(End {
            finish_reason: finish_reason.into(),
            provider_reason: provider_reason.map(Into::into),
            timestamp: whole.timestamp.into(),
        });
        self.text = None;
        self.status = Status::Done;
        Some(())
    }

    #[inline]
    fn piece_of_text(&mut self, line: &Line, thinking: bool, opaque: Option<Opaque>) -> Option<()> {
        let (piece, Text { size, .. }) = line.piece;
        if size == 0 && opaque.is_none() {
            return Some(());
        }
        let size = size as u64;
        let opaque_size = opaque_size_of(opaque);
        if size > self.text_left || opaque_size > self.opaque_left {
            return None;
        }
        let open = self.text.filter(|index| match &self.parts[*index].what {
            What::Text { thinking: known, .. } => *known == thinking,
            What::Call(_) => false,
        });
        let index = match open {
            Some(index) => index,
            None => self.add(What::Text { thinking, content: String::new() })?,
        };
        self.text_left -= size;
        self.opaque_left -= opaque_size;
        self.text = opaque.is_none().then_some(index);
        let part = &mut self.parts[index];
        let What::Text { content, .. } = &mut part.what else { return None };
        let begin = content.len();
        content.push_str(piece);
        if part.tell(begin, line.seq, opaque) {
            self.untold.push(index);
        }
        Some(())
    }

    #[inline]
    fn piece_of_arguments(&mut self, line: &Line, opaque: Option<Opaque>) -> Option<()> {
        let index = self.call(line.call_id)?;
        let (piece, Text { size, .. }) = line.piece;
        let part = &mut self.parts[index];
        let opaque_left = self.opaque_left + part.opaque_size;
        let What::Call(call) = &mut part.what else { return None };
        let left = call.left.checked_sub(size as u64).filter(|_| call.open)?;
        if opaque.is_some() {
            self.opaque_left = opaque_left.checked_sub(opaque_size_of(opaque))?;
        }
        call.left = left;
        let begin = call.arguments.len();
        call.arguments.push_str(piece);
        if part.tell(begin, line.seq, opaque) {
            self.untold.push(index);
        }
        Some(())
    }

    fn start_call(&mut self, line: &Line, opaque: Option<Opaque>) -> Option<()> {
        let id = decoded(line.call_id);
        let opaque_size = opaque_size_of(opaque);
        if id.is_empty()
            || id.len() as u64 > self.limits.id_chars
            || line.tool_name.is_empty()
            || self.calls.contains_key(&*id)
            || self.calls.len() as u64 >= self.limits.tool_calls
            || opaque_size > self.opaque_left
        {
            return None;
        }
        let call = Call {
            id: line.call_id.into(),
            name: line.tool_name.into(),
            arguments: String::new(),
            value: String::new(),
            left: self.limits.arguments_bytes,
            open: true,
        };
        let index = self.add(What::Call(call))?;
        self.opaque_left -= opaque_size;
        self.parts[index].keep(opaque);
        self.calls.insert(id.into_owned(), index);
        self.open_calls += 1;
        self.text = None;
        Some(())
    }

    fn end_call(&mut self, line: &Line, opaque: Option<Opaque>) -> Option<()> {
        let index = self.call(line.call_id)?;
        let part = &mut self.parts[index];
        let opaque_left = self.opaque_left + part.opaque_size;
        let What::Call(call) = &mut part.what else { return None };
        let value = decoded(&call.arguments);
        if !call.open || !is_plain_object(&value, self.limits.arguments_depth) {
            return None;
        }
        if opaque.is_some() {
            self.opaque_left = opaque_left.checked_sub(opaque_size_of(opaque))?;
        }
        if !self.followed {
            call.value = value.into_owned();
        }
        call.open = false;
        if part.untold.is_none() {
            // Condensed already, or empty: nobody asks for it again.
            call.arguments = String::new();
        }
        part.keep(opaque);
        self.open_calls -= 1;
        Some(())
    }

    /// Returns the part of a call; the one that was asked for last is asked for again, mostly.
    #[inline]
    fn call(&mut self, id: &str) -> Option<usize> {
        if let Some(Part { what: What::Call(call), .. }) = self.parts.get(self.last_call)
            && *call.id == *id
        {
            return Some(self.last_call);
        }
        self.last_call = *self.calls.get(&*decoded(id))?;
        Some(self.last_call)
    }

    /// Begins a part; None if there are as many as may be.
    fn add(&mut self, what: What) -> Option<usize> {
        if self.parts.len() as u64 >= self.limits.parts {
            return None;
        }
        self.parts.push(Part::new(what));
        Some(self.parts.len() - 1)
    }

    // --- reading out -----------------------------------------------------------------------------

    /// About how many bytes are held.
    pub fn held(&self) -> usize {
        let log: usize = self.log.iter().map(|(_, logged)| logged.held() + 24).sum();
        let parts: usize = self.parts.iter().map(Part::held).sum();
        size_of::<Self>() + log + parts
    }

    /// Returns JSON Lines that say the same as all that was taken since the last time: what joined
    /// one part is one delta, and `seq` of the last one is that of the last one taken.
    pub fn condensed(&mut self) -> String {
        self.followed = true;
        let mut lines = std::mem::take(&mut self.log);
        let Some(start) = &self.start else { return String::new() };
        for index in std::mem::take(&mut self.untold) {
            let part = &mut self.parts[index];
            let Some(untold) = part.untold.take() else { continue };
            lines.push((untold.seq, Logged::Line(part.line(start, &untold).into())));
            part.forget();
        }
        lines.sort_by_key(|(seq, _)| *seq);
        let told = lines.last().map(|(seq, _)| *seq);
        let mut text = String::new();
        for (_, line) in lines {
            text.push_str(&line.text());
            text.push('\n');
        }
        // A text delta without text leaves nothing behind but its seq.
        if let Some(last) = self.last_seq {
            if self.status == Status::Started && self.told_seq.max(told) != Some(last) {
                text.push_str(&delta_line(start, "text", last, "\"textDelta\":\"\""));
                text.push('\n');
            }
        }
        self.told_seq = self.last_seq;
        text
    }

    /// Returns the finished message as JSON text; None before the end, and where [`Self::condensed`]
    /// has told a part of it.
    pub fn message(&self) -> Option<String> {
        let start = self.start.as_ref()?;
        let end = self.end.as_ref().filter(|_| !self.followed)?;
        let length: usize = self.parts.iter().map(Part::length).sum();
        let mut text = String::with_capacity(length + 1024);
        let _ = write!(text, "{{\"runId\":\"{}\"", start.run_id);
        for (name, id) in [("messageId", &start.message_id), ("turnId", &start.turn_id)] {
            if let Some(id) = id {
                let _ = write!(text, ",\"{name}\":\"{id}\"");
            }
        }
        text.push_str(",\"role\":\"assistant\",\"parts\":[");
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            part.write(&mut text);
        }
        let _ = write!(
            text,
            "],\"timestamp\":\"{}\",\"meta\":{{\"modelId\":\"{}\",\"requestId\":\"{}\",\"finishReason\":\"{}\"",
            start.timestamp, start.model_id, start.request_id, end.finish_reason
        );
        if let Some(reason) = &end.provider_reason {
            let _ = write!(text, ",\"providerFinishReason\":\"{reason}\"");
        }
        let _ = write!(text, ",\"completedAt\":\"{}\"", end.timestamp);
        if let Some(usage) = &self.usage {
            text.push_str(",\"usage\":{");
            let counts = COUNTS.into_iter().zip(&usage.counts);
            let figures = counts.chain([("cost", &usage.cost)]);
            let known = figures.filter_map(|(name, figure)| Some((name, figure.as_ref()?)));
            for (index, (name, figure)) in known.enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(text, "{comma}\"{name}\":{figure}");
            }
            text.push('}');
        }
        text.push_str("}}");
        Some(text)
    }
}

/// Returns the counts of a usage summary as text.
fn figures_of(usage: &UsageSummary) -> [Option<String>; COUNTS.len()] {
    let counts = [
        Some(usage.input_tokens),
        Some(usage.output_tokens),
        Some(usage.total_tokens),
        usage.reasoning_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
    ];
    counts.map(|count| count.map(|count| count.to_string()))
}

fn opaque_size_of(opaque: Option<Opaque>) -> u64 {
    opaque.map_or(0, |opaque| opaque.size)
}

/// Returns a string's content with its escapes read.
#[inline]
fn decoded(content: &str) -> Cow<'_, str> {
    if !content.contains('\\') {
        return Cow::Borrowed(content);
    }
    let mut text = String::new();
    decode_into(content, &mut text);
    Cow::Owned(text)
}

/// Compares the values of two JSON strings.
fn is_same(one: &str, other: &str) -> bool {
    one == other || decoded(one) == decoded(other)
}

/// Returns where white space within a line ends.
#[inline]
pub fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

/// Tells whether argument text is an object whose value says all that the text says.
fn is_plain_object(arguments: &str, most_depth: u64) -> bool {
    if is_empty(arguments) {
        return true;
    }
    let bytes = arguments.as_bytes();
    skim(bytes, space(bytes, 0)).is_some_and(|seen| {
        seen.is == Is::Object
            && !seen.long
            && seen.depth as u64 <= most_depth
            && space(bytes, seen.end) == bytes.len()
    })
}
