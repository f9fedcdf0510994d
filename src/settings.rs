//! Plain data, as in JSON and YAML, and reading settings from it with serde.
//!
//! Idea: settings derive `Deserialize` and read themselves from a [`Value`], whose deserializer is
//! stricter than a format's. It takes no list for a struct and no null for a missing setting, and
//! its errors keep the number found and the known keys. `serde_path_to_error` adds the path. Ranges
//! of numbers are types.
//!
//! Soundness: a value is copied into a [`Value`] first. `serde-wasm-bindgen` reads the fields of a
//! struct by their names, so that it would miss unknown keys, and takes an array for a struct.
//!
//! Cost: one instance of each reader, for one deserializer. Read from JavaScript's values directly,
//! the same types make the module larger by 120 KB. Of what is left, 22 KB are those of
//! `serde_path_to_error`, which wraps the reader of every field.

use std::fmt;
use std::marker::PhantomData;
use std::slice;

use rustc_hash::FxHashSet;
use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer,
    MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::error::{Error, Result};

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
    /// Values by key, in the order of the source.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Returns the value as a `T`.
    ///
    /// # Errors
    /// `invalid_config` with the path of the wrong value.
    pub(crate) fn read<'de, T: Deserialize<'de>>(&'de self) -> Result<T> {
        serde_path_to_error::deserialize(Reader(self)).map_err(|error| {
            let path = error.path().to_string();
            error.into_inner().at(&path)
        })
    }
}

/// A problem of a value, without its path.
#[derive(Debug)]
struct Problem {
    /// The path of a part of the value, if that is the wrong one.
    part: String,
    problem: String,
    found: Option<f64>,
    /// The known keys, for an unknown one.
    known: &'static [&'static str],
}

impl Problem {
    /// A problem that may begin with the path of a part of the value, as in "`[2]` must be …".
    #[inline(never)]
    fn new(text: String) -> Self {
        let (part, problem) = match text.strip_prefix('`').and_then(|text| text.split_once("` ")) {
            Some((part, problem)) => (part.into(), problem.into()),
            None => (String::new(), text),
        };
        Self { part, problem, found: None, known: &[] }
    }

    /// Returns the error for a problem at a path of serde.
    #[inline(never)]
    fn at(self, path: &str) -> Error {
        let Self { part, problem, found, known } = self;
        let field = match (path, &*part) {
            (".", "") => "config".into(),
            (".", _) => part,
            (_, "") => path.into(),
            (path, part) if part.starts_with('[') => [path, part].concat(),
            (path, part) => [path, ".", part].concat(),
        };
        let error = Error::config(field, problem).among(known);
        found.map_or(error.clone(), |number| error.found(number))
    }

    #[inline(never)]
    fn must_be(names: &[&str]) -> Self {
        let text = match names {
            [names @ .., last] if !names.is_empty() => [&names.join(", "), " or ", last].concat(),
            names => names.concat(),
        };
        Self::new(["must be ", &text].concat())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::new(text.to_string())
    }

    fn invalid_value(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        let problem = Self::new(wanted.to_string());
        match found {
            de::Unexpected::Float(number) => Self { found: Some(number), ..problem },
            _ => problem,
        }
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::must_be(known)
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self { known, ..Self::new("is not a known key".into()) }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { part: field.into(), ..Self::new("is missing".into()) }
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self { part: field.into(), ..Self::new("is given twice".into()) }
    }
}

/// Returns the error for a number of a setting that breaks a rule.
pub(crate) fn wrong_number<E: de::Error>(number: f64, rule: &str) -> E {
    E::invalid_value(de::Unexpected::Float(number), &rule)
}

/// A value that settings read themselves from.
struct Reader<'a>(&'a Value);

impl<'de> IntoDeserializer<'de, Problem> for Reader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => visitor.visit_f64(*number),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(list) => visitor.visit_seq(SeqDeserializer::new(list.iter().map(Reader))),
            Value::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::Bool(flag) = self.0 else { return Err(Problem::must_be(&["true", "false"])) };
        visitor.visit_bool(*flag)
    }

    fn deserialize_f64<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::Number(number) = self.0 else { return Err(Problem::must_be(&["a number"])) };
        visitor.visit_f64(*number)
    }

    fn deserialize_string<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::Text(text) = self.0 else { return Err(Problem::must_be(&["text"])) };
        visitor.visit_borrowed_str(text)
    }

    /// Null is none of the values of a setting, unless it reads itself.
    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::List(list) = self.0 else { return Err(Problem::must_be(&["a list"])) };
        visitor.visit_seq(SeqDeserializer::new(list.iter().map(Reader)))
    }

    fn deserialize_map<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::Map(entries) = self.0 else { return Err(Problem::must_be(&["an object"])) };
        visitor.visit_map(EntryReader { entries: entries.iter(), value: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Problem> {
        let Value::Text(name) = self.0 else { return Err(Problem::must_be(names)) };
        visitor.visit_enum(StrDeserializer::new(name))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct identifier ignored_any
    }
}

struct EntryReader<'a> {
    entries: slice::Iter<'a, (String, Value)>,
    /// The value of the last key.
    value: Option<&'a Value>,
}

