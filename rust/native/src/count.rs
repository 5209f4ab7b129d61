//! What valid documents have, counted along a plan: members, values, members that nobody declared,
//! and rows of tables.
//!
//! The plan and the counts are those of `partwire.archive.statistics`; a document that is odd is
//! left to it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{BuildHasherDefault, Hasher};

use serde_json::Value;

use crate::scan::{colon, decode_into, encoded, literal, number, skim, space, string};

type Id = usize;

/// What a value may be. Places are numbers of members in the order of the plan.
enum Shape {
    Free,
    Leaf {
        counted: bool,
    },
    List(Id),
    Map(Id),
    Fixed {
        place: String,
        is_item: bool,
        members: Vec<Member>,
    },
    Tagged {
        tag: String,
        variants: Vec<(String, Id)>,
    },
    /// The shapes of objects, arrays, strings, numbers and booleans.
    Chosen([Option<Id>; 5]),
}

struct Member {
    name: String,
    place: usize,
    shape: Id,
}

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Sum,
    Min,
    Max,
}

enum By {
    Nothing,
    Text(usize),
    Day(usize),
    Span(usize, usize),
    Amount(usize),
    Size,
}

enum Of {
    One,
    Bytes,
    Integer(usize),
    Billionths(usize),
    Time(usize),
}

struct Column {
    op: Op,
    of: Of,
    /// Only of documents that have one of some texts there.
    only: Option<(usize, Vec<String>)>,
}

struct Table {
    name: String,
    when: Option<usize>,
    by: Vec<By>,
    columns: Vec<Column>,
    is_sample: bool,
    most: usize,
    rows: Rows<Row>,
    /// Rows that are told apart by the size alone.
    sizes: HashMap<u64, Row, BuildHasherDefault<Mixed>>,
    sampled: HashMap<u64, Vec<Option<i64>>, BuildHasherDefault<Mixed>>,
    /// Digests from here on are not in the sample.
    bound: u64,
}

/// What documents have of a name.
struct Row {
    mark: u32,
    at: u64,
    values: Vec<Option<i64>>,
}

struct Calls {
    run: usize,
    call: usize,
    tool: usize,
    failed: usize,
    words: Option<[String; 2]>,
    most: usize,
    rows: HashMap<u64, (Option<String>, Option<i64>), BuildHasherDefault<Mixed>>,
    bound: u64,
}

struct Drift {
    mark: u32,
    at: u64,
    count: i64,
    first: Option<String>,
    last: Option<String>,
}

type Rows<V> = HashMap<Box<[u8]>, V, BuildHasherDefault<Mixed>>;

/// A hasher of short keys.
#[derive(Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Where a value begins and ends; nothing where it does not end.
type Span = (u32, u32);

/// Where the call, the tool and the outcome of an item are.
type Item = [Span; 3];

/// What is known of one document before all of it is.
#[derive(Default)]
struct Notes {
    members: Vec<usize>,
    /// The place, and where the value is.
    values: Vec<(usize, usize, usize)>,
    /// The object's shape, where the name is, whether it has escapes, and where the value is.
    undeclared: Vec<(Id, (usize, usize), bool, usize)>,
    /// Where the value at each slot is; slots are those places that tables ask for.
    slots: Vec<Span>,
    /// The slots of each item that may tell of a call.
    items: Vec<Item>,
    in_item: bool,
    /// The times at slots, as far as they are known.
    times: Vec<i64>,
    minute: Minute,
}

/// Counts documents.
pub struct Counting {
    shapes: Vec<Shape>,
    root: Id,
    places: Vec<String>,
    place_of: HashMap<String, usize>,
    /// The slot of a place.
    slot_at: Vec<Option<usize>>,
    /// The slots of members that a place may have without declaring them.
    slot_of: HashMap<String, usize>,
    slots: usize,
    /// What is within items, by place: the call, the tool, the outcome.
    item_slot_at: Vec<Option<usize>>,
    time: Option<usize>,
    members: Vec<i64>,
    /// By place.
    values: Vec<Rows<(u32, u64, i64)>>,
    drift: HashMap<(String, &'static str), Drift>,
    tables: Vec<Table>,
    calls: Option<Calls>,
    notes: Notes,
    /// What keys are made in.
    key: Vec<u8>,
}

/// A minute as text, and its seconds since 1970: the times of documents lie close together.
type Minute = ([u8; 17], i64);

impl Counting {
    /// Makes what counts along a plan, JSON text; None for one that it does not know.
    pub fn new(plan: &str) -> Option<Self> {
        let plan: Value = serde_json::from_str(plan).ok()?;
        let mut made = Self {
            shapes: Vec::new(),
            root: 0,
            places: Vec::new(),
            place_of: HashMap::new(),
            slot_at: Vec::new(),
            slot_of: HashMap::new(),
            slots: 0,
            item_slot_at: Vec::new(),
            time: None,
            members: Vec::new(),
            values: Vec::new(),
            drift: HashMap::new(),
            tables: Vec::new(),
            calls: None,
            notes: Notes::default(),
            key: Vec::new(),
        };
        made.root = made.shape(&plan["shape"])?;
        made.slot_at = vec![None; made.places.len()];
        made.item_slot_at = vec![None; made.places.len()];
        made.time = match &plan["time"] {
            Value::String(time) => Some(made.slot(time)),
            _ => None,
        };
        for table in plan["tables"].as_array()? {
            let table = made.table(table)?;
            made.tables.push(table);
        }
        if !plan["calls"].is_null() {
            made.calls = Some(made.calls_of(&plan["calls"])?);
        }
        made.members = vec![0; made.places.len()];
        made.values.resize_with(made.places.len(), Rows::default);
        made.notes.slots = vec![NOWHERE; made.slots];
        made.notes.times = vec![NOT_KNOWN; made.slots];
        Some(made)
    }

