//! The lines of some streams, out of those of many.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::lane::blank;
use crate::line::{Form, Forms, Line, Of};

/// A line that is picked: which one it is, from 0, where it is, and its run; without one it has to
/// be read by others, who say whether it is meant.
pub struct Picked<'a> {
    pub number: usize,
    pub place: Range<usize>,
    pub run_id: Option<&'a str>,
}

/// Lines of one partition: their numbers as they are in memory, and their text, each with its end.
pub struct Part {
    pub partition: usize,
    pub numbers: Vec<u8>,
    pub text: Vec<u8>,
}

/// Which streams are meant: messages by run, or whole runs.
pub struct Pick {
    runs: HashMap<Box<str>, Option<HashSet<Box<str>>>>,
    are_all: bool,
    forms: Forms,
}

impl Pick {
    /// Means the streams named by run and message; without a message all of the run. With `are_all`
    /// those of all other runs too.
    pub fn new(names: Vec<(String, Option<String>)>, are_all: bool) -> Self {
        let mut runs = HashMap::<Box<str>, Option<HashSet<Box<str>>>>::new();
        for (run_id, message_id) in names {
            let messages = runs.entry(run_id.into()).or_insert_with(|| Some(HashSet::new()));
            match (messages.as_mut(), message_id) {
                (Some(messages), Some(message_id)) => _ = messages.insert(message_id.into()),
                (_, None) => *messages = None,
                (None, Some(_)) => {}
            }
        }
        Self { runs, are_all, forms: Forms::new(Of::AnyStream) }
    }

    /// Picks from whole lines, of which the last one may lack its end.
    pub fn take<'a>(&mut self, data: &'a [u8]) -> Vec<Picked<'a>> {
        let mut picked = Vec::new();
        let text = std::str::from_utf8(data).ok();
        let (mut at, mut number) = (0, 0);
        while at < data.len() {
            let (place, name) = match text {
                Some(text) => self.line(text, at),
                None => (at..end_of(data, at), None),
            };
            let is_meant = match name {
                Some((run_id, message_id)) => self.has(run_id, message_id),
                None => blank(data, at) < place.end,
            };
            let end = place.end;
            if is_meant {
                picked.push(Picked { number, place, run_id: name.map(|(run_id, _)| run_id) });
            }
            (at, number) = (end + 1, number + 1);
        }
        picked
    }

    /// Picks from whole lines, of which the first has the number `first`, and puts together what is of
    /// one of `count` partitions; returns what has to be read by others apart.
    pub fn part<'a>(
        &mut self,
        data: &'a [u8],
        first: u64,
        count: u32,
    ) -> (Vec<Part>, Vec<Picked<'a>>) {
        let mut unsure = Vec::new();
        let mut parts = BTreeMap::new();
        for line in self.take(data) {
            let Some(run_id) = line.run_id else {
                unsure.push(line);
                continue;
            };
            let partition = (crc32fast::hash(run_id.as_bytes()) % count) as usize;
            let part = parts.entry(partition).or_insert_with(|| Part {
                partition,
                numbers: Vec::new(),
                text: Vec::new(),
            });
            part.numbers.extend((first + line.number as u64).to_ne_bytes());
            part.text.extend(&data[line.place]);
            part.text.push(b'\n');
        }
        (parts.into_values().collect(), unsure)
    }

    /// Returns where the line is that begins at `begin`, and the name of its stream, if it is written
    /// in a way that is known here.
    fn line<'a>(&mut self, text: &'a str, begin: usize) -> (Range<usize>, Option<Name<'a>>) {
        let bytes = text.as_bytes();
        let mut line = Line::new();
        if let Some(at) = self.forms.read(text, begin, &mut line) {
            let end = blank(bytes, at);
            if bytes.get(end).is_none_or(|byte| *byte == b'\n') {
                return (begin..end, Some((line.run_id, line.message_id)));
            }
        }
        let end = end_of(bytes, begin);
        let read = self.forms.read_whole(&text[begin..end]);
        let name = read.and_then(|(line, _, form)| self.name(&line, form));
        (begin..end, name)
    }

    fn name<'a>(&mut self, line: &Line<'a>, form: Option<Form>) -> Option<Name<'a>> {
        if line.run_id.contains('\\') || line.message_id.is_some_and(|id| id.contains('\\')) {
            return None;
        }
        if let Some(form) = form {
            self.forms.learn(form);
        }
        Some((line.run_id, line.message_id))
    }

    fn has(&self, run_id: &str, message_id: Option<&str>) -> bool {
        match self.runs.get(run_id) {
            None => self.are_all,
            Some(None) => true,
            Some(Some(messages)) => messages.contains(message_id.unwrap_or_default()),
        }
    }
}

/// Run and message.
type Name<'a> = (&'a str, Option<&'a str>);

/// Returns where the line ends that begins at `begin`.
fn end_of(data: &[u8], begin: usize) -> usize {
    let length = data[begin..].iter().position(|byte| *byte == b'\n');
    length.map_or(data.len(), |length| begin + length)
}