impl<'de> MapAccess<'de> for EntryReader<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> std::result::Result<Option<K::Value>, Problem> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(StrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> std::result::Result<V::Value, Problem> {
        seed.deserialize(Reader(self.value.take().unwrap_or(&Value::Null)))
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

    fn visit_string<E>(self, text: String) -> std::result::Result<Value, E> {
        Ok(Value::Text(text))
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
            entries.push((key, value));
        }
        let mut known = FxHashSet::default();
        match entries.iter().find(|(key, _)| !known.insert(key)) {
            Some((key, _)) => {
                Err(de::Error::custom(format_args!("the key `{key}` is given twice")))
            }
            None => Ok(Value::Map(entries)),
        }
    }
}

/// The allowed range of a number.
#[derive(Clone, Copy)]
enum Rule {
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
    /// From minus this to this.
    Within(u32),
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
            Self::Within(max) => number.abs() <= f64::from(max),
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
            Self::Within(max) => format!("must lie between -{max} and {max}"),
        }
    }

    /// Reads a number. Out of line, because it has many callers.
    #[inline(never)]
    fn read<'de, D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<f64, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if self.allows(number) { Ok(number) } else { Err(wrong_number(number, &self.wanted())) }
    }
}

/// Types of numbers in a range. Fields of one type share the code that reads them, which a function
/// for each field would not.
macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident$(<$min:ident, $max:ident>)?($number:ty): $rule:expr;)*) => {$(
        $(#[$about])*
        pub(crate) struct $name$(<const $min: u32, const $max: u32>)?(pub $number);

        impl<'de $(, const $min: u32, const $max: u32)?> Deserialize<'de>
            for $name$(<$min, $max>)?
        {
            fn deserialize<D: Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                $rule.read(deserializer).map(|number| Self(number as $number))
            }
        }

        impl$(<const $min: u32, const $max: u32>)? From<$name$(<$min, $max>)?> for $number {
            fn from(number: $name$(<$min, $max>)?) -> Self {
                number.0
            }
        }
    )*};
}
numbers! {
    /// Above 0.
    Positive(f64): Rule::Positive;
    /// From 0 to 1.
    Unit(f64): Rule::Unit;
    /// At least 1.
    Factor(f64): Rule::AtLeastOne;
    /// At least 0.
    Amount(f64): Rule::Amount;
    /// A weight of evidence, from −1,000 to 1,000.
    Weight(f64): Rule::Within(1_000);
    /// Seconds of a timer of the host, whose milliseconds have 31 bits.
    Seconds(f64): Rule::PositiveUpTo(2_147_483);
    /// A whole number in a range.
    Count<MIN, MAX>(u32): Rule::Count(MIN, MAX);
}

impl<const MIN: u32, const MAX: u32> From<Count<MIN, MAX>> for usize {
    fn from(count: Count<MIN, MAX>) -> Self {
        count.0 as Self
    }
}

/// A number of at least 0, or null.
pub(crate) struct AmountOrNull(Option<f64>);

impl<'de> Deserialize<'de> for AmountOrNull {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self(None)),
            Value::Number(number) if Rule::Amount.allows(number) => Ok(Self(Some(number))),
            Value::Number(number) => Err(wrong_number(number, &Rule::Amount.wanted())),
            _ => Err(de::Error::custom("must be a number")),
        }
    }
}

impl From<AmountOrNull> for Option<f64> {
    fn from(amount: AmountOrNull) -> Self {
        amount.0
    }
}

/// A variant as the key of an object. `serde_path_to_error` keeps no key that is read as an enum.
pub(crate) struct Key<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        T::deserialize(StrDeserializer::new(&name)).map(Self)
    }
}

/// The entries of an object, in order.
pub(crate) struct Entries<K, V>(pub Vec<(K, V)>);

impl<K, V> Default for Entries<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct AnyEntries<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for AnyEntries<K, V> {
            type Value = Entries<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(AnyEntries(PhantomData))
    }
}

/// Makes a struct of changes to another. Each field names the type that reads it, and may be
/// missing. `apply` does not know the fields after `besides`.
macro_rules! changes {
    (
        $name:ident to $target:ty { $($field:ident: $read:ty,)* }
        $(besides { $($other:ident: $other_read:ty,)* })?
    ) => {
        #[derive(Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct $name {
            $($field: Option<$read>,)*
            $($($other: Option<$other_read>,)*)?
        }

        impl $name {
            fn apply(self, target: &mut $target) {
                $(if let Some(value) = self.$field { target.$field = value.into(); })*
            }
        }
    };
}

/// Lets settings be read as changes to their defaults.
macro_rules! read_over_default {
    ($target:ty, $changes:ty) => {
        impl<'de> serde::Deserialize<'de> for $target {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                let mut settings = Self::default();
                <$changes>::deserialize(deserializer)?.apply(&mut settings);
                Ok(settings)
            }
        }
    };
}

pub(crate) use {changes, read_over_default};
