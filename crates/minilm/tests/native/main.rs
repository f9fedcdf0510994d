//! The models of the packages against recorded pieces and vectors, and damaged model files.

mod common;

mod files;
mod multilingual;
mod texts;
