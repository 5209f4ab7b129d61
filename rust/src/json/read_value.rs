//! Values as what serde reads from and into: text becomes a value, and a value a type.

use std::fmt;
use std::sync::OnceLock;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeOwned, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::Error;

use crate::json::text::kind_name;
use crate::json::{Map, Number, Value};

/// Returns a value as a type that serde can read; nothing is checked but what the type says.
///
/// Fails with the error of `serde_json`, without a place.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(value)
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(number),
            other => {
                Err(de::Error::custom(format!("a number was expected, not {}", kind_name(&other))))
            }
        }
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, is: bool) -> Result<Value, E> {
        Ok(Value::Bool(is))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut made = Vec::new();
        while let Some(item) = items.next_element()? {
            made.push(item);
        }
        Ok(Value::Array(made))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        let made = Members.visit_map(members)?;
        match number_as_written(&made) {
            Some(text) => Number::parse(text)
                .map(Value::Number)
                .ok_or_else(|| de::Error::custom("a number beyond a double")),
            None => Ok(Value::Object(made)),
        }
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Map;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Map, A::Error> {
        let mut made = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            made.insert(name, members.next_value::<Value>()?);
        }
        Ok(made)
    }
}

/// The member in which `serde_json` hands over a number as it was written, if somebody has switched
/// on its feature `arbitrary_precision`.
const AS_WRITTEN: &str = "$serde_json::private::Number";

/// Returns the text of the number that such an object means.
///
/// While the feature is on, an object of a document with that one member cannot be distinguished
/// from a number: no value of `serde_json` can then, either.
fn number_as_written(members: &Map) -> Option<&str> {
    let text = members.get(AS_WRITTEN).filter(|_| members.len() == 1)?.as_str()?;
    keeps_text_of_numbers().then_some(text)
}

/// Tells whether `serde_json` is built so: Cargo lets no crate know the features of another.
fn keeps_text_of_numbers() -> bool {
    static IS: OnceLock<bool> = OnceLock::new();
    *IS.get_or_init(|| serde_json::from_str("0.5").is_ok_and(|Written(is)| is))
}

/// Whether a number comes as an object.
struct Written(bool);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E>(self, _: f64) -> Result<Written, E> {
                Ok(Written(false))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Written, A::Error> {
                while members.next_entry::<String, String>()?.is_some() {}
                Ok(Written(true))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl IntoDeserializer<'_, Error> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(is) => visitor.visit_bool(is),
            Self::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (_, Some(negative)) => visitor.visit_i64(negative),
                _ => visitor.visit_f64(number.as_f64()),
            },
            Self::String(text) => visitor.visit_string(text),
            Self::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter());
                let made = visitor.visit_seq(&mut items)?;
                items.end().map(|()| made)
            }
            Self::Object(members) => {
                let mut members = MapDeserializer::new(members.into_iter());
                let made = visitor.visit_map(&mut members)?;
                members.end().map(|()| made)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::String(variant) => visitor.visit_enum(variant.into_deserializer()),
            Self::Object(members) => {
                let members = MapDeserializer::new(members.into_iter());
                visitor.visit_enum(MapAccessDeserializer::new(members))
            }
            _ => Err(de::Error::custom("neither a string nor an object, for an enum")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}
