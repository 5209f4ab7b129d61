//! The versions of the contract.

use std::fmt;

/// A version of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `v0.1`
    V0_1,
    /// `v0.2`
    V0_2,
}

/// Every contract version, the oldest first.
pub const VERSIONS: &[Version] = &[Version::V0_1, Version::V0_2];

impl Version {
    /// Returns the name that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_1 => "v0.1",
            Self::V0_2 => "v0.2",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
