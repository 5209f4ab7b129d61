//! The plan: what documents may have, and what is asked of it.

use std::collections::HashMap;

use serde_json::Value;

use super::calls::Calls;
use super::table::Table;
use super::text::same;
use crate::scan::KINDS;

/// The number of a shape in a plan.
pub type Id = usize;

/// What a value may be.
pub enum Shape {
    /// Anything: what is in it is not looked at.
    Free,
    /// A text or a boolean whose values are counted.
    Counted,
    List(Id),
    Map(Id),
    /// The number of an object in the plan.
    Fixed(usize),
    Tagged {
        tag: String,
        variants: Vec<(String, Id)>,
    },
    /// By [`KINDS`].
    Chosen([Option<Id>; KINDS.len()]),
}

/// An object whose members are declared.
pub struct Fixed {
    /// Where such objects are.
    pub pointer: String,
    /// Whether it may tell of a call.
    pub is_item: bool,
    members: Vec<Member>,
}

impl Fixed {
    /// Returns the place of a member among those that are declared, which most often is `next` or
    /// soon behind it, and the member.
    pub fn find(&self, name: &[u8], next: usize) -> Option<(usize, &Member)> {
        let (before, behind) = self.members.split_at(next);
        let place = |members: &[Member]| {
            members.iter().position(|member| same(member.name.as_bytes(), name))
        };
        let found = place(behind).map(|place| next + place).or_else(|| place(before))?;
        Some((found, &self.members[found]))
    }
}

/// A member that is declared.
pub struct Member {
    name: String,
    /// The number of its place: members of several shapes may share one.
    pub place: usize,
    pub shape: Id,
}

/// Which of an item's values are asked for, to tell of a call.
pub const CALL: usize = 0;
pub const TOOL: usize = 1;
pub const FAILED: usize = 2;

/// What documents may have.
///
/// A place is where members are, as a pointer such as `/parts/*/kind`. What tables ask for has a slot
/// each, whose value is noted in every document.
pub struct Plan {
    pub shapes: Vec<Shape>,
    pub objects: Vec<Fixed>,
    /// The shape of a document.
    pub root: Id,
    /// The pointers of places.
    pub places: Vec<String>,
    place_of: HashMap<String, usize>,
    /// By place.
    pub slot_at: Vec<Option<usize>>,
    /// The slots by pointer, also of members that an object may have without declaring them.
    slot_of: HashMap<String, usize>,
    /// By place within items: which of [`CALL`], [`TOOL`] and [`FAILED`] it is.
    pub item_slot_at: Vec<Option<usize>>,
    /// The slot of a document's time.
    pub time: Option<usize>,
}

impl Plan {
    /// Reads a plan, and the tables and calls that are asked for; None for one that is not known.
    pub fn read(told: &Value) -> Option<(Self, Vec<Table>, Option<Calls>)> {
        let mut plan = Self {
            shapes: Vec::new(),
            objects: Vec::new(),
            root: 0,
            places: Vec::new(),
            place_of: HashMap::new(),
            slot_at: Vec::new(),
            slot_of: HashMap::new(),
            item_slot_at: Vec::new(),
            time: None,
        };
        plan.root = plan.shape(&told["shape"])?;
        plan.slot_at = vec![None; plan.places.len()];
        plan.item_slot_at = vec![None; plan.places.len()];
        plan.time = told["time"].as_str().map(|time| plan.slot(time));
        let mut tables = Vec::new();
        for table in told["tables"].as_array()? {
            tables.push(Table::read(table, &mut plan)?);
        }
        let calls = match &told["calls"] {
            Value::Null => None,
            calls => Some(Calls::read(calls, &mut plan)?),
        };
        Some((plan, tables, calls))
    }

    fn shape(&mut self, told: &Value) -> Option<Id> {
        let made = if told.is_null() {
            Shape::Free
        } else {
            match told[0].as_str()? {
                "leaf" if told[1].as_bool()? => Shape::Counted,
                "leaf" => Shape::Free,
                "list" => Shape::List(self.shape(&told[1])?),
                "map" => Shape::Map(self.shape(&told[1])?),
                "fixed" => {
                    let mut members = Vec::new();
                    for each in told[2].as_array()? {
                        members.push(Member {
                            name: each[0].as_str()?.to_owned(),
                            place: self.place(each[1].as_str()?),
                            shape: self.shape(&each[2])?,
                        });
                    }
                    let pointer = told[1].as_str()?.to_owned();
                    self.objects.push(Fixed { pointer, is_item: false, members });
                    Shape::Fixed(self.objects.len() - 1)
                }
                "tagged" => {
                    let mut variants = Vec::new();
                    for each in told[3].as_array()? {
                        variants.push((each[0].as_str()?.to_owned(), self.shape(&each[1])?));
                    }
                    Shape::Tagged { tag: told[1].as_str()?.to_owned(), variants }
                }
                "chosen" => {
                    let mut by_kind = [None; KINDS.len()];
                    for (name, each) in told[1].as_object()? {
                        let kind = KINDS.iter().position(|kind| kind == name)?;
                        by_kind[kind] = Some(self.shape(each)?);
                    }
                    Shape::Chosen(by_kind)
                }
                _ => return None,
            }
        };
        self.shapes.push(made);
        Some(self.shapes.len() - 1)
    }

    fn place(&mut self, pointer: &str) -> usize {
        if let Some(place) = self.place_of.get(pointer) {
            return *place;
        }
        let place = self.places.len();
        self.places.push(pointer.to_owned());
        self.place_of.insert(pointer.to_owned(), place);
        place
    }

    /// Returns the slot of a pointer: a new one, if nothing has asked for it before.
    pub fn slot(&mut self, pointer: &str) -> usize {
        if let Some(slot) = self.slot_of.get(pointer) {
            return *slot;
        }
        let slot = self.slot_of.len();
        self.slot_of.insert(pointer.to_owned(), slot);
        if let Some(place) = self.place_of.get(pointer) {
            self.slot_at[*place] = Some(slot);
        }
        slot
    }

    /// Returns how many slots there are.
    pub fn slots(&self) -> usize {
        self.slot_of.len()
    }

    /// Says which objects are items, and where in them the call, the tool and the outcome are.
    pub fn set_items(&mut self, pointer: &str, within: [&str; 3]) {
        for (slot, inside) in within.into_iter().enumerate() {
            if let Some(place) = self.place_of.get(&format!("{pointer}{inside}")) {
                self.item_slot_at[*place] = Some(slot);
            }
        }
        for object in &mut self.objects {
            object.is_item = object.pointer == pointer;
        }
    }

    /// Tells whether tables or calls ask for what is at a pointer.
    pub fn is_asked(&self, pointer: &str) -> bool {
        let place = self.place_of.get(pointer);
        place.is_some_and(|place| self.item_slot_at[*place].is_some())
            || self.slot_of.contains_key(pointer)
    }
}

/// Reads an array of texts.
pub fn texts(told: &Value) -> Option<Vec<String>> {
    told.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
}
