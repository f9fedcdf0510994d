//! Whose rules are followed.

/// Whose rules are followed. The seed is the system that these rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    /// The seed's with its defects mended.
    Default,
    /// The seed's as they were shipped.
    SeedCompatible,
}
