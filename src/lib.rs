//! Sectioned memory for AI agents.
