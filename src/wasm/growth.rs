//! Growth of the instance's memory in few steps.
//!
//! # Idea
//!
//! The allocator grows the memory by as much as an allocation lacks, often 64 KiB. The host counts
//! the whole memory as new each time, and collects garbage after so many bytes. An index that
//! fills up would spend half of its time there. So before a call that keeps much, the memory grows
//! at once: by what the call may need, and if the memory has grown since the last call, by a
//! sixteenth of all. A small memory is left alone: there it would be a large share for no gain.
//!
//! # Invariants
//!
//! - Growing ahead allocates nothing that stays: all of it is free for the allocations that follow.
//! - It grows the memory to a quarter of the bound of the index at most. The rest is for calls that
//!   need much in one piece, which free memory in pieces would not serve.
//!
//! # Cost
//!
//! At most a sixteenth of the memory is free for this reason. It takes no pages of the machine
//! before it is used.

use core::arch::wasm32::memory_size;
use std::hint::black_box;

/// The bytes of a page of memory.
const PAGE: usize = 1 << 16;
/// The share of the memory by which it grows ahead, and the size from which it does.
const AHEAD: usize = 16;
const LEAST: usize = 32 << 20;

/// Grows the memory ahead of calls.
pub(super) struct Growth {
    /// The bytes to which the memory grows ahead at most.
    max: usize,
    /// The pages after the last call.
    pages: usize,
}

impl Growth {
    /// `bound` is the most bytes that the memory may take.
    pub fn new(bound: usize) -> Self {
        Self { max: bound / 4, pages: 0 }
    }

    /// Makes room for a call that may keep this many bytes.
    pub fn before(&mut self, need: usize) {
        let taken = memory_size::<0>() * PAGE;
        if taken >= LEAST {
            grow_at_once(need.min(self.max.saturating_sub(taken)));
            let pages = memory_size::<0>();
            if pages != self.pages {
                let taken = pages * PAGE;
                grow_at_once((taken / AHEAD).min(self.max.saturating_sub(taken)));
            }
        }
        self.pages = memory_size::<0>();
    }
}

/// Grows the memory by the bytes that are not free, all of which stay free.
pub(super) fn grow_at_once(bytes: usize) {
    let mut room: Vec<u8> = Vec::new();
    // A failure surfaces when the bytes are needed.
    let _ = room.try_reserve_exact(bytes);
    // The compiler would drop an unused allocation.
    black_box(&room);
}
