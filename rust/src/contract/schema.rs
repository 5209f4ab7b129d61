//! The schemas of a family, read once from its bundle: what a value may be.

use std::collections::HashMap;

use crate::json::Value;
use regex_lite::Regex;

use crate::errors::Severity;
use crate::json::pointer::unescape_pointer;

/// What a value may be.
pub enum Node {
    Ref(String),
    Text { min: usize, max: Option<usize>, pattern: Option<Box<Pattern>> },
    Enum { values: Vec<String>, default: Option<String> },
    Const(String),
    Number { whole: bool, min: Option<f64>, max: Option<f64> },
    Boolean,
    Array { items: Box<Node>, min: usize },
    Map(Box<Node>),
    Free,
    FreeArray,
    Object(Box<ObjectNode>),
    Union { tag: String, variants: Vec<(String, String)> },
    Choice(Vec<Node>),
}

/// A pattern, compiled, and in words.
pub struct Pattern {
    pub regex: Regex,
    pub words: String,
}

/// An object with declared members.
pub struct ObjectNode {
    pub members: Vec<Member>,
    /// Whether other members are kept.
    pub extensible: bool,
    /// Of each group exactly one is present.
    pub exactly_one: Vec<Vec<String>>,
    /// One at least of these is present; empty where any may be absent.
    pub at_least_one: Vec<String>,
    pub rules: Vec<Rule>,
}

pub struct Member {
    pub name: String,
    pub node: Node,
    pub required: bool,
}

/// A rule of meaning; paths lead from the object that it is on.
pub struct Rule {
    pub id: String,
    pub severity: Severity,
    pub op: Op,
}

pub type Path = Vec<String>;

#[derive(PartialEq)]
pub enum Op {
    TagTable { tag: Path, items: Path, item_tag: Path, table: HashMap<String, Vec<String>> },
    Unique { items: Path, key: Path, only: Option<(Path, Value)> },
    ItemsEqual { items: Path, key: Path, to: Path },
    ItemsSame { items: Path, key: Path },
    NotLess { value: Path, than: Path },
    PresentWhen { when: Path, is: Value, member: Path },
}

/// The types of one family by name.
pub struct Schemas {
    pub types: HashMap<String, Node>,
}

impl Schemas {
    /// Reads a bundle; None where it is not of the dialect, which a test rules out.
    #[must_use]
    pub fn read(bundle: &Value, severities: &[(&str, &str)]) -> Option<Self> {
        let definitions = bundle.get("$defs")?.as_object()?;
        let words = definitions.values().filter_map(|schema| {
            let pattern = schema.get("pattern")?.as_str()?;
            Some((pattern.to_owned(), schema.get("description")?.as_str()?.to_owned()))
        });
        // Of several types with one pattern, the first one says it.
        let words: Vec<(String, String)> = words.collect();
        let reader = Reader { words: words.into_iter().rev().collect(), severities };
        let types =
            definitions.iter().map(|(name, schema)| Some((name.clone(), reader.node(schema)?)));
        Some(Self { types: types.collect::<Option<_>>()? })
    }

    /// Follows references to the first schema that is not one.
    #[must_use]
    pub fn resolve<'a>(&'a self, mut node: &'a Node) -> &'a Node {
        while let Node::Ref(name) = node {
            match self.types.get(name) {
                Some(found) => node = found,
                None => return node,
            }
        }
        node
    }

    /// Returns the JSON types that a node takes, as schemas name them, in their order.
    #[must_use]
    pub fn kinds(&self, node: &Node) -> Vec<&'static str> {
        match self.resolve(node) {
            Node::Text { .. } | Node::Enum { .. } | Node::Const(_) => vec!["string"],
            Node::Number { .. } => vec!["number"],
            Node::Boolean => vec!["boolean"],
            Node::Array { .. } | Node::FreeArray => vec!["array"],
            Node::Choice(members) => members.iter().flat_map(|each| self.kinds(each)).collect(),
            _ => vec!["object"],
        }
    }

    /// Returns the node that takes values of a JSON type: itself, or a member of a choice.
    #[must_use]
    pub fn member_for<'a>(&'a self, node: &'a Node, kind: &str) -> Option<&'a Node> {
        match self.resolve(node) {
            Node::Choice(members) => {
                let member = members.iter().find(|each| self.kinds(each).contains(&kind))?;
                Some(self.resolve(member))
            }
            node => Some(node),
        }
    }
}

struct Reader<'a> {
    words: HashMap<String, String>,
    severities: &'a [(&'a str, &'a str)],
}

