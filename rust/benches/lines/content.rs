//! The content that is assembled: the same pieces, and the same lines, as those of the Python bench
//! (`bench/content.py`).

/// The kinds of streams, and how tables call them.
pub const MIXES: [(&str, &str); 3] = [
    ("text", "text only"),
    ("args", "one call, long arguments"),
    ("parallel", "64 parallel calls"),
];

const PARALLEL_CALLS: usize = 64;
const PIECE_CHARS: usize = 6;
const SEED: u32 = 20_261_103;
const PROSE: &str = "the of and to in is that it for on with as are this be from by at an or which can has its stream message part delta call value text result field schema reader writer token order café naïve — “quoted” data, however. Then; 42 3.14 (see below)\n\n - `code` **bold**";

/// One tool call of the content; its arguments are JSON text of an object.
pub struct ToolUse {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// What one stream carries: pieces of text, or of the arguments of a call, in order of arrival.
pub struct Content {
    pub calls: Vec<ToolUse>,
    pieces: Vec<(Option<usize>, String)>,
}

impl Content {
    /// Returns `size` pieces of a mix; the same call always gives the same content.
    pub fn new(mix: &str, size: usize) -> Self {
        match mix {
            "text" => {
                let pieces = text_pieces(size).map(|piece| (None, piece)).collect();
                Self { calls: Vec::new(), pieces }
            }
            "args" => {
                let (call, pieces) = tool_use(0, size);
                let pieces = pieces.into_iter().map(|piece| (Some(0), piece)).collect();
                Self { calls: vec![call], pieces }
            }
            _ => {
                let share = |index| (index..size).step_by(PARALLEL_CALLS).count();
                let made = (0..PARALLEL_CALLS).map(|index| tool_use(index, share(index)));
                let (calls, mut pieces): (Vec<_>, Vec<_>) =
                    made.map(|(call, pieces)| (call, pieces.into_iter())).unzip();
                // Dealt to the calls in turn, as providers with parallel calls do.
                let dealt = (0..size).map(|place| place % PARALLEL_CALLS);
                let pieces =
                    dealt.map(|call| (Some(call), pieces[call].next().expect("a piece"))).collect();
                Self { calls, pieces }
            }
        }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let of_text = self.pieces.iter().filter(|(call, _)| call.is_none());
        of_text.map(|(_, piece)| piece.as_str()).collect()
    }

