//! What the generated types are made of.

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::ser::Serialize;
use serde::{Deserialize, de};

use crate::contract::versions::Version;

pub use crate::json::{Map, Number, Value};

/// A type of the contract: what its documents are called, and of which version it is.
pub trait Contract: Serialize + DeserializeOwned {
    /// The name, such as `message.Message`.
    const TYPE: &'static str;
    /// The contract version.
    const VERSION: Version;
}

/// A family as it is generated: its bundle as JSON text, and what takes values through types.
pub(crate) struct Family {
    pub name: &'static str,
    pub schema: &'static str,
    pub rewrite: fn(&str, Value) -> Option<serde_json::Result<Value>>,
}

/// Lengths and ranges, which types cannot say; forms of strings are left out.
pub(crate) trait Bounded {
    fn in_bounds(&self) -> bool;
}

/// A variant whose tag this version does not know: what tolerant reading leaves in its place.
///
/// It holds the JSON value as it came, and is written back as it is.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Unknown {
    document: Map,
    #[serde(skip)]
    tag: &'static str,
}

impl Unknown {
    /// Returns the variant; `tag` is the member that distinguishes variants.
    #[must_use]
    pub fn new(tag: &'static str, document: Map) -> Self {
        Self { document, tag }
    }

    /// The value of the member that distinguishes variants, where it is a string.
    #[must_use]
    pub fn tag(&self) -> &str {
        self.get(self.tag).and_then(Value::as_str).unwrap_or("")
    }

    /// The whole value.
    #[must_use]
    pub fn document(&self) -> &Map {
        &self.document
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.document.get(name)
    }
}

/// Reads a member that is there: null does not mean absent.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads an object as a struct: what is derived would take an array of its members, too.
pub(crate) fn object<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Members<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(de::value::MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Members(PhantomData))
}

/// Reads an object that is there, as [`object`] does.
pub(crate) fn present_object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    object(deserializer).map(Some)
}

/// Takes a valid value through its type.
pub(crate) fn rewritten<T: Serialize + DeserializeOwned>(
    value: Value,
) -> serde_json::Result<Value> {
    crate::json::to_value(&crate::json::from_value::<T>(value)?)
}

/// Reads a value of a union whose tag is first, without looking at it twice.
pub(crate) enum Tagged {
    /// The tag, where it is the first member; the others follow.
    First(String),
    /// All members: the tag is behind others, or nowhere.
    All(Map),
}

pub(crate) fn tagged<'de, A: MapAccess<'de>>(map: &mut A, tag: &str) -> Result<Tagged, A::Error> {
    let mut members = Map::new();
    while let Some(name) = map.next_key::<String>()? {
        if members.is_empty() && name == tag {
            return match map.next_value::<Value>()? {
                Value::String(value) => Ok(Tagged::First(value)),
                _ => Err(de::Error::custom("the tag is not a string")),
            };
        }
        members.insert(name, map.next_value()?);
    }
    Ok(Tagged::All(members))
}

/// Collects the members behind a tag that is not known.
pub(crate) fn collected<'de, A: MapAccess<'de>>(
    mut map: A,
    tag: &str,
    value: String,
) -> Result<Map, A::Error> {
    let mut members = Map::new();
    members.insert(tag.to_owned(), Value::String(value));
    while let Some((name, member)) = map.next_entry::<String, Value>()? {
        members.insert(name, member);
    }
    Ok(members)
}

/// Reads a string without owning it.
pub(crate) struct TextVisitor<F>(pub F);

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for TextVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string of the contract")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).ok_or_else(|| E::custom("not one of the allowed values"))
    }
}

/// A constant: a type with one value, which is written as one string.
macro_rules! tag {
    ($name:ident, $value:literal) => {
        #[doc = concat!("The constant `", $value, "`.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($value)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let take = |text: &str| (text == $value).then_some(Self);
                deserializer.deserialize_str(crate::contract::types::TextVisitor(take))
            }
        }
    };
}

/// A vocabulary that grows: what this version does not know is `Unknown`, with the string.
macro_rules! open_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $value:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
            /// Every other value, `unknown` itself among them.
            Unknown(String),
        }

        impl $name {
            /// Returns the string that is written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unknown(value) => value,
                }
            }

            #[allow(dead_code)]
            pub(crate) fn is_empty(&self) -> bool {
                self.as_str().is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    _ => Self::Unknown(value.to_owned()),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let take = |text: &str| Some(Self::from(text));
                deserializer.deserialize_str(crate::contract::types::TextVisitor(take))
            }
        }
    };
}

