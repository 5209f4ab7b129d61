//! Builds messages of a session: info first, then the parts in their order, then the whole.

use std::collections::HashMap;

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::session::{
    FilePart, FilePartSource, MessagePath, ModelRef, Part, ReasoningPart, ReasoningTime,
    StepFinishPart, StepFinishPartReason, StepStartPart, TextPart, TokenStats, ToolPart, ToolState,
    UserSummary, WithParts,
};
use crate::contract::types::Map;
use crate::errors::{Error, Finding, clip_text};
use crate::json::documents::check_depth;
use crate::reading::read::{Mode, check, into_type, read_json};
use crate::session::parts::{
    PartIds, TextOptions, create_file_part, create_reasoning_part, create_step_finish_part,
    create_step_start_part, create_text_part, create_tool_part,
};
use crate::session::transitions::{Moved, StateFields, followed, transition_value, wire_of};
use crate::session::validation::{How, call_id_of, message_findings};

const PART: &str = "session.Part";

type MakeId = Box<dyn FnMut() -> String + Send>;

/// A part as it is kept.
pub(crate) struct Kept {
    pub document: Value,
    /// Whether it is a part; what is wrong with one that is not is said when the message is built.
    pub is_valid: bool,
}

/// Collects one message of a session.
///
/// Info need not be complete yet: an assistant's cost and tokens come with
/// [`set_usage`](Self::set_usage), and the end with [`complete`](Self::complete). The parts that
/// are made here belong to the session, and a function makes their ids. A user's message may have a
/// summary only where the builder is [`compacting`](Self::compacting).
///
/// ```
/// use partwire::session::{TextOptions, WithPartsBuilder};
/// use partwire::types::session::ModelRef;
///
/// # fn main() -> Result<(), partwire::Error> {
/// let session = "0197c6f0-5a00-7000-8000-000000000001";
/// let message = "0197c6f0-5a00-7000-8000-000000000002";
/// let mut next = 0;
/// let make_id = move || {
///     next += 1;
///     format!("prt_{next}")
/// };
/// let model = ModelRef { provider_id: "acme".into(), model_id: "model-1".into() };
/// let mut builder =
///     WithPartsBuilder::for_user(session, message, 1_767_323_045_000, "build", &model, make_id)?;
/// builder.add_text("What is the weather?", TextOptions::default())?;
/// assert_eq!(builder.build()?.parts.len(), 1);
/// # Ok(())
/// # }
/// ```
pub struct WithPartsBuilder {
    info: Map,
    session_id: String,
    compacting: bool,
    pub(crate) make_id: MakeId,
    parts: Vec<Kept>,
    calls: HashMap<String, usize>,
}

impl WithPartsBuilder {
    /// Returns a builder of a message whose info is a JSON object.
    ///
    /// Fails with [`Error::Usage`] for info that is not an object, and [`Error::Part`] for one that
    /// is nested too deep.
    pub fn new(
        info: Value,
        session_id: &str,
        make_id: impl FnMut() -> String + Send + 'static,
    ) -> Result<Self, Error> {
        let info = match copied(info)? {
            Value::Object(info) => info,
            other => return Err(Error::argument("Info is a JSON object", "an object", &other)),
        };
        Ok(Self {
            info,
            session_id: session_id.to_owned(),
            compacting: false,
            make_id: Box::new(make_id),
            parts: Vec::new(),
            calls: HashMap::new(),
        })
    }

    /// Returns a builder for a user's message.
    ///
    /// What else a user's info may hold (system, tools, variant) takes [`new`](Self::new).
    pub fn for_user(
        session_id: &str,
        message_id: &str,
        created: u64,
        agent: &str,
        model: &ModelRef,
        make_id: impl FnMut() -> String + Send + 'static,
    ) -> Result<Self, Error> {
        let (time, model) = (json!({"created": created}), wire_of(model)?);
        let info = json!({
            "id": message_id, "role": "user", "time": time, "agent": agent, "model": model
        });
        Self::new(info, session_id, make_id)
    }

