//! What is wrong with a value, and where: a walk along the schemas.
//!
//! Findings come in the order of the schema's members, with the same rules and pointers as in
//! every other language.

use crate::json::{Map, Value};

use crate::contract::schema::{Node, ObjectNode, Pattern, Schemas};
use crate::errors::{Finding, clip, clip_text};
use crate::json::pointer::escape_pointer;
use crate::json::text::kind_name;
use crate::reading::meaning;

/// Returns all findings of `value` as the type `name` of a family.
pub(crate) fn explain(schemas: &Schemas, name: &str, value: &Value) -> Vec<Finding> {
    let mut walk = Walk { schemas, found: Vec::new() };
    if let Some(node) = schemas.types.get(name) {
        walk.node(node, value, "");
    }
    walk.found
}

struct Walk<'a> {
    schemas: &'a Schemas,
    found: Vec<Finding>,
}

impl Walk<'_> {
    fn node(&mut self, given: &Node, value: &Value, pointer: &str) {
        match self.schemas.resolve(given) {
            Node::Text { min, max, pattern } => {
                self.text(*min, *max, pattern.as_deref(), value, pointer);
            }
            Node::Enum { values, .. } => self.one_of("enum", values, value, pointer),
            Node::Const(only) => self.one_of("const", std::slice::from_ref(only), value, pointer),
            Node::Number { whole, min, max } => self.number(*whole, *min, *max, value, pointer),
            Node::Boolean if !value.is_boolean() => self.wrong_type(value, "a boolean", pointer),
            Node::Free if !value.is_object() => self.wrong_type(value, "an object", pointer),
            Node::FreeArray if !value.is_array() => self.wrong_type(value, "an array", pointer),
            Node::Boolean | Node::Free | Node::FreeArray | Node::Ref(_) => {}
            Node::Array { items, min } => self.array(items, *min, value, pointer),
            Node::Map(items) => self.map(items, value, pointer),
            Node::Object(node) => self.object(node, value, pointer),
            Node::Union { tag, variants } => self.union(tag, variants, value, pointer),
            Node::Choice(members) => self.choice(members, value, pointer),
        }
    }

    // --- leaves ---------------------------------------------------------------------------------

    fn add(&mut self, rule: &str, pointer: &str, message: &str, expected: String, actual: String) {
        let finding = Finding::error(rule, pointer, message);
        self.found.push(finding.expected(expected).actual(actual));
    }

    fn wrong_type(&mut self, value: &Value, expected: &str, pointer: &str) {
        let (rule, message) = if value.is_null() {
            ("shape/null", "null is not allowed here".to_owned())
        } else {
            ("shape/type", format!("Not {expected} but {}", in_words(kind_name(value))))
        };
        self.add(rule, pointer, &message, expected.to_owned(), clip(value));
    }

    fn text(
        &mut self,
        min: usize,
        max: Option<usize>,
        pattern: Option<&Pattern>,
        value: &Value,
        pointer: &str,
    ) {
        let Value::String(text) = value else {
            return self.wrong_type(value, "a string", pointer);
        };
        let length = if min > 0 || max.is_some() { text.chars().count() } else { 0 };
        if length < min {
            let what = if text.is_empty() { "empty" } else { "too short" };
            let message = format!("The string is {what}");
            self.add(
                "shape/min-length",
                pointer,
                &message,
                at_least(min, "character"),
                clip(value),
            );
        }
        if let Some(most) = max.filter(|most| length > *most) {
            let message = format!("The string is too long: {length} characters");
            let expected = format!("at most {most} characters");
            self.add("shape/max-length", pointer, &message, expected, clip(value));
        }
        if let Some(pattern) = pattern.filter(|pattern| !pattern.regex.is_match(text)) {
            let message = "The string does not have the expected form";
            self.add("shape/pattern", pointer, message, pattern.words.clone(), clip(value));
        }
    }

    fn one_of(&mut self, rule: &str, allowed: &[String], value: &Value, pointer: &str) {
        let Value::String(text) = value else {
            return self.wrong_type(value, "a string", pointer);
        };
        if allowed.contains(text) {
            return;
        }
        let is_enum = rule == "enum";
        let message =
            if is_enum { "None of the allowed values" } else { "Only one value is allowed here" };
        self.add(&format!("shape/{rule}"), pointer, message, allowed.join(", "), clip(value));
    }

    fn number(
        &mut self,
        whole: bool,
        min: Option<f64>,
        max: Option<f64>,
        value: &Value,
        pointer: &str,
    ) {
        let Value::Number(number) = value else {
            let expected = if whole { "an integer" } else { "a number" };
            return self.wrong_type(value, expected, pointer);
        };
        // Bounds are integers within ±(2^53 - 1): rounding never crosses one.
        let number = number.as_f64();
        let actual = clip(value);
        if whole && number.fract() != 0.0 {
            let message = "The number is not integral";
            self.add("shape/integer", pointer, message, "an integer".to_owned(), actual);
        } else if let Some(least) = min.filter(|least| number < *least) {
            let message = "The number is too small";
            self.add("shape/minimum", pointer, message, format!("at least {least}"), actual);
        } else if let Some(most) = max.filter(|most| number > *most) {
            let message = "The number is too large";
            self.add("shape/maximum", pointer, message, format!("at most {most}"), actual);
        }
    }

    // --- what holds others ----------------------------------------------------------------------

    fn array(&mut self, items: &Node, min: usize, value: &Value, pointer: &str) {
        let Value::Array(values) = value else {
            return self.wrong_type(value, "an array", pointer);
        };
        if values.len() < min {
            let what = if values.is_empty() { "empty" } else { "too short" };
            let message = format!("The array is {what}");
            self.add("shape/min-items", pointer, &message, at_least(min, "item"), clip(value));
        }
        for (index, item) in values.iter().enumerate() {
            self.node(items, item, &format!("{pointer}/{index}"));
        }
    }

    fn map(&mut self, items: &Node, value: &Value, pointer: &str) {
        let Value::Object(members) = value else {
            return self.wrong_type(value, "an object", pointer);
        };
        for (name, member) in members {
            self.node(items, member, &format!("{pointer}/{}", escape_pointer(name)));
        }
    }

    fn object(&mut self, node: &ObjectNode, value: &Value, pointer: &str) {
        let Value::Object(members) = value else {
            return self.wrong_type(value, "an object", pointer);
        };
        let before = self.found.len();
        for member in &node.members {
            if let Some(inner) = members.get(&member.name) {
                self.node(&member.node, inner, &format!("{pointer}/{}", member.name));
            } else if member.required {
                self.missing(&member.name, pointer);
            }
        }
        for names in &node.exactly_one {
            self.exactly_one(names, members, pointer);
        }
        let any = &node.at_least_one;
        if !any.is_empty() && !any.iter().any(|name| members.contains_key(name)) {
            let message = format!("One of the members {} is missing", any.join(", "));
            let finding = Finding::error("shape/required", pointer, &message);
            self.found.push(finding.expected(format!("a member {}", any.join(" or "))));
        }
        let found = self.found.get(before..).unwrap_or_default();
        if node.rules.is_empty() || found.iter().any(Finding::is_shape) {
            return;
        }
        for rule in &node.rules {
            for mut each in meaning::broken(rule, value) {
                each.pointer.insert_str(0, pointer);
                self.found.push(each);
            }
        }
    }

    fn exactly_one(&mut self, names: &[String], members: &Map, pointer: &str) {
        let given: Vec<&str> =
            names.iter().filter(|name| members.contains_key(name)).map(String::as_str).collect();
        if given.len() != 1 {
            let message = "Exactly one of these members has to be present";
            let actual = if given.is_empty() { "none".to_owned() } else { given.join(", ") };
            self.add("shape/exactly-one-of", pointer, message, names.join(" or "), actual);
        }
    }

    fn missing(&mut self, name: &str, pointer: &str) {
        let message = format!("The member {name} is missing");
        let finding = Finding::error("shape/required", pointer, &message);
        self.found.push(finding.expected(format!("a member {name}")));
    }

    fn union(&mut self, tag: &str, variants: &[(String, String)], value: &Value, pointer: &str) {
        let Value::Object(members) = value else {
            return self.wrong_type(value, "an object", pointer);
        };
        let place = format!("{pointer}/{tag}");
        match members.get(tag) {
            None => self.missing(tag, pointer),
            Some(Value::String(given)) => {
                if let Some((_, name)) = variants.iter().find(|(known, _)| known == given) {
                    let schemas = self.schemas;
                    if let Some(node) = schemas.types.get(name) {
                        self.node(node, value, pointer);
                    }
                    return;
                }
                let known: Vec<&str> = variants.iter().map(|(known, _)| known.as_str()).collect();
                let message = format!("No variant has this {tag}");
                let actual = clip_text(given);
                self.add("shape/unknown-variant", &place, &message, known.join(", "), actual);
            }
            Some(other) => self.wrong_type(other, "a string", &place),
        }
    }

    fn choice(&mut self, members: &[Node], value: &Value, pointer: &str) {
        let kind = kind_name(value);
        let schemas = self.schemas;
        if let Some(member) = members.iter().find(|each| schemas.kinds(each).contains(&kind)) {
            return self.node(member, value, pointer);
        }
        let kinds: Vec<&str> =
            members.iter().flat_map(|each| schemas.kinds(each)).map(in_words).collect();
        let expected = kinds.join(" or ");
        if value.is_null() {
            return self.wrong_type(value, &expected, pointer);
        }
        let message = format!("Neither {} but {}", kinds.join(" nor "), in_words(kind));
        self.add("shape/union-type", pointer, &message, expected, clip(value));
    }
}

fn in_words(kind: &str) -> &'static str {
    match kind {
        "string" => "a string",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

fn at_least(least: usize, noun: &str) -> String {
    format!("at least {least} {noun}{}", if least == 1 { "" } else { "s" })
}
