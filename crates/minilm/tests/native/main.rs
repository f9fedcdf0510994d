//! The model of the package against recorded pieces and vectors, and damaged model files.

mod common;

mod files;
mod texts;
