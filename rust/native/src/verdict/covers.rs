//! Whether one verdict takes all that another one takes: two sets of shapes, side by side.

use std::collections::HashSet;

use partwire::internal::{Op, Rule};

use super::{Id, Object, Shape};

/// Two verdicts, side by side.
pub(super) struct Comparison<'a> {
    wide: &'a [Shape],
    narrow: &'a [Shape],
    /// What is compared already, or is being compared: a type may hold itself.
    seen: HashSet<(Id, Id)>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(wide: &'a [Shape], narrow: &'a [Shape]) -> Self {
        Self { wide, narrow, seen: HashSet::new() }
    }

    /// Tells whether `wide` takes all that `narrow` takes and names.
    pub(super) fn covers(&mut self, wide: Id, narrow: Id) -> bool {
        if !self.seen.insert((wide, narrow)) {
            return true;
        }
        let (wide, narrow) = (&self.wide[wide], &self.narrow[narrow]);
        match (wide, narrow) {
            (
                Shape::Text { min, max, pattern },
                Shape::Text { min: least, max: most, pattern: other },
            ) => {
                min <= least
                    && max.is_none_or(|max| most.is_some_and(|most| most <= max))
                    && pattern.as_ref().is_none_or(|pattern| {
                        other.as_ref().is_some_and(|other| other.text == pattern.text)
                    })
            }
            (Shape::OneOf(values), Shape::OneOf(fewer)) => {
                fewer.iter().all(|value| values.contains(value))
            }
            (
                Shape::Number { whole, min, max },
                Shape::Number { whole: also, min: least, max: most },
            ) => (whole, min, max) == (also, least, most),
            (Shape::Boolean, Shape::Boolean)
            | (Shape::Free, Shape::Free)
            | (Shape::FreeArray, Shape::FreeArray) => true,
            (Shape::Array { items, min }, Shape::Array { items: each, min: least }) => {
                min <= least && self.covers(*items, *each)
            }
            (Shape::Map(values), Shape::Map(each)) => self.covers(*values, *each),
            (Shape::Object(object), Shape::Object(other)) => self.covers_object(object, other),
            (Shape::Union { tag, variants }, Shape::Union { tag: same, variants: fewer }) => {
                tag == same
                    && fewer.iter().all(|(value, each)| {
                        let own = variants.iter().find(|(known, _)| known == value);
                        own.is_some_and(|(_, own)| self.covers(*own, *each))
                    })
            }
            (Shape::Choice(by_kind), Shape::Choice(fewer)) => {
                by_kind.iter().zip(fewer).all(|(own, each)| match (own, each) {
                    (Some(own), Some(each)) => self.covers(*own, *each),
                    (own, each) => own == each,
                })
            }
            _ => false,
        }
    }

    fn covers_object(&mut self, wide: &Object, narrow: &Object) -> bool {
        // What an extensible object holds beside its members, another one may name.
        let same_members = !narrow.extensible || wide.members.len() == narrow.members.len();
        let asks_for_more = wide.members.iter().enumerate().any(|(place, (name, _))| {
            let is_required = |object: &Object, place: usize| object.required & 1 << place != 0;
            let other = narrow.members.iter().position(|(known, _)| known == name);
            is_required(wide, place) && !other.is_some_and(|other| is_required(narrow, other))
        });
        // Of what is asked for, with the group of which one at least is present as the last.
        let groups = |object: &Object| -> Vec<Vec<String>> {
            let named = |group: &u128| {
                let members = object.members.iter().enumerate();
                let members = members.filter(|(place, _)| group & 1 << place != 0);
                members.map(|(_, (name, _))| name.clone()).collect()
            };
            object.exactly_one.iter().chain([&object.at_least_one]).map(named).collect()
        };
        wide.extensible == narrow.extensible
            && same_members
            && !asks_for_more
            && groups(wide) == groups(narrow)
            && wide.rules.iter().all(|rule| {
                follows(&rule.op, narrow.rules) || self.is_about_others(&rule.op, narrow)
            })
            && narrow.members.iter().all(|(name, each)| {
                let own = wide.members.iter().find(|(known, _)| known == name);
                own.is_some_and(|(_, own)| self.covers(*own, *each))
            })
    }
}

impl Comparison<'_> {
    /// Tells whether a rule looks at items alone of a kind that `narrow` does not know.
    fn is_about_others(&self, op: &Op, narrow: &Object) -> bool {
        let Op::Unique { items, only: Some((path, kind)), .. } = op else { return false };
        let ([items], [name]) = (&items[..], &path[..]) else { return false };
        let Some((_, items)) = narrow.members.iter().find(|(known, _)| known == items) else {
            return false;
        };
        let Shape::Array { items, .. } = &self.narrow[*items] else { return false };
        let Shape::Union { tag, variants } = &self.narrow[*items] else { return false };
        tag == name && variants.iter().all(|(known, _)| Some(&**known) != kind.as_str())
    }
}

/// Tells whether whatever keeps one of `rules` keeps `op`.
fn follows(op: &Op, rules: &[Rule]) -> bool {
    let Op::TagTable { tag, items, item_tag, table } = op else {
        return rules.iter().any(|rule| rule.op == *op);
    };
    rules.iter().any(|rule| match &rule.op {
        Op::TagTable { tag: own, items: all, item_tag: each, table: narrow } => {
            (own, all, each) == (tag, items, item_tag)
                && table.iter().all(|(row, allowed)| {
                    narrow.get(row).is_some_and(|few| few.iter().all(|one| allowed.contains(one)))
                })
        }
        _ => false,
    })
}
