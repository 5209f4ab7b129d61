//! The straight way of a provider's response: bytes in, deltas or the finished message out.

use partwire::Limits;
use partwire::providers::framing::DEFAULT_LIMIT_BYTES;
use partwire::providers::{AdapterOptions, ByteAdapter, Framing, open_adapter};

use crate::lane::Lane;

/// One response on its straight way.
pub struct Response {
    reader: ByteAdapter,
    /// The message in the making, where that alone is asked for.
    lane: Option<Lane>,
    kept_back: u64,
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
        Some(Self { reader, lane: None, kept_back: 0 })
    }

    /// Says that the message alone is wanted.
    pub fn assemble(&mut self, limits: Limits) {
        self.lane = Some(Lane::new(None, limits));
    }

    /// Reads bytes, or with None the end; returns the deltas as JSON Lines.
    ///
    /// Where the message is wanted, there are none until one is odd; fewer that say the same as all
    /// before it come with it.
    pub fn read(&mut self, chunk: Option<&[u8]>) -> Vec<u8> {
        let deltas = match chunk {
            Some(chunk) => self.reader.feed(chunk),
            None => self.reader.close(),
        };
        let mut lines = Vec::new();
        for mut delta in deltas {
            if let Some(lane) = &mut self.lane {
                let Some(odd) = lane.take_delta(delta) else { continue };
                delta = odd;
                let told = lane.condensed();
                self.kept_back = lane.lines() - told.lines().count() as u64;
                lines.extend_from_slice(told.as_bytes());
                self.lane = None;
            }
            if serde_json::to_writer(&mut lines, &delta).is_ok() {
                lines.push(b'\n');
            }
        }
        lines
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
