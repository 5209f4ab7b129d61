//! Documents of other formats as messages: the cases that languages share, and what becomes of them
//! at random. They are in the repository alone, not in the package.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{Rng, mutated};
use partwire::formats::{Context, Data, FORMATS, read};
use partwire::{Error, Value, decode_json, json, to_value};

/// Returns the topics of the formats that are known here.
fn topics() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/formats");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let topics = files.map(|file| decode_json(&fs::read(file).unwrap()).unwrap());
    topics.filter(|topic| FORMATS.iter().any(|known| topic["format"] == known.name)).collect()
}

fn context(value: &Value) -> Context {
    let mut context = Context::new();
    for (name, given) in value.as_object().into_iter().flatten() {
        context = match (name.as_str(), given.as_str().unwrap()) {
            ("runId", run_id) => context.run_id(run_id),
            ("timestamp", timestamp) => context.timestamp(timestamp),
            other => panic!("{other:?}"),
        };
    }
    context
}

/// Returns what a document is read as, in the words of a case.
fn outcome<'a>(format: &str, data: impl Into<Data<'a>>, context: &Context) -> Value {
    match read(format, data, context) {
        Ok(made) => {
            let messages = made.messages.iter().map(|message| to_value(message).unwrap());
            let losses = made.losses.iter();
            let losses = losses.map(|loss| json!({"pointer": loss.pointer, "code": loss.code}));
            json!({"messages": messages.collect::<Value>(), "losses": losses.collect::<Value>()})
        }
        Err(Error::Read(found)) => {
            assert_eq!(found.len(), 1, "{found:?}");
            json!({"error": {"rule": found[0].rule, "pointer": found[0].pointer}})
        }
        Err(error) => panic!("{error}"),
    }
}

/// Shows the first place in which two values differ.
fn difference(one: &Value, other: &Value, place: &str) -> String {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = (0..).zip(one.iter().zip(other));
            let found = pairs.find(|(_, (one, other))| one != other);
            found.map_or(String::new(), |(at, (one, other))| {
                difference(one, other, &format!("{place}/{at}"))
            })
        }
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let found = names.into_iter().find(|name| one.get(name) != other.get(name));
            found.map_or(String::new(), |name| {
                difference(&one[name.as_str()], &other[name.as_str()], &format!("{place}/{name}"))
            })
        }
        _ => format!("{place}: {one} is not {other}"),
    }
}

#[test]
fn every_format_has_cases() {
    let topics = topics();
    let mut names: Vec<&str> =
        topics.iter().map(|topic| topic["format"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, FORMATS.iter().map(|format| format.name).collect::<Vec<_>>());
}

#[test]
fn cases_give_what_is_expected() {
    let (mut count, mut wrong) = (0, Vec::new());
    for topic in topics() {
        let format = topic["format"].as_str().unwrap();
        for case in topic["cases"].as_array().unwrap() {
            let context = context(case.get("context").unwrap_or(&topic["context"]));
            let mut made = Vec::new();
            if let Some(text) = case["source_text"].as_str() {
                made.push(outcome(format, text, &context));
            } else if let Some(source) = case.get("source") {
                made.push(outcome(format, source, &context));
                made.push(outcome(format, &source.to_string(), &context));
                made.push(outcome(format, source.to_string().as_bytes(), &context));
            }
            count += usize::from(!made.is_empty());
            if let Some(each) = made.iter().find(|each| **each != case["expect"]) {
                let difference = difference(each, &case["expect"], "");
                wrong.push(format!("{format} {}: {difference}", case["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 120, "{count}");
}

#[test]
fn whatever_is_stored_is_read_or_refused() {
    let mut rng = Rng::new(18);
    let (mut taken, mut refused) = (0, 0);
    for topic in topics() {
        let format = topic["format"].as_str().unwrap();
        let cases = topic["cases"].as_array().unwrap();
        let sources: Vec<&Value> = cases.iter().filter_map(|case| case.get("source")).collect();
        for _ in 0..400 {
            let mut value = (*rng.pick(&sources)).clone();
            for _ in 0..=rng.below(3) {
                let other = (*rng.pick(&sources)).clone();
                value = mutated(&mut rng, &value, &other);
            }
            let made = outcome(format, &value, &Context::new());
            assert_eq!(made, outcome(format, &value.to_string(), &Context::new()), "{value}");
            if made.get("error").is_some() { refused += 1 } else { taken += 1 }
        }
    }
    assert!(taken > 200 && refused > 50, "{taken} {refused}");
}
