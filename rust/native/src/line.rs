//! One line of a stream, read for what the frequent deltas say; whatever is rarer is not read here.
//!
//! The lines of a stream are written alike: from the first one of a kind a [`Form`] is learnt, and
//! the lines like it are read by comparing what is always the same, and looking at what is not.

use partwire::VALUE_BYTES;

use crate::scan::{Is, Member, Members, Text, needs_escape, skim, space, string};

/// The kinds of deltas that a lane takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Start,
    Text,
    Thinking,
    CallStart,
    Args,
    CallEnd,
    Usage,
    Done,
}

impl Kind {
    /// Tells whether such deltas join others.
    #[inline]
    pub fn is_piece(self) -> bool {
        matches!(self, Self::Text | Self::Thinking | Self::Args)
    }
}

const KINDS: [(&str, Kind); 8] = [
    ("start", Kind::Start),
    ("text", Kind::Text),
    ("thinking", Kind::Thinking),
    ("tool_call_start", Kind::CallStart),
    ("tool_call_args", Kind::Args),
    ("tool_call_end", Kind::CallEnd),
    ("usage", Kind::Usage),
    ("done", Kind::Done),
];

/// A value of another kind than is expected: somebody else reads it.
#[derive(Clone, Copy, Debug)]
pub struct Odd;

/// State that a provider wants back.
#[derive(Clone, Copy)]
pub struct Opaque<'a> {
    /// Its JSON text.
    pub text: &'a str,
    /// What it counts: the bytes of its strings and names, and of each value `VALUE_BYTES`.
    pub size: u64,
    /// Levels of its data.
    pub depth: usize,
}

/// The members of a delta that was read whole: contents of JSON strings, escapes included.
pub struct Whole<'a> {
    pub run_id: &'a str,
    pub message_id: Option<&'a str>,
    pub turn_id: Option<&'a str>,
    pub timestamp: &'a str,
    pub opaque: Option<Opaque<'a>>,
    payload: Payload<'a>,
}

/// What the payload of a delta says beside its pieces.
#[allow(clippy::large_enum_variant)] // one at a time, on the stack
enum Payload<'a> {
    /// As it is in the text of a line.
    Read(&'a str, Members<'a>),
    /// Strings and figures by name, of a delta without text.
    Given(&'a [(&'static str, &'a str)]),
}

/// One delta: contents of JSON strings, escapes included.
pub struct Line<'a> {
    pub kind: Kind,
    pub seq: u64,
    /// The text of `textDelta` or `argsTextDelta`.
    pub piece: (&'a str, Text),
    /// The tool call's id.
    pub call_id: &'a str,
    /// The tool's name.
    pub tool_name: &'a str,
    /// Whose delta it is, where forms leave that open: ids without escapes.
    pub run_id: &'a str,
    pub message_id: Option<&'a str>,
    pub turn_id: Option<&'a str>,
}

impl Line<'_> {
    /// A line that is not read yet.
    pub const fn new() -> Self {
        Self {
            kind: Kind::Start,
            seq: 0,
            piece: NO_PIECE,
            call_id: "",
            tool_name: "",
            run_id: "",
            message_id: None,
            turn_id: None,
        }
    }
}

const NO_PIECE: (&str, Text) = ("", Text { end: 0, size: 0, escaped: false });

/// What is not the same in all lines of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hole {
    Seq,
    Piece,
    CallId,
    ToolName,
    Timestamp,
    ProviderRaw,
    RunId,
    MessageId,
    TurnId,
}

/// Whether the lines of a form are all of one stream, or of any.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    OneStream,
    AnyStream,
}

/// Forms that are kept at most: with more of them no two lines are alike.
const MOST_FORMS: usize = 1024;

/// Of how many ways to go on from one place the oldest is forgotten.
const MOST_BRANCHES: usize = 24;

/// The forms that a producer, or several, were seen to write, as a tree: what several of them begin
/// with is looked at once.
pub struct Forms {
    of: Of,
    root: Branches,
    count: usize,
}

