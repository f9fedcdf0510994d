//! Won trades counted: intervals, exact tests, and how many of several findings may be false.

use crate::order::sort_descending;

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Counts that are as likely as the one observed but for rounding belong to the tail.
const AS_LIKELY: f64 = 1.0 + 1e-7;

/// How many of some trades were won, and how many of those that they are compared with. There is
/// one of either at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Trades with the condition.
    pub n: u32,
    /// Those of them that made money; at most `n`.
    pub wins: u32,
    /// The group's other trades.
    pub rest_n: u32,
    /// Those of them that made money; at most `rest_n`.
    pub rest_wins: u32,
}

impl Counts {
    /// Wilson's score interval of the rate, at 95 %.
    pub fn wilson_interval(&self) -> (f64, f64) {
        let (wins, n) = (f64::from(self.wins), f64::from(self.n));
        let middle = (wins + (Z * Z) / 2.0) / (n + Z * Z);
        let half = (Z * ((wins * (n - wins)) / n + (Z * Z) / 4.0).sqrt()) / (n + Z * Z);
        (f64::max(0.0, middle - half), f64::min(1.0, middle + half))
    }

    /// The chance of a rate as unlikely as this one, two-sided by small p values: the larger of
    /// those of [`binomial_test`](Self::binomial_test) and [`fisher_test`](Self::fisher_test).
    ///
    /// The binomial test takes the rate of the others for the true one. Where they are no more than
    /// some times as many, it finds patterns that are none; Fisher's knows that both rates are
    /// observed.
    pub fn p_value(&self) -> f64 {
        f64::max(self.binomial_test(), self.fisher_test())
    }

    /// The exact binomial test against the rate of the rest, as if that were the true one.
    pub fn binomial_test(&self) -> f64 {
        let [n, wins, rest_n, rest_wins] = self.numbers();
        let rest_losses = rest_n - rest_wins;
        let mode = f64::min(n, (((n + 1.0) * rest_wins) / rest_n).floor());
        tail(wins, 0.0, n, mode, |k| ((n - k) * rest_wins) / ((k + 1.0) * rest_losses))
    }

    /// Fisher's exact test of both rates.
    pub fn fisher_test(&self) -> f64 {
        let [n, wins, rest_n, rest_wins] = self.numbers();
        let all_wins = wins + rest_wins;
        let all_losses = n + rest_n - all_wins;
        let low = f64::max(0.0, n - all_losses);
        let high = f64::min(n, all_wins);
        let expected = (((n + 1.0) * (all_wins + 1.0)) / (n + rest_n + 2.0)).floor();
        let mode = f64::min(high, f64::max(low, expected));
        tail(wins, low, high, mode, |k| {
            ((all_wins - k) * (n - k)) / ((k + 1.0) * (all_losses - n + k + 1.0))
        })
    }

    fn numbers(&self) -> [f64; 4] {
        [self.n, self.wins, self.rest_n, self.rest_wins].map(f64::from)
    }
}

/// The share of a distribution over whole numbers that is no more likely than the one observed.
/// Weights begin with 1 at the mode and go by the ratio of each to the one before, first upwards
/// and then downwards: nothing needs a logarithm, and what is too small for a number is far from
/// mattering.
fn tail(observed: f64, low: f64, high: f64, mode: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    let mut weights = vec![(mode, 1.0)];
    let (mut k, mut weight) = weights[0];
    while k < high {
        weight *= ratio(k);
        k += 1.0;
        weights.push((k, weight));
    }
    (k, weight) = weights[0];
    while k > low {
        k -= 1.0;
        weight /= ratio(k);
        weights.push((k, weight));
    }
    let likely = weights.iter().find(|&&(k, _)| k == observed).map_or(1.0, |&(_, weight)| weight)
        * AS_LIKELY;
    let (mut all, mut tail) = (0.0, 0.0);
    for (_, weight) in weights {
        all += weight;
        if weight <= likely {
            tail += weight;
        }
    }
    tail / all
}

/// A p value above this is taken for that of a condition that means nothing.
const LIKELY_NOTHING: f64 = 0.5;

/// How many conditions mean nothing, at most all of them: p values of nothing are spread evenly, so
/// that twice as many mean nothing as have a p value above one half (Storey, Taylor and Siegmund
/// 2004). Discrete tests have larger p values than that, which errs on the safe side.
fn meaningless(p_values: &[f64]) -> f64 {
    let above = p_values.iter().filter(|&&p| p > LIKELY_NOTHING).count();
    f64::min(p_values.len() as f64, (above + 1) as f64 / (1.0 - LIKELY_NOTHING))
}

/// For each p value the least rate of false discoveries at which it would be told, by Benjamini and
/// Hochberg, who reckon with as many that mean nothing as there are; here with as many as seem to.
/// None is below its p value: however many of its neighbours are true, chance explains one no less.
pub fn q_values(p_values: &[f64]) -> Vec<f64> {
    let nulls = meaningless(p_values);
    let mut falling: Vec<u32> = (0..p_values.len() as u32).collect();
    sort_descending(&mut falling, |&place| p_values[place as usize]);
    let mut q = vec![0.0; p_values.len()];
    let mut least = 1.0;
    for (rank, &place) in (1..=p_values.len()).rev().zip(&falling) {
        let p_value = p_values[place as usize];
        least = f64::min(least, (p_value * nulls) / rank as f64);
        q[place as usize] = f64::max(least, p_value);
    }
    q
}
