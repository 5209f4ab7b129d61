//! What `encode_request` is given, read with the contract's reader.

use crate::json::{Value, json};
use serde::Serialize;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::message::{Message, ModelConfig, TextPart, ToolChoice, ToolSpec};
use crate::errors::{Error, Finding, clip, clip_text};
use crate::json::documents::check_depth;
use crate::json::fields::Fields;
use crate::json::raw_text::is_space;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::note_stray;
use crate::providers::request_core::values::Json;
use crate::reading::read::{Mode, Reading, read_json};

const NAMED: [&str; 7] =
    ["modelId", "temperature", "maxTokens", "topP", "stopSequences", "toolChoice", "cacheConfig"];

/// What a provider is asked: messages, tools, system prompt and configuration, as JSON values.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestInput {
    messages: Value,
    tool_specs: Value,
    system_prompt: Value,
    system_prompt_content: Value,
    tool_choice: Value,
    config: Value,
}

impl RequestInput {
    /// Returns a request of messages alone; a message that cannot be written is refused later.
    #[must_use]
    pub fn new(messages: &[Message], config: &ModelConfig) -> Self {
        Self {
            messages: written(messages),
            config: written(config),
            ..Self::from_value(&Value::Null)
        }
    }

    /// Returns the request that a document `{messages, toolSpecs, systemPrompt,
    /// systemPromptContent, toolChoice, config}` says; its values are read when it is encoded.
    #[must_use]
    pub fn from_value(document: &Value) -> Self {
        Self {
            messages: document.at("messages").clone(),
            tool_specs: document.get("toolSpecs").cloned().unwrap_or_else(|| json!([])),
            system_prompt: document.at("systemPrompt").clone(),
            system_prompt_content: document.at("systemPromptContent").clone(),
            tool_choice: document.at("toolChoice").clone(),
            config: document.at("config").clone(),
        }
    }

    /// Returns text that is nowhere in what is given.
    pub(crate) fn unused_mark(&self) -> String {
        let Self {
            messages,
            tool_specs,
            system_prompt,
            system_prompt_content,
            tool_choice,
            config,
        } = self;
        let given =
            [messages, tool_specs, system_prompt, system_prompt_content, tool_choice, config];
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        let mark = |number: usize| format!("arguments-{number}-");
        let is_free = |mark: &String| !given.iter().any(|text| text.contains(mark));
        (0..usize::MAX).map(mark).find(is_free).unwrap_or_default()
    }

    /// Returns the request with tools.
    #[must_use]
    pub fn tool_specs(self, tool_specs: &[ToolSpec]) -> Self {
        Self { tool_specs: written(tool_specs), ..self }
    }

    /// Returns the request with a system prompt that is apart from the messages.
    #[must_use]
    pub fn system_prompt(self, text: &str) -> Self {
        Self { system_prompt: text.into(), ..self }
    }

    /// Returns the request with a system prompt of text parts, which counts before a mere text.
    #[must_use]
    pub fn system_prompt_content(self, parts: &[TextPart]) -> Self {
        Self { system_prompt_content: written(parts), ..self }
    }

    /// Returns the request with a tool choice, which counts before that of the configuration.
    #[must_use]
    pub fn tool_choice(self, choice: &ToolChoice) -> Self {
        Self { tool_choice: written(choice), ..self }
    }
}

fn written<T: Serialize + ?Sized>(value: &T) -> Value {
    crate::json::to_value(value).unwrap_or_default()
}

/// The tool choice; `tool_name` is set for the mode `tool` alone.
pub(crate) struct Choice {
    pub mode: String,
    pub tool_name: String,
    pub pointer: String,
}

/// What was given, valid, as its types take it.
pub(crate) struct Request {
    pub messages: Vec<Value>,
    pub tools: Vec<Value>,
    /// The texts of the prompt that was given apart from the messages, and where each is.
    pub system: Vec<(String, String)>,
    pub model_id: String,
    pub choice: Option<Choice>,
    pub temperature: Option<Value>,
    pub max_tokens: Option<Value>,
    pub top_p: Option<Value>,
    pub stop_sequences: Vec<String>,
    pub cache: bool,
    /// The members of the configuration that the contract does not name.
    pub extensions: Json,
}

