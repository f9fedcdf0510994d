//! The one error of the crate: what was wrong, where, and what would be right.

use std::fmt;

/// A refused input: which field, of which row, what stood there and what should.
///
/// ```
/// use nous_wasm::Config;
/// let error = Config::from_json(r#"{ "sections": { "intent_boost": 0 } }"#).unwrap_err();
/// assert_eq!(error.code(), "invalid_config");
/// assert_eq!(error.field(), "sections.intent_boost");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug, PartialEq)]
struct Report {
    kind: Kind,
    field: String,
    index: Option<usize>,
    problem: String,
    found: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Argument,
    Config,
    Memory,
    Snapshot,
}

/// The result of everything that can refuse its input.
pub type Result<T> = std::result::Result<T, Error>;

// Out of line: errors are made in many places, and seldom.
impl Error {
    #[inline(never)]
    pub(crate) fn argument(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(Kind::Argument, field.into(), problem.into())
    }

    #[inline(never)]
    pub(crate) fn config(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(Kind::Config, field.into(), problem.into())
    }

    /// What a call could need goes beyond what it may take.
    #[inline(never)]
    pub(crate) fn memory(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(Kind::Memory, field.into(), problem.into())
    }

    #[inline(never)]
    pub(crate) fn snapshot(problem: impl Into<String>) -> Self {
        Self::new(Kind::Snapshot, "snapshot".into(), problem.into())
    }

    #[cold]
    #[inline(never)]
    fn new(kind: Kind, field: String, problem: String) -> Self {
        Self(Box::new(Report { kind, field, index: None, problem, found: None }))
    }

    /// The same error, with the number that stood there.
    #[inline(never)]
    pub(crate) fn found(mut self, number: f64) -> Self {
        self.0.found = Some(number);
        self
    }

    /// The same error, said of one row of a batch.
    pub(crate) fn at(mut self, index: usize) -> Self {
        self.0.index = Some(index);
        self
    }

    /// A stable name for programs: `invalid_argument`, `invalid_config`, `out_of_memory` or
    /// `invalid_snapshot`.
    pub fn code(&self) -> &'static str {
        match self.0.kind {
            Kind::Argument => "invalid_argument",
            Kind::Config => "invalid_config",
            Kind::Memory => "out_of_memory",
            Kind::Snapshot => "invalid_snapshot",
        }
    }

    /// The field at fault; for a configuration its whole path, joined by dots.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// The row of the batch, counted from 0, where one row is at fault.
    pub fn index(&self) -> Option<usize> {
        self.0.index
    }

    /// What would be right, or what was wrong, without the place.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// The number that stood there, where it was one.
    pub fn number_found(&self) -> Option<f64> {
        self.0.found
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index() {
            write!(f, "row {index}: ")?;
        }
        write!(f, "{} {}", self.field(), self.problem())?;
        self.number_found().map_or(Ok(()), |number| write!(f, ", found {number}"))
    }
}

impl std::error::Error for Error {}
