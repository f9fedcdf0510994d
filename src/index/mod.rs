//! The parts of a resident memory. A node is known by its row; who it is, is the caller's.

mod graph;

pub use graph::{Edge, Graph, Neighbour, Row};