impl Forms {
    /// Begins with none.
    pub const fn new(of: Of) -> Self {
        Self { of, root: Branches { list: Vec::new(), last: 0 }, count: 0 }
    }

    /// Reads a line whose form is known; returns the place where it ends.
    #[inline]
    pub fn read<'a>(&mut self, text: &'a str, mut at: usize, line: &mut Line<'a>) -> Option<usize> {
        (line.message_id, line.turn_id) = (None, None);
        let mut branches = &mut self.root;
        loop {
            let branch = branches.find(&text.as_bytes()[at..])?;
            at += branch.before.len();
            match &mut branch.then {
                Then::Hole(hole, next) => {
                    at = hole.read(text, at, line)?;
                    branches = next;
                }
                Then::End(kind) => {
                    line.kind = *kind;
                    return Some(at);
                }
            }
        }
    }

    /// Reads a line in whatever form; None if it has to be read with more care.
    pub fn read_whole<'a>(&self, text: &'a str) -> Option<(Line<'a>, Whole<'a>, Option<Form>)> {
        Line::read(text, self.of)
    }

    /// Keeps a form.
    pub fn learn(&mut self, form: Form) {
        self.count += 1;
        if self.count > MOST_FORMS {
            *self = Self { count: 1, ..Self::new(self.of) };
        }
        let mut branches = &mut self.root;
        for (before, hole) in form.holes {
            branches = branches.after(before, hole);
        }
        branches.add(Branch { before: form.end, then: Then::End(form.kind) });
    }
}

/// How lines go on from one place.
#[derive(Default)]
struct Branches {
    list: Vec<Branch>,
    /// The one that was taken last.
    last: usize,
}

/// What is the same in all lines that go on like this, and what comes behind it.
struct Branch {
    before: Box<[u8]>,
    then: Then,
}

enum Then {
    Hole(Hole, Branches),
    End(Kind),
}

impl Branches {
    /// Finds the way in which a line goes on.
    #[inline]
    fn find(&mut self, rest: &[u8]) -> Option<&mut Branch> {
        let is_it = |branch: &Branch| rest.starts_with(&branch.before);
        if !self.list.get(self.last).is_some_and(is_it) {
            self.last = self.list.iter().position(is_it)?;
        }
        self.list.get_mut(self.last)
    }

    /// Returns what comes behind a hole, where this is known or new.
    fn after(&mut self, before: Box<[u8]>, hole: Hole) -> &mut Self {
        let is_it = |branch: &Branch| {
            branch.before == before && matches!(branch.then, Then::Hole(known, _) if known == hole)
        };
        let at = self.list.iter().position(is_it);
        let at = at.unwrap_or_else(|| {
            self.add(Branch { before, then: Then::Hole(hole, Self::default()) })
        });
        match &mut self.list[at].then {
            Then::Hole(_, next) => next,
            Then::End(_) => unreachable!("a hole was looked for"),
        }
    }

    fn add(&mut self, branch: Branch) -> usize {
        if self.list.len() == MOST_BRANCHES {
            self.list.remove(0);
        }
        self.list.push(branch);
        self.list.len() - 1
    }
}

/// How a producer writes deltas of one kind.
pub struct Form {
    kind: Kind,
    /// What stands before each hole.
    holes: Vec<(Box<[u8]>, Hole)>,
    end: Box<[u8]>,
}

impl Hole {
    /// Reads what is in it for a line; returns the place where it ends.
    #[inline]
    fn read<'a>(self, text: &'a str, at: usize, line: &mut Line<'a>) -> Option<usize> {
        let bytes = text.as_bytes();
        match self {
            Self::Seq => {
                let (seq, end) = seq(bytes, at)?;
                line.seq = seq;
                Some(end)
            }
            Self::ProviderRaw => {
                let rest = &text[at..];
                let length = rest.find('\n').unwrap_or(rest.len());
                let raw = skim(&rest.as_bytes()[..length], 0)?;
                (raw.is == Is::Object).then_some(at + raw.end)
            }
            hole => {
                let found = string(bytes, at)?;
                let content = &text[at..found.end];
                let is_plain = !found.escaped && !content.is_empty();
                match hole {
                    Self::RunId if is_plain => line.run_id = content,
                    Self::MessageId if is_plain => line.message_id = Some(content),
                    Self::TurnId if is_plain => line.turn_id = Some(content),
                    Self::RunId | Self::MessageId | Self::TurnId => return None,
                    Self::Piece => line.piece = (content, found),
                    Self::CallId => line.call_id = content,
                    Self::ToolName => line.tool_name = content,
                    _ => {}
                }
                Some(found.end)
            }
        }
    }
}

