//! The native core of the Python package `partwire`: the straight ways of what takes most time.
//!
//! Whatever is odd is not decided here: each function says that it does not know, and the Python
//! package, which knows all rules, takes it from there.

mod count;
mod exact;
mod fold;
mod history;
mod lane;
mod line;
mod part;
mod pick;
mod provider;
mod scan;
mod verdict;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use count::Counting;
use exact::Exact;
use fold::{Event, Fold, Found, OpenStream, Route, Span, Taken};
use lane::Lane;
use partwire::Limits;
use partwire::build::now;
use partwire::formats::Context;
use partwire::providers::AdapterOptions;
use partwire::types::message::{Author, TextFormat};
use pick::Pick;
use provider::Response;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use verdict::Verdict;

/// More bytes than this are worked on while other threads run: it takes about 100 µs.
const RELEASING_BYTES: usize = 32 * 1024;

/// A line that is longer is for others to take, or to refuse.
const MOST_HELD_BYTES: usize = 1024 * 1024;

/// One stream of deltas, from JSON Lines to a message.
#[pyclass(name = "Lane", module = "partwire_native")]
struct PyLane {
    lane: Lane,
    /// The beginning of a line whose end has not come.
    held: Vec<u8>,
}

#[pymethods]
impl PyLane {
    #[new]
    #[allow(clippy::needless_pass_by_value)] // as Python's arguments come
    fn new(run_id: Option<String>, limits: [u64; LIMITS]) -> Self {
        Self { lane: Lane::new(run_id, limits_of(limits)), held: Vec::new() }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    ///
    /// Returns None if all lines were taken, else the bytes that are left, from the first odd line on.
    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
    ) -> Option<Bound<'py, PyBytes>> {
        let data = data.as_bytes();
        let mut begin = 0;
        if !self.held.is_empty() {
            let end = data.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            begin = end.unwrap_or(data.len());
            self.held.extend_from_slice(&data[..begin]);
            let is_odd = match end {
                Some(_) => self.lane.take(&self.held) < self.held.len(),
                None => self.held.len() > MOST_HELD_BYTES,
            };
            if is_odd {
                self.held.extend_from_slice(&data[begin..]);
                return Some(PyBytes::new(py, &std::mem::take(&mut self.held)));
            }
            end?;
            self.held.clear();
        }
        let end = data.iter().rposition(|byte| *byte == b'\n').map_or(begin, |at| at + 1);
        let lines = &data[begin..end];
        let lane = &mut self.lane;
        let taken = if lines.len() > RELEASING_BYTES {
            py.detach(|| lane.take(lines))
        } else {
            lane.take(lines)
        };
        if taken < lines.len() {
            return Some(PyBytes::new(py, &data[begin + taken..]));
        }
        self.held.extend_from_slice(&data[end..]);
        None
    }

    /// Takes the last line, if it has no end. Returns as `feed`.
    fn last<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let held = std::mem::take(&mut self.held);
        (self.lane.take(&held) < held.len()).then(|| PyBytes::new(py, &held))
    }

    /// Takes one line, with or without its end; returns whether it was taken.
    fn line(&mut self, line: &Bound<'_, PyAny>) -> bool {
        if let Ok(line) = line.cast_exact::<PyBytes>() {
            return self.lane.take_one(line.as_bytes());
        }
        if let Ok(line) = line.cast_exact::<PyString>() {
            return line.to_str().is_ok_and(|line| self.lane.take_one(line.as_bytes()));
        }
        false
    }

    /// Takes lines as long as they are bytes or text, one item each.
    ///
    /// Returns None if all were taken, else the first item that was not, in a tuple: it may be None.
    fn lines<'py>(&mut self, items: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        for item in items.try_iter()? {
            let item = item?;
            if !self.line(&item) {
                return Ok(Some((item,)));
            }
        }
        Ok(None)
    }

    /// How many lines were taken.
    #[getter]
    fn count(&self) -> u64 {
        self.lane.lines()
    }

    /// JSON Lines that say the same as all that was taken since the last time.
    fn condensed<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lane.condensed().as_bytes())
    }

    /// The finished message as JSON text; None before the end.
    fn message<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        Some(PyBytes::new(py, self.lane.message()?.as_bytes()))
    }
}

