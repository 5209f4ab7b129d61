//! Types as values: what serde writes into.

use serde::ser::{self, Impossible, Serialize, Serializer};
use serde_json::Error;

use crate::json::{Map, Value};

/// Returns what serde writes of a type as a value; nothing is checked.
///
/// Fails with the error of `serde_json` for what JSON cannot hold: names of members that are not
/// strings.
pub fn to_value(value: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    value.serialize(Writer)
}

#[derive(Clone, Copy)]
struct Writer;

struct Items(Vec<Value>);

/// An object in the making, inside a variant where that has a name.
struct Members {
    variant: Option<&'static str>,
    made: Map,
    name: String,
}

impl Members {
    fn new(variant: Option<&'static str>) -> Self {
        Self { variant, made: Map::new(), name: String::new() }
    }

    fn finished(self) -> Value {
        tagged(self.variant, Value::Object(self.made))
    }
}

fn tagged(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => [(variant, value)].into_iter().collect(),
        None => value,
    }
}

macro_rules! written {
    ($($name:ident($value:ty);)*) => {
        $(fn $name(self, value: $value) -> Result<Value, Error> {
            Ok(value.into())
        })*
    };
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Impossible<Value, Error>;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    written! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f64(f64);
        serialize_str(&str);
    }

    fn serialize_f32(self, value: f32) -> Result<Value, Error> {
        Ok(f64::from(value).into())
    }

    fn serialize_char(self, value: char) -> Result<Value, Error> {
        Ok(value.to_string().into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Error> {
        Ok(value.to_vec().into())
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Error> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(tagged(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, Error> {
        Ok(Items(Vec::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items, Error> {
        Ok(Items(Vec::new()))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items, Error> {
        Ok(Items(Vec::new()))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(ser::Error::custom(format!("{variant}: a variant of several values has no JSON form")))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members, Error> {
        Ok(Members::new(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members, Error> {
        Ok(Members::new(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members, Error> {
        Ok(Members::new(Some(variant)))
    }
}

macro_rules! items {
    ($($of:ident::$each:ident)*) => {
        $(impl ser::$of for Items {
            type Ok = Value;
            type Error = Error;

            fn $each<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                self.0.push(to_value(value)?);
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                Ok(Value::Array(self.0))
            }
        })*
    };
}

items!(SerializeSeq::serialize_element SerializeTuple::serialize_element);
items!(SerializeTupleStruct::serialize_field);

impl ser::SerializeMap for Members {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, name: &T) -> Result<(), Error> {
        match to_value(name)? {
            Value::String(name) => self.name = name,
            other => return Err(ser::Error::custom(format!("{other}: a name is a string"))),
        }
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.made.insert(std::mem::take(&mut self.name), to_value(value)?);
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.finished())
    }
}

macro_rules! members {
    ($($of:ident)*) => {
        $(impl ser::$of for Members {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.made.insert(name, to_value(value)?);
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.finished())
            }
        })*
    };
}

members!(SerializeStruct SerializeStructVariant);
