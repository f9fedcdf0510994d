//! Traits of a text that a question can ask for.

use crate::times::{holds_name, holds_number, holds_time};

/// The traits of a text, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

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
        Self(
            flag(either(holds_time), Self::TIME)
                | flag(either(holds_number), Self::NUMBER)
                | flag(either(holds_name), Self::NAME)
                | flag(either(|text| text.trim_end().ends_with(['?', '？'])), Self::QUESTION),
        )
    }

    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}