    /// Returns a builder for an assistant's message, whose cost and tokens are to come.
    pub fn for_assistant(
        session_id: &str,
        message_id: &str,
        created: u64,
        agent: &str,
        path: &MessagePath,
        make_id: impl FnMut() -> String + Send + 'static,
    ) -> Result<Self, Error> {
        let (time, path) = (json!({"created": created}), wire_of(path)?);
        let info = json!({
            "id": message_id, "role": "assistant", "time": time, "agent": agent, "path": path
        });
        Self::new(info, session_id, make_id)
    }

    /// Says whether the context is being compacted.
    #[must_use]
    pub fn compacting(mut self, compacting: bool) -> Self {
        self.compacting = compacting;
        self
    }

    /// The session of the parts that are made here.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The message's id; empty where info has none.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.info.get("id").and_then(Value::as_str).unwrap_or("")
    }

    /// The parts so far, in order, as JSON values; those that are not valid among them.
    pub fn parts(&self) -> impl Iterator<Item = &Value> {
        self.parts.iter().map(|part| &part.document)
    }

    // --- parts ----------------------------------------------------------------------------------

    /// Puts a part behind the others; what is wrong with it is said by [`build`](Self::build).
    ///
    /// Fails with [`Error::Part`] `session/duplicate-tool-call`: calls are distinguished by id.
    pub fn add(&mut self, part: &Part) -> Result<(), Error> {
        self.add_value(wire_of(part)?)
    }

    /// What [`add`](Self::add) does, of a JSON value: it need not be a part.
    pub fn add_value(&mut self, part: Value) -> Result<(), Error> {
        let document = copied(part)?;
        match read_json(binding(PART, LATEST_VERSION)?, document.clone(), Mode::Strict) {
            Ok(part) => self.append(Kept { document: part.value, is_valid: true }),
            Err(_) => self.append(Kept { document, is_valid: false }),
        }
    }

    pub(crate) fn append(&mut self, part: Kept) -> Result<(), Error> {
        if let Some(id) = call_id_of(&part.document) {
            if self.calls.contains_key(id) {
                let pointer = format!("/parts/{}/callID", self.parts.len());
                let message = "The message has a call of this id already";
                let finding = Finding::error("session/duplicate-tool-call", &pointer, message)
                    .expected("a different id")
                    .actual(clip_text(id));
                return Err(Error::Part(vec![finding]));
            }
            self.calls.insert(id.to_owned(), self.parts.len());
        }
        self.parts.push(part);
        Ok(())
    }

    // --- tool states ----------------------------------------------------------------------------

    /// Moves the state of a call on, as [`transition`](crate::session::transitions::transition) does; the title falls
    /// back to the tool.
    ///
    /// The part is replaced at its place by one that differs in its state alone. Pointers of what
    /// is refused lead into the state. Fails as `transition`, and with [`Error::Part`]
    /// `session/unknown-tool-call`.
    pub fn move_to(
        &mut self,
        call_id: &str,
        to: &str,
        fields: StateFields,
    ) -> Result<ToolPart, Error> {
        self.move_value(call_id, to, fields.into_map()?)?;
        self.tool_part(call_id).and_then(|(_, part)| into_type(part.clone()))
    }

    /// What [`move_to`](Self::move_to) does, on JSON values; fields are named as in documents.
    #[doc(hidden)]
    pub fn move_value(&mut self, call_id: &str, to: &str, mut fields: Map) -> Result<(), Error> {
        let (index, part) = self.tool_part(call_id)?;
        if to == "completed" && fields.get("tool").is_none_or(Value::is_null) {
            fields.insert("tool".to_owned(), part.get("tool").cloned().unwrap_or_default());
        }
        let after = transition_value(part.get("state").unwrap_or(&Value::Null), to, &fields)?;
        self.replace(index, after);
        Ok(())
    }

    /// Puts a state that was made elsewhere in the place of the call's; it has to be allowed.
    ///
    /// It keeps input and start. Fails as [`move_to`](Self::move_to).
    pub fn set_state(&mut self, call_id: &str, state: &ToolState) -> Result<ToolPart, Error> {
        self.set_state_value(call_id, &wire_of(state)?)?;
        self.tool_part(call_id).and_then(|(_, part)| into_type(part.clone()))
    }

    /// What [`set_state`](Self::set_state) does, on JSON values.
    #[doc(hidden)]
    pub fn set_state_value(&mut self, call_id: &str, state: &Value) -> Result<(), Error> {
        let (index, part) = self.tool_part(call_id)?;
        let after = followed(part.get("state").unwrap_or(&Value::Null), state)?;
        self.replace(index, after);
        Ok(())
    }

    fn tool_part(&self, call_id: &str) -> Result<(usize, &Value), Error> {
        let known = self.calls.get(call_id).copied();
        let Some((index, part)) = known.and_then(|index| Some((index, self.parts.get(index)?)))
        else {
            let message = "The message has no call of this id";
            let finding = Finding::error("session/unknown-tool-call", "", message);
            let finding = finding.expected("the id of a tool part").actual(clip_text(call_id));
            return Err(Error::Part(vec![finding]));
        };
        if part.is_valid {
            return Ok((index, &part.document));
        }
        let mut found = check(binding(PART, LATEST_VERSION)?, &part.document);
        for each in &mut found {
            each.pointer = format!("/parts/{index}{}", each.pointer);
        }
        Err(Error::Part(found))
    }

    fn replace(&mut self, index: usize, after: Moved<Value>) {
        let part = self.parts.get_mut(index).and_then(|part| part.document.as_object_mut());
        if let (Some(part), Moved::State(state)) = (part, after) {
            part.insert("state".to_owned(), state);
        }
    }

    // --- info -----------------------------------------------------------------------------------

    /// Takes cost (US dollars) and tokens of an assistant's message from the provider's answer.
    ///
    /// Fails with [`Error::Usage`] for a message of a user.
    pub fn set_usage(&mut self, cost: f64, tokens: &TokenStats) -> Result<(), Error> {
        self.set_usage_value(Value::from(cost), wire_of(tokens)?)
    }

    /// What [`set_usage`](Self::set_usage) does, on JSON values.
    #[doc(hidden)]
    pub fn set_usage_value(&mut self, cost: Value, tokens: Value) -> Result<(), Error> {
        self.only("assistant", "cost and tokens")?;
        let tokens = copied(tokens)?;
        self.info.insert("cost".to_owned(), cost);
        self.info.insert("tokens".to_owned(), tokens);
        Ok(())
    }

    /// Gives a user's message its summary, while the context is compacted.
    ///
    /// Fails with [`Error::Usage`] for a message of an assistant.
    pub fn set_summary(&mut self, summary: &UserSummary) -> Result<(), Error> {
        self.set_summary_value(wire_of(summary)?)
    }

    /// What [`set_summary`](Self::set_summary) does, on a JSON value.
    #[doc(hidden)]
    pub fn set_summary_value(&mut self, summary: Value) -> Result<(), Error> {
        self.only("user", "a summary")?;
        self.info.insert("summary".to_owned(), copied(summary)?);
        Ok(())
    }

    /// Says that the message has been complete since `at`, in milliseconds since the epoch.
    pub fn complete(&mut self, at: u64) {
        self.complete_value(at.into());
    }

    /// What [`complete`](Self::complete) does, on a JSON value.
    #[doc(hidden)]
    pub fn complete_value(&mut self, at: Value) {
        let time = self.info.get("time").and_then(Value::as_object);
        let mut time = time.cloned().unwrap_or_default();
        time.insert("completed".to_owned(), at);
        self.info.insert("time".to_owned(), Value::Object(time));
    }

    fn only(&self, role: &str, what: &str) -> Result<(), Error> {
        let given = self.info.get("role").unwrap_or(&Value::Null);
        if given.as_str() == Some(role) {
            return Ok(());
        }
        let message = format!("Only the message of a role {role} has {what}");
        Err(Error::argument(&message, role, given))
    }

    // --- the message ----------------------------------------------------------------------------

    /// Returns what [`build`](Self::build) would find, errors and warnings; empty if nothing.
    ///
    /// Fails with [`Error::Part`] for what is nested too deep.
    pub fn check(&self) -> Result<Vec<Finding>, Error> {
        message_findings(&self.document()?, self.how(true))
    }

    /// Returns the finished message.
    ///
    /// Fails with [`Error::Part`] and every error found: BR-01 to BR-04 and BR-06 to BR-10 by the
    /// schema, and those of what makes a message finished: a summary without compaction (BR-11), no
    /// cost or tokens (BR-12, BR-13), no time of completion, or a call that still runs (BR-14).
    pub fn build(&self) -> Result<WithParts, Error> {
        built(self.document()?, self.how(true))
    }

    /// Returns the message as far as it is: for storing while it is being written.
    ///
    /// It may lack the time of completion and have calls that run. Cost and tokens are 0 as long as
    /// nothing is known. Fails with [`Error::Part`].
    pub fn build_partial(&self) -> Result<WithParts, Error> {
        let mut document = self.document()?;
        let info = document.get_mut("info").and_then(Value::as_object_mut);
        let is_assistant = self.only("assistant", "cost and tokens").is_ok();
        if let Some(info) = info.filter(|_| is_assistant) {
            info.get_or_insert_with("cost", || 0.into());
            info.get_or_insert_with("tokens", || {
                let cache = json!({"read": 0, "write": 0});
                json!({"input": 0, "output": 0, "reasoning": 0, "cache": cache})
            });
        }
        built(document, self.how(false))
    }

    fn how(&self, finished: bool) -> How {
        How { finished, compacting: self.compacting }
    }

    fn document(&self) -> Result<Value, Error> {
        let parts: Value = self.parts().cloned().collect();
        copied(json!({"info": self.info, "parts": parts}))
    }
}

