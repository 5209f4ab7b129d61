//! A stream of deltas of the current version, for readers of an older one.

use std::collections::{BTreeMap, HashSet};

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Contract;
use crate::contract::versions::Version;
use crate::convert::losses::{Loss, LossLog};
use crate::convert::versions::migrate::{Migrated, downgrade, migrate_read};
use crate::convert::versions::stream_places::StreamPlaces;
use crate::convert::versions::v0_2_to_v0_3::code_of;
use crate::errors::{Error, Finding};
use crate::json::fields::{Fields, filtered, put};
use crate::reading::tolerant::{relax, unknown_places};
use crate::tables::losses::MIGRATION_LOSSES;

const TYPE: &str = "message.MessageDelta";

/// Takes deltas one by one, and gives what an older reader is to get.
///
/// A delta of a kind that the reader does not know goes, and so does for v0.1 one that is there for
/// provider state alone (its text is empty); `seq` moves up by what went before it, so that the
/// stream has no gap that it did not have. A delta that comes again gives the same again.
#[derive(Clone, Debug)]
pub struct DeltaDowngrade {
    to: Version,
    log: LossLog,
    once: HashSet<&'static str>,
    /// The numbers of the deltas that went, in order.
    dropped: Vec<u64>,
    fed: usize,
    /// Where the parts are, for readers of v0.2: v0.1 has no state at its parts.
    places: StreamPlaces,
}

impl DeltaDowngrade {
    /// Begins a stream for readers of `to`.
    #[must_use]
    pub fn new(to: Version) -> Self {
        let (once, dropped) = (HashSet::new(), Vec::new());
        Self {
            to,
            log: LossLog::new(MIGRATION_LOSSES),
            once,
            dropped,
            fed: 0,
            places: StreamPlaces::default(),
        }
    }

