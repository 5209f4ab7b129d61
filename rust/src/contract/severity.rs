//! How grave findings are.

use std::fmt;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The document, delta or call is refused.
    Error,
    /// It is taken, and somebody should look at it.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// Returns the word that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        match name {
            "warning" => Self::Warning,
            "info" => Self::Info,
            _ => Self::Error,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