    fn place(&mut self, place: &str) -> usize {
        if let Some(at) = self.place_of.get(place) {
            return *at;
        }
        let at = self.places.len();
        self.places.push(place.to_owned());
        self.place_of.insert(place.to_owned(), at);
        at
    }

    fn shape(&mut self, told: &Value) -> Option<Id> {
        let made = if told.is_null() {
            Shape::Free
        } else {
            match told[0].as_str()? {
                "leaf" => Shape::Leaf { counted: told[1].as_bool()? },
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
                    Shape::Fixed { place: told[1].as_str()?.to_owned(), is_item: false, members }
                }
                "tagged" => {
                    let mut variants = Vec::new();
                    for each in told[3].as_array()? {
                        variants.push((each[0].as_str()?.to_owned(), self.shape(&each[1])?));
                    }
                    Shape::Tagged { tag: told[1].as_str()?.to_owned(), variants }
                }
                "chosen" => {
                    let mut by_kind = [None; 5];
                    for (name, each) in told[1].as_object()? {
                        let kinds = ["object", "array", "string", "number", "boolean"];
                        let at = kinds.iter().position(|kind| kind == name)?;
                        by_kind[at] = Some(self.shape(each)?);
                    }
                    Shape::Chosen(by_kind)
                }
                _ => return None,
            }
        };
        self.shapes.push(made);
        Some(self.shapes.len() - 1)
    }

    fn slot(&mut self, pointer: &str) -> usize {
        if let Some(slot) = self.slot_of.get(pointer) {
            return *slot;
        }
        let slot = self.slots;
        self.slots += 1;
        self.slot_of.insert(pointer.to_owned(), slot);
        if let Some(place) = self.place_of.get(pointer) {
            self.slot_at[*place] = Some(slot);
        }
        slot
    }

    fn table(&mut self, told: &Value) -> Option<Table> {
        let mut by = Vec::new();
        for each in told["by"].as_array()? {
            let pointer = each[1].as_str()?;
            by.push(match each[0].as_str()? {
                "size" => By::Size,
                _ if pointer.is_empty() => By::Nothing,
                "text" => By::Text(self.slot(pointer)),
                "day" => By::Day(self.slot(pointer)),
                "span" => By::Span(self.slot(pointer), self.slot(each[2].as_str()?)),
                "amount" => By::Amount(self.slot(pointer)),
                _ => return None,
            });
        }
        let mut columns = Vec::new();
        for each in told["of"].as_array()? {
            let pointer = each[2].as_str()?;
            let of = match each[1].as_str()? {
                "one" => Of::One,
                "bytes" => Of::Bytes,
                "integer" => Of::Integer(self.slot(pointer)),
                "billionths" => Of::Billionths(self.slot(pointer)),
                "time" => Of::Time(self.slot(pointer)),
                _ => return None,
            };
            let only = match &each[3] {
                Value::Null => None,
                told => Some((self.slot(told[0].as_str()?), texts_of(&told[1])?)),
            };
            let op = match each[0].as_str()? {
                "sum" => Op::Sum,
                "min" => Op::Min,
                "max" => Op::Max,
                _ => return None,
            };
            columns.push(Column { op, of, only });
        }
        let when = told["when"].as_str()?;
        Some(Table {
            name: told["name"].as_str()?.to_owned(),
            when: if when.is_empty() { None } else { Some(self.slot(when)) },
            by,
            columns,
            is_sample: told["isSample"].as_bool()?,
            most: told["most"].as_u64()?.try_into().ok()?,
            rows: Rows::default(),
            sizes: HashMap::default(),
            sampled: HashMap::default(),
            bound: u64::MAX,
        })
    }

    fn calls_of(&mut self, told: &Value) -> Option<Calls> {
        let items = told["items"].as_str()?;
        let within = if items.is_empty() { String::new() } else { format!("{items}/*") };
        for (slot, name) in ["call", "tool", "failed"].into_iter().enumerate() {
            let place = format!("{within}{}", told[name].as_str()?);
            if let Some(place) = self.place_of.get(&place) {
                self.item_slot_at[*place] = Some(slot);
            }
        }
        for shape in &mut self.shapes {
            if let Shape::Fixed { place, is_item, .. } = shape {
                *is_item = *place == within;
            }
        }
        Some(Calls {
            run: self.slot(told["run"].as_str()?),
            call: 0,
            tool: 1,
            failed: 2,
            words: match &told["words"] {
                Value::Null => None,
                words => texts_of(words)?.try_into().ok(),
            },
            most: told["most"].as_u64()?.try_into().ok()?,
            rows: HashMap::default(),
            bound: u64::MAX,
        })
    }