/// Many streams of deltas whose lines are mixed, from JSON Lines to messages.
#[pyclass(name = "Fold", module = "partwire_native")]
struct PyFold(Fold);

/// What is said of lines that were taken: messages with a token of 0, names, lines and JSON text;
/// lines of streams that are taken by the caller, with their number, and the end of their stream; and
/// with None for a token, those of streams that have ended, with names, number, and how it ended.
type Events<'py> = Vec<Bound<'py, PyTuple>>;

/// A stream that the caller has to take from now on: token, run, message, what was taken of it as JSON
/// Lines, and its lines, if these were all.
type PyFound<'py> = (u64, String, Option<String>, Bound<'py, PyBytes>, Option<Span>);

#[pymethods]
impl PyFold {
    #[new]
    fn new(limits: [u64; LIMITS], most_ended: usize) -> Self {
        Self(Fold::new(limits_of(limits), most_ended))
    }

    /// Takes whole lines from `begin` on; `number` is that of the line before.
    ///
    /// Returns events, the first odd line or None, the number of the last line that was taken or is
    /// odd, and where the next one begins.
    fn take<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
        begin: usize,
        number: u64,
    ) -> PyResult<(Events<'py>, Option<Bound<'py, PyBytes>>, u64, usize)> {
        let bytes = data.as_bytes();
        let fold = &mut self.0;
        let taken = if bytes.len() - begin > RELEASING_BYTES {
            py.detach(|| fold.take(bytes, begin, number))
        } else {
            fold.take(bytes, begin, number)
        };
        let odd = taken.odd.clone().map(|odd| PyBytes::new(py, &bytes[odd]));
        let (number, at) = (taken.number, taken.at);
        Ok((events_of(py, taken, bytes)?, odd, number, at))
    }

    /// Takes lines, one item each, until there are events, or an item is odd.
    ///
    /// Returns as `take`, and at last whether there may be more items.
    fn take_items<'py>(
        &mut self,
        py: Python<'py>,
        items: &Bound<'py, PyAny>,
        mut number: u64,
    ) -> PyResult<(Events<'py>, Option<Bound<'py, PyAny>>, u64, bool)> {
        for item in items.try_iter()? {
            let item = item?;
            let line = if let Ok(line) = item.cast_exact::<PyBytes>() {
                Some(line.as_bytes())
            } else {
                let text = item.cast_exact::<PyString>().ok();
                text.and_then(|text| text.to_str().ok()).map(str::as_bytes)
            };
            let line = line.map(|line| line.strip_suffix(b"\n").unwrap_or(line));
            let Some(line) = line.filter(|line| !line.contains(&b'\n')) else {
                return Ok((Vec::new(), Some(item), number + 1, true));
            };
            if line.is_empty() {
                number += 1;
                continue;
            }
            let taken = self.0.take(line, 0, number);
            number = taken.number;
            if taken.odd.is_some() {
                return Ok((Vec::new(), Some(item), number, true));
            }
            if !taken.events.is_empty() {
                return Ok((events_of(py, taken, line)?, None, number, true));
            }
        }
        Ok((Vec::new(), None, number, false))
    }

    /// Finds the stream of an odd line, which is the caller's from now on. Returns it, or None and
    /// how it has ended; None twice where several may be meant.
    fn route<'py>(
        &mut self,
        py: Python<'py>,
        run_id: &str,
        message_id: Option<&str>,
        kind: Option<&str>,
        number: u64,
    ) -> (Option<PyFound<'py>>, Option<&'static str>) {
        match self.0.route(run_id, message_id, kind, number) {
            Route::To(found) => (Some(found_of(py, found)), None),
            Route::Late(status) => (None, Some(status)),
            Route::Unclear => (None, None),
        }
    }

    /// Takes a stream out that has exactly this name; None if there is none.
    fn remove<'py>(
        &mut self,
        py: Python<'py>,
        run_id: &str,
        message_id: Option<&str>,
    ) -> Option<PyFound<'py>> {
        self.0.remove(run_id, message_id).map(|found| found_of(py, found))
    }

    /// Says that a stream of the caller's is broken: its last line alone is an event.
    fn absorb(&mut self, token: u64) {
        self.0.absorb(token);
    }

    /// The open streams, in no order.
    fn open_streams(&self) -> Vec<OpenStream<'_>> {
        self.0.open_streams().collect()
    }
}