fn built(document: Value, how: How) -> Result<WithParts, Error> {
    let mut found = message_findings(&document, how)?;
    found.retain(Finding::is_error);
    if !found.is_empty() {
        return Err(Error::Part(found));
    }
    let binding = binding("session.WithParts", LATEST_VERSION)?;
    into_type(read_json(binding, document, Mode::Strict)?.value)
}

/// Returns a JSON value that has an end.
fn copied(value: Value) -> Result<Value, Error> {
    check_depth(&value).map_err(Error::Part)?;
    Ok(value)
}

// -------------------------------------------------------------------------------------------------
// The parts that a builder makes itself.

impl WithPartsBuilder {
    /// Adds a text part and returns it; fails with [`Error::Part`], as all that make parts do.
    pub fn add_text(&mut self, text: &str, options: TextOptions) -> Result<TextPart, Error> {
        self.made(|ids| create_text_part(ids, text, options))
    }

    /// Adds a reasoning part.
    pub fn add_reasoning(
        &mut self,
        text: &str,
        time: ReasoningTime,
        metadata: Option<Map>,
    ) -> Result<ReasoningPart, Error> {
        self.made(|ids| create_reasoning_part(ids, text, time, metadata))
    }

    /// Adds the begin of a step.
    pub fn add_step_start(&mut self, snapshot: Option<String>) -> Result<StepStartPart, Error> {
        self.made(|ids| create_step_start_part(ids, snapshot))
    }