impl Reader<'_> {
    fn node(&self, schema: &Value) -> Option<Node> {
        let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(target) = text("$ref") {
            return Some(Node::Ref(last_of(&target)));
        }
        if let Some(members) = schema.get("oneOf").and_then(Value::as_array) {
            return self.union(schema, members);
        }
        if let Some(value) = text("const") {
            return Some(Node::Const(value));
        }
        if let Some(values) = schema.get("enum") {
            return Some(Node::Enum { values: strings(values)?, default: text("x-safe-default") });
        }
        self.typed(schema)
    }

    fn union(&self, schema: &Value, members: &[Value]) -> Option<Node> {
        let Some(union) = schema.get("discriminator") else {
            return members
                .iter()
                .map(|each| self.node(each))
                .collect::<Option<_>>()
                .map(Node::Choice);
        };
        let mapping = union.get("mapping")?.as_object()?.iter();
        let row = |(tag, target): (&String, &Value)| Some((tag.clone(), last_of(target.as_str()?)));
        let tag = union.get("propertyName")?.as_str()?.to_owned();
        Some(Node::Union { tag, variants: mapping.map(row).collect::<Option<_>>()? })
    }

    fn typed(&self, schema: &Value) -> Option<Node> {
        let text = |name: &str| schema.get(name).and_then(Value::as_str);
        let count = |name: &str| {
            let value = schema.get(name).and_then(Value::as_u64);
            value.and_then(|value| usize::try_from(value).ok())
        };
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        Some(match schema.get("type")?.as_str()? {
            "string" => Node::Text {
                min: count("minLength").unwrap_or(0),
                max: count("maxLength"),
                pattern: match text("pattern") {
                    Some(pattern) => Some(self.pattern(pattern)?),
                    None => None,
                },
            },
            kind @ ("integer" | "number") => Node::Number {
                whole: kind == "integer",
                min: bound("minimum"),
                max: bound("maximum"),
            },
            "boolean" => Node::Boolean,
            "array" => {
                let items = schema.get("items")?;
                if items.as_object().is_some_and(crate::json::Map::is_empty) {
                    return Some(Node::FreeArray);
                }
                let items = Box::new(self.node(items)?);
                Node::Array { items, min: count("minItems").unwrap_or(0) }
            }
            "object" => self.object(schema)?,
            _ => return None,
        })
    }

    fn pattern(&self, pattern: &str) -> Option<Box<Pattern>> {
        let words = self.words.get(pattern).map_or(pattern, String::as_str).to_owned();
        Some(Box::new(Pattern { regex: Regex::new(pattern).ok()?, words }))
    }

    fn object(&self, schema: &Value) -> Option<Node> {
        let others = schema.get("additionalProperties");
        let Some(properties) = schema.get("properties") else {
            let others = others?;
            let is_free = others.as_object().is_some_and(crate::json::Map::is_empty);
            return if is_free {
                Some(Node::Free)
            } else {
                Some(Node::Map(Box::new(self.node(others)?)))
            };
        };
        let required = schema.get("required").map_or(Some(Vec::new()), strings)?;
        let member = |(name, inner): (&String, &Value)| {
            let node = self.node(inner)?;
            Some(Member { name: name.clone(), node, required: required.contains(name) })
        };
        let groups = schema.get("allOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rules = schema.get("x-rules").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Some(Node::Object(Box::new(ObjectNode {
            members: properties.as_object()?.iter().map(member).collect::<Option<_>>()?,
            extensible: others.is_some(),
            exactly_one: groups.iter().map(one_of).collect::<Option<_>>()?,
            at_least_one: schema.get("anyOf").map_or(Some(Vec::new()), names_of)?,
            rules: rules.iter().map(|rule| self.rule(rule)).collect::<Option<_>>()?,
        })))
    }

    fn rule(&self, rule: &Value) -> Option<Rule> {
        let path = |name: &str| rule.get(name).and_then(Value::as_str).map(path_of);
        let only = |name: &str| {
            let (pointer, value) = rule.get(name)?.as_object()?.iter().next()?;
            Some((path_of(pointer), value.clone()))
        };
        let op = match rule.get("op")?.as_str()? {
            "tag-table" => {
                let rows = rule.get("table")?.as_object()?.iter();
                let table = rows.map(|(name, row)| Some((name.clone(), strings(row)?)));
                let item_tag =
                    vec![rule.get("itemTag")?.as_str()?.trim_start_matches('/').to_owned()];
                let table = table.collect::<Option<_>>()?;
                Op::TagTable { tag: path("tag")?, items: path("items")?, item_tag, table }
            }
            "unique" => {
                Op::Unique { items: path("items")?, key: path("key")?, only: only("where") }
            }
            "items-equal" => {
                Op::ItemsEqual { items: path("items")?, key: path("key")?, to: path("to")? }
            }
            "items-same" => Op::ItemsSame { items: path("items")?, key: path("key")? },
            "not-less" => Op::NotLess { value: path("value")?, than: path("than")? },
            "present-when" => {
                let (when, is) = only("when")?;
                Op::PresentWhen { when, is, member: path("member")? }
            }
            _ => return None,
        };
        let id = rule.get("rule")?.as_str()?.to_owned();
        let severity = self.severities.iter().find(|(rule, _)| *rule == id)?.1;
        Some(Rule { id, severity: Severity::named(severity), op })
    }
}

fn one_of(group: &Value) -> Option<Vec<String>> {
    names_of(group.get("oneOf")?)
}

fn names_of(options: &Value) -> Option<Vec<String>> {
    let options = options.as_array()?.iter();
    options.map(|option| Some(strings(option.get("required")?)?.first()?.clone())).collect()
}

fn strings(values: &Value) -> Option<Vec<String>> {
    values.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn last_of(reference: &str) -> String {
    reference.rsplit('/').next().unwrap_or("").to_owned()
}

fn path_of(pointer: &str) -> Path {
    pointer.split('/').skip(1).map(unescape_pointer).collect()
}
