//! What the caller says for a source that cannot: checked whether it is needed or not.
//!
//! So one context serves conversions of every kind, and a slip never passes for an answer.

use std::fmt;

use crate::json::{Value, json};

use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Map;
use crate::errors::Error;
use crate::reading::read::validate_value;
use crate::tables::losses::LOSSES;

pub(crate) const EPOCH: &str = "1970-01-01T00:00:00Z";
pub(crate) const NIL: &str = "00000000-0000-0000-0000-000000000000";

type MakeId = Box<dyn Fn() -> String + Send + Sync>;

/// What the source of a conversion cannot say. What is not given is made up and reported as
/// invented.
///
/// A value that the conversion does not need is checked all the same, and not used.
///
/// ```
/// use partwire::convert::Context;
///
/// let context = Context::new().run_id("run-1").timestamp("2026-01-02T03:04:05Z").cost(0.01);
/// # _ = context;
/// ```
#[derive(Default)]
pub struct Context {
    values: Map,
    make_id: Option<MakeId>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("values", &self.values).finish_non_exhaustive()
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name(self, value: &str) -> Self {
                self.with(stringify!($name), value)
            }
        )*
    };
}

impl Context {
    /// Returns a context that says nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says a value by its name; null says nothing. The conversion refuses what does not fit.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    texts! {
        /// The run that the messages belong to.
        run_id,
        /// The time of what has none, RFC 3339.
        timestamp,
        /// The session that the messages belong to, a UUID.
        session_id,
        /// Who wrote the messages.
        agent,
        /// Whose model was asked.
        provider_id,
        /// Which model was asked.
        model_id,
        /// The folder that the agent worked in.
        cwd,
        /// The root of the project.
        root,
        /// The tool that gave the result, a UUID.
        tool_id,
        /// The id of the queue message, a UUID; of a list, ids come from [`Context::make_id`].
        message_id,
        /// The trace of the queue message.
        trace_id,
    }

    /// The price of a message in US dollars.
    #[must_use]
    pub fn cost(self, value: f64) -> Self {
        self.with("cost", value)
    }

    /// The tokens of a message, as a session has them.
    #[must_use]
    pub fn tokens(self, value: &crate::contract::current::session::TokenStats) -> Self {
        self.with("tokens", crate::json::to_value(value).unwrap_or_default())
    }

    /// Whether text that a session holds back from the model (`ignored`) becomes parts of the
    /// message.
    #[must_use]
    pub fn keep_ignored(self, value: bool) -> Self {
        self.with("keep_ignored", value)
    }

    /// Returns a new UUID at every call. Without it, ids are made from what is there: the same
    /// source always gives the same ids.
    #[must_use]
    pub fn make_id(mut self, make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.make_id = Some(Box::new(make));
        self
    }

    /// Returns the value under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn keeps_ignored(&self) -> bool {
        self.get("keep_ignored") == Some(&Value::Bool(true))
    }

    pub(crate) fn new_id(&self) -> Option<String> {
        self.make_id.as_ref().map(|make| make())
    }

    /// Fails with `usage/invalid-argument` for a name that no conversion knows.
    pub(crate) fn check_names(&self) -> Result<(), Error> {
        for name in self.values.keys() {
            if place_of(name).is_none() {
                let message = format!("The context knows no {name}");
                return Err(Error::argument(&message, "a name such as run_id", &json!(name)));
            }
        }
        Ok(())
    }

    /// Fails with `usage/invalid-argument` for an unknown name or a value that does not fit.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_names()?;
        for (name, value) in &self.values {
            let Some((type_name, mut document, member)) = place_of(name) else { continue };
            if value.is_null() {
                continue;
            }
            document.insert(member.to_owned(), value.clone());
            let found = validate_value(&Value::Object(document), type_name, LATEST_VERSION)?;
            if let Some(found) = found.iter().find(|found| found.is_error()) {
                let message = format!("{name} is wrong: {}", found.message);
                let expected = found.expected.as_deref().unwrap_or("");
                return Err(Error::argument(&message, expected, value));
            }
        }
        Ok(())
    }
}

/// Returns where a value goes: a document that is valid but for it, so that the schemas say what
/// fits.
fn place_of(name: &str) -> Option<(&'static str, Map, &'static str)> {
    let (type_name, member) = match name {
        "run_id" => ("message.Message", "runId"),
        "timestamp" => ("message.Message", "timestamp"),
        "session_id" => ("session.TextPart", "sessionID"),
        "agent" => ("session.AssistantInfo", "agent"),
        "provider_id" => ("session.ModelRef", "providerID"),
        "model_id" => ("session.ModelRef", "modelID"),
        "cwd" => ("session.MessagePath", "cwd"),
        "root" => ("session.MessagePath", "root"),
        "cost" => ("session.AssistantInfo", "cost"),
        "tokens" => ("session.AssistantInfo", "tokens"),
        "tool_id" => ("envelope.ToolResult", "tool_id"),
        "message_id" => ("envelope.Envelope", "message_id"),
        "trace_id" => ("envelope.Envelope", "trace_id"),
        "keep_ignored" => ("session.TextPart", "ignored"),
        _ => return None,
    };
    let document = match type_name {
        "message.Message" => {
            json!({"runId": "run", "role": "user", "parts": [], "timestamp": EPOCH})
        }
        "session.TextPart" => {
            json!({"id": "prt", "sessionID": NIL, "messageID": NIL, "type": "text", "text": ""})
        }
        "session.AssistantInfo" => assistant(),
        "session.ModelRef" => json!({"providerID": "provider", "modelID": "model"}),
        "session.MessagePath" => json!({"cwd": "/", "root": "/"}),
        "envelope.ToolResult" => json!({
            "invocation_id": NIL,
            "tool_id": NIL,
            "result_type": "tool_result",
            "data": {},
            "created_at": EPOCH,
        }),
        _ => json!({
            "message_id": NIL, "sent_at": EPOCH, "schema_version": LATEST_VERSION.as_str()
        }),
    };
    Some((type_name, document.as_object().cloned().unwrap_or_default(), member))
}

fn assistant() -> Value {
    json!({
        "id": NIL,
        "role": "assistant",
        "time": {"created": 0},
        "agent": "agent",
        "path": {"cwd": "/", "root": "/"},
        "cost": 0,
        "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
    })
}

/// Fails with `usage/invalid-argument` for a code that is none of [`LOSSES`].
pub(crate) fn check_codes(accept: &[String]) -> Result<(), Error> {
    let is_known = |code: &&String| LOSSES.iter().any(|(known, ..)| known == code);
    match accept.iter().find(|code| !is_known(code)) {
        Some(code) => {
            let message = "accept names a loss that does not exist";
            Err(Error::argument(message, "a code such as run-id", &json!(code)))
        }
        None => Ok(()),
    }
}