    /// Adds a tool call; fails as [`add`](Self::add) for an id that another call has.
    pub fn add_tool(
        &mut self,
        call_id: &str,
        tool: &str,
        state: ToolState,
        metadata: Option<Map>,
    ) -> Result<ToolPart, Error> {
        self.made(|ids| create_tool_part(ids, call_id, tool, state, metadata))
    }

    /// Adds the end of a step; `cost` in US dollars.
    pub fn add_step_finish(
        &mut self,
        reason: StepFinishPartReason,
        cost: f64,
        tokens: TokenStats,
        snapshot: Option<String>,
    ) -> Result<StepFinishPart, Error> {
        self.made(|ids| create_step_finish_part(ids, reason, cost, tokens, snapshot))
    }

    /// Adds a file.
    pub fn add_file(
        &mut self,
        mime: &str,
        url: &str,
        filename: Option<String>,
        source: Option<FilePartSource>,
    ) -> Result<FilePart, Error> {
        self.made(|ids| create_file_part(ids, mime, url, filename, source))
    }

    fn made<P: Clone + Into<Part>>(
        &mut self,
        make: impl FnOnce(PartIds<'_>) -> Result<P, Error>,
    ) -> Result<P, Error> {
        let id = (self.make_id)();
        let (session_id, message_id) = (self.session_id(), self.message_id());
        let part = make(PartIds { id: &id, session_id, message_id })?;
        self.append(Kept { document: wire_of(&part.clone().into())?, is_valid: true })?;
        Ok(part)
    }
}
