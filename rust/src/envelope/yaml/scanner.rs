//! The tokens of a YAML text, as `PyYAML`'s scanner cuts it: as far ahead as it has to look to know
//! whether a token is a key, and no further.

use std::collections::{BTreeMap, VecDeque};

use crate::envelope::yaml::chars::{BLANK_OR_END, BREAKS, Chars, END, YamlError};
use crate::envelope::yaml::properties::{Directive, take_anchor, take_directive, take_tag};
use crate::envelope::yaml::scalars::{Scalar, block_scalar, plain_scalar, quoted_scalar};

/// What follows others; those that open and close blocks stand for indentation.
pub(super) enum Token {
    Alias,
    Anchor,
    BlockEntry,
    BlockEnd,
    BlockMapping,
    BlockSequence,
    Directive(Directive),
    DocumentEnd,
    DocumentStart,
    FlowEntry,
    FlowMapping,
    FlowMappingEnd,
    FlowSequence,
    FlowSequenceEnd,
    Key,
    Scalar(Scalar),
    StreamEnd,
    /// With its handle, if it has one.
    Tag(Option<String>),
    Value,
}

/// A place where a key may have begun that has no mark of its own.
struct SimpleKey {
    token: usize,
    required: bool,
    index: usize,
    line: usize,
    column: i64,
}

