//! The characters of a YAML text, one by one.

/// A text that is not YAML, with what is wrong with it.
pub(super) struct YamlError(pub(super) String);

/// Stands behind the last character; no text holds it.
pub(super) const END: char = '\0';
pub(super) const BREAKS: &str = "\r\n\u{85}\u{2028}\u{2029}";
pub(super) const SPACE_OR_END: &str = " \0\r\n\u{85}\u{2028}\u{2029}";
pub(super) const BLANK_OR_END: &str = "\t \0\r\n\u{85}\u{2028}\u{2029}";
const BREAK_OR_END: &str = "\0\r\n\u{85}\u{2028}\u{2029}";

/// Reads on in a text, and knows how far it is.
pub(super) struct Chars {
    all: Vec<char>,
    pub(super) index: usize,
    pub(super) line: usize,
    /// Signed, to be compared with an indentation: outside of all blocks that is -1.
    pub(super) column: i64,
}

impl Chars {
    pub(super) fn new(text: &str) -> Result<Self, YamlError> {
        if !text.chars().all(is_printable) {
            return Err(YamlError("special characters are not allowed".to_owned()));
        }
        Ok(Self { all: text.chars().collect(), index: 0, line: 0, column: 0 })
    }

    /// Returns the next character.
    pub(super) fn peek(&self) -> char {
        self.peek_at(0)
    }

    /// Returns the character that comes `ahead` characters later.
    pub(super) fn peek_at(&self, ahead: usize) -> char {
        self.all.get(self.index + ahead).copied().unwrap_or(END)
    }

    /// Tells whether the next character is one of `set`.
    pub(super) fn is_at(&self, set: &str) -> bool {
        set.contains(self.peek())
    }

    /// Tells whether the character that comes `ahead` characters later is one of `set`.
    pub(super) fn is_ahead(&self, set: &str, ahead: usize) -> bool {
        set.contains(self.peek_at(ahead))
    }

    /// Tells whether three of `mark` and a blank stand here.
    pub(super) fn is_at_mark(&self, mark: char) -> bool {
        (0..3).all(|ahead| self.peek_at(ahead) == mark) && self.is_ahead(BLANK_OR_END, 3)
    }

    /// Tells whether a document ends or begins here.
    pub(super) fn is_at_separator(&self) -> bool {
        self.is_at_mark('-') || self.is_at_mark('.')
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> char {
        let char = self.peek();
        self.index += 1;
        let ends_line = "\n\u{85}\u{2028}\u{2029}".contains(char);
        if ends_line || (char == '\r' && self.peek() != '\n') {
            self.line += 1;
            self.column = 0;
        } else if char != '\u{feff}' {
            self.column += 1;
        }
        char
    }

    /// Takes the next `count` characters.
    pub(super) fn take_many(&mut self, count: usize) -> String {
        (0..count).map(|_| self.take()).collect()
    }

    /// Takes characters as long as they are of `set`.
    pub(super) fn take_while(&mut self, set: &str) -> String {
        let mut taken = String::new();
        while self.peek() != END && self.is_at(set) {
            taken.push(self.take());
        }
        taken
    }

    /// Takes characters up to one of `set`, or the end.
    pub(super) fn take_until(&mut self, set: &str) -> String {
        let mut taken = String::new();
        while self.peek() != END && !self.is_at(set) {
            taken.push(self.take());
        }
        taken
    }

    /// Takes a line break, and returns what it stands for.
    pub(super) fn take_break(&mut self) -> Option<char> {
        if !self.is_at(BREAKS) {
            return None;
        }
        let char = self.take();
        if char == '\r' && self.peek() == '\n' {
            self.take();
        }
        Some(if matches!(char, '\u{2028}' | '\u{2029}') { char } else { '\n' })
    }

    /// Takes what is left of a line that may hold nothing but a comment.
    pub(super) fn take_ignored_line(&mut self) -> Result<(), YamlError> {
        self.take_while(" ");
        if self.peek() == '#' {
            self.take_until(BREAKS);
        }
        if !self.is_at(BREAK_OR_END) {
            return Err(self.error("expected a comment or a line break"));
        }
        self.take_break();
        Ok(())
    }

    /// Returns the error for what is here.
    pub(super) fn error(&self, message: &str) -> YamlError {
        YamlError(format!("{message} at line {} column {}", self.line + 1, self.column + 1))
    }
}

fn is_printable(char: char) -> bool {
    matches!(char,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
        | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}