    /// How many rows are held.
    pub fn rows(&self) -> usize {
        let tables = self
            .tables
            .iter()
            .map(|table| table.rows.len() + table.sizes.len() + table.sampled.len());
        let calls = self.calls.as_ref().map_or(0, |calls| calls.rows.len());
        tables.sum::<usize>()
            + calls
            + self.drift.len()
            + self.values.iter().map(HashMap::len).sum::<usize>()
    }

    /// Says from which digest on things are not in a sample.
    pub fn bound(&mut self, table: &str, bound: u64) {
        if let Some(calls) = self.calls.as_mut().filter(|_| table == "calls") {
            calls.bound = bound;
        }
        for each in &mut self.tables {
            if each.name == table {
                each.bound = bound;
            }
        }
    }

    /// Counts a valid document; false if it is odd: nothing of it is counted then.
    pub fn take(&mut self, text: &str, at: u64) -> bool {
        let document = text.as_bytes();
        if document.len() >= u32::MAX as usize {
            return false;
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.clear();
        let mut walk = Walk { counting: self, text, bytes: document, notes: &mut notes };
        let end = walk.value(self.root, space(document, 0));
        let is_whole = end.is_some_and(|end| space(document, end) == document.len());
        let counted = is_whole && self.commit(text, &mut notes, at).is_some();
        self.notes = notes;
        counted
    }

    /// Counts what is noted of a document.
    fn commit(&mut self, text: &str, notes: &mut Notes, at: u64) -> Option<()> {
        let mark = crc32fast::hash(&text.as_bytes()[text.len().saturating_sub(TAIL)..]);
        let mut facts =
            Facts { text, slots: &notes.slots, times: &mut notes.times, minute: &mut notes.minute };
        // What may be odd comes first, before anything is counted.
        let mut drift = Vec::new();
        for (shape, name, escaped, value) in &notes.undeclared {
            drift.push(self.undeclared(text, *shape, *name, *escaped, *value)?);
        }
        for table in &mut self.tables {
            table.add(&mut facts, mark, at, &mut self.key);
        }
        for place in &notes.members {
            self.members[*place] += 1;
        }
        for (place, begin, end) in &notes.values {
            let value = match text.as_bytes()[*begin] {
                b'"' if end - begin <= LONGEST && !text[*begin..*end].contains('\\') => {
                    Cow::Borrowed(&text[begin + 1..end - 1])
                }
                b'"' => clipped(&text[begin + 1..end - 1]),
                b't' | b'f' => Cow::Borrowed(&text[*begin..*end]),
                _ => continue,
            };
            let rows = &mut self.values[*place];
            if let Some(known) = rows.get_mut(value.as_bytes()) {
                known.2 += 1;
                (known.0, known.1) = (known.0, known.1).min((mark, at));
            } else {
                rows.insert(value.as_bytes().into(), (mark, at, 1));
            }
        }
        let day = self.time.and_then(|slot| facts.day(slot));
        for key in drift {
            let known = self.drift.entry(key).or_insert(Drift {
                mark,
                at,
                count: 0,
                first: None,
                last: None,
            });
            known.count += 1;
            (known.mark, known.at) = (known.mark, known.at).min((mark, at));
            if let Some(day) = &day {
                if known.first.as_deref().is_none_or(|first| **day < *first) {
                    known.first = Some(day.clone().into_owned());
                }
                if known.last.as_deref().is_none_or(|last| **day > *last) {
                    known.last = Some(day.clone().into_owned());
                }
            }
        }
        if let Some(calls) = &mut self.calls {
            calls.add(&facts, &notes.items, &mut self.key);
        }
        Some(())
    }

    fn undeclared(
        &self,
        text: &str,
        shape: Id,
        name: (usize, usize),
        escaped: bool,
        value: usize,
    ) -> Option<(String, &'static str)> {
        let Shape::Fixed { place, .. } = &self.shapes[shape] else { return None };
        let content = &text[name.0..name.1];
        let name = if escaped { clipped(content) } else { cut(Cow::Borrowed(content)) };
        let name = name.replace('~', "~0").replace('/', "~1");
        let kind = match text.as_bytes()[value] {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "boolean",
            b'n' => "null",
            _ => "number",
        };
        Some((format!("{place}/{name}"), kind))
    }

    /// Returns what has been counted since the last time, as JSON text.
    pub fn take_out(&mut self) -> String {
        let mut out = String::from("{\"members\":{");
        let mut first = true;
        for (place, count) in self.places.iter().zip(&mut self.members) {
            if *count > 0 {
                comma(&mut out, &mut first);
                quoted(&mut out, place);
                let _ = write!(out, ":{count}");
                *count = 0;
            }
        }
        out.push_str("},\"sums\":{\"values\":[");
        first = true;
        let values = self.places.iter().zip(&mut self.values);
        let values = values.flat_map(|(place, rows)| rows.drain().map(move |row| (place, row)));
        for (place, (value, (mark, at, count))) in values {
            comma(&mut out, &mut first);
            out.push_str("[[");
            quoted(&mut out, place);
            out.push(',');
            quoted(&mut out, std::str::from_utf8(&value).unwrap_or_default());
            let _ = write!(out, "],{mark},{at},[{count}]]");
        }
        out.push_str("],\"undeclared\":[");
        first = true;
        for ((place, kind), row) in self.drift.drain() {
            comma(&mut out, &mut first);
            out.push_str("[[");
            quoted(&mut out, &place);
            let _ = write!(out, ",\"{kind}\"],{},{},[{}", row.mark, row.at, row.count);
            for day in [row.first, row.last] {
                let _ = match day {
                    Some(day) => write!(out, ",\"{day}\""),
                    None => write!(out, ",null"),
                };
            }
            out.push_str("]]");
        }
        out.push(']');
        for table in self.tables.iter_mut().filter(|table| !table.is_sample) {
            out.push(',');
            quoted(&mut out, &table.name);
            out.push_str(":[");
            first = true;
            let sizes = table.sizes.drain();
            let sizes = sizes.map(|(size, row)| (format!("[{size}]").into_bytes().into(), row));
            let rows: Vec<(Box<[u8]>, Row)> = table.rows.drain().chain(sizes).collect();
            for (key, row) in rows {
                comma(&mut out, &mut first);
                out.push('[');
                out.push_str(std::str::from_utf8(&key).unwrap_or_default());
                let _ = write!(out, ",{},{},", row.mark, row.at);
                numbers(&mut out, &row.values);
                out.push(']');
            }
            out.push(']');
        }
        out.push_str("},\"samples\":{");
        let mut is_first_table = true;
        for table in self.tables.iter_mut().filter(|table| table.is_sample) {
            comma(&mut out, &mut is_first_table);
            quoted(&mut out, &table.name);
            out.push_str(":[");
            first = true;
            for (digest, values) in least(&mut table.sampled, table.most) {
                comma(&mut out, &mut first);
                let _ = write!(out, "[\"{digest}\",");
                numbers(&mut out, &values);
                out.push(']');
            }
            out.push(']');
        }
        if let Some(calls) = &mut self.calls {
            comma(&mut out, &mut is_first_table);
            out.push_str("\"calls\":[");
            first = true;
            for (digest, (tool, failed)) in least(&mut calls.rows, calls.most) {
                comma(&mut out, &mut first);
                let _ = write!(out, "[\"{digest}\",[");
                match tool {
                    Some(tool) => quoted(&mut out, &tool),
                    None => out.push_str("null"),
                }
                out.push(',');
                number_or_null(&mut out, failed);
                out.push_str("]]");
            }
            out.push(']');
        }
        out.push_str("}}");
        out
    }
}

impl Notes {
    fn clear(&mut self) {
        self.members.clear();
        self.values.clear();
        self.undeclared.clear();
        self.slots.fill(NOWHERE);
        self.items.clear();
        self.in_item = false;
        self.times.fill(NOT_KNOWN);
    }
}

/// One document, while it is walked through; None is for what is odd.
struct Walk<'a> {
    counting: &'a Counting,
    text: &'a str,
    bytes: &'a [u8],
    notes: &'a mut Notes,
}