fn events_of<'py>(py: Python<'py>, taken: Taken, data: &[u8]) -> PyResult<Events<'py>> {
    let tuple_of = |event| match event {
        Event::Message { run_id, message_id, span: (first, last, lines, _, is_named), json } => {
            let json = PyBytes::new(py, json.as_bytes());
            let message_id = message_id.as_deref();
            (0u64, &*run_id, message_id, first, last, lines, json, is_named).into_pyobject(py)
        }
        Event::Line { token, line, number, end } => {
            (token, PyBytes::new(py, &data[line]), number, end).into_pyobject(py)
        }
        Event::Late { run_id, message_id, line, number, status } => {
            let (line, message_id) = (PyBytes::new(py, &data[line]), message_id.as_deref());
            (py.None(), &*run_id, message_id, line, number, status).into_pyobject(py)
        }
    };
    taken.events.into_iter().map(tuple_of).collect()
}

fn found_of(py: Python<'_>, found: Found) -> PyFound<'_> {
    let told = PyBytes::new(py, found.told.as_bytes());
    let message_id = found.message_id.map(Into::into);
    (found.token, found.run_id.into(), message_id, told, found.end)
}

/// How many limits there are.
const LIMITS: usize = 12;

/// Returns limits as they come from Python, in the order of its `Limits`.
fn limits_of(limits: [u64; LIMITS]) -> Limits {
    let [
        text_bytes,
        arguments_bytes,
        tool_calls,
        parts,
        arguments_depth,
        id_chars,
        opaque_bytes,
        opaque_depth,
        payload_bytes,
        payload_depth,
        media_bytes,
        agents,
    ] = limits;
    Limits {
        text_bytes,
        arguments_bytes,
        tool_calls,
        parts,
        arguments_depth,
        id_chars,
        opaque_bytes,
        opaque_depth,
        payload_bytes,
        payload_depth,
        media_bytes,
        agents,
    }
}

/// The response of a provider, from its bytes to deltas or to a message.
#[pyclass(name = "Response", module = "partwire_native")]
struct PyResponse {
    /// Never waited for: who has this object to change has the response.
    response: Mutex<Response>,
    /// The chunks read so far, for who has to read them again.
    seen: Vec<Py<PyBytes>>,
    /// What the caller's clock has raised.
    failed: Arc<Mutex<Option<PyErr>>>,
}

/// The seq of the next delta, and the chunks read.
type Rest = Option<(u64, Vec<Py<PyBytes>>)>;

#[pymethods]
impl PyResponse {
    /// Begins a response; raises `ValueError` for arguments that the package
    /// refuses in its own words.
    /// `clock` is None for the clock of this machine; `ids` are those of the message and the turn,
    /// `author` is name and path, `format` name and schema; with `keep_raw` the deltas carry the raw
    /// events.
    #[new]
    #[allow(clippy::too_many_arguments)] // what a caller may say of a stream
    fn new(
        dialect: &str,
        run_id: &str,
        framing: &str,
        clock: Option<Py<PyAny>>,
        used_tool_call_ids: HashSet<String>,
        ids: (Option<String>, Option<String>),
        author: Option<(Option<String>, Option<Vec<String>>)>,
        format: Option<(Option<String>, Option<String>)>,
        keep_raw: bool,
    ) -> PyResult<Self> {
        let mut options = AdapterOptions::default();
        (options.used_tool_call_ids, options.keep_raw) = (used_tool_call_ids, keep_raw);
        (options.message_id, options.turn_id) = ids;
        options.author = author.map(|(name, agent)| Author { name, agent_path: agent });
        options.format = format.map(|(name, schema_ref)| TextFormat { name, schema_ref });
        let failed = Arc::new(Mutex::new(None));
        let made = match clock {
            None => Response::new(dialect, run_id, framing, now, options),
            Some(clock) => {
                let clock = called(clock, Arc::clone(&failed));
                Response::new(dialect, run_id, framing, clock, options)
            }
        };
        let response = made.ok_or_else(|| PyValueError::new_err("odd arguments"))?;
        Ok(Self { response: Mutex::new(response), seen: Vec::new(), failed })
    }

    /// Says that the message alone is wanted: `read` returns no deltas as long as none is odd.
    fn assemble(&mut self, limits: [u64; LIMITS]) {
        self.response().assemble(limits_of(limits));
    }

    /// Reads chunks one after the other, as long as they are bytes and no delta comes of them.
    ///
    /// Returns the deltas as JSON Lines, or none and the first chunk that is something else; None at
    /// the end of the chunks. The last item is None, or what another reader has to go on from, with
    /// integers that are not rounded: the seq of the next delta, and all chunks read.
    #[allow(clippy::type_complexity)] // as Python takes it
    fn read<'py>(
        &mut self,
        chunks: &Bound<'py, PyAny>,
    ) -> PyResult<Option<(Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>, Rest)>> {
        let py = chunks.py();
        for chunk in chunks.try_iter()? {
            let chunk = chunk?;
            let Ok(bytes) = chunk.cast_exact::<PyBytes>() else {
                return Ok(Some((PyBytes::new(py, &[]), Some(chunk), None)));
            };
            self.seen.push(bytes.clone().unbind());
            let (lines, rest) = self.lines(py, Some(bytes.as_bytes()))?;
            if !lines.is_empty() || rest.is_some() {
                return Ok(Some((PyBytes::new(py, &lines), None, rest)));
            }
        }
        Ok(None)
    }

    /// Reads the end of the response; returns the last deltas as JSON Lines, and the last item of
    /// `read`.
    fn close<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, Rest)> {
        let (lines, rest) = self.lines(py, None)?;
        Ok((PyBytes::new(py, &lines), rest))
    }

    /// How many deltas will never come, since they were kept back for the message.
    #[getter]
    fn kept_back(&mut self) -> u64 {
        self.response().kept_back()
    }

    /// The finished message as JSON text; None before the end.
    fn message<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        Some(PyBytes::new(py, self.response().message()?.as_bytes()))
    }
}

