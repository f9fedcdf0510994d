//! Accesses and recalls.

use super::MemoryIndex;
use crate::check::check_instant;
use crate::columns::{Row, StoredState};
use crate::decay::{self, Curve, Lifecycle};
use crate::error::Result;

impl MemoryIndex {
    /// Counts an access of each row at `now`; a row listed twice counts twice. The last access
    /// never moves back. Returns the number of accesses counted: rows without a node are skipped.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` out of range.
    pub fn touch(&mut self, rows: &[Row], now: f64) -> Result<usize> {
        check_instant("now", now)?;
        self.changes += 1;
        let count = rows.iter().filter(|&&row| self.nodes.has(row)).count();
        for &row in rows {
            self.count_access(row, now);
        }
        Ok(count)
    }

    /// Counts accesses as [`MemoryIndex::touch`] does, and recalls the nodes. Stability grows by
    /// the rate of the section, and by salience if the index keeps it; that of a playbook stays.
    /// The stored retrievability and state become those of the moment before the read. The states
    /// DORMANT and DELETED stay.
    ///
    /// # Errors
    /// As [`MemoryIndex::touch`].
    pub fn recall(&mut self, rows: &[Row], now: f64) -> Result<usize> {
        check_instant("now", now)?;
        self.changes += 1;
        let count = rows.iter().filter(|&&row| self.nodes.has(row)).count();
        for &row in rows {
            if self.nodes.has(row) {
                self.read(row, now);
                self.count_access(row, now);
            }
        }
        Ok(count)
    }

    fn count_access(&mut self, row: Row, now: f64) {
        if !self.nodes.has(row) {
            return;
        }
        let place = row as usize;
        self.nodes.access_count.set(place, self.nodes.access_count.get(place).saturating_add(1));
        if now > self.nodes.last_accessed().get(place) {
            self.nodes.set_last_accessed(row, now);
            self.refile(row);
        }
    }

    pub(super) fn read(&mut self, row: Row, now: f64) {
        let place = row as usize;
        let (retrievability, state) = self.faded(row, now);
        let stability = self.nodes.stability.get(place);
        let difficulty = self.nodes.difficulty.get(place);
        let salience = self.nodes.salience(row);
        let profile = &self.table.profile(self.section(row)).decay;
        if self.subtype_facts[usize::from(self.nodes.subtype.get(place))].grows {
            let grown = match self.curve {
                Curve::Exponential => {
                    decay::stability_on_access_for_section(stability, difficulty, salience, profile)
                }
                Curve::Fsrs6 => {
                    let max = profile.max_stability_days;
                    decay::fsrs_stability_on_access(
                        stability,
                        difficulty,
                        salience,
                        retrievability,
                        max,
                    )
                }
            };
            // A stability that overflows stays as it is.
            if grown.is_finite() {
                self.nodes.stability.set(place, grown);
            }
        }
        self.nodes.retrievability.set(place, retrievability);
        let stays = matches!(
            self.nodes.state(row),
            StoredState::Living(Lifecycle::Dormant) | StoredState::Deleted
        );
        if !stays {
            self.nodes.set_state(row, StoredState::Living(state));
        }
        self.refile(row);
    }
}