impl<'a> Walk<'a> {
    /// Returns where the value at `at` ends.
    fn value(&mut self, id: Id, at: usize) -> Option<usize> {
        let counting = self.counting;
        match &counting.shapes[id] {
            Shape::Free | Shape::Leaf { .. } => end_of(self.bytes, at),
            Shape::List(item) => self.list(*item, at),
            Shape::Map(value) => {
                let mut names: Vec<&str> = Vec::new();
                self.members(at, |walk, name, escaped, at| {
                    let content = &walk.text[name.0..name.1];
                    if escaped || names.contains(&content) || names.len() == MOST_NAMES {
                        return None;
                    }
                    names.push(content);
                    walk.value(*value, at)
                })
            }
            Shape::Fixed { is_item, members, .. } => {
                if !is_item {
                    return self.fixed(id, members, at);
                }
                self.notes.items.push([NOWHERE; 3]);
                self.notes.in_item = true;
                let end = self.fixed(id, members, at);
                self.notes.in_item = false;
                end
            }
            Shape::Tagged { tag, variants } => {
                let (begin, end) = self.tag(at, tag)?;
                let content = &self.text[begin..end];
                let content = content.as_bytes();
                let known = variants.iter().find(|(tag, _)| same(tag.as_bytes(), content))?;
                self.value(known.1, at)
            }
            Shape::Chosen(by_kind) => {
                let kind = match self.bytes.get(at)? {
                    b'{' => 0,
                    b'[' => 1,
                    b'"' => 2,
                    b't' | b'f' => 4,
                    _ => 3,
                };
                match by_kind[kind] {
                    Some(shape) => self.value(shape, at),
                    None => end_of(self.bytes, at),
                }
            }
        }
    }

