//! The models of the packages against recorded pieces, vectors and numbers of pairs, and damaged files.

mod common;

mod files;
mod multilingual;
mod pairs;
mod texts;
