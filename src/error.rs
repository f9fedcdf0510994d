//! [`Error`], the error type of the whole crate.

use std::fmt;

/// A refused input: its field, its row in a batch, the number found, and the rule that it breaks.
///
/// ```
/// use nous_wasm::{Config, ErrorKind};
/// let error = Config::from_json(r#"{ "sections": { "intent_boost": 0 } }"#).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Config);
/// assert_eq!(error.code(), "invalid_config");
/// assert_eq!(error.field(), "sections.intent_boost");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug, PartialEq)]
struct Report {
    kind: ErrorKind,
    field: String,
    index: Option<usize>,
    problem: String,
    found: Option<f64>,
    known: &'static [&'static str],
}

/// The kind of an [`Error`], for programs that treat kinds differently.
///
/// ```
/// use nous_wasm::{Config, ErrorKind};
///
/// fn advice(kind: ErrorKind) -> &'static str {
///     match kind {
///         ErrorKind::Memory => "pass a smaller batch, or raise max_bytes",
///         ErrorKind::Snapshot => "delete the file and build the index again",
///         _ => "correct the input",
///     }
/// }
///
/// let error = Config::from_json(r#"{ "curve": "steep" }"#).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Config);
/// assert_eq!(advice(error.kind()), "correct the input");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument of a call is out of range. Its code is `invalid_argument`.
    Argument,
    /// A configuration is not valid. Its code is `invalid_config`.
    Config,
    /// A call needs more memory than it may take. Its code is `out_of_memory`.
    Memory,
    /// A snapshot is damaged, incomplete or of another kind. Its code is `invalid_snapshot`.
    Snapshot,
}

impl ErrorKind {
    /// Returns the code of the kind: `invalid_argument`, `invalid_config`, `out_of_memory` or
    /// `invalid_snapshot`. Codes do not change between versions.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Argument => "invalid_argument",
            Self::Config => "invalid_config",
            Self::Memory => "out_of_memory",
            Self::Snapshot => "invalid_snapshot",
        }
    }
}

/// The result of a call that can refuse its input.
pub type Result<T> = std::result::Result<T, Error>;

// Out of line: errors are made in many places, but rarely at run time.
impl Error {
    #[inline(never)]
    pub(crate) fn argument(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, field.into(), problem.into())
    }

    #[inline(never)]
    pub(crate) fn config(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, field.into(), problem.into())
    }

    /// A call could need more memory than it may take.
    #[inline(never)]
    pub(crate) fn memory(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Memory, field.into(), problem.into())
    }

    #[inline(never)]
    pub(crate) fn snapshot(problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Snapshot, "snapshot".into(), problem.into())
    }

    #[cold]
    #[inline(never)]
    fn new(kind: ErrorKind, field: String, problem: String) -> Self {
        Self(Box::new(Report { kind, field, index: None, problem, found: None, known: &[] }))
    }

    /// Returns the error with the number that was found.
    #[inline(never)]
    pub(crate) fn found(mut self, number: f64) -> Self {
        self.0.found = Some(number);
        self
    }

    /// Returns the error with the keys that are known in its place.
    pub(crate) fn among(mut self, known: &'static [&'static str]) -> Self {
        self.0.known = known;
        self
    }

    /// Returns the error with the index of the row of a batch that it is about.
    pub(crate) fn at(mut self, index: usize) -> Self {
        self.0.index = Some(index);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the code of the kind, such as `invalid_argument`: see [`ErrorKind::code`].
    pub fn code(&self) -> &'static str {
        self.kind().code()
    }

    /// Returns the name of the invalid field. In a configuration it is the path, joined by dots.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// Returns the index of the invalid row in its batch, from 0, or `None` if no row is at fault.
    pub fn index(&self) -> Option<usize> {
        self.0.index
    }

    /// Returns the rule that the input breaks, or the problem, without field and row.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// Returns the number found, or `None` if the input is not a number.
    pub fn number_found(&self) -> Option<f64> {
        self.0.found
    }

    /// Returns the known keys, if the field is an unknown key of a configuration.
    pub fn known_keys(&self) -> &'static [&'static str] {
        self.0.known
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