/// Reads what was given tolerantly; what is not an error is noted.
pub(crate) fn read_request(asked: &RequestInput, notes: &Notes) -> Result<Request, Error> {
    let options = read(&asked.config, "message.ModelConfig", "/config", notes)?;
    let (choice, place) = match &asked.tool_choice {
        Value::Null => (options.at("toolChoice"), "/config/toolChoice"),
        choice => (choice, "/toolChoice"),
    };
    let given = |name: &str| options.get(name).cloned();
    let stops = options.list("stopSequences").iter().filter_map(Value::as_str);
    let members = options.as_object().into_iter().flatten();
    let extensions = members.filter(|(name, _)| !NAMED.contains(&name.as_str()));
    Ok(Request {
        messages: read_all((&asked.messages, "messages"), "message.Message", "/messages", notes)?,
        tools: read_all(
            (&asked.tool_specs, "tool specs"),
            "message.ToolSpec",
            "/toolSpecs",
            notes,
        )?,
        system: read_system(asked, notes)?,
        model_id: options.text("modelId").to_owned(),
        choice: read_choice(choice, place, notes)?,
        temperature: given("temperature"),
        max_tokens: given("maxTokens"),
        top_p: given("topP"),
        stop_sequences: stops.map(str::to_owned).collect(),
        cache: options.get("cacheConfig").is_some(),
        extensions: extensions.map(|(name, value)| (name.clone(), value.clone())).collect(),
    })
}

/// Reads one value; the pointers of what is found lead into the request.
fn read(value: &Value, name: &str, place: &str, notes: &Notes) -> Result<Value, Error> {
    let found = check_depth(value)
        .map_err(Error::Read)
        .and_then(|()| read_json(binding(name, LATEST_VERSION)?, value.clone(), Mode::Tolerant));
    match found {
        Ok(Reading { value, findings, .. }) => {
            notes.extend(findings, place);
            Ok(value)
        }
        Err(error) => {
            let mut found = error.findings().to_vec();
            for each in &mut found {
                each.pointer.insert_str(0, place);
            }
            Err(Error::Read(found))
        }
    }
}

fn read_all(
    (values, what): (&Value, &str),
    name: &str,
    place: &str,
    notes: &Notes,
) -> Result<Vec<Value>, Error> {
    let Value::Array(items) = values else {
        let message = format!("A request takes a list of {what}");
        let finding = Finding::error("usage/invalid-argument", place, &message);
        return Err(Error::Usage(vec![finding.expected("an array").actual(clip(values))]));
    };
    let items = items.iter().enumerate();
    items.map(|(number, item)| read(item, name, &format!("{place}/{number}"), notes)).collect()
}

fn read_choice(value: &Value, pointer: &str, notes: &Notes) -> Result<Option<Choice>, Error> {
    if value.is_null() {
        return Ok(None);
    }
    let (mode, tool_name) = match read(value, "message.ToolChoice", pointer, notes)? {
        Value::String(mode) => (mode, String::new()),
        specific => ("tool".to_owned(), specific.text("toolName").to_owned()),
    };
    Ok(Some(Choice { mode, tool_name, pointer: pointer.to_owned() }))
}

/// Returns the system prompt: the structured one, where both are given.
fn read_system(asked: &RequestInput, notes: &Notes) -> Result<Vec<(String, String)>, Error> {
    let text = &asked.system_prompt;
    if !text.is_null() && !text.is_string() {
        let message = "A system prompt is text";
        let finding = Finding::error("usage/invalid-argument", "/systemPrompt", message);
        return Err(Error::Usage(vec![finding.expected("a string").actual(clip(text))]));
    }
    let text = text.as_str();
    if asked.system_prompt_content.is_null() {
        let text = text.filter(|text| !text.is_empty());
        return Ok(text
            .map(|text| (text.to_owned(), "/systemPrompt".to_owned()))
            .into_iter()
            .collect());
    }
    let place = "/systemPromptContent";
    let given = (&asked.system_prompt_content, "parts of the system prompt");
    let parts = read_all(given, "message.TextPart", place, notes)?;
    let mut texts = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let pointer = format!("{place}/{number}");
        note_stray(part, &pointer, notes);
        texts.push((part.at("payload").text("text").to_owned(), pointer));
    }
    let whole: String = texts.iter().map(|(text, _)| text.as_str()).collect();
    let words = |text: &str| text.chars().filter(|char| !is_space(*char)).collect::<String>();
    if let Some(text) = text.filter(|text| words(text) != words(&whole)) {
        notes.add_with(
            "encode/system-prompt-twice",
            "The system prompt is given as text and as parts, which differ; the parts count",
            "/systemPrompt",
            "the text of the parts",
            clip_text(text),
        );
    }
    texts.retain(|(text, _)| !text.is_empty());
    Ok(texts)
}
