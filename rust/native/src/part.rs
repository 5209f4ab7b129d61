//! The parts of a message in the making, and the JSON text that they become.

use std::fmt::Write;

use crate::line::Opaque;
use crate::scan::space;

/// A part in the making, in the order of arrival.
pub struct Part {
    pub what: What,
    opaque: Option<Box<str>>,
    pub opaque_size: u64,
    /// What [`Lane::condensed`] has not told of it yet.
    pub untold: Option<Untold>,
}

/// The pieces of a part that one delta will tell.
#[derive(Clone, Copy)]
pub struct Untold {
    /// Where in the part's text they begin.
    begin: usize,
    /// The seq of the last one.
    pub seq: u64,
    /// Whether state came with one of them.
    opaque: bool,
}

pub enum What {
    /// The content of a JSON string, escapes included.
    Text {
        thinking: bool,
        content: String,
    },
    Call(Call),
}

/// A tool call: id, name and argument text are contents of JSON strings, escapes included.
pub struct Call {
    pub id: Box<str>,
    pub name: Box<str>,
    pub arguments: String,
    /// The arguments themselves, once the call has ended.
    pub value: String,
    /// Bytes of arguments that may still come.
    pub left: u64,
    pub open: bool,
}

/// What the start says, as JSON strings without quotes.
pub struct Start {
    pub run_id: Box<str>,
    pub message_id: Option<Box<str>>,
    pub turn_id: Option<Box<str>>,
    pub timestamp: Box<str>,
    pub model_id: Box<str>,
    pub request_id: Box<str>,
}

impl Part {
    /// Begins a part.
    pub fn new(what: What) -> Self {
        Self { what, opaque: None, opaque_size: 0, untold: None }
    }

    /// Keeps state that came with a delta; it takes the place of earlier state.
    pub fn keep(&mut self, opaque: Option<Opaque>) {
        if let Some(opaque) = opaque {
            self.opaque = Some(opaque.text.into());
            self.opaque_size = opaque.size;
        }
    }

    /// Notes that a piece came; returns whether it is the first one that is untold.
    #[inline]
    pub fn tell(&mut self, begin: usize, seq: u64, opaque: Option<Opaque>) -> bool {
        self.keep(opaque);
        if let Some(untold) = &mut self.untold {
            untold.seq = seq;
            untold.opaque |= opaque.is_some();
            return false;
        }
        self.untold = Some(Untold { begin, seq, opaque: opaque.is_some() });
        true
    }

    /// Returns the delta that tells what is untold.
    pub fn line(&self, start: &Start, untold: &Untold) -> String {
        let (kind, mut payload) = match &self.what {
            What::Text { thinking, content } => {
                let kind = if *thinking { "thinking" } else { "text" };
                (kind, format!("\"textDelta\":\"{}\"", &content[untold.begin..]))
            }
            What::Call(call) => {
                let mut payload = format!("\"toolCallId\":\"{}\",\"argsTextDelta\":\"", call.id);
                payload.push_str(&call.arguments[untold.begin..]);
                payload.push('"');
                ("tool_call_args", payload)
            }
        };
        if let (Some(opaque), true) = (&self.opaque, untold.opaque) {
            let _ = write!(payload, ",\"opaque\":{opaque}");
        }
        delta_line(start, kind, untold.seq, &payload)
    }

    /// Drops what was told, where nobody will ask for it again.
    pub fn forget(&mut self) {
        match &mut self.what {
            What::Text { content, .. } => content.clear(),
            What::Call(call) if !call.open => call.arguments.clear(),
            What::Call(_) => {}
        }
    }

    /// How long its JSON text is, about.
    pub fn length(&self) -> usize {
        let opaque = self.opaque.as_ref().map_or(0, |opaque| opaque.len());
        128 + opaque
            + match &self.what {
                What::Text { content, .. } => content.len(),
                What::Call(call) => call.value.len(),
            }
    }

    /// About how many bytes are held.
    pub fn held(&self) -> usize {
        let opaque = self.opaque.as_ref().map_or(0, |opaque| opaque.len());
        let text = match &self.what {
            What::Text { content, .. } => content.capacity(),
            What::Call(call) => call.arguments.capacity() + call.value.capacity(),
        };
        size_of::<Self>() + opaque + text
    }

    pub fn write(&self, text: &mut String) {
        match &self.what {
            What::Text { thinking, content } => {
                text.push_str(if *thinking {
                    "{\"kind\":\"thinking\",\"payload\":{\"text\":\""
                } else {
                    "{\"kind\":\"text\",\"payload\":{\"text\":\""
                });
                text.push_str(content);
                text.push('"');
            }
            What::Call(call) => {
                text.push_str("{\"kind\":\"tool_call\",\"payload\":{\"toolCallId\":\"");
                text.push_str(&call.id);
                text.push_str("\",\"toolName\":\"");
                text.push_str(&call.name);
                text.push_str("\",\"arguments\":");
                let value = if is_empty(&call.value) { "{}" } else { &call.value };
                text.push_str(value);
            }
        }
        if let Some(opaque) = &self.opaque {
            text.push_str(",\"opaque\":");
            text.push_str(opaque);
        }
        text.push_str("}}");
    }
}

/// Returns a delta of the stream; its time says nothing, and is that of the start.
pub fn delta_line(start: &Start, kind: &str, seq: u64, payload: &str) -> String {
    let (run_id, timestamp) = (&start.run_id, &start.timestamp);
    format!(
        "{{\"kind\":\"{kind}\",\"runId\":\"{run_id}\",\"seq\":{seq},\
         \"payload\":{{{payload}}},\"timestamp\":\"{timestamp}\"}}"
    )
}

/// Tells whether argument text is white space alone, which means `{}`.
pub fn is_empty(arguments: &str) -> bool {
    space(arguments.as_bytes(), 0) == arguments.len()
}
