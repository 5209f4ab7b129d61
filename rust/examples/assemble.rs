//! A provider's stream as a message: `cargo run --example assemble -- openai-chat recorded.sse`, or
//! with standard input in place of the file.

use std::fs::File;
use std::io::{Read, stdin};

use partwire::build::adapt;
use partwire::types::message::Message;
use partwire::{Assemble, Error, dump};

/// Returns the message that the bytes of a response are.
pub fn message_of(dialect: &str, bytes: &[u8]) -> Result<Message, Error> {
    let mut assembling = Assemble::default();
    for delta in adapt(dialect, [bytes])? {
        assembling.delta(&delta)?;
    }
    assembling.finish() // a stream that is cut is not a message
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut given = std::env::args().skip(1);
    let dialect = given.next().unwrap_or_else(|| "openai-chat".to_owned());
    let mut bytes = Vec::new();
    match given.next() {
        Some(path) => File::open(path)?.read_to_end(&mut bytes)?,
        None => stdin().read_to_end(&mut bytes)?,
    };
    println!("{}", String::from_utf8(dump(&message_of(&dialect, &bytes)?)?)?);
    Ok(())
}