    fn list(&mut self, item: Id, at: usize) -> Option<usize> {
        let bytes = self.bytes;
        if bytes.get(at) != Some(&b'[') {
            return None;
        }
        let mut at = space(bytes, at + 1);
        if bytes.get(at) == Some(&b']') {
            return Some(at + 1);
        }
        loop {
            at = space(bytes, self.value(item, at)?);
            match bytes.get(at)? {
                b',' => at = space(bytes, at + 1),
                b']' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    fn fixed(&mut self, id: Id, members: &'a [Member], at: usize) -> Option<usize> {
        let (mut next, before) = (0, self.notes.undeclared.len());
        self.members(at, |walk, name, escaped, at| {
            let content = &walk.text[name.0..name.1];
            let position = |members: &[Member]| {
                members.iter().position(|m| same(m.name.as_bytes(), content.as_bytes()))
            };
            let found = (!escaped)
                .then(|| position(&members[next..]).map(|found| next + found))
                .flatten()
                .or_else(|| if escaped { None } else { position(&members[..next]) });
            let Some(found) = found else {
                return walk.undeclared(id, name, escaped, before, at);
            };
            next = found + 1;
            walk.member(&members[found], at)
        })
    }

    fn member(&mut self, member: &Member, at: usize) -> Option<usize> {
        let counting = self.counting;
        self.notes.members.push(member.place);
        let end = self.value(member.shape, at)?;
        if matches!(counting.shapes[member.shape], Shape::Leaf { counted: true }) {
            self.notes.values.push((member.place, at, end));
        }
        if let Some(slot) = counting.slot_at[member.place] {
            self.notes.slots[slot] = span(at, end);
        }
        if self.notes.in_item {
            if let Some(slot) = counting.item_slot_at[member.place] {
                self.notes.items.last_mut()?[slot] = span(at, end);
            }
        }
        Some(end)
    }

    fn undeclared(
        &mut self,
        id: Id,
        name: (usize, usize),
        escaped: bool,
        before: usize,
        at: usize,
    ) -> Option<usize> {
        let Shape::Fixed { place, .. } = &self.counting.shapes[id] else { return None };
        let content = &self.text[name.0..name.1];
        let mine = &self.notes.undeclared[before..];
        // Of names that come twice, and of those with escapes, others know which one holds.
        if escaped || mine.len() == MOST_NAMES {
            return None;
        }
        if mine.iter().any(|each| each.0 == id && self.text[each.1.0..each.1.1] == *content) {
            return None;
        }
        // Tables may ask for what is not declared: others see to it.
        let pointer = format!("{place}/{content}");
        let known = self.counting.place_of.get(&pointer);
        let is_asked = known.is_some_and(|place| self.counting.item_slot_at[*place].is_some());
        if is_asked || self.counting.slot_of.contains_key(&pointer) {
            return None;
        }
        self.notes.undeclared.push((id, name, escaped, at));
        let seen = skim(self.bytes, at)?;
        Some(seen.end)
    }

    /// Walks through an object, by where names are, and values; returns where it ends.
    fn members(
        &mut self,
        at: usize,
        mut member: impl FnMut(&mut Self, (usize, usize), bool, usize) -> Option<usize>,
    ) -> Option<usize> {
        let bytes = self.bytes;
        if bytes.get(at) != Some(&b'{') {
            return None;
        }
        let mut at = space(bytes, at + 1);
        if bytes.get(at) == Some(&b'}') {
            return Some(at + 1);
        }
        loop {
            if bytes.get(at) != Some(&b'"') {
                return None;
            }
            let name = string(bytes, at + 1)?;
            let value = colon(bytes, name.end + 1)?;
            at = space(bytes, member(self, (at + 1, name.end), name.escaped, value)?);
            match bytes.get(at)? {
                b',' => at = space(bytes, at + 1),
                b'}' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Returns where the text of a tag is.
    fn tag(&mut self, at: usize, tag: &str) -> Option<(usize, usize)> {
        let bytes = self.bytes;
        if bytes.get(at) != Some(&b'{') {
            return None;
        }
        let mut at = space(bytes, at + 1);
        loop {
            if bytes.get(at) != Some(&b'"') {
                return None;
            }
            let name = string(bytes, at + 1)?;
            let value = colon(bytes, name.end + 1)?;
            if same(&bytes[at + 1..name.end], tag.as_bytes()) {
                let found = string(bytes, value + 1).filter(|found| !found.escaped)?;
                return (bytes[value] == b'"').then_some((value + 1, found.end));
            }
            at = space(bytes, end_of(bytes, value)?);
            if bytes.get(at) != Some(&b',') {
                return None;
            }
            at = space(bytes, at + 1);
        }
    }
}

/// What is asked of a document, found out once.
struct Facts<'a> {
    text: &'a str,
    slots: &'a [Span],
    times: &'a mut [i64],
    minute: &'a mut Minute,
}

impl<'a> Facts<'a> {
    fn raw(&self, slot: usize) -> Option<&'a str> {
        raw(self.text, self.slots[slot])
    }

    /// Returns the JSON text of a string, if it is what a key has of it.
    fn plain(&self, slot: usize) -> Option<&'a [u8]> {
        let raw = self.raw(slot)?.as_bytes();
        let is_plain = raw[0] == b'"' && raw.len() <= LONGEST && !raw.contains(&b'\\');
        is_plain.then_some(raw)
    }

    /// Tells whether the text at a slot is one of some that have no escapes.
    fn is_one(&self, slot: usize, texts: &[String]) -> bool {
        let Some(raw) = self.raw(slot) else { return false };
        let raw = raw.as_bytes();
        raw[0] == b'"' && texts.iter().any(|text| same(&raw[1..raw.len() - 1], text.as_bytes()))
    }

    fn string(&self, slot: usize) -> Option<Cow<'a, str>> {
        let raw = self.raw(slot)?;
        raw.starts_with('"').then(|| clipped(&raw[1..raw.len() - 1]))
    }

    fn time(&mut self, slot: usize) -> Option<i64> {
        if self.times[slot] == NOT_KNOWN {
            let found = self.raw(slot).and_then(|raw| match raw.as_bytes()[0] {
                b'"' => milliseconds(raw.as_bytes().get(1..raw.len() - 1)?, self.minute),
                _ => raw.parse().ok().filter(|ms| (0..=LAST_MS).contains(ms)),
            });
            self.times[slot] = found.unwrap_or(NO_TIME);
        }
        Some(self.times[slot]).filter(|time| *time != NO_TIME)
    }

    fn day(&mut self, slot: usize) -> Option<Cow<'a, str>> {
        let ms = self.time(slot)?;
        let raw = self.raw(slot)?;
        if raw.starts_with('"') && raw.ends_with("Z\"") {
            return Some(Cow::Borrowed(&raw[1..11]));
        }
        Some(Cow::Owned(day_of(ms)))
    }

    fn integer(&self, slot: usize) -> Option<i64> {
        let raw = self.raw(slot)?;
        raw.parse().ok().filter(|value| (0..1 << 53).contains(value))
    }

    fn billionths(&self, slot: usize) -> Option<i64> {
        let raw = self.raw(slot)?;
        if raw.starts_with('"') {
            return None;
        }
        let value: f64 = raw.parse().ok()?;
        #[allow(clippy::cast_possible_truncation)] // it is less than 1e18
        (0.0..1e9).contains(&value).then(|| (value * 1e9).round_ties_even() as i64)
    }
}

impl Table {
    fn add(&mut self, facts: &mut Facts<'_>, mark: u32, at: u64, key: &mut Vec<u8>) {
        if self.when.is_some_and(|slot| facts.slots[slot] == NOWHERE) {
            return;
        }
        if self.is_sample {
            self.add_sampled(facts, key);
            return;
        }
        if let [By::Size] = self.by.as_slice() {
            let size = bucket(facts.text.len() as u64);
            let Some(row) = self.sizes.get_mut(&size) else {
                let values = self.columns.iter().map(|column| column.value(facts)).collect();
                self.sizes.insert(size, Row { mark, at, values });
                return;
            };
            row.add(&self.columns, facts, mark, at);
            return;
        }
        key.clear();
        for by in &self.by {
            key.push(if key.is_empty() { b'[' } else { b',' });
            by.append(facts, key);
        }
        key.push(b']');
        if let Some(row) = self.rows.get_mut(key.as_slice()) {
            row.add(&self.columns, facts, mark, at);
            return;
        }
        let values = self.columns.iter().map(|column| column.value(facts)).collect();
        self.rows.insert(key.as_slice().into(), Row { mark, at, values });
    }

