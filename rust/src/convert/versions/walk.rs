//! Takes a document from one version's members to another's, led by both schemas.
//!
//! What both versions name is taken over; what the target does not name goes, and is noted. Going
//! down, a step does more with some definitions.

use std::collections::BTreeMap;

use crate::json::Value;

use crate::contract::catalog::binding;
use crate::contract::schema::{Node, ObjectNode, Schemas};
use crate::contract::types::Map;
use crate::contract::versions::Version;
use crate::convert::losses::LossLog;
use crate::errors::Error;
use crate::json::pointer::escape_pointer;
use crate::reading::tolerant::integral;
use crate::tables::losses::{MEMBER_CODES, MIGRATION_LOSSES};

/// One walk over one document, which is valid; `log` has the losses.
pub(crate) struct Walk {
    pub log: LossLog,
    /// By the pointer of what is elsewhere now, the one that it had; where any are.
    pub moved: BTreeMap<String, String>,
    /// Whether nothing is left that the target could have.
    pub has_no_place: bool,
    family: &'static str,
    source: &'static Schemas,
    target: &'static Schemas,
    step: Option<Step>,
}

/// What a step makes of a value of a definition: family, name of the definition, value and pointer;
/// None where its members are all that changes.
pub(crate) type Step = fn(&mut Walk, &str, &str, &Value, &str) -> Option<Value>;

/// A definition, or a schema within one; then the name is empty.
type Named = (&'static Node, &'static str);

impl Walk {
    /// Returns a walk over a document of the type `name`, such as `message.Message`; `step` does more
    /// with some definitions.
    pub(crate) fn new(
        name: &str,
        from: Version,
        to: Version,
        step: Option<Step>,
    ) -> Result<Self, Error> {
        let (source, target) = (binding(name, from)?, binding(name, to)?);
        Ok(Self {
            log: LossLog::new(MIGRATION_LOSSES),
            moved: BTreeMap::new(),
            has_no_place: false,
            family: source.room.family.name,
            source: &source.room.schemas,
            target: &target.room.schemas,
            step,
        })
    }

    /// Returns `value`, of the definition `name`, as the target has it.
    pub(crate) fn walk(&mut self, value: &Value, name: &str, pointer: &str) -> Value {
        match self.source.types.get_key_value(name) {
            Some((name, node)) => self.node(value, (node, name), pointer),
            None => value.clone(),
        }
    }

    /// Returns an object of the definition `name` as the target has it, and no more than that.
    pub(crate) fn members(&mut self, value: &Value, name: &str, pointer: &str) -> Map {
        match self.source.types.get_key_value(name) {
            Some((name, Node::Object(node))) => self.declared(value, node, name, pointer),
            _ => value.as_object().cloned().unwrap_or_default(),
        }
    }

    /// Returns an object of the union `name` as the target has it, and no more than that.
    ///
    /// A variant that the version does not know was read tolerantly, and stays as it is.
    pub(crate) fn variant(&mut self, value: &Value, name: &str, pointer: &str) -> Value {
        match self.source.types.get(name) {
            Some(Node::Union { tag, variants }) => self.tagged(value, tag, variants, pointer),
            _ => value.clone(),
        }
    }

    fn tagged(
        &mut self,
        value: &Value,
        tag: &str,
        variants: &[(String, String)],
        pointer: &str,
    ) -> Value {
        let given = value.get(tag).and_then(Value::as_str);
        let known = variants.iter().find(|(known, _)| given == Some(known));
        let found = known.and_then(|(_, name)| self.source.types.get_key_value(name));
        found
            .map_or_else(|| value.clone(), |(name, node)| self.object(value, (node, name), pointer))
    }

    fn node(&mut self, value: &Value, given: Named, pointer: &str) -> Value {
        let (node, name) = self.resolved(given);
        match value {
            Value::Object(_) => match self.alternative((node, name), is_object) {
                Some(named) => self.object(value, named, pointer),
                None => value.clone(),
            },
            Value::Array(items) => match self.alternative((node, name), is_array) {
                Some((Node::Array { items: inner, .. }, _)) => {
                    let each = items.iter().enumerate();
                    let made = each.map(|(index, item)| {
                        self.node(item, (inner, ""), &format!("{pointer}/{index}"))
                    });
                    made.collect()
                }
                _ => value.clone(),
            },
            // 1.0 is an integer, and written as one.
            Value::Number(number) if self.alternative((node, name), is_integer).is_some() => {
                Value::Number(integral(*number))
            }
            other => other.clone(),
        }
    }

    fn object(&mut self, value: &Value, (node, name): Named, pointer: &str) -> Value {
        if let Some(made) = self.step.and_then(|step| step(self, self.family, name, value, pointer))
        {
            return made;
        }
        match node {
            Node::Union { tag, variants } => self.tagged(value, tag, variants, pointer),
            Node::Object(node) => Value::Object(self.declared(value, node, name, pointer)),
            Node::Map(inner) => {
                let each = value.as_object().into_iter().flatten().map(|(key, member)| {
                    let place = format!("{pointer}/{}", escape_pointer(key));
                    (key.clone(), self.node(member, (inner, ""), &place))
                });
                Value::Object(each.collect())
            }
            _ => value.clone(),
        }
    }

    fn declared(
        &mut self,
        value: &Value,
        node: &'static ObjectNode,
        name: &str,
        pointer: &str,
    ) -> Map {
        let kept = match self.target.types.get(name) {
            Some(Node::Object(kept)) if !kept.extensible => Some(kept),
            _ => None,
        };
        let mut made = Map::new();
        for (key, member) in value.as_object().into_iter().flatten() {
            let place = || format!("{pointer}/{}", escape_pointer(key));
            let known = node.members.iter().find(|each| each.name == *key);
            let is_later = |kept: &&ObjectNode| !kept.members.iter().any(|each| each.name == *key);
            match known {
                Some(_) if kept.as_ref().is_some_and(|kept| is_later(&&***kept)) => {
                    let code = MEMBER_CODES.iter().find(|(name, _)| name == key);
                    self.log.note(code.map_or("unknown-member", |(_, code)| code), place());
                }
                Some(known) => {
                    made.insert(key.clone(), self.node(member, (&known.node, ""), &place()));
                }
                None if node.extensible => _ = made.insert(key.clone(), member.clone()),
                None => self.log.note("unknown-member", place()),
            }
        }
        made
    }

    // --- schema ---------------------------------------------------------------------------------

    fn resolved(&self, mut named: Named) -> Named {
        while let Node::Ref(target) = named.0 {
            match self.source.types.get_key_value(target) {
                Some((name, node)) => named = (node, name),
                None => return named,
            }
        }
        named
    }

    /// Returns the definition by which a value of a JSON type is to be taken.
    fn alternative(&self, named: Named, is_it: fn(&Node) -> bool) -> Option<Named> {
        match named.0 {
            node if is_it(node) => Some(named),
            Node::Choice(members) => {
                let mut each = members.iter().map(|member| match member {
                    Node::Ref(_) => self.resolved((member, "")),
                    other => (other, named.1),
                });
                each.find(|(node, _)| is_it(node))
            }
            _ => None,
        }
    }
}

fn is_object(node: &Node) -> bool {
    matches!(node, Node::Object(_) | Node::Map(_) | Node::Free | Node::Union { .. })
}

fn is_array(node: &Node) -> bool {
    matches!(node, Node::Array { .. })
}

fn is_integer(node: &Node) -> bool {
    matches!(node, Node::Number { whole: true, .. })
}