impl PyResponse {
    fn response(&mut self) -> &mut Response {
        self.response.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&mut self, py: Python<'_>, chunk: Option<&[u8]>) -> PyResult<(Vec<u8>, Rest)> {
        let response = self.response();
        let lines = if chunk.is_some_and(|chunk| chunk.len() > RELEASING_BYTES) {
            py.detach(|| response.read(chunk))
        } else {
            response.read(chunk)
        };
        let from = response.plain_from();
        let rest = from.map(|seq| (seq, std::mem::take(&mut self.seen)));
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok((lines, rest)),
        }
    }
}

/// What documents of one type are held against.
#[pyclass(name = "Verdict", module = "partwire_native", frozen)]
struct PyVerdict(Verdict);

#[pymethods]
impl PyVerdict {
    /// Makes the verdict on a type such as `message.Message` of a version; raises `ValueError`.
    #[new]
    fn new(name: &str, version: &str) -> PyResult<Self> {
        let made = Verdict::new(name, version);
        made.map(Self).ok_or_else(|| PyValueError::new_err("odd arguments"))
    }

    /// Tells whether nothing is found in a document; False says nothing.
    ///
    /// With `closed`, a member that its object does not name is found, too.
    fn is_clean(&self, py: Python<'_>, document: &Bound<'_, PyBytes>, closed: bool) -> bool {
        let document = document.as_bytes();
        if document.len() > RELEASING_BYTES {
            return py.detach(|| self.0.is_clean(document, closed));
        }
        self.0.is_clean(document, closed)
    }

