//! Numbers of JSON values.

use std::fmt;

/// A JSON number: an integer of 64 bits, else a finite double.
///
/// `1` and `1.0` are two numbers: what was written as an integer stays one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Whole(u64),
    /// Below zero.
    Negative(i64),
    /// Finite.
    Float(f64),
}

// No float is NaN.
impl Eq for Number {}

impl Number {
    /// Returns a double as a number; None where it is infinite or NaN.
    #[must_use]
    pub fn from_f64(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self(Kind::Float(number)))
    }

    /// Returns the number that a JSON text spells; an integer beyond 64 bits is a double.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_whole = !text.contains(['.', 'e', 'E']) && text != "-0";
        if let (true, Ok(number)) = (is_whole, text.parse::<u64>()) {
            return Some(number.into());
        }
        if let (true, Ok(number)) = (is_whole, text.parse::<i64>()) {
            return Some(number.into());
        }
        text.parse().ok().and_then(Self::from_f64)
    }

    /// Returns the integer, where it is one of 64 bits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        if let Kind::Whole(number) = self.0 { Some(number) } else { None }
    }

    /// Returns the integer, where it is one of 64 bits with a sign.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Kind::Whole(number) => i64::try_from(number).ok(),
            Kind::Negative(number) => Some(number),
            Kind::Float(_) => None,
        }
    }

    /// Returns the integer.
    pub(crate) fn as_i128(self) -> Option<i128> {
        self.as_i64().map(i128::from).or_else(|| self.as_u64().map(i128::from))
    }

    /// Returns the nearest double.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // the nearest one is asked for
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Kind::Whole(number) => number as f64,
            Kind::Negative(number) => number as f64,
            Kind::Float(number) => number,
        }
    }

    /// Tells whether the nearest doubles are the same: `1` and `1.0` are.
    #[allow(clippy::float_cmp)] // the very number is meant
    pub(crate) fn is_same_double(self, other: Self) -> bool {
        self.as_f64() == other.as_f64()
    }

    /// Tells whether the number is a double: written with a fraction or an exponent, or too large.
    #[must_use]
    pub fn is_f64(self) -> bool {
        matches!(self.0, Kind::Float(_))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Whole(number) => number.fmt(f),
            Kind::Negative(number) => number.fmt(f),
            Kind::Float(number) => match serde_json::Number::from_f64(number) {
                Some(number) => number.fmt(f),
                None => f.write_str("null"),
            },
        }
    }
}

macro_rules! from_integers {
    ($wide:ident: $($narrow:ident)*) => {
        $(impl From<$narrow> for Number {
            fn from(number: $narrow) -> Self {
                Self::$wide(number.into())
            }
        })*
    };
}

from_integers!(of_whole: u8 u16 u32 u64);
from_integers!(of_signed: i8 i16 i32 i64);

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self::of_whole(number as u64)
    }
}

impl Number {
    fn of_whole(number: u64) -> Self {
        Self(Kind::Whole(number))
    }

    fn of_signed(number: i64) -> Self {
        u64::try_from(number).map_or(Self(Kind::Negative(number)), Self::of_whole)
    }
}

impl serde::Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Kind::Whole(number) => serializer.serialize_u64(number),
            Kind::Negative(number) => serializer.serialize_i64(number),
            Kind::Float(number) => serializer.serialize_f64(number),
        }
    }
}

/// A number that `serde_json` holds: with its feature `arbitrary_precision`, as it was written.
impl TryFrom<&serde_json::Number> for Number {
    type Error = ();

    fn try_from(number: &serde_json::Number) -> Result<Self, ()> {
        if let Some(whole) = number.as_u64() {
            return Ok(whole.into());
        }
        match number.as_i64() {
            // As it was written, minus zero is an integer there.
            Some(0) => Ok(Self(Kind::Float(-0.0))),
            Some(signed) => Ok(signed.into()),
            None => number.as_f64().and_then(Self::from_f64).ok_or(()),
        }
    }
}

impl From<Number> for serde_json::Value {
    fn from(number: Number) -> Self {
        match number.0 {
            Kind::Whole(number) => number.into(),
            Kind::Negative(number) => number.into(),
            Kind::Float(number) => number.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn text_is_read_as_what_it_says() {
        let rows = [
            ("0", "0"),
            ("-1", "-1"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("1.0", "1.0"),
            ("-0", "-0.0"),
            ("1e2", "100.0"),
        ];
        for (text, shown) in rows {
            assert_eq!(Number::parse(text).unwrap().to_string(), shown);
        }
        assert_eq!(Number::parse("1e999"), None);
    }

    #[test]
    fn integers_have_the_range_of_their_type() {
        assert_eq!(Number::from(-1).as_u64(), None);
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
        assert_eq!(Number::from(7i8), Number::from(7usize));
        assert!(!Number::from(1).is_f64());
        assert_eq!(Number::from_f64(f64::NAN), None);
    }
}