    /// Returns the deltas as JSON lines.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Lines(Vec::new());
        lines.add("start", r#"{"modelId":"model-1","requestId":"request-1"}"#);
        for ToolUse { id, name, .. } in &self.calls {
            lines
                .add("tool_call_start", &format!(r#"{{"toolCallId":"{id}","toolName":"{name}"}}"#));
        }
        for (call, piece) in &self.pieces {
            let piece = json_of(piece);
            match call {
                None => lines.add("text", &format!(r#"{{"textDelta":{piece}}}"#)),
                Some(call) => {
                    let id = &self.calls[*call].id;
                    let payload = format!(r#"{{"toolCallId":"{id}","argsTextDelta":{piece}}}"#);
                    lines.add("tool_call_args", &payload);
                }
            }
        }
        for call in &self.calls {
            lines.add("tool_call_end", &format!(r#"{{"toolCallId":"{}"}}"#, call.id));
        }
        let (count, total) = (self.pieces.len(), self.pieces.len() + 10);
        let usage = format!(r#"{{"inputTokens":10,"outputTokens":{count},"totalTokens":{total}}}"#);
        lines.add("usage", &usage);
        let reason = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        lines.add("done", &format!(r#"{{"finishReason":"{reason}"}}"#));
        lines.0
    }
}

/// Lines in the making, tag first, as the project's own writer puts them.
struct Lines(Vec<String>);

impl Lines {
    fn add(&mut self, kind: &str, payload: &str) {
        let seq = self.0.len() + 1;
        let (minute, second, milli) = (seq / 60_000 % 60, seq / 1000 % 60, seq % 1000);
        self.0.push(format!(
            r#"{{"kind":"{kind}","runId":"run-1","seq":{seq},"payload":{payload},"timestamp":"2026-11-03T10:{minute:02}:{second:02}.{milli:03}Z"}}"#
        ));
    }
}

fn json_of(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}

fn words() -> Vec<&'static str> {
    PROSE.split(' ').collect()
}

fn text_pieces(size: usize) -> impl Iterator<Item = String> {
    let (words, mut chooser) = (words(), Twister::new(SEED));
    (0..size).map(move |_| format!("{} ", words[chooser.below_by_fraction(words.len())]))
}

fn tool_use(index: usize, size: usize) -> (ToolUse, Vec<String>) {
    let arguments =
        if size == 0 { "{}".to_owned() } else { arguments_text(index, size * PIECE_CHARS) };
    let pieces = cut(&arguments, size, index);
    let (id, name) = (format!("call_{index:04}"), format!("edit_file_{}", index % 7));
    (ToolUse { id, name, arguments }, pieces)
}

/// Returns an object of about `length` characters: half a long string, half rows.
fn arguments_text(index: usize, length: usize) -> String {
    if length < 120 {
        return format!(r#"{{"q":"{}"}}"#, "x".repeat(length.saturating_sub(8)));
    }
    let (words, mut chooser) = (words(), Twister::new(seed_of(index)));
    let mut chosen = Vec::new();
    let mut left = i64_of(length / 2);
    while left > 0 {
        let word = words[chooser.below(words.len())];
        chosen.push(word);
        left -= i64_of(word.chars().count()) + 1;
    }
    let mut rows = Vec::new();
    let mut left = i64_of(length / 2);
    while left > 0 {
        let (id, name) = (rows.len(), json_of(words[chooser.below(words.len())]));
        let row = format!(r#"{{"id":{id},"name":{name},"share":0.25,"ok":true}}"#);
        left -= i64_of(row.len()) + 1;
        rows.push(row);
    }
    let (content, rows) = (json_of(&chosen.join(" ")), rows.join(","));
    format!(r#"{{"path":"src/module_{index}.py","content":{content},"rows":[{rows}]}}"#)
}

/// Cuts a text into exactly `size` pieces of uneven length.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn cut(text: &str, size: usize, index: usize) -> Vec<String> {
    if size == 0 {
        return Vec::new();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut chooser = Twister::new(seed_of(index));
    let step = chars.len() as f64 / size as f64;
    let jitter = step * 0.4;
    let mut edges = vec![0];
    for place in 1..size {
        let shift = -jitter + (jitter - -jitter) * chooser.fraction();
        edges.push((place as f64 * step + shift) as usize);
    }
    edges.push(chars.len());
    edges.windows(2).map(|edge| chars[edge[0]..edge[1]].iter().collect()).collect()
}

fn seed_of(index: usize) -> u32 {
    SEED + u32::try_from(index).expect("few calls")
}

fn i64_of(count: usize) -> i64 {
    i64::try_from(count).expect("a small count")
}

/// The generator of Python's `random`, MT19937, seeded and read as that does.
struct Twister {
    state: [u32; 624],
    at: usize,
}

#[allow(clippy::cast_possible_truncation)] // places in the state
impl Twister {
    fn new(seed: u32) -> Self {
        let mut state = [0u32; 624];
        state[0] = 19_650_218;
        for at in 1..624 {
            let mixed = state[at - 1] ^ (state[at - 1] >> 30);
            state[at] = mixed.wrapping_mul(1_812_433_253).wrapping_add(at as u32);
        }
        // As by an array of one word, the seed.
        let mut at = 1;
        let mut step = |state: &mut [u32; 624], factor: u32, plus: &dyn Fn(usize) -> u32| {
            let mixed = state[at - 1] ^ (state[at - 1] >> 30);
            state[at] = (state[at] ^ mixed.wrapping_mul(factor)).wrapping_add(plus(at));
            at += 1;
            if at == 624 {
                state[0] = state[623];
                at = 1;
            }
        };
        for _ in 0..624 {
            step(&mut state, 1_664_525, &|_| seed);
        }
        for _ in 0..623 {
            step(&mut state, 1_566_083_941, &|at| (at as u32).wrapping_neg());
        }
        state[0] = 0x8000_0000;
        Self { state, at: 624 }
    }

    fn next(&mut self) -> u32 {
        if self.at == 624 {
            for at in 0..624 {
                let both =
                    (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % 624] & 0x7fff_ffff);
                let odd = if both & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[at] = self.state[(at + 397) % 624] ^ (both >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn fraction(&mut self) -> f64 {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number below `count`, as `choices` takes it.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn below_by_fraction(&mut self, count: usize) -> usize {
        (self.fraction() * count as f64) as usize
    }

    /// A number below `count`, as `choice` takes it.
    fn below(&mut self, count: usize) -> usize {
        let bits = usize::BITS - count.leading_zeros();
        loop {
            let number = (self.next() >> (32 - bits)) as usize;
            if number < count {
                return number;
            }
        }
    }
}
