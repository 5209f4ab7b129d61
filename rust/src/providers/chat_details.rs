//! OpenRouter's `reasoning_details`: sent in pieces, wanted back as the whole that they make.

use crate::providers::raw::{Raw, RawObject};
use crate::providers::raw_text::RawText;

const TEXTS: [&str; 3] = ["text", "summary", "signature"];

/// One detail: its members as the last piece has them, texts joined.
#[derive(Default)]
struct Detail {
    members: RawObject,
    texts: [Option<RawText>; TEXTS.len()],
}

impl Detail {
    fn add(&mut self, piece: &RawObject) {
        for (name, value) in piece.iter() {
            let place = TEXTS.iter().zip(&mut self.texts).find(|(each, _)| *name == ***each);
            if let (Some((_, text)), Some(more)) = (place, value.text()) {
                text.get_or_insert_default().push(more);
            } else if !value.is_null() || !self.members.iter().any(|(each, _)| each == name) {
                self.members.set(name.clone(), value.clone());
            }
        }
    }

    /// Tells whether `piece` continues this detail: of its type and number, not signed yet.
    ///
    /// Encrypted details come whole.
    fn goes_on_with(&self, piece: &RawObject) -> bool {
        if piece.get("type") != self.members.get("type") || piece.has("data") {
            return false;
        }
        let (ours, theirs) = (self.members.get("index"), piece.get("index"));
        if ours != theirs && !ours.is_null() && !theirs.is_null() {
            return false;
        }
        let [_, _, signature] = &self.texts;
        let is_signed = signature.as_ref().is_some_and(|text| !text.is_empty());
        let says_more = || ["text", "summary"].iter().any(|name| piece.get(name).says_something());
        !(is_signed && says_more())
    }

    fn whole(&self) -> Raw {
        let mut whole = self.members.clone();
        for (name, text) in TEXTS.iter().zip(&self.texts) {
            if let Some(text) = text {
                whole.set(*name, text.clone().into());
            }
        }
        whole.into()
    }
}

/// The details of one answer.
#[derive(Default)]
pub(crate) struct ReasoningDetails {
    details: Vec<Detail>,
}

impl ReasoningDetails {
    /// Takes a piece; it goes on with the last detail, or begins another.
    pub(crate) fn add(&mut self, piece: &RawObject) {
        if let Some(last) = self.details.last_mut().filter(|last| last.goes_on_with(piece)) {
            return last.add(piece);
        }
        let mut detail = Detail::default();
        detail.add(piece);
        self.details.push(detail);
    }

    /// Returns the details as the provider sends them where it does not stream.
    pub(crate) fn whole(&self) -> Vec<Raw> {
        self.details.iter().map(Detail::whole).collect()
    }
}