    fn add_sampled(&mut self, facts: &mut Facts<'_>, key: &mut Vec<u8>) {
        key.clear();
        for (number, by) in self.by.iter().enumerate() {
            if number > 0 {
                key.push(SEPARATOR);
            }
            match by {
                By::Text(slot) => match facts.plain(*slot) {
                    Some(raw) => key.extend_from_slice(&raw[1..raw.len() - 1]),
                    None => match facts.string(*slot) {
                        Some(text) => key.extend_from_slice(text.as_bytes()),
                        None => key.push(0),
                    },
                },
                _ => key.push(0),
            }
        }
        let digest = digest(key);
        if digest >= self.bound && self.bound < u64::MAX {
            return;
        }
        if let Some(values) = self.sampled.get_mut(&digest) {
            for (value, column) in values.iter_mut().zip(&self.columns) {
                column.combine(value, facts);
            }
            return;
        }
        let values = self.columns.iter().map(|column| column.value(facts)).collect();
        self.sampled.insert(digest, values);
    }
}

impl Row {
    fn add(&mut self, columns: &[Column], facts: &mut Facts<'_>, mark: u32, at: u64) {
        (self.mark, self.at) = (self.mark, self.at).min((mark, at));
        for (value, column) in self.values.iter_mut().zip(columns) {
            column.combine(value, facts);
        }
    }
}

impl By {
    fn append(&self, facts: &mut Facts<'_>, key: &mut Vec<u8>) {
        match self {
            By::Nothing => key.extend_from_slice(b"null"),
            By::Text(slot) => match facts.plain(*slot) {
                Some(raw) => key.extend_from_slice(raw),
                None => append_text(key, facts.string(*slot)),
            },
            By::Day(slot) => match facts.day(*slot) {
                Some(day) => {
                    key.push(b'"');
                    key.extend_from_slice(day.as_bytes());
                    key.push(b'"');
                }
                None => key.extend_from_slice(b"null"),
            },
            By::Span(begin, end) => match (facts.time(*begin), facts.time(*end)) {
                (Some(begin), Some(end)) if end >= begin => {
                    append_number(key, bucket(end.abs_diff(begin)));
                }
                (Some(_), Some(_)) => key.extend_from_slice(b"-1"),
                _ => key.extend_from_slice(b"null"),
            },
            By::Amount(slot) => match facts.integer(*slot) {
                Some(number) => append_number(key, bucket(number.unsigned_abs())),
                None => key.extend_from_slice(b"null"),
            },
            By::Size => append_number(key, bucket(facts.text.len() as u64)),
        }
    }
}

impl Column {
    fn value(&self, facts: &mut Facts<'_>) -> Option<i64> {
        if let Some((slot, texts)) = &self.only {
            if !facts.is_one(*slot, texts) {
                return None;
            }
        }
        match self.of {
            Of::One => Some(1),
            Of::Bytes => i64::try_from(facts.text.len()).ok(),
            Of::Integer(slot) => facts.integer(slot),
            Of::Billionths(slot) => facts.billionths(slot),
            Of::Time(slot) => facts.time(slot),
        }
    }

