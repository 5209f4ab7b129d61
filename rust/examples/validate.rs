//! What is wrong with a document, as `cargo run --example validate -- message.Message < a.json`.

use std::io::{Read, stdin};
use std::process::ExitCode;

use partwire::{Error, Finding, LATEST_VERSION, validate};

/// Returns errors and warnings in document order.
pub fn findings_of(document: &[u8], name: &str) -> Result<Vec<Finding>, Error> {
    validate(document, name, LATEST_VERSION)
}

#[allow(dead_code)]
fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "message.Message".to_owned());
    let mut document = Vec::new();
    stdin().read_to_end(&mut document)?;
    let found = findings_of(&document, &name)?;
    for finding in &found {
        println!("{}: {finding}", finding.severity);
    }
    Ok(ExitCode::from(u8::from(found.iter().any(Finding::is_error))))
}
