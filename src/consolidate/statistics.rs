//! Statistics of won trades: intervals, exact tests, and the rate of false discoveries.

use crate::order::sort_descending;

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Tolerance for rounding: outcomes that are up to this much likelier than the observed one belong
/// to the tail.
const AS_LIKELY: f64 = 1.0 + 1e-7;

/// Won trades with and without a condition. Both sides have at least one trade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// The number of trades with the condition.
    pub n: u32,
    /// The number of won trades among them, at most `n`.
    pub wins: u32,
    /// The number of the other trades of the group.
    pub rest_n: u32,
    /// The number of won trades among them, at most `rest_n`.
    pub rest_wins: u32,
}

impl Counts {
    /// Returns Wilson's score interval of the rate, at 95 %.
    pub fn wilson_interval(&self) -> (f64, f64) {
        let (wins, n) = (f64::from(self.wins), f64::from(self.n));
        let middle = (wins + (Z * Z) / 2.0) / (n + Z * Z);
        let half = (Z * ((wins * (n - wins)) / n + (Z * Z) / 4.0).sqrt()) / (n + Z * Z);
        (f64::max(0.0, middle - half), f64::min(1.0, middle + half))
    }

    /// Returns the two-sided p value: the larger of those of [`binomial_test`](Self::binomial_test)
    /// and [`fisher_test`](Self::fisher_test).
    ///
    /// The binomial test takes the rate of the other trades as the true one. If there are few of
    /// them, it reports patterns that do not exist. Fisher's test treats both rates as observed.
    pub fn p_value(&self) -> f64 {
        f64::max(self.binomial_test(), self.fisher_test())
    }

    /// Returns the p value of the exact binomial test against the rate of the other trades.
    pub fn binomial_test(&self) -> f64 {
        let [n, wins, rest_n, rest_wins] = self.numbers();
        let rest_losses = rest_n - rest_wins;
        let mode = f64::min(n, (((n + 1.0) * rest_wins) / rest_n).floor());
        tail(wins, 0.0, n, mode, |k| ((n - k) * rest_wins) / ((k + 1.0) * rest_losses))
    }

    /// Returns the p value of Fisher's exact test of both rates.
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

/// Returns the share of a distribution over whole numbers that is at most as likely as the observed
/// value. The weight of the mode is 1, and each further weight is the one before times `ratio`,
/// first upwards and then downwards. So no logarithm is needed, and weights that underflow are
/// negligible.
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

/// The p value above which a condition is counted as a true null.
const LIKELY_NOTHING: f64 = 0.5;

/// Estimates the number of true nulls, at most all. Their p values are spread evenly, so there are
/// twice as many as those above one half (Storey, Taylor and Siegmund 2004). Discrete tests have
/// larger p values, which makes the estimate larger and so errs on the safe side.
fn meaningless(p_values: &[f64]) -> f64 {
    let above = p_values.iter().filter(|&&p| p > LIKELY_NOTHING).count();
    f64::min(p_values.len() as f64, (above + 1) as f64 / (1.0 - LIKELY_NOTHING))
}

/// Returns the q value of each p value: the least rate of false discoveries at which it is kept,
/// after Benjamini and Hochberg, with an estimate of the number of true nulls in place of the
/// number of tests. No q value is below its p value, which that estimate alone would allow.
pub fn q_values(p_values: &[f64]) -> Vec<f64> {
    let nulls = meaningless(p_values);
    let mut falling: Vec<u32> = (0..p_values.len() as u32).collect();
    sort_descending(&mut falling, |&place| p_values[place as usize]);
    let mut q = vec![0.0; p_values.len()];
    let mut min = 1.0;
    for (rank, &place) in (1..=p_values.len()).rev().zip(&falling) {
        let p_value = p_values[place as usize];
        min = f64::min(min, (p_value * nulls) / rank as f64);
        q[place as usize] = f64::max(min, p_value);
    }
    q
}
