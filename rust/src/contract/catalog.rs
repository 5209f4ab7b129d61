//! Which types a contract version has, with the schemas of each.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::json::Value;

use crate::contract::schema::Schemas;
use crate::contract::types::Family;
use crate::contract::versions::{VERSIONS, Version};
use crate::errors::{Error, Finding, clip_text};

impl FromStr for Version {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = VERSIONS.iter().find(|version| version.as_str() == name);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = VERSIONS.iter().map(|version| version.as_str()).collect();
            let message = "No such contract version";
            let finding = Finding::error("usage/unknown-version", "", message);
            Error::Usage(vec![finding.expected(known.join(", ")).actual(clip_text(name))])
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The schemas of one family of one version, with the verdict of each type.
pub(crate) struct Room {
    pub family: &'static Family,
    pub schemas: Schemas,
    #[cfg(feature = "validate")]
    pub verdicts: crate::contract::verdict::Verdicts,
}

/// A type, bound to its schemas.
#[derive(Clone, Copy)]
pub(crate) struct Binding {
    pub room: &'static Room,
    pub name: &'static str,
}

type Rooms = Vec<(Version, Room)>;

fn rooms() -> &'static Rooms {
    static ROOMS: OnceLock<Rooms> = OnceLock::new();
    ROOMS.get_or_init(|| {
        let each = VERSIONS.iter().flat_map(|version| {
            version.families().iter().filter_map(move |family| {
                let bundle: Value = serde_json::from_str(family.schema).ok()?;
                let schemas = Schemas::read(&bundle, version.severities())?;
                let room = Room {
                    family,
                    schemas,
                    #[cfg(feature = "validate")]
                    verdicts: crate::contract::verdict::Verdicts::new(bundle),
                };
                Some((*version, room))
            })
        });
        each.collect()
    })
}

/// Returns a type; fails with `usage/unknown-type`.
pub(crate) fn binding(name: &str, version: Version) -> Result<Binding, Error> {
    let found = name.split_once('.').and_then(|(family, name)| {
        let is_it =
            |(each, room): &&(Version, Room)| *each == version && room.family.name == family;
        let (_, room) = rooms().iter().find(is_it)?;
        let (name, _) = room.schemas.types.get_key_value(name)?;
        Some(Binding { room, name })
    });
    found.ok_or_else(|| {
        let message = format!("No such type in {version}");
        let finding = Finding::error("usage/unknown-type", "", &message);
        let expected = "a type such as message.Message";
        Error::Usage(vec![finding.expected(expected).actual(clip_text(name))])
    })
}

/// Returns the schemas of a type's family, and its name in them; None for a type that does not
/// exist.
#[must_use]
pub fn schemas_of(name: &str, version: Version) -> Option<(&'static Schemas, &'static str)> {
    let found = binding(name, version).ok()?;
    Some((&found.room.schemas, found.name))
}
