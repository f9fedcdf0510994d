//! TEMPORARY.
#![allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct TimeExpression {
    pub start: f64,
    pub end: f64,
}
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AskedFor {
    pub time: bool,
    pub number: bool,
    pub place: bool,
    pub person: bool,
}
pub fn find(_: &str, _: f64) -> Vec<TimeExpression> {
    Vec::new()
}
pub fn holds_time(_: &str) -> bool {
    false
}
pub fn holds_number(t: &str) -> bool {
    t.bytes().any(|b| b.is_ascii_digit())
}
pub fn holds_name(_: &str) -> bool {
    false
}
pub fn asked_for(q: &str) -> AskedFor {
    let q = q.to_lowercase();
    AskedFor {
        time: q.contains("when"),
        number: q.contains("how many"),
        place: q.contains("where"),
        person: false,
    }
}
