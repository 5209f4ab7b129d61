//! Messages of content blocks: what the formats of Anthropic and Bedrock have in common.

use crate::json::{Value, json};

use crate::providers::request_core::encoder::Work;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, Said, Spoken, ToolResult, Turn, USER_MEDIA, UserPiece,
    words_of,
};

/// A block of the body, and where in the request it comes from.
pub(crate) struct Block {
    pub body: Value,
    pub pointer: String,
}

impl Block {
    pub(crate) fn new(body: Value, pointer: &str) -> Self {
        Self { body, pointer: pointer.to_owned() }
    }
}

/// A message that is being written: a user's results are before all else.
#[derive(Default)]
pub(crate) struct Draft {
    pub role: &'static str,
    pub pointer: String,
    pub results: Vec<Block>,
    pub blocks: Vec<Block>,
}

impl Draft {
    fn is_empty(&self) -> bool {
        self.results.is_empty() && self.blocks.is_empty()
    }

    /// Returns the message.
    pub(crate) fn into_message(self) -> Value {
        let blocks = self.results.into_iter().chain(self.blocks);
        json!({"role": self.role, "content": blocks.map(|block| block.body).collect::<Vec<_>>()})
    }
}

/// Writes blocks; what cannot be said goes into the notes.
pub(crate) trait BlockContent {
    fn notes(&self) -> &Notes;

    /// Returns a text block; the provider refuses white space alone, so it is left out.
    fn text(&self, said: &Said) -> Option<Block>;

    /// Returns the blocks of text, images, files and media.
    fn user(&self, pieces: &[UserPiece]) -> Vec<Block>;

    /// Returns the block of a tool result.
    fn result(&self, result: &ToolResult) -> Block;

    /// Returns the block of an assistant's text, with its citations.
    fn cited(&self, said: &Said) -> Option<Block>;

    fn thinking(&self, text: &str, signature: &str) -> Value;

    fn call(&self, call: &Call) -> Value;

    /// Returns what is between parts: blocks of the provider's own, and bare signatures.
    fn state(&self, item: &Item) -> Option<Block>;

    /// Leaves out server tools' calls without a result, and results without a call.
    fn leave_out_dangling(&self, drafts: &mut [Draft]);

    fn is_thinking(&self, body: &Value) -> bool;

    /// Returns the citations that were kept for a text.
    fn citations(&self, said: &Said) -> Vec<Value> {
        let mut citations = Vec::new();
        for item in &said.state {
            if item.kind != "citation" {
                self.notes().response_only(&item.pointer, &item.kind);
            } else if item.data.is_object() {
                citations.push(item.data.clone());
            } else {
                self.notes().malformed(&item.pointer, "a citation as an object", &item.data);
            }
        }
        citations
    }

    /// Returns reasoning with its signature.
    fn signed(&self, said: &Said) -> Option<Block> {
        let (signatures, others): (Vec<&Item>, Vec<&Item>) =
            said.state.iter().partition(|item| item.kind == "signature");
        for item in others {
            self.notes().response_only(&item.pointer, &item.kind);
        }
        for item in signatures.iter().skip(1) {
            let actual = json!(format!("{} signatures", signatures.len()));
            self.notes().malformed(&item.pointer, "one signature", &actual);
        }
        let body = match signatures.as_slice() {
            [item] => self.reasoning(&said.text, item),
            _ => None,
        };
        if body.is_none() {
            leave_out_thinking(self.notes(), &said.pointer, "without its signature");
        }
        body.map(|body| Block::new(body, &said.pointer))
    }

    /// Returns the block of reasoning with a signature, None where that is none.
    fn reasoning(&self, text: &str, item: &Item) -> Option<Value> {
        if let Some(signature) = item.data.as_str().filter(|data| !data.is_empty()) {
            return Some(self.thinking(text, signature));
        }
        self.notes().malformed(&item.pointer, "a signature as text", &item.data);
        None
    }

