//! Traits of a text, which a question can ask for, or by which use tells answers from other texts.

use crate::text::ends_as_question;
use crate::times::{count_capitals, holds_name, holds_number, holds_time};

/// The traits of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flags {
    /// A bit each.
    bits: u8,
    /// The share of words that begin with a capital letter.
    pub capitals: f32,
}

impl Flags {
    /// The text holds an expression of time.
    pub const TIME: u8 = 1;
    /// The text holds a number.
    pub const NUMBER: u8 = 2;
    /// The text holds a name.
    pub const NAME: u8 = 4;
    /// The text ends as a question.
    pub const QUESTION: u8 = 8;

    pub fn of(title: &str, body: &str) -> Self {
        let either = |holds: fn(&str) -> bool| holds(title) || holds(body);
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        let (of_title, of_body) = (count_capitals(title), count_capitals(body));
        let (capitals, words) = (of_title.0 + of_body.0, of_title.1 + of_body.1);
        Self {
            bits: flag(either(holds_time), Self::TIME)
                | flag(either(holds_number), Self::NUMBER)
                | flag(either(holds_name), Self::NAME)
                | flag(either(ends_as_question), Self::QUESTION),
            capitals: if words == 0 { 0.0 } else { (capitals as f64 / words as f64) as f32 },
        }
    }

    /// Returns the traits with these bits and this share of capitals.
    pub fn restore(bits: u8, capitals: f32) -> Self {
        Self { bits, capitals }
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    pub fn has(self, bit: u8) -> bool {
        self.bits & bit != 0
    }
}
