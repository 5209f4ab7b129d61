//! What a repair may do about a defect, and how it says what it did.

use std::collections::HashMap;

use crate::json::Value;

use crate::errors::Error;
use crate::tables::history_repairs::REPAIRS;

/// Defect → what is to be done about it, by name: the rules `history/…` without their room, and
/// `unreadable-message`. Where nothing is said, the first that can be done is.
pub type Policy = HashMap<String, String>;

/// One thing that a repair did.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryChange {
    /// The rule of the defect.
    pub rule: String,
    /// What was done.
    pub action: &'static str,
    /// The place in the given history.
    pub pointer: String,
    /// A sentence for people.
    pub message: String,
    /// The place in the repaired history of what was made of it.
    pub result: Option<String>,
    /// What was taken out.
    pub removed: Option<Value>,
}

/// A policy that says what to do about every defect.
#[derive(Default)]
pub(crate) struct WholePolicy(HashMap<&'static str, &'static str>);

impl WholePolicy {
    /// Fails with `usage/invalid-argument` for a defect or an action that does not exist.
    pub(crate) fn new(policy: &Policy) -> Result<Self, Error> {
        let mut whole: HashMap<_, _> =
            REPAIRS.iter().filter_map(|(defect, all)| Some((*defect, *all.first()?))).collect();
        for (name, action) in policy {
            let Some((defect, actions)) = REPAIRS.iter().find(|(defect, _)| defect == name) else {
                let known: Vec<&str> = REPAIRS.iter().map(|(defect, _)| *defect).collect();
                let actual = Value::from(name.as_str());
                return Err(Error::argument("No such defect", &known.join(" or "), &actual));
            };
            let Some(action) = actions.iter().find(|known| *known == action) else {
                let message = format!("No such repair of {name}");
                let actual = Value::from(action.as_str());
                return Err(Error::argument(&message, &actions.join(" or "), &actual));
            };
            whole.insert(defect, action);
        }
        Ok(Self(whole))
    }

    /// Tells whether an action is to be taken about a defect.
    pub(crate) fn is(&self, defect: &str, action: &str) -> bool {
        self.0.get(defect).is_some_and(|chosen| *chosen == action)
    }
}