    /// Returns the blocks of an assistant's message, the provider's own in their places.
    fn assistant(&self, turn: &AssistantTurn) -> Vec<Block> {
        let mut blocks = Vec::new();
        for piece in &turn.pieces {
            blocks.extend(match piece {
                AssistantPiece::Text(said) => self.cited(said),
                AssistantPiece::Thinking(said) => self.signed(said),
                AssistantPiece::Call(call) => Some(Block::new(self.call(call), &call.pointer)),
                AssistantPiece::State(item) => self.state(item),
                AssistantPiece::Media(piece) => {
                    words_of(piece, USER_MEDIA, self.notes()).and_then(|words| self.text(&words))
                }
            });
        }
        blocks
    }
}

/// Notes reasoning that the provider would refuse.
fn leave_out_thinking(notes: &Notes, pointer: &str, why: &str) {
    let message = format!("The provider takes no reasoning {why}; it is left out");
    notes.thinking_left_out(&message, pointer);
}

/// Notes state of a server tool that cannot be alone.
pub(crate) fn note_dangling(notes: &Notes, pointer: &str, kind: &str) {
    notes.add_with(
        "encode/dangling-state",
        "A server tool's call goes back with its result, and not alone",
        pointer,
        "call and result",
        kind,
    );
}

/// Returns the blocks of the system prompt, and the messages.
pub(crate) fn messages(work: &Work, content: &dyn BlockContent) -> (Vec<Value>, Vec<Draft>) {
    let prompt = work.request.system.iter();
    let mut system: Vec<Value> = prompt
        .filter_map(|(text, pointer)| content.text(&Said::plain(text, pointer)))
        .map(|block| block.body)
        .collect();
    let mut drafts: Vec<Draft> = Vec::new();
    for turn in work.turns {
        drafts.push(match turn {
            Turn::System(said) => {
                system.extend(system_blocks(said, drafts.is_empty(), content));
                continue;
            }
            Turn::User(said) => Draft {
                role: "user",
                pointer: said.pointer.clone(),
                blocks: content.user(&said.pieces),
                ..Draft::default()
            },
            Turn::Assistant(turn) => Draft {
                role: "assistant",
                pointer: turn.pointer.clone(),
                blocks: content.assistant(turn),
                ..Draft::default()
            },
            Turn::Tool(results) => Draft {
                role: "user",
                results: results.iter().map(|result| content.result(result)).collect(),
                ..Draft::default()
            },
        });
    }
    let mut drafts = merged(drafts, work.notes);
    content.leave_out_dangling(&mut drafts);
    leave_out_last_thinking(&mut drafts, content);
    (system, merged(drafts, work.notes))
}

fn system_blocks(said: &Spoken, is_first: bool, content: &dyn BlockContent) -> Vec<Value> {
    let mut blocks = Vec::new();
    for piece in &said.pieces {
        if let UserPiece::Text(text) = piece {
            blocks.extend(content.text(text).map(|block| block.body));
        }
    }
    if blocks.is_empty() {
        content.notes().empty_message(&said.pointer);
    } else if !is_first {
        content.notes().moved_system(&said.pointer);
    }
    blocks
}

/// Returns the messages without empty ones, those of one side in a row as one.
fn merged(drafts: Vec<Draft>, notes: &Notes) -> Vec<Draft> {
    let mut merged: Vec<Draft> = Vec::new();
    for draft in drafts {
        if draft.is_empty() {
            notes.empty_message(&draft.pointer);
            continue;
        }
        match merged.last_mut() {
            Some(last) if last.role == draft.role => {
                last.results.extend(draft.results);
                last.blocks.extend(draft.blocks);
            }
            _ => merged.push(draft),
        }
    }
    merged
}

/// Returns the number of the message whose server calls may wait: that is the last answer, which was
/// paused, or waits for tools of ours.
pub(crate) fn waiting(drafts: &[Draft]) -> Option<usize> {
    let last = drafts.iter().rposition(|draft| draft.role == "assistant")?;
    drafts.get(last + 1).is_none_or(|draft| !draft.results.is_empty()).then_some(last)
}

/// Leaves out reasoning at the very end of an answer: the answer was cut behind it.
fn leave_out_last_thinking(drafts: &mut [Draft], content: &dyn BlockContent) {
    for draft in drafts.iter_mut().filter(|draft| draft.role == "assistant") {
        while let Some(last) = draft.blocks.pop() {
            if !content.is_thinking(&last.body) {
                draft.blocks.push(last);
                break;
            }
            leave_out_thinking(content.notes(), &last.pointer, "at the end of an answer");
        }
    }
}