    /// Tells whether every document that is clean by `other`, with `closed`, is so by this; False
    /// says nothing.
    fn covers(&self, other: &Bound<'_, Self>) -> bool {
        self.0.covers(&other.get().0)
    }

    /// Returns a value as its JSON text if `exact` takes it and it is clean, else None; raises what
    /// the encoder raises.
    fn clean_text<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        closed: bool,
        exact: &Bound<'py, Exact>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let text = exact.get().text_of(value)?;
        Ok(text.filter(|text| self.is_clean(value.py(), text, closed)))
    }

    /// Returns the indexes of the documents that are not clean, ascending; `closed` as above.
    fn refused(
        &self,
        py: Python<'_>,
        documents: &Bound<'_, PyList>,
        closed: bool,
    ) -> PyResult<Vec<usize>> {
        let documents: Vec<Bound<'_, PyBytes>> = documents.extract()?;
        let texts: Vec<&[u8]> = documents.iter().map(PyBytesMethods::as_bytes).collect();
        Ok(py.detach(|| {
            let indexes = 0..texts.len();
            indexes.filter(|index| !self.0.is_clean(texts[*index], closed)).collect()
        }))
    }
}

/// What is counted in documents along a plan.
#[pyclass(name = "Counting", module = "partwire_native")]
struct PyCounting(Counting);

#[pymethods]
impl PyCounting {
    /// Makes what counts along a plan, JSON text; raises `ValueError` for one that it does not know.
    #[new]
    fn new(plan: &str) -> PyResult<Self> {
        Counting::new(plan).map(Self).ok_or_else(|| PyValueError::new_err("odd arguments"))
    }

    /// Counts the documents in which the verdict on their type finds nothing.
    ///
    /// `first` is the number of the first document. Returns the indexes of those that are not counted,
    /// ascending.
    fn take(
        &mut self,
        py: Python<'_>,
        documents: &Bound<'_, PyList>,
        verdict: &Bound<'_, PyVerdict>,
        first: u64,
    ) -> PyResult<Vec<usize>> {
        let documents: Vec<Bound<'_, PyBytes>> = documents.extract()?;
        let texts: Vec<&[u8]> = documents.iter().map(PyBytesMethods::as_bytes).collect();
        let (counting, verdict) = (&mut self.0, &verdict.get().0);
        Ok(py.detach(|| {
            let numbers = texts.iter().zip(first..).enumerate();
            let left = numbers.filter_map(|(index, (text, number))| {
                let is_counted = std::str::from_utf8(text).is_ok_and(|text| {
                    verdict.is_clean_text(text, false) && counting.take(text, number)
                });
                (!is_counted).then_some(index)
            });
            left.collect()
        }))
    }

    /// Returns how many rows are held.
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Says from which digest on things are not in a sample.
    fn bound(&mut self, table: &str, bound: u64) {
        self.0.bound(table, bound);
    }

    /// Returns what has been counted since the last time, as JSON text.
    fn take_out<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.take_out())
    }
}

/// The lines of some streams, out of those of many.
#[pyclass(name = "Pick", module = "partwire_native")]
struct PyPick(Pick);

/// Lines that are picked: which one each is, from 0, its run, or None where the caller has to say
/// whether it is meant, and the line without its end.
type Picked<'py> = Vec<(usize, Option<&'py str>, Bound<'py, PyBytes>)>;