/// A vocabulary that does not grow within a version.
macro_rules! closed_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $value:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
        }

        impl $name {
            /// Returns the string that is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $value,)*
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let take = |text: &str| match text {
                    $($value => Some(Self::$variant),)*
                    _ => None,
                };
                deserializer.deserialize_str(crate::contract::types::TextVisitor(take))
            }
        }
    };
}

/// A vocabulary that does not grow within a version, but in the next one: what a newer peer writes
/// is `Unknown`, with the string, and is dealt with as the safe default.
macro_rules! defaulting_enum {
    ($(#[$doc:meta])* $name:ident or $default:ident {
        $($variant:ident = $value:literal),* $(,)?
    }) => {
        crate::contract::types::open_enum! { $(#[$doc])* $name { $($variant = $value),* } }

        impl $name {
            /// Returns the value, or the safe default where tolerant reading has met one that this
            /// version does not know: what to act upon.
            #[must_use]
            pub fn or_safe_default(self) -> Self {
                match self {
                    Self::Unknown(_) => Self::$default,
                    known => known,
                }
            }
        }
    };
}

/// Objects distinguished by a constant; `Unknown` is one that this version does not know.
macro_rules! tagged_union {
    ($(#[$doc:meta])* $name:ident, $tag:literal, {
        $($variant:ident($inner:ident) = $value:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(untagged)]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant($inner),)*
            /// A variant that this version does not know; strict reading never gives it.
            Unknown(crate::contract::types::Unknown),
        }

        $(
            impl From<$inner> for $name {
                fn from(value: $inner) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;

                impl<'de> serde::de::Visitor<'de> for Members {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object with the member ", $tag))
                    }

                    fn visit_map<A>(self, mut map: A) -> Result<$name, A::Error>
                    where
                        A: serde::de::MapAccess<'de>,
                    {
                        use serde::de::value::MapAccessDeserializer;
                        match crate::contract::types::tagged(&mut map, $tag)? {
                            crate::contract::types::Tagged::First(tag) => match tag.as_str() {
                                $($value => $inner::deserialize(MapAccessDeserializer::new(map))
                                    .map($name::$variant),)*
                                _ => crate::contract::types::collected(map, $tag, tag)
                                    .map(|all| $name::Unknown(crate::contract::types::Unknown::new($tag, all))),
                            },
                            crate::contract::types::Tagged::All(all) => $name::of_members(all),
                        }
                    }
                }

                deserializer.deserialize_map(Members)
            }
        }

        impl $name {
            /// The value of the member that distinguishes variants.
            #[must_use]
            pub fn tag(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $value,)*
                    Self::Unknown(unknown) => unknown.tag(),
                }
            }

            fn of_members<E: serde::de::Error>(all: crate::contract::types::Map) -> Result<Self, E> {
                let Some(tag) = all.get($tag).and_then(|tag| tag.as_str()) else {
                    return Err(E::custom(concat!("there is no ", $tag)));
                };
                match tag {
                    $($value => crate::json::from_value(crate::contract::types::Value::Object(all))
                        .map(Self::$variant)
                        .map_err(E::custom),)*
                    _ => Ok(Self::Unknown(crate::contract::types::Unknown::new($tag, all))),
                }
            }
        }
    };
}

/// Values distinguished by their JSON type.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident {
        $($variant:ident($inner:ty) = $first:ident $(| $more:ident)*),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(untagged)]
        pub enum $name {
            $(#[doc = concat!("A JSON ", stringify!($first), ".")] $variant($inner),)*
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = crate::contract::types::Value::deserialize(deserializer)?;
                let kind = crate::json::text::kind_name(&value);
                $(
                    if [stringify!($first) $(, stringify!($more))*].contains(&kind) {
                        return crate::json::from_value(value)
                            .map(Self::$variant)
                            .map_err(serde::de::Error::custom);
                    }
                )*
                Err(serde::de::Error::custom("a value of another JSON type"))
            }
        }
    };
}

pub(crate) use {choice, closed_enum, defaulting_enum, open_enum, tag, tagged_union};
