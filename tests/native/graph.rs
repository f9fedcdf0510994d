//! The graph against a plain list of edges, through thousands of additions and removals.

use nous_wasm::columns::{Edge, Graph, Row};

/// Small pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const ROWS: u64 = 40;

/// Returns the neighbours of a row from a list of all edges: in order of sequence, a self-loop
/// once.
fn naive(edges: &[(u32, Edge)], row: Row) -> Vec<(Row, u32)> {
    let mut own: Vec<&(u32, Edge)> =
        edges.iter().filter(|(_, it)| it.source == row || it.target == row).collect();
    own.sort_by_key(|(_, edge)| edge.sequence);
    own.iter()
        .map(|(slot, edge)| (if edge.source == row { edge.target } else { edge.source }, *slot))
        .collect()
}

#[test]
fn neighbours_and_counts_equal_a_plain_list_through_changes() {
    for seed in 0..4 {
        let mut dice = Dice(seed);
        let mut graph = Graph::default();
        let mut edges: Vec<(u32, Edge)> = Vec::new();
        for step in 0..3_000 {
            if dice.below(4) > 0 || edges.is_empty() {
                let (source, target) = (dice.below(ROWS) as Row, dice.below(ROWS) as Row);
                // Every other memory adds its edges out of order.
                let sequence = if seed % 2 == 0 { step } else { step ^ 7 };
                let edge = Edge { source, target, edge_type: 0, strength: 0.5, sequence };
                edges.push((graph.add(edge), edge));
            } else if dice.below(50) == 0 {
                let row = dice.below(ROWS) as Row;
                let mut removed = graph.remove_node(row);
                let mut expected: Vec<u32> =
                    naive(&edges, row).iter().map(|&(_, slot)| slot).collect();
                removed.sort_unstable();
                expected.sort_unstable();
                assert_eq!(removed, expected, "edges of row {row} at step {step}");
                edges.retain(|(_, edge)| edge.source != row && edge.target != row);
            } else {
                let (slot, _) = edges.swap_remove(dice.below(edges.len() as u64) as usize);
                graph.remove(slot);
                assert_eq!(graph.edge(slot), None);
            }
            if step % 17 == 0 {
                assert_eq!(graph.len(), edges.len());
                for row in 0..ROWS as Row {
                    let neighbours: Vec<(Row, u32)> =
                        graph.neighbours(row).map(|it| (it.row, it.edge)).collect();
                    assert_eq!(
                        neighbours,
                        naive(&edges, row),
                        "neighbours of row {row} at step {step}"
                    );
                    let inbound = edges.iter().filter(|(_, edge)| edge.target == row).count();
                    assert_eq!(
                        graph.inbound(row) as usize,
                        inbound,
                        "inbound edges of row {row} at step {step}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_row_without_edges_has_no_neighbours_and_strengths_can_grow() {
    let mut graph = Graph::default();
    assert!(graph.is_empty());
    assert_eq!(graph.neighbours(9).count(), 0);
    let slot = graph.add(Edge { source: 1, target: 2, edge_type: 3, strength: 0.5, sequence: 0 });
    graph.set_strength(slot, 0.55);
    assert_eq!(graph.edge(slot).map(|edge| edge.strength), Some(0.55));
    assert_eq!(graph.neighbours(9).count(), 0);
}
