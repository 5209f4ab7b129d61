//! The straight way of a provider's response: bytes in, deltas or the finished message out.

use partwire::Limits;
use partwire::internal::rounded;
use partwire::providers::framing::DEFAULT_LIMIT_BYTES;
use partwire::providers::{AdapterOptions, ByteAdapter, Framing, open_adapter};

use crate::lane::Lane;

/// One response on its straight way.
pub struct Response {
    reader: ByteAdapter,
    /// The message in the making, where that alone is asked for.
    lane: Option<Lane>,
    kept_back: u64,
    /// How many deltas there were; the next one has this as its seq.
    made: u64,
    is_rounded: bool,
}

impl Response {
    /// Begins a response; None for arguments that somebody else refuses.
    pub fn new(
        dialect: &str,
        run_id: &str,
        framing: &str,
        clock: impl FnMut() -> String + Send + 'static,
        options: AdapterOptions,
    ) -> Option<Self> {
        let framing = match framing {
            "auto" => Framing::Auto,
            "sse" => Framing::Sse,
            "jsonl" => Framing::JsonLines,
            "jsonarray" => Framing::JsonArray,
            "eventstream" => Framing::EventStream,
            _ => return None,
        };
        let adapter = open_adapter(dialect, run_id, clock, options).ok()?;
        let reader = ByteAdapter::with(adapter, framing, DEFAULT_LIMIT_BYTES).ok()?;
        Some(Self { reader, lane: None, kept_back: 0, made: 0, is_rounded: false })
    }

    /// Says that the message alone is wanted.
    pub fn assemble(&mut self, limits: Limits) {
        self.lane = Some(Lane::new(None, limits));
    }

    /// Reads bytes, or with None the end; returns the deltas as JSON Lines.
    ///
    /// Where the message is wanted, there are none until one is odd; fewer that say the same as all
    /// before it come with it. Where an integer has lost digits, there are none of this chunk, and
    /// nothing is to be read after it.
    pub fn read(&mut self, chunk: Option<&[u8]>) -> Vec<u8> {
        let before = rounded();
        let deltas = match chunk {
            Some(chunk) => self.reader.feed(chunk),
            None => self.reader.close(),
        };
        let mut lines = Vec::new();
        if rounded() != before {
            self.is_rounded = true;
            self.leave_lane(&mut lines);
            return lines;
        }
        self.made += deltas.len() as u64;
        for mut delta in deltas {
            if let Some(lane) = &mut self.lane {
                let Some(odd) = lane.take_delta(delta) else { continue };
                delta = odd;
                self.leave_lane(&mut lines);
            }
            if serde_json::to_writer(&mut lines, &delta).is_ok() {
                lines.push(b'\n');
            }
        }
        lines
    }

    /// Gives up the message in the making, if there is one; writes deltas that say the same.
    fn leave_lane(&mut self, lines: &mut Vec<u8>) {
        if let Some(mut lane) = self.lane.take() {
            let told = lane.condensed();
            self.kept_back = lane.lines() - told.lines().count() as u64;
            lines.extend_from_slice(told.as_bytes());
        }
    }

    /// Returns the seq of the next delta, once an integer has lost digits: whoever keeps integers of
    /// any size is to read all bytes again.
    pub fn plain_from(&self) -> Option<u64> {
        self.is_rounded.then_some(self.made)
    }

    /// How many deltas will never come.
    pub fn kept_back(&self) -> u64 {
        self.kept_back
    }

    /// Returns the finished message as JSON text.
    pub fn message(&self) -> Option<String> {
        self.lane.as_ref()?.message()
    }
}
