//! Text and calls while they come: `curl -N … | cargo run --example stream -- openai-chat`.

use std::io::{BufRead, BufReader, Write, stdin, stdout};

use partwire::build::{new_id, now};
use partwire::providers::{AdapterOptions, ByteAdapter, open_adapter};
use partwire::types::message::{Message, MessageDelta};
use partwire::{MessageAssembler, Status};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Writes each piece as it comes; returns the message of the whole stream.
pub fn show(dialect: &str, input: impl BufRead, out: &mut impl Write) -> Outcome<Message> {
    let mut input = input;
    let adapter = open_adapter(dialect, &new_id("run"), now, AdapterOptions::default())?;
    let mut reader = ByteAdapter::new(adapter);
    let mut assembler = MessageAssembler::new();
    loop {
        let chunk = input.fill_buf()?.to_vec(); // whatever has come, cut anywhere
        input.consume(chunk.len());
        let deltas = if chunk.is_empty() { reader.close() } else { reader.feed(&chunk) };
        for delta in &deltas {
            assembler.consume(delta)?;
            if let MessageDelta::Text(text) = delta {
                write!(out, "{}", text.payload.text_delta)?;
            }
        }
        if chunk.is_empty() {
            break;
        }
        if assembler.status() == Status::Idle {
            continue; // nothing to show yet
        }
        for call in &assembler.progress()?.open_calls {
            let arguments = call.partial_arguments().map_or_else(String::new, ToString::to_string);
            writeln!(out, "{} {arguments}", call.tool_name())?;
        }
        out.flush()?;
    }
    assembler.close()?;
    Ok(assembler.build_final_message()?)
}

#[allow(dead_code)]
fn main() -> Outcome<()> {
    let dialect = std::env::args().nth(1).unwrap_or_else(|| "openai-chat".to_owned());
    let message = show(&dialect, BufReader::new(stdin()), &mut stdout())?;
    println!("\n{} parts", message.parts.len());
    Ok(())
}