    fn combine(&self, known: &mut Option<i64>, facts: &mut Facts<'_>) {
        let Some(value) = self.value(facts) else { return };
        *known = Some(match (*known, self.op) {
            (None, _) => value,
            (Some(known), Op::Sum) => known.saturating_add(value),
            (Some(known), Op::Min) => known.min(value),
            (Some(known), Op::Max) => known.max(value),
        });
    }
}

impl Calls {
    fn add(&mut self, facts: &Facts<'_>, items: &[Item], key: &mut Vec<u8>) {
        if items.iter().all(|item| item[self.call] == NOWHERE) {
            return;
        }
        let Some(run) = facts.string(self.run) else { return };
        for item in items {
            let raw = |slot: usize| raw(facts.text, item[slot]);
            let text = |slot: usize| {
                raw(slot)
                    .filter(|raw| raw.starts_with('"'))
                    .map(|raw| clipped(&raw[1..raw.len() - 1]))
            };
            let Some(call) = text(self.call) else { continue };
            let tool = text(self.tool);
            let failed = match &self.words {
                None => raw(self.failed).and_then(|raw| match raw {
                    "true" => Some(1),
                    "false" => Some(0),
                    _ => None,
                }),
                Some(words) => text(self.failed).and_then(|text| {
                    let found = words.iter().position(|word| *word == *text)?;
                    i64::try_from(found).ok()
                }),
            };
            if tool.is_none() && failed.is_none() {
                continue;
            }
            key.clear();
            key.extend_from_slice(run.as_bytes());
            key.push(SEPARATOR);
            key.extend_from_slice(call.as_bytes());
            let digest = digest(key);
            if digest >= self.bound && self.bound < u64::MAX {
                continue;
            }
            let known = self.rows.entry(digest).or_default();
            if let Some(tool) = tool {
                if known.0.as_ref().is_none_or(|known| *known.as_str() < *tool) {
                    known.0 = Some(tool.into_owned());
                }
            }
            known.1 = known.1.max(failed);
        }
    }
}

// --- pieces --------------------------------------------------------------------------------------

const NOWHERE: Span = (0, 0);
const NOT_KNOWN: i64 = -1;
const NO_TIME: i64 = -2;
const TAIL: usize = 32;
const LONGEST: usize = 128;
/// Names of one object that are compared with each other, at most.
const MOST_NAMES: usize = 64;
const SEPARATOR: u8 = 0x1f;
const LAST_MS: i64 = 253_402_300_799_999;
const DAY_MS: i64 = 86_400_000;
const FINE_BITS: u32 = 6;

#[allow(clippy::cast_possible_truncation)] // longer documents are not taken
fn span(begin: usize, end: usize) -> Span {
    (begin as u32, end as u32)
}

fn raw(text: &str, (begin, end): Span) -> Option<&str> {
    (end > 0).then(|| &text[begin as usize..end as usize])
}

/// Tells whether two short texts are the same: less work than a call that compares any.
#[inline(always)]
fn same(one: &[u8], other: &[u8]) -> bool {
    let size = one.len();
    if size != other.len() {
        return false;
    }
    let word = |bytes: &[u8], at: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(eight)
    };
    match size {
        0..8 => one.iter().zip(other).all(|(one, other)| one == other),
        8..=16 => word(one, 0) == word(other, 0) && word(one, size - 8) == word(other, size - 8),
        _ => one == other,
    }
}

fn texts_of(told: &Value) -> Option<Vec<String>> {
    told.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
}

fn end_of(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(string(bytes, at + 1)?.end + 1),
        b'-' | b'0'..=b'9' => Some(number(bytes, at)?.0),
        b'{' | b'[' => Some(skim(bytes, at)?.end),
        _ => literal(bytes, at),
    }
}