    /// What was lost so far, in order: at most 100 losses of a code; ids of the message and turn,
    /// which are on every delta, once. A pointer counts the deltas as they were fed, as the items
    /// of an array.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.log.losses
    }

    /// How many losses of each code are not in [`losses`](Self::losses).
    #[must_use]
    pub fn left_out(&self) -> &BTreeMap<&'static str, usize> {
        &self.log.left_out
    }

    /// Returns what `delta` is for the older reader: one delta, or none.
    ///
    /// One of an unknown kind, read tolerantly, keeps its content. Fails with [`Error::Read`], and
    /// with [`Error::Usage`] for what is not a delta, or older than its reader; nothing has
    /// happened then.
    pub fn feed<T: Contract>(&mut self, delta: &T) -> Result<Option<Value>, Error> {
        let value = crate::json::to_value(delta).map_err(|cause| {
            let message = format!("No JSON value: {cause}");
            Error::Read(vec![Finding::error("shape/type", "", &message)])
        })?;
        if T::TYPE != TYPE {
            return Err(Error::argument("Not a delta", "a delta", &json!(T::TYPE)));
        }
        let bound = binding(T::TYPE, T::VERSION)?;
        let (_, notes) = relax(&bound.room.schemas, bound.name, value.clone());
        if unknown_places(&notes).contains("") {
            self.fed += 1;
            return Ok(Some(self.renumbered(value)));
        }
        if self.to > T::VERSION {
            let message = "Downgrading leads to an older version";
            let expected = format!("at most {}", T::VERSION);
            return Err(Error::argument(message, &expected, &json!(self.to.as_str())));
        }
        let code = self.left_out_as(&value);
        let to = if code.is_some() { T::VERSION } else { self.to };
        let made = at_any_time(&value, |value| migrate_read::<T>(value, to, false))?;
        Ok(self.taken(&value, made, code))
    }

    /// Returns what a delta, a JSON value of the latest version, is for the older reader; see
    /// [`feed`](Self::feed). Here, an unknown kind is refused.
    pub fn feed_value(&mut self, delta: &Value) -> Result<Option<Value>, Error> {
        let code = self.left_out_as(delta);
        let to = if code.is_some() { LATEST_VERSION } else { self.to };
        let made = at_any_time(delta, |delta| downgrade(delta, TYPE, to))?;
        Ok(self.taken(delta, made, code))
    }

    /// Returns the loss of a delta of a kind that the reader does not know.
    fn left_out_as(&self, delta: &Value) -> Option<&'static str> {
        if self.to < Version::V0_3 { code_of(delta.text("kind")) } else { None }
    }

    fn taken(
        &mut self,
        delta: &Value,
        made: Migrated<Value>,
        code: Option<&'static str>,
    ) -> Option<Value> {
        for loss in made.losses {
            let is_on_every_delta = matches!(loss.code, "message-id" | "turn-id");
            if self.once.insert(loss.code) || !is_on_every_delta {
                self.log.note(loss.code, format!("/{}{}", self.fed, loss.pointer));
            }
        }
        let mut value = made.value;
        let seq = number_of(delta);
        if let Some(code) = code {
            self.log.note(code, format!("/{}", self.fed));
            self.places.begin(delta.text("kind"), seq.unwrap_or(0));
        } else if self.to == Version::V0_2 {
            self.place(&mut value, seq.unwrap_or(0));
        }
        self.fed += 1;
        if code.is_some() || (self.to < Version::V0_2 && is_state_alone(delta)) {
            let seq = seq?;
            let at = self.dropped.partition_point(|known| *known < seq);
            if self.dropped.get(at) != Some(&seq) {
                self.dropped.insert(at, seq);
            }
            return None;
        }
        Some(self.renumbered(value))
    }

    /// Puts a delta's state where it belongs among the parts that the reader gets.
    fn place(&mut self, delta: &mut Value, seq: u64) {
        let made = self.places.data(delta.text("kind"), seq, delta.at("payload"));
        let opaque = delta.at("payload").at("opaque");
        let data = opaque.at("data");
        if data.as_object() == made.as_ref() {
            return;
        }
        let kept = made.as_ref().and_then(|made| made.get("items")?.as_array());
        let is_lost = kept.map_or(0, Vec::len) < data.list("items").len();
        let code = if is_lost { "opaque" } else { "opaque-moved" };
        self.log.note(code, format!("/{}/payload/opaque", self.fed));
        let mut payload = filtered(delta.at("payload"), |name, _| name != "opaque");
        if let Some(made) = made {
            let mut opaque = opaque.clone();
            put(&mut opaque, "data", Value::Object(made));
            payload.insert("opaque".to_owned(), opaque);
        }
        put(delta, "payload", Value::Object(payload));
    }

    fn renumbered(&self, mut delta: Value) -> Value {
        let Some(seq) = number_of(&delta) else { return delta };
        let before = self.dropped.partition_point(|known| *known < seq);
        if before > 0 {
            put(&mut delta, "seq", seq.saturating_sub(before as u64));
        }
        delta
    }
}

/// Takes a delta to another version. The form of its time is not looked at where it goes nowhere: no
/// reader of deltas does.
fn at_any_time(
    delta: &Value,
    take: impl Fn(&Value) -> Result<Migrated<Value>, Error>,
) -> Result<Migrated<Value>, Error> {
    let error = match take(delta) {
        Err(Error::Read(found)) => found,
        taken => return taken,
    };
    let is_time =
        matches!(&error[..], [one] if one.rule == "shape/pattern" && one.pointer == "/timestamp");
    if !is_time || matches!(delta.text("kind"), "start" | "done" | "error") {
        return Err(Error::Read(error));
    }
    let mut given = delta.clone();
    put(&mut given, "timestamp", "1970-01-01T00:00:00Z");
    let mut made = take(&given)?;
    put(&mut made.value, "timestamp", delta.text("timestamp"));
    Ok(made)
}

fn number_of(delta: &Value) -> Option<u64> {
    u64::try_from(delta.whole("seq")).ok().filter(|_| delta.at("seq").is_number())
}

/// Tells whether a delta appends nothing and carries provider state.
fn is_state_alone(delta: &Value) -> bool {
    let payload = delta.at("payload");
    let text = payload.get("textDelta").or_else(|| payload.get("argsTextDelta"));
    payload.has("opaque") && text.and_then(Value::as_str) == Some("")
}