/// Reads a `seq` without sign, fraction or exponent.
#[inline]
fn seq(bytes: &[u8], begin: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    let mut at = begin;
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value * 10 + u64::from(digit - b'0');
        at += 1;
        if at - begin > 16 {
            return None;
        }
    }
    let leading = bytes.get(begin) == Some(&b'0') && at - begin > 1;
    (at > begin && !leading && value < 1 << 53).then_some((value, at))
}

impl<'a> Line<'a> {
    /// Reads a line in whatever form, and learns it; None if it has to be read with more care.
    fn read(text: &'a str, of: Of) -> Option<(Self, Whole<'a>, Option<Form>)> {
        let bytes = text.as_bytes();
        let members = Members::read(text, space(bytes, 0))?;
        if space(bytes, members.end) != bytes.len() {
            return None;
        }
        let kind = content(text, members.get("kind"))?;
        let kind = KINDS.iter().find(|(name, _)| *name == kind)?.1;
        let payload = members.get("payload")?;
        let payload = Members::read(text, payload.at)?;
        let seq_at = members.get("seq")?;
        let (seq, seq_end) = seq(bytes, seq_at.at)?;
        if seq_end != seq_at.skim.end {
            return None;
        }
        let mut line = Line { kind, seq, ..Line::new() };
        let mut form = Learnt { text, holes: vec![(seq_at.at, seq_end, Hole::Seq)] };
        form.add(members.get("timestamp"), Hole::Timestamp);
        if of == Of::AnyStream {
            form.add(members.get("runId"), Hole::RunId);
            form.add(members.get("messageId"), Hole::MessageId);
            form.add(members.get("turnId"), Hole::TurnId);
        }
        if let Some(raw) = members.get("providerRaw") {
            if raw.skim.is != Is::Object {
                return None;
            }
            form.holes.push((raw.at, raw.skim.end, Hole::ProviderRaw));
        }
        let piece = match kind {
            Kind::Text | Kind::Thinking => Some("textDelta"),
            Kind::Args => Some("argsTextDelta"),
            _ => None,
        };
        if let Some(piece) = piece {
            let member = payload.get(piece);
            let piece = content(text, member)?;
            line.piece = (piece, string(bytes, member?.at + 1)?);
            form.add(member, Hole::Piece);
        }
        if matches!(kind, Kind::CallStart | Kind::Args | Kind::CallEnd) {
            let member = payload.get("toolCallId");
            line.call_id = content(text, member)?;
            form.add(member, Hole::CallId);
        }
        if kind == Kind::CallStart {
            let member = payload.get("toolName");
            line.tool_name = content(text, member)?;
            form.add(member, Hole::ToolName);
        }
        let whole = Whole {
            run_id: name(text, members.get("runId"))?,
            message_id: optional_name(text, members.get("messageId")).ok()?,
            turn_id: optional_name(text, members.get("turnId")).ok()?,
            timestamp: content(text, members.get("timestamp"))?,
            opaque: match payload.get("opaque") {
                None => None,
                Some(member) => Some(opaque(text, member)?),
            },
            payload: Payload::Read(text, payload),
        };
        (line.run_id, line.message_id) = (whole.run_id, whole.message_id);
        line.turn_id = whole.turn_id;
        // Kinds that come once, and what is not in a form, are always read whole.
        let comes_once = matches!(kind, Kind::Start | Kind::Usage | Kind::Done);
        let form = (!comes_once && whole.opaque.is_none()).then(|| form.form(kind));
        Some((line, whole, form))
    }
}