/// Returns what a string's content says, cut to what is kept of a name.
fn clipped(content: &str) -> Cow<'_, str> {
    if !content.contains('\\') {
        return cut(Cow::Borrowed(content));
    }
    let mut decoded = String::new();
    decode_into(content, &mut decoded);
    cut(Cow::Owned(decoded))
}

fn cut(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LONGEST || text.chars().nth(LONGEST).is_none() {
        return text;
    }
    let kept: String = text.chars().take(LONGEST - 1).chain(['…']).collect();
    Cow::Owned(kept)
}

fn bucket(number: u64) -> u64 {
    let shift = (u64::BITS - number.leading_zeros()).saturating_sub(FINE_BITS);
    number >> shift << shift
}

/// Returns the time that RFC 3339 text says, in milliseconds since 1970; None before that.
fn milliseconds(text: &[u8], minute: &mut Minute) -> Option<i64> {
    let digits = |begin: usize, end: usize| -> Option<i64> {
        text.get(begin..end)?.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let begin: [u8; 17] = text.get(..17)?.try_into().ok()?;
    if minute.0 != begin {
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if !marks.iter().all(|(at, mark)| text[*at] == *mark) {
            return None;
        }
        let date = days(digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
        *minute = (begin, date * 86_400 + digits(11, 13)? * 3600 + digits(14, 16)? * 60);
    }
    let second = digits(17, 19)?;
    let mut at = 19;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        let begin = at + 1;
        at = begin;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        for place in 0..3 {
            let digit = text.get(begin + place).filter(|digit| digit.is_ascii_digit());
            fraction = fraction * 10 + digit.map_or(0, |digit| i64::from(digit - b'0'));
        }
    }
    let offset = match text.get(at)? {
        b'Z' => 0,
        sign => {
            let minutes = digits(at + 1, at + 3)? * 60 + digits(at + 4, at + 6)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
    };
    let ms = (minute.1 + second - offset * 60) * 1000 + fraction;
    (0..=LAST_MS).contains(&ms).then_some(ms)
}

// Days since 1970 and the Gregorian calendar, by eras of 400 years that begin in March.

fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn day_of(ms: i64) -> String {
    let days = ms / DAY_MS + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the digest of a name, as Python has it.
fn digest(name: &[u8]) -> u64 {
    let reversed: Vec<u8> = name.iter().rev().copied().collect();
    let mut mixed = u64::from(crc32fast::hash(name)) << 32 | u64::from(crc32fast::hash(&reversed));
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ mixed >> 33
}

fn append_text(key: &mut Vec<u8>, text: Option<Cow<'_, str>>) {
    let Some(text) = text else { return key.extend_from_slice(b"null") };
    let mut escaped = String::new();
    key.push(b'"');
    key.extend_from_slice(encoded(&text, &mut escaped).0.as_bytes());
    key.push(b'"');
}

fn append_number(key: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        #[allow(clippy::cast_possible_truncation)] // it is less than 10
        let digit = (number % 10) as u8;
        digits[at] = b'0' + digit;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    key.extend_from_slice(&digits[at..]);
}

/// Takes out what has the least digests: one more than are kept, so that it is seen that there are
/// more.
fn least<V>(rows: &mut HashMap<u64, V, BuildHasherDefault<Mixed>>, most: usize) -> Vec<(u64, V)> {
    let mut found: Vec<_> = rows.drain().collect();
    if found.len() > most + 1 {
        found.select_nth_unstable_by_key(most, |row| row.0);
        found.truncate(most + 1);
    }
    found
}

fn comma(out: &mut String, first: &mut bool) {
    if !*first {
        out.push(',');
    }
    *first = false;
}

fn quoted(out: &mut String, text: &str) {
    let mut escaped = String::new();
    out.push('"');
    out.push_str(encoded(text, &mut escaped).0);
    out.push('"');
}

fn numbers(out: &mut String, values: &[Option<i64>]) {
    out.push('[');
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        number_or_null(out, *value);
    }
    out.push(']');
}

fn number_or_null(out: &mut String, value: Option<i64>) {
    let _ = match value {
        Some(value) => write!(out, "{value}"),
        None => write!(out, "null"),
    };
}

#[cfg(test)]
mod tests {
    use super::{bucket, day_of, digest, milliseconds, same};

    #[test]
    fn names_are_compared_as_a_whole() {
        for size in 0..40 {
            let name = vec![b'a'; size];
            assert!(same(&name, &name));
            for at in 0..size {
                let mut other = name.clone();
                other[at] = b'b';
                assert!(!same(&name, &other));
            }
            assert!(!same(&name, &[name.as_slice(), b"a"].concat()));
        }
        assert_ne!(digest(b"a"), digest(b"b"));
    }

    #[test]
    fn times_are_days() {
        let mut minute = ([0; 17], 0);
        let mut milliseconds = |text: &[u8]| milliseconds(text, &mut minute);
        let ms = milliseconds(b"2024-02-29T23:59:59.123456789+08:00").unwrap();
        assert_eq!(ms, 1_709_222_399_123);
        assert_eq!(day_of(ms), "2024-02-29");
        assert_eq!(milliseconds(b"1969-12-31T23:59:59Z"), None);
        assert_eq!(bucket(1000), 992);
    }
}
