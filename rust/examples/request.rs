//! The body of a request: `cargo run --example request -- anthropic-messages`.

use partwire::build::{assistant, tool, tool_call, tool_result, user};
use partwire::providers::requests::{EncodedRequest, RequestInput, encode_request};
use partwire::types::message::{Message, ModelConfig, ToolSpec};
use partwire::{Error, json};

/// A question, a call that the model made, and what the tool answered.
pub fn request(dialect: &str) -> Result<EncodedRequest, Error> {
    let question = user("What is the weather in Oslo?")?;
    let call = tool_call("weather", [("city".into(), "Oslo".into())]);
    let answer = Message { run_id: question.run_id.clone(), ..assistant(call.clone())? };
    let results = tool([tool_result(&call, "4 °C, rain")], &answer.run_id)?;

    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let schema = schema.as_object().cloned().unwrap_or_default();
    let weather = ToolSpec {
        description: Some("The weather in a city.".into()),
        ..ToolSpec::new("weather", schema)
    };
    let config = ModelConfig { max_tokens: Some(1000), ..ModelConfig::new("model-1") };

    let history = [question, answer, results];
    let asked =
        RequestInput::new(&history, &config).tool_specs(&[weather]).system_prompt("Be brief.");
    encode_request(dialect, &asked)
}

#[allow(dead_code)]
fn main() -> Result<(), Error> {
    let dialect = std::env::args().nth(1).unwrap_or_else(|| "openai-chat".to_owned());
    let encoded = request(&dialect)?;
    for finding in &encoded.findings {
        eprintln!("{finding}"); // what this provider cannot take
    }
    println!("{:#}", encoded.body);
    Ok(())
}
