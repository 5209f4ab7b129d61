//! Text and thinking: where a part of it begins and ends, and halves of characters.

use crate::contract::current::message::Opaque;
use crate::json::raw_text::{Text, whole_of};
use crate::providers::core::writer::{DeltaWriter, Kind, Writing};

impl DeltaWriter {
    /// Appends text of the answer.
    pub(crate) fn text<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.collecting(&mut |_| {}).text(text);
    }

    /// Appends text of the reasoning.
    pub(crate) fn thinking<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.collecting(&mut |_| {}).thinking(text);
    }

    /// Ends the part that is open with what the provider wants back with it.
    pub(crate) fn seal(&mut self, opaque: Option<Opaque>) {
        if let (Some(kind), Some(opaque)) = (self.kind.take(), opaque) {
            self.maker.seal(kind, opaque);
        }
    }

    pub(crate) fn put(&mut self, kind: Kind, text: String) {
        self.chars += text.chars().count();
        self.maker.text(kind, text);
    }

    pub(crate) fn lone(&mut self) {
        self.log.note(
            "adapter/lone-surrogate",
            "Half a character came without its other half and became U+FFFD",
            "",
            Some("well-formed Unicode"),
            None,
        );
    }

    /// Returns text without halves, and sets aside the half at its end that may yet be joined.
    pub(crate) fn whole(&mut self, text: Text<'_>, half: &mut Option<u32>) -> String {
        if let (None, Some(text)) = (&half, text.whole()) {
            return text.to_owned();
        }
        let mut points: Vec<u32> = half.take().into_iter().chain(text.points()).collect();
        if points.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
            *half = points.pop();
        }
        let (text, lone) = whole_of(&points);
        if lone {
            self.lone();
        }
        text
    }

    /// Writes a half character of text that is held back, for who counts its characters now.
    pub(crate) fn flush_half(&mut self) {
        if self.half_kind == Kind::Text {
            self.collecting(&mut |_| {}).drop_half();
        }
    }
}

impl Writing<'_> {
    /// Appends text of the answer.
    pub(crate) fn text<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.write(Kind::Text, text.into());
    }

    /// Appends text of the reasoning.
    pub(crate) fn thinking<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.write(Kind::Thinking, text.into());
    }

    fn write(&mut self, kind: Kind, text: Text<'_>) {
        // An empty delta neither makes a part nor parts two others.
        if self.writer.kind != Some(kind) && !text.is_empty() {
            self.begin(kind);
        }
        let mut half = self.writer.half.take();
        let text = self.writer.whole(text, &mut half);
        self.writer.half = half;
        if !text.is_empty() {
            self.writer.put(kind, text);
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.writer.start();
        if self.writer.half.is_some() && self.writer.half_kind != kind {
            self.drop_half();
        }
        self.leave();
        let writer = &mut *self.writer;
        writer.report_usage();
        writer.kind = Some(kind);
        writer.half_kind = kind;
        writer.new_part();
        match kind {
            Kind::Text => {
                writer.wrote.text = true;
                writer.text_parts.push(writer.part);
            }
            Kind::Thinking => writer.wrote.thinking = true,
        }
    }

    /// Ends what is being written, before a part of another kind begins.
    pub(crate) fn break_part(&mut self) {
        self.writer.start();
        self.drop_half();
        self.leave();
        self.writer.report_usage();
    }

    /// Ends the text, or thinking, that is being written.
    fn leave(&mut self) {
        if self.writer.kind.is_none() {
            return;
        }
        (self.collect)(self.writer);
        let opaque = self.writer.state.of_part(self.writer.part, None);
        self.writer.seal(opaque);
    }

    /// Gives up waiting for the other half of a character of text, or of thinking.
    pub(crate) fn drop_half(&mut self) {
        if self.writer.half.take().is_some() {
            self.writer.lone();
            self.write(self.writer.half_kind, "\u{fffd}".into());
        }
    }
}
