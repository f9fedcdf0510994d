use std::fmt;

/// What is wrong with a model file or with the word pieces of a text, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

/// A result, or what is wrong.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
