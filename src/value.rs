//! Plain data, as in JSON and YAML, and reading a configuration from it. Errors name the path of
//! the value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::{Error, Result};

/// The path of a value in a configuration. It becomes text only for an error.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The root.
    Root,
    /// An entry of a map.
    Key(&'a Path<'a>, &'a str),
    /// An entry of a list.
    Place(&'a Path<'a>, usize),
}

impl From<Path<'_>> for String {
    fn from(path: Path<'_>) -> Self {
        match path {
            Path::Root => "config".into(),
            Path::Key(Path::Root, key) => key.into(),
            Path::Key(&parent, key) => [&Self::from(parent), ".", key].concat(),
            Path::Place(&parent, place) => format!("{}[{place}]", Self::from(parent)),
        }
    }
}

/// Plain data, as JSON and YAML have it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, which may be infinite or NaN.
    Number(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values by key, in the order of the source; a key may occur twice.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Returns the entries of a map, each with its key and path.
    pub(crate) fn entries<'a>(
        &'a self,
        path: &'a Path<'a>,
    ) -> Result<impl Iterator<Item = (&'a str, Path<'a>, &'a Value)>> {
        let Self::Map(entries) = self else {
            return Err(Error::config(*path, "must be an object"));
        };
        Ok(entries.iter().map(move |(key, value)| (key.as_str(), Path::Key(path, key), value)))
    }

    /// Returns one entry of a map, with its path. If a key is repeated, the last entry counts, as
    /// for keys that are read in turn.
    pub(crate) fn get<'a>(
        &'a self,
        key: &'a str,
        path: &'a Path<'a>,
    ) -> Option<(Path<'a>, &'a Value)> {
        let Self::Map(entries) = self else { return None };
        entries
            .iter()
            .rfind(|(name, _)| name == key)
            .map(|(_, value)| (Path::Key(path, key), value))
    }

    /// Returns the value as a `T`.
    ///
    /// # Errors
    /// `invalid_config` with the path of the value.
    #[inline(never)]
    pub(crate) fn read<T: FromValue>(&self, path: &Path<'_>) -> Result<T> {
        T::from_value(self, path)?.ok_or_else(|| Error::config(*path, T::WANTED))
    }
}

/// A type that can be read from one plain value.
pub(crate) trait FromValue: Sized {
    /// The problem text for a value of another kind.
    const WANTED: &str;
    /// Returns the value, or `None` if it is of another kind. Returns an error if one of its parts
    /// is.
    fn from_value(value: &Value, path: &Path<'_>) -> Result<Option<Self>>;
}

/// Reads a type from one kind of plain value: `leaf!(Type, "must be …", pattern => option)`.
macro_rules! leaf {
    ($type:ty, $wanted:literal, $pattern:pat => $result:expr) => {
        impl $crate::value::FromValue for $type {
            const WANTED: &str = $wanted;
            fn from_value(
                value: &$crate::value::Value,
                _: &$crate::value::Path<'_>,
            ) -> $crate::error::Result<Option<Self>> {
                #[allow(clippy::redundant_guards)]
                Ok(match value {
                    $pattern => $result,
                    _ => None,
                })
            }
        }
    };
}

pub(crate) use leaf;

leaf!(f64, "must be a number", Value::Number(number) => Some(*number));
leaf!(bool, "must be true or false", Value::Bool(flag) => Some(*flag));
leaf!(String, "must be text", Value::Text(text) => Some(text.clone()));

impl<T: FromValue> FromValue for Vec<T> {
    const WANTED: &str = "must be a list";
    fn from_value(value: &Value, path: &Path<'_>) -> Result<Option<Self>> {
        let Value::List(entries) = value else { return Ok(None) };
        let entries = entries.iter().enumerate();
        entries
            .map(|(place, entry)| entry.read(&Path::Place(path, place)))
            .collect::<Result<_>>()
            .map(Some)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> std::result::Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Value::List(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, _>()? {
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(serde::de::Error::custom(format_args!(
                    "the key `{key}` is given twice"
                )));
            }
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }
}

pub(crate) fn unknown_key(path: Path<'_>) -> Error {
    Error::config(path, "is not a known key")
}

/// The allowed range of a number in a configuration.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Above 0.
    Positive,
    /// Above 0 and at most this.
    PositiveUpTo(u32),
    /// From 0 to 1.
    Unit,
    /// At least 1.
    AtLeastOne,
    /// At least 0.
    Amount,
    /// A whole number from the first to the second.
    Count(u32, u32),
}

impl Rule {
    fn allows(self, number: f64) -> bool {
        let is_in_range = match self {
            Self::Positive => number > 0.0,
            Self::PositiveUpTo(max) => number > 0.0 && number <= f64::from(max),
            Self::Unit => (0.0..=1.0).contains(&number),
            Self::AtLeastOne => number >= 1.0,
            Self::Amount => number >= 0.0,
            Self::Count(min, max) => {
                (f64::from(min)..=f64::from(max)).contains(&number) && number.floor() == number
            }
        };
        is_in_range && number.is_finite()
    }

    fn wanted(self) -> String {
        match self {
            Self::Positive => "must be a positive number".into(),
            Self::PositiveUpTo(max) => format!("must be a positive number of at most {max}"),
            Self::Unit => "must lie between 0 and 1".into(),
            Self::AtLeastOne => "must be a number of at least 1".into(),
            Self::Amount => "must be a finite number of at least 0".into(),
            Self::Count(min, max) => format!("must be a whole number from {min} to {max}"),
        }
    }
}

/// Reads a number of a configuration and checks its range. Out of line, because it has many
/// callers.
#[inline(never)]
pub(crate) fn number(value: &Value, path: &Path<'_>, rule: Rule) -> Result<f64> {
    let number: f64 = value.read(path)?;
    if rule.allows(number) {
        Ok(number)
    } else {
        Err(Error::config(*path, rule.wanted()).found(number))
    }
}
