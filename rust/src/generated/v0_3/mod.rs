// Generated from schemas/v0.3 (digest 7b441ddb72e176ed) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! The types of contract version v0.3.

pub mod message;
pub mod session;
pub mod blocks;
pub mod envelope;
pub mod vocabulary;

use crate::contract::types::Family;

/// Family, its schemas as JSON text, and what rewrites a value by its type.
pub(crate) const FAMILIES: &[Family] = &[
    Family { name: "message", schema: include_str!("message.schema.json"), rewrite: message::rewrite },
    Family { name: "session", schema: include_str!("session.schema.json"), rewrite: session::rewrite },
    Family { name: "blocks", schema: include_str!("blocks.schema.json"), rewrite: blocks::rewrite },
    Family { name: "envelope", schema: include_str!("envelope.schema.json"), rewrite: envelope::rewrite },
];
