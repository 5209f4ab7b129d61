//! Versions: migrate.

use partwire::convert::versions::{
    DeltaDowngrade, MigrateOptions, migrate, migrate_record, negotiate, read_record,
};
use partwire::{Error, VERSIONS, Version, decode_json, read_tolerant, v0_1, v0_2, v0_3};
use partwire::{Value, json};

use crate::values::{Outcome, bytes, flag, losses, refusal, text};

pub(crate) fn called(given: &Value, _: Version) -> Outcome {
    let made = match text(given, "call") {
        "migrate" => document(given, &bytes(&given["document"])?),
        "record" => record(given, &bytes(&given["document"])?),
        "deltas" => {
            let lines = given["lines"].as_array().ok_or("no lines")?;
            deltas(given, &lines.iter().map(bytes).collect::<Result<Vec<_>, _>>()?)
        }
        "negotiate" => negotiated(given),
        other => return Err(format!("no such call: {other}")),
    };
    Ok(made.unwrap_or_else(|error| refusal(&error)))
}

fn document(given: &Value, document: &[u8]) -> Result<Value, Error> {
    let document = decode_json(document)?;
    let options = MigrateOptions {
        to: text(given, "to").parse()?,
        from: given["from"].as_str().map(str::parse).transpose()?,
        strict: flag(given, "strict"),
    };
    let made = migrate(&document, text(given, "type"), &options)?;
    Ok(json!({"value": made.value, "losses": losses(&made.losses)}))
}

fn record(given: &Value, document: &[u8]) -> Result<Value, Error> {
    let record = read_record(&decode_json(document)?)?;
    let made = migrate_record(&record, text(given, "to").parse()?, flag(given, "strict"))?;
    Ok(json!({"value": made.value.to_value(), "losses": losses(&made.losses)}))
}

fn deltas(given: &Value, lines: &[Vec<u8>]) -> Result<Value, Error> {
    let mut older = DeltaDowngrade::new(text(given, "to").parse()?);
    let mut items = Vec::new();
    for line in lines {
        items.extend(match text(given, "from").parse::<Version>()? {
            Version::V0_1 => older.feed(&read_tolerant::<v0_1::message::MessageDelta>(line)?.value),
            Version::V0_2 => older.feed(&read_tolerant::<v0_2::message::MessageDelta>(line)?.value),
            Version::V0_3 => older.feed(&read_tolerant::<v0_3::message::MessageDelta>(line)?.value),
        }?);
    }
    Ok(json!({"items": items, "losses": losses(older.losses())}))
}

fn negotiated(given: &Value) -> Result<Value, Error> {
    let known: Vec<&str> = VERSIONS.iter().map(|version| version.as_str()).collect();
    let supported = given["supported"].as_array().map_or(known, |each| texts(each));
    let version = match &given["offers"] {
        Value::String(offers) => negotiate(offers.as_str(), &supported),
        offers => {
            let offers = texts(offers.as_array().map_or(&[][..], Vec::as_slice));
            negotiate(&offers, &supported)
        }
    }?;
    Ok(json!({"version": version}))
}

/// Returns texts, empty for what is not text, and so not a version.
fn texts(values: &[Value]) -> Vec<&str> {
    values.iter().map(|value| value.as_str().unwrap_or("")).collect()
}
