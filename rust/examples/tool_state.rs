//! A tool call of a session, from pending to its end: `cargo run --example tool_state`.

use partwire::convert::versions::{load, store};
use partwire::session::{
    StateFields, create_pending, pending_to_running, running_to_completed, running_to_error,
};
use partwire::types::session::ToolState;
use partwire::{Error, Map, transition};

/// Returns how the call ended, as it is stored: with its version, to be migrated when it is read.
pub fn stored(output: Result<&str, &str>) -> Result<Vec<u8>, Error> {
    let arguments: Map = [("city".to_owned(), "Oslo".into())].into_iter().collect();
    let pending = create_pending(&arguments, r#"{"city":"Oslo"}"#)?;
    let running = pending_to_running(&pending, 1_000, StateFields::default())?;
    let ended: ToolState = match output {
        Ok(text) => {
            let said = StateFields { title: Some("Weather".into()), ..StateFields::default() };
            running_to_completed(&running, text, 1_250, said)?.into()
        }
        Err(problem) => running_to_error(&running, problem, 1_250, StateFields::default())?.into(),
    };
    store(&ended)
}

/// What has ended does not begin again: Err says which states may follow.
pub fn again(record: &[u8]) -> Result<(), Error> {
    let ended: ToolState = load(record)?;
    let start = StateFields { start: Some(2_000), ..StateFields::default() };
    transition(&ended, "running", start).map(|_| ())
}

#[allow(dead_code)]
fn main() -> Result<(), Error> {
    let record = stored(Ok("4 °C, rain"))?;
    println!("{}", String::from_utf8_lossy(&record));
    if let Err(refused) = again(&record) {
        println!("{refused}");
    }
    Ok(())
}