const LONGEST_KEY: usize = 1024;
const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`";

pub(super) struct Scanner {
    chars: Chars,
    tokens: VecDeque<Token>,
    taken: usize,
    done: bool,
    /// Below 0 behind a bracket that closes nothing, where nothing is a block either.
    flow_level: i64,
    indent: i64,
    indents: Vec<i64>,
    allows_key: bool,
    /// Flow level → the key that may have begun in it.
    keys: BTreeMap<i64, SimpleKey>,
}

impl Scanner {
    pub(super) fn new(text: &str) -> Result<Self, YamlError> {
        let mut chars = Chars::new(text)?;
        if chars.peek() == '\u{feff}' {
            chars.take();
        }
        Ok(Self {
            chars,
            tokens: VecDeque::new(),
            taken: 0,
            done: false,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            allows_key: true,
            keys: BTreeMap::new(),
        })
    }

    /// Returns the next token, which stays.
    pub(super) fn peek(&mut self) -> Result<&Token, YamlError> {
        while self.needs_more()? {
            self.fetch()?;
        }
        Ok(self.tokens.front().unwrap_or(&Token::StreamEnd))
    }

    pub(super) fn take(&mut self) -> Result<Token, YamlError> {
        self.peek()?;
        self.taken += 1;
        Ok(self.tokens.pop_front().unwrap_or(Token::StreamEnd))
    }

    fn needs_more(&mut self) -> Result<bool, YamlError> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_keys()?;
        Ok(self.keys.values().map(|key| key.token).min() == Some(self.taken))
    }

    fn fetch(&mut self) -> Result<(), YamlError> {
        self.skip_blanks();
        self.drop_stale_keys()?;
        self.unwind(self.chars.column);
        let char = self.chars.peek();
        if self.chars.column == 0 {
            match char {
                '%' => return self.fetch_directive(),
                '-' if self.chars.is_at_mark('-') => {
                    return self.fetch_separator(Token::DocumentStart);
                }
                '.' if self.chars.is_at_mark('.') => {
                    return self.fetch_separator(Token::DocumentEnd);
                }
                _ => {}
            }
        }
        let in_flow = self.flow_level != 0;
        match char {
            END => self.fetch_end(),
            '[' => self.fetch_flow_start(Token::FlowSequence),
            '{' => self.fetch_flow_start(Token::FlowMapping),
            ']' => self.fetch_flow_end(Token::FlowSequenceEnd),
            '}' => self.fetch_flow_end(Token::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if self.is_before_blank() => self.fetch_block_entry(),
            '?' if in_flow || self.is_before_blank() => self.fetch_key(),
            ':' if in_flow || self.is_before_blank() => self.fetch_value(),
            '|' | '>' if !in_flow => self.fetch_block_scalar(),
            _ => self.fetch_node(char),
        }
    }

    /// Fetches what may stand in front of a node, and scalars on a line.
    fn fetch_node(&mut self, char: char) -> Result<(), YamlError> {
        let is_plain = self.is_plain(char);
        if !is_plain && !"*&!'\"".contains(char) {
            return Err(self.chars.error("found a character that begins nothing"));
        }
        self.save_key()?;
        self.allows_key = false;
        let chars = &mut self.chars;
        let token = match char {
            '*' => take_anchor(chars).map(|()| Token::Alias)?,
            '&' => take_anchor(chars).map(|()| Token::Anchor)?,
            '!' => Token::Tag(take_tag(chars)?),
            '\'' | '"' => Token::Scalar(quoted_scalar(chars)?),
            _ => {
                let (scalar, at_line) = plain_scalar(chars, self.indent + 1, self.flow_level != 0);
                self.allows_key = at_line;
                Token::Scalar(scalar)
            }
        };
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_block_scalar(&mut self) -> Result<(), YamlError> {
        self.allows_key = true;
        self.drop_key(self.flow_level)?;
        let scalar = block_scalar(&mut self.chars, self.indent)?;
        self.tokens.push_back(Token::Scalar(scalar));
        Ok(())
    }

    fn is_before_blank(&self) -> bool {
        self.chars.is_ahead(BLANK_OR_END, 1)
    }

    /// Tells whether a scalar without quotes may begin with a character.
    fn is_plain(&self, char: char) -> bool {
        if !BLANK_OR_END.contains(char) && !INDICATORS.contains(char) {
            return true;
        }
        let may_follow = char == '-' || (self.flow_level == 0 && matches!(char, '?' | ':'));
        may_follow && !self.is_before_blank()
    }

    fn skip_blanks(&mut self) {
        loop {
            self.chars.take_while(" ");
            if self.chars.peek() == '#' {
                self.chars.take_until(BREAKS);
            }
            if self.chars.take_break().is_none() {
                return;
            }
            self.allows_key |= self.flow_level == 0;
        }
    }

    // --- keys ------------------------------------------------------------------------------------

    /// Drops what can be no key any more: a key stands on one line, and is not long.
    fn drop_stale_keys(&mut self) -> Result<(), YamlError> {
        let Chars { line, index, .. } = self.chars;
        let is_stale =
            |key: &SimpleKey| key.line != line || index.saturating_sub(key.index) > LONGEST_KEY;
        if self.keys.values().any(|key| is_stale(key) && key.required) {
            return Err(self.no_value());
        }
        self.keys.retain(|_, key| !is_stale(key));
        Ok(())
    }

    fn drop_key(&mut self, level: i64) -> Result<(), YamlError> {
        match self.keys.remove(&level) {
            Some(SimpleKey { required: true, .. }) => Err(self.no_value()),
            _ => Ok(()),
        }
    }

    fn no_value(&self) -> YamlError {
        self.chars.error("could not find an expected ':'")
    }

    /// Notes that the next token may be a key.
    fn save_key(&mut self) -> Result<(), YamlError> {
        if !self.allows_key {
            return Ok(());
        }
        let Chars { index, line, column, .. } = self.chars;
        let required = self.flow_level == 0 && self.indent == column;
        self.drop_key(self.flow_level)?;
        let token = self.taken + self.tokens.len();
        self.keys.insert(self.flow_level, SimpleKey { token, required, index, line, column });
        Ok(())
    }

    // --- indentation -----------------------------------------------------------------------------

    fn unwind(&mut self, column: i64) {
        while self.flow_level == 0 && self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.tokens.push_back(Token::BlockEnd);
        }
    }

    /// Tells whether a block begins at a column.
    fn indents_to(&mut self, column: i64) -> bool {
        let begins = self.indent < column;
        if begins {
            self.indents.push(self.indent);
            self.indent = column;
        }
        begins
    }

    /// Begins a block here, unless it goes on.
    fn begin_block(&mut self, token: Token, refused: &str) -> Result<(), YamlError> {
        if self.flow_level != 0 {
            return Ok(());
        }
        if !self.allows_key {
            return Err(self.chars.error(refused));
        }
        if self.indents_to(self.chars.column) {
            self.tokens.push_back(token);
        }
        Ok(())
    }

    // --- one method per token --------------------------------------------------------------------

    /// Ends all blocks, and with them what may be a key.
    fn leave_blocks(&mut self) -> Result<(), YamlError> {
        self.unwind(-1);
        self.allows_key = false;
        self.drop_key(self.flow_level)
    }

    fn fetch_end(&mut self) -> Result<(), YamlError> {
        self.leave_blocks()?;
        self.keys.clear();
        self.tokens.push_back(Token::StreamEnd);
        self.done = true;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.leave_blocks()?;
        let directive = take_directive(&mut self.chars)?;
        self.tokens.push_back(Token::Directive(directive));
        Ok(())
    }

    fn fetch_separator(&mut self, token: Token) -> Result<(), YamlError> {
        self.leave_blocks()?;
        self.chars.take_many(3);
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_flow_start(&mut self, token: Token) -> Result<(), YamlError> {
        self.save_key()?;
        self.flow_level += 1;
        self.allows_key = true;
        self.take_mark(token);
        Ok(())
    }

    fn fetch_flow_end(&mut self, token: Token) -> Result<(), YamlError> {
        self.drop_key(self.flow_level)?;
        self.flow_level -= 1;
        self.allows_key = false;
        self.take_mark(token);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.allows_key = true;
        self.drop_key(self.flow_level)?;
        self.take_mark(Token::FlowEntry);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        // In a flow it is an error, which the parser finds.
        self.begin_block(Token::BlockSequence, "sequence entries are not allowed here")?;
        self.allows_key = true;
        self.drop_key(self.flow_level)?;
        self.take_mark(Token::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        self.begin_block(Token::BlockMapping, "mapping keys are not allowed here")?;
        self.allows_key = self.flow_level == 0;
        self.drop_key(self.flow_level)?;
        self.take_mark(Token::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self.keys.remove(&self.flow_level) {
            let at = key.token.saturating_sub(self.taken).min(self.tokens.len());
            self.tokens.insert(at, Token::Key);
            if self.flow_level == 0 && self.indents_to(key.column) {
                self.tokens.insert(at, Token::BlockMapping);
            }
            self.allows_key = false;
        } else {
            self.begin_block(Token::BlockMapping, "mapping values are not allowed here")?;
            self.allows_key = self.flow_level == 0;
        }
        self.take_mark(Token::Value);
        Ok(())
    }

    /// Takes the character that is a token.
    fn take_mark(&mut self, token: Token) {
        self.chars.take();
        self.tokens.push_back(token);
    }
}
