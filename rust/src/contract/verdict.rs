//! The verdict of an independent validator on the shape of a value: the crate jsonschema.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::json::{Value, json};
use jsonschema::Validator;

/// One validator per type, made when it is first asked for.
pub(crate) struct Verdicts {
    bundle: Value,
    made: Mutex<HashMap<&'static str, Option<Arc<Validator>>>>,
}

impl Verdicts {
    pub(crate) fn new(bundle: Value) -> Self {
        Self { bundle, made: Mutex::default() }
    }

    /// Tells whether `value` has the shape of the type; None where there is no verdict.
    pub(crate) fn of(&self, name: &'static str, value: &Value) -> Option<bool> {
        let validator = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            made.entry(name).or_insert_with(|| self.compiled(name)).clone()
        };
        validator.map(|validator| validator.is_valid(&value.clone().into()))
    }

    fn compiled(&self, name: &str) -> Option<Arc<Validator>> {
        let mut schema = self.bundle.clone();
        let members = schema.as_object_mut()?;
        members.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
        let options = jsonschema::options()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&schema.into());
        options.ok().map(Arc::new)
    }
}