/// Lines of a partition: its number, theirs, their text.
type Part<'py> = (usize, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl PyPick {
    /// Means the streams of these runs and messages, all of a run where there is None; with `are_all`
    /// those of all other runs too.
    #[new]
    fn new(names: Vec<(String, Option<String>)>, are_all: bool) -> Self {
        Self(Pick::new(names, are_all))
    }

    /// Picks from whole lines.
    fn take<'py>(&mut self, py: Python<'py>, data: &'py Bound<'py, PyBytes>) -> Picked<'py> {
        let (pick, data) = (&mut self.0, data.as_bytes());
        let picked = py.detach(|| pick.take(data));
        let line = |line: pick::Picked<'py>| {
            (line.number, line.run_id, PyBytes::new(py, &data[line.place]))
        };
        picked.into_iter().map(line).collect()
    }

    /// Picks from whole lines, of which the first has the number `first`.
    ///
    /// Returns for each of `count` partitions that has any its number, the numbers of its lines as they
    /// are in memory, and their text; and number and text of each line of which the caller has to say
    /// whether it is meant.
    fn part<'py>(
        &mut self,
        py: Python<'py>,
        data: &'py Bound<'py, PyBytes>,
        first: u64,
        count: u32,
    ) -> (Vec<Part<'py>>, Vec<(u64, Bound<'py, PyBytes>)>) {
        let (pick, data) = (&mut self.0, data.as_bytes());
        let (parts, unsure) = py.detach(|| pick.part(data, first, count));
        let part = |part: &pick::Part| {
            (part.partition, PyBytes::new(py, &part.numbers), PyBytes::new(py, &part.text))
        };
        let line = |line: pick::Picked<'py>| {
            (first + line.number as u64, PyBytes::new(py, &data[line.place]))
        };
        (parts.iter().map(part).collect(), unsure.into_iter().map(line).collect())
    }
}

/// Returns how many line ends there are.
#[pyfunction]
fn count_lines(data: &[u8]) -> usize {
    // By parts whose number fits a byte: the compiler counts many of them at once.
    let count = |part: &[u8]| {
        let ends = part.iter().map(|byte| u8::from(*byte == b'\n'));
        usize::from(ends.fold(0_u8, u8::wrapping_add))
    };
    data.chunks(255).map(count).sum()
}

/// What is read of a history: each message, and the array of all losses, as JSON text.
type History<'py> = (Vec<Bound<'py, PyBytes>>, Bound<'py, PyBytes>);

/// Reads a history, JSON text, in a format; None for what is odd, and for other formats.
///
/// The messages are not validated.
#[pyfunction]
fn read_history<'py>(
    py: Python<'py>,
    format: &str,
    text: &Bound<'py, PyBytes>,
    run_id: Option<&Bound<'py, PyString>>,
    timestamp: Option<&Bound<'py, PyString>>,
) -> Option<History<'py>> {
    let mut context = Context::new();
    if let Some(run_id) = run_id {
        context = context.run_id(run_id.to_str().ok()?);
    }
    if let Some(timestamp) = timestamp {
        context = context.timestamp(timestamp.to_str().ok()?);
    }
    let text = text.as_bytes();
    let (messages, losses) = if text.len() > RELEASING_BYTES {
        py.detach(|| history::read(format, text, &context))?
    } else {
        history::read(format, text, &context)?
    };
    let messages = messages.iter().map(|message| PyBytes::new(py, message)).collect();
    Some((messages, PyBytes::new(py, &losses)))
}

/// Returns a clock that calls the caller's; what that raises is put aside.
fn called(
    clock: Py<PyAny>,
    failed: Arc<Mutex<Option<PyErr>>>,
) -> impl FnMut() -> String + Send + 'static {
    move || {
        Python::attach(|py| {
            clock.call0(py).and_then(|time| time.extract::<String>(py)).unwrap_or_else(|error| {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                String::new()
            })
        })
    }
}

/// The native core of partwire.
#[pymodule(gil_used = false)]
fn partwire_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<PyCounting>()?;
    module.add_class::<Exact>()?;
    module.add_class::<PyFold>()?;
    module.add_class::<PyLane>()?;
    module.add_class::<PyPick>()?;
    module.add_class::<PyResponse>()?;
    module.add_class::<PyVerdict>()?;
    module.add_function(wrap_pyfunction!(count_lines, module)?)?;
    module.add_function(wrap_pyfunction!(read_history, module)?)
}