impl<'a> Whole<'a> {
    /// Returns what a delta says that never was text; None if its text would have escapes.
    ///
    /// `ids` are those of run, message and turn; `payload` has strings and figures.
    pub fn given(
        (run_id, message_id, turn_id): (&'a str, Option<&'a str>, Option<&'a str>),
        timestamp: &'a str,
        payload: &'a [(&'static str, &'a str)],
    ) -> Option<Self> {
        let ids = || [Some(run_id), message_id, turn_id].into_iter().flatten();
        let said = payload.iter().map(|(_, said)| *said);
        if ids().any(str::is_empty) || ids().chain([timestamp]).chain(said).any(needs_escape) {
            return None;
        }
        let payload = Payload::Given(payload);
        Some(Self { run_id, message_id, turn_id, timestamp, opaque: None, payload })
    }

    /// Returns the string of a payload's member; None if there is none.
    pub fn string(&self, name: &str) -> Option<&'a str> {
        match &self.payload {
            Payload::Read(text, members) => content(text, members.get(name)),
            Payload::Given(members) => given(members, name),
        }
    }

    /// Returns the text of a payload's number, if there is a member of this name.
    pub fn number(&self, name: &str) -> Result<Option<&'a str>, Odd> {
        match &self.payload {
            Payload::Read(text, members) => match members.get(name) {
                None => Ok(None),
                Some(member) if member.skim.is == Is::Number => {
                    Ok(Some(&text[member.at..member.skim.end]))
                }
                Some(_) => Err(Odd),
            },
            Payload::Given(members) => Ok(given(members, name)),
        }
    }

    /// Tells whether the payload has a member of this name.
    pub fn has(&self, name: &str) -> bool {
        match &self.payload {
            Payload::Read(_, members) => members.get(name).is_some(),
            Payload::Given(members) => given(members, name).is_some(),
        }
    }
}

fn given<'a>(members: &[(&'static str, &'a str)], name: &str) -> Option<&'a str> {
    members.iter().find(|(each, _)| *each == name).map(|(_, said)| *said)
}

/// Returns the content of a JSON string, escapes included.
fn content<'a>(text: &'a str, member: Option<&Member<'a>>) -> Option<&'a str> {
    let member = member.filter(|member| member.skim.is == Is::String)?;
    Some(&text[member.at + 1..member.skim.end - 1])
}

fn name<'a>(text: &'a str, member: Option<&Member<'a>>) -> Option<&'a str> {
    content(text, member).filter(|name| !name.is_empty())
}

fn optional_name<'a>(text: &'a str, member: Option<&Member<'a>>) -> Result<Option<&'a str>, Odd> {
    if member.is_none() { Ok(None) } else { name(text, member).map(Some).ok_or(Odd) }
}

/// Reads opaque state in its plain form.
fn opaque<'a>(text: &'a str, member: &Member<'a>) -> Option<Opaque<'a>> {
    let members = Members::read(text, member.at)?;
    let provider = members.get("provider");
    name(text, provider)?;
    let data = members.get("data").filter(|data| data.skim.is == Is::Object)?.skim;
    Some(Opaque {
        text: &text[member.at..member.skim.end],
        size: (provider?.skim.size + data.size) as u64 + VALUE_BYTES * (2 + data.count as u64),
        depth: data.depth,
    })
}

/// The form of a line, while it is learnt.
struct Learnt<'a> {
    text: &'a str,
    holes: Vec<(usize, usize, Hole)>,
}

impl<'a> Learnt<'a> {
    fn add(&mut self, string: Option<&Member<'a>>, hole: Hole) {
        if let Some(member) = string {
            self.holes.push((member.at + 1, member.skim.end - 1, hole));
        }
    }

    fn form(mut self, kind: Kind) -> Form {
        self.holes.sort_by_key(|(begin, _, _)| *begin);
        let bytes = self.text.as_bytes();
        let mut before = 0;
        let mut holes = Vec::new();
        for (begin, end, hole) in self.holes {
            holes.push((bytes[before..begin].into(), hole));
            before = end;
        }
        Form { kind, holes, end: bytes[before..].into() }
    }
}
