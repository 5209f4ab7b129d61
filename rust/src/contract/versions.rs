// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

//! The versions of the contract.

use crate::contract::types::Family;
use crate::{v0_1, v0_2, v0_3};

/// A version of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `v0.1`
    V0_1,
    /// `v0.2`
    V0_2,
    /// `v0.3`
    V0_3,
}

/// Every contract version, the oldest first.
pub const VERSIONS: &[Version] = &[Version::V0_1, Version::V0_2, Version::V0_3];

impl Version {
    /// Returns the name that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_1 => "v0.1",
            Self::V0_2 => "v0.2",
            Self::V0_3 => "v0.3",
        }
    }

    /// Returns the families of the version, with their schemas.
    pub(crate) fn families(self) -> &'static [Family] {
        match self {
            Self::V0_1 => v0_1::FAMILIES,
            Self::V0_2 => v0_2::FAMILIES,
            Self::V0_3 => v0_3::FAMILIES,
        }
    }

    /// Returns severity by rule, of the rules that the schemas name.
    pub(crate) fn severities(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::V0_1 => v0_1::vocabulary::SEVERITIES,
            Self::V0_2 => v0_2::vocabulary::SEVERITIES,
            Self::V0_3 => v0_3::vocabulary::SEVERITIES,
        }
    }
}
